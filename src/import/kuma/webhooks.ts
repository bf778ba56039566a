import { PLACEHOLDER } from '../../integrations/kind/url-field.ts';
import type { WebhookCall } from '../../integrations/webhook/request.ts';

type Direction = 'down' | 'up';

/** The settings of a webhook, and why it has to stay off. */
export interface Webhook {
  readonly settings: Readonly<Record<Direction, WebhookCall>>;
  readonly off: string | null;
}

/** The word of Kuma's messages. */
const WORDS = { down: '🔴 Down', up: '✅ Up' } as const;

const JSON_TYPE = { 'Content-Type': 'application/json' };

function webhook(request: (to: Direction) => WebhookCall, off: string | null = null): Webhook {
  return { settings: { down: request('down'), up: request('up') }, off };
}

/** A recipe: the request that Kuma sent, with placeholders of ours. Its texts are valid with any name of a check. */
const json = (
  method: 'POST' | 'PUT',
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): WebhookCall => ({ method, url, headers: { ...JSON_TYPE, ...headers }, body });

/** https://core.telegram.org/bots/api#sendmessage */
export function telegramWebhook(bot: {
  readonly server: string;
  readonly token: string;
  readonly chat: string;
  readonly thread: string;
  readonly isSilent: boolean;
}): Webhook {
  const { server, token, chat, thread, isSilent } = bot;
  const query = new URLSearchParams({
    chat_id: chat,
    ...(thread !== '' && { message_thread_id: thread }),
    ...(isSilent && { disable_notification: 'true' }),
  });
  return webhook((to) => ({
    method: 'GET',
    url: `${withoutSlash(server)}/bot${token}/sendMessage?${query}&text=${messageInQuery(to)}`,
    headers: {},
    body: '',
  }));
}

/** https://pushover.net/api */
export function pushoverWebhook(user: string, token: string, priority: number): Webhook {
  const emergency = priority === 2 ? { retry: 30, expire: 3600 } : {};
  return webhook((to) =>
    json(
      'POST',
      'https://api.pushover.net/1/messages.json',
      {},
      withMessage({ token, user, title: WORDS[to], priority, ...emergency }, 'message'),
    ),
  );
}

/** https://spec.matrix.org/latest/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid */
export function matrixWebhook(server: string, room: string, token: string): Webhook {
  const place = `rooms/${encodeURIComponent(room)}/send/m.room.message/$CODE-$NOW`;
  return webhook((to) =>
    json(
      'PUT',
      `${withoutSlash(server)}/_matrix/client/v3/${place}`,
      { Authorization: `Bearer ${token}` },
      JSON.stringify({ msgtype: 'm.text', body: sentence(to) }),
    ),
  );
}

/** https://bbernhard.github.io/signal-cli-rest-api/#/Messages/post_v2_send */
export function signalWebhook(url: string, number: string, recipients: readonly string[]): Webhook {
  return webhook((to) =>
    json('POST', url, {}, JSON.stringify({ message: sentence(to), number, recipients })),
  );
}

/** https://docs.ntfy.sh/publish/#publish-as-json */
export function ntfyWebhook(ntfy: {
  readonly url: string;
  readonly topic: string;
  readonly user: string;
  readonly password: string;
  readonly priorities: Readonly<Record<Direction, number>>;
}): Webhook {
  const { url, topic, user, password, priorities } = ntfy;
  const Authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return webhook((to) =>
    json(
      'POST',
      url,
      { Authorization },
      withMessage({ topic, title: WORDS[to], priority: priorities[to] }, 'message'),
    ),
  );
}

/** A webhook as Kuma sends it. */
export function kumaWebhook(given: {
  readonly method: string;
  readonly url: string;
  readonly type: string;
  readonly headers: string;
  readonly body: string;
}): Webhook {
  const { method, url, type } = given;
  const headers = readHeaders(given.headers);
  const literals = [url, given.headers, ...(type === 'custom' ? [given.body] : [])];
  const off = headers === null ? 'its headers are not the JSON of an object' : reservedReason(literals);
  if (method.toLowerCase() === 'get') return webhook((to) => getRequest(url, headers ?? {}, to), off);
  if (type === 'custom') return customWebhook(url, headers ?? {}, given.body, off);
  const unlike = type === 'form-data' ? 'Uptime Kuma sent a form, and here it would be JSON' : null;
  return webhook((to) => json('POST', url, headers ?? {}, kumaBody(to)), off ?? unlike);
}

/** Texts in which our placeholders mean themselves. */
export function reservedReason(literals: readonly string[]): string | null {
  const found = literals.map((text) => PLACEHOLDER.exec(text)?.[0]).find((name) => name !== undefined);
  return found === undefined ? null : `${found} in it would be filled in here`;
}

function customWebhook(
  url: string,
  headers: Readonly<Record<string, string>>,
  template: string,
  off: string | null,
): Webhook {
  const unknown = /\{\{|\{%/.test(translated(template, 'down'));
  return webhook(
    (to) => ({
      method: 'POST',
      url,
      // Kuma's client says so of a text.
      headers: {
        ...(hasType(headers) ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      body: translated(template, to),
    }),
    off ?? (unknown ? 'its body has more in braces than name, msg and status' : null),
  );
}

function hasType(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
}

/** A whole JSON string stays valid with any name. */
function translated(template: string, to: Direction): string {
  const texts: Readonly<Record<string, string>> = { name: '$NAME', status: WORDS[to], msg: message(to) };
  return template
    .replace(/"\{\{\s*name\s*\}\}"/gi, () => '$NAME_JSON')
    .replace(
      /\{\{\s*(name|status|msg)\s*\}\}/gi,
      (written, name: string) => texts[name.toLowerCase()] ?? written,
    );
}

function getRequest(url: string, headers: Readonly<Record<string, string>>, to: Direction): WebhookCall {
  const [address = ''] = url.split('#');
  const joined = `${address}${address.includes('?') ? '&' : '?'}msg=${messageInQuery(to)}`;
  return { method: 'GET', url: joined, headers, body: '' };
}

/** The parts of Kuma's body that receivers read. */
function kumaBody(to: Direction): string {
  const status = to === 'down' ? 0 : 1;
  const heartbeat = `{"status":${status},"msg":$BODY_JSON,"time":"$NOW"}`;
  return `{"heartbeat":${heartbeat},"monitor":{"name":$NAME_JSON,"type":"push"},"msg":$NAME_JSON}`;
}

function readHeaders(given: string): Readonly<Record<string, string>> | null {
  if (given === '') return {};
  try {
    const read: unknown = JSON.parse(given);
    if (typeof read !== 'object' || read === null || Array.isArray(read)) return null;
    return Object.fromEntries(Object.entries(read).map(([name, value]) => [name, String(value)]));
  } catch {
    return null;
  }
}

/** The message of Kuma. */
function message(to: Direction): string {
  return `[$NAME] [${WORDS[to]}]`;
}

/** In an address, names are percent-encoded. */
function messageInQuery(to: Direction): string {
  return encodeURIComponent(message(to)).replace('%24NAME', '$NAME');
}

/** Inside a JSON string only the slug and the address are safe: names may have quotes. */
function sentence(to: Direction): string {
  return `${WORDS[to]}: $SLUG\n$URL`;
}

/** The JSON of an object with the name of the check as one more member. */
function withMessage(members: object, name: string): string {
  return `${JSON.stringify(members).slice(0, -1)},${JSON.stringify(name)}:$NAME_JSON}`;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
