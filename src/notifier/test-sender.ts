import { isStillConfirmed, TOLD_EVENTS } from '../domain/alert/channel.ts';
import { DELIVERED, type Outcome, tryAgain } from '../domain/alert/delivery.ts';
import type { Project } from '../domain/people/project.ts';
import { membersOf } from '../services/alert/passed-on.ts';
import type { SendTest } from '../services/alert/test-message.ts';
import type { Deps } from '../services/core/deps.ts';
import type { ChannelSender } from './channel-sender.ts';
import { type NamedSite, testEvent } from './event.ts';
import { type ButtonTools, MessageButtons } from './message-buttons.ts';
import { unconfirmed } from './outbox-sender.ts';

/** A person does not wait for an answer any longer. */
export const PERSON_WAITS_MS = 20_000;

export interface TestSenderOptions {
  readonly timeoutMs?: number;
  /** Whether the operator's bot is told of taps on buttons. Absent: it is not. */
  readonly hearsTaps?: ButtonTools['hearsTaps'];
}

/**
 * Sends test messages in the same way as all others, but at once and only once. A person waits for the answer, so it
 * comes within 20 seconds, even if the provider does not answer.
 */
export function createTestSender(
  { clock, random, store, vault }: Pick<Deps, 'clock' | 'random' | 'store' | 'vault'>,
  sender: ChannelSender,
  site: NamedSite,
  { timeoutMs = PERSON_WAITS_MS, hearsTaps = async () => false }: TestSenderOptions = {},
): SendTest {
  const made = new MessageButtons({ vault }, sender, { root: site.root, hearsTaps });
  const sendTest: SendTest = async (channel, project, note) => {
    const told = TOLD_EVENTS.find((event) => sender.wants(channel, event));
    if (told === undefined) return null;
    if (!isStillConfirmed(channel)) return unconfirmed(channel);
    const event = testEvent(told, { channel, project }, random.uuid, clock.now(), site);
    const { deliveryId: deliveryUuid, now } = event;
    const buttons = await made.of(channel, event.to, { deliveryUuid, kind: 'test', now });
    const outcome = await within(timeoutMs, sender.send(channel, { ...event, buttons }, note));
    return outcome.kind === 'passed_on' ? testMembers(project, outcome.channels) : outcome;
  };
  const testMembers = async (project: Project, uuids: readonly string[]): Promise<Outcome> => {
    const members = membersOf(await store.channels.ofProject(project.id), uuids).filter(
      ({ off }) => off === null,
    );
    const outcomes = await Promise.all(members.map((member) => sendTest(member, project)));
    const failures = outcomes.filter((outcome) => outcome !== null && 'error' in outcome);
    if (failures.length === 0) return DELIVERED;
    return tryAgain(`${failures.length} out of ${members.length} notifications failed`);
  };
  return sendTest;
}

/** The outcome, unless it takes longer. */
export async function within(timeoutMs: number, sending: Promise<Outcome>): Promise<Outcome> {
  const { promise: tooLate, resolve } = Promise.withResolvers<Outcome>();
  const timer = setTimeout(() => resolve(TIMED_OUT), timeoutMs);
  try {
    return await Promise.race([sending, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

const TIMED_OUT = tryAgain('Connection timed out');
