import { AppError } from '../../domain/errors.ts';
import type { Account } from '../../domain/people/account.ts';
import type { LinkPurpose } from '../../domain/people/link.ts';
import { mailboxOf } from '../../domain/people/mailbox.ts';
import { clientNetworks } from '../../lib/ip-address.ts';
import type { Attempt, AttemptRuleName } from './attempts.ts';
import type { Client } from './client.ts';
import type { AccountDeps } from './deps.ts';
import { knownDevice } from './devices.ts';

/* Counts attempts of browsers. A browser that is known to the account has attempts of its own, which strangers cannot
   use up. Others share the attempts of their network and of the account. A known browser that has used up its own falls
   back to the shared ones. */

/** The attempt as each network of the client counts it. With `about` it is counted for that alone. */
export function perNetwork(rule: AttemptRuleName, { address }: Client, about = ''): Attempt[] {
  return clientNetworks(address).map(({ name, shares }) => ({
    rule,
    subject: about === '' ? name : `${about} ${name}`,
    shares,
  }));
}

/** Counts the attempt against the sender's own, if there are any left. Returns why it is refused. */
export async function refusalOf(
  { attempts }: Pick<AccountDeps, 'attempts'>,
  own: Attempt | null,
  asStranger: readonly Attempt[],
): Promise<AppError | null> {
  if (own !== null && (await attempts.tryTake([own])) === null) return null;
  return attempts.tryTake(asStranger);
}

/**
 * Counts a password. A person who may not try one signs in by a link in a mail or with a passkey: nobody can guess
 * those, so strangers cannot take them away.
 */
export async function takePassword(
  deps: Pick<AccountDeps, 'attempts' | 'settings'>,
  client: Client,
  device: string | null,
  email: string,
): Promise<void> {
  const own = device === null ? null : ({ rule: 'passwordsPerDevice', subject: device } as const);
  const refusal = await refusalOf(deps, own, [
    ...perNetwork('passwordsPerNetwork', client),
    { rule: 'passwordsPerAccount', subject: email },
  ]);
  if (refusal === null) return;
  const retryAfterSeconds = refusal.retryAfterSeconds ?? 0;
  throw new AppError('other_way_needed', otherWays(deps), { retryAfterSeconds });
}

function otherWays({ settings: { hasMail, passkeySite } }: Pick<AccountDeps, 'settings'>): string {
  const ways = [
    ...(hasMail ? ['by a link that is mailed to you'] : []),
    ...(passkeySite === null ? [] : ['with a passkey']),
    'in a browser in which you were signed in before',
  ];
  return `Too many wrong passwords were tried. Sign in ${ways.join(', or ')}.`;
}

/**
 * Counts a mail that somebody asks for. Strangers share the mails to a mailbox. When those are used up, each network
 * has a few of its own. They are counted for `about`, too: the address with the purpose of its link, or the mailbox. So
 * nobody gets more mails than that, and a person who is refused for it has got one a moment ago. Returns whether the
 * browser has used one of its own.
 */
export async function takeMail(
  { attempts, vault }: Pick<AccountDeps, 'attempts' | 'vault'>,
  client: Client,
  account: Account | null,
  email: string,
  purpose: Extract<LinkPurpose, 'sign_in' | 'set_password'> | null = null,
): Promise<{ readonly isOwn: boolean }> {
  const device = knownDevice({ vault }, account, client);
  if (device !== null && (await attempts.tryTake([{ rule: 'mailsPerDevice', subject: device }])) === null)
    return { isOwn: true };
  const mailbox = mailboxOf(email);
  const ofNetwork = perNetwork('mailsPerNetwork', client);
  const shared = await attempts.tryTake([...ofNetwork, { rule: 'mailsPerMailbox', subject: mailbox }]);
  if (shared === null) return { isOwn: false };
  await attempts.take([...ofNetwork, ...perNetwork('mailsPerMailboxAndNetwork', client, mailbox)]);
  // A stranger must not use up an account's mails by asking for spellings of its address that have none.
  const about = purpose === null ? mailbox : `${purpose} ${email}`;
  const refusal = await attempts.tryTake([{ rule: 'mailsPerAddress', subject: about }]);
  if (refusal === null) return { isOwn: false };
  const retryAfterSeconds = refusal.retryAfterSeconds ?? 0;
  throw new AppError('links_mailed', undefined, { retryAfterSeconds });
}
