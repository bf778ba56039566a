import type { AlertStory, LastPing } from '../../domain/history/alert-story.ts';
import { missedRunsText } from '../../domain/history/missed-runs.ts';
import type { RunResult } from '../../domain/history/run.ts';
import {
  type Cause,
  type SchedulePart,
  type SentencePart,
  sentenceText,
  zonedSchedule,
} from '../../domain/history/status-sentence.ts';
import { happenedAt } from '../../domain/ping/ping.ts';
import { type Instant, seconds } from '../../lib/instant.ts';
import type { Fact, Phrase } from '../../lib/mail-document/document.ts';
import { ageText, spanText } from '../../lib/text/ages.ts';
import { clockText, dayAndTime, type TimeReader } from '../../lib/text/clock-text.ts';
import { DEFAULT_DATE_STYLE } from '../../lib/text/date-style.ts';
import { count } from '../../lib/text/durations.ts';
import { shortened } from '../../lib/text/excerpt.ts';
import { oneLine, plainLines } from '../../lib/text/one-line.ts';
import { ordinalNumber } from '../../lib/text/ordinals.ts';
import { isSameZone, zoneCity } from '../../lib/zone.ts';
import type { AlertEvent } from '../kind/alert-event.ts';

/** Names of channels in the list of told ones. */
const MAX_TOLD = 8;
const NOTE_LINES = 2;
const NOTE_WIDTH = 200;

/**
 * For an unknown reader, the zone of the schedule is the best guess. It is the zone as of the change: the words of the
 * schedule in the story are in it.
 */
export function unknownReader({ check, story }: AlertEvent): TimeReader {
  const now = check.cadence.kind === 'simple' ? null : check.cadence.tz;
  return { ...DEFAULT_DATE_STYLE, timeZone: (story === null ? now : story.about.tz) ?? 'UTC' };
}

/** Follows each time of day in a message for unknown readers: they cannot guess its zone. */
export function zoneMark(event: AlertEvent): string {
  return ` ${zoneCity(unknownReader(event).timeZone)}`;
}

/** The time with the mark, unless it is a date alone. */
export function marked(time: string, mark: string): string {
  return /:\d\d/.test(time) ? `${time}${mark}` : time;
}

/** What a message begins with that tells of an outage once more. Empty: it is the first. */
export function repeatWords({ repeat }: AlertEvent): string {
  if (repeat === undefined) return '';
  return repeat.kind === 'again' ? 'still down' : 'failed again';
}

/** The words of alerts, for all kinds. Times are in the reader's zone, as of the change. */
export class AlertWords {
  readonly #event: AlertEvent;
  readonly #story: AlertStory;
  readonly #reader: TimeReader;
  readonly #mark: string;

  /** The mark follows each time of day. */
  constructor(event: AlertEvent, story: AlertStory, reader: TimeReader, mark = '') {
    this.#event = event;
    this.#story = story;
    this.#reader = reader;
    this.#mark = mark;
  }

  clock(at: Instant): string {
    return marked(clockText(at, this.#event.at, this.#reader), this.#mark);
  }

  /** Why it went down in a few words, for a title: `no ping for 24 h`, `exit status 2`. Empty if that is not known. */
  briefCause(): string {
    const { repeat } = this.#event;
    const cause = this.#plainCause();
    if (repeat?.kind !== 'further_failure') return cause;
    return [cause, this.#time()].filter((part) => part !== '').join(', ');
  }

  #plainCause(): string {
    return this.causeText(this.#story.cause)
      .replace(/ after \d.*$/, '')
      .replace(/^started .*?, /, '');
  }

  /** The cause as a part of a sentence. `now` is the time until which ages count. */
  causeText(cause: Pick<Cause, 'head'> | null, now: Instant = this.#event.at): string {
    const text = this.#text(cause?.head ?? [], now).replace(/\.$/, '');
    return text.charAt(0).toLowerCase() + text.slice(1);
  }

  /** The status sentence. An up check tells how long it was down. */
  sentence(): string {
    const { at, to, downFor, repeat } = this.#event;
    if (to === 'down') {
      const told = this.#text(this.#story.sentence, at);
      if (repeat === undefined) return told;
      if (repeat.kind === 'again') return told.replace(/^Down since/, 'Still down since');
      const failed = ['Failed again', this.#time()].filter((part) => part !== '').join(', ');
      const cause = this.causeText(this.#story.cause);
      const since = `down since ${this.clock(repeat.since)}`;
      return [failed, cause, since].filter((part) => part !== '').join(' · ');
    }
    const missed = this.missed();
    const parts = [
      ...(downFor === null ? [] : [`was down for ${spanText(downFor)}`]),
      ...(missed === '' ? [] : [`${missed} missed`]),
    ];
    return [`Up since ${this.clock(at)}`, ...(parts.length === 0 ? [] : [parts.join(', ')])].join(' · ');
  }

  /** The runs that never came in the outage that ends now: `one run`, `3 runs`. Empty if there are none. */
  missed(): string {
    return missedRunsText(this.#story.outage?.missed ?? 0);
  }

  /** When the next run is due. Empty if that is not known. */
  nextRun(): string {
    const { nextDueAt } = this.#story;
    return nextDueAt === null ? '' : this.clock(nextDueAt);
  }

  /** The facts below the sentence. Unknown ones are left out. */
  facts(): Fact[] {
    const isDown = this.#event.to === 'down';
    const facts: (Fact | null)[] = isDown
      ? [this.#expected(), this.#lastPing(), this.#told(), this.#note()]
      : [this.#cameBack(), this.#wasDown(), this.#told(), this.#nextRun()];
    return facts.filter((fact) => fact !== null);
  }

  /** `3rd time`. Empty if it is not known how often it has failed. */
  #time(): string {
    const { failures } = this.#story;
    return failures === undefined ? '' : `${ordinalNumber(failures)} time`;
  }

  #text(parts: readonly SentencePart[], now: Instant): string {
    return sentenceText(
      parts,
      now,
      (at) => this.clock(at),
      (part) => this.#schedule(part),
    );
  }

  /** A schedule of another zone gives way to the time when it was due, so that a sentence has times of one zone alone. */
  #schedule(part: SchedulePart): string {
    const { dueAt } = this.#story;
    if (part.tz === null || !isSameZone(part.tz, this.#reader.timeZone))
      return dueAt === null ? zonedSchedule(part) : this.clock(dueAt);
    const isNamed = this.#mark !== '' || isSameZone(part.tz, 'UTC');
    return isNamed ? part.schedule : zonedSchedule(part);
  }

  #expected(): Fact | null {
    const { dueAt } = this.#story;
    if (dueAt === null) return null;
    const grace = spanText(seconds(this.#story.about.graceSeconds));
    const value = `${this.clock(dueAt)}, with ${grace} of grace. Nothing arrived by ${this.clock(this.#event.at)}.`;
    return { label: 'Expected', value };
  }

  #lastPing(): Fact | null {
    const ping = this.#story.lastPing;
    if (ping === null) return null;
    return {
      label: 'Last ping',
      value: [`${dayAndTime(happenedAt(ping), this.#reader, true)} · ${pingText(ping)}`, ...fromText(ping)],
    };
  }

  #cameBack(): Fact | null {
    const ping = this.#story.lastPing;
    if (ping === null) return null;
    return { label: 'Came back by', value: [`Ping #${ping.n} · ${pingText(ping)}`, ...fromText(ping)] };
  }

  #wasDown(): Fact | null {
    const { outage } = this.#story;
    if (outage === null) return null;
    const cause = this.causeText(outage.cause);
    const value = `${this.clock(outage.from)} to ${this.clock(this.#event.at)}${cause === '' ? '' : ` · ${cause}`}`;
    return { label: 'Was down', value };
  }

  #told(): Fact | null {
    const told = this.#story.told.map(oneLine);
    if (told.length === 0) return null;
    const more = told.length > MAX_TOLD ? ` and ${told.length - MAX_TOLD} more` : '';
    return { label: 'Told now', value: `${told.slice(0, MAX_TOLD).join(', ')}${more}` };
  }

  #note(): Fact | null {
    const lines = plainLines(this.#story.about.description)
      .split('\n')
      .map((line) => oneLine(line))
      .filter((line) => line !== '');
    if (lines.length === 0) return null;
    const shown = lines.slice(0, NOTE_LINES).map((line) => shortened(line, NOTE_WIDTH));
    return { label: 'Note', value: `${shown.join('\n')}${lines.length > NOTE_LINES ? ' …' : ''}` };
  }

  #nextRun(): Fact | null {
    const { nextDueAt } = this.#story;
    if (nextDueAt === null) return null;
    const value: Phrase = [
      dayAndTime(nextDueAt, this.#reader, false),
      { text: ` · in ${ageText(nextDueAt - this.#event.at)}`, as: 'faint' },
    ];
    return { label: 'Next run', value };
  }
}

/** `OK after 6 min 41 s`, `exit status 2`, `failure signal, arrived 2 h later` */
export function pingText({ signal, exitStatus, duration, createdAt, occurredAt }: LastPing): string {
  const took = duration === null ? '' : ` after ${spanText(duration)}`;
  const after = occurredAt === undefined ? took : `${took}, arrived ${ageText(createdAt - occurredAt)} later`;
  switch (signal) {
    case 'success':
      return `OK${after}`;
    case 'fail':
      return `${exitStatus ? `exit status ${exitStatus}` : 'failure signal'}${after}`;
    case 'start':
      return 'start of a run';
    case 'progress':
      return 'progress of a run';
    case 'log':
      return 'entry of a log';
    case 'ign':
      return 'ignored';
    default:
      return signal satisfies never;
  }
}

function fromText({ remoteAddr, sentBy }: LastPing): (string | { text: string; as: 'faint' })[] {
  if (sentBy !== undefined) return [` · sent by ${sentBy} from the dashboard`];
  return remoteAddr === null ? [] : [{ text: ` · from ${remoteAddr}`, as: 'faint' }];
}

const RESULT_WORDS: Readonly<Record<RunResult, string>> = {
  ok: 'OK',
  warned: 'warned',
  late: 'late',
  failed: 'failed',
  missed: 'missed',
  skipped: 'skipped',
  unknown: 'unknown',
  running: 'running',
};

/** `The last 20 runs: 18 OK, 1 late, the newest one missed.` Null if there are fewer than two. */
export function runsText(runs: readonly RunResult[]): string | null {
  const newest = runs.at(-1);
  if (newest === undefined || runs.length < 2) return null;
  const isToldApart = newest !== 'ok' && runs.filter((result) => result === newest).length === 1;
  const counted = isToldApart ? runs.slice(0, -1) : runs;
  const parts = (Object.keys(RESULT_WORDS) as RunResult[])
    .map((result) => ({ result, number: counted.filter((one) => one === result).length }))
    .filter(({ number }) => number > 0)
    .map(({ result, number }) => `${number} ${RESULT_WORDS[result]}`);
  const last = isToldApart ? [`the newest one ${RESULT_WORDS[newest]}`] : [];
  return `The last ${count(runs.length, 'run')}: ${[...parts, ...last].join(', ')}.`;
}
