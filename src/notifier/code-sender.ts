import type { SendCode } from '../services/alert/channel-codes.ts';
import type { Deps } from '../services/core/deps.ts';
import type { CodeSender } from './channel-sender.ts';
import type { NamedSite } from './event.ts';
import { PERSON_WAITS_MS, within } from './test-sender.ts';

/** Sends codes at once and only once, since a person waits for them. */
export function createCodeSender(
  { random }: Pick<Deps, 'random'>,
  sender: CodeSender,
  { name: siteName }: Pick<NamedSite, 'name'>,
): SendCode {
  return (channel, code) =>
    within(PERSON_WAITS_MS, sender.sendCode(channel, { siteName, code, id: random.uuid() }));
}
