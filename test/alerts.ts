import pino from 'pino';
import type { Channel, ChannelEvent } from '../src/domain/alert/channel.ts';
import { type Delivery, NO_EXCHANGE, type Outcome, tryAgain } from '../src/domain/alert/delivery.ts';
import type { QueuedMail } from '../src/domain/alert/mail.ts';
import type { Check } from '../src/domain/check/check.ts';
import type { AlertEvent } from '../src/integrations/kind/alert-event.ts';
import type { ChannelSender } from '../src/notifier/channel-sender.ts';
import { Notifier } from '../src/notifier/notifier.ts';
import { leaseDeliveries, type Try } from '../src/services/alert/deliveries.ts';
import { flipOverdue } from '../src/services/check/deadlines.ts';
import { beginQuietTimes } from '../src/services/check/quiet-coverage.ts';
import { AccountTurns } from '../src/services/core/account-turns.ts';
import type { Deps } from '../src/services/core/deps.ts';
import { wakeOutages } from '../src/services/core/outages.ts';
import { leaseMails } from '../src/services/mail/mails.ts';
import { SITE, START, type TestApp } from './app.ts';

export const log = pino({ level: 'silent' });
export const OK: Outcome = { kind: 'delivered' };
export const failure = (error: string, isPermanent = false, afterSeconds: number | null = null): Outcome =>
  isPermanent ? { kind: 'permanent', error } : tryAgain(error, afterSeconds);

/** Takes every letter, and answers as it is told. */
export class FakeSender implements ChannelSender {
  readonly sent: { channel: unknown; event: AlertEvent }[] = [];
  readonly wanted = new Set<ChannelEvent | 'down'>(['up', 'down']);
  answer: (event: AlertEvent, settings: unknown) => Outcome | Promise<Outcome> = () => OK;

  wants(_channel: Channel, event: ChannelEvent): boolean {
    return this.wanted.has(event) || (event !== 'up' && this.wanted.has('down'));
  }

  needsBody(): boolean {
    return true;
  }

  needsStory(): boolean {
    return false;
  }

  needsDocument(): boolean {
    return false;
  }

  buttons() {
    return { choice: 'none', needsTaps: false } as const;
  }

  destination(): string {
    return 'somewhere';
  }

  limit(): null {
    return null;
  }

  async send({ settings }: Channel, event: AlertEvent): Promise<Outcome> {
    this.sent.push({ channel: settings.open, event });
    return this.answer(event, settings.open);
  }
}

export interface Fixture {
  readonly app: TestApp;
  readonly sender: FakeSender;
  readonly notifier: Notifier;
  readonly check: Check;
  readonly channel: Channel;
  readonly key: string;
}

/** A check that is up unless told otherwise, with a channel, and a notifier of its own. */
export async function fixture(app: TestApp, overrides: Partial<Check> = {}): Promise<Fixture> {
  const { project, key } = await app.givenProject();
  const channel = await app.givenChannel(project);
  const check = await app.givenCheck(project, { status: 'up', lastPingAt: START, ...overrides });
  await app.assign(check, channel);
  const sender = new FakeSender();
  const notifier = newNotifier(app, sender);
  return { app, sender, notifier, check, channel, key };
}

export function newNotifier(app: TestApp, sender: ChannelSender): Notifier {
  return new Notifier(app.deps, sender, {
    site: { ...SITE, name: 'Tocsin' },
    log,
    maxConcurrent: 20,
    maxConcurrentPerDestination: 20,
  });
}

/** Runs the loops that alert until none finds work at the present time. */
export async function drain({ app, notifier }: Pick<Fixture, 'app' | 'notifier'>): Promise<void> {
  await beginQuietTimes({ ...app.deps, onPoison: () => undefined });
  while (await flipOverdue({ ...app.deps, onPoison: () => undefined }));
  while (await wakeOutages({ ...app.deps, onPoison: () => undefined }));
  while ((await notifier.tick()) === true) await notifier.settled();
}

/** Leases due deliveries as a node does that has room for all. */
export async function lease(
  deps: Deps,
  limit: number,
  busyChannels: readonly number[] = [],
): Promise<readonly Delivery[]> {
  return (await leaseDeliveries(deps, new AccountTurns(ENOUGH_PLACES), limit, busyChannels)).leased;
}

/** Leases mails. */
export async function leaseMail(deps: Deps, limit: number): Promise<readonly QueuedMail[]> {
  return (await leaseMails(deps, new AccountTurns(ENOUGH_PLACES), limit)).leased;
}

const ENOUGH_PLACES = 1_000_000;

/** Tries of the deliveries that have just ended in this way. */
export async function endedTries(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  deliveries: readonly Delivery[],
  outcome: Outcome,
): Promise<Try[]> {
  const startedAt = clock.now();
  return Promise.all(
    deliveries.map(async (delivery) => {
      const channel = await store.channels.byId(delivery.channelId);
      if (channel === null) throw new Error('the channel is gone');
      return { row: delivery, channel, outcome, exchange: NO_EXCHANGE, startedAt, story: null };
    }),
  );
}

/** Oldest first. */
export async function flipsOf({ app, check }: Fixture) {
  const flips = await app.deps.store.flips.ofCheck(check.id, { from: null, before: null });
  return flips
    .map(({ oldStatus, newStatus, reason, createdAt }) => ({ oldStatus, newStatus, reason, createdAt }))
    .reverse();
}

/** The directions that were told of the check, in order; tests that share a database have others. */
export const told = ({ sender, check }: Fixture) =>
  sender.sent.filter(({ event }) => event.check.uuid === check.uuid).map(({ event }) => event.to);
