import { DELIVERED, type Outcome, tryAgain } from '../../domain/alert/delivery.ts';
import { type EnvSettingTable, flag, line } from '../../lib/env-setting.ts';
import { integer, oneOf, text } from '../../lib/fields.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { type Reply, requestKind } from '../kind/kind.ts';
import { units } from '../kind/limits.ts';
import type { Setting } from '../kind/setting.ts';
import { jsonCall } from '../send/json-call.ts';
import { isTaken, jsonOf, recordOf, retryAfter, statusErrorWith } from '../send/reply.ts';
import { NO_PREVIEW } from './bot.ts';
import { CHAT_TYPES, MAX_CHAT_NAME } from './chat.ts';
import { MAX_TEXT_LENGTH, telegramText } from './message.ts';
import { keyboardOf } from './taps.ts';

/** Telegram's ids have up to 52 significant bits. Ids of groups are negative. */
const idField = integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });

const SETTINGS = {
  id: {
    label: 'Chat id',
    help: 'Ids of groups and channels are negative numbers.',
    field: idField,
    control: 'number',
    connectedOnly: true,
  } satisfies Setting<number>,
  thread_id: {
    label: 'Topic id',
    help: 'The topic of a group that has topics.',
    field: idField,
    control: 'number',
    default: null,
    connectedOnly: true,
  } satisfies Setting<number | null>,
  type: {
    label: 'Kind of chat',
    field: oneOf(CHAT_TYPES, 'Kind of chat.'),
    control: 'choice',
    default: 'private',
    choices: CHAT_TYPES.map((value) => ({ value, label: value })),
    connectedOnly: true,
  } satisfies Setting<(typeof CHAT_TYPES)[number]>,
  name: {
    label: 'Name of the chat',
    field: text({ maxLength: MAX_CHAT_NAME }),
    control: 'text',
    default: '',
    connectedOnly: true,
  } satisfies Setting<string>,
};

const SERVER = {
  TELEGRAM_TOKEN: {
    kind: line,
    default: null,
    secret: true,
    doc: 'Token of the Telegram bot that sends messages; if unset, none are sent.',
  },
  TELEGRAM_BOT_NAME: {
    kind: line,
    default: null,
    example: 'tocsin_bot',
    doc: 'Name of that bot, such as `tocsin_bot`, for people who add it to a chat.',
  },
  TELEGRAM_POLLING: {
    kind: flag,
    default: 'False',
    doc: 'Whether the service asks Telegram what people say to the bot, for instances that Telegram cannot reach.',
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
  setup: [
    'In Telegram, add the bot of this service to the chat, the group or the channel. In a channel, the bot needs the right to post messages.',
    'Send `/start` in the chat, or in the topic of a group. The bot answers with a link. Open it, and choose the project.',
    'Nobody can enter the id of a chat: the link shows that alerts are wanted there. If the bot does not answer, whoever runs this service has to let it listen.',
  ],
  example: { id: -100123456789, type: 'supergroup', name: 'Operations' },
  settings: SETTINGS,
  server: SERVER,
  requires: ['TELEGRAM_TOKEN'],
  invitation: ({ TELEGRAM_BOT_NAME: name }) =>
    `In Telegram, add ${name === null ? 'the bot of this service' : `@${name}`} to the chat and send /start there. It answers with a link: open it, and choose the project.`,
  target: ({ id, name }) => name || `Chat ${id}`,
  wants: () => true,
  destination: () => 'api.telegram.org',
  limit: ({ id }) => ({ key: `telegram ${id}`, messages: 6, perSeconds: 60 }),
  takesOwnWords: true,
  limits: { text: units(MAX_TEXT_LENGTH) },
  needsBody: true,
  needsStory: true,
  buttons: {
    says: 'They stand below the message. A tap acts at once, and the message then says who has answered.',
    needsTaps: true,
  },
  render(event, { id, thread_id: threadId }, { TELEGRAM_TOKEN: token }) {
    if (token === null) return { kind: 'refused', error: 'Telegram notifications are not enabled.' };
    const message = {
      chat_id: id,
      message_thread_id: threadId,
      text: telegramText(event),
      parse_mode: 'html',
      link_preview_options: NO_PREVIEW,
      ...answered(event, id),
      ...keyboardOf(event),
    };
    return [jsonCall(`https://api.telegram.org/bot${token}/sendMessage`, message)];
  },
  classify,
});

/**
 * https://core.telegram.org/bots/api#replyparameters: the message of the same chat that told of the outage. If it was
 * deleted, this one is sent all the same.
 */
function answered({ answers }: AlertEvent, chatId: number): object {
  const [chat, message] = (answers?.providerId ?? '').split(' ');
  if (chat !== String(chatId)) return {};
  return { reply_parameters: { message_id: Number(message), allow_sending_without_reply: true } };
}

/** Messages are numbered in each chat. https://core.telegram.org/bots/api#message */
function taken({ result }: Readonly<Record<string, unknown>>): Outcome {
  const { message_id: message, chat } = recordOf(result);
  const { id } = recordOf(chat);
  const isNamed = Number.isSafeInteger(message) && Number.isSafeInteger(id);
  return isNamed ? { kind: 'delivered', providerId: `${id} ${message}` } : DELIVERED;
}

/** https://core.telegram.org/bots/api#responseparameters */
function classify(reply: Reply): Outcome {
  const { description, parameters, ...answer } = jsonOf(reply);
  if (isTaken(reply)) return taken(answer);
  const { migrate_to_chat_id: movedTo, retry_after: pause } = recordOf(parameters);
  const error = statusErrorWith(reply, description);
  if (Number.isSafeInteger(movedTo)) return { kind: 'reconfigure', error, settings: { id: movedTo } };
  if (GONE.some((one) => one === description)) return { kind: 'permanent', error };
  return tryAgain(error, typeof pause === 'number' ? Math.ceil(pause) : retryAfter(reply));
}
