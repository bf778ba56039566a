import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendMethodNotAllowed } from './replies.ts';

/**
 * Decides on the method before anything else is looked at: OPTIONS is answered, a method that is not
 * listed is refused (HEAD too), and browsers of any origin may read every answer.
 */
export function methodGate(methods: readonly string[]) {
  const allowed = [...methods, 'OPTIONS'];
  const cors = {
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'X-Api-Key',
    'access-control-allow-methods': allowed.join(', '),
    'access-control-max-age': '600',
  };
  return (request: FastifyRequest, reply: FastifyReply, admit: () => void): void => {
    reply.headers(cors);
    if (request.method === 'OPTIONS') reply.code(204).send();
    else if (methods.includes(request.method)) admit();
    else sendMethodNotAllowed(reply, allowed);
  };
}
