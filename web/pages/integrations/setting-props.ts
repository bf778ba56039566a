import type { SettingFieldJson } from '../../../src/wire/dashboard/channel-output.ts';

/** What every control for a setting is given. */
export interface SettingProps {
  readonly project: string;
  readonly field: SettingFieldJson;
  readonly value: unknown;
  /** What is shown of the saved value. Null: nothing is saved. */
  readonly stored: unknown;
  /** What is wrong with a setting, or with a part of it. */
  readonly errorOf: (path: string) => string | null;
  readonly onValue: (value: unknown) => void;
}
