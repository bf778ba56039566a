import type { FastifyReply } from 'fastify';

/** JSON under exactly the content type that clients of the API know, without a charset. */
export function sendJson(reply: FastifyReply, status: number, value: unknown): FastifyReply {
  // To a text the framework would add a charset.
  return reply
    .code(status)
    .header('content-type', 'application/json')
    .send(Buffer.from(JSON.stringify(value)));
}

export function sendError(reply: FastifyReply, status: number, error: string): FastifyReply {
  return sendJson(reply, status, { error });
}

/** Refuses a method, naming those that would do. */
export function sendMethodNotAllowed(reply: FastifyReply, methods: readonly string[]): FastifyReply {
  return sendError(reply.header('allow', methods.join(', ')), 405, 'method not allowed');
}
