import { AppError } from '../../domain/errors.ts';
import {
  type ApiKeyKind,
  EXPIRED_KEYS_KEPT,
  generateApiKey,
  generatePingKey,
  hasExpired,
  MAX_PROJECT_KEYS,
  maskedKey,
} from '../../domain/people/api-key.ts';
import type { ApiKey, Project } from '../../domain/people/project.ts';
import { type Instant, seconds, toIsoSeconds } from '../../lib/instant.ts';
import type { ListedApiKey, Reads, Writes } from '../../storage/store.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import { recordInProject } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { addApiKey, setPingKey } from './projects.ts';
import { lockTeam } from './team.ts';

const SECONDS_PER_HOUR = 3_600;

/** A key that has just been made. Nobody can read it again. */
export interface MadeKey {
  readonly apiKey: ListedApiKey;
  readonly secret: string;
}

export interface CreateKey {
  readonly kind: ApiKeyKind;
  readonly name: string;
  readonly expiresAt: Instant | null;
}

/** The API keys of the project, in order of creation. Recently expired ones are among them. */
export async function listKeys({ store }: Pick<Deps, 'store'>, actor: Actor): Promise<ListedApiKey[]> {
  requirePermission(actor, 'keys.edit');
  return store.apiKeys.listOf(actor.projectId);
}

export async function createKey(deps: Deps, actor: Actor, input: CreateKey): Promise<MadeKey> {
  requirePermission(actor, 'keys.edit');
  requireFuture(deps, input.expiresAt);
  return deps.store.transaction(async (tx) => {
    const made = await addKey(deps, tx, actor, input);
    await recordKey(deps, tx, actor, 'key.created', made.apiKey, { expires: toIsoSeconds(input.expiresAt) });
    return made;
  });
}

export interface RotateKey {
  /** For so long the old key stays valid beside the new one. */
  readonly overlapHours: number;
  readonly expiresAt: Instant | null;
}

/** Makes a key of the same kind and name. The old one expires when the overlap is over, if it does not expire earlier. */
export async function rotateKey(
  deps: Deps,
  actor: Actor,
  uuid: string,
  { overlapHours, expiresAt }: RotateKey,
): Promise<MadeKey> {
  requirePermission(actor, 'keys.edit');
  requireFuture(deps, expiresAt);
  return deps.store.transaction(async (tx) => {
    const old = await ownKey(tx, actor, uuid);
    const overlapEnd = deps.clock.now() + seconds(overlapHours * SECONDS_PER_HOUR);
    const oldExpiresAt = Math.min(old.expiresAt ?? overlapEnd, overlapEnd);
    const made = await addKey(deps, tx, actor, { kind: old.kind, name: old.name, expiresAt });
    await tx.apiKeys.setExpiry(old.id, oldExpiresAt);
    await recordKey(deps, tx, actor, 'key.rotated', old, {
      new_key: maskedKey(made.apiKey),
      before: { expires: toIsoSeconds(old.expiresAt) },
      after: { expires: toIsoSeconds(oldExpiresAt) },
    });
    return made;
  });
}

/** The key is refused from the next request on, on every node: all of them look it up at each request. */
export async function revokeKey(deps: Deps, actor: Actor, uuid: string): Promise<void> {
  requirePermission(actor, 'keys.edit');
  await deps.store.transaction((tx) => revokeKeyIn(deps, tx, actor, uuid));
}

/** Does the same in the caller's transaction. */
export async function revokeKeyIn(
  deps: Pick<Deps, 'clock'>,
  tx: Writes,
  actor: Actor,
  uuid: string,
): Promise<void> {
  requirePermission(actor, 'keys.edit');
  const key = await ownKey(tx, actor, uuid);
  await tx.apiKeys.delete(actor.projectId, key.id);
  await recordKey(deps, tx, actor, 'key.revoked', key, {});
}

/** The ping key. Null if there is none, or if it was sealed under a secret that is not known any more. */
export async function revealPingKey(
  { store, vault }: Pick<Deps, 'store' | 'vault'>,
  actor: Actor,
): Promise<string | null> {
  requirePermission(actor, 'keys.edit');
  const { pingKeySealed } = await projectOf(store, actor);
  return pingKeySealed && vault.unseal(pingKeySealed);
}

/** Makes a ping key. Addresses with the one from before work no longer. */
export async function replacePingKey(deps: Deps, actor: Actor): Promise<string> {
  requirePermission(actor, 'keys.edit');
  const key = generatePingKey(deps.random.bytes);
  await deps.store.transaction(async (tx) => {
    const project = await projectOf(tx, actor);
    await setPingKey(deps, tx, project, key);
    const action = project.pingKeyDigest === null ? 'ping_key.created' : 'ping_key.replaced';
    await recordInProject(deps, tx, actor, { action, subject: pingKeyOf(project) });
  });
  return key;
}

export async function revokePingKey(deps: Deps, actor: Actor): Promise<void> {
  requirePermission(actor, 'keys.edit');
  await deps.store.transaction(async (tx) => {
    const project = await projectOf(tx, actor);
    if (project.pingKeyDigest === null) throw new AppError('key_not_found');
    await tx.projects.setPingKey(project.id, null, null);
    await recordInProject(deps, tx, actor, { action: 'ping_key.revoked', subject: pingKeyOf(project) });
  });
}

async function addKey(
  deps: Deps,
  tx: Writes,
  actor: Actor,
  { kind, name, expiresAt }: CreateKey,
): Promise<MadeKey> {
  // Two that make a key at the same time must not exceed the limit together.
  const { by, projectId } = actor;
  await lockTeam(tx, actor, 'keys.edit');
  await tx.apiKeys.deleteExpired(projectId, deps.clock.now() - EXPIRED_KEYS_KEPT);
  const keys = await tx.apiKeys.ofProject(projectId);
  if (keys.length >= MAX_PROJECT_KEYS) throw new AppError('key_limit_reached');
  const secret = generateApiKey(kind, deps.random.bytes);
  const key = await addApiKey(deps, tx, { id: projectId }, { kind, name, key: secret, by, expiresAt });
  const maker = by.accountId === null ? null : await tx.accounts.byId(by.accountId);
  return { apiKey: { ...key, makerEmail: maker?.email ?? null }, secret };
}

async function ownKey(tx: Writes, { projectId }: Actor, uuid: string): Promise<ApiKey> {
  const key = (await tx.apiKeys.ofProject(projectId)).find((one) => one.uuid === uuid);
  if (key === undefined) throw new AppError('key_not_found');
  return key;
}

async function projectOf(
  { projects }: Pick<Reads, 'projects'>,
  { projectId }: Pick<Actor, 'projectId'>,
): Promise<Project> {
  const project = await projects.byId(projectId);
  if (project === null) throw new AppError('project_not_found');
  return project;
}

/** A key or token that would never be accepted is a mistake. */
export function requireFuture({ clock }: Pick<Deps, 'clock'>, expiresAt: Instant | null): void {
  if (hasExpired({ expiresAt }, clock.now()))
    throw new AppError('invalid_field', 'expires is not in the future', { field: 'expires' });
}

async function recordKey(
  deps: Pick<Deps, 'clock'>,
  tx: Writes,
  actor: Actor,
  action: string,
  key: ApiKey,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { uuid, name, kind } = key;
  await recordInProject(deps, tx, actor, {
    action,
    subject: { kind: 'api_key', id: uuid, name },
    details: { kind, key: maskedKey(key), ...details },
  });
}

function pingKeyOf({ uuid, name }: Project) {
  return { kind: 'ping_key', id: uuid, name };
}
