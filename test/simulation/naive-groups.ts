import type { Instant, Micros } from '../../src/lib/instant.ts';
import { type Answer, agreed, sure } from './answer.ts';
import type { DeliveryRow } from './observed.ts';

/** To whom an integration passes its messages on. */
export interface Group {
  readonly channelId: number;
  /** The ids of integrations. */
  readonly members: readonly number[];
}

/** What a group has passed on. */
export interface Passed {
  readonly row: DeliveryRow;
  readonly at: Instant;
}

/** Says what groups pass on to whom. */
export class NaiveGroups {
  readonly #rows: readonly DeliveryRow[];
  readonly #groupsIn: (from: Instant, until: Instant) => readonly (readonly Group[])[];
  readonly #slack: Micros;
  /** Integrations that are groups. */
  readonly #ids: ReadonlySet<number>;

  constructor(parts: {
    /** All messages about the check. */
    rows: readonly DeliveryRow[];
    groupsIn: (from: Instant, until: Instant) => readonly (readonly Group[])[];
    slack: Micros;
  }) {
    this.#rows = parts.rows;
    this.#groupsIn = parts.groupsIn;
    this.#slack = parts.slack;
    const ever = parts.groupsIn(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
    this.#ids = new Set(ever.flatMap((groups) => groups.map(({ channelId }) => channelId)));
  }

  /** What groups have passed on of the change. */
  passedOf(flipId: number): Passed[] {
    if (this.#ids.size === 0) return [];
    return this.#rows.flatMap((row) => {
      const { finishedAt: at, state } = row;
      const isPassed = row.flipId === flipId && this.#ids.has(row.channelId) && state === 'delivered';
      return isPassed && at !== null ? [{ row, at }] : [];
    });
  }

  /** Those groups that have passed this message on before it came, as far as anybody knows. */
  sourcesOf({ flipId, ordinal, channelId, createdAt }: DeliveryRow): Passed[] {
    return this.passedOf(flipId).filter(
      ({ row, at }) =>
        row.ordinal === ordinal && at <= createdAt && this.isMember(channelId, row, at) !== 'no',
    );
  }

  /** Whether a group passed the message on at that very time. */
  isPassedOn(row: DeliveryRow): boolean {
    return this.sourcesOf(row).some(({ at }) => at === row.createdAt);
  }

  /** Whether the channel was a member of the group from the time of its message until then. */
  isMember(channelId: number, { channelId: groupId, createdAt }: DeliveryRow, until: Instant): Answer {
    return agreed(
      this.#groupsIn(createdAt - this.#slack, until + this.#slack).map((groups) =>
        sure(groups.some((group) => group.channelId === groupId && group.members.includes(channelId))),
      ),
    );
  }
}
