import type { Query, QueryClient } from '@tanstack/react-query';
import type { LiveChangeJson } from '../../../src/wire/dashboard/live-output.ts';
import { wasReadUnder } from '../act.ts';
import { isTouched, TITLE_VIEW } from './queries.ts';

/** Changes that come together are one. */
const FRAME_MS = 16;
/** A query is not read again sooner: after a change of status, and after pings. */
const STATUS_GAP_MS = 1_000;
const PING_GAP_MS = 3_000;

/** Reads the queries of a page again when they may have changed, and not more often than it helps. */
export class Refetcher {
  readonly #queries: QueryClient;
  #waiting: (LiveChangeJson | 'everything')[] = [];
  readonly #readAt = new Map<string, number>();
  readonly #due = new Map<string, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(queries: QueryClient) {
    this.#queries = queries;
  }

  note(change: LiveChangeJson | 'everything'): void {
    this.#waiting.push(change);
    this.#schedule(FRAME_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), ms);
  }

  #run(): void {
    const changes = this.#waiting.splice(0);
    const now = Date.now();
    const cache = this.#queries.getQueryCache();
    if (changes.length > 0) for (const query of cache.getAll()) this.#mark(query, changes, now);
    for (const [hash, at] of this.#due) {
      if (at > now) continue;
      this.#due.delete(hash);
      this.#readAt.set(hash, now);
      const query = cache.get(hash);
      if (query !== undefined)
        void this.#queries.invalidateQueries({ queryKey: query.queryKey, exact: true });
    }
    const next = Math.min(...this.#due.values());
    if (Number.isFinite(next)) this.#schedule(Math.max(FRAME_MS, next - now));
  }

  #mark(query: Query, changes: readonly (LiveChangeJson | 'everything')[], now: number): void {
    const { queryKey, queryHash, meta } = query;
    const touching = changes.filter(
      (change) =>
        isTouched({ queryKey, scope: meta?.live }, change, (ref) => this.#keyOf(ref)) &&
        !(change !== 'everything' && wasReadUnder(query, change.marks)),
    );
    if (touching.length === 0) return;
    const isShown = document.visibilityState === 'visible' || meta?.asked?.view === TITLE_VIEW;
    if (!query.isActive() || !isShown) {
      // It is read when somebody looks.
      query.invalidate();
      return;
    }
    const gap = touching.some((one) => one === 'everything' || one.statuses) ? STATUS_GAP_MS : PING_GAP_MS;
    const at = Math.max(now, (this.#readAt.get(queryHash) ?? 0) + gap);
    this.#due.set(queryHash, Math.min(at, this.#due.get(queryHash) ?? at));
  }

  /** Pages call a check by its UUID as well. Its unique key is in the data that was read of it. */
  #keyOf(ref: string): string | null {
    for (const { state } of this.#queries.getQueryCache().findAll({ queryKey: ['check', ref] })) {
      const data = state.data;
      if (typeof data === 'object' && data !== null && 'key' in data && typeof data.key === 'string')
        return data.key;
    }
    return null;
  }
}
