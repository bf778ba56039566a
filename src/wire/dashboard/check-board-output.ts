import type { DeliveryState } from '../../domain/alert/delivery.ts';
import type { CheckSummary } from '../../domain/check/check.ts';
import { isFirstRun } from '../../domain/check/first-check.ts';
import { scheduleWords, scheduleZone } from '../../domain/check/schedule-words.ts';
import { splitTags } from '../../domain/check/tags.ts';
import type { CheckRow, Lane, NextEvent, RowStatus } from '../../domain/history/check-row.ts';
import { BUCKET, oldestBucket, type PulseBucket } from '../../domain/history/pulse.ts';
import type { Run, RunResult } from '../../domain/history/run.ts';
import { runFigures } from '../../domain/history/run-figures.ts';
import type { Cause, CauseKind, SentencePart, StatusStory } from '../../domain/history/status-sentence.ts';
import type { PingAddress } from '../../domain/ping/ping-address.ts';
import { type Instant, MICROS_PER_SECOND, type Micros, toIsoSeconds } from '../../lib/instant.ts';

/**
 * A piece of a sentence: words, an instant that the page writes, or a schedule in words with the zone of its times. The
 * zone is null if the words name it themselves.
 */
export type SentencePartJson =
  | string
  | { readonly at: string; readonly as: 'clock' | 'age' | 'left' }
  | { readonly schedule: string; readonly tz: string | null };

export type SentenceJson = readonly SentencePartJson[];

/** A check in the list of all checks of a project: enough to filter, to group and to sort. */
export interface CheckRowJson {
  /** Names the check to everybody, also where its UUID must not be shown. */
  readonly key: string;
  /** Null for a reader who may not ping. */
  readonly uuid: string | null;
  readonly name: string;
  readonly slug: string;
  readonly tags: readonly string[];
  readonly status: RowStatus;
  /** Whether a run is open, whatever the status. */
  readonly running: boolean;
  readonly slow: boolean;
  readonly since: string;
  readonly lastPing: string | null;
  /** It has pinged, and waits for a ping again: somebody has resumed it, or cleared its events. */
  readonly ready: boolean;
  /** In seconds. */
  readonly lastDuration: number | null;
  /** When the open run began. */
  readonly started: string | null;
  readonly next: { readonly kind: NextEvent['kind']; readonly at: string } | null;
  /** When the status changes by itself. */
  readonly until: string | null;
  readonly schedule: string;
  /** The time zone of the schedule, if it depends on one. */
  readonly tz: string | null;
  /** In seconds. */
  readonly grace: number;
  /** UUIDs of its integrations. */
  readonly channels: readonly string[];
  /** Grows with every change. */
  readonly revision: number;
  /** The UUID of its project, in the list over all projects. */
  readonly project?: string;
}

export interface CheckRowsJson {
  /** In order of creation. */
  readonly checks: readonly CheckRowJson[];
}

export interface ListedCheck {
  readonly check: CheckSummary;
  readonly revision: number;
  readonly channelUuids: readonly string[];
  readonly row: CheckRow;
}

export function checkRowJson({ check, revision, channelUuids, row }: ListedCheck): CheckRowJson {
  return {
    key: check.uniqueKey,
    uuid: check.uuid,
    name: check.name,
    slug: check.slug,
    tags: splitTags(check.tags),
    status: row.status,
    running: row.isRunning,
    slow: row.isSlow,
    since: toIsoSeconds(row.since),
    lastPing: toIsoSeconds(check.lastPingAt),
    ready: row.status === 'new' && check.pingCount > 0,
    lastDuration: secondsOrNull(check.lastDuration),
    started: toIsoSeconds(check.lastStartAt),
    next: row.next && { kind: row.next.kind, at: toIsoSeconds(row.next.at) },
    until: Number.isFinite(row.span.until) ? toIsoSeconds(row.span.until) : null,
    schedule: scheduleWords(check),
    tz: scheduleZone(check),
    grace: check.graceSeconds,
    channels: channelUuids,
    revision,
  };
}

/** With the UUID anybody can ping. */
export function withoutAddress(row: CheckRowJson): CheckRowJson {
  return { ...row, uuid: null };
}

/** The last runs, oldest first: parallel lists, since there are many. */
export interface RunStripJson {
  /** A letter for each: o ok, f failed, l late, m missed, r running. Runs missed one after the other have one letter. */
  readonly results: string;
  /** The number of runs behind each m. More than 1,000 in all are not counted exactly. */
  readonly missed: readonly number[];
  /** In seconds. */
  readonly durations: readonly (number | null)[];
  readonly at: readonly string[];
  /** The ping that ended the run, or began it. */
  readonly n: readonly (number | null)[];
}

const LETTERS: Readonly<Record<RunResult, string>> = {
  ok: 'o',
  failed: 'f',
  late: 'l',
  missed: 'm',
  running: 'r',
};

export function runStripJson(runs: readonly Run[]): RunStripJson {
  return {
    results: runs.map(({ result }) => LETTERS[result]).join(''),
    missed: runs.flatMap(({ result, missed }) => (result === 'missed' ? [missed] : [])),
    durations: runs.map(({ duration }) => secondsOrNull(duration)),
    at: runs.map(({ at }) => toIsoSeconds(at)),
    n: runs.map(({ endN, startN }) => endN ?? startN),
  };
}

export interface CauseJson {
  readonly kind: CauseKind;
  readonly head: SentenceJson;
  readonly rest: SentenceJson;
  readonly exitStatus: number | null;
  /** The last line of what the failed run has said. */
  readonly line: string | null;
}

/** A message about the present trouble. */
export interface ToldJson {
  /** The UUID of the integration. */
  readonly channel: string;
  readonly state: 'delivered' | 'waiting' | 'retrying' | 'given_up' | 'off';
  /** When it was delivered, or given up. */
  readonly at: string | null;
  readonly tries: number;
  readonly error: string;
  readonly next: string | null;
}

/** Coming events besides the next run. */
export type AheadJson =
  | { readonly kind: 'goes_down'; readonly at: string; readonly tells: number }
  | { readonly kind: 'retry'; readonly at: string; readonly channel: string }
  | { readonly kind: 'stays_down' };

/** A row in view, told in full. */
export interface CheckDetailsJson {
  readonly key: string;
  readonly revision: number;
  readonly sentence: SentenceJson;
  readonly cause: CauseJson | null;
  /** In seconds. */
  readonly usual: number | null;
  readonly runs: RunStripJson;
  /** Durations of the good runs in the strip, in seconds. */
  readonly durations: { readonly median: number | null; readonly p95: number | null };
  readonly told: readonly ToldJson[];
  readonly ahead: readonly AheadJson[];
  /** Null for a reader who may not ping. */
  readonly pingUrl: string | null;
}

export interface CheckDetailListJson {
  readonly checks: readonly CheckDetailsJson[];
}

interface ToldRecord {
  readonly channelUuid: string;
  readonly state: DeliveryState;
  readonly attemptCount: number;
  readonly nextAttemptAt: Instant | null;
  readonly finishedAt: Instant | null;
  readonly error: string;
}

export interface DetailedCheck {
  readonly listed: ListedCheck;
  readonly story: StatusStory;
  readonly runs: readonly Run[];
  readonly line: string | null;
  readonly told: readonly ToldRecord[];
  readonly pingUrl: string | null;
}

export function checkDetailsJson({
  listed,
  story,
  runs,
  line,
  told,
  pingUrl,
}: DetailedCheck): CheckDetailsJson {
  return {
    key: listed.check.uniqueKey,
    revision: listed.revision,
    sentence: sentenceJson(story.sentence),
    cause: story.cause && causeJson(story.cause, line),
    usual: secondsOrNull(story.usual),
    runs: runStripJson(runs),
    durations: durationsJson(runs),
    told: told.map(toldJson),
    ahead: aheadJson(listed, story, told),
    pingUrl: pingUrl,
  };
}

/** Null if there is no such address. */
export function addressText({ path }: PingAddress, site: { readonly pingEndpoint: string }): string | null {
  return path && site.pingEndpoint + path;
}

function durationsJson(runs: readonly Run[]): CheckDetailsJson['durations'] {
  const { median, p95 } = runFigures(runs);
  return { median: secondsOrNull(median), p95: secondsOrNull(p95) };
}

export function sentenceJson(parts: readonly SentencePart[]): SentenceJson {
  return parts.map((part) =>
    typeof part === 'string' || 'schedule' in part ? part : { ...part, at: toIsoSeconds(part.at) },
  );
}

export function causeJson({ kind, head, rest, exitStatus }: Cause, line: string | null): CauseJson {
  return { kind, head: sentenceJson(head), rest: sentenceJson(rest), exitStatus: exitStatus, line };
}

export function toldJson(told: ToldRecord): ToldJson {
  return {
    channel: told.channelUuid,
    state: toldState(told),
    at: toIsoSeconds(told.finishedAt),
    tries: told.attemptCount,
    error: told.error,
    next: toIsoSeconds(told.nextAttemptAt),
  };
}

function toldState({ state, attemptCount }: ToldRecord): ToldJson['state'] {
  if (state === 'open') return attemptCount === 0 ? 'waiting' : 'retrying';
  return state === 'skipped' ? 'off' : state;
}

function aheadJson(
  { row, channelUuids }: ListedCheck,
  { cause }: StatusStory,
  told: readonly ToldRecord[],
): AheadJson[] {
  if ((row.status === 'late' || row.isSlow) && row.deadline !== null) {
    return [{ kind: 'goes_down', at: toIsoSeconds(row.deadline), tells: channelUuids.length }];
  }
  if (row.status !== 'down') return [];
  const retries = told.flatMap(({ nextAttemptAt, channelUuid, attemptCount }): AheadJson[] =>
    nextAttemptAt === null || attemptCount === 0
      ? []
      : [{ kind: 'retry', at: toIsoSeconds(nextAttemptAt), channel: channelUuid }],
  );
  return cause?.kind === 'failed' ? [...retries, { kind: 'stays_down' }] : retries;
}

/** Checks by status. `running` and `slow` count some of the others again. */
export interface CountsJson {
  readonly total: number;
  readonly up: number;
  readonly late: number;
  readonly down: number;
  readonly paused: number;
  readonly new: number;
  readonly running: number;
  readonly slow: number;
}

/** A check in trouble on the time axis, or several that turned bad together. */
export interface LaneJson {
  /** Null if there are several. */
  readonly key: string | null;
  readonly name: string;
  readonly count: number;
  readonly status: 'down' | 'late' | 'slow';
  readonly since: string;
  /** When the last one of several turned bad. */
  readonly sinceUntil: string;
  /** The next event of the only check. */
  readonly next: { readonly kind: 'goes_down' | 'due' | 'overdue'; readonly at: string } | null;
}

/** An integration, as far as a list of checks shows it. */
export interface BoardChannelJson {
  readonly uuid: string;
  readonly kind: string;
  /** The name of the kind. */
  readonly label: string;
  readonly name: string;
  readonly isOff: boolean;
}

/** The head of a list, of one project or of all. */
export interface BoardHeadJson {
  readonly now: string;
  readonly counts: CountsJson;
  /** The first lanes, the worst first. */
  readonly lanes: readonly LaneJson[];
  /** Checks in trouble that have no lane. */
  readonly more: number;
  /** When the oldest of the present troubles began. */
  readonly troubleSince: string | null;
  /** The channels that were not told about checks that are down. Null if nothing is down. */
  readonly told: {
    /** Whether anybody has been told. */
    readonly anybody: boolean;
    readonly missing: readonly {
      readonly channel: string;
      readonly state: ToldJson['state'];
      readonly next: string | null;
    }[];
  } | null;
  /** Spans of ten minutes. */
  readonly pulse: {
    readonly from: string;
    readonly step: number;
    /** The last one is not over. */
    readonly ran: readonly number[];
    readonly failed: readonly number[];
    readonly missed: readonly number[];
    /** Beginning with the span that is not over. */
    readonly expected: readonly number[];
  };
  readonly channels: readonly BoardChannelJson[];
}

/** The head of a project's list. */
export interface CheckHeadJson extends BoardHeadJson {
  /** The checks of the owner of the project, and how many there may be. */
  readonly limit: { readonly used: number; readonly max: number };
  /** Whether nobody has begun yet: the page shows how to. */
  readonly isFirstRun: boolean;
}

/** Lanes that are drawn. */
export const MAX_LANES = 4;

export interface BoardHead {
  readonly now: Instant;
  readonly listed: readonly ListedCheck[];
  readonly lanes: readonly Lane<ListedCheck & CheckRow>[];
  readonly told: readonly ToldRecord[] | null;
  readonly past: readonly PulseBucket[];
  readonly expected: readonly number[];
  readonly channels: readonly BoardChannelJson[];
}

export function checkHeadJson(head: BoardHead, limit: CheckHeadJson['limit']): CheckHeadJson {
  return {
    ...boardHeadJson(head),
    limit,
    isFirstRun: isFirstRun(head.listed.map(({ check }) => check)),
  };
}

export function boardHeadJson(head: BoardHead): BoardHeadJson {
  const shown = head.lanes.slice(0, MAX_LANES);
  const hidden = head.lanes.slice(MAX_LANES);
  return {
    now: toIsoSeconds(head.now),
    counts: countsJson(head.listed),
    lanes: shown.map(laneJson),
    more: hidden.reduce((sum, { members }) => sum + members.length, 0),
    troubleSince: toIsoSeconds(earliest(head.lanes)),
    told: head.told && toldSummaryJson(head.told),
    pulse: {
      from: toIsoSeconds(oldestBucket(head.now) * BUCKET),
      step: BUCKET / MICROS_PER_SECOND,
      ran: head.past.map(({ ran }) => ran),
      failed: head.past.map(({ failed }) => failed),
      missed: head.past.map(({ missed }) => missed),
      expected: head.expected,
    },
    channels: head.channels,
  };
}

function countsJson(listed: readonly ListedCheck[]): CountsJson {
  const counts = { total: 0, up: 0, late: 0, down: 0, paused: 0, new: 0, running: 0, slow: 0 };
  for (const { row } of listed) {
    counts.total++;
    counts[row.status]++;
    if (row.isRunning) counts.running++;
    if (row.isSlow) counts.slow++;
  }
  return counts;
}

function laneJson({ since, until, members }: BoardHead['lanes'][number]): LaneJson {
  const [first] = members;
  const isOne = members.length === 1 && first !== undefined;
  return {
    key: isOne ? first.check.uniqueKey : null,
    name: isOne ? first.check.name : '',
    count: members.length,
    status: first === undefined || first.row.isSlow ? 'slow' : first.row.status === 'late' ? 'late' : 'down',
    since: toIsoSeconds(since),
    sinceUntil: toIsoSeconds(until),
    next: isOne ? laneNext(first.row) : null,
  };
}

function laneNext({ status, deadline, next }: CheckRow): LaneJson['next'] {
  if (status !== 'down') return deadline === null ? null : { kind: 'goes_down', at: toIsoSeconds(deadline) };
  if (next?.kind !== 'due' && next?.kind !== 'overdue') return null;
  return { kind: next.kind, at: toIsoSeconds(next.at) };
}

function earliest(lanes: BoardHead['lanes']): Instant | null {
  return lanes.length === 0 ? null : Math.min(...lanes.map(({ since }) => since));
}

function toldSummaryJson(told: readonly ToldRecord[]): BoardHeadJson['told'] {
  const missing = new Map<string, { channel: string; state: ToldJson['state']; next: string | null }>();
  for (const { channel, state, next } of told.map(toldJson)) {
    if (state === 'delivered' || missing.has(channel)) continue;
    missing.set(channel, { channel, state, next });
  }
  const anybody = told.some(({ state }) => state === 'delivered');
  return { anybody, missing: [...missing.values()] };
}

function secondsOrNull(duration: Micros | null): number | null {
  return duration === null ? null : Math.round(duration / (MICROS_PER_SECOND / 100)) / 100;
}
