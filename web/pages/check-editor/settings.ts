import { seconds as micros } from '../../../src/lib/instant.ts';
import { spanText } from '../../../src/lib/text/ages.ts';
import { type Answer, query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';

export type EditedCheck = Answer<'editedCheck'>;
export type Settings = EditedCheck['settings'];
/** The choices in the form. */
export type Choices = Answer<'editorChoices'>;
/** The meaning of a drafted schedule. */
export type Preview = Answer<'scheduleMeaning'>;
/** The edited check. The UUID is absent for a new one. */
export type EditedPlace = { readonly project: string; readonly editedUuid?: string };
export type SettingName = keyof Settings;

/** The choices are read anew for each form, and stay as they are while it is open. */
export const editorQuery = (project: string) => ({
  ...query.editorChoices({ project }),
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
});

/** How outages are told, as it was when the form was opened. */
export function alertingQuery(project: string) {
  const { meta, ...options } = query.alerting({ project });
  return { ...options, meta: { ...meta, live: 'never' as const } };
}

/** The check that is edited, as it was when the form was opened. */
export const editedQuery = (check: string) => ({
  ...query.editedCheck({ check }),
  gcTime: 0,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
});

/** A setting in words, for comparisons. */
export function settingWords(
  name: SettingName,
  settings: Partial<Settings>,
  channelNames: (uuid: string) => string,
): string {
  const { kind = 'simple', channels = [], [name]: value } = settings;
  if (name === 'timeout' || name === 'grace') return spanText(micros(Number(value)));
  if (name === 'kind') return m.checkEditor.kinds[kind];
  if (typeof value === 'boolean') return value ? m.checkEditor.yes : m.checkEditor.no;
  if (name === 'channels') return channels.map(channelNames).join(', ') || '–';
  if (name === 'run_rules') return rulesWords(settings.run_rules ?? {});
  return String(value) || '–';
}

/** The rules with the names that the API gives them. */
function rulesWords(rules: Settings['run_rules']): string {
  const words = Object.entries(rules).map(
    ([rule, value]) => `${rule}: ${typeof value === 'object' ? JSON.stringify(value) : value}`,
  );
  return words.join(', ') || '–';
}
