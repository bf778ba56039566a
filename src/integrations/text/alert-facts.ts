import { checkLabel } from '../../domain/check/check-label.ts';
import { splitTags } from '../../domain/check/tags.ts';
import { spanText } from '../../lib/text/ages.ts';
import { durationText, periodText } from '../../lib/text/durations.ts';
import { clipped, decodeBody, firstCharacters, shortened } from '../../lib/text/excerpt.ts';
import { oneLine, plainLines } from '../../lib/text/one-line.ts';
import { secretsMask } from '../../wire/secrets-mask.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { AlertWords, repeatWords, unknownReader, zoneMark } from './alert-words.ts';
import { checkLink, lastPingText, reasonText, totalPings } from './facts.ts';
import { type OtherFacts, otherFacts } from './other-checks.ts';

/** The number of characters of a ping's body that a chat message quotes. */
const QUOTED_BODY = 1000;
/** The number of characters of a description that it quotes. */
const QUOTED_DESCRIPTION = 500;

/** The number of characters of other texts. People write no longer ones, but older versions took them. */
const MAX_NAME = 200;
const MAX_TAGS = 500;
const MAX_SCHEDULE = 200;
const MAX_LINE = 500;

/** So many units of UTF-16, and bytes of a body, are enough for all of these. */
const ENOUGH = 3_000;
const ENOUGH_BYTES = 8_000;

/** The number of characters of the owner's title and text, with their placeholders filled in. */
const OWN_TITLE = 200;
const OWN_TEXT = 3000;

/** The state in messages without colours. */
export const CIRCLES = { DOWN: '🔴', UP: '🟢', NOTED: '🟡' };

/**
 * The content of a short message as plain text. Nothing is escaped yet. It contains nothing that lets a reader send
 * pings.
 */
export interface AlertFacts {
  /** The title that the owner of the channel has written. Null: the kind writes one. */
  readonly ownTitle: string | null;
  /** Their text. It stands for the sentence and all facts, which are empty then. Null: there is none. */
  readonly ownText: string | null;
  /** Whether nothing has happened, and somebody wants to see a message. */
  readonly isTest: boolean;
  readonly name: string;
  /** `NOTED`: it tells of no change, and not all is well. */
  readonly state: keyof typeof CIRCLES;
  /** The check's page; null if there is none. */
  readonly link: string | null;
  /** Why it went down; empty if there is no reason. */
  readonly reason: string;
  /** The duration of the outage; empty if unknown. */
  readonly downtime: string;
  /** The runs that never came while it was down: `one run`, `3 runs`. Empty if there are none, or that is not known. */
  readonly missed: string;
  /**
   * Since when, why, and the expectation: `Down since 03:30 Berlin · no ping for 24 h (expected every day at 03:00)`.
   * Empty if the story of the change is not known.
   */
  readonly sentence: string;
  /** Why it went down, or how long it was down, in a few words for a title: `no ping for 24 h`. May be empty. */
  readonly brief: string;
  /** The beginning of the description. */
  readonly description: string;
  readonly project: string;
  readonly tags: readonly string[];
  /** The expected rhythm of pings: either a period, or a schedule with its time zone. */
  readonly cadence:
    | { readonly period: string }
    | { readonly kind: 'cron' | 'oncalendar'; readonly schedule: string; readonly timeZone: string };
  readonly totalPings: string;
  /** `Success, an hour ago, took 6 min 41 s`, or `Never`. */
  readonly lastPing: string;
  /** When a check that came up is due next; empty if that is not known. */
  readonly nextRun: string;
  /** The other checks of the project that are down; null if that is not known. */
  readonly others: OtherFacts | null;
  /** The beginning of the last ping's body; empty if there is none. */
  readonly body: string;
  /** The last line of that body; empty if there is none, or the story is not known. */
  readonly lastLine: string;
}

/** The text of the channel's owner may quote the body of a ping. */
export function alertFacts(event: AlertEvent): AlertFacts {
  const { title = '', text = '' } = event.ownWords ?? {};
  const ownTitle = title === '' ? null : shortened(title, OWN_TITLE);
  const ownText = text === '' ? null : shortened(text, OWN_TEXT);
  const facts = { ...ourFacts(event), ownTitle, ownText };
  return ownText === null ? facts : { ...facts, description: '', body: '', lastLine: '', others: null };
}

function ourFacts(event: AlertEvent): Omit<AlertFacts, 'ownTitle' | 'ownText'> {
  const { check, ping, now, body, story } = event;
  const mask = secretsMask(check.uuid);
  return {
    name: shortened(mask(checkLabel(startOf(story?.about.name ?? check.name))), MAX_NAME),
    isTest: event.isTest,
    state: stateOf(event),
    link: checkLink(event),
    reason: reasonText(event.reason),
    downtime: event.downFor === null ? '' : durationText(event.downFor),
    ...storyFacts(event, mask),
    description: shortened(mask(plainLines(startOf(check.description))).trim(), QUOTED_DESCRIPTION),
    project: shortened(oneLine(startOf(event.projectName)), MAX_NAME),
    tags: splitTags(firstCharacters(check.tags, MAX_TAGS)).map((tag) => mask(oneLine(tag))),
    cadence:
      check.cadence.kind === 'simple'
        ? { period: periodText(check.cadence.timeoutSeconds) }
        : {
            kind: check.cadence.kind,
            schedule: shortened(plainLines(check.cadence.schedule).trim(), MAX_SCHEDULE),
            timeZone: oneLine(check.cadence.tz),
          },
    totalPings: String(totalPings(ping)),
    lastPing: lastPingText(ping, now, story?.lastPing?.duration ?? null),
    others: otherFacts(event, mask),
    body:
      body === null
        ? ''
        : mask(clipped(plainLines(decodeBody(body.subarray(0, ENOUGH_BYTES))), QUOTED_BODY)).trim(),
    lastLine: shortened(
      startOf(story?.output?.findLast((line) => line.trim() !== '')?.trim() ?? ''),
      MAX_LINE,
    ),
  };
}

function stateOf({ to, notice }: AlertEvent): AlertFacts['state'] {
  if (to === 'down') return 'DOWN';
  return notice === undefined || notice.isFine ? 'UP' : 'NOTED';
}

/** More of a text than any of these limits needs. The rest would cost time for nothing. */
function startOf(text: string): string {
  return text.slice(0, ENOUGH);
}

type StoryFacts = Pick<AlertFacts, 'missed' | 'sentence' | 'brief' | 'nextRun'>;

function storyFacts(event: AlertEvent, mask: (text: string) => string): StoryFacts {
  const { to, downFor, story } = event;
  const wasDown = downFor === null ? '' : `was down for ${spanText(downFor)}`;
  const again = repeatWords(event);
  if (story === null) return { missed: '', sentence: '', brief: again || wasDown, nextRun: '' };
  const words = new AlertWords(event, story, unknownReader(event), zoneMark(event));
  return {
    missed: words.missed(),
    sentence: shortened(mask(words.sentence()), MAX_LINE),
    brief: shortened(to === 'down' ? mask(joined(again, words.briefCause())) : wasDown, MAX_NAME),
    nextRun: to === 'up' ? words.nextRun() : '',
  };
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ');
}
