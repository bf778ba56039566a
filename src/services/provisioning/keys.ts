import { type ApiKeyKind, lookupPart, MAX_PROJECT_KEYS } from '../../domain/people/api-key.ts';
import type { ApiKey, Project } from '../../domain/people/project.ts';
import { type Instant, toIsoSeconds } from '../../lib/instant.ts';
import type { Writes } from '../../storage/store.ts';
import { findKey } from '../core/actor.ts';
import { recordInProject } from '../core/audit.ts';
import { addApiKey, pingKeyDigest, projectSubject, setPingKey } from '../project/projects.ts';
import { actorIn, PROVISIONING_FILE, type ProvisionDeps } from './acts.ts';
import {
  type Change,
  created,
  type DeclaredKey,
  type DeclaredProject,
  type FieldChange,
  missing,
  ProvisionError,
  updated,
} from './declaration.ts';

/** The name of API keys that a file gives none. A new value replaces the old key; keys that people have made stay. */
export const UNNAMED_KEY = 'provisioned';

/** Applies the ping key, and the API keys that have no name in the file. Returns the changed fields of the project. */
export async function applyKeys(
  deps: ProvisionDeps,
  tx: Writes,
  project: Project,
  { line, keys }: DeclaredProject,
): Promise<FieldChange[]> {
  const changed: FieldChange[] = [];
  const given = { read_write: keys.readWrite, read_only: keys.readOnly } as const;
  for (const kind of ['read_write', 'read_only'] as const) {
    const secret = given[kind];
    if (secret === undefined) continue;
    const key = { line, kind, name: UNNAMED_KEY, secret, expiresAt: null };
    if ((await applyApiKey(deps, tx, project, key)) !== null) changed.push({ name: `${kind} key` });
  }
  if (keys.ping !== undefined && (await applyPingKey(deps, tx, project, line, keys.ping)))
    changed.push({ name: 'ping key' });
  return changed;
}

/** Applies the API keys that have names. One without a secret is made by people; it is only looked for. */
export async function applyNamedKeys(
  deps: ProvisionDeps,
  tx: Writes,
  project: Project,
  declared: readonly DeclaredKey[],
): Promise<Change[]> {
  if (declared.length === 0) return [];
  const stored = await tx.apiKeys.ofProject(project.id);
  const changes: Change[] = [];
  for (const { secret, ...key } of declared) {
    const label = `${project.name}/${key.name}`;
    const isThere = stored.some(({ kind, name }) => kind === key.kind && name === key.name);
    if (secret === undefined) {
      if (!isThere) changes.push(missing('api key', label));
      continue;
    }
    const fields = await applyApiKey(deps, tx, project, { ...key, secret });
    if (fields !== null)
      changes.push(...(isThere ? updated('api key', label, fields, key) : [created('api key', label)]));
  }
  return changes;
}

/** Returns the changed fields. Null if nothing has changed. */
async function applyApiKey(
  deps: ProvisionDeps,
  tx: Writes,
  project: Project,
  { line, kind, name, secret, expiresAt }: DeclaredKey & { readonly secret: string },
): Promise<FieldChange[] | null> {
  const candidates = await tx.apiKeys.anyByLookup(lookupPart(secret));
  const same = await findKey({ store: tx, vault: deps.vault }, candidates, secret);
  if (same !== undefined && (same.projectId !== project.id || same.kind !== kind))
    throw new ProvisionError(line, `the ${kind} key is already in use elsewhere`);
  if (same !== undefined) {
    if (same.expiresAt === expiresAt) return null;
    const change = { name: 'expires', was: toIsoSeconds(same.expiresAt), became: toIsoSeconds(expiresAt) };
    await tx.apiKeys.setExpiry(same.id, expiresAt);
    // Somebody has rotated a key that never expires. The file still wants it.
    const action = expiresAt === null ? 'api_key.restored' : 'api_key.changed';
    const details = { kind, before: { expires: change.was }, after: { expires: change.became } };
    await recordOnKey(deps, tx, project, action, kind, name, details);
    return [change];
  }
  // It would be deleted, and made again by the next run.
  if (isOver(expiresAt, deps.clock.now())) return null;
  const stored = await tx.apiKeys.ofProject(project.id);
  const earlier = stored.find(
    (one) => one.kind === kind && one.name === name && one.madeBy === deps.by.means,
  );
  if (earlier !== undefined) await tx.apiKeys.delete(project.id, earlier.id);
  else if (stored.length >= MAX_PROJECT_KEYS)
    throw new ProvisionError(line, `the project has ${MAX_PROJECT_KEYS} API keys already`);
  await addApiKey(deps, tx, project, { kind, name, key: secret, by: deps.by, expiresAt });
  const action = earlier === undefined ? 'api_key.created' : 'api_key.replaced';
  await recordOnKey(deps, tx, project, action, kind, name, { kind });
  return [{ name: 'secret' }];
}

/** Whether a file has made the key. */
export const isFromFile = ({ madeBy }: Pick<ApiKey, 'madeBy'>): boolean => madeBy === PROVISIONING_FILE.means;

const isOver = (expiresAt: Instant | null, now: Instant): boolean => expiresAt !== null && expiresAt <= now;

async function recordOnKey(
  deps: ProvisionDeps,
  tx: Writes,
  project: Project,
  action: `api_key.${string}`,
  kind: ApiKeyKind,
  name: string,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  const subject = { kind: 'api_key', id: kind, name };
  await recordInProject(deps, tx, actorIn(deps, project), { action, subject, details });
}

async function applyPingKey(
  deps: ProvisionDeps,
  tx: Writes,
  project: Project,
  line: number,
  key: string,
): Promise<boolean> {
  const holder = await tx.projects.byPingKey(pingKeyDigest(key));
  if (holder?.id === project.id) return false;
  if (holder !== null) throw new ProvisionError(line, 'the ping key is already in use elsewhere');
  await setPingKey(deps, tx, project, key);
  const subject = projectSubject(project);
  await recordInProject(deps, tx, actorIn(deps, project), { action: 'ping_key.replaced', subject });
  return true;
}
