import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { use, useDeferredValue, useState } from 'react';
import { MAX_CRONTAB } from '../../../src/domain/schedule/crontab-limits.ts';
import { slugOf } from '../../../src/domain/slug.ts';
import { act } from '../../app/act.ts';
import { queries } from '../../app/query-client.ts';
import { type Answer, query } from '../../app/read.ts';
import { mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Form, FormError, Submit } from '../../ui/form.tsx';
import { Page } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { PersonsTimes } from '../../ui/time.tsx';
import { editorQuery } from '../check-editor/settings.ts';
import { rowsQuery } from '../checks/board.ts';
import { NoPermission } from '../no-permission.tsx';
import { ChangedCrontab } from './changed-crontab.tsx';
import { type Draft, LineList } from './line-list.tsx';

const t = m.crontab;

export type Line = Answer<'crontabLines'>['lines'][number];
export type Job = Extract<Line['meaning'], { readonly is: 'job' }>;

export function ImportCrontab() {
  const project = useProject();
  return mayWrite(project) ? <ImportPage /> : <NoPermission project={project.uuid} />;
}

/** Lines, and the addresses of the checks that were made of some of them. */
interface Added {
  readonly lines: readonly Line[];
  /** Addresses by the index of the line. */
  readonly urls: ReadonlyMap<number, string>;
}

function ImportPage() {
  const project = useProject();
  const [added, setAdded] = useState<Added | null>(null);
  return (
    <Page
      title={m.shell.importCrontab}
      project={project}
      above={[{ label: m.shell.checks, to: '/projects/$project/checks/', params: { project: project.uuid } }]}
    >
      <div className="grid max-w-[1180px] grid-cols-[minmax(0,1fr)] gap-5 p-6 max-md:px-4 max-md:py-4.5">
        {added === null ? (
          <CrontabForm project={project.uuid} onAdded={setAdded} />
        ) : (
          <ChangedCrontab project={project.uuid} {...added} />
        )}
      </div>
    </Page>
  );
}

function CrontabForm({
  project,
  onAdded,
}: {
  readonly project: string;
  readonly onAdded: (added: Added) => void;
}) {
  const { tz: ownZone } = use(PersonsTimes);
  const { data: choices } = useSuspenseQuery(editorQuery(project));
  const { data: rows = [] } = useQuery(rowsQuery(project));
  const [text, setText] = useState('');
  const [zone, setZone] = useState(ownZone);
  const [chosenUsers, setHasUsers] = useState<boolean | undefined>(undefined);
  const [changes, setChanges] = useState<Readonly<Record<string, Partial<Draft>>>>({});
  const isTooLong = text.length > MAX_CRONTAB;
  const { answer, isOld } = useLines(project, isTooLong ? '' : text, chosenUsers);
  const lines = answer?.lines ?? [];
  const broken = lines.filter(({ meaning }) => meaning.is === 'broken').length;

  const keyOf = (index: number) => `${index} ${lines[index]?.text}`;
  const jobs = lines.flatMap(({ meaning }, index) => {
    if (meaning.is !== 'job') return [];
    const change = changes[keyOf(index)] ?? {};
    const name = change.name ?? meaning.name;
    return [{ index, job: meaning, draft: { slug: slugOf(name), isAdded: true, ...change, name } }];
  });
  const wanted = jobs.filter(({ draft }) => draft.isAdded);
  const takenBy = (slug: string, index: number): string | null => {
    const other =
      wanted.find((one) => one.index !== index && one.draft.slug === slug)?.draft ??
      rows.find((row) => row.slug === slug);
    return slug === '' || other === undefined ? null : other.name || slug;
  };

  const send = () =>
    act.importCrontab({
      project,
      jobs: wanted.map(({ job, draft: { name, slug } }) => ({
        ...{ name, slug },
        ...{ schedule: job.expression, tz: job.tz ?? zone },
      })),
    });
  return (
    <Form
      send={send}
      noValidate
      className="grid grid-cols-[minmax(0,1fr)] gap-5"
      done={(checks) => {
        void queries.invalidateQueries(rowsQuery(project));
        onAdded({ lines, urls: new Map(wanted.map(({ index }, at) => [index, checks[at]?.pingUrl ?? ''])) });
      }}
    >
      <div>
        <h1 className="text-26 tracking-[-.022em] max-md:text-20">{m.shell.importCrontab}</h1>
        <p className="max-w-[64ch] text-14 text-ink-2">{t.lead}</p>
      </div>
      <TextArea
        label={t.text}
        rows={8}
        spellCheck={false}
        autoFocus
        placeholder={t.example}
        className="font-mono"
        value={text}
        error={isTooLong ? t.tooLong(MAX_CRONTAB) : null}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="grid max-w-[420px] gap-4">
        <Select
          label={t.zone}
          hint={t.zoneHint}
          value={zone}
          options={[...new Set([ownZone, ...choices.usedZones, ...choices.zones])].map((one) => [one, one])}
          onChange={(event) => setZone(event.target.value)}
        />
        <Checkbox
          label={t.hasUsers}
          checked={chosenUsers ?? answer?.hasUsers ?? false}
          onChange={(event) => setHasUsers(event.target.checked)}
        />
      </div>
      {lines.length > 0 && (
        <div className={isOld ? 'opacity-60' : ''} aria-busy={isOld}>
          <LineList
            lines={lines}
            zone={zone}
            drafts={new Map(jobs.map(({ index, draft }) => [index, draft]))}
            takenBy={takenBy}
            limits={choices.limits}
            onChange={(index, change) =>
              setChanges((all) => ({ ...all, [keyOf(index)]: { ...all[keyOf(index)], ...change } }))
            }
          />
        </div>
      )}
      <FormError />
      <div className="flex flex-wrap items-center gap-3">
        <Submit size="large" disabled={wanted.length === 0 || isOld}>
          {t.go(wanted.length)}
        </Submit>
        <p role="status" className="text-12 text-ink-2">
          {lines.length > 0 && (wanted.length === 0 ? t.none : t.summary(wanted.length, broken))}
        </p>
      </div>
    </Form>
  );
}

/** The meaning of the lines, from the server. */
function useLines(project: string, text: string, hasUsers: boolean | undefined) {
  const asked = { text: useDeferredValue(text), ...(hasUsers !== undefined && { hasUsers }) };
  const { data, isPlaceholderData } = useQuery({
    ...query.crontabLines({ project, ...asked }),
    enabled: asked.text.trim() !== '',
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  });
  const isAsked = text.trim() !== '';
  return { answer: isAsked ? data : undefined, isOld: isPlaceholderData || asked.text !== text };
}
