import { USUAL_AGAIN_MOST } from '../../../src/domain/policy/policy-limits.ts';
import { roundDuration } from '../../../src/lib/text/durations.ts';
import { shownName } from '../../app/channel-names.ts';
import { m } from '../../messages/index.ts';
import type { Alerting } from './choice.ts';
import type { Sent } from './chosen.ts';
import { hoursWords } from './hours.ts';

export type Rules = Alerting['policies'][number]['rules'];

/** A step, as the form has it. */
export interface Step {
  /** NaN: nothing is filled in. */
  readonly minutes: number;
  /** UUIDs of integrations. */
  readonly tell: readonly string[];
}

/** The fields of the form besides the steps, by their names. Empty: not set. */
export type Fields = Readonly<Record<string, string>>;

/** Rules that are numbers as they are. */
const COUNTS = ['bad_runs', 'again_most', 'good_runs'] as const;
/** Rules in seconds, which are minutes in the form. */
const TIMES = ['wait', 'again', 'ack_lasts'] as const;
const TEXTS = ['hours', 'always_tags'] as const;

export function fieldsOf(rules: Rules): Fields {
  return Object.fromEntries([
    ...COUNTS.map((name) => [name, String(rules[name] ?? '')]),
    ...TIMES.map((name) => [name, rules[name] === undefined ? '' : String(rules[name] / 60)]),
    ...TEXTS.map((name) => [name, rules[name] ?? '']),
    ['counts', rules.counts ?? 'all'],
    ['each_failure', rules.each_failure === true ? 'on' : ''],
  ]);
}

/** The steps, without integrations that are gone. */
export function stepsOf(rules: Rules, channels: Alerting['channels']): readonly Step[] {
  const known = new Set(channels.map(({ uuid }) => uuid));
  return (rules.then ?? []).map(({ after, tell }) => ({
    minutes: after / 60,
    tell: tell.filter((uuid) => known.has(uuid)),
  }));
}

/** The rules that the form says. Those that nobody has set are left out. Steps are in the order of their times. */
export function rulesOf(fields: Fields, steps: readonly Step[]): SentRules {
  const filled = <Name extends string>(names: readonly Name[]) =>
    names.flatMap((name) => (fields[name] ? [[name, fields[name]] as const] : []));
  const sorted = steps
    .map(({ minutes, tell }) => ({ after: Math.round(minutes * 60), tell: [...tell] }))
    .toSorted((one, other) => one.after - other.after);
  return {
    ...Object.fromEntries(filled(COUNTS).map(([name, text]) => [name, Number(text)])),
    ...Object.fromEntries(filled(TIMES).map(([name, text]) => [name, Math.round(Number(text) * 60)])),
    ...Object.fromEntries(filled(TEXTS)),
    ...(fields.counts === 'failed' && { counts: 'failed' as const }),
    ...(fields.each_failure && { each_failure: true }),
    // biome-ignore lint/suspicious/noThenProperty: it is the name of the rule, and its value is no function.
    ...(sorted.length > 0 && { then: sorted }),
  };
}

/** Rules as acts take them. */
export type SentRules = Sent<Rules>;

const t = m.alerts.rules;
const timeWords = (seconds: number) => roundDuration(seconds * 1_000_000);

/** What the rules mean, each in a sentence. */
export function rulesWords(
  rules: Rules,
  { channels, calendars }: Pick<Alerting, 'channels' | 'calendars'>,
): string[] {
  const { bad_runs: badRuns = 1, wait = 0, again = 0, good_runs: goodRuns = 1, ack_lasts: ack = 0 } = rules;
  const nameOf = (uuid: string) => {
    const channel = channels.find((one) => one.uuid === uuid);
    return channel === undefined ? m.alerts.choice.gone : shownName(channel);
  };
  const steps = (rules.then ?? []).map(({ after, tell }) => {
    const names = tell.map(nameOf).join(', ');
    return after === 0 ? t.tellAtOnce(names) : t.tellAfter(names, timeWords(after));
  });
  const sentences = [
    badRuns > 1 && (rules.counts === 'failed' ? t.failures(badRuns) : t.badRuns(badRuns)),
    wait > 0 && t.wait(timeWords(wait)),
    rules.hours !== undefined && rules.hours !== '' && hoursSentence(rules, calendars),
    again > 0 && t.again(timeWords(again), rules.again_most ?? USUAL_AGAIN_MOST),
    rules.each_failure === true && t.eachFailure,
    steps.length > 0 && t.thenTell(steps.join('; ')),
    goodRuns > 1 && t.goodRuns(goodRuns),
    ack > 0 && t.ackLasts(timeWords(ack)),
  ].filter((sentence) => sentence !== false);
  return sentences.length === 0 ? [t.none] : sentences;
}

function hoursSentence(
  { hours = '', always_tags: tags = '' }: Rules,
  calendars: Alerting['calendars'],
): string {
  const calendar = calendars.find(({ name }) => name === hours);
  const words = t.hours(calendar === undefined ? hours : `${hours} (${hoursWords(calendar)})`);
  const always = tags.trim().split(/\s+/).join(t.orTag);
  return tags.trim() === '' ? words : `${words}, ${t.alwaysTags(always)}`;
}
