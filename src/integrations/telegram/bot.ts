import { firstCharacters } from '../../lib/text/excerpt.ts';
import { fieldsOf } from '../connect/connection-answer.ts';
import type { Reply } from '../kind/kind.ts';
import type { OutboundRequest } from '../kind/outbound-request.ts';
import { jsonCall } from '../send/json-call.ts';
import { jsonOf } from '../send/reply.ts';
import { CHAT_TYPES, MAX_CHAT_NAME } from './chat.ts';

/**
 * https://core.telegram.org/bots/api#linkpreviewoptions: links in our messages lead to pages for which people sign in. A
 * preview would show the form for that.
 */
export const NO_PREVIEW = { is_disabled: true };

/** A chat in which somebody has started the bot, as settings of a channel. */
export interface StartedChat {
  readonly id: number;
  readonly type: (typeof CHAT_TYPES)[number];
  readonly name: string;
  readonly thread_id: number | null;
}

/**
 * The chat in which somebody has sent `/start`. Null for everything else that Telegram tells a bot.
 * https://core.telegram.org/bots/api#update
 */
export function startedChat(update: unknown): StartedChat | null {
  const { message, channel_post: post } = fieldsOf(update);
  const { text, chat: given, message_thread_id: thread } = fieldsOf(message ?? post);
  const chat = fieldsOf(given);
  const type = CHAT_TYPES.find((one) => one === chat.type);
  if (typeof text !== 'string' || !text.includes('/start') || type === undefined) return null;
  if (!Number.isSafeInteger(chat.id) || !(thread === undefined || Number.isSafeInteger(thread))) return null;
  const name = [chat.title, chat.username].find((one) => typeof one === 'string') ?? '';
  return {
    id: Number(chat.id),
    type,
    name: firstCharacters(String(name), MAX_CHAT_NAME),
    thread_id: thread === undefined ? null : Number(thread),
  };
}

/** A message of the bot in the chat. https://core.telegram.org/bots/api#sendmessage */
export function botMessage(
  token: string,
  { id, thread_id: thread }: StartedChat,
  text: string,
): OutboundRequest {
  return jsonCall(method(token, 'sendMessage'), {
    chat_id: id,
    ...(thread !== null && { message_thread_id: thread }),
    text,
    link_preview_options: NO_PREVIEW,
  });
}

/** A tap on a button of a message. https://core.telegram.org/bots/api#update */
export const TAP_UPDATE = 'callback_query';

/** The updates that matter to the bot. */
export const ALLOWED_UPDATES = ['message', 'channel_post', TAP_UPDATE];

/**
 * Asks for messages to the bot since the update before `offset`, and has Telegram forget that one and the earlier ones.
 * https://core.telegram.org/bots/api#getupdates
 */
export function updatesRequest(token: string, offset: number | null): OutboundRequest {
  return jsonCall(method(token, 'getUpdates'), {
    ...(offset !== null && { offset }),
    timeout: 0,
    allowed_updates: ALLOWED_UPDATES,
  });
}

/** The updates in Telegram's answer. */
export function updatesIn(reply: Reply): readonly { readonly id: number; readonly update: unknown }[] {
  const { result } = jsonOf(reply);
  if (!Array.isArray(result)) return [];
  return result.flatMap((update: unknown) => {
    const { update_id: id } = fieldsOf(update);
    return Number.isSafeInteger(id) ? [{ id: Number(id), update }] : [];
  });
}

/** Tells Telegram where the bot listens. https://core.telegram.org/bots/api#setwebhook */
export function webhookRegistration(token: string, address: string, secret: string): OutboundRequest {
  return jsonCall(method(token, 'setWebhook'), {
    url: address,
    secret_token: secret,
    allowed_updates: ALLOWED_UPDATES,
  });
}

export function method(token: string, name: string): string {
  return `https://api.telegram.org/bot${token}/${name}`;
}
