import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import { isGranted, type Permission } from '../../domain/permission.ts';
import { type Actor, authenticate, requirePermission } from '../../services/actor.ts';
import type { Deps } from '../../services/deps.ts';
import { type JsonObject, parseJsonBody } from '../../wire/api/body.ts';
import { API_VERSIONS, type ApiVersion } from '../../wire/api/version.ts';
import type { OperationDoc } from '../../wire/openapi/operation.ts';
import { BodyReader } from '../body-reader.ts';
import { API_BODY_LIMIT, MAX_KEYLESS_BODY_BYTES } from '../limits.ts';
import { methodGate } from '../method-gate.ts';
import { isUniqueKey } from '../path-segments.ts';
import { sendPieces } from '../pieces.ts';
import { sendJson } from '../replies.ts';
import type { RateLimit } from './rate-limit.ts';

export interface ApiRequest {
  readonly actor: Actor;
  readonly version: ApiVersion;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The JSON object of a POST; empty for other methods, whose bodies count for nothing. */
  readonly body: JsonObject;
}

export type ApiReply =
  | { readonly status: number; readonly json: unknown }
  /** The text of a JSON document that may be too long to be in memory at once. */
  | { readonly status: number; readonly pieces: AsyncIterable<string> }
  | { readonly status: number; readonly bytes: Uint8Array; readonly contentType: string };

export interface Operation {
  /** What the API reference says of it. */
  readonly doc: OperationDoc;
  /** What the verb will ask for. It is asked here as well, since a wrong key is told before a wrong field. */
  readonly permission: Permission;
  /** A body of `null` counts as none: some clients send it where nothing is to be said. */
  readonly acceptsNullBody?: boolean;
  handle(request: ApiRequest): Promise<ApiReply>;
}

export type Method = 'GET' | 'POST' | 'DELETE';

export type Operations = Partial<Record<Method, Operation>>;

/** One path of the API and what can be done there. */
export interface Endpoint {
  /** Below `/api/vN`. A path that ends in a slash also redirects from the form without it. */
  readonly path: string;
  readonly operations: Operations;
  /** Where a check may be named by its unique key: what can be done with it then. */
  readonly operationsByUniqueKey?: Operations;
}

/**
 * Serves the endpoint under every version. The order is the contract's: method (405), body (400), key
 * (401), and only then whatever the operation itself has to say. The rate (429) is looked at as soon as the key is known.
 */
export function mountEndpoint(
  app: FastifyInstance,
  deps: Deps,
  rateLimit: RateLimit,
  endpoint: Endpoint,
): void {
  const { operations, operationsByUniqueKey = operations } = endpoint;
  const gate = methodGate(Object.keys(operations));
  const gateByUniqueKey = methodGate(Object.keys(operationsByUniqueKey));
  for (const version of API_VERSIONS) {
    const url = `/api/v${version}${endpoint.path}`;
    if (url.endsWith('/')) redirectToSlash(app, url);
    app.route({
      method: app.supportedMethods,
      url,
      config: { takesBody: true },
      onRequest: (request, reply, admit) =>
        namesUniqueKey(request) ? gateByUniqueKey(request, reply, admit) : gate(request, reply, admit),
      handler: async (request, reply) => {
        const operation = admitted(namesUniqueKey(request) ? operationsByUniqueKey : operations, request);
        const { actor, body } = await callerOf(deps, rateLimit, operation, request, reply);
        const params = paramsOf(request);
        return send(reply, await operation.handle({ actor, version, params, query: queryOf(request), body }));
      },
    });
  }
}

/** Route parameters are text by the router's own doing. */
function paramsOf(request: FastifyRequest): Readonly<Record<string, string>> {
  return request.params as Record<string, string>;
}

function namesUniqueKey(request: FastifyRequest): boolean {
  const { check } = paramsOf(request);
  return check !== undefined && isUniqueKey(check);
}

async function send(reply: FastifyReply, answer: ApiReply): Promise<FastifyReply> {
  if ('json' in answer) return sendJson(reply, answer.status, answer.json);
  if ('pieces' in answer) return sendPieces(reply, answer.status, answer.pieces);
  return reply.code(answer.status).header('content-type', answer.contentType).send(answer.bytes);
}

export function queryOf(request: FastifyRequest): URLSearchParams {
  const url = request.raw.url ?? '';
  const start = url.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1));
}

/** Clients in the field leave the slash out and follow the redirect, which turns their POST into a GET. */
export function redirectToSlash(app: FastifyInstance, url: string): void {
  app.route({
    method: app.supportedMethods,
    url: url.slice(0, -1),
    handler: async (request, reply) => {
      const [path = '', ...query] = (request.raw.url ?? '').split('?');
      return reply.redirect([`${path}/`, ...query].join('?'), 301);
    },
  });
}

function admitted(operations: Operations, request: FastifyRequest): Operation {
  const operation = operations[request.method as Method];
  if (operation === undefined) throw new Error(`unreachable: the gate admitted ${request.method}`);
  return operation;
}

/** Who calls, and with which body. */
type Call = Pick<ApiRequest, 'actor' | 'body'>;

async function callerOf(
  deps: Deps,
  rateLimit: RateLimit,
  { permission, acceptsNullBody = false }: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Call> {
  const enter = async (key: string): Promise<Actor> => {
    const actor = await authenticate(deps, key);
    requirePermission(actor, permission);
    rateLimit.take(actor.projectId);
    return actor;
  };
  const header = request.headers['x-api-key'];
  if (request.method !== 'POST') {
    request.raw.resume();
    return { actor: await enter(String(header ?? '')), body: {} };
  }
  // The header, even an empty one, wins.
  const byHeader = header === undefined ? null : await refusalOr(enter(String(header)));
  const isKnown = byHeader !== null && !(byHeader instanceof AppError);
  const reader = bodyReader(request, reply, isKnown);
  const refusal = byHeader ?? new AppError('missing_api_key');
  const bytes = await reader.whole.catch((error: unknown) => {
    const isLongForStranger = isTooLarge(error) && refusal instanceof AppError && !claimsTooMuch(request);
    throw isLongForStranger ? refusal : error;
  });
  const body = parseJsonBody(bytes, { acceptsNullBody });
  // Only a POST that changes something may carry the key in its body.
  const key = !isGranted('read_only_key', permission) && typeof body.api_key === 'string' ? body.api_key : '';
  const actor = byHeader ?? (await enter(key));
  if (actor instanceof AppError) throw actor;
  return { actor, body };
}

/** From a stranger no more is read than a body needs that has the key in it, and strangers have a budget of their own. */
function bodyReader(request: FastifyRequest, reply: FastifyReply, isKnown: boolean): BodyReader {
  const { bodyBudget, keylessBodyBudget } = request.server;
  if (isKnown) return new BodyReader(request.raw, reply.raw, API_BODY_LIMIT, bodyBudget);
  return new BodyReader(request.raw, reply.raw, MAX_KEYLESS_BODY_BYTES, keylessBodyBudget);
}

/** Why the key opens nothing, to be told in its turn; whatever else goes wrong is told at once. */
async function refusalOr(entering: Promise<Actor>): Promise<Actor | AppError> {
  try {
    return await entering;
  } catch (error) {
    if (error instanceof AppError && (error.code === 'missing_api_key' || error.code === 'wrong_api_key')) {
      return error;
    }
    throw error;
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof AppError && error.code === 'body_too_large';
}

/** Longer than any body may be, which is told whoever sends it. */
function claimsTooMuch({ headers }: FastifyRequest): boolean {
  return Number(headers['content-length'] ?? 0) > API_BODY_LIMIT;
}
