import type { Check, Status } from '../../domain/check/check.ts';
import { listed } from '../../domain/check/check-links.ts';
import { type RuleValues, storedRules } from '../../domain/check/run-rules.ts';
import { decodeSources, type FieldWriter } from '../../domain/check/sources.ts';
import {
  expectedAt,
  graceStart,
  isRunOverdue,
  isWithin,
  quietSpanOf,
  statusAt,
} from '../../domain/check/status.ts';
import { hintSentence, type TimingHint } from '../../domain/check/timing-hint.ts';
import type { Acknowledgement } from '../../domain/policy/outage.ts';
import { type Instant, MICROS_PER_SECOND, toIsoSeconds } from '../../lib/instant.ts';
import type { Site } from '../site.ts';
import type { NamedSettings } from './check-fields.ts';
import type { ApiVersion } from './version.ts';

export interface Viewer {
  /** Whether UUIDs and ping addresses are shown. */
  readonly seesAddresses: boolean;
  readonly version: ApiVersion;
  readonly now: Instant;
  readonly site: Site;
}

/** The fields of a check that every key sees. */
export interface CheckFacts
  extends Omit<
    NamedSettings,
    'kind' | 'timeout' | 'schedule' | 'tz' | 'run_rules' | 'policy' | 'parents' | 'done_channels'
  > {
  n_pings: number;
  status: Status | 'started';
  started: boolean;
  last_ping: string | null;
  next_ping: string | null;
  subject: string;
  subject_fail: string;
  badge_url: string;
  last_duration?: number;
}

/** The fields that only a read-write key sees. */
export interface CheckAddresses {
  uuid: string;
  ping_url: string;
  update_url: string;
  pause_url: string;
  resume_url: string;
  channels: string;
}

/** The fields since version 3 that every key sees where they are set. */
export interface CheckExtras {
  run_rules?: RuleValues;
  /** Only while the last run has failed. */
  last_success?: string;
  acknowledged?: { at: string; by: string };
  snoozed_until?: string;
  /** Only in a quiet time. */
  quiet_until?: string;
  policy?: string;
  parents?: string[];
  done_channels?: string;
}

/** What is known of a check besides its row. */
export interface BesideRow {
  readonly hints?: readonly TimingHint[] | undefined;
  /** Who has its outage. Absent: nobody has. */
  readonly acknowledgement?: Acknowledgement | undefined;
  /** Of the checks without which it cannot work. Absent: there are none. */
  readonly parentUuids?: readonly string[] | undefined;
}

/** The fields that a read-write key sees since version 3. */
export interface CheckOrigins {
  sources?: Record<string, FieldWriter>;
  /** Only where a single check is asked for. Absent if there are none. */
  hints?: HintJson[];
}

/** A remark about the check, and the settings that would heed it. */
export interface HintJson {
  message: string;
  timeout: number;
  grace: number;
}

export function hintJson(hint: TimingHint): HintJson {
  return { message: hintSentence(hint), timeout: hint.timeoutSeconds, grace: hint.graceSeconds };
}

/** Replaces the addresses for a read-only key. */
export interface CheckPseudonym {
  unique_key: string;
}

export type CheckPeriod = Pick<NamedSettings, 'timeout'>;

export type CheckSchedule = Pick<NamedSettings, 'schedule' | 'tz'>;

export type CheckJson = CheckFacts & (CheckAddresses | CheckPseudonym) & (CheckPeriod | CheckSchedule);

/**
 * The check as the API shows it, with its fields in the order that clients know. A read-only key gets `unique_key`
 * instead of the UUID, because with the UUID anybody can ping.
 */
export function checkJson(check: Check, channelUuids: readonly string[], viewer: Viewer): CheckJson {
  const expected = expectedAt(check);
  return {
    name: check.name,
    slug: check.slug,
    tags: check.tags,
    desc: check.description,
    grace: check.graceSeconds,
    n_pings: check.pingCount,
    status: shownStatus(check, expected, viewer),
    started: check.lastStartAt !== null,
    last_ping: toIsoSeconds(check.lastPingAt),
    next_ping: toIsoSeconds(graceStart(check, expected)),
    manual_resume: check.manualResume,
    methods: check.methods,
    subject: check.filterSubject ? check.successKeywords : '',
    subject_fail: check.filterSubject ? check.failureKeywords : '',
    start_kw: check.startKeywords,
    success_kw: check.successKeywords,
    failure_kw: check.failureKeywords,
    filter_subject: check.filterSubject,
    filter_body: check.filterBody,
    filter_http_body: check.filterHttpBody,
    filter_default_fail: check.filterDefaultFail,
    badge_url: `${viewer.site.root}/b/2/${check.badgeKey}.svg`,
    ...lastDuration(check),
    ...(viewer.seesAddresses ? addresses(check, channelUuids, viewer) : { unique_key: check.uniqueKey }),
    ...(check.kind === 'simple'
      ? { timeout: check.timeoutSeconds }
      : { schedule: check.schedule, tz: check.tz }),
  };
}

function addresses(check: Check, channelUuids: readonly string[], { site, version }: Viewer): CheckAddresses {
  const updateUrl = `${site.root}/api/v${version}/checks/${check.uuid}`;
  return {
    uuid: check.uuid,
    ping_url: site.pingEndpoint + check.uuid,
    update_url: updateUrl,
    pause_url: `${updateUrl}/pause`,
    resume_url: `${updateUrl}/resume`,
    channels: channelUuids.join(','),
  };
}

/** The check as the API answers it. Messages about the check do not tell who has set its fields. */
export function checkAnswer(
  check: Check,
  channelUuids: readonly string[],
  viewer: Viewer,
  { hints = [], ...beside }: BesideRow = {},
): CheckJson & CheckOrigins & CheckExtras {
  const json = checkJson(check, channelUuids, viewer);
  if (viewer.version < 3) return json;
  const extras = { ...extrasOf(check, beside, viewer), ...linksOf(check, channelUuids, beside, viewer) };
  if (!viewer.seesAddresses) return { ...json, ...extras };
  const marks = Object.entries(decodeSources(check.sources));
  return {
    ...json,
    sources: Object.fromEntries(marks.map(([field, { by }]) => [field, by])),
    ...(hints.length > 0 && { hints: hints.map(hintJson) }),
    ...extras,
  };
}

function extrasOf(check: Check, { acknowledgement }: BesideRow, { now }: Viewer): CheckExtras {
  const { runRules, lastResult, lastSuccessAt, snoozedUntilAt, policy } = check;
  const quiet = quietSpanOf(check);
  return {
    ...(runRules !== '' && { run_rules: storedRules(runRules) }),
    ...(lastResult === 'fail' && lastSuccessAt !== null && { last_success: toIsoSeconds(lastSuccessAt) }),
    ...(acknowledgement !== undefined && {
      acknowledged: { at: toIsoSeconds(acknowledgement.at), by: acknowledgement.by },
    }),
    ...(snoozedUntilAt !== null && snoozedUntilAt > now && { snoozed_until: toIsoSeconds(snoozedUntilAt) }),
    ...(quiet !== null && isWithin(quiet, now) && { quiet_until: toIsoSeconds(quiet.until) }),
    ...(policy !== '' && { policy }),
  };
}

function linksOf(
  { parents: keys, doneChannels }: Check,
  channelUuids: readonly string[],
  { parentUuids = [] }: BesideRow,
  { seesAddresses }: Viewer,
): Pick<CheckExtras, 'parents' | 'done_channels'> {
  const parents = seesAddresses ? [...parentUuids] : listed(keys);
  const told = listed(doneChannels).filter((uuid) => channelUuids.includes(uuid));
  return {
    ...(parents.length > 0 && { parents }),
    ...(seesAddresses && told.length > 0 && { done_channels: told.join(',') }),
  };
}

/** Version 1 also has `started`: an open run that is in time hides every other status. */
function shownStatus(check: Check, expected: Instant | null, { version, now }: Viewer): CheckFacts['status'] {
  const isRunning = check.lastStartAt !== null && !isRunOverdue(check, now);
  return version === 1 && isRunning ? 'started' : statusAt(check, now, expected);
}

/** Whole seconds, rounded down. A duration of exactly zero counts as none. */
function lastDuration(check: Check): { last_duration?: number } {
  if (check.lastDuration === null || check.lastDuration === 0) return {};
  return { last_duration: Math.floor(check.lastDuration / MICROS_PER_SECOND) };
}
