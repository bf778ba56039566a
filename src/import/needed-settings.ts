import { kindOf } from '../integrations/registry.ts';
import type { NeededSetting } from '../services/importing/import.ts';
import type { DeclaredChannel } from '../services/provisioning/declaration.ts';

/** The settings of the server that the integrations need, each with its kinds. Switches that are on by default are left out. */
export function neededSettings(channels: readonly Pick<DeclaredChannel, 'kind'>[]): NeededSetting[] {
  const needs = [...Map.groupBy(channels, ({ kind }) => kind)].flatMap(([kind, some]) =>
    settingsOf(kind).map((setting) => ({ setting, kind: `${kind} (${some.length})` })),
  );
  return [...Map.groupBy(needs, ({ setting }) => setting)].map(([setting, some]) => ({
    setting,
    for: some.map(({ kind }) => kind).join(', '),
  }));
}

function settingsOf(kind: string): string[] {
  const { sendsMail = false, requires = [], server = {} } = kindOf(kind) ?? {};
  const wanted = requires.map((one) => [one].flat());
  const unset = wanted.filter((names) => names.every((name) => server[name]?.default !== 'True'));
  return [...(sendsMail ? ['EMAIL_HOST'] : []), ...unset.map((names) => names.join(' or '))];
}
