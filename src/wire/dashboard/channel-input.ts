import type { ToldEvent } from '../../domain/alert/channel.ts';
import { Fault, type Field } from '../../lib/fields.ts';
import type { JsonObject } from '../api/body.ts';
import { NEW_CHANNEL_FIELDS, PREVIEW_FIELDS } from '../api/channel-input.ts';
import { readGiven, readInput } from './input.ts';

const { kind, settings, events, checks } = NEW_CHANNEL_FIELDS;

/** Settings of a form that is not saved. */
export interface DraftInput {
  /** The channel that is edited. Absent for a new one. */
  readonly uuid?: string | undefined;
  readonly kind?: string | undefined;
  readonly settings: JsonObject;
  readonly events?: readonly ToldEvent[] | undefined;
  /** What a preview is about. */
  readonly event?: ToldEvent | undefined;
  readonly check?: string | undefined;
}

export function parseDraft(body: JsonObject): DraftInput {
  const required = readInput({ settings }, body);
  const uuid = { ...PREVIEW_FIELDS.check } satisfies Field<string>;
  const given = readGiven({ uuid, kind, events, ...PREVIEW_FIELDS }, body);
  return { ...required, ...given };
}

export function parseAssignment(body: JsonObject): { readonly checks: readonly string[] | 'all' } {
  return readInput({ checks }, body);
}

export function parseConfirmationToken(body: JsonObject): { readonly token: string } {
  return readInput({ token: tokenField }, body);
}

const tokenField: Field<string> = {
  read: (value, name) =>
    typeof value === 'string' && /^[-\w]{1,100}$/.test(value) ? value : new Fault(`${name} is not a token`),
  schema: { type: 'string' },
};
