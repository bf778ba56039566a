import { CALM, type Totals, TROUBLES, type Trouble } from '../../../src/domain/history/standing.ts';
import type {
  BoardHeadJson,
  LaneJson,
  SentenceJson,
  SinceJson,
  SomeChecksJson,
  ToldJson,
} from '../../../src/views/board-json.ts';
import { m } from '../../messages/index.ts';

const MINUTE_MS = 60_000;
/** Checks that a sentence names. */
const MAX_NAMED = 3;
/** Sentences about who was told of what. */
const MAX_SENTENCES = 2;

const clock = (at: string) => ({ at, as: 'clock' }) as const;

/** A part of a headline, with the sign that follows it. */
export interface HeadlinePart {
  readonly kind: Trouble;
  readonly words: string;
}

/** What is wrong, the worst first: `2 down,` `1 acknowledged,` `1 late.` `untold` are those of `down` that nobody was told of. */
export function headlineParts(totals: Totals, untold: number): HeadlinePart[] {
  const { answer } = m.checks;
  const parents = totals.down || totals.acknowledged;
  // Checks that wait for others follow these.
  const order = totals.down > 0 ? TROUBLES : TROUBLES.toSorted((one, other) => rank(one) - rank(other));
  const kinds = order.filter((kind) => totals[kind] > 0);
  return kinds.map((kind, place) => {
    const isLast = place === kinds.length - 1;
    const words = kind === 'held' ? answer.held(totals.held, parents) : answer[kind](totals[kind]);
    const told = kind === 'down' && untold > 0 ? `, ${answer.notTold(untold, totals.down)}` : '';
    return {
      kind,
      words: `${kind === 'held' && isLast && place > 0 ? 'and ' : ''}${words}${told}${isLast ? '.' : ','}`,
    };
  });
}

const rank = (kind: Trouble): number => (kind === 'acknowledged' ? 0 : TROUBLES.indexOf(kind) + 1);

/** The first words of a headline where nothing is wrong. `isAll`: no check waits for its first run, or for its next. */
export function fineWords({ fine, new: fresh, ready }: Totals): string {
  const { allFine, someFine } = m.checks.answer;
  return fresh + ready === 0 ? allFine(fine) : someFine(fine);
}

/** The checks that need no attention: `2 fine, 1 silent on purpose, 1 waiting for the first run.` Empty if there are none. */
export function calmWords(totals: Totals): string {
  const parts = CALM.filter((kind) => totals[kind] > 0).map((kind) => m.checks.answer[kind](totals[kind]));
  return parts.length === 0 ? '' : `${parts.join(', ')}.`;
}

/** Since when checks are down, late and slow, each by its own words. They are named if they are few. */
export function sinceParts(since: readonly SinceJson[], isNamed = true): SentenceJson {
  return since.flatMap((one, place) => [
    ...(place === 0 ? [] : [' ']),
    ...(isNamed && one.count === one.some.length ? namedParts(one) : countedParts(one)),
    '.',
  ]);
}

const areApart = (first: string, last: string) => Date.parse(last) - Date.parse(first) >= MINUTE_MS;

function namedParts({ trouble, first, last, some }: SinceJson): SentenceJson {
  const { has, somebody } = m.checks.answer;
  if (trouble === 'acknowledged')
    return some.flatMap((one, place) => {
      const who = one.by ?? somebody;
      const words = has(place === 0 ? whoAtStart(who) : who, nameOf(one));
      return [`${place === 0 ? '' : ', '}${words} `, clock(one.since)];
    });
  const words = m.checks.answer.since[trouble];
  if (some.length > 1 && !areApart(first, last))
    return [`${m.checks.answer.names(some.map(nameOf))} ${words.several} `, clock(first)];
  return some.flatMap((one, place) => [
    `${place === 0 ? '' : ', '}${nameOf(one)} ${place === 0 ? words.one : words.next} `,
    clock(one.since),
  ]);
}

function countedParts({ trouble, first, last }: SinceJson): SentenceJson {
  const { since, latestSince, acknowledgedSince } = m.checks.answer;
  return [
    `${trouble === 'acknowledged' ? acknowledgedSince : since[trouble].many} `,
    clock(first),
    ...(areApart(first, last) ? [latestSince, clock(last)] : []),
  ];
}

/** At the start of a sentence: an article has a capital. Names and addresses stay as they are. */
export const whoAtStart = (who: string) => who.replace(/^a (?=\S)/, 'A ');

/** What checks wait for that are down and that nobody was told of. `count` is the number of all in trouble: the only one needs no name. */
export function waitingParts(waiting: BoardHeadJson['waiting'], count: number): SentenceJson {
  return waiting.flatMap(({ name, words: [first = '', ...rest], more }, place) => {
    const begin = count === 1 && typeof first === 'string' ? capitalised(first) : first;
    const who = count === 1 ? [] : [`${nameOf({ name })}: `];
    const after = more.length === 0 ? [] : [' ', ...more, '.'];
    return [...(place === 0 ? [] : [' ']), ...who, begin, ...rest, '.', ...after];
  });
}

const capitalised = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

/** Which checks were down, and when. They are named if they are few. */
export function recoveredParts({ count, some }: BoardHeadJson['recovered']): SentenceJson {
  const { answer } = m.checks;
  if (count > some.length) return [answer.wereDown(count)];
  const parts = some.flatMap(({ name, from, until }, place) => [
    `${place === 0 ? '' : ', '}${nameOf({ name })} ${place === 0 ? `${answer.wasDown} ` : ''}`,
    ...(from === null ? [answer.until] : [`${answer.from} `, clock(from), ` ${answer.to}`]),
    ' ',
    clock(until),
  ]);
  return [...parts, count === 1 ? answer.isUpAgain : answer.areUpAgain];
}

/** Puts together what several projects say. */
export function sinceOver(all: readonly SinceJson[]): SinceJson[] {
  const inTime = all.toSorted((one, other) => Date.parse(one.first) - Date.parse(other.first));
  return [...Map.groupBy(inTime, ({ trouble }) => trouble)].map(([trouble, same]) => ({
    trouble,
    count: same.reduce((sum, { count }) => sum + count, 0),
    first: same[0]?.first ?? '',
    last:
      same
        .map(({ last }) => last)
        .toSorted()
        .at(-1) ?? '',
    some: same
      .flatMap(({ some }) => some)
      .toSorted((one, other) => Date.parse(one.since) - Date.parse(other.since))
      .slice(0, MAX_NAMED),
  }));
}

const nameOf = ({ name }: { readonly name: string }): string => name || m.checks.unnamed;

export const namesOf = ({ some }: SomeChecksJson): string[] => some.map(nameOf);

/** Who was told of what is down. */
export type ToldSummary = NonNullable<BoardHeadJson['told']>;

/** The numbers of checks that are down, and in any trouble. */
export interface TroubleCounts {
  readonly down: number;
  readonly troubled: number;
}

/** Who was told, by name, and of which checks, unless these are all that are in trouble. */
export function toldWords(
  { reached, missing, looked, unassigned, unsent }: ToldSummary,
  { down, troubled }: TroubleCounts,
  channelName: (uuid: string) => string,
): string {
  const { answer } = m.checks;
  if (reached.length === 0)
    return missing.length === 0 && unassigned.count + unsent.count > 0 ? '' : answer.toldNobody;
  if (reached.length > MAX_SENTENCES) {
    const channels = new Set(reached.flatMap(({ channels }) => channels));
    return answer.toldOfSome([...channels].map(channelName));
  }
  const checksOf = (checks: SomeChecksJson) => {
    const { count } = checks;
    if (count === troubled) return '';
    if (count > 1 && count === down) return answer.allDown(count);
    return count > 1 && count === looked && looked < down
      ? answer.lastDown(count)
      : answer.names(namesOf(checks), count);
  };
  return reached
    .map(({ channels, checks }) => answer.told(channels.map(channelName), checksOf(checks)))
    .join(' ');
}

/** An integration that was not reached, and for which checks, unless these are all that are in trouble. */
export function missingParts(
  { state, next, checks }: ToldSummary['missing'][number],
  name: string,
  troubled: number,
): SentenceJson {
  const { answer } = m.checks;
  const about = checks.count === troubled ? '' : answer.notReachedFor(namesOf(checks), checks.count);
  const time = state === 'retrying' && next !== null ? [' ', clock(next)] : [];
  return [`${answer.notReached(name)}${about}; ${answer.states[state]}`, ...time, '.'];
}

/** Checks that came into trouble within minutes. */
export function togetherWords({ count, tag, status, since, sinceUntil }: LaneJson): string {
  const minutes = Math.ceil((Date.parse(sinceUntil) - Date.parse(since)) / MINUTE_MS);
  return m.checks.answer.together(count, tag, status, minutes);
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
