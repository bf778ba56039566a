import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, authenticate } from '../../services/actor.ts';
import type { Deps } from '../../services/deps.ts';
import { type JsonObject, parseJsonBody } from '../../wire/api/body.ts';
import { API_VERSIONS, type ApiVersion } from '../../wire/api/version.ts';
import type { OperationDoc } from '../../wire/openapi/operation.ts';
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
  /** Whether a read-only key is enough. */
  readonly need: 'read' | 'write';
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
 * (401), rate (429), and only then whatever the operation itself has to say.
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
      onRequest: (request, reply, admit) =>
        namesUniqueKey(request) ? gateByUniqueKey(request, reply, admit) : gate(request, reply, admit),
      handler: async (request, reply) => {
        const operation = admitted(namesUniqueKey(request) ? operationsByUniqueKey : operations, request);
        const body = request.method === 'POST' ? parseJsonBody(bytesOf(request), operation) : {};
        const actor = await authenticate(deps, presentedKey(request, operation, body), operation.need);
        rateLimit.take(actor.keyId);
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

/** The header, even an empty one, wins; only a POST that changes something may carry the key in its body. */
function presentedKey(request: FastifyRequest, operation: Operation, body: JsonObject): string {
  const header = request.headers['x-api-key'];
  if (header !== undefined) return String(header);
  const mayBeInBody = request.method === 'POST' && operation.need === 'write';
  return mayBeInBody && typeof body.api_key === 'string' ? body.api_key : '';
}

function bytesOf(request: FastifyRequest): Uint8Array {
  return request.body instanceof Uint8Array ? request.body : new Uint8Array();
}
