import type { Fit, SchedulePreview } from '../../domain/check/schedule-preview.ts';
import type { Explanation } from '../../domain/ping/keyword-filter.ts';
import type { Ping, Signal } from '../../domain/ping/ping.ts';
import type { ScheduleFault, SchedulePart } from '../../domain/schedule/anatomy.ts';
import type { FoundSchedule } from '../../domain/schedule/plain-words.ts';
import { TIMEZONE_NAMES } from '../../domain/schedule/timezone-names.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { type Instant, toIsoSeconds } from '../../lib/instant.ts';
import type { BoardChannelJson } from './check-board-output.ts';

/** A starting point for a new check. */
export interface TemplateJson {
  readonly id: 'nightly' | 'minutes' | 'timer' | 'github';
  readonly kind: 'simple' | 'cron' | 'oncalendar';
  readonly timeout: number;
  readonly schedule: string;
  readonly grace: number;
}

const TEMPLATES: readonly TemplateJson[] = [
  { id: 'nightly', kind: 'cron', timeout: 86_400, schedule: '0 3 * * *', grace: 1_800 },
  { id: 'minutes', kind: 'simple', timeout: 300, schedule: '*/5 * * * *', grace: 180 },
  { id: 'timer', kind: 'oncalendar', timeout: 86_400, schedule: '*-*-* 03:00:00', grace: 1_800 },
  { id: 'github', kind: 'cron', timeout: 3_600, schedule: '0 * * * *', grace: 1_200 },
];

/** What the editor offers. */
export interface EditorJson {
  readonly templates: readonly TemplateJson[];
  /** The integrations that can be told. */
  readonly channels: readonly BoardChannelJson[];
  readonly tags: readonly string[];
  /** Zones of the project, the most used first. */
  readonly used_zones: readonly string[];
  readonly zones: readonly string[];
  readonly limits: {
    readonly name: number;
    readonly slug: number;
    readonly tags: number;
    readonly keywords: number;
  };
  /** How many checks the owner of the project has, and may have. */
  readonly room: { readonly used: number; readonly limit: number };
}

export function editorJson(
  choices: Pick<EditorJson, 'tags' | 'room'> & { readonly zones: readonly string[] },
  channels: EditorJson['channels'],
): EditorJson {
  return {
    templates: TEMPLATES,
    channels,
    tags: choices.tags,
    used_zones: choices.zones,
    zones: TIMEZONE_NAMES,
    limits: {
      name: TEXT_LIMITS.checkName,
      slug: TEXT_LIMITS.checkSlug,
      tags: TEXT_LIMITS.checkTags,
      keywords: TEXT_LIMITS.checkKeywords,
    },
    room: choices.room,
  };
}

/** A schedule found in what somebody has pasted or written. */
export interface FoundScheduleJson {
  readonly kind: 'simple' | 'cron' | 'oncalendar';
  readonly schedule: string;
  readonly timeout: number | null;
  readonly tz: string | null;
  readonly command: string | null;
  readonly source: 'crontab' | 'timer' | 'alias' | 'words';
  /** When it runs, in words. */
  readonly words: string;
}

/** What a draft of a schedule means. */
export interface PreviewJson {
  /** Null if it is refused. */
  readonly words: string | null;
  readonly parts: readonly SchedulePart[];
  readonly fault: ScheduleFault | null;
  readonly found: FoundScheduleJson | null;
  readonly runs: readonly string[];
  readonly week_from: string | null;
  /** Hours with a run, counted from `week_from`. */
  readonly week: readonly number[];
  /** If the coming week tells nothing: runs of the coming year, at least one of each day with a run. */
  readonly year: readonly string[];
  readonly clock_changes: readonly { readonly zone: string; readonly at: string; readonly shift: number }[];
  /** The first run after them that the reader's clock shows at another time. */
  readonly shifted: string | null;
  readonly effect: {
    readonly goes_down: boolean;
    readonly last_ping: string | null;
    readonly due: string | null;
    readonly down: string | null;
  } | null;
  readonly fit: {
    readonly runs: number;
    readonly least: number;
    readonly most: number;
    readonly is_within_grace: boolean;
    readonly enough: number;
    readonly hours_off: number;
  } | null;
}

interface Previewed {
  readonly found: (FoundSchedule & { readonly words: string }) | null;
  readonly preview:
    | SchedulePreview
    | { readonly fault: ScheduleFault; readonly parts: readonly SchedulePart[] };
  readonly effect: {
    readonly goesDown: boolean;
    readonly lastPingAt: Instant | null;
    readonly dueAt: Instant | null;
    readonly downAt: Instant | null;
  } | null;
  readonly fit: Fit | null;
}

export function previewJson({ found, preview, effect, fit }: Previewed): PreviewJson {
  const isRefused = 'fault' in preview;
  return {
    words: isRefused ? null : preview.words,
    parts: preview.parts,
    fault: isRefused ? preview.fault : null,
    found: found && foundJson(found),
    runs: isRefused ? [] : preview.runs.map((at) => toIsoSeconds(at)),
    week_from: isRefused ? null : toIsoSeconds(preview.weekFrom),
    week: isRefused ? [] : preview.week,
    year: isRefused ? [] : preview.year.map((at) => toIsoSeconds(at)),
    clock_changes: isRefused
      ? []
      : preview.changes.map(({ zone, at, shift }) => ({ zone, at: toIsoSeconds(at), shift })),
    shifted: isRefused ? null : toIsoSeconds(preview.shifted),
    effect: effect && {
      goes_down: effect.goesDown,
      last_ping: toIsoSeconds(effect.lastPingAt),
      due: toIsoSeconds(effect.dueAt),
      down: toIsoSeconds(effect.downAt),
    },
    fit: fit && {
      ...{ runs: fit.runs, least: fit.least, most: fit.most, enough: fit.enough },
      is_within_grace: fit.isWithinGrace,
      hours_off: fit.hoursOff,
    },
  };
}

export function foundJson(found: FoundSchedule & { readonly words: string }): FoundScheduleJson {
  const { kind, expression, timeoutSeconds, tz, command, source, words } = found;
  return { kind, schedule: expression, timeout: timeoutSeconds, tz, command, source, words };
}

/** A ping, and what the keywords make of it. */
export interface TriedPingJson {
  readonly n: number;
  readonly at: string;
  /** The beginning of its body. Null if it is kept elsewhere. */
  readonly excerpt: string | null;
  readonly signal: Signal | null;
  readonly keyword: string | null;
}

export interface FilterTrialJson {
  readonly pings: readonly TriedPingJson[];
  /** What the text means that was sent along. */
  readonly text: { readonly signal: Signal; readonly keyword: string | null } | null;
}

const MAX_EXCERPT = 300;

export function triedPingJson(tried: {
  readonly ping: Ping;
  readonly body: string | null;
  readonly explanation: Explanation | null;
}): TriedPingJson {
  const { ping, body, explanation } = tried;
  return {
    n: ping.n,
    at: toIsoSeconds(ping.createdAt),
    excerpt: body === null ? null : body.slice(0, MAX_EXCERPT),
    signal: explanation?.signal ?? null,
    keyword: explanation?.keyword ?? null,
  };
}
