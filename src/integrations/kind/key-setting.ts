import { type Field, text } from '../../lib/fields.ts';
import type { Setting } from './setting.ts';

/** A key or a token as people paste it. It contains only characters that a header can carry. */
export function keyField(maxLength: number): Field<string> {
  const { read, schema } = text({ maxLength, pattern: /^[!-~]+$/ });
  return { schema, read: (value, name) => read(typeof value === 'string' ? value.trim() : value, name) };
}

export function keySetting(label: string, help: string, maxLength: number): Setting<string> {
  return { label, help, field: keyField(maxLength), control: 'text', secret: true };
}
