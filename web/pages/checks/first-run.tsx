import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Check, Clock, Copy, Moon, Terminal } from 'lucide-react';
import { type ReactNode, use, useState } from 'react';
import type { CheckHeadJson, CheckRowJson, RunStripJson } from '../../../src/views/board-json.ts';
import { PingNow } from '../../acts/ping-now.tsx';
import { act } from '../../app/act.ts';
import { shownName } from '../../app/channel-names.ts';
import { queries } from '../../app/query-client.ts';
import { query } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { DocsLink } from '../../ui/docs-link.tsx';
import { RunStrip } from '../../ui/run-strip.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { Ago, PersonsTimes } from '../../ui/time.tsx';
import { scheduleBeside } from '../../ui/times.ts';
import { Snippets } from '../check/ping-it.tsx';
import { type Choices, editorQuery } from '../check-editor/settings.ts';
import { rowsQuery } from './board.ts';
import { labelOf } from './check-row.tsx';
import './first-run.css';

const t = m.firstRun;
/** Templates that are offered here, with their pictures. */
const PICTURES = { nightly: Moon, minutes: Clock, timer: Terminal } as const;

type Template = Choices['templates'][number];
type OfferedTemplate = Template & { readonly id: keyof typeof PICTURES };
const isOffered = (template: Template): template is OfferedTemplate => Object.hasOwn(PICTURES, template.id);

/** The first steps: an integration, the kind of job, the line to add, and a wait for the first ping. */
export function FirstRun({
  project,
  channels,
  row,
  onDone,
}: {
  readonly project: string;
  readonly channels: CheckHeadJson['channels'];
  /** The first check, once there is one. */
  readonly row: CheckRowJson | null;
  readonly onDone: () => void;
}) {
  const isHeard = row !== null && row.lastPing !== null;
  return (
    <div className="grid max-w-[1180px] gap-5 p-6 max-md:px-4 max-md:py-4.5">
      <div>
        <h1 className="text-26 tracking-[-.022em] max-md:text-20">
          {row === null ? t.title : isHeard ? t.titleWatched(labelOf(row)) : t.titleWaiting(labelOf(row))}
        </h1>
        <p className="max-w-[64ch] text-14 text-ink-2">
          {isHeard ? t.leadWatched : t.lead} <DocsLink path="">{m.docs.howItWorks}</DocsLink>
        </p>
      </div>
      <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_320px]">
        <div className="first-steps">
          <Told project={project} channels={channels} />
          <Kind project={project} row={row} />
          <Step number={3} title={t.line} lead={row === null ? t.lineLater : undefined}>
            {row !== null && <Line row={row} onDone={onDone} />}
          </Step>
        </div>
        <Examples told={channels.map(shownName).join(', ') || t.you} />
      </div>
    </div>
  );
}

function Step({
  number,
  title,
  lead,
  isDone = false,
  children,
}: {
  readonly number: number;
  readonly title: string;
  readonly lead?: ReactNode;
  readonly isDone?: boolean;
  readonly children?: ReactNode;
}) {
  return (
    <section className={isDone ? 'first-step first-step-done' : 'first-step'}>
      <span className="first-step__number" aria-hidden="true">
        {isDone ? <Check className="size-4" strokeWidth={2} /> : number}
      </span>
      <div className="grid min-w-0 gap-2.5 pt-1">
        <div>
          <h2 className="text-14">{title}</h2>
          {lead !== undefined && <p className="text-ink-3">{lead}</p>}
        </div>
        {children}
      </div>
    </section>
  );
}

function Told({
  project,
  channels,
}: {
  readonly project: string;
  readonly channels: CheckHeadJson['channels'];
}) {
  const isDone = channels.length > 0;
  const link = (label: string) => (
    <Link
      to="/projects/$project/integrations/"
      params={{ project }}
      className="text-link underline underline-offset-2"
    >
      {label}
    </Link>
  );
  return (
    <Step
      number={1}
      isDone={isDone}
      title={isDone ? t.told(channels.map(shownName).join(', ')) : t.nobody}
      lead={
        <>
          {isDone ? t.toldLead : t.nobodyLead} {link(isDone ? t.addAnother : t.addFirst)}
        </>
      }
    />
  );
}

const CARD = 'grid content-start gap-0.5 rounded-[10px] border p-3 text-left hover:bg-hover';

function Kind({ project, row }: { readonly project: string; readonly row: CheckRowJson | null }) {
  const { tz } = use(PersonsTimes);
  const { data: choices } = useQuery(editorQuery(project));
  const [chosen, setChosen] = useState<string | null>(null);
  /** Acts bring only rows that are shown. A new row is not shown yet. */
  const readRows = () => queries.invalidateQueries(rowsQuery(project));
  const start = useAct(async ({ id, ...schedule }: OfferedTemplate) => {
    const [name] = m.checkEditor.templates[id];
    if (row === null) await act.createCheck({ project, name, ...schedule, tz });
    else await act.updateCheck({ check: row.key, ...schedule, tz });
    await readRows();
  });
  const choose = async (template: OfferedTemplate) => {
    setChosen(template.id);
    if (!(await start.run(template))) setChosen(null);
  };
  return (
    <Step number={2} isDone={chosen !== null} title={t.kind} lead={t.kindLead}>
      <div className="grid grid-cols-4 gap-2 max-md:grid-cols-2">
        {choices?.templates.filter(isOffered).map((template) => {
          const Picture = PICTURES[template.id];
          const [name, about] = m.checkEditor.templates[template.id];
          const isChosen = chosen === template.id;
          return (
            <button
              key={template.id}
              type="button"
              aria-pressed={isChosen}
              onClick={() => void choose(template)}
              className={`${CARD} ${isChosen ? 'border-ink shadow-[inset_0_0_0_1px_var(--ink)]' : 'border-line'}`}
            >
              <Picture className="mb-1 size-4 text-ink-3" />
              <b className="text-13 font-medium">{name}</b>
              <span className="text-12 text-ink-3">{about}</span>
            </button>
          );
        })}
        <Link to="/projects/$project/checks/import/" params={{ project }} className={`${CARD} border-line`}>
          <Copy className="mb-1 size-4 text-ink-3" />
          <b className="text-13 font-medium">{t.crontab[0]}</b>
          <span className="text-12 text-ink-3">{t.crontab[1]}</span>
        </Link>
      </div>
    </Step>
  );
}

/** The line to add, and whether the first ping has come. */
function Line({ row, onDone }: { readonly row: CheckRowJson; readonly onDone: () => void }) {
  const ref = row.uuid ?? row.key;
  const { data: check } = useQuery(query.checkPage({ check: ref }));
  const style = use(PersonsTimes);
  return (
    <>
      {check?.pingUrl != null && <Snippets url={check.pingUrl} crontab={check.schedule.crontab} />}
      {row.lastPing === null ? (
        <div className="listen" role="status">
          <span className="ring" />
          <div className="min-w-0 flex-1 max-md:basis-[70%]">
            <b className="font-semibold">{t.listening}</b>
            <p className="text-12 text-ink-3">{t.listeningLead}</p>
          </div>
          <PingNow check={ref} size="small" />
        </div>
      ) : (
        <div className="listen listen-heard" role="status">
          <StatusPill status={row.running && row.status === 'up' ? 'running' : row.status} />
          <div className="min-w-0 flex-1">
            <Link to="/checks/$check/details/" params={{ check: ref }} className="font-semibold">
              {labelOf(row)}
            </Link>
            <p className="text-12 text-ink-3">
              {scheduleBeside(row.schedule, row.tz, style)} · {t.arrived} <Ago at={row.lastPing} />
            </p>
          </div>
          <Button kind="primary" size="small" onClick={onDone}>
            {t.toList}
          </Button>
        </div>
      )}
    </>
  );
}

/** Seconds that the runs of the example took. */
const TOOK = [42, 44, 47, 51, 43, 43, 45, 52, 43, 51, 50, 43, 48, 47, 46, 55, 42, 41, 54, 47];

function example(results: string): RunStripJson {
  const durations = Array.from(results, (_, run) => TOOK[run % TOOK.length] ?? null);
  const counts = Array.from(results).flatMap((letter) => (letter === 'm' ? [1] : []));
  return { results, counts, durations, at: [], n: [] };
}

const RUNS = 30;

/** Examples of a good job and of a silent one. */
function Examples({ told }: { readonly told: string }) {
  return (
    <aside className="grid min-w-0 gap-4">
      <Card title={t.well}>
        <ExampleRow
          pill={<StatusPill status="up" />}
          when={<span className="text-ink-3">{t.exampleWhen}</span>}
        />
        <RunStrip runs={example('o'.repeat(RUNS))} slots={RUNS} />
        <p className="mt-2 text-12 text-ink-3">{t.wellText}</p>
      </Card>
      <Card title={t.silent}>
        <ExampleRow
          pill={<StatusPill status="down" />}
          when={<span className="text-down">{t.silentFor}</span>}
        />
        <RunStrip runs={example(`${'o'.repeat(RUNS - 1)}m`)} slots={RUNS} />
        <p className="mt-2 text-12 text-ink-3">
          {t.silentText(told)} <b className="font-medium text-ink-2">{t.silentMail}</b>
        </p>
      </Card>
    </aside>
  );
}

function ExampleRow({ pill, when }: { readonly pill: ReactNode; readonly when: ReactNode }) {
  return (
    <div className="mb-2 flex items-center gap-2">
      <span className="min-w-0 flex-1">
        <b className="block font-semibold">{t.example}</b>
        <span className="text-12">{when}</span>
      </span>
      {pill}
    </div>
  );
}
