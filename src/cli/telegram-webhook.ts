import { HttpClient } from '../lib/http-client.ts';
import { registerBot } from '../services/alert/telegram-bot.ts';
import { type Command, CommandFailure, UsageError } from './command.ts';
import { openConfiguredCore } from './core.ts';

export const telegramWebhook: Command = {
  usage: '',
  summary: 'let the Telegram bot hear people who send /start to it or tap on a button',
  async run(args, io) {
    if (args.length > 0) throw new UsageError('telegram-webhook takes no argument');
    await using core = await openConfiguredCore(io);
    const { site, integrations, outbound } = core.config;
    await using http = new HttpClient({ userAgent: site.name, ...outbound });
    const refusal = await registerBot(core.deps, {
      server: integrations,
      site,
      http: (request) => http.send(request),
    });
    if (refusal !== null) throw new CommandFailure(`The bot was not registered: ${refusal}`);
    io.stdout.write(
      `Telegram posts to ${site.root} what people say to the bot, and which buttons they tap.\n`,
    );
    return 0;
  },
};
