import { type Field, refined, text } from '../../lib/fields.ts';
import type { Setting } from './setting.ts';

/** Long enough for a number with spaces and hyphens. */
const MAX_LENGTH = 50;

/** A phone number in the form of E.164. */
export const phoneField: Field<string> = refined(
  text({ maxLength: MAX_LENGTH }),
  'phone number with + and country code',
  (value) => {
    const number = withoutSpacing(value);
    return /^\+\d{5,15}$/.test(number) ? number : null;
  },
);

/** Address books copy spaces, hyphens and invisible characters along with a number. */
export function withoutSpacing(value: string): string {
  return value.replace(/[\s-]|\P{ASCII}/gu, '');
}

/** The phone that rings or gets a message. */
export const phoneSetting = {
  label: 'Phone number',
  help: 'With + and country code, such as +1 555 123 4567.',
  field: phoneField,
  control: 'text',
} satisfies Setting<string>;
