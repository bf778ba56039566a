import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import { nextOccurrence } from '../schedule/schedule.ts';
import { TEXT_LIMITS } from '../text-limits.ts';
import type { Check } from './check.ts';
import type { Span } from './status.ts';
import { splitTags } from './tags.ts';

/** Checks are covered this long before a quiet time begins, so that no deadline of its first moments is missed. */
export const COVERED_AHEAD: Micros = seconds(60);

/** The shortest and the longest quiet time. */
export const MIN_QUIET_SECONDS = 60;
export const MAX_QUIET_SECONDS = 2_592_000;
/** One that comes once begins at most this long after it was announced. */
export const MAX_QUIET_AHEAD: Micros = seconds(366 * 86_400);
/** Quiet times of a project that run or will come. */
export const MAX_QUIET_TIMES = 500;
/** Spans that follow each other without a gap, as one. A chain of more is continued when it ends. */
const MAX_JOINED = 25;

/** A span in which checks are not expected and not told of. It comes once, or again and again. */
export interface QuietTime {
  id: number;
  uuid: string;
  projectId: number;
  name: string;
  reason: string;
  /** Who has announced it. */
  madeBy: string;
  /** Without checks and tags it covers the whole project. */
  checkIds: readonly number[];
  /** Separated by spaces. A check with any of them is covered. */
  tags: string;
  /** The beginning of one that comes once. Of a recurring one only spans count that begin then or later. */
  fromAt: Instant;
  /** Null if it recurs. */
  untilAt: Instant | null;
  /** Empty if it comes once. */
  schedule: string;
  tz: string;
  durationSeconds: number;
  /** When checks have to be covered by its next span. Null when none comes. */
  nextAt: Instant | null;
  createdAt: Instant;
}

/** A quiet time as somebody announces it. It comes once, from `fromAt` or now, or by a schedule. */
export interface QuietTimeInput {
  /** Empty: it is called as its reason. */
  readonly name: string;
  readonly reason: string;
  /** UUIDs or slugs. */
  readonly checks: readonly string[];
  readonly tags: string;
  /** Null: now. */
  readonly fromAt: Instant | null;
  /** Null: `durationSeconds` after its beginning. */
  readonly untilAt: Instant | null;
  readonly durationSeconds: number | null;
  /** Empty: it comes once. */
  readonly schedule: string;
  readonly tz: string;
}

/** What a quiet time is called that has neither a name nor a reason. */
const UNNAMED = 'quiet time';

export function quietTimeName({ name, reason }: Pick<QuietTimeInput, 'name' | 'reason'>): string {
  return name || [...reason].slice(0, TEXT_LIMITS.quietTimeName).join('').trim() || UNNAMED;
}

export type NewQuietTime = Omit<QuietTime, 'id'>;

type Timing = Pick<QuietTime, 'fromAt' | 'untilAt' | 'schedule' | 'tz' | 'durationSeconds'>;

/** The first span that ends after that time. Null if none comes. */
export function spanAfter(quietTime: Timing, after: Instant): Span | null {
  const { fromAt, untilAt, schedule, tz, durationSeconds } = quietTime;
  if (untilAt !== null) return untilAt > after ? { from: fromAt, until: untilAt } : null;
  const duration = seconds(durationSeconds);
  // The fraction of a second is dropped, and a beginning is a whole second.
  const from = nextOccurrence(schedule, tz, Math.max(after - duration, fromAt - 1));
  return from === null ? null : { from, until: from + duration };
}

/** Spans of one quiet time that are looked at. More of them within days would leave no time to watch anything. */
const MAX_LISTED = 100;

/** The spans that lie within that time, at least partly, in order. Spans that overlap or follow each other are one. */
export function quietSpansIn(quietTimes: readonly Timing[], { from, until }: Span): Span[] {
  const found = quietTimes.flatMap((quietTime) => {
    const spans: Span[] = [];
    for (let after = from; spans.length < MAX_LISTED; ) {
      const span = spanAfter(quietTime, after);
      if (span === null || span.from >= until) break;
      spans.push(span);
      after = span.until;
    }
    return spans;
  });
  const joined: Span[] = [];
  for (const span of found.toSorted((one, other) => one.from - other.from)) {
    const last = joined.at(-1);
    if (last === undefined || span.from > last.until) joined.push(span);
    else joined[joined.length - 1] = { from: last.from, until: Math.max(last.until, span.until) };
  }
  return joined;
}

/** The first span that begins after that time. Null if none comes. It may begin before the last one has ended. */
export function nextSpan(quietTime: Timing, after: Instant): Span | null {
  const { fromAt, untilAt, schedule, tz, durationSeconds } = quietTime;
  if (untilAt !== null) return fromAt > after ? { from: fromAt, until: untilAt } : null;
  const from = nextOccurrence(schedule, tz, Math.max(after, fromAt - 1));
  return from === null ? null : { from, until: from + seconds(durationSeconds) };
}

/** When checks have to be covered by this span. Null if there is none. */
export function coveringAt(span: Span | null): Instant | null {
  return span === null ? null : span.from - COVERED_AHEAD;
}

/** Quiet times that are named together. More would make no sentence. */
const MAX_NAMED = 3;

/** What a span is called that these quiet times make together. Empty if none of them takes part. */
export function nameOfSpan(
  span: Span,
  quietTimes: readonly (Timing & Pick<QuietTime, 'name'>)[],
  spanOf: typeof spanAfter = spanAfter,
): string {
  return namesOf(quietTimes.filter((one) => (spanOf(one, span.from)?.from ?? span.until) < span.until));
}

/** The names of quiet times, for a sentence. */
export function namesOf(quietTimes: readonly Pick<QuietTime, 'name'>[]): string {
  return [...new Set(quietTimes.map(({ name }) => name))].slice(0, MAX_NAMED).join(', ');
}

/** Whether it covers all checks. One whose checks are gone still names them, and covers none. */
export function coversProject({ checkIds, tags }: Pick<QuietTime, 'checkIds' | 'tags'>): boolean {
  return checkIds.length === 0 && tags === '';
}

/** Which of these quiet times cover a check. What they name is read once, however many checks are asked about. */
export class Coverage<Q extends Pick<QuietTime, 'checkIds' | 'tags'>> {
  readonly #all: readonly Q[];
  readonly #ofProject: readonly number[];
  readonly #byCheck: ReadonlyMap<number, readonly Place[]>;
  readonly #byTag: ReadonlyMap<string, readonly Place[]>;

  constructor(quietTimes: readonly Q[]) {
    this.#all = quietTimes;
    this.#ofProject = quietTimes.flatMap((one, place) => (coversProject(one) ? [place] : []));
    const checks = quietTimes.flatMap(({ checkIds }, place) => checkIds.map((name) => ({ name, place })));
    const tags = quietTimes.flatMap((one, place) => splitTags(one.tags).map((name) => ({ name, place })));
    this.#byCheck = Map.groupBy(checks, ({ name }) => name);
    this.#byTag = Map.groupBy(tags, ({ name }) => name);
  }

  /** In the order in which they were given. */
  of(check: Pick<Check, 'id' | 'tags'>): Q[] {
    const named = splitTags(check.tags).flatMap((tag) => this.#byTag.get(tag) ?? []);
    const places = [...(this.#byCheck.get(check.id) ?? []), ...named].map(({ place }) => place);
    return [...new Set([...this.#ofProject, ...places])]
      .sort((one, other) => one - other)
      .flatMap((place) => this.#all[place] ?? []);
  }
}

/** One of the quiet times, by its place among them. */
interface Place {
  readonly place: number;
}

/**
 * The same as `spanAfter`, for many questions about times that are close to each other. A schedule is evaluated once for each span,
 * and not once for each question.
 */
export function rememberingSpans(look: typeof spanAfter = spanAfter): typeof spanAfter {
  const known = new Map<Timing, { since: Instant; readonly span: Span | null }[]>();
  return (quietTime, after) => {
    const spans = known.getOrInsertComputed(quietTime, () => []);
    // The latest ones are asked about most.
    const found = spans.findLast(
      ({ since, span }) => since <= after && (span === null || after < span.until),
    );
    if (found !== undefined) return found.span;
    const span = look(quietTime, after);
    const same = spans.find((one) => one.span?.until === span?.until);
    if (same === undefined) spans.push({ since: after, span });
    else same.since = Math.min(same.since, after);
    return span;
  };
}

/**
 * The span of these quiet times that runs now, or begins so soon that checks are covered by it already. Spans that overlap or
 * follow each other are one. Null if there is none.
 */
export function quietSpanAt(
  quietTimes: readonly Timing[],
  now: Instant,
  spanOf: typeof spanAfter = spanAfter,
): Span | null {
  const isNear = (span: Span | null, until: Instant): span is Span =>
    span !== null && span.from <= until && span.until > now;
  const first = quietTimes
    .map((quietTime) => spanOf(quietTime, now))
    .filter((span) => isNear(span, now + COVERED_AHEAD))
    .toSorted((one, other) => one.from - other.from)[0];
  if (first === undefined) return null;
  let { from, until } = first;
  for (let joined = 0; joined < MAX_JOINED; joined++) {
    const more = quietTimes
      .map((quietTime) => spanOf(quietTime, until))
      .filter((span) => isNear(span, until));
    if (more.length === 0) break;
    from = Math.min(from, ...more.map((span) => span.from));
    until = Math.max(until, ...more.map((span) => span.until));
  }
  return { from, until };
}
