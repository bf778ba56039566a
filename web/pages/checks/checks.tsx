import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ChevronDown, Plus } from 'lucide-react';
import {
  type KeyboardEvent,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { BoardChannelJson, CheckRowJson } from '../../../src/wire/dashboard/check-board-output.ts';
import { projectsQuery } from '../../app/queries.ts';
import { mayWrite, useProject } from '../../app/use-project.ts';
import { m } from '../../messages/index.ts';
import { Blank } from '../../ui/blank.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Chip } from '../../ui/chip.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { MenuItem } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { type BulkChange, useActs } from './acts.ts';
import { Answer, type Totals } from './answer.tsx';
import { Band } from './band.tsx';
import { DetailStore, headQuery, useRows } from './board.ts';
import { BulkBar } from './bulk-bar.tsx';
import { CheckRow, ROLES, type RowActions, refOf, tableOf } from './check-row.tsx';
import { saveFile } from './export.ts';
import { FilterBar } from './filter-bar.tsx';
import { keepChoice, keepCollapsed, keptChoice, keptCollapsed } from './kept-choices.ts';
import { useBusy, useSettledOrder } from './settled-order.ts';
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
  isSilent,
  isTroubled,
  readView,
  searchOf,
  sorted,
  type View,
} from './view.ts';
import './band.css';
import './filters.css';
import './list.css';

const NO_CHANNELS: readonly BoardChannelJson[] = [];
const NO_ROWS: readonly CheckRowJson[] = [];
const SKELETON_ROWS = 12;
/** From this number on, what is fine is closed while something is not. */
const MANY_FINE = 500;
const HEAD_HEIGHT = 30;
const ROW_HEIGHT = 47;
const TROUBLE_HEIGHT = 92;

const ARROWS: Readonly<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowUp: -1 };

/** All checks of a project: whether anything is wrong, and what about it. */
export function Checks() {
  const project = useProject();
  const store = useMemo(() => new DetailStore(project.uuid), [project.uuid]);
  useEffect(() => () => store.stop(), [store]);
  const onTouched = useCallback((keys: readonly string[] | 'all') => store.touch(keys), [store]);
  const { data: rows, error, refetch, readSoon } = useRows(project.uuid, onTouched);
  const { data: head } = useQuery(headQuery(project.uuid));
  const isWriter = mayWrite(project);
  const totals = useMemo(() => totalsOf(rows ?? NO_ROWS), [rows]);
  return (
    <Page
      title={m.checks.title(totals.down)}
      crumbs={[
        { label: project.name, to: `/projects/${project.uuid}/checks/` },
        { label: m.checks.name, to: null },
      ]}
      actions={
        isWriter ? <AddCheck project={project.uuid} limit={head?.limit} /> : <Chip>{m.roles.read_only}</Chip>
      }
    >
      <div className="checks-page">
        {rows === undefined && error !== null ? (
          <Blank
            shape="unknown"
            title={m.checks.failed}
            actions={<Button onClick={() => void refetch()}>{m.errors.retry}</Button>}
          >
            {error.message}
          </Blank>
        ) : rows?.length === 0 ? (
          <Blank
            shape="new"
            title={m.checks.empty}
            actions={isWriter && <AddCheck project={project.uuid} limit={head?.limit} />}
          >
            {isWriter ? m.checks.emptyLead : m.checks.emptyReadOnly}
          </Blank>
        ) : (
          <>
            <section className="answer">
              {rows === undefined ? <div className="answer-space" /> : <Answer totals={totals} head={head} />}
              <Band head={head} />
            </section>
            {rows === undefined ? (
              <Skeleton />
            ) : (
              <List
                key={project.uuid}
                project={project.uuid}
                rows={rows}
                channels={head?.channels ?? NO_CHANNELS}
                store={store}
                isWriter={isWriter}
                readSoon={readSoon}
              />
            )}
          </>
        )}
      </div>
    </Page>
  );
}

function totalsOf(rows: readonly CheckRowJson[]): Totals {
  const { down, late, slow } = countStatuses(rows);
  const silent = rows.filter((row) => isSilent(row) && !isTroubled(row)).length;
  return { down, late, slow, silent, fine: rows.length - down - late - slow - silent };
}

function AddCheck({
  project,
  limit,
}: {
  readonly project: string;
  readonly limit: { readonly used: number; readonly max: number } | undefined;
}) {
  const label = (
    <>
      <Plus className="size-8" strokeWidth={1.5} aria-hidden="true" />
      <span className="max-md:sr-only">{m.checks.add}</span>
    </>
  );
  if (limit !== undefined && limit.used >= limit.max) {
    const reason = m.checks.atLimit(limit.used, limit.max);
    return (
      <Button kind="primary" aria-disabled="true" title={reason} className="opacity-45">
        {label}
        <span className="sr-only">. {reason}</span>
      </Button>
    );
  }
  return (
    <ButtonLink
      kind="primary"
      to={`/projects/${project}/checks/new/`}
      data-add-check
      className="max-md:border-transparent max-md:bg-transparent max-md:text-ink max-md:shadow-none"
    >
      {label}
      <span className="max-md:hidden">
        <Kbd>{m.checks.addKey}</Kbd>
      </span>
    </ButtonLink>
  );
}

function Skeleton() {
  return (
    <div className="check-list" aria-busy="true">
      <div className="filters" />
      {Array.from({ length: SKELETON_ROWS }, (_, row) => row).map((row) => (
        <div key={row} className="rowx" aria-hidden="true">
          <div className="st h-6 rounded-chip bg-quiet-t" />
          <div className="nm h-6 w-1/2 rounded-chip bg-quiet-t" />
          <div className="la h-6 rounded-chip bg-quiet-t" />
          <div className="ru h-6 rounded-chip bg-quiet-t" />
          <div className="nx h-6 rounded-chip bg-quiet-t" />
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

interface ListProps {
  readonly project: string;
  readonly rows: readonly CheckRowJson[];
  readonly channels: readonly BoardChannelJson[];
  readonly store: DetailStore;
  readonly isWriter: boolean;
  readonly readSoon: (keys: readonly string[]) => void;
}

function List({ project, rows, channels, store, isWriter, readSoon }: ListProps) {
  const { view, setView, q, setQ } = useView();
  const typed = useDeferredValue(q);
  const shownView = useMemo(() => ({ ...view, q: typed }), [view, typed]);
  const found = useMemo(() => sorted(filtered(rows, shownView), shownView.sort), [rows, shownView]);
  const [collapsed, setCollapsed] = useState<ReadonlyMap<string, boolean>>(keptCollapsed);
  const items = useMemo(() => itemsOf(found, shownView, collapsed), [found, shownView, collapsed]);
  const counts = useMemo(() => countStatuses(rows), [rows]);
  const tags = useMemo(() => countTags(rows), [rows]);

  const list = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const { isBusy, handlers } = useBusy();
  const order = useMemo(() => [shownView, collapsed], [shownView, collapsed]);
  const { shown, moved, settle } = useSettledOrder(items, order, isBusy);
  const { first, end, before, after, offsetOf } = useVirtual(shown, list);
  const drawn = shown.slice(first, end);
  useEffect(() => store.want(drawn.flatMap((item) => (item.kind === 'row' ? [item.row] : []))));

  const acts = useActs(project, readSoon);
  const selection = useSelection(shown);
  const { data: all } = useSuspenseQuery(projectsQuery);
  const targets = all.projects.filter((one) => one.uuid !== project && mayWrite(one));
  const [isActing, setIsActing] = useState(false);
  const act = async (change: BulkChange) => {
    setIsActing(true);
    const isDone = await acts.many(
      rows.filter(({ key }) => selection.keys.has(key)),
      change,
    );
    setIsActing(false);
    if (isDone && change.verb !== 'adjust') selection.clear();
  };
  const navigate = useNavigate();
  const { select } = selection;
  const actions = useMemo<RowActions | null>(
    () =>
      isWriter
        ? { ...acts, select, open: (row) => void navigate({ to: `/checks/${refOf(row)}/details/` }) }
        : null,
    [acts, isWriter, select, navigate],
  );
  const rowAt = (key: string) => rows.find((row) => row.key === key);
  const moveFocus = useListKeys({
    list,
    search,
    isWriter,
    rowIds: shown.flatMap((item, index) => (item.kind === 'row' ? [{ key: item.row.key, index }] : [])),
    offsetOf,
    onStatus: (status) => setView({ ...view, statuses: view.statuses.includes(status) ? [] : [status] }),
    onSelect: (key) => {
      const row = rowAt(key);
      if (row !== undefined) select(row, false);
    },
    onEdit: (key) => {
      const row = rowAt(key);
      if (row !== undefined) void navigate({ to: `/checks/${refOf(row)}/edit/` });
    },
    onPause: (key) => {
      const row = rowAt(key);
      if (row !== undefined) (row.status === 'paused' ? acts.resume : acts.pause)(row);
    },
    onAdd: () => document.querySelector<HTMLElement>('[data-add-check]')?.click(),
    onEscape: selection.clear,
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
  const isSelecting = selection.keys.size > 0;
  const toggle = (id: string, isOpen: boolean) => {
    const next = new Map(collapsed).set(id, isOpen);
    keepCollapsed(next);
    setCollapsed(next);
  };
  const chosen = isSelecting ? found.filter(({ key }) => selection.keys.has(key)) : found;
  const clear = () => {
    setQ('');
    setView({ ...EVERYTHING, sort: view.sort, group: view.group });
  };
  return (
    <>
      {isSelecting ? (
        <BulkBar
          count={selection.keys.size}
          total={found.length}
          channels={channels}
          tags={tags.map(({ tag }) => tag)}
          targets={targets}
          isBusy={isActing}
          onAct={(change) => void act(change)}
          onSelectAll={() => selection.set(found.map(({ key }) => key))}
          onNone={selection.clear}
        />
      ) : (
        <FilterBar
          view={view}
          total={rows.length}
          counts={counts}
          tags={tags}
          channels={channels}
          searchRef={search}
          q={q}
          onType={setQ}
          onView={setView}
          options={
            <>
              <MenuItem onSelect={() => saveFile('checks.csv', 'text/csv', csvOf(chosen))}>
                {m.checks.exportCsv}
              </MenuItem>
              <MenuItem
                onSelect={() => saveFile('checks.json', 'application/json', JSON.stringify(chosen, null, 2))}
              >
                {m.checks.exportJson}
              </MenuItem>
            </>
          }
        />
      )}
      <div
        {...tableOf(found.length + 1)}
        {...handlers}
        {...arrowKeys}
        ref={list}
        className="check-list"
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
              actions={actions}
              isSelected={selection.keys.has(item.row.key)}
              isSelecting={isSelecting}
            />
          ),
        )}
      </div>
    </>
  );
}

/** The view that the address names, and what is being typed. */
function useView() {
  const search = useSearch({ strict: false });
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
    void navigate({ to: '.', search: searchOf(next), replace: isTyping, resetScroll: false });
  };
  return { view, setView, q, setQ };
}

function useSelection(shown: readonly Item[]) {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string | null>(null);
  const order = useRef<readonly string[]>([]);
  order.current = shown.flatMap((item) => (item.kind === 'row' ? [item.row.key] : []));
  const select = useCallback((row: CheckRowJson, isRange: boolean) => {
    const [from, to] = [order.current.indexOf(last.current ?? ''), order.current.indexOf(row.key)];
    last.current = row.key;
    setKeys((before) => {
      const next = new Set(before);
      if (isRange && from !== -1 && to !== -1) {
        for (const key of order.current.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(key);
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

const GROUP_NAMES: Readonly<Record<string, string>> = m.checks.groups as unknown as Record<string, string>;

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
          <ChevronDown className="size-6" strokeWidth={1.5} aria-hidden="true" />
          {name} <span className="n">{group.rows.length}</span>
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
