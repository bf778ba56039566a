import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { act } from '../../app/act.ts';
import { ROOT } from '../../app/api.ts';
import { type Answer as AnswerOf, query } from '../../app/read.ts';
import { mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-field.tsx';
import { Field } from '../../ui/field.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { Note } from '../../ui/note.tsx';
import { Page, PageBody, PageHead } from '../../ui/page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Select } from '../../ui/select.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { tell } from '../../ui/toasts.tsx';
import {
  addressOf,
  type Covered,
  type Format,
  kindsOf,
  type SnippetKind,
  type States,
  shieldsAddress,
  snippetOf,
} from './snippets.ts';

type Covers = 'project' | 'tag' | 'check';

interface Choice {
  readonly covers: Covers;
  readonly tag: string | null;
  readonly check: string | null;
  readonly states: States;
  readonly format: Format;
}

/** Badges of a project: choose one, see it, put it somewhere. */
export function Badges() {
  const project = useProject();
  const { data: all, dataUpdatedAt } = useSuspenseQuery(
    query.coverage({ project: project.uuid, search: '' }),
  );
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search.trim());
  const { data: found = all } = useQuery({
    ...query.coverage({ project: project.uuid, search: wanted }),
    placeholderData: keepPreviousData,
  });
  const [choice, setChoice] = useState<Choice>({
    covers: all.tags.length > 0 ? 'tag' : 'project',
    tag: null,
    check: null,
    states: '3',
    format: 'svg',
  });
  const set = (change: Partial<Choice>) => setChoice({ ...choice, ...change });
  const tag = all.tags.find(({ label }) => label === choice.tag) ?? all.tags[0];
  const check = found.checks.find((one) => one.uniqueKey === choice.check) ?? found.checks[0];
  const chosen = { project: all.project, tag, check }[choice.covers];
  return (
    <Page title={m.badges.name} project={project}>
      <PageBody>
        <PageHead title={m.badges.name} lead={m.badges.lead} />
        <div className="grid gap-7 lg:grid-cols-[minmax(0,1fr)_420px]">
          <div className="grid min-w-0 content-start gap-5">
            <CoversField
              choice={choice}
              onChange={set}
              hasTags={all.tags.length > 0}
              hasChecks={all.checks.length > 0}
            >
              {choice.covers === 'tag' && (
                <Select
                  label={m.badges.chooseTag}
                  isLabelHidden
                  className="w-[220px]!"
                  value={tag?.label ?? ''}
                  options={all.tags.map(({ label, checks }) => [
                    label,
                    `${label} · ${m.badges.checks(checks)}`,
                  ])}
                  onChange={(event) => set({ tag: event.target.value })}
                />
              )}
            </CoversField>
            {choice.covers === 'check' && (
              <CheckChoice
                search={search}
                checks={found.checks}
                hasMore={found.hasMore}
                chosen={check?.uniqueKey ?? null}
                onSearch={setSearch}
                onChoose={(key) => set({ check: key })}
              />
            )}
            {chosen !== undefined && (
              <p className="-mt-3 text-12 text-ink-3">{nowWords(chosen, choice.states)}</p>
            )}
            <LookFields choice={choice} onChange={set} />
            {chosen !== undefined && (
              <Snippets chosen={chosen} choice={choice} project={project.uuid} isWriter={mayWrite(project)} />
            )}
          </div>
          {chosen !== undefined && (
            <Looks project={project.uuid} chosen={chosen} choice={choice} version={dataUpdatedAt} />
          )}
        </div>
        <AllTags
          tags={all.tags}
          project={project.uuid}
          states={choice.states}
          onUse={(label) => {
            set({ covers: 'tag', tag: label });
            scrollTo({ top: 0 });
          }}
        />
      </PageBody>
    </Page>
  );
}

function nowWords({ badge, why }: Covered, states: States): string {
  if (states === '2' && badge.three === 'late') return m.badges.lateIsUp(why);
  return m.badges.rightNow(badge[states === '3' ? 'three' : 'two'], why);
}

interface ChoiceProps {
  readonly choice: Choice;
  readonly onChange: (change: Partial<Choice>) => void;
}

function CoversField({
  choice,
  onChange,
  hasTags,
  hasChecks,
  children,
}: ChoiceProps & {
  readonly hasTags: boolean;
  readonly hasChecks: boolean;
  readonly children: React.ReactNode;
}) {
  return (
    <div className="grid gap-1.5">
      <span className="text-13 font-medium">{m.badges.covers}</span>
      <div className="flex flex-wrap items-center gap-2">
        <Segments
          label={m.badges.covers}
          value={choice.covers}
          onChange={(covers) => onChange({ covers })}
          choices={[
            { value: 'project', label: m.badges.project },
            ...(hasTags ? [{ value: 'tag' as const, label: m.badges.tag }] : []),
            ...(hasChecks ? [{ value: 'check' as const, label: m.badges.check }] : []),
          ]}
        />
        {children}
      </div>
    </div>
  );
}

function CheckChoice({
  search,
  checks,
  hasMore,
  chosen,
  onSearch,
  onChoose,
}: {
  readonly search: string;
  readonly checks: AnswerOf<'coverage'>['checks'];
  readonly hasMore: boolean;
  readonly chosen: string | null;
  readonly onSearch: (search: string) => void;
  readonly onChoose: (key: string) => void;
}) {
  return (
    <div className="grid grid-cols-2 gap-3 max-md:grid-cols-1">
      <Field
        label={m.badges.findCheck}
        type="search"
        value={search}
        onChange={(event) => onSearch(event.target.value)}
      />
      <Select
        label={m.badges.chooseCheck}
        className="min-h-10!"
        value={chosen ?? ''}
        {...(hasMore && { hint: m.badges.moreChecks })}
        {...(checks.length === 0 && { hint: m.badges.noCheck })}
        options={checks.map(({ uniqueKey, label }) => [uniqueKey, label])}
        onChange={(event) => onChoose(event.target.value)}
      />
    </div>
  );
}

function LookFields({ choice, onChange }: ChoiceProps) {
  return (
    <div className="grid grid-cols-2 gap-3 max-md:grid-cols-1">
      <div className="grid content-start justify-items-start gap-1.5">
        <span className="text-13 font-medium">{m.badges.states}</span>
        <Segments
          label={m.badges.states}
          value={choice.states}
          onChange={(states) => onChange({ states })}
          choices={[
            { value: '2', label: m.badges.two },
            { value: '3', label: m.badges.three },
          ]}
        />
        <span className="text-12 text-ink-3">{m.badges.statesHint}</span>
      </div>
      <div className="grid content-start justify-items-start gap-1.5">
        <span className="text-13 font-medium">{m.badges.format}</span>
        <Segments
          label={m.badges.format}
          value={choice.format}
          onChange={(format) => onChange({ format })}
          choices={(['svg', 'shields', 'json'] as const).map((value) => ({
            value,
            label: m.badges.formats[value],
          }))}
        />
        <span className="text-12 text-ink-3">{m.badges.formatHint}</span>
      </div>
    </div>
  );
}

interface ChosenProps {
  readonly project: string;
  readonly chosen: Covered;
  readonly choice: Choice;
}

function Snippets({ project, chosen, choice, isWriter }: ChosenProps & { readonly isWriter: boolean }) {
  const [wanted, setWanted] = useState<SnippetKind>('markdown');
  const [isRotating, setIsRotating] = useState(false);
  const kinds = kindsOf(choice.format);
  const kind = kinds.includes(wanted) ? wanted : 'address';
  const address = addressOf(chosen, choice.format, choice.states);
  if (address === null) return <Note shape="off">{m.badges.readOnly}</Note>;
  const text = snippetOf(kind, chosen.label, address, choice.format);
  return (
    <section aria-labelledby="put" className="grid min-w-0 gap-3 border-t border-line pt-4">
      <h2 id="put" className="text-14">
        {m.badges.put}
      </h2>
      <Tabs
        label={m.badges.snippets}
        tabs={kinds.map((name) => ({ name, label: m.badges.kinds[name] }))}
        open={kind}
        onOpen={setWanted}
      >
        <div className="flex items-start gap-2 rounded-control border border-line-2 bg-sunken p-2">
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
            tabIndex={0}
            className="min-w-0 flex-1 overflow-x-auto px-1 py-1 text-12"
          >
            <code>{text}</code>
          </pre>
          <CopyButton text={text} size="small" />
        </div>
      </Tabs>
      <Note
        shape="off"
        action={
          isWriter && (
            <Button size="small" kind="ghost" onClick={() => setIsRotating(true)}>
              {m.badges.rotate}
            </Button>
          )
        }
      >
        {m.badges.key}
      </Note>
      {isRotating && (
        <ConfirmDialog
          title={m.badges.rotateTitle}
          action={m.badges.rotateGo}
          run={() => act.rotateBadgeKey({ project })}
          done={() => tell(m.badges.rotated)}
          onClose={() => setIsRotating(false)}
        >
          {m.badges.rotateLead}
        </ConfirmDialog>
      )}
    </section>
  );
}

/** A picture of this site, at the path that the browser knows. */
function Picture({
  src,
  alt,
  version,
}: {
  readonly src: string;
  readonly alt: string;
  readonly version: number;
}) {
  // Drawn anew when the state may have changed: browsers keep pictures while they are shown.
  return <img key={`${version} ${src}`} src={src} alt={alt} height={20} className="h-5 w-auto max-w-full" />;
}

const lookOf = (project: string, label: string, status: string) =>
  `${ROOT}/dashboard/api/projects/${project}/badge-look?${new URLSearchParams({ label, status })}`;

function Looks({ project, chosen, choice, version }: ChosenProps & { readonly version: number }) {
  const { label, badge } = chosen;
  const status = badge[choice.states === '3' ? 'three' : 'two'];
  const address = addressOf(chosen, 'svg', choice.states);
  const current = address === null ? lookOf(project, label, status) : new URL(address).pathname;
  const statuses = choice.states === '3' ? ['up', 'late', 'down'] : ['up', 'down'];
  return (
    <aside aria-label={m.badges.looks} className="grid min-w-0 content-start gap-3">
      <section className="overflow-hidden rounded-card border border-line">
        <header className="flex items-center gap-2 px-4 py-3">
          <h2 className="min-w-0 flex-1 text-14">{m.badges.looks}</h2>
          <Picture src={current} alt={`${label}: ${status}`} version={version} />
        </header>
        {(['light', 'dark'] as const).map((theme) => (
          <div
            key={theme}
            data-theme={theme}
            className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-2.5 border-t border-line bg-surface px-4 py-4 text-ink-2"
          >
            <span className="w-14 text-12">{theme === 'light' ? m.badges.onLight : m.badges.onDark}</span>
            <div className="flex min-w-0 flex-wrap gap-2.5">
              {statuses.map((one) => (
                <Picture key={one} src={lookOf(project, label, one)} alt={`${label}: ${one}`} version={0} />
              ))}
            </div>
          </div>
        ))}
      </section>
      {choice.format !== 'svg' && <Answer chosen={chosen} choice={choice} version={version} />}
    </aside>
  );
}

/** The answer of the address, as text. */
function Answer({ chosen, choice, version }: Omit<ChosenProps, 'project'> & { readonly version: number }) {
  const address = addressOf(chosen, choice.format, choice.states);
  const path = address === null ? null : new URL(address).pathname;
  const { data } = useQuery({
    queryKey: ['badge', path, version],
    enabled: path !== null,
    queryFn: async () => JSON.stringify(await (await fetch(path ?? '')).json(), null, 2),
    placeholderData: keepPreviousData,
  });
  if (address === null) return null;
  return (
    <section
      aria-label={m.badges.answer}
      className="grid gap-2.5 rounded-card border border-line px-4 py-3.5"
    >
      <h2 className="text-14">{m.badges.answer}</h2>
      <pre className="min-h-20 overflow-x-auto text-12">
        <code>{data}</code>
      </pre>
      {choice.format === 'shields' && (
        <>
          <p className="text-12 text-ink-3">{m.badges.shieldsNote}</p>
          <a
            href={shieldsAddress(address)}
            target="_blank"
            rel="noreferrer"
            className="justify-self-start text-12 font-medium text-link underline"
          >
            {m.badges.shieldsShow}
          </a>
        </>
      )}
    </section>
  );
}

function AllTags({
  tags,
  project,
  states,
  onUse,
}: {
  readonly tags: readonly Covered[];
  readonly project: string;
  readonly states: States;
  readonly onUse: (label: string) => void;
}) {
  return (
    <section aria-labelledby="all-tags" className="grid gap-2.5">
      <h2 id="all-tags" className="text-14">
        {m.badges.all}
      </h2>
      {tags.length === 0 ? (
        <div className="rounded-card border border-line">
          <Blank title={m.badges.noTags}>{m.badges.noTagsHint}</Blank>
        </div>
      ) : (
        <div className="rounded-card border border-line">
          <table className="w-full border-collapse text-left max-md:block">
            <thead className="text-12 text-ink-3 max-md:sr-only">
              <tr>
                <th className="px-4 py-2.5 font-normal">{m.badges.allTag}</th>
                <th className="px-4 py-2.5 font-normal">{m.badges.allBadge}</th>
                <th className="px-4 py-2.5 font-normal">{m.badges.allWhy}</th>
                <th>
                  <span className="sr-only">{m.badges.allActions}</span>
                </th>
              </tr>
            </thead>
            <tbody className="max-md:block">
              {tags.map((one) => {
                const status = one.badge[states === '3' ? 'three' : 'two'];
                return (
                  <tr
                    key={one.label}
                    className="border-t border-line max-md:grid max-md:grid-cols-[minmax(0,1fr)_auto] max-md:items-center max-md:gap-x-3 max-md:gap-y-1 max-md:px-4 max-md:py-3"
                  >
                    <td className="px-4 py-3 max-md:p-0">
                      <div className="font-medium [overflow-wrap:anywhere]">{one.label}</div>
                      <div className="text-12 text-ink-3">{m.badges.checks(one.checks)}</div>
                    </td>
                    <td className="px-4 py-3 max-md:p-0">
                      <Picture
                        src={lookOf(project, one.label, status)}
                        alt={`${one.label}: ${status}`}
                        version={0}
                      />
                    </td>
                    <td className="px-4 py-3 text-ink-2 max-md:p-0">{one.why}</td>
                    <td className="px-4 py-3 text-right max-md:p-0">
                      <Button size="small" onClick={() => onUse(one.label)}>
                        {m.badges.use}
                      </Button>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
