import { AppError } from '../../domain/errors.ts';
import {
  INCIDENT_STATES,
  MAX_STATUS_COMPONENTS,
  type NoticeKind,
  type StatusComponent,
  type StatusDraft,
  type UpdateText,
} from '../../domain/public/status-page.ts';
import { canonicalTimezone } from '../../domain/schedule/timezone.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { Fault, type Field, integer, oneOf, refined, text } from '../../lib/fields.ts';
import type { Instant } from '../../lib/instant.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { JsonObject } from '../api/body.ts';
import { expiresField } from '../api/key-input.ts';
import { readGiven, readInput } from './input.ts';

/** A part of an address: letters, digits and hyphens, and no hyphen at either end. */
const SLUG = /^[a-z0-9](?:[a-z0-9-]{1,58})[a-z0-9]$/;
const COMPONENT_ID = /^[a-z0-9]{1,16}$/;
const UNIQUE_KEY = /^[0-9a-f]{40}$/;
const MAX_REVISION = Number.MAX_SAFE_INTEGER;

const titleField = refined(
  text({ maxLength: TEXT_LIMITS.statusTitle }),
  'title',
  (value) => oneLine(value).trim() || null,
);

const PAGE_FIELDS = {
  title: titleField,
  slug: text({ pattern: SLUG }),
  about: refined(text({ maxLength: TEXT_LIMITS.statusAbout }), 'text', (value) => value.trim()),
  tz: refined(text(), 'time zone', canonicalTimezone),
};

const COMPONENT_FIELDS = {
  id: text({ pattern: COMPONENT_ID }),
  name: titleField,
  group: refined(text({ maxLength: TEXT_LIMITS.statusGroup }), 'group', (value) => oneLine(value).trim()),
};

const componentsField: Field<StatusComponent[]> = {
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
  const tag = text({ maxLength: TEXT_LIMITS.checkTags, pattern: /^[^ ]+$/ }).read(fields.get('tag'), 'tag');
  const check = text({ pattern: UNIQUE_KEY }).read(fields.get('check'), 'check');
  if (tag instanceof Fault && check instanceof Fault)
    return new Fault(`an item in '${name}' has neither a tag nor a check`);
  const covers = tag instanceof Fault ? { check: check as string } : { tag };
  return { id, name: title, group, covers };
}

export interface NewStatusPageInput {
  readonly title: string;
  readonly slug: string;
  readonly about: string;
  readonly tz: string;
}

export function parseNewStatusPage(body: JsonObject): NewStatusPageInput {
  const { about = '', tz = 'UTC' } = readGiven(PAGE_FIELDS, body);
  return { ...readInput({ title: PAGE_FIELDS.title, slug: PAGE_FIELDS.slug }, body), about, tz };
}

export interface StatusPageInput extends NewStatusPageInput {
  readonly components: readonly StatusComponent[];
  readonly revision: number | null;
}

export function parseStatusPage(body: JsonObject): StatusPageInput {
  const { revision = null } = readGiven({ revision: integer({ minimum: 0, maximum: MAX_REVISION }) }, body);
  return { ...readInput({ ...PAGE_FIELDS, components: componentsField }, body), revision };
}

const updateText = refined(
  text({ maxLength: TEXT_LIMITS.statusUpdate }),
  'text',
  (value) => value.trim() || null,
);

const UPDATE_FIELDS = { state: oneOf([...INCIDENT_STATES, 'note'], 'What it says.'), text: updateText };

export function parseUpdate(body: JsonObject): UpdateText {
  return readInput(UPDATE_FIELDS, body);
}

export function parseUpdateText(body: JsonObject): string {
  return readInput({ text: updateText }, body).text;
}

const componentIdsField: Field<string[]> = {
  read(value, name) {
    const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
    if (!isList || value.length > MAX_STATUS_COMPONENTS) return new Fault(`${name} is not an array of ids`);
    return [...new Set(value)];
  },
  schema: { type: 'array', items: { type: 'string' } },
};

const NOTICE_FIELDS = { title: titleField, components: componentIdsField };

export interface NoticeInput {
  readonly title: string;
  readonly componentIds: readonly string[];
  readonly startsAt: Instant | null;
  readonly endsAt: Instant | null;
}

/** The times of a maintenance are planned; an incident starts when it is opened. */
export function parseNotice(body: JsonObject): NoticeInput {
  const { title, components } = readInput(NOTICE_FIELDS, body);
  const { starts = null, ends = null } = readGiven({ starts: expiresField, ends: expiresField }, body);
  return { title, componentIds: components, startsAt: starts, endsAt: ends };
}

export interface NewNoticeInput extends NoticeInput {
  readonly kind: NoticeKind;
  readonly update: UpdateText;
}

export function parseNewNotice(body: JsonObject): NewNoticeInput {
  const { kind } = readInput({ kind: oneOf(['incident', 'maintenance'], 'What it is.') }, body);
  const notice = parseNotice(body);
  const update =
    kind === 'incident' ? parseUpdate(body) : { state: 'note' as const, text: parseUpdateText(body) };
  if (update.state === 'over' || (kind === 'incident' && update.state === 'note'))
    throw new AppError('invalid_field', 'state has unexpected value', { field: 'state' });
  return { ...notice, kind, update, ...(kind === 'incident' && { startsAt: null, endsAt: null }) };
}

/** The page and an update of a notice. Either may be missing. */
export function parseDraft(body: JsonObject): StatusDraft {
  const { page: draft, update: written } = body as { page?: unknown; update?: unknown };
  const page = isObject(draft) ? parseStatusPage(draft) : null;
  if (!isObject(written)) return { page, update: null };
  const { notice = null } = written as { notice?: unknown };
  return {
    page,
    update: {
      notice: typeof notice === 'string' ? notice : null,
      ...readInput({ title: titleField }, written),
      update: parseUpdate(written),
    },
  };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
