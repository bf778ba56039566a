import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { OwnedRow } from '../domain/change.ts';
import type { AccountPermission, Permission } from '../domain/people/permission.ts';
import type { Actor } from '../services/core/actor.ts';
import type { Client } from '../services/people/client.ts';
import type { SignedIn } from '../services/people/sessions.ts';
import type { TokenHolder } from '../services/people/tokens.ts';
import type { JsonObject } from '../wire/api/body.ts';
import type { ApiVersion } from '../wire/api/version.ts';
import type { OperationDoc } from '../wire/openapi/operation.ts';
import type { DrainLimits } from './ping/request-body.ts';
import type { Answer } from './replies.ts';

/** One path as data: its operations, who may use them, and the methods that are answered. `dispatcher.ts` serves it. */
export interface Route {
  /** In the syntax of the router. If it ends in a slash, the path without the slash redirects to it. */
  readonly path: string;
  /** True if the path without its slash does not redirect. */
  readonly isExact?: boolean;
  /** The versions of the API under which the path is served. Without versions it is served under the root. */
  readonly versions?: readonly ApiVersion[];
  /** Scripts of any origin may call it and read its answers. OPTIONS is answered without a key for them. */
  readonly cors: boolean;
  /** Other methods that are answered like GET. */
  readonly likeGet?: readonly ('HEAD' | 'OPTIONS')[];
  readonly operations: RouteOperations;
  /** The operations for a check that is named by its unique key. */
  readonly operationsByUniqueKey?: RouteOperations;
  /** Headers of every answer, also of errors. */
  headers?(): Readonly<Record<string, string>>;
  /** The path in the API reference, if it differs from the router's. */
  readonly documentedPath?: string;
}

/** For `likeGet`: methods that only read. */
export const SAFE_METHODS = ['HEAD', 'OPTIONS'] as const;

export type Method = 'GET' | 'POST' | 'DELETE';

export type RouteOperations = Partial<Record<Method, RouteOperation>>;

/** An operation of a path for one method. `auth` says how the caller proves its permission. */
export type RouteOperation =
  | ApiKeyOperation
  | AccountTokenOperation
  | ProjectTokenOperation
  | ScrapeKeyOperation
  | MetricsKeyOperation
  | OpenOperation
  | SessionOperation
  | MemberOperation
  | CheckOperation
  | VisitorOperation;

/**
 * Needs a key of a project in `X-Api-Key`, or in the JSON body of a POST that changes something; or a token of an account
 * and the UUID of the project in `X-Project`.
 */
export interface ApiKeyOperation {
  readonly auth: 'api_key';
  /** The description in the API reference. */
  readonly doc: OperationDoc;
  /**
   * The permission that the verb requires. It is checked here as well, since a wrong key is reported before a wrong
   * field.
   */
  readonly permission: Permission;
  /** A body of `null` counts as empty: some clients send it when they have nothing to say. */
  readonly acceptsNullBody?: boolean;
  handle(request: ApiRequest): Promise<Answer>;
}

/** An operation for callers who are known. */
interface Guarded<Auth extends string, Right, Request> {
  readonly auth: Auth;
  /** The permission that the verb requires. It is checked here as well, before the body is read. */
  readonly permission: Right;
  handle(request: Request): Promise<Answer>;
}

/** An operation in the API reference. */
interface Documented {
  readonly doc: OperationDoc;
}

/** An operation of the dashboard, which is not in the API reference. */
interface Private {
  readonly doc?: undefined;
}

/** Needs a token of an account, for operations on the account and no single project. */
export type AccountTokenOperation = Documented &
  Guarded<'account_token', AccountPermission, AccountTokenRequest>;

/** Needs a token of an account that has a role in the project, which the path names as `:project_uuid`. */
export type ProjectTokenOperation = Documented & Guarded<'project_token', Permission, ApiRequest>;

/** Needs a key of a project as Prometheus sends it: as a bearer token, or as the segment `:key` of the path. */
export type ScrapeKeyOperation = Documented & Guarded<'bearer_key' | 'path_key', Permission, KeyedRequest>;

/** Needs the key that the operator has set for the metrics of the instance. If it is null, nobody can read them. */
export interface MetricsKeyOperation {
  readonly auth: 'metrics_key';
  readonly doc: OperationDoc;
  readonly metricsKey: string | null;
  handle(request: OpenRequest): Promise<Answer>;
}

/** Needs no key. With `public_token` the address itself contains a secret, which the verb checks. */
export interface OpenOperation {
  readonly auth: 'public_token' | 'none';
  /** Absent for pages that are made for people. */
  readonly doc?: OperationDoc;
  readonly body?: BodyRule;
  /** For probes: platforms ask often, from few addresses. The answer must cost nearly nothing, however many ask. */
  readonly isUnlimited?: boolean;
  handle(request: OpenRequest): Promise<Answer>;
}

/**
 * An operation of the dashboard that needs the cookie of a session. A request that may change something must come from
 * a page of this site.
 */
export type SessionOperation = Private & Guarded<'session', AccountPermission, SessionRequest>;

/** An operation of the dashboard in a project, which the path names as `:project`. It needs a session and a role. */
export type MemberOperation = Private & Guarded<'member', Permission, MemberRequest>;

/** An operation of the dashboard on a check, which the path names as `:check`. It needs a session and a role in its project. */
export type CheckOperation = Private & Guarded<'check_member', Permission, CheckRequest>;

/** Needs no session, such as a sign-in. A request that may change something must come from a page of this site. */
export interface VisitorOperation {
  readonly auth: 'visitor';
  readonly doc?: undefined;
  handle(request: VisitorRequest): Promise<Answer>;
}

/** The rule for a body that anybody may send. Without a rule it is discarded. */
export type BodyRule =
  /** The whole body. A long one is refused. */
  | { readonly read: 'whole' }
  /** The first bytes of the body. The rest is read and discarded. */
  | { readonly read: 'beginning'; readonly maxBytes: number; readonly drainLimits: DrainLimits };

export interface RouteRequest {
  /** The version in the path; the latest if the path has none. */
  readonly version: ApiVersion;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
}

export interface KeyedRequest extends RouteRequest {
  readonly actor: Actor;
}

export interface ApiRequest extends KeyedRequest {
  /** The JSON object of a POST. Empty for other methods, whose bodies are ignored. */
  readonly body: JsonObject;
}

export interface AccountTokenRequest extends RouteRequest {
  readonly actor: TokenHolder;
  /** The JSON object of a POST. Empty for other methods. */
  readonly body: JsonObject;
}

export interface OpenRequest extends RouteRequest {
  readonly remoteAddr: string;
  /** The other end of the connection, which may be a proxy. */
  readonly peer: { readonly address: string; readonly port: number };
  log(): Logger;
  /** Reads the body by the rule of the operation. Without this call nothing is read. */
  readBody(): Promise<Uint8Array>;
}

export interface VisitorRequest extends RouteRequest {
  readonly client: Client;
  /** The token in the cookie of the session. It may be wrong. */
  readonly token: string | null;
  /** The JSON object of a POST. Empty for other methods. */
  readonly body: JsonObject;
  readonly log: Logger;
}

export interface SessionRequest extends VisitorRequest {
  readonly token: string;
  readonly signedIn: SignedIn;
  /** Finds out once more who is signed in, for an answer that takes long. Fails if nobody is. */
  stillSignedIn(): Promise<SignedIn>;
}

export interface MemberRequest extends SessionRequest {
  /** The person in the project. */
  readonly actor: Actor;
}

export interface CheckRequest extends MemberRequest {
  /** Which check it is. It is in the project of the actor. */
  readonly check: OwnedRow;
}
