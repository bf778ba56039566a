import type { OutboundRequest } from '../integrations/kind/kind.ts';
import type { Clock } from '../lib/clock.ts';
import type { HttpResult } from '../lib/http-client.ts';
import { type Instant, seconds } from '../lib/instant.ts';
import type { NodeParts } from '../node/node.ts';
import { MONTH_END } from './world.ts';

const DAY = seconds(86_400);

/** A provider's answer, in the demonstration's time. */
interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const before = (days: number): Instant => MONTH_END - days * DAY;

/** How providers answer a message, by host. Others answer with 200 and no word. */
const PROVIDERS: Readonly<Record<string, (now: Instant) => Answer>> = {
  'hooks.slack.com': () => ({ status: 200, body: 'ok' }),
  'ntfy.sh': () => ({ status: 200, body: '{"id":"sPs71M8A2T","event":"message"}' }),
  'events.pagerduty.com': () => ({ status: 202, body: '{"status":"success","message":"Event processed"}' }),
  'chat.googleapis.com': () => ({ status: 200, body: '{"name":"spaces/AAAAdata/messages/1"}' }),
  'prod-1.westeurope.logic.azure.com': () => ({ status: 202, body: '' }),
  /** Somebody has deleted the webhook. */
  'discord.com': (now) =>
    now < before(7)
      ? { status: 204, body: '' }
      : { status: 404, body: '{"message": "Unknown Webhook", "code": 10015}' },
  /** It was down itself when the network of its host was, and came back hours later. */
  'bell.example.com': (now) =>
    now > before(18.1) && now < before(17.8)
      ? { status: 503, body: 'Service Unavailable' }
      : { status: 200, body: 'ringing' },
  /** It has been too busy for a while. */
  'tickets.example.net': (now) =>
    now > before(0.5)
      ? { status: 429, body: 'Too Many Requests', headers: { 'retry-after': '900' } }
      : { status: 201, body: '{"ticket": 4711}' },
};

const TAKES_ALL = (): Answer => ({ status: 200, body: '' });

/** Takes every message and answers as providers do. Nothing leaves the process. */
export function demoTransports(clock: Pick<Clock, 'now'>): NodeParts['transports'] {
  return {
    http: async ({ url }: OutboundRequest): Promise<HttpResult> => {
      const provider = PROVIDERS[new URL(url).hostname] ?? TAKES_ALL;
      const { status, body, headers = {} } = provider(clock.now());
      return { status, headers, body: Buffer.from(body) };
    },
    mail: {
      /** The mailbox of the analysts was full for three days. */
      send: async ({ to }) => {
        const now = clock.now();
        const isFull = to === 'analysts@example.net' && now > before(14) && now < before(11);
        return isFull ? '552 5.2.2 The mailbox is full' : null;
      },
      [Symbol.asyncDispose]: async () => undefined,
    },
  };
}
