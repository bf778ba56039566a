import type { Channel } from '../../domain/alert/channel.ts';
import { TOLERATED_AHEAD } from '../../domain/check/status.ts';
import { AppError, isOutage } from '../../domain/errors.ts';
import {
  type AskProvider,
  botMessage,
  doneKeyboard,
  isTapIn,
  type ServerSettings,
  type StartedChat,
  settingsOf,
  startedChat,
  TAP_DIGITS,
  type Tap,
  tapAnswer,
  tapOf,
  updatesIn,
  updatesRequest,
  webhookRegistration,
} from '../../integrations/registry.ts';
import { Fault } from '../../lib/fields.ts';
import { seconds } from '../../lib/instant.ts';
import { equalInConstantTime } from '../../lib/vault.ts';
import type { MessageSite } from '../../wire/site.ts';
import type { Deps } from '../core/deps.ts';
import { sealInvitation } from './channel-invitations.ts';
import { pressButton } from './pressed-buttons.ts';
import { BOT_PATH, noteRegistration } from './telegram-registration.ts';

export interface BotTools {
  readonly server: Pick<ServerSettings, 'TELEGRAM_TOKEN'>;
  readonly site: MessageSite;
  readonly http: AskProvider;
}

const SECRET_LENGTH = 64;

/**
 * Answers what people say to the bot, and taps on its buttons. Telegram was given `secret` when the webhook was
 * registered. If the answer cannot be sent, nobody is told: Telegram would only ask again.
 */
export async function answerUpdate(
  deps: Deps,
  update: unknown,
  secret: string,
  { server: { TELEGRAM_TOKEN: token }, ...tools }: BotTools,
): Promise<void> {
  if (token === null) throw new AppError('not_found');
  if (!equalInConstantTime(secret, webhookSecret(deps))) throw new AppError('permission_denied');
  await answer(deps, update, token, tools);
}

async function answer(deps: Deps, update: unknown, token: string, tools: AnswerTools): Promise<void> {
  const [chat, tap] = [startedChat(update), tapOf(update)];
  if (chat !== null) await invite(deps, chat, token, tools);
  if (tap !== null) await answerTap(deps, tap, token, tools);
}

type AnswerTools = Omit<BotTools, 'server'>;

/** Answers `/start` with a link, by which a person adds the chat to a project. */
async function invite(
  deps: Deps,
  chat: StartedChat,
  token: string,
  { site: { root }, http }: AnswerTools,
): Promise<void> {
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

/** Buttons act only for chats to which their message was sent. Who reads the same chat sees who has answered. */
async function answerTap(deps: Deps, tap: Tap, token: string, { site, http }: AnswerTools): Promise<void> {
  const isReader = (channel: Channel) => {
    const settings = settingsOf(channel, deps.vault);
    return channel.kind === 'telegram' && !(settings instanceof Fault) && isTapIn(tap, settings);
  };
  const presser = { person: tap.person, remoteAddr: null, isReader };
  const pressed = await pressButton(deps, { ...tap, digits: TAP_DIGITS }, presser, site.name);
  await http(tapAnswer(token, tap, pressed?.text ?? WRONG_TAP));
  if (pressed !== null && pressed.done !== null) await http(doneKeyboard(token, tap, pressed.done));
}

const WRONG_TAP = 'This button is not right, or too old.';

const JOB = 'telegram_updates';
const EVERY = seconds(5);
/** After a refusal. A webhook that is registered does not go away by itself. */
const EVERY_AFTER_FAILURE = seconds(300);
/** One node asks. If it dies, another one asks after this time. */
const LEASE_SPAN = seconds(120);

/**
 * Asks Telegram for messages to the bot and for taps, and answers them. Several nodes take turns. Answers are confirmed
 * afterwards: if this node dies in between, people get a second link, and a tap is a second tap.
 */
export async function pollBot(
  deps: Deps,
  { server: { TELEGRAM_TOKEN: token }, ...tools }: BotTools,
): Promise<void> {
  if (token === null) return;
  const now = deps.clock.now();
  const latest = now + EVERY_AFTER_FAILURE + TOLERATED_AHEAD;
  const dueAt = await deps.store.jobs.dueAt(JOB);
  if (dueAt !== null && dueAt > now && dueAt <= latest) return;
  if (!(await deps.store.transaction((tx) => tx.jobs.claim(JOB, now, now + LEASE_SPAN, latest)))) return;
  let pause = EVERY_AFTER_FAILURE;
  try {
    const updates = await updatesSince(token, null, tools.http);
    const faults: unknown[] = [];
    for (const { update } of updates)
      await answer(deps, update, token, tools).catch((fault) => {
        // It can be answered later. What cannot be answered at all keeps nobody else waiting.
        if (isOutage(fault)) throw fault;
        faults.push(fault);
      });
    const last = updates.at(-1);
    if (last !== undefined) await updatesSince(token, last.id + 1, tools.http);
    pause = EVERY;
    if (faults.length > 0) throw faults[0];
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

/** Tells Telegram to post messages to the bot, and taps, to this site. Returns why it refuses, or null. */
export async function registerBot(
  deps: Pick<Deps, 'store' | 'vault'>,
  { server: { TELEGRAM_TOKEN: token }, site: { root }, http }: BotTools,
): Promise<string | null> {
  if (token === null) return 'TELEGRAM_TOKEN is not set';
  const reply = await http(webhookRegistration(token, root + BOT_PATH, webhookSecret(deps)));
  if ('error' in reply) return reply.error;
  if (reply.status !== 200) return `Telegram answers with status ${reply.status}: ${Buffer.from(reply.body)}`;
  await noteRegistration(deps, token, root);
  return null;
}

function webhookSecret({ vault }: Pick<Deps, 'vault'>): string {
  return vault.sign('telegram bot', 'webhook', SECRET_LENGTH);
}
