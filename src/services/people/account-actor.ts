import { AppError, type ErrorCode } from '../../domain/errors.ts';
import type { Account } from '../../domain/people/account.ts';
import type { ActedBy, ActSubject } from '../../domain/people/audit.ts';
import {
  type AccountActor,
  type AccountCaller,
  type AccountPermission,
  isAllowedOnAccount,
  needsConfirmationOnAccount,
} from '../../domain/people/permission.ts';
import { NO_ROW, visitsDigest } from '../../domain/people/session.ts';
import type { Reads, Writes } from '../../storage/store.ts';

export type { AccountActor };

/** The operator of the machine, who acts on any account by a command. */
export function operatorOn({ id }: Pick<Account, 'id'>): AccountActor {
  return { accountId: id, caller: { kind: 'operator' }, by: OPERATOR };
}

export const OPERATOR: ActedBy = { accountId: null, name: 'operator', means: 'command', remoteAddr: null };

/** The operator where no account is concerned, or one that the verb names. */
export const THE_OPERATOR: AccountActor = { accountId: 0, caller: { kind: 'operator' }, by: OPERATOR };

/** An administrator on the account of somebody else, with the rights of an operator. */
export function administratorOn(actor: AccountActor, { id }: Pick<Account, 'id'>): AccountActor {
  requireOnAccount(actor, 'instance.administer');
  return { accountId: id, caller: { kind: 'operator' }, by: actor.by };
}

/** Every verb on an account begins with this. */
export function requireOnAccount({ caller }: AccountActor, permission: AccountPermission): void {
  if (isAllowedOnAccount(caller, permission)) return;
  throw new AppError(refusalOf(caller, permission));
}

function refusalOf(caller: AccountCaller, permission: AccountPermission): ErrorCode {
  if (caller.kind !== 'session') return 'permission_denied';
  if (needsConfirmationOnAccount(caller, permission)) return 'confirmation_required';
  return caller.lacksSecondFactor === true ? 'second_factor_required' : 'permission_denied';
}

/** The account of the actor. A session can be older than the end of its account by one request. */
export async function actorsAccount(
  { accounts }: Pick<Reads, 'accounts'>,
  { accountId }: AccountActor,
): Promise<Account> {
  const account = await accounts.byId(accountId);
  if (account === null) throw new AppError('not_signed_in');
  return account;
}

/** The actor's account, locked until the transaction ends. */
export async function lockedAccount(tx: Writes, actor: AccountActor): Promise<Account> {
  const account = await tx.accounts.lock(actor.accountId);
  const sessionId = ownSessionId(actor);
  const isOver =
    sessionId !== null && !(await tx.sessions.ofAccount(actor.accountId)).some(({ id }) => id === sessionId);
  const isOff = actor.caller.kind === 'session' && account?.isActive === false;
  if (account === null || isOver || isOff) throw new AppError('not_signed_in');
  return account;
}

export function accountSubject({ uuid, email }: Pick<Account, 'uuid' | 'email'>): ActSubject {
  return { kind: 'account', id: uuid, name: email };
}

/** The session in which the actor acts. Null if there is none. */
export function ownSessionId({ caller }: AccountActor): number | null {
  return caller.kind === 'session' && caller.sessionId !== NO_ROW ? caller.sessionId : null;
}

/** The session in which the actor acts. Without one, the act is refused. */
export function requireSession(actor: AccountActor): number {
  const id = ownSessionId(actor);
  if (id === null) throw new AppError('permission_denied');
  return id;
}

/** The session to which visits of an administrator belong. Null if there is none yet, and for everybody else. */
export async function visitingSession(
  { sessions }: Pick<Reads, 'sessions'>,
  actor: AccountActor,
): Promise<number | null> {
  const { caller, accountId } = actor;
  if (caller.kind !== 'session' || !caller.isAdmin) return null;
  if (caller.sessionId !== NO_ROW) return caller.sessionId;
  return (await sessions.byDigest(visitsDigest(accountId)))?.session.id ?? null;
}
