import type { Channel, LastAttempt, SwitchedOff } from '../../domain/alert/channel.ts';
import { type Exchange, NO_EXCHANGE, type Outcome } from '../../domain/alert/delivery.ts';
import { AppError } from '../../domain/errors.ts';
import type { Project } from '../../domain/people/project.ts';
import type { InstanceOffer } from '../../integrations/registry.ts';
import type { Micros } from '../../lib/instant.ts';
import type { Writes } from '../../storage/store.ts';
import { type Actor, ownChannel, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import type { AccountDeps } from '../people/deps.ts';
import { recordOnChannel } from './channel-acts.ts';
import { switchOffFailed } from './channel-settings.ts';
import { type ChannelDraft, draftChannel } from './channels.ts';

type TestDeps = Deps & Pick<AccountDeps, 'attempts'>;

/**
 * Sends a test message through the channel, once. Returns null when the channel is set to report neither up nor down.
 */
export type SendTest = (
  channel: Channel,
  project: Project,
  note?: (exchange: Exchange) => void,
) => Promise<Outcome | null>;

export interface TestResult {
  /** Why the message was not accepted; null when it was. */
  readonly error: string | null;
  /** Why the channel is off; null while it is on. Only tests reach a channel that is off. */
  readonly off: SwitchedOff | null;
  /** The request, and the provider's answer. */
  readonly exchange: Exchange;
  readonly duration: Micros;
}

/**
 * Also tries a channel that is switched off; it stays off. A permanent failure switches the channel off, as with any
 * other message.
 */
export async function sendTestMessage(
  deps: TestDeps,
  actor: Actor,
  channelUuid: string,
  send: SendTest,
): Promise<TestResult> {
  requirePermission(actor, 'channels.test');
  const channel = ownChannel(actor, await deps.store.channels.byUuid(channelUuid));
  const { outcome, exchange, attempt } = await tryOut(deps, channel, send);
  const { error, duration } = attempt;
  if (outcome === null) return { error: NO_OP, off: channel.off, exchange, duration };
  return deps.store.transaction(async (tx) => {
    await tx.channels.noteAttempt(channel, attempt);
    await recordTest(deps, tx, actor, channel, error);
    if (outcome.kind === 'permanent')
      await switchOffFailed(deps, tx, channel, outcome.error, attempt.startedAt);
    const off = (await tx.channels.byId(channel.id))?.off ?? null;
    return { error: error === '' ? null : error, off, exchange, duration };
  });
}

/** Sends a test message with settings that are not saved. Nothing but the audit log knows of it afterwards. */
export async function testDraft(
  deps: TestDeps,
  actor: Actor,
  draft: ChannelDraft,
  offer: InstanceOffer,
  send: SendTest,
): Promise<TestResult> {
  requirePermission(actor, 'channels.test');
  const channel = await draftChannel(deps, actor, draft, offer);
  const { outcome, exchange, attempt } = await tryOut(deps, channel, send);
  const { error, duration } = attempt;
  if (outcome === null) return { error: NO_OP, off: null, exchange, duration };
  await deps.store.transaction((tx) => recordTest(deps, tx, actor, channel, error));
  return { error: error === '' ? null : error, off: null, exchange, duration };
}

/** The channel is told of nothing. */
const NO_OP = 'no-op';

interface TriedOut {
  readonly outcome: Outcome | null;
  readonly exchange: Exchange;
  readonly attempt: LastAttempt;
}

async function tryOut(
  { store, clock, attempts }: TestDeps,
  channel: Channel,
  send: SendTest,
): Promise<TriedOut> {
  const project = await store.projects.byId(channel.projectId);
  if (project === null) throw new AppError('channel_not_found');
  await attempts.take([{ rule: 'testMessagesPerOwner', subject: String(project.ownerId) }]);
  let exchange = NO_EXCHANGE;
  const startedAt = clock.now();
  const outcome = await send(channel, project, (last) => {
    exchange = last;
  });
  const error = outcome !== null && 'error' in outcome ? outcome.error : '';
  return { outcome, exchange, attempt: { startedAt, duration: Math.max(0, clock.now() - startedAt), error } };
}

async function recordTest(
  deps: Deps,
  tx: Writes,
  actor: Actor,
  channel: Channel,
  error: string,
): Promise<void> {
  const details = { error: error === '' ? null : error };
  await recordOnChannel(deps, tx, actor.by, channel, { action: 'channel.tested', details });
}
