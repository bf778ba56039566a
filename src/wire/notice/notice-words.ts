import type { MessageSubject, ToldAnswer, ToldRun } from '../../domain/alert/channel-message.ts';
import type { Check } from '../../domain/check/check.ts';
import { rulesOf } from '../../domain/check/run-rules.ts';
import { RUN_FLAGS } from '../../domain/ping/run-judgement.ts';
import type { Instant } from '../../lib/instant.ts';
import { spanText } from '../../lib/text/ages.ts';
import { zonedTime } from '../../lib/text/clock-text.ts';
import { DEFAULT_DATE_STYLE } from '../../lib/text/date-style.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import { checkName } from '../mail/mail-text.ts';
import { secretsMask } from '../secrets-mask.ts';

/** The words of a message that tells of no change of status. */
export interface NoticeWords {
  readonly title: string;
  /** Plain text. Empty lines separate its parts. */
  readonly text: string;
  /** One word about it. */
  readonly word: string;
  /** Whether all is well. */
  readonly isFine: boolean;
}

export type AboutOneCheck = Exclude<MessageSubject, { kind: 'together' | 'report' }>;

type ToldCheck = Pick<Check, 'uuid' | 'name' | 'kind' | 'tz' | 'runRules'>;

/** The words about one check. */
export function noticeWords(subject: AboutOneCheck, check: ToldCheck): NoticeWords {
  const mask = secretsMask(check.uuid);
  const { title, text, ...rest } = wordsOf(subject, check, checkName(check));
  return { title: mask(title), text: mask(text), ...rest };
}

function wordsOf({ kind, parameters }: AboutOneCheck, check: ToldCheck, name: string): NoticeWords {
  switch (kind) {
    case 'warned':
      return {
        title: `${name} ended with a warning`,
        text: [
          ...remarksOf(check, parameters),
          `It ended at ${timeOf(parameters.at, check)} and counts as a success. The next warning comes after a run without one.`,
        ].join('\n'),
        word: 'Warning',
        isFine: false,
      };
    case 'answered':
      return answeredWords(parameters, check, name);
    case 'done':
      return doneWords(parameters, check, name);
  }
}

function doneWords(run: ToldRun, check: ToldCheck, name: string): NoticeWords {
  const took = run.took === null ? '' : `, after ${spanText(run.took)}`;
  const numbers = Object.entries(run.numbers).map(([number, value]) => `${number}: ${value}`);
  return {
    title: `${name} has succeeded`,
    text: [
      `It ended at ${timeOf(run.at, check)}${took}.`,
      ...remarksOf(check, run),
      ...(numbers.length === 0 ? [] : [numbers.join(', ')]),
    ].join('\n'),
    word: 'Done',
    isFine: true,
  };
}

function answeredWords({ by, at, also = 0 }: ToldAnswer, check: ToldCheck, name: string): NoticeWords {
  const who = oneLine(by) || 'Somebody';
  return {
    title: `${who} has ${name}${also === 0 ? '' : ` and ${also} more`}`,
    text: `Acknowledged at ${timeOf(at, check)}. ${also === 0 ? 'It is' : 'They are'} still down.`,
    word: 'Acknowledged',
    isFine: false,
  };
}

/** What the rules of the check say about the run, a sentence each. Rules that have changed since then are left out. */
export function remarksOf(
  check: Pick<Check, 'runRules'>,
  { flags, exitStatus, took, numbers }: ToldRun,
): string[] {
  const { minRunTime, numbers: rules } = rulesOf(check);
  const has = (flag: keyof typeof RUN_FLAGS) => (flags & RUN_FLAGS[flag]) !== 0;
  const remarks: string[] = [];
  if (has('exit') && exitStatus !== null) remarks.push(`Exit status ${exitStatus}.`);
  if (has('short') && took !== null)
    remarks.push(
      `It took ${spanText(took)}${minRunTime === null ? '' : `, less than ${spanText(minRunTime)}`}.`,
    );
  for (const { name, min, max, missing } of rules) {
    const value = numbers[name];
    if (value === undefined) {
      if (has('missing') && missing !== 'ignore') remarks.push(`The number ${name} is missing.`);
    } else if (has('number') && min !== undefined && value < min)
      remarks.push(`${name} is ${value}, less than ${min}.`);
    else if (has('number') && max !== undefined && value > max)
      remarks.push(`${name} is ${value}, more than ${max}.`);
  }
  return remarks;
}

/** Nobody knows who reads a channel. The zone of the schedule is the best guess. */
function timeOf(at: Instant, { kind, tz }: Pick<Check, 'kind' | 'tz'>): string {
  return zonedTime(at, { ...DEFAULT_DATE_STYLE, timeZone: kind === 'simple' ? 'UTC' : tz });
}
