import { DELIVERED, type Outcome, tryAgain } from '../../domain/alert/delivery.ts';
import { flag, refined, text } from '../../lib/fields.ts';
import { MICROS_PER_SECOND, toIsoSeconds } from '../../lib/instant.ts';
import type { Line } from '../../lib/socket-client.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { type ConversationTarget, conversationKind } from '../kind/kind.ts';
import { bytes } from '../kind/limits.ts';
import type { Setting } from '../kind/setting.ts';
import { hostOf } from '../kind/url-field.ts';
import { alertFacts } from '../text/alert-facts.ts';
import { fill } from '../text/fill.ts';
import { fittedBody } from '../text/fitted.ts';
import { causeSentence } from '../text/listed-facts.ts';
import {
  type Answer,
  acceptedPacket,
  connectPacket,
  disconnectPacket,
  publishPacket,
  readPacket,
} from './packets.ts';

const TIMEOUT_MS = 30_000;
/** Section 1.5.3: a text has at most so many bytes. */
const MAX_TOPIC_BYTES = 65_535;
/** https://docs.aws.amazon.com/general/latest/gr/iot-core.html: many brokers take more. */
const LIMITS = { '': bytes(128_000) };
/** Characters of a level of a topic. */
const MAX_LEVEL = 200;
const PORTS = { 'mqtt:': 1883, 'mqtts:': 8883 };

const SETTINGS = {
  url: {
    label: 'Broker',
    help: 'mqtt://host or mqtts://host, with a port if it is not 1883 or 8883.',
    field: refined(text({ maxLength: 300 }), 'address such as mqtts://broker.example.org', brokerAddress),
    control: 'url',
  } satisfies Setting<string>,
  username: {
    label: 'User name',
    field: text({ maxLength: 200 }),
    control: 'text',
    default: '',
  } satisfies Setting<string>,
  password: {
    label: 'Password',
    field: text({ maxLength: 1_000 }),
    control: 'text',
    default: '',
    secret: true,
    sentTo: { setting: 'url' },
  } satisfies Setting<string>,
  topic: {
    label: 'Topic',
    help: 'Placeholders: $NAME, $SLUG, $KEY, $PROJECT, $STATUS. $KEY stands for the check, and lets nobody ping.',
    field: refined(text({ maxLength: 300 }), 'topic without wildcards', (topic) =>
      topic.trim() === '' || /[+#\0]/.test(topic) ? null : topic.trim(),
    ),
    control: 'text',
    default: 'tocsin/$KEY',
  } satisfies Setting<string>,
  is_retained: {
    label: 'Retain',
    help: 'The broker keeps the last message of a topic for those who subscribe later.',
    field: flag('Whether the broker keeps the message.'),
    control: 'flag',
    default: true,
  } satisfies Setting<boolean>,
};

export const mqtt = conversationKind({
  label: 'MQTT',
  category: 'automation',
  summary: 'publish to a broker',
  description: 'Publishes a JSON document to a topic of your broker, by MQTT 3.1.1, with an acknowledgement.',
  setup: [
    'Create a user at your broker who may publish to the topic.',
    'Enter the address of the broker. With `mqtts://` the connection is encrypted, and its certificate has to be valid.',
    'Choose the topic. Each check has a topic of its own if `$KEY` or `$SLUG` is in it, and the broker then keeps the status of each.',
    'Subscribe to it and send a test.',
  ],
  example: {
    url: 'mqtts://broker.example.org',
    username: 'tocsin',
    password: 'secret-of-the-broker',
    topic: 'tocsin/$PROJECT/$KEY',
    is_retained: true,
  },
  settings: SETTINGS,
  server: {},
  target: ({ url, topic }) => `${URL.parse(url)?.hostname ?? ''} ${topic}`.trim(),
  wants: () => true,
  destination: ({ url }) => hostOf(url),
  limits: LIMITS,
  needsBody: false,
  needsStory: true,
  acceptedByPeer: acceptedPacket,
  async deliver(event, { url, username, password, topic, is_retained: isRetained }, ports): Promise<Outcome> {
    const filled = topicOf(topic, event);
    if (Buffer.byteLength(filled) > MAX_TOPIC_BYTES)
      return { kind: 'refused', error: 'The topic is too long' };
    // Section 3.1.3.1: every broker accepts letters and digits, up to 23.
    const clientId = `tocsin${event.deliveryId.replaceAll('-', '').slice(0, 16)}`;
    const result = await ports.converse(targetOf(url), (line) =>
      publish(
        line,
        { clientId, username, password },
        filled,
        fittedBody(event, payloadOf, LIMITS),
        // The check of a test does not exist, so that nothing would take the place of its message.
        isRetained && !event.isTest,
      ),
    );
    return 'error' in result && !('kind' in result) ? tryAgain(result.error) : result;
  },
});

/** Credentials have settings of their own, since one is a secret. */
function brokerAddress(given: string): string | null {
  const url = URL.parse(given.trim());
  const isBroker = url !== null && Object.hasOwn(PORTS, url.protocol) && url.hostname !== '';
  if (!isBroker || url.username !== '' || url.password !== '') return null;
  return `${url.protocol}//${url.host}`;
}

function targetOf(address: string): ConversationTarget {
  const { protocol, hostname, port } = new URL(address);
  const isSecure = protocol === 'mqtts:';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? PORTS[isSecure ? 'mqtts:' : 'mqtt:'] : Number(port),
    isSecure,
    timeoutMs: TIMEOUT_MS,
    isOperators: false,
  };
}

const MESSAGE_ID = 1;

/** Section 3.2.2.3. */
const REFUSALS: Readonly<Record<number, string>> = {
  1: 'The broker does not know MQTT 3.1.1',
  2: 'The broker does not accept the client',
  3: 'The broker is not available',
  4: 'The broker does not accept the user name or the password',
  5: 'The broker does not allow it',
};

async function publish(
  line: Line,
  credentials: Parameters<typeof connectPacket>[0],
  topic: string,
  payload: string,
  isRetained: boolean,
): Promise<Outcome> {
  const next = answers(line);
  line.write(connectPacket(credentials));
  const connected = await next('connected');
  if (connected === null) return tryAgain('The broker has hung up');
  if (connected.code !== 0) {
    return tryAgain(REFUSALS[connected.code] ?? `The broker refused with code ${connected.code}`);
  }
  line.write(publishPacket(topic, payload, { id: MESSAGE_ID, isRetained }));
  const published = await next('published');
  if (published?.id !== MESSAGE_ID) return tryAgain('The broker has not acknowledged the message');
  line.write(disconnectPacket());
  return DELIVERED;
}

/** Waits for a packet of a kind. Others are skipped. Null if the broker hangs up before. */
function answers(
  line: Line,
): <Kind extends Answer['kind']>(kind: Kind) => Promise<Extract<Answer, { kind: Kind }> | null> {
  let received: Uint8Array = new Uint8Array();
  return async <Kind extends Answer['kind']>(kind: Kind) => {
    for (;;) {
      const packet = readPacket(received);
      if (packet !== null) {
        received = received.subarray(packet.length);
        if (packet.answer.kind === kind) return packet.answer as Extract<Answer, { kind: Kind }>;
        continue;
      }
      const bytes = await line.read();
      if (bytes === null) return null;
      received = Buffer.concat([received, bytes]);
    }
  };
}

function topicOf(template: string, event: AlertEvent): string {
  const { name, project } = alertFacts(event);
  const level = (value: string) => () => levelOf(value);
  return fill(
    template,
    {
      NAME: level(name),
      SLUG: level(event.check.slug),
      KEY: level(event.check.uniqueKey),
      PROJECT: level(project),
      STATUS: level(event.to),
    },
    'body',
  );
}

/** A value is one level of a topic: it has no slash, and no wildcard. */
function levelOf(value: string): string {
  const level = firstCharacters(value.replace(/[/+#\p{Cc}]/gu, '-').trim(), MAX_LEVEL);
  return level === '' ? '-' : level;
}

function payloadOf(event: AlertEvent): string {
  const facts = alertFacts(event);
  const { name, project, tags, link, lastPing } = facts;
  return JSON.stringify({
    check: event.check.uniqueKey,
    name,
    status: event.to,
    at: toIsoSeconds(event.at),
    reason: event.reason === '' ? null : event.reason,
    text: causeSentence(facts),
    down_seconds: event.downFor === null ? null : Math.floor(event.downFor / MICROS_PER_SECOND),
    project,
    tags,
    last_ping: lastPing,
    url: link,
    test: event.isTest,
  });
}
