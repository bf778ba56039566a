import assert from 'node:assert/strict';
import { Ajv2020, type AnySchemaObject } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Reply } from '../app.ts';

// The part of OpenAPI that our document uses.

export interface OpenApi {
  readonly openapi: string;
  readonly info: { readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, AnySchemaObject>> };
}

export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly ParameterObject[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

interface ParameterObject {
  readonly name: string;
  readonly schema: AnySchemaObject;
  readonly example?: unknown;
}

export interface ResponseObject {
  readonly headers?: Readonly<Record<string, { readonly schema: AnySchemaObject }>>;
  readonly content?: Content;
}

type Content = Readonly<
  Record<
    string,
    {
      readonly schema: AnySchemaObject;
      readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
    }
  >
>;

/** An operation and where it is. */
export interface Located {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

export function operationsOf({ paths }: OpenApi): Located[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** Segments with something in braces are all alike, as the routes tell them apart in other ways. */
export function shapeOf(template: string): string {
  return template
    .split('/')
    .map((segment) => (segment.includes('{') ? '{}' : segment))
    .join('/');
}

/** Holds values against schemas of the document. A field that no schema mentions is a fault. */
export class Judge {
  readonly #ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
  });

  constructor({ components }: OpenApi) {
    formats.default(this.#ajv);
    for (const [name, schema] of Object.entries(components.schemas)) {
      this.#ajv.addSchema({ ...closed(schema), $id: name });
    }
  }

  /** The faults of the value; an empty text if there are none. */
  faults(schema: AnySchemaObject, value: unknown): string {
    const validate = this.#ajv.compile(closed(schema));
    return validate(value) ? '' : this.#ajv.errorsText(validate.errors);
  }

  assertFits(schema: AnySchemaObject, value: unknown, what: string): void {
    assert.equal(this.faults(schema, value), '', `${what}: ${JSON.stringify(value)}`);
  }

  /** Content type, body and headers are those that the document gives for the status. */
  assertReply(response: ResponseObject, reply: Reply): void {
    for (const [name, { schema }] of Object.entries(response.headers ?? {})) {
      const value = reply.headers[name.toLowerCase()];
      assert.ok(value !== undefined, `the header ${name} is missing`);
      this.assertFits(schema, schema.type === 'integer' ? Number(value) : value, name);
    }
    if (response.content === undefined) {
      assert.equal(reply.text, '');
      return;
    }
    const type = reply.headers['content-type'] ?? 'none';
    const media = response.content[type];
    assert.ok(media !== undefined, `the content type ${type} is not documented`);
    this.assertFits(media.schema, type === 'application/json' ? reply.json : reply.text, 'body');
  }
}

/** The schema with every object limited to the fields it names, and references by the name alone. */
function closed(schema: AnySchemaObject): AnySchemaObject {
  return close(schema) as AnySchemaObject;
}

function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [
    key,
    key === '$ref' ? String(inner).replace('#/components/schemas/', '') : close(inner),
  ]);
  const isOpen = 'properties' in value && typeof value.properties === 'object';
  return { ...Object.fromEntries(entries), ...(isOpen && { unevaluatedProperties: false }) };
}
