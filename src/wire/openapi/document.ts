import type { JsonSchema } from '../../lib/fields.ts';
import { ACCOUNT_PROJECT_SCHEMA, DELETED_PROJECT_SCHEMA } from '../api/account-project-schema.ts';
import { BADGE_URLS_SCHEMA } from '../api/badges-schema.ts';
import { CALENDAR_SCHEMA } from '../api/calendar-schema.ts';
import {
  CHANNEL_DETAILS_SCHEMA,
  CHANNEL_SCHEMA,
  KIND_SCHEMA,
  LISTED_CHANNEL_SCHEMA,
  PREVIEW_SCHEMA,
} from '../api/channel-schema.ts';
import {
  CHECK_SCHEMA,
  CREATE_CHECK_SCHEMA,
  SHOWN_CHECK_SCHEMA,
  UPDATE_CHECK_SCHEMA,
} from '../api/check-schema.ts';
import { DELIVERY_SCHEMA, TEST_MESSAGE_SCHEMA } from '../api/delivery-schema.ts';
import { ERROR_SCHEMA } from '../api/error-schema.ts';
import { FLIP_SCHEMA } from '../api/flip-schema.ts';
import { KEY_SCHEMA, MADE_KEY_SCHEMA } from '../api/key-schema.ts';
import { METRICS_SCHEMA } from '../api/metrics-schema.ts';
import { PING_SCHEMA } from '../api/ping-schema.ts';
import { ALERTING_SCHEMA, POLICY_SCHEMA } from '../api/policy-schema.ts';
import { PROJECT_SCHEMA } from '../api/project-schema.ts';
import { QUIET_TIME_SCHEMA } from '../api/quiet-time-schema.ts';
import { READINESS_SCHEMA } from '../api/readiness-schema.ts';
import { RUN_SCHEMA } from '../api/run-schema.ts';
import {
  ACCESS_LEFT_SCHEMA,
  INVITATION_SCHEMA,
  MADE_INVITATION_SCHEMA,
  MEMBER_SCHEMA,
  WALL_SCHEMA,
} from '../api/team-schema.ts';
import { WHY_SCHEMA } from '../api/why-schema.ts';
import { BADGE_SCHEMA, SHIELDS_SCHEMA } from '../badge/badge-schema.ts';
import {
  type BodyDoc,
  type Examples,
  GROUPS,
  type Group,
  NO_TOKEN,
  type OperationDoc,
  type Parameter,
  type ResponseDoc,
  TOKEN_REFUSALS,
  TOO_MANY_FROM_ADDRESS,
  TOO_MANY_REQUESTS,
  TOO_MANY_REQUESTS_OF_TOKENS,
  UNAUTHORIZED,
  UNAVAILABLE,
} from './operation.ts';
import { type OverviewOptions, overview } from './overview.ts';
import { CHECK_OR_UNIQUE_KEY, PATH_PARAMETERS, PROJECT_HEADER } from './parameters.ts';

/** The required secret: a read-only key, a read-write key, a token of an account, another secret, or none. */
export type Access = 'read' | 'write' | 'token' | 'metrics_key' | 'bearer' | 'open';

/** A mounted operation and its documentation. */
export interface DocumentedOperation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With braces: `/api/v3/checks/{check}`. */
  readonly path: string;
  readonly access: Access;
  /** Whether `{check}` may be a unique key. */
  readonly takesUniqueKey?: boolean;
  /** Whether requests without a key are not counted. */
  readonly isUnlimited?: boolean;
  readonly doc: OperationDoc;
}

export interface DocumentOptions extends OverviewOptions {
  /** Public base address, without a slash at its end. */
  readonly root: string;
}

const COMPONENTS = [
  CHECK_SCHEMA,
  SHOWN_CHECK_SCHEMA,
  CREATE_CHECK_SCHEMA,
  UPDATE_CHECK_SCHEMA,
  PING_SCHEMA,
  RUN_SCHEMA,
  WHY_SCHEMA,
  FLIP_SCHEMA,
  DELIVERY_SCHEMA,
  PROJECT_SCHEMA,
  ACCOUNT_PROJECT_SCHEMA,
  DELETED_PROJECT_SCHEMA,
  MEMBER_SCHEMA,
  INVITATION_SCHEMA,
  MADE_INVITATION_SCHEMA,
  ACCESS_LEFT_SCHEMA,
  WALL_SCHEMA,
  KEY_SCHEMA,
  MADE_KEY_SCHEMA,
  LISTED_CHANNEL_SCHEMA,
  CHANNEL_SCHEMA,
  CHANNEL_DETAILS_SCHEMA,
  KIND_SCHEMA,
  POLICY_SCHEMA,
  CALENDAR_SCHEMA,
  ALERTING_SCHEMA,
  PREVIEW_SCHEMA,
  TEST_MESSAGE_SCHEMA,
  BADGE_URLS_SCHEMA,
  BADGE_SCHEMA,
  SHIELDS_SCHEMA,
  METRICS_SCHEMA,
  QUIET_TIME_SCHEMA,
  READINESS_SCHEMA,
  ERROR_SCHEMA,
];

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'A read-write or a read-only key of a project.',
  },
  accountToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of an account. It may also be sent in `X-Api-Key`.',
  },
  metricsKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Metrics-Key',
    description: 'The key that the operator of the instance has set for its metrics.',
  },
  readOnlyKey: { type: 'http', scheme: 'bearer', description: 'A read-only key of a project.' },
};

const SECURITY: Record<Access, readonly Record<string, readonly string[]>[]> = {
  read: [{ apiKey: [] }, { accountToken: [] }],
  write: [{ apiKey: [] }, { accountToken: [] }],
  token: [{ accountToken: [] }],
  metrics_key: [{ metricsKey: [] }],
  bearer: [{ readOnlyKey: [] }],
  open: [],
};

/** The OpenAPI document of these operations. */
export function openApiDocument(
  operations: readonly DocumentedOperation[],
  options: DocumentOptions,
): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationObject(operation),
    };
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Tocsin API', version: '3', description: overview(options) },
    servers: [{ url: options.root }],
    tags: groupsOf(operations).map((name) => ({ name, description: GROUPS[name] })),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: Object.fromEntries(COMPONENTS.map(({ name, definition }) => [name, definition])),
    },
  };
}

/** The groups that have an operation, in the order of the document. */
export function groupsOf(operations: readonly DocumentedOperation[]): Group[] {
  const present = new Set<string>(operations.map(({ doc }) => doc.group));
  return (Object.keys(GROUPS) as Group[]).filter((group) => present.has(group));
}

function operationObject(operation: DocumentedOperation): JsonSchema {
  const { path, access, takesUniqueKey, doc } = operation;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    parameterObject('path', name, pathParameter(name, takesUniqueKey === true)),
  );
  const inQuery = Object.entries(doc.query ?? {}).map(([name, one]) => parameterObject('query', name, one));
  const inHeaders = takesKey(access) ? [parameterObject('header', 'X-Project', PROJECT_HEADER)] : [];
  return {
    operationId: doc.id,
    tags: [doc.group],
    summary: doc.summary,
    description: `${doc.description}${keyNote(access)}`,
    security: SECURITY[access],
    parameters: [...inPath, ...inQuery, ...inHeaders],
    ...(doc.body !== undefined && { requestBody: bodyObject(doc.body) }),
    responses: Object.fromEntries(
      Object.entries(withCommon(doc.responses, commonResponses(operation))).map(([status, response]) => [
        status,
        responseObject(response),
      ]),
    ),
  };
}

function keyNote(access: Access): string {
  if (access === 'read') return '\n\nA read-only key is enough.';
  return access === 'write' ? '\n\nNeeds a read-write key.' : '';
}

/** The responses that do not depend on the operation. */
function commonResponses({ access, path, isUnlimited }: DocumentedOperation): Record<number, ResponseDoc> {
  const { withoutProject, notAllowed, noSuchProject } = TOKEN_REFUSALS;
  if (takesKey(access)) {
    const ofTokens = { 400: withoutProject, 403: notAllowed, 404: noSuchProject };
    return { ...ofTokens, 401: UNAUTHORIZED, 429: TOO_MANY_REQUESTS, 503: UNAVAILABLE };
  }
  if (access === 'token') {
    const inProject = path.includes('{project_uuid}') ? { 404: noSuchProject } : {};
    return {
      ...inProject,
      ...{ 401: NO_TOKEN, 403: notAllowed, 429: TOO_MANY_REQUESTS_OF_TOKENS, 503: UNAVAILABLE },
    };
  }
  return isUnlimited === true ? {} : { 429: TOO_MANY_FROM_ADDRESS };
}

/** Whether a key of a project opens the operation. */
function takesKey(access: Access): boolean {
  return access === 'read' || access === 'write';
}

/** Both sets of responses. Where both have a status, its response tells of both. */
function withCommon(
  own: OperationDoc['responses'],
  common: Readonly<Record<number, ResponseDoc>>,
): Record<number, ResponseDoc> {
  const both = Object.entries(own).map(([status, response]): [string, ResponseDoc] => {
    const other = common[Number(status)];
    return [status, other === undefined ? response : together(response, other)];
  });
  return { ...common, ...Object.fromEntries(both) };
}

function together(one: ResponseDoc, other: ResponseDoc): ResponseDoc {
  const media = { ...one.content };
  for (const [type, { schema, examples }] of Object.entries(other.content ?? {})) {
    media[type] = { schema, examples: { ...media[type]?.examples, ...examples } };
  }
  return { ...other, ...one, description: `${one.description} ${other.description}`, content: media };
}

function pathParameter(name: string, takesUniqueKey: boolean): Parameter {
  const known = name === 'check' && takesUniqueKey ? CHECK_OR_UNIQUE_KEY : PATH_PARAMETERS[name];
  if (known === undefined) throw new Error(`{${name}} is not described in openapi/parameters.ts`);
  return known;
}

function parameterObject(place: 'path' | 'query' | 'header', name: string, parameter: Parameter): JsonSchema {
  return { name, in: place, required: place === 'path', ...parameter };
}

function bodyObject({ description, contentType, schema, examples }: BodyDoc): JsonSchema {
  return { description, content: { [contentType]: { schema, examples: exampleObjects(examples) } } };
}

function responseObject({ description, headers, content }: ResponseDoc): JsonSchema {
  return {
    description,
    ...(headers !== undefined && { headers }),
    ...(content !== undefined && {
      content: Object.fromEntries(
        Object.entries(content).map(([type, { schema, examples }]) => [
          type,
          { schema, examples: exampleObjects(examples) },
        ]),
      ),
    }),
  };
}

/** The names of examples must be keys, so the words become the summary. */
function exampleObjects(examples: Examples): JsonSchema {
  return Object.fromEntries(
    Object.entries(examples).map(([summary, value], index) => [`example${index + 1}`, { summary, value }]),
  );
}
