import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { use, useRef, useState } from 'react';
import { TEXT_LIMITS } from '../../../src/domain/text-limits.ts';
import { act } from '../../app/act.ts';
import { ApiError, ROOT } from '../../app/api.ts';
import { query } from '../../app/read.ts';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useAct, useShownAct } from '../../app/use-act.ts';
import { mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { FootBar } from '../../ui/foot-bar.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { LeaveDialog } from '../../ui/leave-dialog.tsx';
import { Page, PageHead } from '../../ui/page.tsx';
import { SaveKeys } from '../../ui/save-keys.tsx';
import { Select } from '../../ui/select.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { PersonsTimes } from '../../ui/time.tsx';
import { cityOf } from '../../ui/times.ts';
import { tell } from '../../ui/toasts.tsx';
import { ComponentList, coveredBy } from './component-list.tsx';
import { Incidents, Maintenances, type WrittenUpdate } from './notices.tsx';
import { type Drafted, Preview } from './preview.tsx';
import type { Component, StatusPage as Shown } from './status-page-types.ts';

const FIELDS = ['title', 'slug', 'about', 'tz', 'components'] as const;

type Draft = Readonly<Pick<Shown, Exclude<(typeof FIELDS)[number], 'components'>>> & {
  readonly components: readonly Component[];
};

/** One status page: its notices, its components, its address, and its look. */
export function StatusPage() {
  const project = useProject();
  const { page: uuid } = useParams({ from: '/signed-in/projects/$project/status-pages/$page' });
  const given = { project: project.uuid, page: uuid };
  const { data: page, refetch } = useSuspenseQuery(query.statusPage(given));
  const style = use(PersonsTimes);
  const [changes, setChanges] = useState<Partial<Draft>>({});
  const [written, setWritten] = useState<WrittenUpdate | null>(null);
  const isWriter = mayWrite(project);
  const draft: Draft = { ...draftOf(page), ...changes };
  const unsaved = FIELDS.filter((field) => JSON.stringify(draft[field]) !== JSON.stringify(page[field]));
  const isWritten = written !== null && written.text.trim() !== '';
  const isGone = useRef(false);
  const saving = useShownAct(act.editStatusPage, () => {
    setChanges({});
    tell(m.statusPages.saved);
  });
  const nameless = draft.components.filter(({ name }) => name.trim() === '');
  const save = async () =>
    nameless.length === 0 &&
    (await saving.run({ ...given, ...draft, components: sent(draft), revision: page.revision }));
  const fault = saving.error instanceof ApiError ? saving.error : null;
  const errorOf = (field: string) => (fault?.field === field ? fault.message : null);
  const set = (change: Partial<Draft>) => setChanges({ ...changes, ...change });
  const discard = () => {
    setChanges({});
    saving.reset();
    void refetch();
  };
  useShortcuts(m.statusPages.page, [
    { keys: 'mod+enter', label: m.controls.save, action: () => unsaved.length > 0 && void save() },
  ]);
  return (
    <Page
      title={page.title}
      project={project}
      above={[
        {
          label: m.statusPages.name,
          to: '/projects/$project/status-pages/',
          params: { project: project.uuid },
        },
      ]}
    >
      <div className="grid gap-5 p-6 max-md:px-4 max-md:py-4.5">
        <Head page={page} project={project.uuid} isWriter={isWriter} />
        {/* Outsiders see the same times. */}
        <PersonsTimes value={{ ...style, tz: page.tz }}>
          <div className="grid grid-cols-1 gap-7 lg:grid-cols-[minmax(0,1fr)_430px]">
            <div className="grid min-w-0 grid-cols-1 content-start gap-7">
              <Incidents project={project.uuid} page={page} isWriter={isWriter} onWrite={setWritten} />
              <ComponentList
                project={project.uuid}
                page={page}
                components={draft.components}
                isWriter={isWriter}
                error={
                  nameless.length > 0
                    ? m.statusPages.nameless(nameless.map(coveredBy))
                    : errorOf('components')
                }
                onChange={(components) => set({ components })}
              />
              <Maintenances project={project.uuid} page={page} isWriter={isWriter} />
              {isWriter && <PageFields draft={draft} errorOf={errorOf} onChange={set} />}
              {isWriter && (
                <DeletePage
                  page={page}
                  project={project.uuid}
                  onGone={() => {
                    isGone.current = true;
                  }}
                />
              )}
            </div>
            <Preview project={project.uuid} page={uuid} draft={previewOf(draft, written)} />
          </div>
        </PersonsTimes>
      </div>
      <LeaveDialog
        isHeld={() => (unsaved.length > 0 || isWritten) && !isGone.current}
        maySave={!isWritten}
        onSave={save}
      >
        {unsaved.length > 0 && (
          <p className="text-13 text-ink-2">
            {m.statusPages.unsaved(unsaved.map((field) => m.statusPages.fields[field]))}
          </p>
        )}
        {isWritten && <p className="text-13 text-ink-2">{m.statusPages.unpublished}</p>}
      </LeaveDialog>
      {unsaved.length > 0 && (
        <FootBar>
          <span className="min-w-0 flex-1 text-ink-3">
            {m.statusPages.unsaved(unsaved.map((field) => m.statusPages.fields[field]))}
          </span>
          {fault !== null && !FIELDS.some((field) => field === fault.field) && (
            <ErrorText>
              {fault.code === 'status_page_changed' ? m.statusPages.changed : fault.message}
            </ErrorText>
          )}
          <Button onClick={discard}>{m.statusPages.discard}</Button>
          <Button
            kind="primary"
            isBusy={saving.isBusy}
            disabled={nameless.length > 0}
            onClick={() => void save()}
          >
            {m.statusPages.save}
            <SaveKeys />
          </Button>
        </FootBar>
      )}
    </Page>
  );
}

const draftOf = ({ title, slug, about, tz, components }: Shown): Draft => ({
  ...{ title, slug, about, tz, components },
});

/** Components as the server takes them. */
const sent = ({ components }: Draft) =>
  components.map(({ id, name, group, tag, check }) => ({
    id,
    name,
    group,
    ...(tag === null ? { check: check ?? '' } : { tag }),
  }));

/** A draft that the server would refuse is not previewed. */
function previewOf(draft: Draft, written: WrittenUpdate | null): string {
  const isWhole = draft.title.trim() !== '' && draft.components.every(({ name }) => name.trim() !== '');
  const isTold = written !== null && written.text.trim() !== '' && written.title.trim() !== '';
  const drafted: Drafted = {
    draft: isWhole ? { ...draft, components: sent(draft) } : null,
    update: isTold ? written : null,
  };
  return JSON.stringify(drafted);
}

function Head({
  page,
  project,
  isWriter,
}: {
  readonly page: Shown;
  readonly project: string;
  readonly isWriter: boolean;
}) {
  const given = { project, page: page.uuid };
  const publish = useAct(
    (isPublic: boolean) => (isPublic ? act.publishStatusPage(given) : act.unpublishStatusPage(given)),
    (_answer, isPublic) => tell(isPublic ? m.statusPages.nowPublic : m.statusPages.nowOffline),
  );
  const address = page.address.replace(/^https?:\/\//, '');
  return (
    <div className="flex flex-wrap items-start gap-4">
      <div className="min-w-0 flex-1 basis-[300px]">
        <PageHead
          title={m.statusPages.head(page.title)}
          lead={
            <span className="break-words">
              {page.isPublished ? m.statusPages.publishedAt : m.statusPages.notPublished}{' '}
              {page.isPublished ? (
                <a className="font-medium text-link underline" href={`${ROOT}/status/${page.slug}/`}>
                  {address}
                </a>
              ) : (
                <span className="font-medium">{address}</span>
              )}
              . {page.headline}. {page.affected} {m.times.zone(cityOf(page.tz))}
            </span>
          }
        />
      </div>
      {page.isPublished && (
        <a
          href={`${ROOT}/status/${page.slug}/`}
          className="inline-flex h-8 items-center gap-1.5 rounded-control border border-line-2 bg-surface px-3 font-medium shadow-1 hover:bg-sunken max-md:h-10"
        >
          <ExternalLink className="size-4 text-ink-3" />
          {m.statusPages.open}
        </a>
      )}
      {!isWriter && !page.isPublished && <Chip>{m.statusPages.draft}</Chip>}
      {isWriter && (
        <Button
          kind={page.isPublished ? 'plain' : 'primary'}
          isBusy={publish.isBusy}
          disabled={!page.isPublished && page.components.length === 0}
          onClick={() => publish.run(!page.isPublished)}
        >
          {page.isPublished ? m.statusPages.unpublish : m.statusPages.publish}
        </Button>
      )}
    </div>
  );
}

const ZONES = Intl.supportedValuesOf('timeZone');

function PageFields({
  draft,
  errorOf,
  onChange,
}: {
  readonly draft: Draft;
  readonly errorOf: (field: string) => string | null;
  readonly onChange: (change: Partial<Draft>) => void;
}) {
  const zones = ZONES.includes(draft.tz) ? ZONES : [draft.tz, ...ZONES];
  return (
    <section aria-labelledby="page-title" className="grid gap-3">
      <h2 id="page-title" className="text-14">
        {m.statusPages.page}
      </h2>
      <div className="grid grid-cols-2 gap-3 max-md:grid-cols-1">
        <Field
          label={m.statusPages.title}
          value={draft.title}
          maxLength={TEXT_LIMITS.statusTitle}
          required
          error={errorOf('title')}
          onChange={(event) => onChange({ title: event.target.value })}
        />
        <Field
          label={m.statusPages.address}
          value={draft.slug}
          maxLength={TEXT_LIMITS.statusSlug}
          required
          className="font-mono"
          hint={m.statusPages.addressHint(`${location.origin}${ROOT}/status/`)}
          error={errorOf('slug')}
          onChange={(event) => onChange({ slug: event.target.value })}
        />
      </div>
      <TextArea
        label={m.statusPages.about}
        hint={m.statusPages.aboutHint}
        rows={2}
        maxLength={TEXT_LIMITS.statusAbout}
        value={draft.about}
        error={errorOf('about')}
        onChange={(event) => onChange({ about: event.target.value })}
      />
      <Select
        label={m.statusPages.zone}
        hint={m.statusPages.zoneHint}
        value={draft.tz}
        error={errorOf('tz')}
        options={zones.map((zone) => [zone, zone])}
        onChange={(event) => onChange({ tz: event.target.value })}
      />
    </section>
  );
}

function DeletePage({
  page,
  project,
  onGone,
}: {
  readonly page: Shown;
  readonly project: string;
  readonly onGone: () => void;
}) {
  const [isAsking, setIsAsking] = useState(false);
  const navigate = useNavigate();
  return (
    <div>
      <Button kind="danger" onClick={() => setIsAsking(true)}>
        {m.statusPages.deletePage}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={m.statusPages.deleteTitle}
          typedName={page.title}
          action={m.statusPages.deletePage}
          run={() => act.deleteStatusPage({ project, page: page.uuid })}
          done={() => {
            onGone();
            void navigate({ to: '/projects/$project/status-pages/', params: { project } });
          }}
          staysOpen
          onClose={() => setIsAsking(false)}
        >
          {m.statusPages.deleteLead}
        </ConfirmDialog>
      )}
    </div>
  );
}
