import type { BoardHeadJson, SentenceJson, SinceJson, ToldJson } from '../../../src/views/board-json.ts';
import { m } from '../../messages/index.ts';

const MINUTE_MS = 60_000;

const clock = (at: string) => ({ at, as: 'clock' }) as const;

/** Since when checks are down, late and slow, each by its own words. */
export function sinceParts(since: readonly SinceJson[]): SentenceJson {
  const { answer } = m.checks;
  const parts = since.flatMap(({ trouble, first, last }, place) => {
    const words = answer.since[trouble];
    const areApart = Date.parse(last) - Date.parse(first) >= MINUTE_MS;
    return [
      place === 0 ? words.charAt(0).toUpperCase() + words.slice(1) : `; ${words}`,
      clock(first),
      ...(areApart ? [answer.lastSince, clock(last)] : []),
    ];
  });
  return parts.length === 0 ? [] : [...parts, '.'];
}

/** Puts together what several projects say. */
export function sinceOver(all: readonly SinceJson[]): SinceJson[] {
  return [...Map.groupBy(all, ({ trouble }) => trouble)].map(([trouble, same]) => ({
    trouble,
    first: same.map(({ first }) => first).toSorted()[0] ?? '',
    last:
      same
        .map(({ last }) => last)
        .toSorted()
        .at(-1) ?? '',
  }));
}

/** Who was told of what is down. */
export type ToldSummary = NonNullable<BoardHeadJson['told']>;

/** Whether those who are assigned were told, as far as nothing else has been said of them. */
export function toldWords(
  { anybody, missing, looked, unassigned, unsent }: ToldSummary,
  down: number,
): string {
  const { answer } = m.checks;
  const untold = unassigned.count + unsent.count;
  if (!anybody) return missing.length === 0 && untold > 0 ? '' : answer.toldNobody;
  if (missing.length > 0) return answer.toldElse;
  if (looked < down) return answer.toldLast(looked);
  return untold > 0 ? answer.toldOthers : answer.toldAll;
}

/** A destination that was not reached: On-call, 4 tries, last 22:49, answered 503; next 22:53. */
export function notReachedParts(
  { state, tries, tried, at, error, next }: ToldJson,
  name: string,
): SentenceJson {
  const { row } = m.checks;
  const why = error === '' ? '' : `, ${row.error(error)}`;
  const begin = `${name}, ${row.tries(tries)}`;
  if (state === 'given_up')
    return [`${begin}, ${row.givenUp}`, ...(at === null ? [] : [' ', clock(at)]), why];
  return [
    begin,
    ...(tried === null ? [] : [`, ${row.last} `, clock(tried)]),
    why,
    ...(next === null ? [] : [`; ${row.nextTry} `, clock(next)]),
  ];
}
