import { FIRST_CHECK } from '../../domain/check/first-check.ts';
import { AppError } from '../../domain/errors.ts';
import { type Account, PLACEHOLDER_EMAIL } from '../../domain/people/account.ts';
import { isConflict, type Writes } from '../../storage/store.ts';
import { createChannelIn } from '../alert/channels.ts';
import { insertCheck } from '../check/checks.ts';
import { systemActor } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { createProject } from '../project/projects.ts';

export interface NewPerson {
  /** In lower case. */
  readonly email: string;
  readonly name?: string;
  readonly passwordHash: string | null;
  readonly isAdmin?: boolean;
  /** Whether the operator, a provider, a proxy or a mail has proved that the address is the person's. */
  readonly isProven: boolean;
}

/** Adds an account. Refuses an address that has one, and the one that only the first start gives. */
export async function addAccount(
  deps: Deps,
  tx: Writes,
  { isProven, ...person }: NewPerson,
): Promise<Account> {
  const isTaken = person.email === PLACEHOLDER_EMAIL || (await tx.accounts.byEmail(person.email)) !== null;
  if (isTaken) throw emailTaken();
  const createdAt = deps.clock.now();
  const addressProvedAt = isProven ? createdAt : null;
  const uuid = deps.random.uuid();
  return tx.accounts.insert({ uuid, limits: deps.defaultLimits, createdAt, addressProvedAt, ...person });
}

/**
 * Adds the first administrator, to whom the links of the set-up are of no more use. Nobody can sign in to the owner of the
 * project that the first start has made, so this person takes its place, and has the project with its keys.
 */
export async function addFirstAdministrator(deps: Deps, tx: Writes, person: NewPerson): Promise<Account> {
  await tx.links.removeAll('setup');
  const administrator = { ...person, isAdmin: true };
  const placeholder = await tx.accounts.byEmail(PLACEHOLDER_EMAIL);
  if (placeholder === null) {
    const account = await addAccount(deps, tx, administrator);
    await addFirstProject(deps, tx, account, person);
    return account;
  }
  if ((await tx.accounts.byEmail(person.email)) !== null) throw emailTaken();
  const { isProven, ...chosen } = administrator;
  const account = { ...placeholder, ...chosen, addressProvedAt: isProven ? deps.clock.now() : null };
  await tx.accounts.save(account);
  return account;
}

/**
 * A project to begin with: a check, and a channel that mails its owner. The channel sends once it is known that the
 * address is the owner's.
 */
export async function addFirstProject(
  deps: Deps,
  tx: Writes,
  owner: Account,
  { isProven }: { readonly isProven: boolean },
): Promise<void> {
  const project = await createProject(deps, tx, owner, 'My project');
  const channel = await createChannelIn(deps, tx, systemActor(project.id), {
    kind: 'email',
    name: '',
    settings: { email: owner.email },
    isVerified: isProven,
  });
  if (!(await tx.accounts.claimCheckSlot(owner.id))) return;
  const check = await insertCheck(deps, tx, project.id, FIRST_CHECK);
  await tx.checks.setChannels(check, [channel.id]);
}

/** Runs the work. If two choose the same address at the same time, the later one is told that it is taken. */
export async function withFreeEmail<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isConflict(error) ? emailTaken() : error;
  }
}

function emailTaken(): AppError {
  return new AppError('email_taken', 'This address has an account.', { field: 'email' });
}
