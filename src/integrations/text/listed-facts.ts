import type { AlertFacts } from './alert-facts.ts';
import { TEST_STATEMENT } from './facts.ts';

/** Writes plain text in a format of messages, so that nothing in it is taken for markup. */
export interface Dialect {
  text(plain: string): string;
  tags(tags: readonly string[]): string;
  schedule(plain: string): string;
  /** A cron expression, if it is not written like one of OnCalendar. */
  cron?(plain: string): string;
}

export interface ListedFact {
  readonly label: string;
  readonly value: string;
}

/** The facts below the headline in their order. Unknown ones are left out. The owner's own text stands for them. */
export function listedFacts(facts: AlertFacts, dialect: Dialect): ListedFact[] {
  const { text, tags, schedule, cron = schedule } = dialect;
  const { cadence, ownText } = facts;
  if (ownText !== null) return [];
  const all = [
    { label: 'Project', value: text(facts.project) },
    { label: 'Tags', value: tags(facts.tags) },
    ...('period' in cadence
      ? [{ label: 'Period', value: text(cadence.period) }]
      : [
          { label: 'Schedule', value: (cadence.kind === 'cron' ? cron : schedule)(cadence.schedule) },
          { label: 'Time Zone', value: text(cadence.timeZone) },
        ]),
    { label: 'Total Pings', value: text(facts.totalPings) },
    { label: 'Last Ping', value: text(facts.lastPing) },
    { label: 'Next Run', value: text(facts.nextRun) },
  ];
  return all.filter(({ value }) => value !== '');
}

/** The check and its status in one line of plain text, or the words of the channel's owner. */
export function plainTitle({ ownTitle, name, state }: AlertFacts): string {
  return ownTitle ?? `${name} is ${state}`;
}

/** The title with the name in quotation marks, as a sentence. */
export function quotedTitle({ ownTitle, name, state }: AlertFacts): string {
  return ownTitle ?? `“${name}” is ${state}.`;
}

/** All facts for kinds that list them. */
export function allFacts(facts: AlertFacts, dialect: Dialect): ListedFact[] {
  return [...listedFacts(facts, dialect), ...othersFact(facts, dialect)];
}

/** The other checks that are down, for kinds that list facts. Kinds that write lines tell it at their end. */
export function othersFact({ others }: AlertFacts, { text }: Pick<Dialect, 'text'>): ListedFact[] {
  return others === null || others.brief === '' ? [] : [{ label: others.label, value: text(others.brief) }];
}

/**
 * Why it went down and since when, or the duration of the outage and its missed runs, as plain text. Empty if nothing
 * of it is known. The owner's own text stands for it.
 */
export function causeSentence(facts: AlertFacts): string {
  const { ownText, isTest, state, reason, sentence, downtime, missed } = facts;
  if (ownText !== null) return ownText;
  const parts =
    state === 'DOWN'
      ? [reason === '' ? '' : `Reason: ${reason}.`, sentence === '' ? '' : `${sentence}.`]
      : [
          downtime === '' ? '' : `The downtime lasted ${downtime}.`,
          missed === '' ? '' : missedSentence(missed),
        ];
  return [isTest ? TEST_STATEMENT : '', ...parts].filter((part) => part !== '').join(' ');
}

/** `One run was missed.`, `3 runs were missed.` */
function missedSentence(missed: string): string {
  const was = missed === 'one run' ? 'was' : 'were';
  return `${missed.charAt(0).toUpperCase()}${missed.slice(1)} ${was} missed.`;
}

/** The sentence after a headline that tells the reason. Empty if nothing more is known. */
export function storySentence(facts: AlertFacts): string {
  return causeSentence({ ...facts, reason: '' });
}
