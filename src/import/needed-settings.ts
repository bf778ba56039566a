import { kindOf } from '../integrations/registry.ts';
import type { NeededSetting } from '../services/importing/import.ts';
import type { DeclaredChannel } from '../services/provisioning/declaration.ts';

/** The settings of the server without which the integrations send nothing. */
export function neededSettings(channels: readonly Pick<DeclaredChannel, 'kind'>[]): NeededSetting[] {
  const counts = Map.groupBy(channels, ({ kind }) => kind);
  return [...counts].flatMap(([kind, some]) => {
    const { sendsMail = false, requires = [] } = kindOf(kind) ?? {};
    const names = [...(sendsMail ? ['EMAIL_HOST'] : []), ...requires.map((one) => [one].flat().join(' or '))];
    return names.map((setting) => ({ setting, for: `${kind} (${some.length})` }));
  });
}
