import type { Instant, Micros } from '../../lib/instant.ts';
import type { Delivery } from '../alert/delivery.ts';
import type { CheckSummary } from '../check/check.ts';
import { deadlineOf, expectedAt } from '../check/status.ts';
import type { FirstTold } from '../policy/coming.ts';
import type { ForeseenMessage } from '../policy/foresight.ts';
import type { Answer } from './answer.ts';
import { nextDue, type Run } from './run.ts';
import type { StatusStory } from './status-sentence.ts';

/** A past or coming event of a check. */
export type FuseStation = { readonly at: Instant } & (
  | { readonly kind: 'last_ping'; readonly isGood: boolean }
  /** `should_finish`: the expected run has begun, and is not over. */
  | { readonly kind: 'expected' | 'should_finish' | 'started' | 'down' | 'failed' | 'paused' }
  /** Integrations by their UUIDs: those that were told, those that will be, and those that were not. */
  | {
      readonly kind: 'told';
      readonly told: readonly string[];
      readonly waiting: readonly string[];
      readonly missed: readonly string[];
    }
  | { readonly kind: 'due' | 'usually_done' | 'goes_down' }
  | { readonly kind: 'retry'; readonly channel: string; readonly attempt: number }
  /** Somebody has it. The time is when they said so. */
  | { readonly kind: 'acknowledged'; readonly by: string | null }
  /** The end of an answer: of the silence, or of the time for which somebody has it. */
  | { readonly kind: 'snoozed_until' | 'acknowledged_until' | 'quiet_until' }
  /** Integrations are told then, by their UUIDs: the first time, once more, or as those that are told next. */
  | {
      readonly kind: 'tells' | 'again' | 'then';
      readonly channels: readonly string[];
      /** How many further runs have to be missed until then, of a check that is not down. */
      readonly misses?: number;
    }
  /** The last repeat that came. */
  | { readonly kind: 'told_again'; readonly channels: readonly string[] }
);

export interface FuseFacts {
  readonly check: CheckSummary;
  readonly story: StatusStory;
  readonly runs: readonly Run[];
  /** The deliveries about the present trouble. */
  readonly deliveries: readonly (Pick<
    Delivery,
    'ordinal' | 'state' | 'attemptCount' | 'nextAttemptAt' | 'finishedAt'
  > & {
    readonly channelUuid: string;
  })[];
  /** Why nothing is told now. */
  readonly answer: Answer | null;
  /** What is told from now on, if nothing happens. */
  readonly coming: readonly ForeseenMessage[];
  /** Who is told first if the check goes down. Null: those that are assigned, at once. */
  readonly ifDown: FirstTold | null;
  readonly now: Instant;
}

/** The stations in order of time, past and future. A new check has none. */
export function fuseOf(facts: FuseFacts): FuseStation[] {
  const { check, story } = facts;
  if (story.state === 'new') return [];
  const stations = [...lastPing(facts)];
  if (check.lastStartAt !== null && story.state !== 'paused') {
    stations.push({ kind: 'started', at: check.lastStartAt });
  }
  if (story.state === 'paused') stations.push({ kind: 'paused', at: story.since });
  else if (story.state === 'down') stations.push(...downStations(facts));
  else stations.push(...aheadStations(facts));
  if (facts.answer !== null) stations.push(...answerStations(facts.answer));
  stations.push(...comingStations(facts));
  return stations.toSorted((a, b) => a.at - b.at);
}

function* lastPing({ check, runs, story }: FuseFacts): Generator<FuseStation> {
  const { lastPingAt } = check;
  // The ping that took the check down is the station of the failure.
  if (lastPingAt === null || (story.cause?.kind === 'failed' && lastPingAt === story.since)) return;
  const last = runs.findLast(({ endedAt }) => endedAt === lastPingAt);
  yield { kind: 'last_ping', at: lastPingAt, isGood: last?.result !== 'failed' };
}

function* downStations({ check, story, deliveries, now }: FuseFacts): Generator<FuseStation> {
  const isFailure = story.cause?.kind === 'failed';
  const due =
    check.lastPingAt === null || story.cause?.kind !== 'silence' ? null : nextDue(check, check.lastPingAt);
  if (due !== null && due < story.since) yield { kind: 'expected', at: due };
  yield { kind: isFailure ? 'failed' : 'down', at: story.since };
  const firsts = deliveries.filter(({ ordinal }) => ordinal === 0);
  const delivered = firsts.filter(({ state }) => state === 'delivered');
  const first = Math.min(...delivered.map(({ finishedAt }) => finishedAt ?? Number.POSITIVE_INFINITY));
  if (delivered.length > 0) {
    const uuidsOf = (...states: Delivery['state'][]) =>
      firsts.filter(({ state }) => states.includes(state)).map(({ channelUuid }) => channelUuid);
    yield {
      ...{ kind: 'told', at: first, told: uuidsOf('delivered') },
      ...{ waiting: uuidsOf('open'), missed: uuidsOf('given_up', 'skipped') },
    };
  }
  yield* lastRepeat(deliveries);
  for (const { channelUuid, nextAttemptAt, attemptCount } of deliveries) {
    if (nextAttemptAt === null) continue;
    yield { kind: 'retry', at: nextAttemptAt, channel: channelUuid, attempt: attemptCount + 1 };
  }
  // After a failure the next run may bring the check up again.
  const next = isFailure && check.lastPingAt !== null ? nextDue(check, check.lastPingAt) : null;
  if (next !== null && next > now) yield { kind: 'due', at: next };
}

/** Repeats that came have one number. */
function* lastRepeat(deliveries: FuseFacts['deliveries']): Generator<FuseStation> {
  const repeats = deliveries.filter(({ ordinal, state }) => ordinal > 0 && state === 'delivered');
  const last = repeats.filter(({ ordinal }) => ordinal === Math.max(...repeats.map((one) => one.ordinal)));
  const at = Math.min(...last.map(({ finishedAt }) => finishedAt ?? Number.POSITIVE_INFINITY));
  if (last.length > 0) yield { kind: 'told_again', at, channels: last.map(({ channelUuid }) => channelUuid) };
}

function* aheadStations({ check, story, ifDown, now }: FuseFacts): Generator<FuseStation> {
  const expected = expectedAt(check);
  const deadline = deadlineOf(check);
  const missed = check.lastStartAt === null ? 'expected' : 'should_finish';
  if (expected !== null) yield { kind: expected <= now ? missed : 'due', at: expected };
  const usual = usualEnd(check.lastStartAt, story.usual);
  if (usual !== null && usual > now) yield { kind: 'usually_done', at: usual };
  if (deadline === null) return;
  yield { kind: 'goes_down', at: deadline };
  if (ifDown !== null && ifDown.at > deadline) yield { kind: 'tells', ...ifDown };
}

const ENDS = {
  acknowledged: 'acknowledged_until',
  snoozed: 'snoozed_until',
  quiet: 'quiet_until',
  waiting: null,
  held: null,
} as const;

function* answerStations({ kind, by, at, until }: Answer): Generator<FuseStation> {
  if (kind === 'acknowledged' && at !== null) yield { kind, at, by };
  const end = ENDS[kind];
  if (end !== null && until !== null) yield { kind: end, at: until };
}

const COMES = { first: 'tells', step: 'then', again: 'again', further_failure: 'again' } as const;

/** Of repeats only the next: they come again and again. */
function* comingStations({ coming }: FuseFacts): Generator<FuseStation> {
  const down = coming.filter(({ status }) => status === 'down');
  const firstAgain = down.find(({ event }) => event === 'again')?.at;
  const shown = down.filter(({ event, at }) => event !== 'again' || at === firstAgain);
  const inTime = Map.groupBy(shown, ({ at }) => at);
  for (const [at, some] of inTime)
    for (const [kind, same] of Map.groupBy(some, ({ event }) => COMES[event]))
      yield { kind, at, channels: same.map(({ recipient }) => recipient.uuid) };
}

function usualEnd(startedAt: Instant | null, usual: Micros | null): Instant | null {
  return startedAt === null || usual === null ? null : startedAt + usual;
}
