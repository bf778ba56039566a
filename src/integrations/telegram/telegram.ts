import { type Outcome, tryAgain } from '../../domain/delivery.ts';
import { type EnvSettingTable, line } from '../../lib/env-setting.ts';
import { integer, oneOf, text } from '../../lib/fields.ts';
import { type Reply, requestKind } from '../kind.ts';
import { classifyByStatus, jsonOf, retryAfter, statusErrorWith } from '../reply.ts';
import type { Setting } from '../setting.ts';
import { telegramText } from './message.ts';

const CHAT_TYPES = ['private', 'group', 'supergroup', 'channel'] as const;

/** Telegram's ids have up to 52 significant bits. Ids of groups are negative. */
const idField = integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });

const SETTINGS = {
  id: {
    label: 'Chat id',
    help: 'The number that the bot answers with when it is started in the chat.',
    field: idField,
    control: 'number',
  } satisfies Setting<number>,
  thread_id: {
    label: 'Topic id',
    help: 'The topic of a group that has topics.',
    field: idField,
    control: 'number',
    default: null,
  } satisfies Setting<number | null>,
  type: {
    label: 'Kind of chat',
    field: oneOf(CHAT_TYPES, 'Kind of chat.'),
    control: 'choice',
    default: 'private',
    choices: CHAT_TYPES.map((value) => ({ value, label: value })),
  } satisfies Setting<(typeof CHAT_TYPES)[number]>,
  name: {
    label: 'Name of the chat',
    field: text({ maxLength: 200 }),
    control: 'text',
    default: '',
  } satisfies Setting<string>,
};

const SERVER = {
  TELEGRAM_TOKEN: {
    kind: line,
    default: null,
    secret: true,
    doc: 'Token of the Telegram bot that sends messages; if unset, none are sent.',
  },
} satisfies EnvSettingTable;

/** Telegram's errors for chats that no longer exist. */
const GONE = [
  'Forbidden: the group chat was deleted',
  'Forbidden: bot was blocked by the user',
  'Forbidden: user is deactivated',
  'Forbidden: bot was kicked from the group chat',
  'Forbidden: bot was kicked from the supergroup chat',
  'Bad Request: chat not found',
];

export const telegram = requestKind({
  label: 'Telegram',
  category: 'chat',
  summary: 'bot in a chat',
  description: 'Messages from the bot of this service in a chat, a group or a channel.',
  example: { id: -100123456789, type: 'supergroup', name: 'Operations' },
  settings: SETTINGS,
  server: SERVER,
  requires: ['TELEGRAM_TOKEN'],
  target: ({ id, name }) => name || `Chat ${id}`,
  wants: () => true,
  destination: () => 'api.telegram.org',
  limit: ({ id }) => ({ key: `telegram ${id}`, messages: 6, perSeconds: 60 }),
  needsBody: true,
  render(event, { id, thread_id: threadId }, { TELEGRAM_TOKEN: token }) {
    if (token === null) return { kind: 'refused', error: 'Telegram notifications are not enabled.' };
    const message = {
      chat_id: id,
      message_thread_id: threadId,
      text: telegramText(event),
      parse_mode: 'html',
    };
    return [
      {
        method: 'POST',
        url: `https://api.telegram.org/bot${token}/sendMessage`,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(message),
      },
    ];
  },
  classify,
});

/** https://core.telegram.org/bots/api#responseparameters */
function classify(reply: Reply): Outcome {
  const outcome = classifyByStatus(reply);
  if (outcome.kind === 'delivered') return outcome;
  const { description, parameters } = jsonOf(reply);
  const { migrate_to_chat_id: movedTo, retry_after: pause } = isRecord(parameters) ? parameters : {};
  const error = statusErrorWith(reply, description);
  if (Number.isSafeInteger(movedTo)) return { kind: 'reconfigure', error, settings: { id: movedTo } };
  if (GONE.some((one) => one === description)) return { kind: 'permanent', error };
  return tryAgain(error, typeof pause === 'number' ? Math.ceil(pause) : retryAfter(reply));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
