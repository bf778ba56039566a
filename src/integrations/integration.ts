import type { Fault } from '../lib/fields.ts';

/** The code for one kind of channel. */
export interface Integration<Settings> {
  /** What people call it. */
  readonly label: string;
  /** Names of the settings, as a configuration file spells them. */
  readonly settingNames: readonly string[];
  /** The settings, or what is wrong with them. */
  readSettings(source: Readonly<Record<string, unknown>>): Settings | Fault;
}
