import { answerUpdate, type BotTools } from '../services/alert/telegram-bot.ts';
import { BOT_PATH } from '../services/alert/telegram-registration.ts';
import type { Deps } from '../services/core/deps.ts';
import { parseJsonBody } from '../wire/api/body.ts';
import type { Route } from './route.ts';

/** Telegram posts messages to the bot of the service here. */
export function telegramBotRoute(deps: Deps, tools: BotTools): Route {
  return {
    path: BOT_PATH,
    cors: false,
    operations: {
      POST: {
        auth: 'none',
        body: { read: 'whole' },
        async handle({ headers, readBody }) {
          const secret = headers['x-telegram-bot-api-secret-token'];
          await answerUpdate(deps, parseJsonBody(await readBody()), String(secret ?? ''), tools);
          return { status: 200 };
        },
      },
    },
  };
}
