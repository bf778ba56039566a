import { AppError } from '../../domain/errors.ts';
import {
  type AccountToken,
  MAX_ACCOUNT_TOKENS,
  MAX_TOKEN_PROJECTS,
} from '../../domain/people/account-token.ts';
import {
  API_KEY_LENGTH,
  EXPIRED_KEYS_KEPT,
  generateAccountToken,
  hasExpired,
  isPrintable,
  lookupPart,
  maskedToken,
} from '../../domain/people/api-key.ts';
import type { AccountCaller, Scope } from '../../domain/people/permission.ts';
import { type Instant, toIsoSeconds } from '../../lib/instant.ts';
import { sha256 } from '../../lib/vault.ts';
import type { Reads, Writes } from '../../storage/store.ts';
import type { Actor, KeyDeps } from '../core/actor.ts';
import { recordAct } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { requireFuture } from '../project/keys.ts';
import { type AccountActor, lockedAccount, requireOnAccount } from './account-actor.ts';
import type { Client } from './client.ts';
import type { AccountDeps } from './deps.ts';
import { mailSecurity } from './mailing.ts';

/** A program that acts for an account by a token. */
export interface TokenHolder extends AccountActor {
  readonly caller: Extract<AccountCaller, { kind: 'account_token' }>;
}

export interface ListedToken {
  readonly token: AccountToken;
  /** UUIDs of the projects in which it works, if it is limited and they exist. Null: all. */
  readonly projects: readonly string[] | null;
}

/** A token that has just been made. Nobody can read it again. */
export interface MadeToken extends ListedToken {
  readonly secret: string;
}

export interface CreateToken {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** UUIDs. Null: all projects of the account, also later ones. */
  readonly projects: readonly string[] | null;
  readonly expiresAt: Instant | null;
}

/** The holder of the token. `remoteAddr` is where the request comes from. */
export async function authenticateToken(
  deps: KeyDeps,
  secret: string,
  remoteAddr: string | null,
): Promise<TokenHolder> {
  if (secret.length !== API_KEY_LENGTH) throw new AppError('missing_api_key');
  if (!isPrintable(secret)) throw new AppError('wrong_api_key');
  const known = await deps.store.accountTokens.byDigest(sha256(secret));
  const now = deps.clock.now();
  if (known === null || hasExpired(known.token, now)) throw new AppError('wrong_api_key');
  const { token, email, chosenName } = known;
  deps.keyUses.note('accountTokens', token, now, remoteAddr);
  const { id, accountId, scopes, projectIds, name } = token;
  return {
    accountId,
    caller: { kind: 'account_token', tokenId: id, scopes, projectIds },
    by: {
      ...{ accountId, name: `${email} (${name})`, means: 'account_token', remoteAddr },
      chosenName: chosenName && `${chosenName} (${name})`,
    },
  };
}

/**
 * The holder as an actor in the project, with the role that the account has at this moment. Without a role, and without
 * a working token, the project does not exist.
 */
export async function enterByToken(
  { store }: Pick<Deps, 'store'>,
  { accountId, caller, by }: TokenHolder,
  uuid: string,
): Promise<Actor> {
  const access = await store.projects.accessOf(accountId, uuid);
  if (access === null || !isFor(caller, access.project)) throw new AppError('project_not_found');
  const { tokenId, scopes } = caller;
  const { id: projectId, ownerId } = access.project;
  return {
    projectId,
    ownerId,
    caller: { kind: 'account_token', tokenId, accountId, role: access.role, scopes },
    by,
  };
}

/** Whether the caller may see the project in a list. A token may be limited to some. */
export function isFor(caller: AccountCaller, { id }: { readonly id: number }): boolean {
  return caller.kind !== 'account_token' || caller.projectIds === null || caller.projectIds.includes(id);
}

/** The tokens of the account, in order of creation. */
export async function tokensOf(
  reads: Pick<Reads, 'projects' | 'accountTokens'>,
  account: Pick<AccountToken, 'accountId'>,
): Promise<ListedToken[]> {
  const uuids = await projectUuids(reads, account);
  const tokens = await reads.accountTokens.ofAccount(account.accountId);
  return tokens.map((token) => listed(token, uuids));
}

/** Makes a token. Its owner is told by mail: its holder acts without a session and without a second factor. */
export async function createToken(
  deps: AccountDeps,
  actor: AccountActor,
  client: Client,
  input: CreateToken,
): Promise<MadeToken> {
  requireOnAccount(actor, 'tokens.edit');
  requireFuture(deps, input.expiresAt);
  if (input.projects !== null && input.scopes.includes('projects.edit'))
    throw new AppError('invalid_field', 'scopes has projects.edit, which needs all projects', {
      field: 'scopes',
    });
  const now = deps.clock.now();
  const secret = generateAccountToken(deps.random.bytes);
  return deps.store.transaction(async (tx) => {
    const account = await lockedAccount(tx, actor);
    await tx.accountTokens.removeExpired(account.id, now - EXPIRED_KEYS_KEPT);
    const tokens = await tx.accountTokens.ofAccount(account.id);
    if (tokens.length >= MAX_ACCOUNT_TOKENS) throw new AppError('token_limit_reached');
    const uuids = await projectUuids(tx, actor);
    const token = await tx.accountTokens.insert({
      uuid: deps.random.uuid(),
      accountId: account.id,
      name: input.name,
      lookup: lookupPart(secret),
      digest: sha256(secret),
      scopes: input.scopes,
      projectIds: input.projects && idsOf(input.projects, uuids),
      createdAt: now,
      expiresAt: input.expiresAt,
      lastUsedAt: null,
      lastUsedAddr: null,
    });
    const { scopes, projects, expiresAt } = input;
    const expires = toIsoSeconds(expiresAt);
    await recordToken(deps, tx, actor, 'token.created', token, { scopes, projects, expires });
    await mailSecurity(deps, tx, account, 'token_created', client);
    return { ...listed(token, uuids), secret };
  });
}

/** The token is refused from the next request on, on every node. */
export async function revokeToken(deps: Deps, actor: AccountActor, uuid: string): Promise<void> {
  requireOnAccount(actor, 'tokens.revoke');
  await deps.store.transaction(async (tx) => {
    const token = (await tx.accountTokens.ofAccount(actor.accountId)).find((one) => one.uuid === uuid);
    if (token === undefined || !(await tx.accountTokens.remove(actor.accountId, uuid)))
      throw new AppError('token_not_found');
    await recordToken(deps, tx, actor, 'token.revoked', token, {});
  });
}

async function recordToken(
  deps: Deps,
  tx: Writes,
  actor: AccountActor,
  action: string,
  { uuid, name, lookup }: AccountToken,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  const subject = { kind: 'account_token', id: uuid, name };
  await recordAct(deps, tx, actor.by, {
    action,
    subject,
    details: { token: maskedToken(lookup), ...details },
  });
}

/** UUIDs of the account's projects by id. */
async function projectUuids(
  { projects }: Pick<Reads, 'projects'>,
  { accountId }: Pick<AccountToken, 'accountId'>,
): Promise<ReadonlyMap<number, string>> {
  const all = await projects.withRoles(accountId);
  return new Map(all.map(({ project: { id, uuid } }) => [id, uuid]));
}

function listed(token: AccountToken, uuids: ReadonlyMap<number, string>): ListedToken {
  return { token, projects: token.projectIds?.flatMap((id) => uuids.get(id) ?? []) ?? null };
}

function idsOf(wanted: readonly string[], uuids: ReadonlyMap<number, string>): number[] {
  const ids = [...uuids].filter(([, uuid]) => wanted.includes(uuid)).map(([id]) => id);
  if (wanted.length > MAX_TOKEN_PROJECTS) throw invalidProjects('projects is too long');
  if (ids.length < new Set(wanted).size) throw invalidProjects('projects names one that you have no role in');
  return ids;
}

function invalidProjects(reason: string): AppError {
  return new AppError('invalid_field', reason, { field: 'projects' });
}
