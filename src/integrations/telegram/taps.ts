import { BUTTON_VERBS, type ButtonVerb } from '../../domain/alert/button.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import { fieldsOf } from '../connect/connection-answer.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import type { OutboundRequest } from '../kind/outbound-request.ts';
import type { Source } from '../kind/setting.ts';
import { jsonCall } from '../send/json-call.ts';
import { SHORT_TOKEN } from '../text/button-links.ts';
import { method, TAP_UPDATE } from './bot.ts';

/** https://core.telegram.org/bots/api#inlinekeyboardbutton: a button carries at most 64 bytes. */
const DATA = /^([asp])([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})([0-9a-f]{24})$/;
/** Characters of a person's name. */
const MAX_PERSON = 60;
/** https://core.telegram.org/bots/api#answercallbackquery */
const MAX_ANSWER = 200;

/** The buttons below a message. */
export function keyboardOf({ buttons, deliveryId }: AlertEvent): object {
  if (buttons.length === 0) return {};
  const row = buttons.map(({ verb, label, token }) => ({
    text: label,
    callback_data: `${verb.charAt(0)}${deliveryId.replaceAll('-', '')}${token.slice(0, SHORT_TOKEN)}`,
  }));
  return { reply_markup: { inline_keyboard: [row] } };
}

/** A tap on a button of a message. */
export interface Tap {
  /** Telegram's id of the tap. */
  readonly id: string;
  readonly chatId: number;
  readonly messageId: number;
  /** The name of the person. It is not empty. */
  readonly person: string;
  readonly deliveryUuid: string;
  readonly verb: ButtonVerb;
  /** The beginning of the button's token. */
  readonly token: string;
}

/** Digits of the signature in the token of a tap. */
export const TAP_DIGITS = 16;

/** Whether somebody has tapped in the chat of the channel with these settings. */
export function isTapIn({ chatId }: Pick<Tap, 'chatId'>, { id }: Source): boolean {
  return id === chatId;
}

/** Null for everything else that Telegram tells a bot. https://core.telegram.org/bots/api#callbackquery */
export function tapOf(update: unknown): Tap | null {
  const { id, data, from, message } = fieldsOf(fieldsOf(update)[TAP_UPDATE]);
  const { message_id: messageId, chat } = fieldsOf(message);
  const { id: chatId } = fieldsOf(chat);
  const [, letter, a, b, c, d, e, token] = DATA.exec(typeof data === 'string' ? data : '') ?? [];
  const verb = BUTTON_VERBS.find((one) => one.charAt(0) === letter);
  if (typeof id !== 'string' || verb === undefined || token === undefined) return null;
  if (!Number.isSafeInteger(messageId) || !Number.isSafeInteger(chatId)) return null;
  return {
    id,
    chatId: Number(chatId),
    messageId: Number(messageId),
    person: personOf(from),
    deliveryUuid: `${a}-${b}-${c}-${d}-${e}`,
    verb,
    token,
  };
}

/** https://core.telegram.org/bots/api#user */
function personOf(from: unknown): string {
  const { first_name: first, last_name: last, username } = fieldsOf(from);
  const name = [first, last].filter((part) => typeof part === 'string').join(' ');
  return firstCharacters(name.trim() || String(username ?? '').trim() || 'Somebody', MAX_PERSON);
}

/** Shows the sentence to the person who has tapped. */
export function tapAnswer(token: string, { id }: Pick<Tap, 'id'>, text: string): OutboundRequest {
  return jsonCall(method(token, 'answerCallbackQuery'), {
    callback_query_id: id,
    text: firstCharacters(text, MAX_ANSWER),
    show_alert: false,
  });
}

/** Puts one button with these words in the place of the message's buttons. It does nothing any more. */
export function doneKeyboard(
  token: string,
  { chatId, messageId }: Pick<Tap, 'chatId' | 'messageId'>,
  words: string,
): OutboundRequest {
  return jsonCall(method(token, 'editMessageReplyMarkup'), {
    chat_id: chatId,
    message_id: messageId,
    reply_markup: { inline_keyboard: [[{ text: words, callback_data: DONE }]] },
  });
}

/** A tap on it is no tap on a button. */
const DONE = 'done';
