import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendError } from './replies.ts';

/**
 * Decides on the method before anything else is looked at: OPTIONS is answered, a method that is not
 * listed is refused (HEAD too), and browsers of any origin may read every answer.
 */
export function methodGate(methods: readonly string[]) {
  const cors = {
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'X-Api-Key',
    'access-control-allow-methods': [...methods, 'OPTIONS'].join(', '),
    'access-control-max-age': '600',
  };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    reply.headers(cors);
    if (request.method === 'OPTIONS') return reply.code(204).send();
    if (!methods.includes(request.method)) return sendError(reply, 405, 'method not allowed');
    return undefined;
  };
}
