import type { Answer } from '../../domain/history/answer.ts';
import {
  answerParts,
  type Cause,
  type SentencePart,
  sentenceText,
} from '../../domain/history/status-sentence.ts';
import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { Block, Item, MailText, Phrase } from '../../lib/mail-document/document.ts';
import { writeMail } from '../../lib/mail-document/write.ts';
import { ageText, spanText } from '../../lib/text/ages.ts';
import { clockText, type TimeReader, wholeTime, zonedTime } from '../../lib/text/clock-text.ts';
import { shortened } from '../../lib/text/excerpt.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { type MessageSite, projectAddress } from '../site.ts';
import { checkName, MAX_PREVIEW, MAX_SUBJECT, namesText, projectName } from './mail-text.ts';

export interface Reminder {
  readonly now: Instant;
  /** When the last one was sent. Null if this is the first, or if it was sent long ago. */
  readonly lastAt: Instant | null;
  /** When the next one comes if nothing changes. Null if that is not known. */
  readonly nextAt: Instant | null;
  readonly everySeconds: number;
  /** The projects that have checks that are down. */
  readonly projects: readonly { readonly name: string; readonly uuid: string }[];
  /** The number of checks that are down. */
  readonly total: number;
  /** The checks that went down last, the newest first. */
  readonly checks: readonly DownCheck[];
  /** Checks that came up since the last reminder, the newest first. */
  readonly recovered: readonly { readonly name: string; readonly at: Instant }[];
  /** The recipient. */
  readonly email: string;
  readonly reader: TimeReader;
  readonly site: MessageSite;
  readonly unsubscribeUrl: string;
}

export interface DownCheck {
  /** May be empty. */
  readonly name: string;
  readonly since: Instant;
  readonly cause: Pick<Cause, 'head' | 'rest'> | null;
  /** Who has it, or why nobody is told. Null if that is not so. */
  readonly answer: Answer | null;
  /** When it is due next by its schedule. Null if it never is, or is due at any time. */
  readonly nextDueAt: Instant | null;
  /** The last line that the failed run has written. Null if there is none. */
  readonly line: string | null;
}

/** Outages that began within this time are told to have begun together. */
const TOGETHER: Micros = seconds(3600);
/** Names in a title. */
const NAMED = 2;

/** The mail about the checks that are still down. */
export function reminderMail(reminder: Reminder): MailText {
  const { now, total, checks, reader, email, projects, unsubscribeUrl } = reminder;
  const names = stillDown(reminder);
  const [project] = projects;
  const where = projects.length === 1 && project ? ` · ${projectName(project)}` : '';
  return writeMail({
    subject: shortened(`Still down: ${names}`, MAX_SUBJECT),
    preview: previewOf(reminder),
    top: { from: `Reminder${where}`, date: zonedTime(now, reader) },
    pill: { tone: 'down', word: `${total} still down` },
    title: names,
    lead: leadOf(reminder),
    blocks: [
      {
        kind: 'entries',
        items: checks.map((check) => itemOf(check, reminder)),
        more: total > checks.length ? `+ ${total - checks.length} more` : null,
      },
      linkOf(reminder),
      ...changesOf(reminder),
    ],
    foot: {
      date: wholeTime(now, reader),
      why: `Sent to ${oneLine(email)} ${rhythm(reminder)}. It stops by itself.`,
      stop: { label: 'Stop reminders', href: unsubscribeUrl },
    },
  });
}

/** `a`, `a and b`; from three on `a and 4 more`. */
function stillDown({ checks, total }: Reminder): string {
  const names = checks.slice(0, NAMED).map((check) => checkName(check));
  return total > NAMED ? `${names[0]} and ${total - 1} more` : names.join(' and ');
}

function rhythm({ everySeconds, nextAt, now, reader }: Reminder): string {
  const often = everySeconds === 86_400 ? 'every day' : 'every hour';
  const next = nextAt === null ? '' : `, the next at ${clockText(nextAt, now, reader)}`;
  return `${often} while something is down${next}`;
}

function previewOf({ checks, now, nextAt, reader }: Reminder): string {
  const since = checks
    .slice(0, NAMED)
    .map((check) => `${checkName(check, 30)} since ${clockText(check.since, now, reader)}`);
  const next = nextAt === null ? [] : [`Next reminder ${clockText(nextAt, now, reader)}.`];
  return shortened([`${since.join(', ')}.`, ...next].join(' '), MAX_PREVIEW);
}

function leadOf(reminder: Reminder): Phrase {
  const { checks, total, now, reader, lastAt } = reminder;
  const clock = (at: Instant) => clockText(at, now, reader);
  const times = checks.map(({ since }) => since);
  const [newest = now] = times;
  const oldest = times.at(-1) ?? now;
  const areAllTold = total === checks.length;
  const since =
    total === 1
      ? `Down since ${clock(newest)}`
      : total === 2
        ? `Down since ${clock(newest)} and ${clock(oldest)}`
        : `The last since ${clock(newest)}`;
  const together =
    total > 1 && areAllTold && newest - oldest <= TOGETHER
      ? [
          ' · ',
          {
            text: `${total === 2 ? 'both' : 'all'} began within ${spanText(Math.max(seconds(1), newest - oldest))}`,
            as: 'strong',
          } as const,
        ]
      : [];
  return [
    { text: since, as: 'down' },
    ...together,
    '.',
    ...(lastAt === null ? [] : [` ${newOnes(reminder, lastAt)}`]),
  ];
}

function newOnes({ checks, now, reader }: Reminder, lastAt: Instant): string {
  const fresh = checks.filter(({ since }) => since > lastAt);
  const who =
    fresh.length === 0
      ? 'Nothing new'
      : namesText(
          fresh.map((check) => checkName(check, 40)),
          3,
        );
  return `${who} went down since the last reminder at ${clockText(lastAt, now, reader)}.`;
}

function itemOf({ name, since, cause, answer, nextDueAt, line }: DownCheck, { now, reader }: Reminder): Item {
  const clock = (at: Instant) => clockText(at, now, reader);
  const words = (parts: readonly SentencePart[] | undefined) => sentenceText(parts ?? [], now, clock);
  const answered = answer === null ? '' : `, ${words(answerParts(answer))}`;
  const sentences = [`Since ${clock(since)}${answered}.`, words(cause?.head), words(cause?.rest)];
  const next = nextDueAt === null ? [] : [{ text: ` Next run ${clock(nextDueAt)}.`, as: 'faint' } as const];
  return {
    name: checkName({ name }),
    aside: `for ${ageText(now - since)}`,
    text: [sentences.filter((sentence) => sentence !== '').join(' '), ...next],
    line,
  };
}

function linkOf({ projects, site }: Reminder): Block {
  const [project] = projects;
  if (projects.length === 1 && project !== undefined) {
    const label = `Open ${shortened(projectName(project), 40)}`;
    return { kind: 'link', label, href: projectAddress(site.root, project.uuid) };
  }
  return { kind: 'link', label: 'Open all projects', href: `${site.root}/` };
}

function changesOf({ recovered, projects, now, reader }: Reminder): Block[] {
  const back = recovered.map(
    (check) => `${checkName(check)} came back at ${clockText(check.at, now, reader)}`,
  );
  const where =
    projects.length > 1
      ? [
          `In ${namesText(
            projects.map((project) => projectName(project)),
            5,
          )}.`,
        ]
      : [];
  return [
    ...(where.length === 0 ? [] : [{ kind: 'paragraphs', heading: null, texts: where } as const]),
    ...(back.length === 0
      ? []
      : [
          {
            kind: 'paragraphs',
            heading: { heading: 'Since the last reminder', aside: '' },
            texts: [`${back.join(', ')}.`],
          } as const,
        ]),
  ];
}
