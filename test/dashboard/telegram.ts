import assert from 'node:assert/strict';
import { BOT_PATH } from '../../src/services/alert/telegram-registration.ts';
import type { TestApp } from '../app.ts';
import { injectInto } from '../inject.ts';

/** Telegram tells the bot of something. Returns the status of the answer. */
export async function tellBot(app: TestApp, update: unknown, secret = secretOf(app)): Promise<number> {
  const { statusCode } = await injectInto(app.server, {
    method: 'POST',
    url: BOT_PATH,
    headers: { 'x-telegram-bot-api-secret-token': secret },
    payload: typeof update === 'string' ? update : JSON.stringify(update),
  });
  return statusCode;
}

const secretOf = ({ deps }: TestApp) => deps.vault.sign('telegram bot', 'webhook', 64);

/** The address in what the bot says. */
export function linkIn(text: string): URL {
  return new URL(/https?:\S+/.exec(text)?.[0] ?? assert.fail(text));
}
