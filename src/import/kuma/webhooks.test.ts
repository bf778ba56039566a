import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aCheck, anEvent } from '../../integrations/kind/alert-event.test-support.ts';
import type { OutboundRequest } from '../../integrations/registry.ts';
import { readSettings } from '../../integrations/registry.ts';
import { type WebhookCall, webhookRequest } from '../../integrations/webhook/request.ts';
import { Fault } from '../../lib/fields.ts';
import {
  kumaWebhook,
  matrixWebhook,
  ntfyWebhook,
  pushoverWebhook,
  signalWebhook,
  telegramWebhook,
  type Webhook,
} from './webhooks.ts';

const NAME = 'The "best" job\n\\ ends & 日本 #1 %';

interface Recipe {
  readonly webhook: Webhook;
  /** Takes the request as the provider does, and returns the text that people would read. */
  read(request: OutboundRequest): string;
}

const KEY = 'a-key';

const jsonOf = ({ body, headers }: OutboundRequest): Record<string, unknown> => {
  assert.equal(headers['Content-Type'], 'application/json');
  return JSON.parse(String(body));
};

const RECIPES: Readonly<Record<string, Recipe>> = {
  Telegram: {
    webhook: telegramWebhook({
      server: 'https://api.telegram.org',
      token: KEY,
      chat: '@ops',
      thread: '7',
      isSilent: false,
    }),
    read({ method, url }) {
      const { pathname, searchParams } = new URL(url);
      assert.deepEqual([method, pathname], ['GET', `/bot${KEY}/sendMessage`]);
      assert.deepEqual([searchParams.get('chat_id'), searchParams.get('message_thread_id')], ['@ops', '7']);
      return searchParams.get('text') ?? '';
    },
  },
  Pushover: {
    webhook: pushoverWebhook('a-user', KEY, 2),
    read(request) {
      const { token, user, priority, retry, expire, title, message } = jsonOf(request);
      assert.deepEqual([request.method, request.url], ['POST', 'https://api.pushover.net/1/messages.json']);
      assert.deepEqual([token, user, priority], [KEY, 'a-user', 2]);
      assert.ok(Number(retry) >= 30 && Number(expire) <= 10_800);
      return `${title} ${message}`;
    },
  },
  Matrix: {
    webhook: matrixWebhook('https://matrix.example.org/', '!room:example.org', KEY),
    read(request) {
      const { pathname } = new URL(request.url);
      assert.equal(request.method, 'PUT');
      assert.match(
        pathname,
        /^\/_matrix\/client\/v3\/rooms\/!room%3Aexample\.org\/send\/m\.room\.message\/[^/]+$/,
      );
      assert.equal(request.headers.Authorization, `Bearer ${KEY}`);
      const { msgtype, body } = jsonOf(request);
      assert.equal(msgtype, 'm.text');
      return String(body);
    },
  },
  'signal-cli-rest-api': {
    webhook: signalWebhook('http://signal.example.org:8080/v2/send', '+15550100', ['+15550101', 'group.a']),
    read(request) {
      const { number, recipients, message } = jsonOf(request);
      assert.equal(request.method, 'POST');
      assert.deepEqual([number, recipients], ['+15550100', ['+15550101', 'group.a']]);
      return String(message);
    },
  },
  ntfy: {
    webhook: ntfyWebhook({
      url: 'https://ntfy.sh',
      topic: 'ops',
      user: 'u',
      password: 'p',
      priorities: { down: 5, up: 4 },
    }),
    read(request) {
      const { topic, title, message, priority } = jsonOf(request);
      assert.equal(request.headers.Authorization, `Basic ${btoa('u:p')}`);
      assert.equal(topic, 'ops');
      assert.ok(priority === 5 || priority === 4);
      return `${title} ${message}`;
    },
  },
  'a receiver of Uptime Kuma': {
    webhook: kumaWebhook({
      method: 'post',
      url: 'https://hooks.example.org/',
      type: 'json',
      headers: '{"X-Token":"a"}',
      body: '',
    }),
    read(request) {
      assert.equal(request.headers['X-Token'], 'a');
      const { heartbeat, monitor, msg } = jsonOf(request) as Record<string, Record<string, unknown>>;
      assert.equal(heartbeat?.msg, 'line 1\nline 2 <ok> & "done"');
      assert.deepEqual(monitor, { name: NAME, type: 'push' });
      return `${heartbeat?.status === 0 ? 'Down' : 'Up'} ${msg}`;
    },
  },
};

describe('a webhook in place of a notification', () => {
  for (const [name, { webhook, read }] of Object.entries(RECIPES))
    test(`${name} takes it, with any name of a check`, () => {
      const settings = readSettings('webhook', webhook.settings);
      assert.ok(!(settings instanceof Fault));
      for (const to of ['down', 'up'] as const) {
        // The field table has read it.
        const call = settings[to] as WebhookCall;
        const request = webhookRequest(
          call,
          anEvent({ to, check: aCheck({ name: NAME, slug: 'best-job' }) }),
        );
        assert.ok(!(request instanceof Fault));
        const text = read(request);
        assert.match(text, to === 'down' ? /Down/ : /Up/);
        assert.ok(text.includes(NAME) || text.includes('best-job'), text);
      }
    });
});
