import { SERVER } from '../src/integrations/kind/alert-event.test-support.ts';
import type { OutboundRequest } from '../src/integrations/registry.ts';
import { ChannelMessageSender } from '../src/notifier/channel-message-sender.ts';
import { createChannelSender } from '../src/notifier/channel-sender.ts';
import { sendingPaths } from '../src/notifier/outbox-sender.ts';
import { log } from './alerts.ts';
import { SITE, type TestApp } from './app.ts';

/** More of an answer is not kept. */
const REPEATED = 350;

/** A node that sends such messages, and the requests that it makes. Each is answered with the status. */
export function messageNode(app: TestApp, site = { ...SITE, name: 'Tocsin' }) {
  const requests: OutboundRequest[] = [];
  /** `repeats`: providers repeat the end of the request in their answer. */
  const answers = { status: 200, repeats: false };
  /** The channels whose messages were counted, since they cost money. */
  const counted: number[] = [];
  const sender = createChannelSender({
    http: async (request) => {
      requests.push(request);
      const text = answers.repeats ? textOf(request).slice(-REPEATED) : 'ok';
      return { status: answers.status, headers: {}, body: new TextEncoder().encode(text) };
    },
    mail: null,
    server: SERVER,
    vault: app.deps.vault,
    unsubscribeUrl: () => 'https://tocsin.example.org/stop',
    quotas: {
      take: async (channel) => {
        counted.push(channel.id);
        return null;
      },
      giveBack: async () => undefined,
    },
  });
  const messages = new ChannelMessageSender(app.deps, sender, sendingPaths(20), {
    ...{ site, log, maxConcurrent: 20, hearsTaps: async () => true },
  });
  const drain = async () => {
    while ((await messages.tick()) === true) await messages.settled();
  };
  return { requests, answers, counted, messages, drain };
}

export function textOf({ body }: OutboundRequest): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body ?? undefined);
}
