import { type CheckConfig, DEFAULT_CONFIG } from '../../domain/check/settings.ts';
import { type NamedSettings, namedSettings } from '../api/check-fields.ts';

/** The settings of a check, as a form has them. */
export interface CheckSettingsJson extends Readonly<NamedSettings> {
  /** UUIDs of the integrations that are told. */
  readonly channels: readonly string[];
}

/** Somebody else has saved other settings meanwhile. */
export interface ConflictJson {
  readonly settings: CheckSettingsJson;
  readonly version: string;
  /** The last editor, if the log still tells it. */
  readonly by: string | null;
  readonly at: string | null;
}

export function checkSettingsJson(config: CheckConfig, channels: readonly string[]): CheckSettingsJson {
  return { ...namedSettings(config), channels };
}

/** The initial values of the form of a new check. */
export const NEW_SETTINGS: CheckSettingsJson = {
  ...checkSettingsJson(DEFAULT_CONFIG, []),
  schedule: '0 3 * * *',
};
