import type { act } from '../../app/act.ts';
import type { Answer } from '../../app/read.ts';

export type QuietTimes = Answer<'quietTimes'>;
export type QuietTime = QuietTimes['quietTimes'][number];
export type QuietTimeInput = Omit<Parameters<typeof act.announceQuietTime>[0], 'project'>;

/** What has to be sent to make it as it is. Null if the checks are gone that it names: without them it would be about all. */
export function inputOf(quietTime: QuietTime): QuietTimeInput | null {
  const { name, reason, tags, isWhole, schedule, tz, duration, from, until } = quietTime;
  const checks = quietTime.checks.flatMap(({ uuid }) => uuid ?? []);
  if (!isWhole && tags === '' && checks.length === 0) return null;
  const about = { name, reason, tags, checks };
  if (schedule !== null) return { ...about, schedule, tz: tz ?? 'UTC', duration };
  return { ...about, from: secondOf(from), until: secondOf(until) };
}

const secondOf = (at: string | null): number => Math.floor(Date.parse(at ?? '') / 1_000);

/** Where it stands at that time: an answer of the server grows old. */
export function stateAt({ from, until, schedule }: QuietTime, now: number): QuietTime['state'] {
  if (until === null || Date.parse(until) <= now) return schedule === null ? 'over' : 'coming';
  return from !== null && Date.parse(from) <= now ? 'running' : 'coming';
}

/** Running ones, then those that come once, then those that come again. The first to end or to begin comes first. */
export function inOrder(quietTimes: readonly QuietTime[], now: number): QuietTime[] {
  const rank = (one: QuietTime) => {
    if (stateAt(one, now) === 'running') return 0;
    return one.schedule === null ? 1 : 2;
  };
  const edge = (one: QuietTime) => Date.parse((rank(one) === 0 ? one.until : one.from) ?? '') || 0;
  return quietTimes
    .filter((one) => stateAt(one, now) !== 'over')
    .toSorted((one, other) => rank(one) - rank(other) || edge(one) - edge(other));
}

const LEAST_PAUSE_MS = 1_000;
const MOST_PAUSE_MS = 600_000;

/** How long until one begins or ends. False if none does. */
export function pauseUntilEdge(quietTimes: readonly QuietTime[], now: number): number | false {
  const edges = quietTimes
    .flatMap(({ from, until }) => [from, until])
    .map((at) => Date.parse(at ?? '') - now)
    .filter((pause) => pause > -LEAST_PAUSE_MS);
  return edges.length === 0
    ? false
    : Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, ...[Math.min(...edges) + LEAST_PAUSE_MS]));
}
