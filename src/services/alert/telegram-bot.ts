import { TOLERATED_AHEAD } from '../../domain/check/status.ts';
import { AppError } from '../../domain/errors.ts';
import {
  type AskProvider,
  botMessage,
  type ServerSettings,
  startedChat,
  updatesIn,
  updatesRequest,
  webhookRegistration,
} from '../../integrations/registry.ts';
import { seconds } from '../../lib/instant.ts';
import { equalInConstantTime } from '../../lib/vault.ts';
import type { Deps } from '../core/deps.ts';
import { sealInvitation } from './channel-invitations.ts';

export interface BotTools {
  readonly server: Pick<ServerSettings, 'TELEGRAM_TOKEN'>;
  /** The address of the site. */
  readonly root: string;
  readonly http: AskProvider;
}

/** Telegram posts messages to the bot to this path of the site. */
export const BOT_PATH = '/integrations/telegram/bot/';

const SECRET_LENGTH = 64;

/**
 * Answers a message to the bot. To `/start` it answers with a link, by which a person adds the chat to a project.
 * Telegram was given `secret` when the webhook was registered. If the answer cannot be sent, nobody is told: Telegram
 * would only ask again.
 */
export async function answerUpdate(
  deps: Pick<Deps, 'vault' | 'clock'>,
  update: unknown,
  secret: string,
  { server: { TELEGRAM_TOKEN: token }, root, http }: BotTools,
): Promise<void> {
  if (token === null) throw new AppError('not_found');
  if (!equalInConstantTime(secret, webhookSecret(deps))) throw new AppError('permission_denied');
  await answer(deps, update, token, { root, http });
}

async function answer(
  deps: Pick<Deps, 'vault' | 'clock'>,
  update: unknown,
  token: string,
  { root, http }: Pick<BotTools, 'root' | 'http'>,
): Promise<void> {
  const chat = startedChat(update);
  if (chat === null) return;
  const invitation = sealInvitation(deps, { kind: 'telegram', name: chat.name, settings: { ...chat } });
  const address = `${root}/integrations/add_telegram/?${new URLSearchParams({ invitation })}`;
  await http(
    botMessage(
      token,
      chat,
      `To get alerts here, open this link within 10 minutes and choose a project: ${address}`,
    ),
  );
}

const JOB = 'telegram_updates';
const EVERY = seconds(5);
/** After a refusal. A webhook that is registered does not go away by itself. */
const EVERY_AFTER_FAILURE = seconds(300);
/** One node asks. If it dies, another one asks after this time. */
const LEASE_SPAN = seconds(120);

/**
 * Asks Telegram for messages to the bot, and answers them. Several nodes take turns. Answers are confirmed afterwards:
 * if this node dies in between, people get a second link.
 */
export async function pollBot(
  deps: Pick<Deps, 'store' | 'vault' | 'clock'>,
  { server: { TELEGRAM_TOKEN: token }, root, http }: BotTools,
): Promise<void> {
  if (token === null) return;
  const now = deps.clock.now();
  const latest = now + EVERY_AFTER_FAILURE + TOLERATED_AHEAD;
  const dueAt = await deps.store.jobs.dueAt(JOB);
  if (dueAt !== null && dueAt > now && dueAt <= latest) return;
  if (!(await deps.store.transaction((tx) => tx.jobs.claim(JOB, now, now + LEASE_SPAN, latest)))) return;
  let pause = EVERY_AFTER_FAILURE;
  try {
    const updates = await updatesSince(token, null, http);
    for (const { update } of updates) await answer(deps, update, token, { root, http });
    const last = updates.at(-1);
    if (last !== undefined) await updatesSince(token, last.id + 1, http);
    pause = EVERY;
  } finally {
    await deps.store.transaction((tx) => tx.jobs.postpone(JOB, deps.clock.now() + pause));
  }
}

async function updatesSince(token: string, offset: number | null, http: AskProvider) {
  const reply = await http(updatesRequest(token, offset));
  if ('error' in reply) throw new Error(`Telegram was not asked: ${reply.error}`);
  if (reply.status !== 200) throw new Error(`Telegram answered with status ${reply.status}`);
  return updatesIn(reply);
}

/** Tells Telegram to post messages to the bot to this site. Returns why it refuses, or null. */
export async function registerBot(
  deps: Pick<Deps, 'vault'>,
  { server: { TELEGRAM_TOKEN: token }, root, http }: BotTools,
): Promise<string | null> {
  if (token === null) return 'TELEGRAM_TOKEN is not set';
  const reply = await http(webhookRegistration(token, root + BOT_PATH, webhookSecret(deps)));
  if ('error' in reply) return reply.error;
  return reply.status === 200
    ? null
    : `Telegram answers with status ${reply.status}: ${Buffer.from(reply.body)}`;
}

function webhookSecret({ vault }: Pick<Deps, 'vault'>): string {
  return vault.sign('telegram bot', 'webhook', SECRET_LENGTH);
}
