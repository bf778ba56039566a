/** The JSON Schema of a field, as it stands in the OpenAPI document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One field of a request: how it is read, the error if it cannot be read, and its documentation. */
export interface Field<T, Sent = unknown> {
  /** The value, or a `Fault` with the reason in the contract's words. */
  read(value: unknown, name: string): T | Fault;
  readonly schema: JsonSchema;
  /** Never set. Its type is what callers send, where that is not the value itself, such as a text for a time. */
  readonly sent?: Sent;
}

export class Fault {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

interface TextRules {
  maxLength?: number;
  pattern?: RegExp;
  description?: string;
}

export function text(rules: TextRules = {}): Field<string> {
  return {
    read(value, name) {
      if (typeof value !== 'string' || !isStorable(value)) return new Fault(`${name} is not a string`);
      if (rules.maxLength !== undefined && isLongerThan(value, rules.maxLength)) {
        return new Fault(`${name} is too long`);
      }
      if (rules.pattern?.test(value) === false) return new Fault(`${name} does not match pattern`);
      return value;
    },
    schema: {
      type: 'string',
      ...(rules.maxLength !== undefined && { maxLength: rules.maxLength }),
      ...(rules.pattern !== undefined && { pattern: rules.pattern.source }),
      ...(rules.description !== undefined && { description: rules.description }),
    },
  };
}

/** A text that stands for a value. `refine` returns the value, or null if the text stands for none. */
export function refined<T>(
  base: Field<string>,
  reason: string,
  refine: (value: string) => T | null,
): Field<T, string> {
  return {
    read(value, name) {
      const read = base.read(value, name);
      if (read instanceof Fault) return read;
      return refine(read) ?? new Fault(`${name} is not a valid ${reason}`);
    },
    schema: base.schema,
  };
}

export function integer(rules: { minimum: number; maximum: number; description?: string }): Field<number> {
  return {
    read(value, name) {
      if (typeof value !== 'number' || !isWhole(value)) return new Fault(`${name} is not a number`);
      if (value < rules.minimum) return new Fault(`${name} is too small`);
      if (value > rules.maximum) return new Fault(`${name} is too large`);
      return value;
    },
    schema: { type: 'integer', ...rules },
  };
}

export function flag(description: string): Field<boolean> {
  return {
    read: (value, name) => (typeof value === 'boolean' ? value : new Fault(`${name} is not a boolean`)),
    schema: { type: 'boolean', description },
  };
}

export function oneOf<const T extends string>(values: readonly T[], description: string): Field<T> {
  return {
    read: (value, name) => values.find((one) => one === value) ?? new Fault(`${name} has unexpected value`),
    schema: { type: 'string', enum: values, description },
  };
}

export function someOf<const T extends string>(
  values: readonly T[],
  description: string,
): Field<T[], readonly T[]> {
  return {
    read(value, name) {
      if (!Array.isArray(value)) return new Fault(`${name} is not an array`);
      const items = value.map((item) => values.find((one) => one === item));
      const known = items.filter((item) => item !== undefined);
      if (known.length < items.length) return new Fault(`an item in '${name}' has unexpected value`);
      return known;
    },
    schema: { type: 'array', items: { type: 'string', enum: values }, description },
  };
}

/** Fields by name; their order is the order in which they are examined. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

export type FieldValues<F extends Fields> = {
  [K in keyof F]?: F[K] extends Field<infer T> ? T : never;
};

/** Reads the fields that `source` has. Returns their values or the first fault. Unknown names are ignored. */
export function readFields<F extends Fields>(
  fields: F,
  source: Readonly<Record<string, unknown>>,
): FieldValues<F> | Fault {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (!Object.hasOwn(source, name)) continue;
    const value = field.read(source[name], name);
    if (value instanceof Fault) return value;
    values[name] = value;
  }
  // Each value was read by the field of its name.
  return values as FieldValues<F>;
}

/** The schema of an object that has these fields and no others. */
export function objectSchema(fields: Fields, required: readonly string[]): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** Reads an object that has no other keys than these. Faults name the key with its object. */
export function readExactly<F extends Fields>(fields: F, value: unknown, of: string): FieldValues<F> | Fault {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return new Fault(`an item in '${of}' is not an object`);
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(fields, key));
  if (unknown !== undefined) return new Fault(`${of} has an unknown key ${JSON.stringify(unknown)}`);
  const read = readFields(fields, value as Readonly<Record<string, unknown>>);
  return read instanceof Fault ? new Fault(inside(of, read.reason)) : read;
}

/** The reason with the name of the object before that of the field, which most reasons begin with. */
function inside(of: string, reason: string): string {
  return reason.startsWith('an item in ') ? reason : `${of}.${reason}`;
}

/** JSON turns too many digits into an infinity. It counts as a whole number here, so that the error names its size. */
function isWhole(value: number): boolean {
  return Number.isInteger(value) || Math.abs(value) === Number.POSITIVE_INFINITY;
}

/** PostgreSQL can store neither NUL nor half a surrogate pair. */
function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}

/** Counts code points: an emoji is one character. */
function isLongerThan(value: string, limit: number): boolean {
  if (value.length <= limit) return false;
  if (value.length > limit * 2) return true;
  return [...value].length > limit;
}
