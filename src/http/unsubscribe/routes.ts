import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml } from '../../lib/html-escape.ts';
import { findByUnsubscribeLink, unsubscribe } from '../../services/channels.ts';
import type { Deps } from '../../services/deps.ts';
import {
  cancelSubscription,
  findBySubscriptionLink,
  type Subscription,
} from '../../services/mail-preferences.ts';
import { TOKEN, UUID_PATTERN } from '../path-segments.ts';
import { sendMethodNotAllowed } from '../replies.ts';

/**
 * The link in every mail. Opening it changes nothing, since scanners open links, too; the button does, and so
 * does the one-click request of a mail program (RFC 8058).
 */
export function mountUnsubscribe(app: FastifyInstance, deps: Deps): void {
  mountLink(app, `/integrations/:subject(${UUID_PATTERN})/unsub/:token(${TOKEN})/`, MESSAGES, {
    find: (uuid, token) => findByUnsubscribeLink(deps, uuid, token),
    stop: (channel) => unsubscribe(deps, channel),
  });
  for (const subscription of ['reports', 'reminders'] as const) {
    const url = `/accounts/:subject(${UUID_PATTERN})/unsubscribe/${subscription}/:token(${TOKEN})/`;
    mountLink(app, url, SUBSCRIPTIONS[subscription], {
      find: (uuid, token) => findBySubscriptionLink(deps, subscription, uuid, token),
      stop: (account) => cancelSubscription(deps, subscription, account),
    });
  }
}

interface Words {
  readonly question: string;
  readonly done: string;
}

const MESSAGES: Words = {
  question: 'Stop these messages?',
  done: 'Done: no more messages will be sent to this address.',
};

const SUBSCRIPTIONS: Readonly<Record<Subscription, Words>> = {
  reports: { question: 'Stop these reports?', done: 'Done: no more reports will be sent to this address.' },
  reminders: {
    question: 'Stop these reminders?',
    done: 'Done: no more reminders will be sent to this address.',
  },
};

interface Link<Subject> {
  /** Whose link it is; null when it is not right. */
  find(uuid: string, token: string): Promise<Subject | null>;
  stop(subject: Subject): Promise<void>;
}

function mountLink<Subject>(
  app: FastifyInstance,
  url: string,
  words: Words,
  { find, stop }: Link<Subject>,
): void {
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    if (request.method !== 'GET' && request.method !== 'POST')
      return sendMethodNotAllowed(reply, ['GET', 'POST']);
    const { subject: uuid = '', token = '' } = request.params as { subject?: string; token?: string };
    const subject = await find(uuid, token);
    if (subject === null) return sendPage(reply, 404, 'This link is not right.', '');
    if (request.method === 'GET') return sendPage(reply, 200, words.question, BUTTON);
    await stop(subject);
    return sendPage(reply, 200, words.done, '');
  };
  app.route({ method: app.supportedMethods, url, handler });
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
