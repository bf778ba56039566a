import { NEW_CHANNEL_FIELDS } from '../api/channel-input.ts';
import { optional, uuidField } from './input.ts';

const { kind, settings, events, buttons } = NEW_CHANNEL_FIELDS;

/** Settings of a form that is not saved, of the channel that is edited or of a new one. */
export const DRAFT_FIELDS = {
  settings,
  channel: optional(uuidField),
  kind: optional(kind),
  events: optional(events),
  buttons: optional(buttons),
};
