import { MAX_POLICY_SECONDS, MIN_AGAIN_SECONDS, MIN_WAIT_SECONDS } from './policy-limits.ts';
import { PRESETS, type PresetName, THEN_NEXT_NAME } from './presets.ts';

/** The rules that presets set. */
export interface WayRules {
  readonly bad_runs?: number;
  readonly wait?: number;
  readonly hours?: string;
  readonly always_tags?: string;
  readonly again?: number;
  readonly again_most?: number;
  readonly then?: readonly { readonly after: number; readonly tell: readonly string[] }[];
}

/** A preset with what people have changed of it. */
export interface Way {
  readonly preset: PresetName;
  readonly rules: WayRules;
}

/** A policy of the project, with its calendar by name. */
export interface NamedRules {
  readonly name: string;
  readonly rules: object;
}

export const PRESET_NAMES = Object.keys(PRESETS) as readonly PresetName[];

/** The seconds of a way that people may change, in minutes. */
export const CHANGED_SECONDS = {
  patient: { least: MIN_WAIT_SECONDS, most: MAX_POLICY_SECONDS },
  'keep-reminding': { least: MIN_AGAIN_SECONDS, most: MAX_POLICY_SECONDS },
  'then-next': { least: 0, most: MAX_POLICY_SECONDS },
} as const satisfies Partial<Record<PresetName, object>>;

export const secondsOf = ({ rules }: Way): number => rules.wait ?? rules.again ?? rules.then?.[0]?.after ?? 0;

export function withSeconds({ preset, rules }: Way, seconds: number): Way {
  switch (preset) {
    case 'patient':
      return { preset, rules: { ...rules, wait: seconds } };
    case 'keep-reminding':
      return { preset, rules: { ...rules, again: seconds } };
    case 'then-next':
      return { preset, rules: nextRules(seconds, rules.then?.[0]?.tell ?? []) };
    default:
      return { preset, rules };
  }
}

/** Whom it tells next. */
export const nextOf = ({ rules }: Way): readonly string[] => rules.then?.[0]?.tell ?? [];

export const withNext = (way: Way, tell: readonly string[]): Way => ({
  ...way,
  rules: nextRules(secondsOf(way), tell),
});

function nextRules(after: number, tell: readonly string[]): WayRules {
  // biome-ignore lint/suspicious/noThenProperty: it is the name in requests and files, and its value is no function.
  return { then: [{ after, tell }] };
}

/** The way with the rules that everybody knows, or with those that the project has given its name. */
export function firstWay(preset: PresetName, policies: readonly NamedRules[]): Way {
  const stored = policies.find(({ name }) => name === preset);
  return (stored && wayOf(stored)) ?? { preset, rules: PRESETS[preset] };
}

/** The preset that a policy is, perhaps with other minutes, tags or integrations. Null: it is one of its own. */
export function wayOf({ name, rules }: NamedRules): Way | null {
  const preset = PRESET_NAMES.find((one) => name === one || name.startsWith(`${one}-`));
  if (preset === undefined) return null;
  const names = Object.keys(PRESETS[preset]);
  const isSame = Object.keys(rules).length === names.length && names.every((one) => one in rules);
  if (!isSame) return null;
  const way: Way = { preset, rules };
  const isOneStep = way.rules.then === undefined || (way.rules.then.length === 1 && nextOf(way).length === 1);
  const isChanged = names.some((one) => !CHANGEABLE.includes(one) && !isEqual(preset, one, rules));
  return isOneStep && !isChanged ? way : null;
}

const CHANGEABLE: readonly string[] = ['wait', 'always_tags', 'again', 'then'];

const ruleText = (rules: object, name: string): string =>
  JSON.stringify(Object.entries(rules).find(([one]) => one === name));

const isEqual = (preset: PresetName, name: string, rules: object) =>
  ruleText(PRESETS[preset], name) === ruleText(rules, name);

const isSameWay = (one: Way, other: Way) =>
  one.preset === other.preset &&
  Object.keys(PRESETS[one.preset]).every((name) => ruleText(one.rules, name) === ruleText(other.rules, name));

/**
 * The name under which the project has the way, or can have it. `rules` are those of a policy that has to be made first. Null: it is
 * there, or its name is enough to make it.
 */
export function namedWay(
  way: Way,
  policies: readonly NamedRules[],
): { readonly name: string; readonly rules: WayRules | null } {
  const { preset, rules } = way;
  const isKnown = ({ name, rules: stored }: NamedRules) => {
    const known = wayOf({ name, rules: stored });
    return known !== null && isSameWay(known, way);
  };
  const known = policies.find(isKnown);
  if (known !== undefined) return { name: known.name, rules: null };
  const isTaken = (name: string) => policies.some((one) => one.name === name);
  const isPlain = isSameWay({ preset, rules: PRESETS[preset] }, way);
  if (isPlain && !isTaken(preset)) return { name: preset, rules: null };
  if (preset === THEN_NEXT_NAME && !isTaken(preset)) return { name: preset, rules };
  const wanted = `${preset}-${suffixOf(way)}`;
  let name = wanted;
  for (let n = 2; isTaken(name); n++) name = `${wanted}-${n}`;
  return { name, rules };
}

/** Names are short. */
const MAX_SUFFIX = 40;

function suffixOf(way: Way): string {
  if (way.preset !== 'working-hours') return String(secondsOf(way) / 60);
  return (way.rules.always_tags || 'all').trim().replaceAll(' ', '-').slice(0, MAX_SUFFIX);
}
