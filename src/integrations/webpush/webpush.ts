import type { Outcome } from '../../domain/alert/delivery.ts';
import { tryAgain } from '../../domain/alert/delivery.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { Fault, type Field, readFields, refined, text } from '../../lib/fields.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import { longestFitting, sizeOf } from '../../lib/text/text-size.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { conversationKind, type Reply } from '../kind/kind.ts';
import { bytes } from '../kind/limits.ts';
import { MASK, type Setting } from '../kind/setting.ts';
import { hostOf, maskedUrl } from '../kind/url-field.ts';
import { classifyByStatus, goneForGood, textOf } from '../send/reply.ts';
import { alertFacts } from '../text/alert-facts.ts';
import { causeSentence, plainTitle } from '../text/listed-facts.ts';
import {
  AUTH_BYTES,
  encrypted,
  MAX_TEXT_BYTES,
  PRIVATE_KEY_BYTES,
  PUBLIC_KEY_BYTES,
  RECORD_SIZE,
  SALT_BYTES,
} from './encryption.ts';

/** A browser's address for push messages. */
export interface Subscription {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** Seconds for which a push service keeps a message for a browser that is not running. */
const KEPT_SECONDS = 86_400;
/** RFC 8030, section 5.4: a later message of the same topic replaces one that has not been delivered. */
const MAX_TOPIC = 32;
const MAX_TITLE = 100;
const MAX_BODY = 500;

const SUBSCRIPTION_FIELDS = {
  endpoint: refined(text({ maxLength: TEXT_LIMITS.webhookUrl }), 'https URL', (url) =>
    URL.parse(url)?.protocol === 'https:' ? url : null,
  ),
  p256dh: keyField(PUBLIC_KEY_BYTES),
  auth: keyField(AUTH_BYTES),
};

const SETTINGS = {
  subscription: {
    label: 'This browser',
    help: 'The browser asks you whether it may show notifications.',
    field: subscriptionField(),
    control: 'push',
    secret: true,
    shown: ({ endpoint }: Subscription) => ({ endpoint: maskedUrl(endpoint), p256dh: MASK, auth: MASK }),
    sentTo: { part: 'endpoint' },
  } satisfies Setting<Subscription>,
};

/** RFC 8030, 8291 and 8292. */
export const webpush = conversationKind({
  label: 'Browser notification',
  category: 'phone',
  summary: 'to this browser',
  description: 'Notifications of a browser, on a computer or a phone, also while no page is open.',
  setup: [
    'Open this page in the browser that shall be told, on the computer or the phone. On an iPhone, add the site to the home screen first (**Share**, **Add to Home Screen**), and open it from there.',
    'Press **Allow in this browser**, and allow notifications when the browser asks.',
    'Save, and send a test. Each browser is an integration of its own, and is named after the device. We have tried it with Chromium on a computer, and on no iPhone or Android phone.',
  ],
  example: {
    subscription: {
      endpoint: 'https://updates.push.services.mozilla.com/wpush/v2/gAAAAABm',
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    },
  },
  settings: SETTINGS,
  server: {},
  target: ({ subscription }) => hostOf(subscription.endpoint),
  wants: () => true,
  destination: ({ subscription }) => hostOf(subscription.endpoint),
  takesOwnWords: true,
  buttons: {
    says: 'They stand in the notification, and act without opening a page; most browsers show two. An iPhone shows none: a tap opens the check.',
  },
  limits: { '': bytes(RECORD_SIZE) },
  needsBody: false,
  needsStory: true,
  async deliver(event, { subscription }, ports): Promise<Outcome> {
    const { endpoint } = subscription;
    const isMasked = subscription.auth === MASK;
    const message = messageOf(event);
    // A preview shows the plain text. Nobody can read the encrypted one.
    const body = isMasked
      ? message
      : encrypted(message, subscription, {
          privateKey: ports.randomBytes(PRIVATE_KEY_BYTES),
          salt: ports.randomBytes(SALT_BYTES),
        });
    const reply = await ports.http({
      method: 'POST',
      url: endpoint,
      headers: {
        Authorization: await ports.pushAuthorization(new URL(endpoint).origin),
        'Content-Type': 'application/octet-stream',
        'Content-Encoding': 'aes128gcm',
        TTL: String(KEPT_SECONDS),
        Urgency: event.to === 'down' ? 'high' : 'normal',
        Topic: event.check.uniqueKey.slice(0, MAX_TOPIC),
      },
      body,
    });
    return 'error' in reply ? tryAgain(reply.error) : classify(reply);
  },
});

/** The service worker shows it. */
function messageOf(event: AlertEvent): string {
  const facts = alertFacts(event);
  const { name, link, others } = facts;
  const title = plainTitle({ ...facts, name: firstCharacters(name, MAX_TITLE) });
  const body = [causeSentence(facts), others?.brief ? `${others.label}: ${others.brief}` : '']
    .filter((part) => part !== '')
    .join('\n');
  const down = event.others === null ? undefined : event.others.down + (event.to === 'down' ? 1 : 0);
  const buttons = event.buttons.map(({ verb, label, url }) => ({ verb, label, url }));
  const actions = buttons.length === 0 ? {} : { buttons };
  const written = (text: string) =>
    JSON.stringify({ title, body: text, url: link, tag: event.check.uniqueKey, down, ...actions });
  const fits = (text: string) =>
    sizeOf(text, 'code points') <= MAX_BODY && Buffer.byteLength(written(text)) <= MAX_TEXT_BYTES;
  return written(longestFitting(body, fits));
}

/** RFC 8030, section 7.3: a subscription that is gone. */
function classify(reply: Reply): Outcome {
  const words = textOf(reply).trim();
  return reply.status === 404 || reply.status === 410
    ? goneForGood(reply)
    : classifyByStatus(reply, words.startsWith('<') ? '' : words);
}

function keyField(bytes: number): Field<string> {
  return refined(text({ maxLength: 200 }), 'key in base64url', (value) => {
    const key = value.replace(/=+$/, '');
    return /^[\w-]+$/.test(key) && Buffer.from(key, 'base64url').length === bytes ? key : null;
  });
}

function subscriptionField(): Field<Subscription> {
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(
        Object.entries(SUBSCRIPTION_FIELDS).map(([name, { schema }]) => [name, schema]),
      ),
      required: Object.keys(SUBSCRIPTION_FIELDS),
      additionalProperties: false,
    },
    read(value, name) {
      if (value === null) return new Fault(`${name} is missing: allow notifications in this browser`);
      if (!isRecord(value)) return new Fault(`${name} is not a mapping`);
      const unknown = Object.keys(value).find((key) => !Object.hasOwn(SUBSCRIPTION_FIELDS, key));
      if (unknown !== undefined) return new Fault(`${name}.${unknown} is not known`);
      const read = readFields(SUBSCRIPTION_FIELDS, value);
      if (read instanceof Fault) return new Fault(`${name}.${read.reason}`);
      const { endpoint, p256dh, auth } = read;
      if (endpoint === undefined || p256dh === undefined || auth === undefined)
        return new Fault(`${name} is not complete`);
      return { endpoint, p256dh, auth };
    },
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
