import { checkLabel } from '../../domain/check/check-label.ts';
import { sentenceText } from '../../domain/history/status-sentence.ts';
import { happenedAt } from '../../domain/ping/ping.ts';
import type { Block, MailDocument, Phrase } from '../../lib/mail-document/document.ts';
import { spanText } from '../../lib/text/ages.ts';
import { clockText, type TimeReader, wholeTime, zonedTime } from '../../lib/text/clock-text.ts';
import { shortened } from '../../lib/text/excerpt.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { secretsMask } from '../../wire/secrets-mask.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { AlertWords, repeatWords, runsText } from '../text/alert-words.ts';
import { checkLink, TEST_STATEMENT } from '../text/facts.ts';
import { answerWords, heldWords } from '../text/other-checks.ts';
import { subjectOf } from './attached-message.ts';

/** Mail programs show about so many characters of a subject, and so many beside it. */
const MAX_SUBJECT = 78;
const MAX_PREVIEW = 110;
const MAX_NAME = 100;
const MAX_LABEL = 40;
const MAX_MAIL_SUBJECT = 200;
/** Limits for the words of the channel's owner. */
const MAX_OWN_SUBJECT = 200;
const MAX_OWN_TEXT = 10_000;
/** Other checks that a mail lists. */
const MAX_OTHERS = 5;

/** The parts of an alert mail, in their order. Facts that are not known are left out with their labels. */
export function alertDocument(
  event: AlertEvent,
  to: string,
  reader: TimeReader,
  unsubscribeUrl: string,
): MailDocument {
  const mask = secretsMask(event.check.uuid);
  const name = shortened(mask(checkLabel(event.story?.about.name ?? event.check.name)), MAX_NAME);
  const words = event.story === null ? null : new AlertWords(event, event.story, reader);
  const project = mask(oneLine(event.story?.about.projectName ?? event.projectName)) || 'unnamed project';
  const isDown = event.to === 'down';
  const { notice } = event;
  const { title = '', text = '' } = event.ownWords ?? {};
  return {
    subject: title === '' ? titleOf(event, name, words) : shortened(title, MAX_OWN_SUBJECT),
    preview: event.isTest
      ? TEST_STATEMENT
      : notice !== undefined
        ? firstLine(text)
        : shortened(mask(previewOf(event, reader, words)), MAX_PREVIEW),
    top: { from: project, date: zonedTime(event.at, reader) },
    pill: pillOf(event),
    title: notice === undefined ? name : title,
    lead: words === null ? leadWithoutStory(event, text) : leadOf(mask(words.sentence()), isDown),
    blocks: text === '' ? blocksOf(event, name, words, reader, mask) : ownBlocks(event, name, text),
    foot: {
      date: wholeTime(event.at, reader),
      why: `Sent because ${oneLine(to)} is an integration of the project ${project}.`,
      stop: { label: 'Stop mails to this address', href: unsubscribeUrl },
    },
  };
}

/** The name gives way if there is no room: the status and the cause matter more. */
function titleOf(event: AlertEvent, name: string, words: AlertWords | null): string {
  const { to, downFor } = event;
  const again = repeatWords(event);
  const why =
    to === 'down' ? (words?.briefCause() ?? '') : downFor === null ? '' : `was down for ${spanText(downFor)}`;
  const down = again === '' ? 'Down' : again.charAt(0).toUpperCase() + again.slice(1);
  const state = to === 'down' ? `${down}: ` : 'Up again: ';
  const end = why === '' ? '' : ` – ${why}`;
  return `${state}${shortened(name, Math.max(20, MAX_SUBJECT - state.length - end.length))}${end}`;
}

function pillOf({ to, notice }: AlertEvent): MailDocument['pill'] {
  if (notice !== undefined) {
    const tone = to === 'down' ? 'down' : notice.isFine ? 'up' : 'quiet';
    return { tone, word: notice.word };
  }
  return to === 'down' ? { tone: 'down', word: 'Down' } : { tone: 'up', word: 'Up again' };
}

function firstLine(text: string): string {
  return shortened(text.split('\n', 1)[0] ?? '', MAX_PREVIEW);
}

function leadWithoutStory({ isTest, to, notice }: AlertEvent, text: string): Phrase {
  if (isTest) return TEST_STATEMENT;
  if (notice !== undefined) return text.split('\n', 1)[0] ?? '';
  return [{ text: to === 'down' ? 'Down' : 'Up again', as: to }];
}

/** `Down since 03:30 · no ping for 24 h (expected every day at 03:00).` */
function leadOf(sentence: string, isDown: boolean): Phrase {
  const [since = '', ...rest] = sentence.split(' · ');
  const [, cause = '', aside = ''] = /^(.*?)( \(.*\)|,.*)?$/s.exec(rest.join(' · ')) ?? [];
  return [
    { text: since, as: isDown ? 'down' : 'up' },
    ...(cause === '' ? [] : [' · ', { text: cause, as: 'strong' } as const]),
    `${aside}.`,
  ];
}

/** The text beside the subject: the expected run, the last ping, other checks that are down. */
function previewOf(
  { to, at, story, others }: AlertEvent,
  reader: TimeReader,
  words: AlertWords | null,
): string {
  if (story === null || words === null) return '';
  const clock = (time: number) => clockText(time, at, reader);
  const { outage, dueAt, lastPing, nextDueAt } = story;
  const missed = words.missed();
  const also = others === null ? [] : others.checks.slice(0, MAX_OTHERS).map(({ name }) => checkLabel(name));
  const parts =
    to === 'down'
      ? [
          dueAt === null ? '' : `Expected ${clock(dueAt)}, the grace ended ${clock(at)}.`,
          lastPing === null ? 'No ping yet.' : `Last ping ${clock(happenedAt(lastPing))}.`,
          also.length === 0 ? '' : `Also down: ${also.join(', ')}.`,
        ]
      : [
          outage === null
            ? ''
            : `Down from ${clock(outage.from)} to ${clock(at)}${missed === '' ? '' : `, ${missed} missed`}.`,
          nextDueAt === null ? '' : `Next run ${clock(nextDueAt)}.`,
          also.length === 0 ? '' : `Still down: ${also.join(', ')}.`,
        ];
  return parts.filter((part) => part !== '').join(' ');
}

function blocksOf(
  event: AlertEvent,
  name: string,
  words: AlertWords | null,
  reader: TimeReader,
  mask: (text: string) => string,
): Block[] {
  const facts = (words?.facts() ?? []).map(({ label, value }) => ({ label, value: masked(value, mask) }));
  const runs = event.story?.runs ?? [];
  const sentence = runsText(runs);
  return [
    ...(facts.length === 0 ? [] : [{ kind: 'facts', facts } as const]),
    ...linkTo(event, name),
    ...(sentence === null ? [] : [{ kind: 'runs', marks: runs, sentence } as const]),
    ...outputOf(event, reader, mask),
    ...othersOf(event, reader),
  ];
}

/** The text of the channel's owner stands for the facts. The status and the link stay. */
function ownBlocks(event: AlertEvent, name: string, text: string): Block[] {
  // The first line of a notice is the lead.
  const below = event.notice === undefined ? text : text.split('\n').slice(1).join('\n').trim();
  if (below === '') return linkTo(event, name);
  const texts = shortened(below, MAX_OWN_TEXT).split(/\n{2,}/);
  return [{ kind: 'paragraphs', heading: null, texts }, ...linkTo(event, name)];
}

/** The page of the check, and what the reader can do at once. */
function linkTo(event: AlertEvent, name: string): Block[] {
  const link = checkLink(event);
  const links = event.buttons.map(({ label, url }) => ({ label, href: url }));
  return [
    ...(link === null
      ? []
      : [{ kind: 'link', label: `Open ${shortened(name, MAX_LABEL)}`, href: link } as const]),
    ...(links.length === 0 ? [] : [{ kind: 'links', links } as const]),
  ];
}

function masked(value: Phrase, mask: (text: string) => string): Phrase {
  if (typeof value === 'string') return mask(value);
  return value.map((piece) =>
    typeof piece === 'string' ? mask(piece) : { ...piece, text: mask(piece.text) },
  );
}

/** The last lines of the ping's body. A mail is attached instead. */
function outputOf(
  { at, to, reason, story, ping, body }: AlertEvent,
  reader: TimeReader,
  mask: (text: string) => string,
): Block[] {
  if (story?.lastPing == null) return [];
  const { lastPing, output } = story;
  const heading = to === 'up' || reason === 'fail' ? 'Its output' : 'Last output';
  const when = clockText(happenedAt(lastPing), at, reader);
  const aside =
    heading === 'Its output' ? '' : lastPing.signal === 'success' ? `${when}, when it still worked` : when;
  if (output !== null) return [{ kind: 'output', heading, aside, lines: output }];
  if (ping?.scheme !== 'email' || body === null) return [];
  const subject = mask(shortened(oneLine(subjectOf(body)), MAX_MAIL_SUBJECT));
  return [
    {
      kind: 'paragraphs',
      heading: { heading, aside },
      texts: [`${subject === '' ? '' : `${subject}\n`}See the attachment last-ping.eml.`],
    },
  ];
}

/** The other checks that are down when the mail is sent. */
function othersOf({ at, to, story, others }: AlertEvent, reader: TimeReader): Block[] {
  if (story === null || others === null || others.checks.length === 0) return [];
  const words = (cause: (typeof others.checks)[number]['cause'], now: number) => {
    const text = sentenceOf(cause, now, reader);
    return text.charAt(0).toLowerCase() + text.slice(1);
  };
  const listed = others.checks.slice(0, MAX_OTHERS);
  const left = others.down - listed.length;
  return [
    {
      kind: 'list',
      heading: {
        heading: to === 'down' ? 'Also down' : 'Still down',
        aside: `${others.down} of ${others.total}${others.held > 0 ? `, ${heldWords(others.held)}` : ''}`,
      },
      items: listed.map(({ name, since, cause, line, answer }) => ({
        name: shortened(checkLabel(name), MAX_NAME),
        aside: `since ${clockText(since, at, reader)}${answer === undefined ? '' : `, ${answerWords(answer)}`}`,
        text: words(cause, others.at),
        line: line === null ? null : shortened(line, 80),
      })),
      more: left > 0 ? `+ ${left} more` : null,
    },
  ];
}

function sentenceOf(
  cause: { readonly head: Parameters<typeof sentenceText>[0] } | null,
  now: number,
  reader: TimeReader,
): string {
  return sentenceText(cause?.head ?? [], now, (time) => clockText(time, now, reader)).replace(/\.$/, '');
}
