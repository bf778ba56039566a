import { ChangeCollector, type ProjectChange, type TouchedIds, wholeProject } from '../../domain/change.ts';
import type { ChangeMarks } from '../../domain/change-marks.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Micros, seconds } from '../../lib/instant.ts';
import { RecentlyUsed } from '../../lib/recently-used.ts';
import type { Reads } from '../../storage/store.ts';
import type { LiveChangeJson } from '../../wire/dashboard/live-output.ts';
import type { ChangeFeed } from '../core/changes.ts';

/** Batches follow each other at this distance, so that open pages cost little however many pings come. */
const BATCH_SPACING: Micros = seconds(0.4);
/** A project is followed for this long after the last watcher left, for pages that come back. */
const LINGER: Micros = seconds(120);
/** The interval at which unwatched projects are looked for. */
const LINGER_LOOK: Micros = seconds(10);
/** Names that are read at once. A project with more changed rows than are left says `all`. */
export const MAX_NAMED_AT_ONCE = 500;
/** Names in memory, of checks and of channels. */
const MAX_KNOWN_NAMES = 20_000;
/** Kept for pages that come back: batches, and names in all of them. */
export const MAX_KEPT_BATCHES = 256;
const MAX_KEPT_NAMES = 20_000;

export interface WatchedProject {
  readonly id: number;
  readonly uuid: string;
}

export interface LiveBatch {
  readonly id: string;
  /** By the id of the project. */
  readonly changes: ReadonlyMap<number, LiveChangeJson>;
}

interface KeptBatch {
  readonly n: number;
  readonly changes: ReadonlyMap<number, LiveChangeJson>;
  readonly nameCount: number;
}

interface Followed {
  readonly uuid: string;
  readonly subscription: Disposable;
  /** The number at which it began. */
  readonly since: number;
  /** The number from which names count. Earlier names may have changed. */
  namesFrom: number;
  watchers: number;
  /** By the monotonic clock. */
  leftAt: Micros;
}

interface KnownName {
  readonly name: string;
  /** The number at which it was read. */
  readonly n: number;
}

type KnownNames = RecentlyUsed<number, KnownName>;

type LiveFeedDeps = {
  readonly store: {
    readonly checks: Pick<Reads['checks'], 'keysOf'>;
    readonly channels: Pick<Reads['channels'], 'uuidsOf'>;
    readonly marks: Pick<ChangeMarks, 'rowsOf'>;
  };
  readonly clock: Pick<Clock, 'monotonic'>;
};

/**
 * The changes of the projects that somebody watches, in batches with numbers. Ids become names that pages know. The
 * last batches are kept, so that a page that was away for a moment gets the changes that it has missed.
 */
export class LiveFeed {
  readonly #deps: LiveFeedDeps;
  readonly #feed: Pick<ChangeFeed, 'subscribe'>;
  /** The beginning of all ids. Another process has another one, and cannot know the batches of this one. */
  readonly #epoch: string;
  readonly #followed = new Map<number, Followed>();
  readonly #pending = new ChangeCollector();
  readonly #checkKeys: KnownNames = new RecentlyUsed(MAX_KNOWN_NAMES);
  readonly #channelUuids: KnownNames = new RecentlyUsed(MAX_KNOWN_NAMES);
  readonly #kept: KeptBatch[] = [];
  #keptNames = 0;
  #n = 0;
  /** The number of the last batch that is not kept any more. */
  #lastDropped = 0;
  #batchedAt: Micros = Number.NEGATIVE_INFINITY;
  #lookedAt: Micros = 0;

  constructor(deps: LiveFeedDeps, feed: Pick<ChangeFeed, 'subscribe'>, epoch: string) {
    this.#deps = deps;
    this.#feed = feed;
    this.#epoch = epoch;
  }

  get lastId(): string {
    return this.#idOf(this.#n);
  }

  /** Differs after each change of the project. Pages that have read under the same marks need not read again. */
  marksOf(projectId: number): string {
    return this.#idOf(this.#deps.store.marks.rowsOf(projectId));
  }

  /** Follows the project until the result is disposed of, and a little longer. */
  watch({ id, uuid }: WatchedProject): Disposable {
    const followed = this.#followed.getOrInsertComputed(id, () => {
      // A number of its own: earlier changes are not known, even if there was no batch meanwhile.
      const since = ++this.#n;
      const subscription = this.#feed.subscribe(id, (change) => this.#pending.add([change]));
      return { uuid, subscription, since, namesFrom: since, watchers: 0, leftAt: 0 };
    });
    followed.watchers++;
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        followed.watchers--;
        followed.leftAt = this.#deps.clock.monotonic();
      },
    };
  }

  /** The changes in these projects since the batch with this id. `everything` if that is not known. */
  since(id: string, projectIds: readonly number[]): LiveChangeJson[] | 'everything' {
    const n = this.#numberOf(id);
    if (n === null || n > this.#n || n < this.#lastDropped) return 'everything';
    if (projectIds.some((one) => (this.#followed.get(one)?.since ?? Number.POSITIVE_INFINITY) > n))
      return 'everything';
    const missed = this.#kept.filter((batch) => batch.n > n);
    return missed.flatMap(({ changes }) => projectIds.flatMap((one) => changes.get(one) ?? []));
  }

  /** The next batch. Null if there is nothing to tell yet. */
  async tick(): Promise<LiveBatch | null> {
    const now = this.#deps.clock.monotonic();
    if (now - this.#lookedAt >= LINGER_LOOK) this.#forgetUnwatched(now);
    if (this.#pending.isEmpty || now - this.#batchedAt < BATCH_SPACING) return null;
    this.#batchedAt = now;
    const taken = this.#pending.take();
    // Subscribers are told of single projects, but so many of them may have changed that the collector says less.
    const touched = taken === 'everything' ? [...this.#followed.keys()].map(wholeProject) : taken;
    const changes = await this.#name(touched);
    const batch = { n: ++this.#n, changes, nameCount: nameCountOf(changes) };
    this.#keep(batch);
    return { id: this.#idOf(batch.n), changes };
  }

  #forgetUnwatched(now: Micros): void {
    this.#lookedAt = now;
    for (const [id, { watchers, leftAt, subscription }] of this.#followed) {
      if (watchers > 0 || now - leftAt < LINGER) continue;
      subscription[Symbol.dispose]();
      this.#followed.delete(id);
    }
  }

  #keep(batch: KeptBatch): void {
    this.#kept.push(batch);
    this.#keptNames += batch.nameCount;
    while (this.#kept.length > MAX_KEPT_BATCHES || this.#keptNames > MAX_KEPT_NAMES) {
      const dropped = this.#kept.shift();
      if (dropped === undefined) return;
      this.#keptNames -= dropped.nameCount;
      this.#lastDropped = dropped.n;
    }
  }

  async #name(touched: readonly ProjectChange[]): Promise<Map<number, LiveChangeJson>> {
    const { store } = this.#deps;
    const followed = touched.flatMap((change) => {
      const project = this.#followed.get(change.projectId);
      return project === undefined ? [] : [{ ...change, project }];
    });
    // A check with a new address has another key, and is announced as `all`.
    for (const { project, checkIds } of followed) if (checkIds === 'all') project.namesFrom = this.#n;
    const groups = (of: 'checkIds' | 'channelIds') =>
      followed.map(({ project, [of]: ids }) => ({ ids, namesFrom: project.namesFrom }));
    await Promise.all([
      this.#learn(this.#checkKeys, groups('checkIds'), async (ids) =>
        (await store.checks.keysOf(ids)).map(({ id, uniqueKey }) => [id, uniqueKey]),
      ),
      this.#learn(this.#channelUuids, groups('channelIds'), async (ids) =>
        (await store.channels.uuidsOf(ids)).map(({ id, uuid }) => [id, uuid]),
      ),
    ]);
    return new Map(
      followed.map(({ projectId, project: { uuid, namesFrom }, checkIds, channelIds, touchesStatus }) => [
        projectId,
        {
          project: uuid,
          checks: namesOf(this.#checkKeys, { ids: checkIds, namesFrom }),
          channels: namesOf(this.#channelUuids, { ids: channelIds, namesFrom }),
          statuses: touchesStatus,
          marks: this.marksOf(projectId),
        },
      ]),
    );
  }

  /** Reads names that are not known, as many as may be read at once. */
  async #learn(
    known: KnownNames,
    groups: readonly TouchedRows[],
    read: (ids: readonly number[]) => Promise<[number, string][]>,
  ): Promise<void> {
    const unknown = new Set<number>();
    for (const { ids, namesFrom } of groups) {
      if (ids === 'all') continue;
      const missing = ids.filter((id) => nameOf(known, id, namesFrom) === null);
      if (unknown.size + missing.length <= MAX_NAMED_AT_ONCE) for (const id of missing) unknown.add(id);
    }
    if (unknown.size === 0) return;
    const n = this.#n;
    // Without the database nothing can be named, and everybody is told to read all of it.
    const found = await read([...unknown]).catch(() => []);
    for (const [id, name] of found) known.set(id, { name, n });
  }

  #idOf(n: number): string {
    return `${this.#epoch}.${n}`;
  }

  #numberOf(id: string): number | null {
    const [epoch, n, ...rest] = id.split('.');
    return epoch === this.#epoch && rest.length === 0 && /^\d{1,15}$/.test(n ?? '') ? Number(n) : null;
  }
}

/** The touched rows of a project, and the number from which its names count. */
interface TouchedRows {
  readonly ids: TouchedIds;
  readonly namesFrom: number;
}

function nameOf(known: KnownNames, id: number, namesFrom: number): string | null {
  const found = known.find(id);
  return found === undefined || found.n < namesFrom ? null : found.name;
}

/** A row without a name is gone, or there were too many to read. Pages read all of them then. */
function namesOf(known: KnownNames, { ids, namesFrom }: TouchedRows): readonly string[] | 'all' {
  if (ids === 'all') return 'all';
  const names = ids.flatMap((id) => nameOf(known, id, namesFrom) ?? []);
  return names.length === ids.length ? names : 'all';
}

function nameCountOf(changes: ReadonlyMap<number, LiveChangeJson>): number {
  // A project costs about as much as a name.
  return Iterator.from(changes.values()).reduce(
    (sum, { checks, channels }) => sum + 1 + checks.length + channels.length,
    0,
  );
}
