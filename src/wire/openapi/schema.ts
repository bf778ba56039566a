import type { JsonSchema } from '../../lib/fields.ts';

/**
 * The JSON Schema of values of type T. The type ties a schema to its presenter: if a presenter adds, removes or changes a
 * field, the compiler reports that its schema no longer fits.
 */
export interface Schema<T> extends Typed<T> {
  readonly optional?: false;
}

/** The schema of a field that may be absent. */
export interface Optional<T> extends Typed<T> {
  readonly optional: true;
}

interface Described {
  readonly json: JsonSchema;
  readonly optional?: boolean;
}

interface Typed<T> extends Described {
  /** Never set. As a function from T to T it makes the compiler reject wider and narrower types. */
  readonly of?: (value: T) => T;
}

/** One schema for each field of T. */
export type Properties<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K>
    ? Optional<Exclude<T[K], undefined>>
    : Schema<T[K]>;
};

/** A named schema that appears once in the document and is referred to by name. */
export interface Component<T> extends Schema<T> {
  readonly name: string;
  readonly definition: JsonSchema;
}

type Details = Readonly<Record<string, unknown>>;

export function text(description: string, details: Details = {}): Schema<string> {
  return { json: { type: 'string', description, ...details } };
}

export function integer(description: string, details: Details = {}): Schema<number> {
  return { json: { type: 'integer', description, ...details } };
}

export function number(description: string, details: Details = {}): Schema<number> {
  return { json: { type: 'number', description, ...details } };
}

export function flag(description: string): Schema<boolean> {
  return { json: { type: 'boolean', description } };
}

export function oneOf<const T extends string | number>(values: readonly T[], description: string): Schema<T> {
  const type = typeof values[0] === 'number' ? 'integer' : 'string';
  return { json: { type, enum: values, description } };
}

/** A time in UTC, as the API writes it. */
export function instant(description: string): Schema<string> {
  return text(description, { format: 'date-time' });
}

export function url(description: string): Schema<string> {
  return text(description, { format: 'uri' });
}

export function uuid(description: string): Schema<string> {
  return text(description, { format: 'uuid' });
}

export function nullable<T>({ json }: Schema<T>): Schema<T | null> {
  const values = Array.isArray(json.enum) ? { enum: [...json.enum, null] } : {};
  return { json: { ...json, type: [json.type, 'null'], ...values } };
}

export function optional<T>({ json }: Schema<T>): Optional<T> {
  return { json, optional: true };
}

/** Makes every field optional. */
export function allOptional<T>(properties: Properties<Required<T>>): Properties<Partial<T>> {
  const entries = Object.entries<Described>(properties).map(([name, { json }]) => [
    name,
    { json, optional: true },
  ]);
  // The names are the same, and every schema is optional now.
  return Object.fromEntries(entries) as Properties<Partial<T>>;
}

export function list<T>({ json }: Schema<T>, description?: string): Schema<T[]> {
  return { json: { type: 'array', items: json, ...(description !== undefined && { description }) } };
}

/** An object with arbitrary names whose values have one type. */
export function mapOf<T>({ json }: Schema<T>, description: string): Schema<Record<string, T>> {
  return { json: { type: 'object', additionalProperties: json, description } };
}

export function object<T>(properties: Properties<T>, details: Details = {}): Schema<T> {
  const entries = Object.entries<Described>(properties);
  return {
    json: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, { json }]) => [name, json])),
      required: entries.filter(([, described]) => described.optional !== true).map(([name]) => name),
      ...details,
    },
  };
}

export function component<T>(name: string, { json }: Schema<T>): Component<T> {
  return { name, definition: json, json: { $ref: `#/components/schemas/${name}` } };
}
