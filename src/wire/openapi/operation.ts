import type { JsonSchema } from '../../lib/fields.ts';
import { ERROR_SCHEMA } from '../api/error-schema.ts';

/** The documentation of one operation. Every operation of the API has one. */
export interface OperationDoc {
  /** Unique in the document; generated clients name their methods after it. */
  readonly id: string;
  readonly group: Group;
  readonly summary: string;
  /** CommonMark. */
  readonly description: string;
  readonly query?: Readonly<Record<string, Parameter>>;
  readonly body?: BodyDoc;
  /** By status code. The responses that all operations with an API key share are added. */
  readonly responses: Readonly<Record<number, ResponseDoc>>;
}

export const GROUPS = {
  Checks: 'The watched jobs: create, read, change, pause, resume and delete them.',
  Pings: 'What jobs call when they start, succeed or fail. The address is all that is needed.',
  History: 'What has happened to a check: its pings, their bodies, its flips, and who was notified.',
  Integrations: 'Where alerts go: create, change, test and delete integrations.',
  Policies: 'How outages are told: after how long, how often, and to whom else.',
  'Quiet times':
    'Spans in which checks are not expected and not told of: announce, read, change and stop them.',
  Project: 'What a project has besides its checks.',
  Projects: 'All projects of an account, their members and keys, for programs with a token of the account.',
  Badges: 'Public images and JSON of the status of a tag or a check. The address is all that is needed.',
  Metrics: 'A project in the text format of Prometheus.',
  Instance: 'The instance as a whole: its health, and what providers tell it.',
} as const;

export type Group = keyof typeof GROUPS;

export interface Parameter {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: string | number | boolean | readonly string[];
}

export interface BodyDoc {
  readonly description: string;
  readonly contentType: string;
  readonly schema: JsonSchema;
  readonly examples: Examples;
}

export interface ResponseDoc {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { description: string; schema: JsonSchema }>>;
  /** By content type. Absent for a reply without a body. */
  readonly content?: Readonly<Record<string, MediaDoc>>;
}

export interface MediaDoc {
  readonly schema: JsonSchema;
  readonly examples: Examples;
}

/** Example values, by a few words that describe them. */
export type Examples = Readonly<Record<string, unknown>>;

export function jsonReply(description: string, schema: JsonSchema, examples: Examples): ResponseDoc {
  return { description, content: { 'application/json': { schema, examples } } };
}

/** An error response. Each text becomes an example. */
export function errorReply(description: string, ...texts: readonly string[]): ResponseDoc {
  return jsonReply(
    description,
    ERROR_SCHEMA.json,
    Object.fromEntries(texts.map((error) => [error, { error }])),
  );
}

/** The caller has the document already. */
export const UNCHANGED: ResponseDoc = {
  description: 'It is the one whose `ETag` was sent as `If-None-Match`.',
};

export const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds after which to try again.',
    schema: { type: 'integer', minimum: 1 },
  },
};

export const UNAVAILABLE: ResponseDoc = {
  ...errorReply(
    'The database or the object storage cannot be reached just now. Nothing was changed.',
    'temporarily unavailable',
  ),
  headers: RETRY_AFTER,
};

export const TOO_MANY_REQUESTS: ResponseDoc = {
  ...errorReply(
    'The project has used up its requests for now, with all its keys together; or too many requests without a valid key came from this address.',
    'too many requests',
    'too many requests from this address',
  ),
  headers: RETRY_AFTER,
};

export const TOO_MANY_FROM_ADDRESS: ResponseDoc = {
  ...errorReply(
    'Too many requests without a valid key came from this address.',
    'too many requests from this address',
  ),
  headers: RETRY_AFTER,
};

/** The answers to tokens of accounts, which every operation has. */
export const TOKEN_REFUSALS = {
  withoutProject: errorReply(
    'A token of an account was sent without `X-Project`.',
    'name the project in X-Project',
  ),
  notAllowed: errorReply(
    'The scopes of the token, or the role of its account, do not include this.',
    'permission denied',
  ),
  noSuchProject: errorReply(
    'There is no such project, or the account of the token has no role in it.',
    'project not found',
  ),
};

export const NO_TOKEN = errorReply(
  'The token is missing, wrong, expired or revoked. A key of a project is wrong here.',
  'missing api key',
  'wrong api key',
);

export const TOO_MANY_REQUESTS_OF_TOKENS: ResponseDoc = {
  ...errorReply(
    'The account has used up its requests for now, with all its tokens together; or too many requests without a valid key came from this address.',
    'too many requests',
    'too many requests from this address',
  ),
  headers: RETRY_AFTER,
};

export const UNAUTHORIZED = errorReply(
  'The API key is missing, wrong, expired or revoked. A read-only key is wrong where a read-write key is needed.',
  'missing api key',
  'wrong api key',
);
