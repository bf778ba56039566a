import { settingsVersion } from '../services/check/check-acts.ts';
import type { CheckWithChannels } from '../services/check/check-list.ts';
import { checkSettingsJson } from '../wire/dashboard/check-settings-output.ts';

/** The settings of a check, as its form has them. */
export function savedSettings({ check, channelUuids }: CheckWithChannels) {
  return {
    settings: checkSettingsJson(check, channelUuids),
    /** Names these settings. It goes back with the form, so that nobody overwrites settings that they have not seen. */
    version: settingsVersion(check, channelUuids),
  };
}
