import { AppError } from '../../domain/errors.ts';
import type { Account } from '../../domain/people/account.ts';
import type { ActedBy } from '../../domain/people/audit.ts';
import type { ProvidedPerson } from '../../domain/people/identity.ts';
import { NO_ROW, SUDO_SPAN } from '../../domain/people/session.ts';
import { type Instant, type Micros, seconds } from '../../lib/instant.ts';
import { RecentlyUsed } from '../../lib/recently-used.ts';
import { type Client, seenFrom } from '../people/client.ts';
import type { AccountDeps } from '../people/deps.ts';
import { applyGroups } from '../people/group-roles.ts';
import type { SignedIn } from '../people/sessions.ts';
import { addProvidedAccount, claimAccount, withOneAccount } from './provided-account.ts';

/** Accounts whose groups this node remembers. */
export const MAX_REMEMBERED_PEOPLE = 10_000;
/** After this time the groups are applied again: another node may have applied others meanwhile. */
const APPLIED_FOR: Micros = seconds(300);

/** People whom a proxy names in each request. Only the proxy counts: there is no session that could outlast it. */
export class RemoteUsers {
  readonly #deps: AccountDeps;
  readonly #applied = new RecentlyUsed<number, { readonly groups: string; readonly at: Instant }>(
    MAX_REMEMBERED_PEOPLE,
  );

  constructor(deps: AccountDeps) {
    this.#deps = deps;
  }

  /** The person as a signed-in one. Somebody new gets an account. Null if their account is not active. */
  async find(person: ProvidedPerson, client: Client): Promise<SignedIn | null> {
    const account = await this.#accountOf(person, client);
    if (!account.isActive) return null;
    const { uuid, email, name, isAdmin } = account;
    const now = this.#deps.clock.now();
    return {
      account: { uuid, email, name, isAdmin },
      lacksSecondFactor: false,
      session: {
        id: NO_ROW,
        uuid,
        accountId: account.id,
        tokenDigest: '',
        createdAt: now,
        lastSeenAt: now,
        sudoUntilAt: now + SUDO_SPAN,
        ...seenFrom(client),
      },
      actor: {
        accountId: account.id,
        // The proxy vouches for each request. There is no other proof that this service could ask for.
        caller: { kind: 'session', sessionId: NO_ROW, isConfirmed: true, isAdmin },
        by: { ...byProxy(account, client), chosenName: name },
      },
    };
  }

  async #accountOf(person: ProvidedPerson, client: Client): Promise<Account> {
    const { store, clock } = this.#deps;
    const found = await store.accounts.byEmail(person.email);
    const now = clock.now();
    const groups = person.groups.toSorted().join('\n');
    const applied = found === null ? undefined : this.#applied.find(found.id);
    if (found !== null && applied?.groups === groups && now - applied.at < APPLIED_FOR) return found;
    const account = await withOneAccount(() => this.#apply(person, client));
    this.#applied.set(account.id, { groups, at: now });
    return account;
  }

  #apply(person: ProvidedPerson, client: Client): Promise<Account> {
    return this.#deps.store.transaction(async (tx) => {
      const found = await tx.accounts.byEmail(person.email);
      const { means, remoteAddr } = byProxy(person, client);
      const { id } = found ?? (await addProvidedAccount(this.#deps, tx, person, { means, remoteAddr }));
      const account = await tx.accounts.lock(id);
      if (account === null) throw new AppError('not_signed_in');
      await claimAccount(this.#deps, tx, account, byProxy(account, client), client);
      await applyGroups(this.#deps, tx, account, person.groups, byProxy(account, client));
      return (await tx.accounts.byId(id)) ?? account;
    });
  }
}

function byProxy({ id, email }: { readonly id?: number; readonly email: string }, client: Client): ActedBy {
  return { accountId: id ?? null, name: email, means: 'proxy', remoteAddr: client.address };
}
