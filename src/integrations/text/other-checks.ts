import { checkLabel } from '../../domain/check/check-label.ts';
import type { OtherCheck } from '../../domain/history/alert-story.ts';
import type { AnswerKind } from '../../domain/history/standing.ts';
import { clockText } from '../../lib/text/clock-text.ts';
import { firstCharacters, shortened } from '../../lib/text/excerpt.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { relativeTime } from '../../lib/text/relative-time.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { marked, unknownReader, zoneMark } from './alert-words.ts';

/** The other checks of the project that are down when the message is sent. */
export interface OtherFacts {
  /** Its label in a list of facts. */
  readonly label: 'Also Down' | 'Still Down';
  /** `nightly-etl since 02:47, import since 03:00 + 7 more`. Empty if nothing else is down. */
  readonly brief: string;
  /** In whole sentences, one on each line. Empty if the project has no other checks. */
  readonly note: readonly string[];
}

const MAX_NAME = 200;
/** Of the person, or of the check that is waited for. */
const MAX_ANSWER_NAME = 60;
/** Checks that a brief text names. */
const NAMED = 3;
/** Up to this many checks are named in the note. Beyond it, only the number is told. */
export const MAX_LISTED_OTHERS = 10;

/** A number in a name counts as one: `job 2` comes before `job 10`. */
const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

export function otherFacts(event: AlertEvent, mask: (text: string) => string): OtherFacts | null {
  const { others, to, at, now } = event;
  if (others === null) return null;
  const word = to === 'down' ? 'also' : 'still';
  const named = others.checks.map(({ name, since, lastPingAt, answer }) => ({
    answer: answer === undefined ? '' : answerWords(answer),
    name: shortened(mask(checkLabel(firstCharacters(name, MAX_NAME + 1))), MAX_NAME),
    since: marked(clockText(since, at, unknownReader(event)), zoneMark(event)),
    lastPing: lastPingAt === null ? 'never' : relativeTime(lastPingAt, now),
  }));
  const more = others.down - Math.min(NAMED, named.length);
  const listed = named
    .toSorted((one, two) => byName.compare(one.name, two.name))
    .map(({ name, lastPing, answer }) => `“${name}” (last ping: ${joined(lastPing, answer)})`);
  return {
    label: word === 'also' ? 'Also Down' : 'Still Down',
    brief: `${named
      .slice(0, NAMED)
      .map(({ name, since, answer }) => `${name} since ${since}${answer === '' ? '' : ` (${answer})`}`)
      .join(
        ', ',
      )}${more > 0 ? ` + ${more} more` : ''}${others.held > 0 ? `, ${heldWords(others.held)}` : ''}`,
    note: [
      ...noteOf(others.down, others.total - 1, word, listed),
      ...(others.held > 0 ? [`Nobody is told of ${others.held} that ${dependWord(others.held)} on it.`] : []),
    ],
  };
}

const joined = (...parts: readonly string[]) => parts.filter((part) => part !== '').join(', ');

const ANSWERS: Readonly<Record<AnswerKind, string>> = {
  quiet: 'in a quiet time',
  snoozed: 'snoozed',
  acknowledged: 'acknowledged',
  held: 'waits for another check',
  waiting: 'nobody told yet',
};

/** Why nothing is told of another check: `acknowledged by Anna`, `waits for router`. */
export function answerWords({ kind, by }: NonNullable<OtherCheck['answer']>): string {
  const name = shortened(oneLine(by ?? ''), MAX_ANSWER_NAME);
  if (name === '' || kind === 'quiet' || kind === 'waiting') return ANSWERS[kind];
  return kind === 'held' ? `waits for ${name}` : `${ANSWERS[kind]} by ${name}`;
}

const dependWord = (count: number) => (count === 1 ? 'depends' : 'depend');

/** `12 depend on it` */
export function heldWords(held: number): string {
  return `${held} ${dependWord(held)} on it`;
}

function noteOf(down: number, others: number, word: string, listed: readonly string[]): string[] {
  if (others <= 0) return [];
  if (down === 0) return ['All the other checks are up.'];
  if (down > MAX_LISTED_OTHERS) return [`${down} other checks are ${word} down.`];
  return [`The following checks are ${word} down:`, ...listed];
}
