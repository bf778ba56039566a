import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, authenticate } from '../../services/actor.ts';
import type { Deps } from '../../services/deps.ts';
import { type JsonObject, parseJsonBody } from '../../wire/api/body.ts';
import { API_VERSIONS, type ApiVersion } from '../../wire/api/version.ts';

export interface ApiRequest {
  readonly actor: Actor;
  readonly version: ApiVersion;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The JSON object of a POST; empty for other methods, whose bodies count for nothing. */
  readonly body: JsonObject;
}

export interface ApiReply {
  readonly status: number;
  readonly json: unknown;
}

interface Operation {
  /** Whether a read-only key is enough. */
  readonly need: 'read' | 'write';
  handle(request: ApiRequest): Promise<ApiReply>;
}

type Method = 'GET' | 'POST' | 'DELETE';

/** One path of the API and what can be done there. */
export interface Endpoint {
  /** Below `/api/vN`. A path that ends in a slash also redirects from the form without it. */
  readonly path: string;
  readonly operations: Partial<Record<Method, Operation>>;
}

/**
 * Serves the endpoint under every version. The order is the contract's: method (405), body (400), key
 * (401), and only then whatever the operation itself has to say.
 */
export function mountEndpoint(app: FastifyInstance, deps: Deps, endpoint: Endpoint): void {
  for (const version of API_VERSIONS) {
    const url = `/api/v${version}${endpoint.path}`;
    if (url.endsWith('/')) redirectToSlash(app, url);
    const cors = corsHeaders(endpoint);
    app.route({
      method: app.supportedMethods,
      url,
      onRequest: async (request, reply) => {
        reply.headers(cors);
        if (request.method === 'OPTIONS') return reply.code(204).send();
        if (operationOf(endpoint, request) === undefined) {
          return reply.code(405).send({ error: 'method not allowed' });
        }
      },
      handler: async (request, reply) => {
        const operation = operationOf(endpoint, request);
        if (operation === undefined) throw new Error('unreachable: the method was admitted');
        const body = request.method === 'POST' ? parseJsonBody(bytesOf(request)) : {};
        const actor = await authenticate(deps, presentedKey(request, operation, body), operation.need);
        const params = request.params as Record<string, string>;
        const { status, json } = await operation.handle({
          actor,
          version,
          params,
          query: queryOf(request),
          body,
        });
        return sendJson(reply, status, json);
      },
    });
  }
}

export function sendJson(reply: FastifyReply, status: number, json: unknown): FastifyReply {
  return reply.code(status).header('content-type', 'application/json').send(JSON.stringify(json));
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

function operationOf(endpoint: Endpoint, request: FastifyRequest): Operation | undefined {
  const { method } = request;
  return method === 'GET' || method === 'POST' || method === 'DELETE'
    ? endpoint.operations[method]
    : undefined;
}

function corsHeaders(endpoint: Endpoint): Record<string, string> {
  return {
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'X-Api-Key',
    'access-control-allow-methods': [...Object.keys(endpoint.operations), 'OPTIONS'].join(', '),
    'access-control-max-age': '600',
  };
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
