import type { Verdict } from '../integrations/integration.ts';
import type { Deps } from '../services/deps.ts';
import type { SendTest } from '../services/test-message.ts';
import { type NamedSite, testEvent } from './event.ts';
import { type Carrier, UNVERIFIED } from './notifier.ts';

const TIMEOUT_MS = 20_000;

const DIRECTIONS = ['down', 'up'] as const;

/**
 * Sends test messages the way that all others go, but at once and only once. Whoever asked for one waits for the
 * answer, so it comes within 20 seconds, even if the provider's own does not.
 */
export function createTestSender(
  { clock, random }: Pick<Deps, 'clock' | 'random'>,
  carrier: Carrier,
  site: NamedSite,
  timeoutMs: number = TIMEOUT_MS,
): SendTest {
  return async (channel, project) => {
    const to = DIRECTIONS.find((direction) => carrier.wants(channel, direction));
    if (to === undefined) return null;
    if (!channel.verified) return UNVERIFIED;
    const event = testEvent(to, project, random.uuid, clock.now(), site);
    return within(timeoutMs, carrier.send(channel, event));
  };
}

async function within(timeoutMs: number, sending: Promise<Verdict>): Promise<Verdict> {
  const { promise: tooLate, resolve } = Promise.withResolvers<Verdict>();
  const timer = setTimeout(() => resolve(TIMED_OUT), timeoutMs);
  try {
    return await Promise.race([sending, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

const TIMED_OUT: Verdict = {
  ok: false,
  error: 'Connection timed out',
  isPermanent: false,
  retryAfterSeconds: null,
};
