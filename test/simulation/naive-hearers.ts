import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';
import type { Answer } from './answer.ts';
import type { NaiveGroups } from './naive-groups.ts';
import type { DeliveryRow } from './observed.ts';
import type { Switches } from './switches.ts';

/** A channel may be switched so much earlier or later than anybody knows. */
const SWITCH_SLACK: Micros = seconds(120);

/** Why a message was queued. */
export function wordsOf({ why }: Pick<DeliveryRow, 'why'>): string[] {
  return why.split(' ').filter((word) => word !== '');
}

/**
 * Says who hears repeats and further failures of an outage: whoever was told of it, if it is still assigned or a step has told it,
 * and if it is on and within its hours. A repeat is only for those without an open message.
 */
export class NaiveHearers {
  readonly #byChannel: ReadonlyMap<number, readonly DeliveryRow[]>;
  readonly #groups: NaiveGroups;
  readonly #switches: Switches;
  readonly #withHours: ReadonlySet<number>;
  readonly #isAssigned: (id: number, from: Instant, until: Instant) => Answer;
  readonly #isOutside: (id: number, at: Instant) => Answer;
  readonly #slack: Micros;
  readonly #lag: Micros;

  constructor(parts: {
    /** All messages about the beginning of the outage, and what follows it. */
    rows: readonly DeliveryRow[];
    groups: NaiveGroups;
    switches: Switches;
    /** Channels that have hours at some time. */
    withHours: ReadonlySet<number>;
    isAssigned: (id: number, from: Instant, until: Instant) => Answer;
    isOutside: (id: number, at: Instant) => Answer;
    slack: Micros;
    lag: Micros;
  }) {
    this.#byChannel = Map.groupBy(parts.rows, ({ channelId }) => channelId);
    this.#groups = parts.groups;
    this.#switches = parts.switches;
    this.#withHours = parts.withHours;
    this.#isAssigned = parts.isAssigned;
    this.#isOutside = parts.isOutside;
    this.#slack = parts.slack;
    this.#lag = parts.lag;
  }

  /** The channels that surely hear a message at that time. */
  at(at: Instant, isRepeat: boolean): number[] {
    return [...this.#byChannel.keys()].filter((id) => this.#surelyHears(id, at, isRepeat));
  }

  #surelyHears(id: number, at: Instant, isRepeat: boolean): boolean {
    const own = this.#byChannel.get(id) ?? [];
    const before = at - this.#lag - this.#slack;
    const known = own.filter(({ createdAt }) => createdAt < before);
    const isOpen = ({ createdAt, finishedAt }: DeliveryRow) =>
      createdAt <= at && (finishedAt === null || finishedAt >= before);
    return (
      known.length > 0 &&
      !(isRepeat && own.some(isOpen)) &&
      (isTellingBySteps(known) || this.#isAssigned(id, before, at + this.#lag) === 'yes') &&
      this.#isOutside(id, at) === 'no' &&
      !this.#switches.wasPossiblyOff(id, before - SWITCH_SLACK, at + SWITCH_SLACK)
    );
  }

  /** Why this repeat or further failure is not for its channel. Null: it is. */
  objectionTo(row: DeliveryRow): string | null {
    const { id, channelId, createdAt: at } = row;
    const until = at + this.#lag;
    const before = (this.#byChannel.get(channelId) ?? []).filter((other) => other.id < id);
    if (before.length === 0) return 'is for a channel that nobody has told of the beginning';
    const isMeant =
      isTellingBySteps(before) ||
      this.#mayBeMember(channelId, at) ||
      this.#isAssigned(channelId, at, until) !== 'no';
    if (!isMeant) return 'is for a channel that is neither assigned nor told by a step';
    if (this.#switches.wasSurelyOff(channelId, at - SWITCH_SLACK, until))
      return 'is for a channel that is off';
    const isOpen = before.some(
      ({ createdAt, finishedAt }) => createdAt !== at && (finishedAt === null || finishedAt > until),
    );
    return isOpen && wordsOf(row).includes('again') ? 'is for a channel with an open message' : null;
  }

  /** Whether a group may have made it wait for its hours. It counts as assigned then. */
  #mayBeMember(id: number, at: Instant): boolean {
    const ofGroups = [...this.#byChannel.values()].flat().filter(({ ordinal }) => ordinal === 0);
    return this.#withHours.has(id) && ofGroups.some((row) => this.#groups.isMember(id, row, at) !== 'no');
  }
}

/** Whether a step has told the channel of these messages. */
function isTellingBySteps(own: readonly DeliveryRow[]): boolean {
  return own.some((row) => row.ordinal === 0 && wordsOf(row).includes('step'));
}
