import { SETTINGS } from '../../config/settings.ts';
import type { EnvSettingTable } from '../../lib/env-setting.ts';
import { fail, together, warn } from '../look.ts';
import { nearNames } from '../near-names.ts';
import type { Row } from '../row.ts';

const table: EnvSettingTable = SETTINGS;
const KNOWN = Object.entries(table).flatMap(([name, { secret = false }]) =>
  secret ? [name, `${name}_FILE`] : [name],
);

export const settings: Row = {
  name: 'settings',
  looksAt: 'all settings, as at the start, and unknown ones that are close to known ones',
  fails: 'a setting that the start refuses',
  warns: 'a name that looks like a misspelt setting',
  look: async ({ world, faults }) => {
    const given = Object.keys(world.environment).filter((name) => (world.environment[name] ?? '') !== '');
    const near = nearNames(given, KNOWN).map(({ given: name, meant }) =>
      warn(`${name} is no setting.`, `Did you mean ${meant}?`),
    );
    const refused =
      faults.length === 0
        ? null
        : fail(faults.join(' '), 'The other rows were looked at with the defaults in their place.');
    const set = given.filter((name) => KNOWN.includes(name)).length;
    return together(
      [refused, ...near],
      `${set} of ${Object.keys(table).length} are set, and all are accepted.`,
    );
  },
};
