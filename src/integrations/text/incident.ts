import { cutTo } from '../../lib/text/text-size.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { type AlertFacts, alertFacts } from './alert-facts.ts';
import { causeSentence, type Dialect, listedFacts, othersFact, storySentence } from './listed-facts.ts';

/** A change as on-call services take it: an incident that opens and ends. */
export interface Incident {
  /** Equal for all changes of a check, so that the end of an outage ends the incident. */
  readonly key: string;
  readonly isOpen: boolean;
  /** The check, its status and the cause in one line of plain text. */
  readonly title: string;
  readonly facts: AlertFacts;
  /** The last line that the failed run wrote. Empty if no run has failed, or it is not known. */
  readonly output: string;
  /** The facts beside it, in their order. */
  readonly details: Readonly<Record<string, string | number>>;
}

/** So many characters of a title are read in a call and in a list. Services take a few more. */
const MAX_TITLE = 120;
const MAX_CAUSE = 60;

const PLAIN: Dialect = {
  text: (plain) => plain,
  tags: (tags) => tags.join(', '),
  schedule: (plain) => plain,
};

export function incidentOf(event: AlertEvent, dialect: Dialect = PLAIN): Incident {
  const facts = alertFacts(event);
  return {
    key: event.check.uniqueKey,
    isOpen: event.to === 'down',
    title: titleOf(facts),
    facts,
    output: event.reason === 'fail' ? facts.lastLine : '',
    details: detailsOf(facts, dialect),
  };
}

/** `db-backup is DOWN (no ping for 24 h)`. A long name gives way: the status and the cause are what matters. */
function titleOf({ ownTitle, name, state, brief, reason }: AlertFacts): string {
  if (ownTitle !== null) return cutTo(ownTitle, MAX_TITLE, 'units');
  const why = cutTo(brief || reason, MAX_CAUSE, 'units');
  const end = ` is ${state}${why === '' ? '' : ` (${why})`}`;
  return `${cutTo(name, MAX_TITLE - end.length, 'units')}${end}`;
}

function detailsOf(facts: AlertFacts, dialect: Dialect): Record<string, string | number> {
  const story = storySentence(facts);
  if (facts.ownText !== null) return { Status: story };
  const listed = [...listedFacts(facts, dialect), ...othersFact(facts, dialect)];
  return {
    ...(story !== '' && { Status: story }),
    Project: '',
    ...Object.fromEntries(listed.map(({ label, value }) => [sentenceCase(label), value])),
    'Total pings': Number(facts.totalPings),
    ...(facts.lastLine !== '' && { 'Last output': dialect.schedule(facts.lastLine) }),
    ...(facts.description !== '' && { Description: facts.description }),
  };
}

function sentenceCase(label: string): string {
  return label.charAt(0) + label.slice(1).toLowerCase();
}

/** The title as a sentence, and what more is known, one on each line. */
export function incidentText(incident: Incident): string {
  return [`${incident.title}.`, ...knownLines(incident, storySentence(incident.facts))].join('\n');
}

/** The text below a title that names the check and its status. It repeats neither. */
export function textBelowTitle(incident: Incident): string {
  const { title, facts } = incident;
  const lines = knownLines(incident, storySentence(facts) || causeSentence(facts));
  return lines.length === 0 ? `${title}.` : lines.join('\n');
}

function knownLines({ isOpen, facts, output }: Incident, story: string): string[] {
  if (facts.ownText !== null) return [story];
  const lastPing = isOpen && facts.lastPing !== 'Never' ? `Last ping: ${facts.lastPing}.` : '';
  const others = othersFact(facts, PLAIN).map(({ label, value }) => `${sentenceCase(label)}: ${value}.`);
  return [story, lastPing, output === '' ? '' : `Output: ${output}`, ...others].filter((line) => line !== '');
}
