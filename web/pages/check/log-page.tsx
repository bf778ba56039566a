import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download, Pause, Play, Search, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { MAX_SEARCH } from '../../../src/wire/dashboard/limits.ts';
import { ROOT } from '../../app/api.ts';
import { FailedPart } from '../../app/failed-part.tsx';
import { useShortcuts } from '../../app/shortcuts.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Button } from '../../ui/button.tsx';
import { FilterChip } from '../../ui/filter-chip.tsx';
import { Glyph, type Shape } from '../../ui/glyph.tsx';
import { Page } from '../../ui/page.tsx';
import { RunPointer } from '../../ui/run-pointer.tsx';
import { RunStrip } from '../../ui/run-strip.tsx';
import { Segments } from '../../ui/segments.tsx';
import { chosenSeconds, type Days, daysOf, SpanFields } from '../../ui/span-fields.tsx';
import { StatusPill } from '../../ui/status-pill.tsx';
import { ClockTime, PersonsTimes } from '../../ui/time.tsx';
import type { TimeStyle } from '../../ui/times.ts';
import { useCheck } from './check-layout.tsx';
import { NewEvents } from './check-page.tsx';
import { EventRows } from './events.tsx';
import { nameOf } from './hero.tsx';
import { slotsOf, stripOf } from './page-runs.ts';
import { PingSheet, usePingSheet } from './ping-sheet.tsx';
import type { ShownCheck } from './queries.ts';
import { Skeletons } from './skeletons.tsx';
import { useEventLog } from './use-event-log.ts';
import { useZone, ZoneSwitch } from './zones.tsx';

const KINDS = ['success', 'fail', 'start', 'log', 'ign', 'flip'] as const;
const KIND_SHAPES: Readonly<Record<(typeof KINDS)[number], Shape>> = {
  ...{ success: 'up', fail: 'down', start: 'start', log: 'log', ign: 'off', flip: 'late' },
};

type Kind = (typeof KINDS)[number];

/** The filter in the address. */
interface Filter {
  readonly q: string;
  readonly view: 'runs' | 'signals';
  readonly kinds: readonly Kind[];
  readonly days: Days;
  /** Only events before this moment, in the browser's local form. Empty is now. */
  readonly until: string;
}

/** The filter in the address, before it is read. */
export interface LogSearch {
  readonly q?: unknown;
  readonly view?: unknown;
  readonly kinds?: unknown;
  readonly days?: unknown;
  readonly until?: unknown;
}

function useFilter(): [Filter, (change: Partial<Filter>, isTyping?: boolean) => void] {
  const search = useSearch({ from: '/signed-in/checks/$check/log' });
  const navigate = useNavigate({ from: '/checks/$check/log' });
  const text = (name: keyof LogSearch) => (search[name] === undefined ? '' : String(search[name]));
  const kinds = text('kinds');
  const filter: Filter = {
    q: text('q'),
    view: text('view') === 'signals' ? 'signals' : 'runs',
    kinds: kinds === '' ? KINDS : KINDS.filter((kind) => kinds.split(',').includes(kind)),
    days: daysOf(text('days')),
    until: text('until'),
  };
  const change = (changed: Partial<Filter>, replace = false) => {
    const next = { ...filter, ...changed };
    void navigate({
      replace,
      resetScroll: false,
      search: {
        ...(next.q !== '' && { q: next.q }),
        ...(next.view !== 'runs' && { view: next.view }),
        ...(next.kinds.length < KINDS.length && { kinds: next.kinds.join(',') }),
        ...(next.days !== '' && { days: next.days }),
        ...(next.until !== '' && { until: next.until }),
      },
    });
  };
  return [filter, change];
}

/** The question to the server. */
function queryOf({ q, view, kinds, days, until }: Filter, style: TimeStyle): string {
  const query = new URLSearchParams({ view });
  if (q !== '') query.set('q', q);
  if (kinds.length < KINDS.length) query.set('kinds', kinds.join(','));
  for (const [name, second] of Object.entries(chosenSeconds({ days, until }, style)))
    query.set(name, String(second));
  return query.toString();
}

/** The events of the job, with a filter. */
export function LogPage() {
  const { ref, check } = useCheck();
  const [filter, change] = useFilter();
  const [isPaused, setIsPaused] = useState(false);
  const zone = useZone(check);
  const query = queryOf(filter, zone.style);
  const isFollowing = !isPaused && filter.until === '';
  const log = useEventLog(ref, query, isFollowing || filter.until !== '');
  const sheet = usePingSheet();
  const name = nameOf(check);
  const project = { to: '/projects/$project/checks/', params: { project: check.project.id } } as const;
  const words = filter.q.trim().toLowerCase();
  return (
    <Page
      title={m.check.eventsTitle(name)}
      name={m.check.log.name}
      project={{ name: check.project.name, uuid: check.project.id }}
      above={[
        { label: m.shell.checks, ...project },
        { label: name, to: '/checks/$check/details/', params: { check: ref } },
      ]}
    >
      <Head check={check} onOpen={sheet.open} />
      <Filters filter={filter} change={change} counts={log.head.data?.counts ?? null} />
      <div className="flex flex-wrap items-center gap-2 px-6 pb-3 max-md:px-4">
        <SpanFields span={filter} change={change} />
        <ZoneSwitch {...zone} />
        <span className="inline-flex items-center gap-1.5 text-12 text-ink-3 empty:hidden" role="status">
          {filter.until === '' && (
            <>
              <span
                aria-hidden="true"
                className={`size-1.5 rounded-full ${isPaused ? 'bg-quiet-g' : 'bg-up-g'}`}
              />
              {isPaused ? m.check.log.isPaused : m.check.log.live}
            </>
          )}
        </span>
        {filter.until === '' ? (
          <Button size="small" kind="ghost" aria-pressed={isPaused} onClick={() => setIsPaused(!isPaused)}>
            {isPaused ? <Play className="size-3.5" /> : <Pause className="size-3.5" />}
            {isPaused ? m.check.log.resume : m.checkActs.menu.pause}
          </Button>
        ) : (
          <Button size="small" onClick={() => change({ until: '' })}>
            {m.check.log.toNow}
          </Button>
        )}
        <Exports to={`${ROOT}/dashboard/api/checks/${ref}/events/export?${query}`} />
      </div>
      <PersonsTimes value={zone.style}>
        {log.waiting > 0 && <NewEvents count={log.waiting} onShow={log.showWaiting} />}
        <Events
          log={log}
          check={check}
          name={ref}
          words={words}
          filter={filter}
          change={change}
          onOpen={sheet.open}
        />
        <PingSheet name={ref} sheet={sheet} words={words} />
      </PersonsTimes>
    </Page>
  );
}

function Head({ check, onOpen }: { readonly check: ShownCheck; readonly onOpen: (n: number) => void }) {
  const { runs, figures } = check;
  const strip = stripOf(runs);
  return (
    <section className="px-6 pt-5 pb-3 max-md:px-4">
      <div className="flex flex-wrap items-center gap-2.5">
        <StatusPill status={check.status} size="large" />
        <h1 className="min-w-0 text-26 leading-8 tracking-[-.022em] [overflow-wrap:anywhere] max-md:text-20">
          {nameOf(check)}
        </h1>
      </div>
      <p className="mt-2 mb-3 text-16 text-ink-2">{m.check.log.summary(figures.good, figures.ended)}</p>
      {runs.length > 0 && (
        <RunPointer runs={strip} slots={slotsOf(runs)} onOpen={onOpen}>
          <RunStrip runs={strip} slots={slotsOf(runs)} className="h-6.5" />
        </RunPointer>
      )}
    </section>
  );
}

/** Typing waits this long before it asks. */
const TYPING_MS = 250;

function Filters({
  filter,
  change,
  counts,
}: {
  readonly filter: Filter;
  readonly change: (change: Partial<Filter>, isTyping?: boolean) => void;
  readonly counts: Readonly<Record<Kind, number>> | null;
}) {
  const words = m.check.log;
  const isAll = filter.kinds.length === KINDS.length;
  const toggle = (kind: Kind) => {
    const without = filter.kinds.filter((one) => one !== kind);
    const next = isAll ? [kind] : filter.kinds.includes(kind) ? without : [...filter.kinds, kind];
    change({ kinds: next.length === 0 ? KINDS : next });
  };
  return (
    <div className="flex flex-wrap items-center gap-2 px-6 pb-2.5 max-md:px-4">
      <SearchBox q={filter.q} onChange={(q) => change({ q }, true)} />
      <Segments
        label={words.view}
        choices={[
          { value: 'runs', label: words.runs },
          { value: 'signals', label: words.signals },
        ]}
        value={filter.view}
        onChange={(view) => change({ view })}
      />
      <fieldset
        aria-label={words.filters}
        className="scrollbar-none flex min-w-0 gap-1.5 max-md:-mx-4 max-md:overflow-x-auto max-md:px-4 max-md:py-1 md:flex-wrap"
      >
        <FilterChip isOn={isAll} onClick={() => change({ kinds: KINDS })}>
          {words.all}
        </FilterChip>
        {KINDS.map((kind) => (
          <FilterChip key={kind} isOn={!isAll && filter.kinds.includes(kind)} onClick={() => toggle(kind)}>
            <Glyph shape={KIND_SHAPES[kind]} className="size-3" />
            {m.check.events.kinds[kind]}
            {counts !== null && <span className="opacity-70">{counts[kind]}</span>}
          </FilterChip>
        ))}
      </fieldset>
    </div>
  );
}

/** The filtered events as a file. */
function Exports({ to }: { readonly to: string }) {
  return (
    <span className="ml-auto flex gap-3 text-12 max-md:ml-0">
      {(['csv', 'jsonl'] as const).map((format) => (
        <a
          key={format}
          href={`${to}&format=${format}`}
          download
          className="touch inline-flex items-center gap-1 text-link"
        >
          <Download className="size-3.5" />
          {format === 'csv' ? m.check.log.csv : m.check.log.ndjson}
        </a>
      ))}
    </span>
  );
}

function SearchBox({ q, onChange }: { readonly q: string; readonly onChange: (q: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(q);
  useEffect(() => setText(q), [q]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it asks when the text rests
  useEffect(() => {
    if (text === q) return;
    const timer = setTimeout(() => onChange(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  useShortcuts(m.check.log.name, [
    { keys: '/', label: m.check.log.search, action: () => input.current?.focus() },
  ]);
  return (
    <div className="flex h-8 w-[216px] items-center gap-2 rounded-control border border-control bg-surface px-2.5 focus-within:outline-2 focus-within:outline-focus max-md:h-11.5 max-md:w-full">
      <Search className="size-3.5 flex-none text-ink-3" />
      <input
        ref={input}
        type="search"
        value={text}
        maxLength={MAX_SEARCH}
        aria-label={m.check.log.searchLabel}
        placeholder={m.check.log.search}
        onChange={(event) => setText(event.target.value)}
        className="h-full min-w-0 flex-1 bg-transparent text-13 outline-none max-md:text-16 [&::-webkit-search-cancel-button]:hidden"
      />
      {text !== '' && (
        <button type="button" aria-label={m.check.log.clear} onClick={() => onChange('')} className="p-0.5">
          <X className="size-3.5 text-ink-3" />
        </button>
      )}
    </div>
  );
}

function Events({
  log,
  check,
  name,
  words,
  filter,
  change,
  onOpen,
}: {
  readonly log: ReturnType<typeof useEventLog>;
  readonly check: ShownCheck;
  readonly name: string;
  readonly words: string;
  readonly filter: Filter;
  readonly change: (change: Partial<Filter>) => void;
  readonly onOpen: (n: number) => void;
}) {
  const texts = m.check.log;
  const { head, events, fresh, hasOlder, isLoading, loadOlder } = log;
  if (events === null) {
    if (!head.isError) return <Skeletons />;
    return <FailedPart title={m.check.events.failed} error={head.error} tryAgain={head.refetch} />;
  }
  const unsearched = head.data?.unsearched ?? 0;
  return (
    <div className="px-2 pb-6 max-md:px-0">
      {words !== '' && events.length > 0 && (
        <p className="px-4 pb-2 text-ink-2" role="status">
          {texts.found(events.length, filter.q.trim())}
        </p>
      )}
      {unsearched > 0 && <p className="px-4 pb-2 text-12 text-ink-3">{texts.unsearched(unsearched)}</p>}
      {events.length > 0 && (
        <EventRows
          events={events}
          name={name}
          mayRetry={check.may.retry}
          words={words}
          fresh={fresh}
          onOpen={onOpen}
        />
      )}
      {events.length === 0 && (
        <NothingFound filter={filter} change={change} words={words} hasOlder={hasOlder} />
      )}
      <Foot
        hasOlder={hasOlder}
        isLoading={isLoading}
        label={words === '' ? m.check.events.older : texts.next}
        loadOlder={loadOlder}
        oldest={head.data?.oldestAt ?? null}
        isEmpty={events.length === 0}
      />
    </div>
  );
}

function NothingFound({
  filter,
  change,
  words,
  hasOlder,
}: {
  readonly filter: Filter;
  readonly change: (change: Partial<Filter>) => void;
  readonly words: string;
  readonly hasOlder: boolean;
}) {
  const texts = m.check.log;
  const isFiltered = filter.kinds.length < KINDS.length || filter.days !== '' || filter.until !== '';
  if (words !== '') {
    return (
      <Blank
        title={texts.noneFound(filter.q.trim())}
        actions={
          isFiltered && (
            <Button onClick={() => change({ kinds: KINDS, days: '', until: '' })}>{texts.allTime}</Button>
          )
        }
      />
    );
  }
  if (!isFiltered) return <Blank title={m.check.events.none}>{m.check.events.noneLead}</Blank>;
  if (hasOlder) return null;
  return (
    <Blank
      title={texts.empty}
      actions={
        <Button onClick={() => change({ kinds: KINDS, days: '', until: '' })}>{texts.clearFilters}</Button>
      }
    />
  );
}

/** Older events come when the end of the list is seen, or by the button. */
function Foot({
  hasOlder,
  isLoading,
  label,
  loadOlder,
  oldest,
  isEmpty,
}: {
  readonly hasOlder: boolean;
  readonly isLoading: boolean;
  readonly label: string;
  readonly loadOlder: () => Promise<void>;
  readonly oldest: string | null;
  readonly isEmpty: boolean;
}) {
  const end = useRef<HTMLDivElement>(null);
  const load = useRef(loadOlder);
  load.current = loadOlder;
  useEffect(() => {
    const element = end.current;
    if (element === null || !hasOlder || isEmpty) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) void load.current();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [hasOlder, isEmpty]);
  return (
    <div ref={end} className="px-4 pt-4 text-12 text-ink-3">
      {hasOlder ? (
        <Button size="small" isBusy={isLoading} onClick={() => void loadOlder()}>
          {label}
        </Button>
      ) : (
        !isEmpty && (
          <p>
            {m.check.events.end}
            {oldest !== null && (
              <>
                {' '}
                {m.check.events.oldest} <ClockTime at={oldest} />.
              </>
            )}
          </p>
        )
      )}
    </div>
  );
}
