import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { type KeyboardEvent, lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { BoardChannelJson, CheckRowJson } from '../../../src/views/board-json.ts';
import { SnoozeDialog } from '../../acts/answers.tsx';
import { PingDialog } from '../../acts/ping-dialog.tsx';
import { query } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { mayWrite } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Button } from '../../ui/button.tsx';
import { MenuItem, MenuLink } from '../../ui/menu.tsx';
import { useSkeletonClass } from '../../ui/skeleton.tsx';
import { type BulkChange, CHANGES, useActs } from './acts.ts';
import type { DetailStore, Scope } from './board.ts';
import { BulkBar } from './bulk-bar.tsx';
import { CheckRow, labelOf, ROLES, type RowActions, refOf, tableOf } from './check-row.tsx';
import { saveFile } from './export.ts';
import { FilterBar } from './filter-bar.tsx';
import {
  keepChoice,
  keepCollapsed,
  keepDurations,
  keptChoice,
  keptCollapsed,
  keptDurations,
} from './kept-choices.ts';
import { useSavedViews } from './saved-views.tsx';
import { useBusy, useSettledOrder } from './settled-order.ts';
import { useFileQuestion } from './use-file-question.tsx';
import { useListKeys } from './use-list-keys.ts';
import { useVirtual, type VirtualItem } from './use-virtual.ts';
import {
  countStatuses,
  countTags,
  csvOf,
  EVERYTHING,
  filtered,
  type Group,
  grouped,
  isFiltered,
  isTroubled,
  isUnanswered,
  type ListSearch,
  readView,
  searchOf,
  sorted,
  type View,
} from './view.ts';

/** Few people open it: it is loaded when somebody does. */
const PingSheet = lazy(async () => ({ default: (await import('../check/ping-sheet.tsx')).PingSheet }));

const NO_CHANNELS: readonly BoardChannelJson[] = [];
const SKELETON_ROWS = 12;
/** From this number on, the group of fine checks is closed while another check is not fine. */
const MANY_FINE = 500;
const HEAD_HEIGHT = 30;
const ROW_HEIGHT = 47;
const TROUBLE_HEIGHT = 92;

const ARROWS: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowUp: -1 };

/** Stands where the list will be. */
export function Skeleton() {
  return (
    <div className={`check-list ${useSkeletonClass()}`} aria-busy="true">
      <div className="filters" />
      {Array.from({ length: SKELETON_ROWS }, (_, row) => row).map((row) => (
        <div key={row} className="check-row" aria-hidden="true">
          <div className="check-row__status h-3 rounded-chip bg-quiet-t" />
          <div className="check-row__name h-3 w-1/2 rounded-chip bg-quiet-t" />
          <div className="check-row__last-ping h-3 rounded-chip bg-quiet-t" />
          <div className="check-row__runs h-3 rounded-chip bg-quiet-t" />
          <div className="check-row__next h-3 rounded-chip bg-quiet-t" />
        </div>
      ))}
    </div>
  );
}

/** A line of the list: the head of a group, or a check. */
type Item = VirtualItem &
  (
    | { readonly kind: 'head'; readonly group: Group; readonly isOpen: boolean }
    | { readonly kind: 'row'; readonly row: CheckRowJson; readonly place: number }
  );

/** The ping whose sheet is open, and how an address names its check. */
interface OpenedPing {
  readonly check: string;
  readonly n: number;
}

interface ListProps {
  readonly scope: Scope;
  readonly rows: readonly CheckRowJson[];
  readonly channels: readonly BoardChannelJson[];
  /** When the person is reminded of checks that are down. */
  readonly reminder: string | null;
  readonly store: DetailStore;
  readonly search: ListSearch;
}

/** The filters and the rows of checks. */
export function List({ scope, rows, channels, reminder, store, search }: ListProps) {
  const { projects, names, isWriter, isWritable, targets } = useProjects(scope);
  const { view, setView, q, setQ, shownView, found, items, order, toggle, clear } = useListState(
    rows,
    search,
  );
  const counts = useMemo(() => countStatuses(rows), [rows]);
  const tags = useMemo(() => countTags(rows), [rows]);

  const list = useRef<HTMLDivElement>(null);
  const searchBox = useRef<HTMLInputElement>(null);
  const { isBusy, handlers } = useBusy();
  const { shown, moved, settle } = useSettledOrder(items, order, isBusy);
  const { first: from, end, before, after, offsetOf } = useVirtual(shown, list);
  const drawn = shown.slice(from, end);
  const shownRows = useMemo(
    () => shown.flatMap((item, index) => (item.kind === 'row' ? [{ key: item.row.key, index }] : [])),
    [shown],
  );
  useEffect(() => store.want(drawn.flatMap((item) => (item.kind === 'row' ? [item.row] : []))));

  const fileQuestion = useFileQuestion();
  const acts = useActs(scope, fileQuestion.ask);
  const savedViews = useSavedViews(scope, view, isWriter);
  const [hasDurations, setHasDurations] = useState(keptDurations);
  const [opened, setOpened] = useState<OpenedPing | null>(null);
  const [pinged, setPinged] = useState<CheckRowJson | null>(null);
  const [snoozed, setSnoozed] = useState<{
    readonly row: CheckRowJson;
    readonly first: 'hour' | 'until';
  } | null>(null);
  const openPing = useCallback((row: CheckRowJson, n: number) => setOpened({ check: refOf(row), n }), []);
  const selection = useSelection(shownRows);
  // Hidden checks are not acted upon.
  const selected = useMemo(() => found.filter(({ key }) => selection.keys.has(key)), [found, selection.keys]);
  const [isChoosing, setIsChoosing] = useState(false);
  const isSelecting = isChoosing || selected.length > 0;
  const endSelection = () => {
    setIsChoosing(false);
    selection.clear();
  };
  const bulk = useAct(async (change: BulkChange) => {
    const of = change === CHANGES.acknowledge ? selected.filter(isUnanswered) : selected;
    const isDone = await acts.many(of, change);
    if (isDone && change.isMinor !== true) endSelection();
  });
  const navigate = useNavigate();
  const { select } = selection;
  const actions = useMemo<RowActions | null>(
    () =>
      isWriter
        ? {
            ...acts,
            select,
            ping: setPinged,
            askSnooze: (row, first) => setSnoozed({ row, first }),
            open: (row) => void navigate({ to: '/checks/$check/details/', params: { check: refOf(row) } }),
          }
        : null,
    [acts, isWriter, select, navigate],
  );
  /** Does it to the row of that key, if the person may change it. */
  const onRow = (change: (row: CheckRowJson) => void) => (key: string) => {
    const row = rows.find((one) => one.key === key && isWritable(one));
    if (row !== undefined) change(row);
  };
  const moveFocus = useListKeys({
    list,
    search: searchBox,
    isWriter,
    mayAdd: isWriter && scope !== null,
    rowIds: shownRows,
    offsetOf,
    onStatus: (status) => setView({ ...view, statuses: view.statuses.includes(status) ? [] : [status] }),
    onSelect: onRow((row) => select(row, false)),
    onEdit: onRow((row) => void navigate({ to: '/checks/$check/edit/', params: { check: refOf(row) } })),
    onPause: onRow((row) => (row.status === 'paused' ? acts.resume : acts.pause)(row)),
    onAcknowledge: onRow((row) => {
      if (isUnanswered(row)) acts.acknowledge(row);
    }),
    onSnooze: onRow((row) => {
      if (row.status !== 'paused') setSnoozed({ row, first: 'hour' });
    }),
    onAdd: () => document.querySelector<HTMLElement>('[data-add-check]')?.click(),
    onEscape: endSelection,
  });
  const arrowKeys = {
    onKeyDown: (event: KeyboardEvent) => {
      const step = ARROWS[event.key];
      // Elsewhere in a row an arrow key may mean something else.
      if (step === undefined || !(event.target instanceof Element && event.target.matches('.row-link')))
        return;
      event.preventDefault();
      moveFocus(step);
    },
  };
  const chosenChannels = scope === null ? NO_CHANNELS : channels;
  return (
    <>
      {isSelecting ? (
        <BulkBar
          checks={selected.flatMap((row) =>
            row.uuid === null ? [] : [{ uuid: row.uuid, name: labelOf(row) }],
          )}
          hasDown={selected.some(isUnanswered)}
          areSnoozed={selected.some(({ answer }) => answer?.kind === 'snoozed')}
          total={found.length}
          isChoosing={isChoosing}
          project={scope}
          channels={chosenChannels}
          tags={tags.map(({ tag }) => tag)}
          targets={targets}
          isBusy={bulk.isBusy}
          onAct={bulk.run}
          onSelectAll={() => selection.set(found.filter(isWritable).map(({ key }) => key))}
          onNone={endSelection}
        />
      ) : (
        <FilterBar
          view={view}
          total={rows.length}
          counts={counts}
          tags={tags}
          channels={chosenChannels}
          projects={scope === null ? projects : []}
          searchRef={searchBox}
          q={q}
          onType={setQ}
          onView={setView}
          options={
            <>
              {isWriter && found.length > 0 && (
                <MenuItem onSelect={() => setIsChoosing(true)}>{m.checks.bulk.begin}</MenuItem>
              )}
              {savedViews.items}
              <MenuItem
                onSelect={() => {
                  keepDurations(!hasDurations);
                  setHasDurations(!hasDurations);
                }}
              >
                {hasDurations ? m.checks.hideDurations : m.checks.showDurations}
              </MenuItem>
              <MenuItem onSelect={() => saveFile('checks.csv', 'text/csv', csvOf(found))}>
                {m.checks.exportCsv}
              </MenuItem>
              <MenuItem
                onSelect={() => saveFile('checks.json', 'application/json', JSON.stringify(found, null, 2))}
              >
                {m.checks.exportJson}
              </MenuItem>
              {scope !== null && isWriter && (
                <MenuLink to="/projects/$project/checks/import/" params={{ project: scope }}>
                  {m.shell.importCrontab}
                </MenuLink>
              )}
            </>
          }
        />
      )}
      <div
        {...tableOf(found.length + 1)}
        {...handlers}
        {...arrowKeys}
        ref={list}
        className={`check-list ${hasDurations ? 'has-durations' : ''} ${isSelecting ? 'is-selecting' : ''}`}
        style={{ paddingTop: before, paddingBottom: after }}
      >
        <div className="nowline" />
        {moved > 0 && (
          <div className="moved-pill">
            <button type="button" onClick={settle}>
              {m.checks.moved(moved)} · {m.checks.showMoved}
            </button>
          </div>
        )}
        {found.length === 0 && isFiltered(shownView) && <NothingFound view={shownView} onClear={clear} />}
        {drawn.map((item) =>
          item.kind === 'head' ? (
            <GroupHead key={item.id} item={item} onToggle={() => toggle(item.group.id, item.isOpen)} />
          ) : (
            <CheckRow
              key={item.id}
              item={item.id}
              place={item.place}
              row={item.row}
              store={store}
              channels={channels}
              reminder={reminder}
              actions={isWritable(item.row) ? actions : null}
              projectName={names.get(item.row.project ?? '') ?? null}
              hasDurations={hasDurations}
              onOpenPing={openPing}
              isSelected={selection.keys.has(item.row.key)}
              isSelecting={isSelecting}
            />
          ),
        )}
      </div>
      {savedViews.dialog}
      {fileQuestion.dialog}
      {pinged !== null && (
        <PingDialog check={refOf(pinged)} name={labelOf(pinged)} onClose={() => setPinged(null)} />
      )}
      {snoozed !== null && (
        <SnoozeDialog
          title={m.checkActs.snoozing.title(labelOf(snoozed.row))}
          first={snoozed.first}
          onSnooze={(choice) => acts.snooze(snoozed.row, choice)}
          onClose={() => setSnoozed(null)}
        />
      )}
      {opened !== null && (
        <Suspense>
          <PingSheet
            name={opened.check}
            sheet={{
              n: opened.n,
              open: (n) => setOpened({ ...opened, n }),
              close: () => setOpened(null),
            }}
            words=""
          />
        </Suspense>
      )}
    </>
  );
}

/** The projects of the list, and those in which the person may change checks. */
export function useProjects(scope: Scope) {
  const { projects } = useSuspenseQuery(query.ownProjects()).data;
  const writable = useMemo(() => new Set(projects.filter(mayWrite).map(({ uuid }) => uuid)), [projects]);
  const names = useMemo(() => new Map(projects.map(({ uuid, name }) => [uuid, name])), [projects]);
  return {
    projects,
    names,
    isWriter: scope === null ? writable.size > 0 : writable.has(scope),
    isWritable: ({ project }: CheckRowJson) => project === undefined || writable.has(project),
    /** Other projects, for checks that are moved. */
    targets: projects.filter(({ uuid }) => uuid !== scope && writable.has(uuid)),
  };
}

/** The view of the list, the rows that it finds, and its lines. */
function useListState(rows: readonly CheckRowJson[], search: ListSearch) {
  const { view, setView, q, setQ } = useView(search);
  const shownView = useMemo(() => ({ ...view, q }), [view, q]);
  // In this order, because a key in the filter must not sort thousands of names again.
  const ordered = useMemo(() => sorted(rows, shownView.sort), [rows, shownView.sort]);
  const found = useMemo(() => filtered(ordered, shownView), [ordered, shownView]);
  const [collapsed, setCollapsed] = useState<ReadonlyMap<string, boolean>>(keptCollapsed);
  const items = useMemo(() => itemsOf(found, shownView, collapsed), [found, shownView, collapsed]);
  const order = useMemo(() => [shownView, collapsed], [shownView, collapsed]);
  const toggle = (id: string, isOpen: boolean) => {
    const next = new Map(collapsed).set(id, isOpen);
    keepCollapsed(next);
    setCollapsed(next);
  };
  const clear = () => {
    setQ('');
    setView({ ...EVERYTHING, sort: view.sort, group: view.group });
  };
  return { view, setView, q, setQ, shownView, found, items, order, toggle, clear };
}

/** The view in the address, and the text that is being typed. */
function useView(search: ListSearch) {
  const navigate = useNavigate();
  const view = useMemo(() => readView(search, keptChoice()), [search]);
  const [q, setQ] = useState(view.q);
  // The address changes when somebody goes back.
  const [told, setTold] = useState(view.q);
  if (told !== view.q) {
    setTold(view.q);
    if (view.q !== q.trim()) setQ(view.q);
  }
  const setView = (next: View, isTyping = false) => {
    keepChoice(next);
    void navigate({ to: './', search: searchOf(next), replace: isTyping, resetScroll: false });
  };
  return { view, setView, q, setQ };
}

function useSelection(rows: readonly { readonly key: string }[]) {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string | null>(null);
  const shown = useRef(rows);
  shown.current = rows;
  const select = useCallback((row: CheckRowJson, isRange: boolean) => {
    const placeOf = (wanted: string) => shown.current.findIndex(({ key }) => key === wanted);
    const [from, to] = [placeOf(last.current ?? ''), placeOf(row.key)];
    last.current = row.key;
    setKeys((before) => {
      const next = new Set(before);
      if (isRange && from !== -1 && to !== -1) {
        const range = shown.current.slice(Math.min(from, to), Math.max(from, to) + 1);
        for (const { key } of range) next.add(key);
      } else if (!next.delete(row.key)) next.add(row.key);
      return next;
    });
  }, []);
  const set = (all: readonly string[]) => setKeys(new Set(all));
  return { keys, select, set, clear: () => setKeys(new Set()) };
}

function itemsOf(
  found: readonly CheckRowJson[],
  view: View,
  collapsed: ReadonlyMap<string, boolean>,
): Item[] {
  const groups = grouped(found, view.group);
  const hasHeads = view.group !== 'none' && (groups.length > 1 || found.length > 1);
  const hasTrouble = groups.some(({ id }) => id === 'attention');
  let place = 0;
  return groups.flatMap((group): Item[] => {
    const isClosedAtFirst = group.id === 'fine' && hasTrouble && group.rows.length > MANY_FINE;
    const isOpen = !hasHeads || !(collapsed.get(group.id) ?? isClosedAtFirst);
    const head: Item = { kind: 'head', id: `head ${group.id}`, estimate: HEAD_HEIGHT, group, isOpen };
    const rows = isOpen
      ? group.rows.map((row): Item => {
          place++;
          const estimate = isTroubled(row) ? TROUBLE_HEIGHT : ROW_HEIGHT;
          // A check that changes its group stays the same row. By tag it may be in several groups.
          const id = view.group === 'tag' ? `${group.id} ${row.key}` : row.key;
          return { kind: 'row', id, estimate, row, place };
        })
      : [];
    return hasHeads ? [head, ...rows] : rows;
  });
}

const GROUP_NAMES: Readonly<Record<string, string>> = m.checks.groups;

function GroupHead({
  item: { id, group, isOpen },
  onToggle,
}: {
  readonly item: Extract<Item, { kind: 'head' }>;
  readonly onToggle: () => void;
}) {
  const name = group.name ?? GROUP_NAMES[group.id] ?? group.id;
  return (
    <div {...ROLES.row} className="grouphead" data-item={id}>
      <div {...ROLES.cell}>
        <button type="button" aria-expanded={isOpen} onClick={onToggle}>
          <ChevronDown className="size-3" />
          {name} <span className="grouphead__count">{m.grouped(group.rows.length)}</span>
        </button>
      </div>
    </div>
  );
}

function NothingFound({ view, onClear }: { readonly view: View; readonly onClear: () => void }) {
  const words = [
    view.q.trim(),
    ...view.statuses.map((status) => `status:${status}`),
    ...view.tags.map((tag) => `tag:${tag}`),
  ]
    .filter(Boolean)
    .join(' ');
  return (
    <Blank
      title={m.checks.filters.none(words || m.checks.filters.integration)}
      actions={<Button onClick={onClear}>{m.checks.filters.clear}</Button>}
    >
      {m.checks.filters.noneHint}
    </Blank>
  );
}
