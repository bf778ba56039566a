import type { Channel, OffReason } from '../../domain/alert/channel.ts';
import type { Check } from '../../domain/check/check.ts';
import { crontabTime } from '../../domain/check/crontab.ts';
import { scheduleWords, scheduleZone } from '../../domain/check/schedule-words.ts';
import type { ScheduleKind } from '../../domain/check/settings.ts';
import { deadlineOf } from '../../domain/check/status.ts';
import { splitTags } from '../../domain/check/tags.ts';
import type { Downtime } from '../../domain/history/downtime.ts';
import type { FuseStation } from '../../domain/history/fuse.ts';
import type { Run, RunResult } from '../../domain/history/run.ts';
import type { RunFigures } from '../../domain/history/run-figures.ts';
import type { CheckState, StatusStory } from '../../domain/history/status-sentence.ts';
import { type Caller, isAllowed } from '../../domain/people/permission.ts';
import type { Project } from '../../domain/people/project.ts';
import type { PingAddress } from '../../domain/ping/ping-address.ts';
import { type Instant, type Micros, toIsoMicros, toIsoSeconds } from '../../lib/instant.ts';
import type { Site } from '../site.ts';
import {
  addressText,
  type CauseJson,
  causeJson,
  type SentenceJson,
  sentenceJson,
  type ToldJson,
  toldJson,
} from './check-board-output.ts';
import { secondsOrNull } from './event-output.ts';
import { type MarkdownJson, markdownJson } from './markdown-output.ts';

/** A station of the fuse; those after `now` are still to come. */
export interface StationJson {
  readonly kind: FuseStation['kind'];
  readonly at: string;
  readonly isGood: boolean;
  /** Integrations that were told, or are told then. */
  readonly told: number | null;
  readonly of: number | null;
  /** The UUID of the integration that is tried again, and which try it is. */
  readonly channel: string | null;
  readonly attempt: number | null;
}

export interface PageRunJson {
  readonly result: RunResult;
  readonly at: string;
  readonly duration: number | null;
  readonly exitStatus: number | null;
  /** The ping that ended the run, or began it. */
  readonly n: number | null;
  /** How many runs were missed, one after the other. Zero for a run that came. More than 1,000 are not counted exactly. */
  readonly missed: number;
}

/** An integration of the project, and whether it is told of this check. */
export interface PageChannelJson {
  readonly id: string;
  /** The name of the kind. */
  readonly label: string;
  readonly name: string;
  readonly assigned: boolean;
  readonly state: 'on' | 'off' | 'unconfirmed';
  readonly offReason: OffReason | null;
  /** How the last message to it went, of any check. */
  readonly last: { readonly at: string; readonly error: string } | null;
  /** What became of the message about the present status. */
  readonly told: ToldJson | null;
}

export interface MonthJson {
  readonly from: string;
  /** Null if the check did not exist. */
  readonly down: { readonly count: number; readonly seconds: number; readonly uptime: string } | null;
}

export interface CheckPageJson {
  /** Names the check to everybody, also where its UUID must not be shown. */
  readonly key: string;
  /** Null for whoever may not ping. */
  readonly uuid: string | null;
  readonly project: { readonly id: string; readonly name: string };
  readonly may: { readonly edit: boolean; readonly ping: boolean; readonly retry: boolean };
  readonly name: string;
  readonly slug: string;
  readonly tags: readonly string[];
  /** Empty if there is none. */
  readonly description: MarkdownJson;
  readonly status: CheckState;
  readonly running: boolean;
  readonly slow: boolean;
  readonly since: string;
  readonly sentence: SentenceJson;
  readonly cause: CauseJson | null;
  readonly usual: number | null;
  /** When the open run began, and by when it has to end. */
  readonly started: string | null;
  readonly deadline: string | null;
  readonly created: string;
  /** The number of the last ping. */
  readonly pings: number;
  readonly fuse: readonly StationJson[];
  readonly runs: readonly PageRunJson[];
  readonly figures: {
    readonly median: number | null;
    readonly p95: number | null;
    readonly trendPerWeek: number | null;
    readonly good: number;
    readonly ended: number;
  };
  readonly channels: readonly PageChannelJson[];
  readonly schedule: {
    readonly kind: ScheduleKind;
    readonly words: string;
    /** Null for a period. */
    readonly expression: string | null;
    readonly tz: string | null;
    readonly grace: number;
    readonly due: readonly string[];
    /** The time part of a line of a crontab. Null if none fits. */
    readonly crontab: string | null;
  };
  /** The current month first. Empty as long as the job has not pinged. */
  readonly months: readonly MonthJson[];
  /** Null for whoever may not ping, and if there is no address of the form that the project shows. */
  readonly pingUrl: string | null;
  /** The form of the address, and why it does not work. Null for whoever may not ping. */
  readonly address: Pick<PingAddress, 'form' | 'problem'> | null;
  readonly onlyPost: boolean;
  readonly now: string;
}

interface PageToShow {
  readonly check: Check;
  readonly project: Pick<Project, 'uuid' | 'name'>;
  readonly address: PingAddress | null;
  readonly story: StatusStory;
  readonly line: string | null;
  readonly fuse: readonly FuseStation[];
  readonly runs: readonly Run[];
  readonly figures: RunFigures;
  readonly channels: readonly (Channel & { readonly label: string })[];
  readonly assigned: ReadonlySet<string>;
  readonly told: readonly Parameters<typeof toldJson>[0][];
  readonly due: readonly Instant[];
  readonly months: readonly { from: Instant; length: Micros; downtime: Downtime | null }[];
  readonly now: Instant;
}

export function checkPageJson(page: PageToShow, caller: Caller, site: Site): CheckPageJson {
  const { check, story, figures } = page;
  const seesAddresses = isAllowed(caller, 'checks.view_addresses');
  return {
    key: check.uniqueKey,
    uuid: seesAddresses ? check.uuid : null,
    project: { id: page.project.uuid, name: page.project.name },
    may: {
      edit: isAllowed(caller, 'checks.edit'),
      ping: seesAddresses,
      retry: isAllowed(caller, 'channels.test'),
    },
    ...{ name: check.name, slug: check.slug, tags: splitTags(check.tags) },
    description: markdownJson(check.description),
    ...{ status: story.state, running: story.isRunning, slow: story.isSlow },
    since: toIsoSeconds(story.since),
    sentence: sentenceJson(story.sentence),
    cause: story.cause && causeJson(story.cause, page.line),
    usual: secondsOrNull(story.usual),
    started: toIsoMicros(check.lastStartAt),
    deadline: toIsoMicros(deadlineOf(check)),
    created: toIsoSeconds(check.createdAt),
    pings: check.pingCount,
    fuse: page.fuse.map(stationJson),
    runs: page.runs.map(runJson),
    figures: {
      median: secondsOrNull(figures.median),
      p95: secondsOrNull(figures.p95),
      trendPerWeek: secondsOrNull(figures.trendPerWeek),
      good: figures.good,
      ended: figures.ended,
    },
    channels: page.channels.map((channel) => channelJson(channel, page)),
    schedule: {
      kind: check.kind,
      words: scheduleWords(check),
      expression: check.kind === 'simple' ? null : check.schedule,
      tz: scheduleZone(check),
      grace: check.graceSeconds,
      due: page.due.map((at) => toIsoSeconds(at)),
      crontab: crontabTime(check),
    },
    months: page.months.map(monthJson),
    pingUrl: page.address && addressText(page.address, site),
    address: page.address && { form: page.address.form, problem: page.address.problem },
    onlyPost: check.methods === 'POST',
    now: toIsoMicros(page.now),
  };
}

function stationJson(station: FuseStation): StationJson {
  return {
    kind: station.kind,
    at: toIsoSeconds(station.at),
    isGood: station.kind === 'last_ping' ? station.isGood : true,
    told: station.kind === 'told' ? station.told : station.kind === 'goes_down' ? station.tells : null,
    of: station.kind === 'told' ? station.of : null,
    channel: station.kind === 'retry' ? station.channel : null,
    attempt: station.kind === 'retry' ? station.attempt : null,
  };
}

function runJson({ result, at, duration, exitStatus, endN, startN, missed }: Run): PageRunJson {
  return {
    ...{ result, at: toIsoSeconds(at), duration: secondsOrNull(duration), exitStatus: exitStatus },
    n: endN ?? startN,
    missed,
  };
}

function channelJson(
  channel: PageToShow['channels'][number],
  { assigned, told }: PageToShow,
): PageChannelJson {
  const { uuid, label, name, off, verified, lastAttempt } = channel;
  const message = told.find(({ channelUuid }) => channelUuid === uuid);
  return {
    ...{ id: uuid, label, name, assigned: assigned.has(uuid) },
    state: off !== null ? 'off' : verified ? 'on' : 'unconfirmed',
    offReason: off?.reason ?? null,
    last: lastAttempt && { at: toIsoSeconds(lastAttempt.startedAt), error: lastAttempt.error },
    told: message === undefined ? null : toldJson(message),
  };
}

function monthJson({ from, length, downtime }: PageToShow['months'][number]): MonthJson {
  return {
    from: toIsoSeconds(from),
    down: downtime && {
      count: downtime.count,
      seconds: Math.floor(downtime.duration / 1_000_000),
      uptime: percentOf(length - downtime.duration, length),
    },
  };
}

/** Cut to two decimals, not rounded: an outage is never rounded away. */
function percentOf(part: number, whole: number): string {
  const hundredths = whole <= 0 ? 10_000 : Math.floor((Math.max(0, part) / whole) * 10_000);
  return hundredths === 10_000 ? '100' : (hundredths / 100).toFixed(2);
}
