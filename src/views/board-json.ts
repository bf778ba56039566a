import type { Channel } from '../domain/alert/channel.ts';
import type { CheckSummary } from '../domain/check/check.ts';
import { isFirstRun } from '../domain/check/first-check.ts';
import { scheduleWords, scheduleZone } from '../domain/check/schedule-words.ts';
import { splitTags } from '../domain/check/tags.ts';
import type { Answer } from '../domain/history/answer.ts';
import type { CheckRow, Lane } from '../domain/history/check-row.ts';
import { merged, type TimeSpan } from '../domain/history/downtime.ts';
import { BUCKET, oldestBucket, type PulseBucket } from '../domain/history/pulse.ts';
import type { Recovery } from '../domain/history/recovery.ts';
import type { Run, RunResult } from '../domain/history/run.ts';
import { runFigures } from '../domain/history/run-figures.ts';
import { type AnswerKind, isTrouble, TROUBLES, type Trouble, totalsOf } from '../domain/history/standing.ts';
import {
  type Cause,
  ifMissedParts,
  type SentencePart,
  type StatusStory,
  waitParts,
} from '../domain/history/status-sentence.ts';
import type { PingAddress } from '../domain/ping/ping-address.ts';
import type { ComingTo, FirstTold } from '../domain/policy/coming.ts';
import { labelOf } from '../integrations/registry.ts';
import { type Instant, MICROS_PER_SECOND, type Micros, toIsoSeconds } from '../lib/instant.ts';
import type { CheckDetails } from '../services/history/check-board.ts';
import type { DeliveryRecord } from '../storage/store.ts';

/**
 * A piece of a sentence: words, an instant that the page writes, or a schedule in words with the zone of its times. The
 * zone is null if the words name it themselves.
 */
export type SentencePartJson =
  | string
  | { readonly at: string; readonly as: 'clock' | 'age' }
  | { readonly schedule: string; readonly tz: string | null };

export type SentenceJson = readonly SentencePartJson[];

/** A check in the list of all checks of a project: enough to filter, to group and to sort. */
export type CheckRowJson = Readonly<Omit<ReturnType<typeof checkRowJson>, 'uuid'>> & {
  /** Null for a reader who may not ping. */
  readonly uuid: string | null;
  /** The UUID of its project, in the list over all projects. */
  readonly project?: string;
};

export interface ListedCheck {
  readonly check: CheckSummary;
  readonly revision: number;
  readonly channelUuids: readonly string[];
  readonly row: CheckRow;
}

export function checkRowJson({ check, revision, channelUuids, row }: ListedCheck) {
  return {
    /** Names the check to everybody, also where its UUID must not be shown. */
    key: check.uniqueKey,
    uuid: check.uuid,
    name: check.name,
    slug: check.slug,
    tags: splitTags(check.tags),
    status: row.status,
    /** Whether a run is open, in any status. */
    running: row.isRunning,
    slow: row.isSlow,
    /** It was never pinged, and its first run was expected before now. */
    neverCame: row.neverCame,
    since: toIsoSeconds(row.since),
    lastPing: toIsoSeconds(check.lastPingAt),
    /** It has pinged, and waits for a ping again: somebody has resumed it, or cleared its events. */
    ready: row.isReady,
    /** Why nothing is told of it now. Null if that is not so. */
    answer: row.answer && answerJson(row.answer),
    /** Where it stands among the others. */
    standing: row.standing,
    /** In seconds. */
    lastDuration: secondsOrNull(check.lastDuration),
    /** When the open run began. */
    started: toIsoSeconds(check.lastStartAt),
    next: row.next && { kind: row.next.kind, at: toIsoSeconds(row.next.at) },
    /** When the status changes by itself. */
    until: Number.isFinite(row.span.until) ? toIsoSeconds(row.span.until) : null,
    schedule: scheduleWords(check),
    /** The time zone of the schedule, if it depends on one. */
    tz: scheduleZone(check),
    /** In seconds. */
    grace: check.graceSeconds,
    /** UUIDs of its integrations. */
    channels: channelUuids,
    /** Grows with every change. */
    revision,
  };
}

export type AnswerJson = Readonly<ReturnType<typeof answerJson>>;

export function answerJson({ kind, by, at, until, badRuns, parent }: Answer) {
  return {
    kind,
    /** Who has acknowledged or snoozed it, the check that it waits for, or the quiet time, if that is known. */
    by,
    /** Since when. Of a check that waits for another one: since when that one is down. */
    at: toIsoSeconds(at),
    /** When it ends by itself. */
    until: toIsoSeconds(until),
    /** The bad runs so far, while nobody was told since it waits for more. */
    ...(badRuns !== undefined && { badRuns }),
    /** The key of the check that it waits for. */
    ...(parent !== undefined && { parent }),
  };
}

/** With the UUID anybody can ping. */
export function withoutAddress(row: CheckRowJson): CheckRowJson {
  return { ...row, uuid: null };
}

/** The last runs, oldest first: parallel lists, since there are many. */
export type RunStripJson = Readonly<ReturnType<typeof runStripJson>>;

const LETTERS: Readonly<Record<RunResult, string>> = {
  ok: 'o',
  warned: 'w',
  failed: 'f',
  late: 'l',
  missed: 'm',
  skipped: 's',
  unknown: 'u',
  running: 'r',
};

export function runStripJson(runs: readonly Run[]) {
  return {
    /** A letter for each. Runs that did not come one after the other have one letter. */
    results: runs.map(({ result }) => LETTERS[result]).join(''),
    /** The number of runs behind each m, s and u. */
    counts: runs.flatMap(({ count }) => (count > 0 ? [count] : [])),
    /** In seconds. */
    durations: runs.map(({ duration }) => secondsOrNull(duration)),
    at: runs.map(({ at }) => toIsoSeconds(at)),
    /** The ping that ended the run, or began it. */
    n: runs.map(({ endN, startN }) => endN ?? startN),
  };
}

/** A message about the present trouble, to one integration. */
export type ToldJson = Readonly<ReturnType<typeof toldJson>>;

/** What an integration was told of the present trouble. */
export type ToldChannelJson = ToldJson & {
  /** When it was told again last. Null if it was not. */
  readonly again: string | null;
};

/** What ends the outage. */
interface StaysDownJson {
  readonly kind: 'stays_down';
  readonly until: 'ping' | 'success';
  /**
   * Who is told again before. Null: nobody was told yet, or somebody is told again. `nobody_else` than those to whom a message is
   * on its way.
   */
  readonly toldAgain: 'nobody' | 'nobody_else' | null;
}

/** Coming events besides the next run. */
export type AheadJson =
  | {
      readonly kind: 'goes_down';
      readonly at: string;
      /** Who is told then. Null: others are told later. Absent: those that are assigned. */
      readonly tells?: readonly string[] | null;
    }
  /** Nothing happens before the first ping. */
  | { readonly kind: 'first_ping' }
  | { readonly kind: 'retry'; readonly at: string; readonly channel: string }
  /** Nobody was told yet. These are then, if the check is still down and so many further runs are missed. */
  | {
      readonly kind: 'tells';
      readonly at: string;
      readonly channels: readonly string[];
      readonly misses: number;
    }
  /** Those that were told are told again, if it is still down. */
  | { readonly kind: 'again'; readonly at: string; readonly channels: readonly string[] }
  /** Others are told then, if it is still down. */
  | { readonly kind: 'then'; readonly at: string; readonly channels: readonly string[] }
  /** The answer ends then. */
  | { readonly kind: 'until'; readonly at: string; readonly of: AnswerKind }
  | StaysDownJson;

/** A row in view, told in full. */
export type CheckDetailsJson = Readonly<ReturnType<typeof checkDetailsJson>>;

type ToldRecord = Pick<
  DeliveryRecord,
  'channelUuid' | 'state' | 'attemptCount' | 'nextAttemptAt' | 'finishedAt' | 'error' | 'attempts'
>;

/** Whom the policy of a check tells that is not down. */
export interface ByRule {
  /** The integrations that its steps name, by their UUIDs. */
  readonly channels: readonly string[];
  /** Who is told first if the check goes down at its deadline. Null: nobody, or it is not late. */
  readonly first: FirstTold | null;
}

/** A listed check, told in full. */
interface DetailedCheck extends Omit<CheckDetails, 'check'> {
  readonly listed: ListedCheck;
  readonly coming: ComingTo;
  readonly byRule: ByRule | null;
  /** Null for a reader who may not ping. */
  readonly pingUrl: string | null;
}

export function checkDetailsJson({
  listed,
  story,
  runs,
  line,
  told,
  coming,
  byRule,
  recovery,
  pingUrl,
}: DetailedCheck) {
  const { median, p95 } = runFigures(runs);
  return {
    key: listed.check.uniqueKey,
    revision: listed.revision,
    sentence: sentenceJson(story.sentence),
    cause: story.cause && causeJson(story.cause, line),
    /** In seconds. */
    usual: secondsOrNull(story.usual),
    runs: runStripJson(runs),
    /** Durations of the good runs in the strip, in seconds. */
    durations: { median: secondsOrNull(median), p95: secondsOrNull(p95) },
    told: toldChannels(told),
    ahead: aheadJson(listed, story, told, coming, byRule),
    /** Integrations that a rule tells, whether they are assigned or not. */
    toldByRule: byRule?.channels ?? [],
    /** What ends the pause. Null if the check is not paused. */
    pausedUntil: listed.row.status === 'paused' ? pauseEnd(listed.check) : null,
    /** The outage that is over. Null if there was none in the last hours. */
    recovery: recovery && recoveryJson(recovery, recovery.told),
    pingUrl,
  };
}

function pauseEnd({ manualResume }: CheckSummary): 'ping' | 'resumed' {
  return manualResume ? 'resumed' : 'ping';
}

export type RecoveryJson = Readonly<ReturnType<typeof recoveryJson>>;

/** Whether an integration was told of the fall of a check, of its recovery, or of both. */
export type ToldOf = 'both' | 'fall' | 'recovery';

export function recoveryJson(
  { sentence }: Recovery,
  told: readonly (ToldRecord & Pick<DeliveryRecord, 'status'>)[],
) {
  const delivered = Map.groupBy(
    told.filter(({ state }) => state === 'delivered'),
    ({ channelUuid }) => channelUuid,
  );
  return {
    sentence: sentenceJson(sentence),
    /** The integrations that were told. */
    told: [...delivered].map(([channel, some]) => {
      const statuses = new Set(some.map(({ status }) => status));
      const of: ToldOf = statuses.size > 1 ? 'both' : statuses.has('down') ? 'fall' : 'recovery';
      return { channel, of };
    }),
  };
}

/** Null if there is no such address. */
export function addressText({ path }: PingAddress, site: { readonly pingEndpoint: string }): string | null {
  return path && site.pingEndpoint + path;
}

export function sentenceJson(parts: readonly SentencePart[]): SentenceJson {
  return parts.map((part) =>
    typeof part === 'string' || 'schedule' in part ? part : { ...part, at: toIsoSeconds(part.at) },
  );
}

/** `line` is the last line of the failed run's output. */
export function causeJson({ kind, head, rest, exitStatus }: Cause, line: string | null) {
  return { kind, head: sentenceJson(head), rest: sentenceJson(rest), exitStatus, line };
}

export function toldJson(told: ToldRecord) {
  return {
    /** The UUID of the integration. */
    channel: told.channelUuid,
    state: toldState(told),
    /** When it was delivered, or given up. */
    at: toIsoSeconds(told.finishedAt),
    tries: told.attemptCount,
    /** When it was tried last. */
    tried: toIsoSeconds(told.attempts.at(-1)?.startedAt ?? null),
    error: told.error,
    next: toIsoSeconds(told.nextAttemptAt),
  };
}

/** Each integration once: its first message, or the last repeat if that one has not arrived. */
export function toldChannels(
  messages: readonly (ToldRecord & Pick<DeliveryRecord, 'ordinal'>)[],
): ToldChannelJson[] {
  return [...Map.groupBy(messages, ({ channelUuid }) => channelUuid).values()].flatMap((own) => {
    const inOrder = own.toSorted((one, other) => one.ordinal - other.ordinal);
    const [first] = inOrder;
    const last = inOrder.at(-1);
    if (first === undefined || last === undefined) return [];
    const repeats = inOrder.filter(({ ordinal, state }) => ordinal > first.ordinal && state === 'delivered');
    const isTrying = last.state === 'given_up' || (last.state === 'open' && last.attemptCount > 0);
    return [
      { ...toldJson(isTrying ? last : first), again: toIsoSeconds(repeats.at(-1)?.finishedAt ?? null) },
    ];
  });
}

function toldState({
  state,
  attemptCount,
}: ToldRecord): 'delivered' | 'waiting' | 'retrying' | 'given_up' | 'off' {
  if (state === 'open') return attemptCount === 0 ? 'waiting' : 'retrying';
  return state === 'skipped' ? 'off' : state;
}

function aheadJson(
  { row }: ListedCheck,
  { cause }: StatusStory,
  told: readonly ToldRecord[],
  coming: ComingTo,
  byRule: ByRule | null,
): AheadJson[] {
  const deadline = goesDownAt(row);
  if (deadline !== null) return goesDownJson(deadline, byRule);
  if (row.neverCame) return [{ kind: 'first_ping' }];
  if (row.status !== 'down') return [];
  const retries = told.flatMap(({ nextAttemptAt, channelUuid, attemptCount }): AheadJson[] =>
    nextAttemptAt === null || attemptCount === 0
      ? []
      : [{ kind: 'retry', at: toIsoSeconds(nextAttemptAt), channel: channelUuid }],
  );
  const next = comingJson(coming);
  return [
    ...retries,
    ...answerEndJson(row.answer, coming),
    ...next,
    staysDownJson(cause, told, next.length > 0),
  ];
}

/** When a check in trouble goes down that is not down yet. */
export function goesDownAt({ status, isSlow, deadline }: CheckRow): Instant | null {
  return status === 'late' || isSlow ? deadline : null;
}

function goesDownJson(deadline: Instant, byRule: ByRule | null): AheadJson[] {
  const down = { kind: 'goes_down', at: toIsoSeconds(deadline) } as const;
  if (byRule === null) return [down];
  const { first } = byRule;
  if (first === null || first.at <= deadline) return [{ ...down, tells: first?.channels ?? [] }];
  return [
    { ...down, tells: null },
    { ...first, kind: 'tells', at: toIsoSeconds(first.at) },
  ];
}

/** The next repeat and the next step, in order of time. */
function comingJson({ again, steps }: ComingTo): AheadJson[] {
  return [
    ...(again === null ? [] : [{ ...again, kind: 'again' as const }]),
    ...steps.slice(0, 1).map((next) => ({ ...next, kind: 'then' as const })),
  ]
    .toSorted((one, other) => one.at - other.at)
    .map(({ kind, at, channels }) => ({ kind, at: toIsoSeconds(at), channels }));
}

function answerEndJson(answer: Answer | null, { first }: ComingTo): AheadJson[] {
  if (answer === null || answer.until === null) return [];
  const { kind, until, gate, badRuns } = answer;
  const at = toIsoSeconds(until);
  if (kind !== 'waiting') return [{ kind: 'until', at, of: kind }];
  if (gate === 'bad_runs' && badRuns === undefined) return [];
  return [{ kind: 'tells', at, channels: first, misses: badRuns?.misses ?? 0 }];
}

export function staysDownJson(
  cause: Cause | null,
  told: readonly Pick<ToldRecord, 'state'>[],
  isToldMore: boolean,
): StaysDownJson {
  const hasRun = cause?.kind === 'failed' || cause?.kind === 'too_long';
  return {
    kind: 'stays_down',
    until: hasRun ? 'success' : 'ping',
    toldAgain: isToldMore ? null : toldAgain(told.map(({ state }) => state)),
  };
}

function toldAgain(states: readonly ToldRecord['state'][]): StaysDownJson['toldAgain'] {
  if (!states.includes('delivered')) return null;
  return states.includes('open') ? 'nobody_else' : 'nobody';
}

/** A check in trouble on the time axis, or several that turned bad together. */
export type LaneJson = Readonly<ReturnType<typeof laneJson>>;

/** A channel, as lists of checks and their editor show it. `label` is the name of the kind. */
export type BoardChannelJson = Readonly<ReturnType<typeof channelJson>>;

export function channelJson({ uuid, kind, name, off }: Channel) {
  return { uuid, kind, label: labelOf(kind), name, isOff: off !== null };
}

/** The head of a list, of one project or of all. */
export type BoardHeadJson = Readonly<ReturnType<typeof boardHeadJson>>;

/** The head of a project's list. */
export type CheckHeadJson = Readonly<ReturnType<typeof checkHeadJson>>;

/** Lanes that are drawn. */
export const MAX_LANES = 4;

/** An outage that is over. `from` may lie before the time of the pulse. It is the start of that time then. */
export interface EndedOutage extends TimeSpan {
  readonly of: ListedCheck;
}

export interface BoardHead {
  readonly now: Instant;
  readonly listed: readonly ListedCheck[];
  readonly lanes: readonly Lane<ListedCheck & CheckRow>[];
  /** Checks that are down, and the messages about that. Null if none is. */
  readonly told: {
    readonly checks: readonly ListedCheck[];
    readonly deliveries: readonly (ToldRecord & { readonly checkId: number | null })[];
  } | null;
  readonly past: readonly PulseBucket[];
  /** Outages in the time of the pulse that are over. */
  readonly ended: readonly EndedOutage[];
  readonly expected: readonly number[];
  readonly channels: readonly BoardChannelJson[];
  /** Checks without an integration of their own of which a policy tells somebody, by their ids. */
  readonly toldByRule: ReadonlySet<number>;
}

/** `limit` tells of the checks of the owner of the project, and how many there may be. */
export function checkHeadJson(head: BoardHead, limit: { readonly used: number; readonly max: number }) {
  return {
    ...boardHeadJson(head),
    limit,
    /** Whether nobody has begun yet: the page shows how to. */
    isFirstRun: isFirstRun(head.listed.map(({ check }) => check)),
  };
}

export function boardHeadJson(head: BoardHead) {
  const shown = shownLanes(head.lanes);
  const hidden = head.lanes.filter((lane) => !shown.includes(lane));
  return {
    now: toIsoSeconds(head.now),
    counts: countsJson(head.listed),
    /** The first lanes, the worst first. */
    lanes: shown.map(laneJson),
    /** Checks in trouble that have no lane. */
    more: hidden.reduce((sum, { members }) => sum + members.length, 0),
    /** The present kinds of trouble, the worst first. */
    since: sinceJson(head.lanes),
    /** Who was told about checks that are down. Null if nothing is down. */
    told: head.told && toldSummaryJson(head, head.told),
    /** What checks wait for that are down and that nobody was told of yet, in words. */
    waiting: waitingJson(head.listed),
    /** Checks that nobody would be told of. */
    untold: someJson(head.listed.filter(({ row }) => row.standing !== 'silent').filter(isUnassigned(head))),
    /** Spans of ten minutes. */
    pulse: {
      from: toIsoSeconds(oldestBucket(head.now) * BUCKET),
      step: BUCKET / MICROS_PER_SECOND,
      /** The last one is not over. */
      ran: head.past.map(({ ran }) => ran),
      failed: head.past.map(({ failed }) => failed),
      missed: head.past.map(({ missed }) => missed),
      /** Beginning with the span that is not over. */
      expected: head.expected,
    },
    /** When checks were down that have recovered. */
    outages: merged(head.ended).map(({ from, until }) => ({
      from: toIsoSeconds(from),
      until: toIsoSeconds(until),
    })),
    recovered: recoveredJson(head),
    channels: head.channels,
  };
}

/** Checks that were down in the time of the pulse and are up again, with the last outage of each. */
function recoveredJson({ ended, now }: BoardHead) {
  const last = new Map<ListedCheck, EndedOutage>();
  for (const outage of ended.toSorted((one, other) => one.until - other.until)) {
    if (outage.of.row.status === 'up') last.set(outage.of, outage);
  }
  const some = [...last.values()].slice(0, MAX_NAMED).map(({ from, until, of: { check } }) => ({
    name: check.name,
    /** Null if it began before the time of the pulse. */
    from: from <= oldestBucket(now) * BUCKET ? null : toIsoSeconds(from),
    until: toIsoSeconds(until),
  }));
  return { count: last.size, some };
}

/** Checks by where they stand. `running` and `untold` count some of them again. */
function countsJson(listed: readonly ListedCheck[]) {
  const rows = listed.map(({ row }) => row);
  return {
    ...totalsOf(rows.map(({ standing }) => standing)),
    total: rows.length,
    running: rows.filter(({ isRunning }) => isRunning).length,
    /** Those of `down` that nobody was told of yet. */
    untold: rows.filter(({ answer }) => answer?.kind === 'waiting').length,
  };
}

/** The first lane of each kind of trouble, and as many others as there is room for, in their order. */
function shownLanes(lanes: BoardHead['lanes']): BoardHead['lanes'] {
  const firsts = lanes.filter(
    (lane, place) => place === 0 || troubleOf(lane) !== troubleOf(lanes[place - 1] ?? lane),
  );
  const others = lanes.filter((lane) => !firsts.includes(lane)).slice(0, MAX_LANES - firsts.length);
  return lanes.filter((lane) => firsts.includes(lane) || others.includes(lane));
}

/** The trouble that the checks of a lane have in common. */
function troubleOf({ members: [first] }: BoardHead['lanes'][number]): Trouble {
  return first !== undefined && isTrouble(first.standing) ? first.standing : 'down';
}

function laneJson(lane: BoardHead['lanes'][number]) {
  const { since, until, tag, members } = lane;
  const [first] = members;
  const isOne = members.length === 1 && first !== undefined;
  return {
    /** Null if there are several. */
    key: isOne ? first.check.uniqueKey : null,
    name: isOne ? first.check.name : '',
    count: members.length,
    /** The tag that several have in common. */
    tag,
    status: troubleOf(lane),
    /** Who has it, if it is one and acknowledged. */
    by: isOne && first.standing === 'acknowledged' ? (first.answer?.by ?? null) : null,
    since: toIsoSeconds(since),
    /** When the last one of several turned bad. */
    sinceUntil: toIsoSeconds(until),
    /** The next event of the only check. */
    next: isOne ? laneNext(first.row) : null,
  };
}

function laneNext({
  status,
  deadline,
  next,
}: CheckRow): { readonly kind: 'goes_down' | 'due' | 'overdue'; readonly at: string } | null {
  if (status !== 'down') return deadline === null ? null : { kind: 'goes_down', at: toIsoSeconds(deadline) };
  if (next?.kind !== 'due' && next?.kind !== 'overdue') return null;
  return { kind: next.kind, at: toIsoSeconds(next.at) };
}

/** When the first check came into this kind of trouble, and when the last. Of acknowledged ones: when they were. */
export interface SinceJson {
  readonly trouble: Trouble;
  readonly count: number;
  readonly first: string;
  readonly last: string;
  /** The first of them, in order of time, and who has acknowledged them. */
  readonly some: readonly { readonly name: string; readonly since: string; readonly by: string | null }[];
}

function sinceJson(lanes: BoardHead['lanes']): SinceJson[] {
  return TROUBLES.flatMap((trouble) => {
    const same = lanes
      .flatMap(({ members }) => members)
      .filter(({ standing }) => standing === trouble)
      .map(({ check: { name }, since, answer }) => ({
        name,
        since: trouble === 'acknowledged' ? (answer?.at ?? since) : since,
        by: trouble === 'acknowledged' ? (answer?.by ?? null) : null,
      }))
      .toSorted((one, other) => one.since - other.since)
      .map((one) => ({ ...one, since: toIsoSeconds(one.since) }));
    const [first, last] = [same[0], same.at(-1)];
    if (first === undefined || last === undefined) return [];
    const some = same.slice(0, MAX_NAMED);
    return [{ trouble, count: same.length, first: first.since, last: last.since, some }];
  });
}

function toldSummaryJson(head: BoardHead, { checks, deliveries }: NonNullable<BoardHead['told']>) {
  const told = deliveries.map((one) => ({ ...toldJson(one), checkId: one.checkId }));
  const inTime = checks.toSorted((one, other) => one.row.since - other.row.since);
  const checksOf = (some: readonly { readonly checkId: number | null }[]) =>
    inTime.filter(({ check: { id } }) => some.some(({ checkId }) => checkId === id));
  const missing = Map.groupBy(
    told.filter(({ state }) => state !== 'delivered'),
    ({ channel, state }) => `${channel} ${state}`,
  );
  const reached = [
    ...Map.groupBy(
      told.filter(({ state }) => state === 'delivered'),
      ({ channel }) => channel,
    ),
  ].map(([channel, some]) => ({ channel, checks: checksOf(some) }));
  const isNobodys = isUnassigned(head);
  const sent = new Set(deliveries.map(({ checkId }) => checkId));
  return {
    /** Who was told of which checks: those together who were told of the same ones. */
    reached: [
      ...Map.groupBy(reached, ({ checks: some }) => some.map(({ check: { id } }) => id).join()).values(),
    ].map((same) => ({
      channels: same.map(({ channel }) => channel),
      checks: someJson(same[0]?.checks ?? []),
    })),
    missing: [...missing.values()].flatMap(([first, ...others]) => {
      if (first === undefined) return [];
      const { channel, state, next } = first;
      return [{ channel, state, next, checks: someJson(checksOf([first, ...others])) }];
    }),
    /** The number of checks whose messages were looked at: those that went down last. */
    looked: checks.length,
    /** Nobody is told of these. */
    unassigned: someJson(head.listed.filter(({ row }) => row.standing === 'down').filter(isNobodys)),
    /** Nobody was told of these, though somebody is assigned. The stored status is down once the messages are queued. */
    unsent: someJson(
      checks.filter((one) => one.check.status === 'down' && !isNobodys(one) && !sent.has(one.check.id)),
    ),
  };
}

/** The first checks that nobody was told of yet, what they wait for, and when that would be. */
function waitingJson(listed: readonly ListedCheck[]) {
  return listed
    .flatMap(({ check: { name }, row: { answer, standing } }) => {
      if (standing !== 'down' || answer?.kind !== 'waiting') return [];
      const [words, more] = [waitParts(answer), ifMissedParts(answer)].map(sentenceJson);
      return words === undefined || words.length === 0 ? [] : [{ name, words, more: more ?? [] }];
    })
    .slice(0, MAX_NAMED);
}

/** Checks that nobody is told of: without an integration that is on, and without a policy that tells one. */
function isUnassigned({ channels, toldByRule }: BoardHead): (one: ListedCheck) => boolean {
  const isHeard = hasChannelOn(channels);
  return (one) => !isHeard(one) && !toldByRule.has(one.check.id);
}

/** Whether a check has an integration that is on. */
export function hasChannelOn(
  channels: readonly BoardChannelJson[],
): (one: Pick<ListedCheck, 'channelUuids'>) => boolean {
  const on = new Set(channels.flatMap(({ uuid, isOff }) => (isOff ? [] : [uuid])));
  return ({ channelUuids }) => channelUuids.some((uuid) => on.has(uuid));
}

/** Names of checks that a sentence tells. */
const MAX_NAMED = 3;

/** The number of checks, and the first of them. */
export type SomeChecksJson = Readonly<ReturnType<typeof someJson>>;

function someJson(checks: readonly ListedCheck[]) {
  const some = checks.slice(0, MAX_NAMED).map(({ check: { uniqueKey, name } }) => ({ key: uniqueKey, name }));
  return { count: checks.length, some };
}

function secondsOrNull(duration: Micros | null): number | null {
  return duration === null ? null : Math.round(duration / (MICROS_PER_SECOND / 100)) / 100;
}

export type WallViewJson = Readonly<ReturnType<typeof wallViewJson>>;

/** A check in trouble, or several that turned bad together. */
export type WallTileJson = WallViewJson['tiles'][number];

/** The content of a wall display. It names checks and integrations, and contains no keys. */
export function wallViewJson(
  project: string,
  head: CheckHeadJson,
  details: readonly Pick<CheckDetailsJson, 'key' | 'cause'>[],
) {
  const causes = new Map(details.map(({ key, cause }) => [key, cause]));
  const { now, counts, more, pulse, told, channels } = head;
  const failing = (told?.missing ?? []).filter(({ state }) => state === 'retrying' || state === 'given_up');
  return {
    ...{ project, now, counts, more, pulse },
    /** The worst first. */
    tiles: head.lanes.map(({ key, name, count, status, by, since, next }) => {
      const cause = key === null ? null : (causes.get(key) ?? null);
      // Why, in words. Null for several.
      return { name, count, status, by, since, next, cause: cause?.head ?? null };
    }),
    /** Integrations that failed to tell about checks that are down. */
    failing: failing.map(({ channel, next }) => {
      const known = channels.find(({ uuid }) => uuid === channel);
      return { name: known?.name || known?.kind || '', next };
    }),
  };
}
