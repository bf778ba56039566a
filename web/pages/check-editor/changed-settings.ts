import type { SettingName, Settings } from './settings.ts';

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Settings that do not matter for the kind of schedule do not count as changed. */
const matters = (name: SettingName, { kind }: Settings) =>
  kind === 'simple' ? name !== 'schedule' && name !== 'tz' : name !== 'timeout';

/** The names of the settings that differ. */
export function changedNames(before: Settings, after: Settings): SettingName[] {
  // Both have the same names.
  const names = Object.keys(after) as SettingName[];
  return names.filter((name) => matters(name, after) && !isSame(before[name], after[name]));
}

/** A schedule means something only together with its kind. */
const scheduleOf = ({ kind }: Settings): readonly SettingName[] =>
  kind === 'simple' ? ['kind', 'timeout'] : ['kind', 'schedule'];

/** The settings that a person has changed, to be saved on top of what somebody else has changed meanwhile. */
export function changedSettings(before: Settings, after: Settings): Partial<Settings> {
  const changed = changedNames(before, after);
  const schedule = scheduleOf(after);
  const names = changed.some((name) => schedule.includes(name)) ? [...changed, ...schedule] : changed;
  return Object.fromEntries([...new Set(names)].map((name) => [name, after[name]]));
}
