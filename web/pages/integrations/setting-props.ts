import type { SettingOfKind } from './queries.ts';

/** What every control for a setting is given. */
export interface SettingProps {
  readonly project: string;
  readonly field: SettingOfKind;
  readonly value: unknown;
  /** What is shown of the saved value. Null: nothing is saved. */
  readonly stored: unknown;
  readonly onValue: (value: unknown) => void;
}

/** What the server calls the setting if it is wrong. */
export const nameOf = ({ name }: SettingOfKind) => `settings.${name}`;
