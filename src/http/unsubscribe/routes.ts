import { escapeHtml } from '../../lib/html-escape.ts';
import { findByUnsubscribeLink, unsubscribe } from '../../services/alert/channel-links.ts';
import type { Deps } from '../../services/core/deps.ts';
import {
  cancelSubscription,
  findBySubscriptionLink,
  type Subscription,
} from '../../services/people/mail-preferences.ts';
import { TOKEN, UUID_PATTERN } from '../path-segments.ts';
import type { Answer } from '../replies.ts';
import type { OpenRequest, Route } from '../route.ts';

/**
 * The link in every mail. Opening it changes nothing, since scanners open links too. The button unsubscribes, and so
 * does the one-click request of a mail program (RFC 8058).
 */
export function unsubscribeRoutes(deps: Deps): Route[] {
  const ofAccounts = (['reports', 'reminders'] as const).map((subscription) =>
    linkRoute(
      `/accounts/:subject(${UUID_PATTERN})/unsubscribe/${subscription}/:token(${TOKEN})/`,
      SUBSCRIPTIONS[subscription],
      {
        find: (uuid, token) => findBySubscriptionLink(deps, subscription, uuid, token),
        stop: (account, remoteAddr) => cancelSubscription(deps, subscription, account, remoteAddr),
      },
    ),
  );
  const ofChannels = linkRoute(`/integrations/:subject(${UUID_PATTERN})/unsub/:token(${TOKEN})/`, MESSAGES, {
    find: (uuid, token) => findByUnsubscribeLink(deps, uuid, token),
    stop: (channel, remoteAddr) => unsubscribe(deps, channel, remoteAddr),
  });
  return [ofChannels, ...ofAccounts];
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
  /** The subject of the link; null if the link is not valid. */
  find(uuid: string, token: string): Promise<Subject | null>;
  stop(subject: Subject, remoteAddr: string): Promise<void>;
}

function linkRoute<Subject>(path: string, words: Words, { find, stop }: Link<Subject>): Route {
  const onLink = (answer: (subject: Subject, remoteAddr: string) => Promise<Answer>) => ({
    auth: 'public_token' as const,
    async handle({ params, remoteAddr }: OpenRequest) {
      const subject = await find(params.subject ?? '', params.token ?? '');
      return subject === null ? page(404, 'This link is not right.', '') : answer(subject, remoteAddr);
    },
  });
  return {
    path,
    isExact: true,
    cors: false,
    operations: {
      GET: onLink(async () => page(200, words.question, BUTTON)),
      POST: onLink(async (subject, remoteAddr) => {
        await stop(subject, remoteAddr);
        return page(200, words.done, '');
      }),
    },
  };
}

const BUTTON = '<form method="post"><button type="submit">Unsubscribe</button></form>';

function page(status: number, text: string, form: string): Answer {
  return {
    status,
    headers: {
      'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
      'cache-control': 'no-store',
    },
    contentType: 'text/html; charset=utf-8',
    text:
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
      `<meta name="color-scheme" content="light dark"><title>Unsubscribe</title></head>` +
      `<body><main><h1>${escapeHtml(text)}</h1>${form}</main></body></html>`,
  };
}
