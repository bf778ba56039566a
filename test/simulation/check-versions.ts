import type { Check } from '../../src/domain/check/check.ts';
import type { Instant } from '../../src/lib/instant.ts';
import type { Observed, OutageRow } from './observed.ts';
import type { Timeline } from './timeline.ts';
import { type Change, type Seen, Versions } from './versions.ts';

/** Somebody has taken an outage. */
export type Taking = Pick<OutageRow, 'flipId' | 'acknowledgedAt' | 'acknowledgedUntilAt'>;

/** What people have made of a check. */
export interface Version extends Seen {
  readonly check: Check;
  readonly channelIds: readonly number[];
  /** Null: nobody has taken its outage. */
  readonly taking: Taking | null;
}

/** What people have made of the checks, as they have seen it after each act. */
export class CheckVersions {
  readonly #timeline: Timeline;
  readonly #observed: Observed;
  readonly #onChanged: (id: number) => void;
  readonly #byUuid = new Map<string, Versions<Version>>();
  /** When somebody began to delete it, and when it was surely gone. */
  readonly #deleted = new Map<string, Seen>();
  readonly #uuids = new Map<string, string>();

  constructor(timeline: Timeline, observed: Observed, onChanged: (id: number) => void) {
    this.#timeline = timeline;
    this.#observed = observed;
    this.#onChanged = onChanged;
  }

  get uuids(): string[] {
    return [...this.#byUuid.keys()].filter((uuid) => !this.#deleted.has(uuid));
  }

  /** The present one; null when the check is gone. */
  latestOf(uuid: string): Version | null {
    return this.#deleted.has(uuid) ? null : (this.#byUuid.get(uuid)?.latest ?? null);
  }

  /** The check that has this unique key. */
  uuidOf(uniqueKey: string): string {
    return this.#uuids.get(uniqueKey) ?? '';
  }

  /** Null: it is there. */
  deletionOf(uuid: string): Seen | null {
    return this.#deleted.get(uuid) ?? null;
  }

  of(uuid: string): Versions<Version> {
    return this.#byUuid.getOrInsertComputed(uuid, () => new Versions());
  }

  in(uuid: string, from: Instant, until: Instant): Version[] {
    return this.#byUuid.get(uuid)?.in(from, until) ?? [];
  }

  /** A check that somebody has made, beginning at that time. */
  async add({ id, uuid }: Pick<Check, 'id' | 'uuid'>, since: Instant): Promise<void> {
    const change = this.begin(uuid);
    change.since = since;
    await this.end(change, id, uuid);
  }

  /** To be called before anything is done to the check. */
  begin(uuid: string): Change {
    return this.of(uuid).begin(this.#timeline.now);
  }

  /** To be called afterwards. */
  async end(change: Change, id: number, uuid: string): Promise<Version | null> {
    const stored = await this.#stored(id, change.since);
    if (stored === null) this.#deleted.getOrInsert(uuid, { since: change.since, seenAt: this.#timeline.now });
    else {
      this.#uuids.set(stored.check.uniqueKey, uuid);
      this.#onChanged(id);
    }
    this.of(uuid).end(change, stored);
    return stored;
  }

  /** Adds the stored one while a change is under way: a node may die after it was made, before it answers. */
  async possible(uuid: string, from: Instant, until: Instant): Promise<Version[]> {
    const versions = this.in(uuid, from, until);
    const since = this.of(uuid).changingSince;
    const id = versions.at(-1)?.check.id;
    if (since === null || id === undefined) return versions;
    const stored = await this.#stored(id, since);
    return stored === null ? versions : [...versions, stored];
  }

  async #stored(id: number, since: Instant): Promise<Version | null> {
    const check = await this.#observed.check(id);
    if (check === null) return null;
    const open = await this.#observed.openOutageOf(id);
    return {
      since,
      seenAt: this.#timeline.now,
      check,
      channelIds: await this.#observed.channelIds(id),
      taking: open === null || open.acknowledgedAt === null ? null : open,
    };
  }
}
