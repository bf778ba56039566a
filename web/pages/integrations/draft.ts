import type { ButtonChoice } from '../../../src/domain/alert/button.ts';
import type { ChannelDetails, ChannelEvent, ChannelKind, SettingOfKind } from './queries.ts';

/** The unsaved values of a form. */
export interface Draft {
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly events: readonly ChannelEvent[];
  readonly buttons: ButtonChoice;
}

/** One HTTP request of a person's own. */
export interface RequestValue {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const NEW_REQUEST: RequestValue = { method: 'POST', url: '', headers: {}, body: '' };

/** A new integration is told about the events that its kind suggests. */
export function newDraft({ fields, suggestedEvents: events }: ChannelKind): Draft {
  const first = fields.find(({ control }) => control === 'request');
  const valueFor = (field: SettingOfKind) => (field === first ? NEW_REQUEST : startOf(field));
  return {
    name: '',
    settings: Object.fromEntries(fields.map((field) => [field.name, valueFor(field)])),
    events,
    buttons: 'answer',
  };
}

function startOf({ control, default: preset, choices }: SettingOfKind): unknown {
  if (preset !== null) return preset;
  if (control === 'channels') return [];
  return control === 'choice' ? (choices[0]?.value ?? null) : null;
}

/** The settings of a saved integration, in which secrets are masked. */
export function draftOf({ fields }: ChannelKind, channel: ChannelDetails): Draft {
  const { name, settings, events, buttons } = channel;
  return {
    name,
    settings: Object.fromEntries(fields.map((field) => [field.name, settings[field.name] ?? startOf(field)])),
    events,
    buttons,
  };
}

/** The value of a field that was emptied. */
export const emptyValue = ({ isRequired, default: preset }: SettingOfKind): unknown =>
  isRequired ? '' : preset;

/** The settings of a form that is not saved, as tests and previews take them. */
export function draftBody(kind: ChannelKind, channel: ChannelDetails | null, draft: Draft) {
  return {
    ...(channel === null ? { kind: kind.kind } : { channel: channel.id }),
    settings: draft.settings,
    events: draft.events,
    // Kinds whose messages have none take no choice.
    ...(kind.buttons !== null && { buttons: draft.buttons }),
  };
}

/** The fields that an edit sends. New settings switch an integration on again, and a new name does not. */
export function changesOf(saved: Draft, draft: Draft) {
  return {
    name: draft.name,
    ...(draft.settings !== saved.settings && { settings: draft.settings }),
    ...(draft.events !== saved.events && { events: draft.events }),
    ...(draft.buttons !== saved.buttons && { buttons: draft.buttons }),
  };
}
