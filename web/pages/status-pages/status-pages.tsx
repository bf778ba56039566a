import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ExternalLink, Plus } from 'lucide-react';
import { useState } from 'react';
import { TEXT_LIMITS } from '../../../src/domain/text-limits.ts';
import { act } from '../../app/act.ts';
import { ROOT } from '../../app/api.ts';
import { type Answer, query } from '../../app/read.ts';
import { mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { DocsLink } from '../../ui/docs-link.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Glyph } from '../../ui/glyph.tsx';
import { Page, PageBody, PageHead } from '../../ui/page.tsx';
import { Walls } from './walls.tsx';

/** The status pages of a project, and its wall displays. */
export function StatusPages() {
  const project = useProject();
  const { data: pages } = useSuspenseQuery(query.statusPages({ project: project.uuid }));
  const [isAdding, setIsAdding] = useState(false);
  const isWriter = mayWrite(project);
  const add = (
    <Button kind="primary" onClick={() => setIsAdding(true)}>
      <Plus className="size-4" />
      {m.statusPages.add}
    </Button>
  );
  return (
    <Page title={m.statusPages.name} project={project}>
      <PageBody>
        <div className="flex flex-wrap items-end gap-4">
          <div className="min-w-0 flex-1 basis-[300px]">
            <PageHead title={m.statusPages.name} lead={m.statusPages.lead} />
          </div>
          {isWriter && pages.length > 0 && add}
        </div>
        {pages.length === 0 ? (
          <div className="rounded-card border border-line">
            <Blank title={m.statusPages.empty} {...(isWriter && { actions: add })}>
              {isWriter ? m.statusPages.emptyLead : m.statusPages.emptyReadOnly}{' '}
              <DocsLink path="status-pages/">{m.docs.statusPages}</DocsLink>
            </Blank>
          </div>
        ) : (
          <ul className="divide-y divide-line rounded-card border border-line">
            {pages.map((page) => (
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

type ListedPage = Answer<'statusPages'>[number];

function PageRow({ page, project }: { readonly page: ListedPage; readonly project: string }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3">
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
      {page.openNotices > 0 && (
        <span className="inline-flex items-center gap-1.5 text-12 text-late">
          <Glyph shape="late" />
          {m.statusPages.openNotices(page.openNotices)}
        </span>
      )}
      {page.isPublished ? (
        <a
          href={`${ROOT}/status/${page.slug}/`}
          className="inline-flex items-center gap-1.5 text-12 font-medium text-link"
        >
          {m.statusPages.published}
          <ExternalLink className="size-3" />
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
    .slice(0, TEXT_LIMITS.statusSlug);

function AddPage({ project, onClose }: { readonly project: string; readonly onClose: () => void }) {
  const [title, setTitle] = useState('');
  const [slug, setSlug] = useState<string | null>(null);
  const navigate = useNavigate();
  return (
    <FormDialog
      title={m.statusPages.add}
      action={m.statusPages.create}
      className="grid gap-3.5"
      send={({ title: given = '', slug: chosen = '' }) => {
        const { timeZone: tz } = Intl.DateTimeFormat().resolvedOptions();
        return act.createStatusPage({ project, title: given, slug: chosen, tz });
      }}
      done={({ uuid: page }) =>
        void navigate({ to: '/projects/$project/status-pages/$page/', params: { project, page } })
      }
      staysOpen
      onClose={onClose}
    >
      <Field
        label={m.statusPages.title}
        name="title"
        required
        maxLength={TEXT_LIMITS.statusTitle}
        autoComplete="off"
        hint={m.statusPages.titleHint}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <Field
        label={m.statusPages.address}
        name="slug"
        required
        minLength={3}
        maxLength={TEXT_LIMITS.statusSlug}
        autoComplete="off"
        className="font-mono"
        hint={m.statusPages.addressHint(`${location.origin}${ROOT}/status/`)}
        value={slug ?? suggested(title)}
        onChange={(event) => setSlug(event.target.value)}
      />
    </FormDialog>
  );
}
