import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { Permission } from '../domain/permission.ts';
import type { Actor } from '../services/actor.ts';
import type { JsonObject } from '../wire/api/body.ts';
import type { ApiVersion } from '../wire/api/version.ts';
import type { OperationDoc } from '../wire/openapi/operation.ts';
import type { DrainLimits } from './ping/request-body.ts';
import type { Answer } from './replies.ts';

/** One path, as data: what can be done there, who may do it, and which methods are answered. `mount.ts` serves it. */
export interface Route {
  /** As the router writes it. A path that ends in a slash is redirected to from the form without it. */
  readonly path: string;
  /** The path without its slash is no route. */
  readonly isExact?: boolean;
  /** The versions of the API below which the path is served; none: it is served below the root. */
  readonly versions?: readonly ApiVersion[];
  /** Scripts of any origin may call it and read its answers; for them OPTIONS is answered without any key. */
  readonly cors: boolean;
  /** Other methods that are answered as GET is. */
  readonly likeGet?: readonly ('HEAD' | 'OPTIONS')[];
  readonly operations: RouteOperations;
  /** Where a check may be named by its unique key: what can be done with it then. */
  readonly operationsByUniqueKey?: RouteOperations;
  /** Headers of every answer, refusals included. */
  headers?(): Readonly<Record<string, string>>;
  /** The path in the API reference, where it says more than the router's. */
  readonly documentedPath?: string;
}

/** For `likeGet`: whatever only reads. */
export const SAFE_METHODS = ['HEAD', 'OPTIONS'] as const;

export type Method = 'GET' | 'POST' | 'DELETE';

export type RouteOperations = Partial<Record<Method, RouteOperation>>;

/** What can be done at a path with one method. `auth` says how callers show that they may. */
export type RouteOperation = ApiKeyOperation | ScrapeKeyOperation | MetricsKeyOperation | OpenOperation;

/** A key of a project in `X-Api-Key`, or in the JSON body of a POST that changes something. */
export interface ApiKeyOperation {
  readonly auth: 'api_key';
  /** What the API reference says of it. */
  readonly doc: OperationDoc;
  /** What the verb will ask for. It is asked here as well, since a wrong key is told before a wrong field. */
  readonly permission: Permission;
  /** A body of `null` counts as none: some clients send it where nothing is to be said. */
  readonly acceptsNullBody?: boolean;
  handle(request: ApiRequest): Promise<Answer>;
}

/** A key of a project as Prometheus sends it: as a bearer token, or as the segment `:key` of the path. */
export interface ScrapeKeyOperation {
  readonly auth: 'bearer_key' | 'path_key';
  readonly doc: OperationDoc;
  readonly permission: Permission;
  handle(request: KeyedRequest): Promise<Answer>;
}

/** The key that the operator has set for the metrics of the instance; null keeps them shut. */
export interface MetricsKeyOperation {
  readonly auth: 'metrics_key';
  readonly doc: OperationDoc;
  readonly metricsKey: string | null;
  handle(request: OpenRequest): Promise<Answer>;
}

/** With `public_token` the address itself holds a secret, which the verb looks at. */
export interface OpenOperation {
  readonly auth: 'public_token' | 'none';
  /** None for pages that are for people. */
  readonly doc?: OperationDoc;
  readonly body?: BodyRule;
  handle(request: OpenRequest): Promise<Answer>;
}

/** How a body is read that anybody may send. Without a rule it is thrown away as it comes. */
export type BodyRule =
  /** All of it; one that is long is refused. */
  | { readonly read: 'whole' }
  /** Its first bytes; the rest is read and thrown away. */
  | { readonly read: 'beginning'; readonly maxBytes: number; readonly drainLimits: DrainLimits };

interface RouteRequest {
  /** That of the path; the latest where the path names none. */
  readonly version: ApiVersion;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

export interface KeyedRequest extends RouteRequest {
  readonly actor: Actor;
}

export interface ApiRequest extends KeyedRequest {
  /** The JSON object of a POST; empty for other methods, whose bodies count for nothing. */
  readonly body: JsonObject;
}

export interface OpenRequest extends RouteRequest {
  readonly headers: IncomingHttpHeaders;
  readonly log: FastifyBaseLogger;
  /** Reads the body as the rule of the operation says. What nobody asks for is not read. */
  readBody(): Promise<Uint8Array>;
}
