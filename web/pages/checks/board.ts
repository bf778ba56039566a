import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import type { CheckDetailsJson, CheckRowJson } from '../../../src/views/board-json.ts';
import { MAX_ASKED_ROWS, MAX_DETAILED } from '../../../src/wire/dashboard/limits.ts';
import type { LiveChangeJson } from '../../../src/wire/dashboard/live-output.ts';
import { type NamedChecks, type ShownPart, showsParts } from '../../app/act.ts';
import { now } from '../../app/clock.ts';
import { useChanges } from '../../app/live/live.ts';
import { type AskedView, read } from '../../app/read.ts';

/** Rows whose details are kept. More than anybody sees at once. */
const MAX_KEPT_DETAILS = 600;
/** Rows that changed are read again together, at most so often. */
const ROWS_GAP_MS = 1_000;
/** Rows that scroll by are not asked for. */
const DETAILS_PAUSE_MS = 60;
/** A status that changes by itself is read a little after that. */
const TURN_MARGIN_MS = 400;
const MAX_TIMER_MS = 600_000;

/** The UUID of the project whose checks are listed. Null: the checks of all projects of the person. */
export type Scope = string | null;

/** Whether an act names the check of the row. */
function isNamed({ key, uuid }: CheckRowJson, { check, checks = [] }: NamedChecks): boolean {
  return key === check || (uuid !== null && (uuid === check || checks.includes(uuid)));
}

/** A view of a list with these rows: the first of one project, the second of all. */
function askedOf(
  scope: Scope,
  [ofOne, ofAll]: readonly [string, string],
  keys: readonly string[],
): AskedView {
  return scope === null ? { view: ofAll, input: { keys } } : { view: ofOne, project: scope, input: { keys } };
}

/** The views of a list, of one project or of all. */
const rowsOf = (scope: Scope, given: { readonly keys?: string[] } = {}) =>
  scope === null ? read.allCheckRows(given) : read.checkRows({ project: scope, ...given });
const readDetails = (scope: Scope, keys: string[]) =>
  scope === null ? read.allCheckDetails({ keys }) : read.checkDetails({ project: scope, keys });

/** All rows. They are read again one by one, as they change. */
export const rowsQuery = (scope: Scope) =>
  queryOptions<readonly CheckRowJson[]>({
    queryKey: [...(scope === null ? ['person'] : ['project', scope]), 'listedRows'],
    queryFn: () => rowsOf(scope),
    meta: { live: 'never' },
  });

/** Puts rows that were read again into their places. Rows that were asked for and did not come are gone. */
export function merged(
  rows: readonly CheckRowJson[],
  asked: ReadonlySet<string>,
  read: readonly CheckRowJson[],
): readonly CheckRowJson[] {
  const fresh = new Map(read.map((row) => [row.key, row]));
  const kept = rows.flatMap((row) => {
    const newer = fresh.get(row.key);
    fresh.delete(row.key);
    return newer ?? (asked.has(row.key) ? [] : row);
  });
  return [...kept, ...fresh.values()];
}

/** Keeps the rows as they are. */
function useRows(
  scope: Scope,
  onTouched: (keys: readonly string[] | 'all') => void,
  detailsOf: (keys: readonly string[]) => readonly ShownPart[],
) {
  const queries = useQueryClient();
  const query = useQuery(rowsQuery(scope));
  const { queryKey } = useMemo(() => rowsQuery(scope), [scope]);
  const waiting = useRef<Set<string> | 'all'>(new Set());
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const readAt = useRef(0);

  const read = useCallback(async () => {
    timer.current = undefined;
    readAt.current = Date.now();
    const keys = waiting.current;
    waiting.current = new Set();
    if (keys === 'all' || keys.size > MAX_ASKED_ROWS) {
      await queries.invalidateQueries({ queryKey, exact: true });
      return;
    }
    try {
      const checks = await rowsOf(scope, { keys: [...keys] });
      queries.setQueryData<readonly CheckRowJson[]>(queryKey, (rows) => rows && merged(rows, keys, checks));
    } catch {
      // The connection is away. When it is back, everything is read again.
    }
  }, [queries, scope, queryKey]);

  const readSoon = useCallback(
    (keys: readonly string[] | 'all') => {
      if (keys === 'all' || waiting.current === 'all') waiting.current = 'all';
      else for (const key of keys) waiting.current.add(key);
      timer.current ??= setTimeout(read, Math.max(0, readAt.current + ROWS_GAP_MS - Date.now()));
    },
    [read],
  );
  useEffect(() => () => clearTimeout(timer.current), []);

  const covered = useRef<{ readonly keys: ReadonlySet<string>; readonly marks: string | null } | null>(null);
  useEffect(
    () =>
      showsParts((given) => {
        const all = queries.getQueryData<readonly CheckRowJson[]>(queryKey) ?? [];
        const keys = all.filter((row) => isNamed(row, given)).map(({ key }) => key);
        if (keys.length === 0) return [];
        const known = new Set(keys);
        const take = (rows: unknown, marks: string | null) => {
          if (rows === null) {
            onTouched(keys);
            readSoon(keys);
            return;
          }
          covered.current = { keys: known, marks };
          queries.setQueryData<readonly CheckRowJson[]>(
            queryKey,
            // The view has answered.
            (before) => before && merged(before, known, rows as readonly CheckRowJson[]),
          );
        };
        if (keys.length > MAX_ASKED_ROWS) return [];
        return [{ asked: askedOf(scope, ['checkRows', 'allCheckRows'], keys), take }, ...detailsOf(keys)];
      }),
    [queries, queryKey, scope, readSoon, onTouched, detailsOf],
  );

  useChanges(
    scope,
    useCallback(
      (change: LiveChangeJson | 'everything') => {
        const named = change === 'everything' ? 'all' : change.checks;
        const isCovered = change !== 'everything' && covered.current?.marks === change.marks;
        const keys =
          named === 'all' || !isCovered ? named : named.filter((key) => !covered.current?.keys.has(key));
        if (keys !== 'all' && keys.length === 0) return;
        onTouched(keys);
        readSoon(keys);
      },
      [onTouched, readSoon],
    ),
  );
  useTurns(query.data, readSoon);
  return { ...query, readSoon };
}

/** Reads rows again when their status changes by itself. */
function useTurns(
  rows: readonly CheckRowJson[] | undefined,
  readSoon: (keys: readonly string[]) => void,
): void {
  const first = useMemo(
    () => rows?.reduce<string | null>((least, { until }) => earlier(least, until), null) ?? null,
    [rows],
  );
  useEffect(() => {
    if (first === null || rows === undefined) return;
    const turn = () => {
      const passed = rows.filter(({ until }) => until !== null && Date.parse(until) <= now());
      readSoon(passed.slice(0, MAX_ASKED_ROWS).map(({ key }) => key));
    };
    const wait = Date.parse(first) - now() + TURN_MARGIN_MS;
    const timer = setTimeout(turn, Math.min(Math.max(wait, TURN_MARGIN_MS), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  }, [first, rows, readSoon]);
}

const earlier = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && other < one) ? other : one;

/** The details of rows in view. A row keeps its details until newer ones have come. */
export class DetailStore {
  readonly #scope: Scope;
  readonly #known = new Map<string, CheckDetailsJson>();
  readonly #stale = new Set<string>();
  readonly #asked = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #wanted: readonly CheckRowJson[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get(key: string): CheckDetailsJson | undefined {
    return this.#known.get(key);
  }

  /** Takes the rows in view. */
  want(rows: readonly CheckRowJson[]): void {
    this.#wanted = rows;
    if (this.#missing().length > 0) this.#timer ??= setTimeout(() => void this.#read(), DETAILS_PAUSE_MS);
  }

  /** Something about these rows has changed, even if not the rows themselves. */
  touch(keys: readonly string[] | 'all'): void {
    for (const key of keys === 'all' ? this.#known.keys() : keys) this.#stale.add(key);
    this.want(this.#wanted);
  }

  /** The details of rows in view, for an act that names these rows. */
  partsOf(keys: readonly string[]): readonly ShownPart[] {
    const named = new Set(keys);
    const inView = this.#wanted.filter(({ key }) => named.has(key)).map(({ key }) => key);
    if (inView.length === 0 || inView.length > MAX_DETAILED) return [];
    const take = (details: unknown) => {
      if (details === null) return;
      // The view has answered.
      for (const one of details as readonly CheckDetailsJson[]) this.#keep(one);
      for (const listener of this.#listeners) listener();
    };
    return [{ asked: askedOf(this.#scope, ['checkDetails', 'allCheckDetails'], inView), take }];
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #missing(): string[] {
    const missing = this.#wanted.filter(({ key, revision }) => {
      const isNewest = this.#known.get(key)?.revision === revision && !this.#stale.has(key);
      return !isNewest && !this.#asked.has(key);
    });
    return [...new Set(missing.map(({ key }) => key))].slice(0, MAX_DETAILED);
  }

  async #read(): Promise<void> {
    this.#timer = undefined;
    const keys = this.#missing();
    if (keys.length === 0) return;
    for (const key of keys) {
      this.#asked.add(key);
      this.#stale.delete(key);
    }
    try {
      for (const details of await readDetails(this.#scope, keys)) this.#keep(details);
    } catch {
      // It is asked for again when the row changes or comes into view again.
      return;
    } finally {
      for (const key of keys) this.#asked.delete(key);
      for (const listener of this.#listeners) listener();
    }
    this.want(this.#wanted);
  }

  #keep(details: CheckDetailsJson): void {
    this.#known.delete(details.key);
    this.#known.set(details.key, details);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_KEPT_DETAILS) return;
      this.#known.delete(oldest);
    }
  }
}

export function useDetails(store: DetailStore, key: string): CheckDetailsJson | undefined {
  return useSyncExternalStore(store.subscribe, () => store.get(key));
}

/** The rows of a list, and the details of the rows in view. */
export function useBoard(scope: Scope) {
  const store = useMemo(() => new DetailStore(scope), [scope]);
  useEffect(() => () => store.stop(), [store]);
  const onTouched = useCallback((keys: readonly string[] | 'all') => store.touch(keys), [store]);
  const detailsOf = useCallback((keys: readonly string[]) => store.partsOf(keys), [store]);
  return { store, ...useRows(scope, onTouched, detailsOf) };
}
