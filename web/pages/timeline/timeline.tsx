import './timeline.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight, Table2 } from 'lucide-react';
import { type ReactNode, use, useEffect, useMemo, useRef, useState } from 'react';
import type { CheckRowJson } from '../../../src/views/board-json.ts';
import type { ProblemJson, TimelineHeadJson } from '../../../src/views/timeline-json.ts';
import { query } from '../../app/read.ts';
import { useShortcuts } from '../../app/shortcuts.ts';
import { mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { PersonsTimes, useNow } from '../../ui/time.tsx';
import { clockTime, shortTime } from '../../ui/times.ts';
import { ZoneNote } from '../../ui/zone-note.tsx';
import { placeOf, type Shown, SPAN_NAMES, SPANS, type SpanName, shownAround, ticksOf } from './axis.ts';
import { LANE, LaneRow } from './lane.tsx';
import { LaneTable } from './lane-table.tsx';
import { useLanes } from './use-lanes.ts';

/** Lanes that are read and drawn together. */
const BLOCK = 30;
/** Blocks are read at this distance before they come into view. */
const MARGIN_PX = 600;
/** A step of the arrow keys, as part of the shown span. */
const PAN = 1 / 6;
/** Labels of the axis that are nearer to the now line than this part of it would run into its flag; the same on phones. */
const NOW_FLAG = 0.08;
const NOW_FLAG_ON_PHONES = 0.17;
/** Half of a label on phones. */
const EDGE_ON_PHONES = 0.06;
/** The server's limit for looking ahead. */
const MAX_AHEAD_S = SPANS['7d'] / 3;

/** All checks of a project on one time axis. */
export function Timeline() {
  const project = useProject();
  const view = useView();
  const { shown } = view;
  const [isTable, setIsTable] = useState(false);
  const { data: rows } = useQuery(query.checkRows({ project: project.uuid }));
  const ordered = useMemo(() => rows && inOrder(rows), [rows]);
  useShortcuts(m.timeline.title, [
    { keys: 'ArrowLeft', label: m.timeline.earlier, action: () => view.pan(-1) },
    { keys: 'ArrowRight', label: m.timeline.later, action: () => view.pan(1) },
    { keys: '+', label: m.timeline.closer, action: () => view.zoom(-1) },
    { keys: '-', label: m.timeline.wider, action: () => view.zoom(1) },
    { keys: 't', label: m.timeline.toNow, action: view.toNow },
  ]);
  return (
    <Page title={m.timeline.title} project={project}>
      {ordered?.length === 0 ? (
        <Empty project={project} />
      ) : (
        <>
          <section className="flex flex-wrap items-start gap-x-4 gap-y-2.5 px-5 pt-4.5 pb-3.5 max-md:px-4">
            <Head project={project.uuid} shown={shown} />
            <div className="flex flex-wrap items-center gap-2">
              <Segments
                label={m.timeline.span}
                choices={SPAN_NAMES.map((value) => ({ value, label: m.timeline.spans[value] }))}
                value={view.span}
                onChange={view.setSpan}
              />
              <Button
                kind="ghost"
                size="smallIcon"
                aria-label={m.timeline.earlier}
                onClick={() => view.pan(-1)}
              >
                <ChevronLeft className="size-4" />
              </Button>
              <Button size="small" disabled={view.isNow} onClick={view.toNow}>
                {m.timeline.now}
              </Button>
              <Button
                kind="ghost"
                size="smallIcon"
                aria-label={m.timeline.later}
                disabled={!view.canGoOn}
                onClick={() => view.pan(1)}
              >
                <ChevronRight className="size-4" />
              </Button>
              <Button kind="ghost" size="small" aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>
                <Table2 className="size-4" />
                {isTable ? m.timeline.asLanes : m.timeline.asTable}
              </Button>
            </div>
          </section>
          {isTable ? (
            <LaneTable project={project.uuid} rows={ordered ?? []} shown={shown} />
          ) : (
            <Lanes project={project.uuid} rows={ordered} shown={shown} span={view.span} />
          )}
        </>
      )}
    </Page>
  );
}

/** The span in the address. */
export interface TimelineSearch {
  readonly span?: unknown;
  readonly at?: unknown;
}

/** The view is in the address, so that it can be sent to somebody. */
function useView() {
  const navigate = useNavigate({ from: '/projects/$project/timeline' });
  const search = useSearch({ from: '/signed-in/projects/$project/timeline' });
  const now = Math.floor(useNow(60_000) / 1_000);
  const span = SPAN_NAMES.find((name) => name === search.span) ?? '12h';
  const at =
    typeof search.at === 'number' && Number.isSafeInteger(search.at) && search.at > 0 ? search.at : null;
  const middle = Math.min(at ?? now, now + MAX_AHEAD_S);
  const show = (changed: { span?: SpanName; at?: number | null }) => {
    const next = { span, at, ...changed };
    void navigate({
      search: {
        ...(next.span !== '12h' && { span: next.span }),
        ...(next.at !== null && { at: next.at }),
      },
      replace: true,
    });
  };
  return {
    span,
    shown: useMemo(() => shownAround(middle, span), [middle, span]),
    isNow: at === null,
    canGoOn: middle < now + MAX_AHEAD_S,
    setSpan: (name: SpanName) => show({ span: name }),
    pan: (steps: number) => {
      const target = middle + Math.round((steps * PAN * SPANS[span]) / 60) * 60;
      show({ at: Math.abs(target - now) < 60 ? null : Math.min(target, now + MAX_AHEAD_S) });
    },
    zoom: (steps: number) => {
      const name = SPAN_NAMES[SPAN_NAMES.indexOf(span) + steps];
      if (name !== undefined) show({ span: name });
    },
    toNow: () => show({ at: null }),
  };
}

function Empty({ project }: { readonly project: ReturnType<typeof useProject> }) {
  return (
    <>
      <h1 className="sr-only">{m.timeline.title}</h1>
      <Blank
        shape="new"
        title={m.timeline.noChecks}
        actions={
          mayWrite(project) && (
            <ButtonLink kind="primary" to="/projects/$project/checks/new/" params={{ project: project.uuid }}>
              {m.timeline.addCheck}
            </ButtonLink>
          )
        }
      />
    </>
  );
}

const ORDER: Readonly<Record<string, number>> = { down: 0, late: 1, paused: 4, new: 4 };

/** The worst first, then the others by name. */
function inOrder(rows: readonly CheckRowJson[]): CheckRowJson[] {
  const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
  const rankOf = ({ status, slow }: CheckRowJson) => ORDER[status] ?? (slow ? 2 : 3);
  return rows.toSorted((a, b) => {
    const rank = rankOf(a) - rankOf(b);
    if (rank !== 0) return rank;
    return rankOf(a) < 2 ? Date.parse(b.since) - Date.parse(a.since) : names.compare(a.name, b.name);
  });
}

/** The sentence that a colleague would say. */
function Head({ project, shown }: { readonly project: string; readonly shown: Shown }) {
  const { from, until } = shown;
  const { data } = useQuery({
    ...query.timelineHead({ project, from, until }),
    placeholderData: keepPreviousData,
  });
  const style = use(PersonsTimes);
  const timeOf = ({ at }: ProblemJson) => shortTime(at * 1_000, style, shown.until * 1_000);
  return (
    <div className="min-h-12.5 min-w-[min(100%,320px)] flex-1">
      <h1 className="text-20 tracking-[-.016em]">{data === undefined ? m.timeline.title : headline(data)}</h1>
      <p className="text-14 text-ink-2">
        {data === undefined || data.together.length === 0 ? (
          '\u00a0'
        ) : (
          <>
            {data.together
              .slice(0, 3)
              .map((problem) => m.timeline[problem.kind](problem.name, timeOf(problem)))
              .join(', ')}
            .
            {data.problems > data.together.length &&
              ` ${m.timeline.more(data.problems - data.together.length)}`}
          </>
        )}{' '}
        {data !== undefined && <ZoneNote />}
      </p>
    </div>
  );
}

function headline({ problems, together }: TimelineHeadJson): string {
  if (problems === 0) return m.timeline.none;
  const [first, last] = [together[0], together.at(-1)];
  if (problems === 1 || first === undefined || last === undefined) return m.timeline.one;
  if (together.length < 2) return m.timeline.apart(problems);
  return m.timeline.together(together.length, Math.round((last.at - first.at) / 60));
}

function Lanes({
  project,
  rows,
  shown,
  span,
}: {
  readonly project: string;
  /** Undefined until they come. */
  readonly rows: readonly CheckRowJson[] | undefined;
  readonly shown: Shown;
  readonly span: SpanName;
}) {
  const style = use(PersonsTimes);
  const now = useNow(1_000) / 1_000;
  const place = placeOf(now, shown);
  const isNowShown = place >= 0 && place <= 1;
  return (
    <>
      {/* The label of an hour at the edge would make the page wider. */}
      <div className="relative overflow-x-clip [--name:292px] max-md:[--name:0px]">
        <div
          aria-hidden="true"
          className="sticky top-0 z-3 grid h-7.5 grid-cols-[var(--name)_minmax(0,1fr)] border-y border-line bg-sunken text-11 leading-7 text-ink-3 max-md:top-13 max-md:block"
        >
          <span />
          <div className="relative max-md:h-7">
            {ticksOf(shown, span, style)
              .map((tick) => ({ ...tick, part: placeOf(tick.at, shown) }))
              .filter(({ part }) => Math.abs(part - place) > NOW_FLAG)
              .map(({ at, part, label, isMinor }) => (
                <span
                  key={at}
                  className={`absolute -translate-x-1/2 whitespace-nowrap ${isMinor || isCrowdedOnPhones(part, place) ? 'max-md:hidden' : ''}`}
                  style={{ left: `${part * 100}%` }}
                >
                  {label}
                </span>
              ))}
          </div>
        </div>
        <section aria-label={m.timeline.lanes} aria-busy={rows === undefined}>
          {rows === undefined ? (
            <LaneSkeletons />
          ) : (
            Array.from({ length: Math.ceil(rows.length / BLOCK) }, (_, n) => (
              <LaneBlock
                key={rows[n * BLOCK]?.key}
                project={project}
                rows={rows.slice(n * BLOCK, (n + 1) * BLOCK)}
                shown={shown}
              />
            ))
          )}
        </section>
        <div aria-hidden="true" className="pointer-events-none absolute inset-y-0 right-0 left-(--name)">
          {place < 1 && (
            <div
              className="absolute top-7.5 right-0 bottom-0 bg-[linear-gradient(90deg,color-mix(in_oklab,var(--ink)_3.5%,transparent),transparent)]"
              style={{ left: `${Math.max(0, place) * 100}%` }}
            />
          )}
          {isNowShown && (
            <div
              className="absolute inset-y-0 z-4 border-l-[1.5px] border-ink"
              style={{ left: `${place * 100}%` }}
            >
              <span className="sticky top-[5px] block h-5 w-max -translate-x-1/2 translate-y-[5px] rounded-chip bg-ink px-[7px] text-11 leading-5 font-semibold text-surface">
                {m.timeline.nowAt(clockTime(now * 1_000, style))}
              </span>
            </div>
          )}
        </div>
      </div>
      {rows !== undefined && <Legend />}
    </>
  );
}

const SKELETON_LANES = 10;

function LaneSkeletons() {
  return Array.from({ length: SKELETON_LANES }, (_, n) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
    <div key={n} aria-hidden="true" className={LANE}>
      <div className="px-5 max-md:px-4 max-md:pt-2.5">
        <Skeleton />
      </div>
      <div className="px-5 max-md:px-4 max-md:pt-2.5">
        <Skeleton className="w-full" />
      </div>
    </div>
  ));
}

/** A label that would not fit there. */
function isCrowdedOnPhones(part: number, nowPart: number): boolean {
  const isAtEdge = part < EDGE_ON_PHONES || part > 1 - EDGE_ON_PHONES;
  return isAtEdge || Math.abs(part - nowPart) < NOW_FLAG_ON_PHONES;
}

/** Some lanes. They are read and drawn when they are nearly in view, and keep their place before and after. */
function LaneBlock({
  project,
  rows,
  shown,
}: {
  readonly project: string;
  readonly rows: readonly CheckRowJson[];
  readonly shown: Shown;
}) {
  const block = useRef<HTMLUListElement>(null);
  const [isNear, setIsNear] = useState(false);
  useEffect(() => {
    const element = block.current;
    if (element === null) return;
    const observer = new IntersectionObserver(([entry]) => setIsNear(entry?.isIntersecting ?? false), {
      rootMargin: `${MARGIN_PX}px 0px`,
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const lanes = useLanes(
    project,
    rows.map(({ key }) => key),
    shown,
    isNear,
  );
  return (
    <ul ref={block}>
      {isNear ? (
        rows.map((row) => <LaneRow key={row.key} row={row} lane={lanes?.get(row.key)} shown={shown} />)
      ) : (
        <Placeholder count={rows.length} />
      )}
    </ul>
  );
}

function Placeholder({ count }: { readonly count: number }): ReactNode {
  return Array.from({ length: count }, (_, n) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
    <li key={n} aria-hidden="true" className={LANE} />
  ));
}

const LEGEND = [
  ['ok', 'w-2 border-t-2 border-bar-cap bg-bar-ok'],
  ['failed', 'w-2 bg-down-g'],
  ['missed', 'w-2 border-[1.5px] border-down-g'],
  ['grace', 'is-grace w-3.5'],
  ['limit', 'h-2! w-2 rotate-45 border-[1.5px] border-late-g'],
  ['running', 'w-2 bg-run-g'],
  ['expected', 'w-2 border border-control'],
] as const;

function Legend() {
  return (
    <ul className="timeline-legend flex flex-wrap gap-x-3.5 gap-y-1 px-5 pt-3 pb-4 text-11 text-ink-3 max-md:px-4">
      {LEGEND.map(([kind, look]) => (
        <li key={kind} className="inline-flex items-center gap-[5px]">
          <i aria-hidden="true" className={`inline-block h-3 rounded-[2px] ${look}`} />
          {m.timeline.legend[kind]}
        </li>
      ))}
    </ul>
  );
}
