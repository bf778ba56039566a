import {
  INCIDENT_STATES,
  MAX_STATUS_COMPONENTS,
  type StatusComponent,
} from '../../domain/public/status-page.ts';
import { canonicalTimezone } from '../../domain/schedule/timezone.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { Fault, type Field, type Fields, oneOf, refined, text } from '../../lib/fields.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { JsonObject } from '../api/body.ts';
import { type InputValues, readInput, type SentValues } from './input.ts';

/** A part of an address: letters, digits and hyphens, and no hyphen at either end. */
const SLUG = new RegExp(`^[a-z0-9](?:[a-z0-9-]{1,${TEXT_LIMITS.statusSlug - 2}})[a-z0-9]$`);
const COMPONENT_ID = /^[a-z0-9]{1,16}$/;
const UNIQUE_KEY = /^[0-9a-f]{40}$/;

export const titleField = refined(
  text({ maxLength: TEXT_LIMITS.statusTitle }),
  'title',
  (value) => oneLine(value).trim() || null,
);

export const PAGE_FIELDS = {
  title: titleField,
  slug: text({ pattern: SLUG }),
  about: refined(text({ maxLength: TEXT_LIMITS.statusAbout }), 'text', (value) => value.trim()),
  tz: refined(text(), 'time zone', canonicalTimezone),
};

export const COMPONENT_FIELDS = {
  id: text({ pattern: COMPONENT_ID }),
  name: titleField,
  group: refined(text({ maxLength: TEXT_LIMITS.statusGroup }), 'group', (value) => oneLine(value).trim()),
};

export const tagField = text({ maxLength: TEXT_LIMITS.checkTags, pattern: /^[^ ]+$/ });

/** A component covers the checks with a tag, or one by its unique key. */
type SentComponent = Omit<StatusComponent, 'covers'> & StatusComponent['covers'];

export const componentsField: Field<StatusComponent[], readonly SentComponent[]> = {
  read(value, name) {
    if (!Array.isArray(value)) return new Fault(`${name} is not an array`);
    if (value.length > MAX_STATUS_COMPONENTS) return new Fault(`${name} is too long`);
    const components: StatusComponent[] = [];
    for (const item of value) {
      const component = componentOf(item, name);
      if (component instanceof Fault) return component;
      if (components.some(({ id }) => id === component.id)) return new Fault(`${name} has an id twice`);
      components.push(component);
    }
    return components;
  },
  schema: { type: 'array' },
};

function componentOf(item: unknown, name: string): StatusComponent | Fault {
  if (typeof item !== 'object' || item === null) return new Fault(`an item in '${name}' is not an object`);
  const fields = new Map(Object.entries(item));
  const values: Record<string, string> = {};
  for (const [key, field] of Object.entries(COMPONENT_FIELDS)) {
    const value = field.read(fields.get(key), key);
    if (value instanceof Fault) return new Fault(`an item in '${name}': ${value.reason}`);
    values[key] = value;
  }
  const { id = '', name: title = '', group = '' } = values;
  const tag = tagField.read(fields.get('tag'), 'tag');
  const check = text({ pattern: UNIQUE_KEY }).read(fields.get('check'), 'check');
  if (tag instanceof Fault && check instanceof Fault)
    return new Fault(`an item in '${name}' has neither a tag nor a check`);
  const covers = tag instanceof Fault ? { check: check as string } : { tag };
  return { id, name: title, group, covers };
}

export const updateText = refined(
  text({ maxLength: TEXT_LIMITS.statusUpdate }),
  'text',
  (value) => value.trim() || null,
);

export const UPDATE_FIELDS = {
  state: oneOf([...INCIDENT_STATES, 'note'], 'What it says.'),
  text: updateText,
};

/** Ids of components, each once. */
export const componentIdsField: Field<string[], readonly string[]> = {
  read(value, name) {
    const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
    if (!isList || value.length > MAX_STATUS_COMPONENTS) return new Fault(`${name} is not an array of ids`);
    return [...new Set(value)];
  },
  schema: { type: 'array', items: { type: 'string' } },
};

/** Fields within a field. Null if nothing is written there. A fault names the inner field. */
export function within<F extends Fields>(fields: F): Field<InputValues<F> | null, SentValues<F> | null> {
  return { read: (value) => (isObject(value) ? readInput(fields, value) : null), schema: {} };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
