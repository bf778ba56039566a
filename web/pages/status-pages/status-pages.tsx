import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ExternalLink, Plus } from 'lucide-react';
import { useState } from 'react';
import type { ListedStatusPageJson } from '../../../src/wire/dashboard/status-page-output.ts';
import { post, ROOT } from '../../app/api.ts';
import { useForm } from '../../app/use-form.ts';
import { mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { DocsLink } from '../../ui/docs-link.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { Glyph } from '../../ui/glyph.tsx';
import { Page, PageBody, PageHead } from '../../ui/page.tsx';
import { statusPagesQuery } from './queries.ts';
import { Walls } from './walls.tsx';

/** The status pages of a project, and its wall displays. */
export function StatusPages() {
  const project = useProject();
  const { data } = useSuspenseQuery(statusPagesQuery(project.uuid));
  const [isAdding, setIsAdding] = useState(false);
  const isWriter = mayWrite(project);
  const add = (
    <Button kind="primary" onClick={() => setIsAdding(true)}>
      <Plus className="size-8" strokeWidth={1.5} aria-hidden="true" />
      {m.statusPages.add}
    </Button>
  );
  return (
    <Page
      title={m.statusPages.name}
      crumbs={[
        { label: project.name, to: '/projects/$project/checks/', params: { project: project.uuid } },
        { label: m.statusPages.name },
      ]}
    >
      <PageBody>
        <div className="flex flex-wrap items-end gap-8">
          <div className="min-w-0 flex-1 basis-[300px]">
            <PageHead title={m.statusPages.name} lead={m.statusPages.lead} />
          </div>
          {isWriter && data.pages.length > 0 && add}
        </div>
        {data.pages.length === 0 ? (
          <div className="rounded-card border border-line">
            <Blank title={m.statusPages.empty} {...(isWriter && { actions: add })}>
              {isWriter ? m.statusPages.emptyLead : m.statusPages.emptyReadOnly}{' '}
              <DocsLink path="status-pages/">{m.docs.statusPages}</DocsLink>
            </Blank>
          </div>
        ) : (
          <ul className="divide-y divide-line rounded-card border border-line">
            {data.pages.map((page) => (
              <PageRow key={page.uuid} page={page} project={project.uuid} />
            ))}
          </ul>
        )}
        {isWriter && <Walls project={project.uuid} />}
      </PageBody>
      {isAdding && <AddPage project={project.uuid} onClose={() => setIsAdding(false)} />}
    </Page>
  );
}

function PageRow({ page, project }: { readonly page: ListedStatusPageJson; readonly project: string }) {
  return (
    <li className="flex flex-wrap items-center gap-x-8 gap-y-2 px-8 py-6">
      <div className="min-w-0 flex-1 basis-[200px]">
        <Link
          to="/projects/$project/status-pages/$page/"
          params={{ project, page: page.uuid }}
          className="block truncate text-14 font-medium hover:underline"
        >
          {page.title}
        </Link>
        <span className="block truncate text-12 text-ink-3">{page.address.replace(/^https?:\/\//, '')}</span>
      </div>
      <span className="text-12 text-ink-3">{m.statusPages.components(page.components)}</span>
      {page.open_notices > 0 && (
        <span className="inline-flex items-center gap-3 text-12 text-late">
          <Glyph shape="late" />
          {m.statusPages.openNotices(page.open_notices)}
        </span>
      )}
      {page.is_published ? (
        <a
          href={`${ROOT}/status/${page.slug}/`}
          className="inline-flex items-center gap-3 text-12 font-medium text-link"
        >
          {m.statusPages.published}
          <ExternalLink className="size-6" strokeWidth={1.5} aria-hidden="true" />
        </a>
      ) : (
        <Chip>{m.statusPages.draft}</Chip>
      )}
    </li>
  );
}

/** `Example Org status` becomes `example-org-status`, as a suggestion. */
const suggested = (title: string) =>
  title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);

function AddPage({ project, onClose }: { readonly project: string; readonly onClose: () => void }) {
  const [title, setTitle] = useState('');
  const [slug, setSlug] = useState<string | null>(null);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const form = useForm(
    (values) =>
      post<{ readonly uuid: string }>(`/projects/${project}/status-pages`, {
        ...values,
        tz: Intl.DateTimeFormat().resolvedOptions().timeZone,
      }),
    async ({ uuid }) => {
      await queries.invalidateQueries({ queryKey: statusPagesQuery(project).queryKey });
      await navigate({ to: '/projects/$project/status-pages/$page/', params: { project, page: uuid } });
    },
  );
  const otherError = form.otherError('title', 'slug');
  return (
    <Dialog title={m.statusPages.add} onClose={onClose}>
      <form className="grid gap-7" onSubmit={form.onSubmit}>
        <Field
          label={m.statusPages.title}
          name="title"
          required
          maxLength={100}
          autoComplete="off"
          hint={m.statusPages.titleHint}
          value={title}
          error={form.errorOf('title')}
          onChange={(event) => setTitle(event.target.value)}
        />
        <Field
          label={m.statusPages.address}
          name="slug"
          required
          minLength={3}
          maxLength={60}
          autoComplete="off"
          className="font-mono"
          hint={m.statusPages.addressHint(`${location.origin}${ROOT}/status/`)}
          value={slug ?? suggested(title)}
          error={form.errorOf('slug')}
          onChange={(event) => setSlug(event.target.value)}
        />
        {otherError !== null && <ErrorText>{otherError}</ErrorText>}
        <DialogActions>
          <Button onClick={onClose}>{m.controls.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            {m.statusPages.create}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
