import type { SettingOfKind } from './queries.ts';

/** The props of every control for a setting. */
export interface SettingProps {
  readonly project: string;
  readonly field: SettingOfKind;
  readonly value: unknown;
  /** The visible part of the saved value. Null: nothing is saved. */
  readonly stored: unknown;
  readonly onValue: (value: unknown) => void;
}

/** The server's name of the setting in an error. */
export const nameOf = ({ name }: SettingOfKind) => `settings.${name}`;
