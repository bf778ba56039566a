import type { FastifyInstance, FastifyReply } from 'fastify';
import { escapeHtml } from '../../lib/html-escape.ts';
import { findByUnsubscribeLink, unsubscribe } from '../../services/channels.ts';
import type { Deps } from '../../services/deps.ts';
import { TOKEN, UUID_PATTERN } from '../path-segments.ts';
import { sendMethodNotAllowed } from '../replies.ts';

/**
 * The link in every mail. Opening it changes nothing, since scanners open links, too; the button does, and so
 * does the one-click request of a mail program (RFC 8058).
 */
export function mountUnsubscribe(app: FastifyInstance, deps: Deps): void {
  app.route({
    method: app.supportedMethods,
    url: `/integrations/:channel(${UUID_PATTERN})/unsub/:token(${TOKEN})/`,
    handler: async (request, reply) => {
      if (request.method !== 'GET' && request.method !== 'POST')
        return sendMethodNotAllowed(reply, ['GET', 'POST']);
      const { channel: uuid = '', token = '' } = request.params as { channel?: string; token?: string };
      const channel = await findByUnsubscribeLink(deps, uuid, token);
      if (channel === null) return sendPage(reply, 404, 'This link is not right.', '');
      if (request.method === 'GET') return sendPage(reply, 200, 'Stop these messages?', BUTTON);
      await unsubscribe(deps, channel);
      return sendPage(reply, 200, 'Done: no more messages will be sent to this address.', '');
    },
  });
}

const BUTTON = '<form method="post"><button type="submit">Unsubscribe</button></form>';

function sendPage(reply: FastifyReply, status: number, text: string, form: string): FastifyReply {
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
      'cache-control': 'no-store',
    })
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
        `<meta name="color-scheme" content="light dark"><title>Unsubscribe</title></head>` +
        `<body><main><h1>${escapeHtml(text)}</h1>${form}</main></body></html>`,
    );
}
