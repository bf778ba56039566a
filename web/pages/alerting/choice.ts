import { MAX_STEP_CHANNELS } from '../../../src/domain/policy/policy-limits.ts';
import { AT_ONCE_NAME, type PresetName } from '../../../src/domain/policy/presets.ts';
import {
  CHANGED_SECONDS,
  firstWay,
  type NamedRules,
  namedWay,
  nextOf,
  PRESET_NAMES,
  secondsOf,
  type Way,
  wayOf,
} from '../../../src/domain/policy/ways.ts';
import { act } from '../../app/act.ts';
import { shownName } from '../../app/channel-names.ts';
import type { Answer } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { type Choice, sentRules } from './chosen.ts';

export type Alerting = Answer<'alerting'>;

/** The name of the calendar that everybody means by these words. */
export const WORKING_HOURS = 'working-hours' satisfies PresetName;

export const workingHours = ({ calendars }: Alerting) => calendars.find(({ name }) => name === WORKING_HOURS);

/** The choice that a name stands for. */
export function choiceOf(name: string, { policies }: Alerting): Choice {
  const stored = policies.find((one) => one.name === name);
  const preset = PRESET_NAMES.find((one) => one === name);
  const known = stored === undefined ? preset && firstWay(preset, policies) : wayOf(stored);
  return known === null || known === undefined ? { is: 'named', name } : { is: 'way', way: known };
}

/** The name under which the choice is saved. */
export const nameOf = (choice: Choice, { policies }: Alerting): string =>
  choice.is === 'named' ? choice.name : namedWay(choice.way, policies).name;

/** The minutes that the field may have. */
export function minutesRange(preset: PresetName) {
  const ranges: Partial<Record<PresetName, { readonly least: number; readonly most: number }>> =
    CHANGED_SECONDS;
  const { least, most } = ranges[preset] ?? { least: 0, most: 0 };
  return { least: least / 60, most: most / 60 };
}

/** What is wrong with the choice, and in which field of its policy. */
export function faultOf(choice: Choice): { readonly field: string; readonly words: string } | null {
  if (choice.is === 'named') return null;
  const { way, hours } = choice;
  const minutes = secondsOf(way) / 60;
  const { least, most } = minutesRange(way.preset);
  if (most > 0 && !(minutes >= least && minutes <= most && Number.isInteger(minutes)))
    return { field: MINUTES_FIELD[way.preset] ?? '', words: m.alerts.choice.minutesRange(least, most) };
  if (way.preset === 'then-next' && (nextOf(way).length === 0 || nextOf(way).length > MAX_STEP_CHANNELS))
    return { field: 'then', words: m.alerts.choice.chooseNext };
  if (hours !== undefined && !(hours.duration > 0))
    return { field: 'duration', words: m.alerts.hours.noDuration };
  return null;
}

/** The rule that has the minutes of a way. */
export const MINUTES_FIELD: Partial<Record<PresetName, string>> = {
  patient: 'wait',
  'keep-reminding': 'again',
  'then-next': 'after',
};

/** Makes what the choice needs and the project has not, and returns the name by which it is chosen. */
export async function madeChoice(project: string, choice: Choice, alerting: Alerting): Promise<string> {
  if (choice.is === 'named') return choice.name;
  const { way, hours } = choice;
  if (hours !== undefined && way.preset === WORKING_HOURS && workingHours(alerting) === undefined)
    await act.createCalendar({ project, name: WORKING_HOURS, ...hours, except: [] });
  const { name, rules } = namedWay(way, alerting.policies);
  if (rules === null) return name;
  const made = await act.createPolicy({ project, name, ...sentRules(rules) });
  return made.name;
}

type NamedChannel = Pick<Alerting['channels'][number], 'uuid' | 'name' | 'label'>;

/** A way in words: Patient: only after 15 min. */
export function wayWords(way: Way, { channels }: { readonly channels: readonly NamedChannel[] }): string {
  const next = nextOf(way).map((uuid) => {
    const channel = channels.find((one) => one.uuid === uuid);
    return channel === undefined ? m.alerts.choice.gone : shownName(channel);
  });
  const values = {
    minutes: String(secondsOf(way) / 60),
    tags: way.rules.always_tags || m.alerts.choice.noTags,
    next: next.join(', ') || m.alerts.choice.somebody,
  };
  return m.alerts.ways[way.preset]
    .map((part) => (typeof part === 'string' ? part : values[part.field]))
    .join('');
}

/** The name of a policy in words. */
export function policyWords(name: string, alerting: Alerting): string {
  if (name === '') return m.alerts.asProject;
  if (name === AT_ONCE_NAME) return m.alerts.atOnce;
  const choice = choiceOf(name, alerting);
  return choice.is === 'way' ? wayWords(choice.way, alerting) : m.alerts.own(name);
}

/** A policy in words, by its rules. */
export function rulesWords(
  policy: NamedRules,
  named: { readonly channels: readonly NamedChannel[] },
): string {
  if (policy.name === AT_ONCE_NAME) return m.alerts.atOnce;
  const way = wayOf(policy);
  return way === null ? m.alerts.own(policy.name) : wayWords(way, named);
}

/** The rules that fields of the choice set, which show the errors about them. */
export const RULES_OF_WAYS: readonly string[] = ['wait', 'again', 'then', 'always_tags'];
