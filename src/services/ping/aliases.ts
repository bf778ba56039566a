import { AppError } from '../../domain/errors.ts';
import { generatePingKey } from '../../domain/people/api-key.ts';
import {
  type Dialects,
  encodeDialects,
  MAX_ALIASES,
  maskedToken,
  type PingAlias,
  type PingDialect,
  requireToken,
} from '../../domain/ping/dialect.ts';
import type { Instant } from '../../lib/instant.ts';
import { sha256 } from '../../lib/vault.ts';
import { isConflict, type Reads, type Writes } from '../../storage/store.ts';
import { recordOnCheck } from '../check/check-acts.ts';
import { findById, lockOwnCheck } from '../check/checks.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import { recordInProject } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { projectSubject, setPingKey } from '../project/projects.ts';
import { lockTeam } from '../project/team.ts';

/** An alias for those who may see addresses. */
export interface ShownAlias {
  readonly uuid: string;
  readonly dialect: PingDialect;
  /** Null if it was sealed under a secret that is not known any more. */
  readonly token: string | null;
  readonly lastUsedAt: Instant | null;
}

/** The token of another program that is to stand for a check, or for the ping key of a project. */
export interface AddAlias {
  readonly dialect: PingDialect;
  readonly token: string;
}

/** The dialects in which jobs may ping checks of the project. */
export async function readDialects(deps: Pick<Deps, 'store'>, actor: Actor): Promise<Dialects> {
  requirePermission(actor, 'project.view');
  return deps.store.pingAliases.dialectsOf(actor.projectId);
}

/** Counts from the next ping on, on every node. */
export async function setDialects(
  deps: Pick<Deps, 'store' | 'clock'>,
  actor: Actor,
  dialects: Dialects,
): Promise<void> {
  requirePermission(actor, 'project.edit');
  await deps.store.transaction(async (tx) => {
    const project = await lockTeam(tx, actor, 'project.edit');
    const before = await tx.pingAliases.dialectsOf(project.id);
    if (encodeDialects(before) === encodeDialects(dialects)) return;
    await tx.pingAliases.setDialects(project.id, dialects);
    await recordInProject(deps, tx, actor, {
      action: 'project.dialects_changed',
      subject: projectSubject(project),
      details: { before: { dialects: before }, after: { dialects } },
    });
  });
}

export async function listCheckAliases(
  deps: Pick<Deps, 'store' | 'vault'>,
  actor: Actor,
  checkId: number,
): Promise<ShownAlias[]> {
  requirePermission(actor, 'checks.view_addresses');
  const { id } = await findById(deps, actor, checkId);
  return (await deps.store.pingAliases.ofCheck(id)).map((alias) => shown(deps, alias));
}

/** Those that stand for the ping key. */
export async function listProjectAliases(
  deps: Pick<Deps, 'store' | 'vault'>,
  actor: Actor,
): Promise<ShownAlias[]> {
  requirePermission(actor, 'keys.edit');
  return (await deps.store.pingAliases.ofProject(actor.projectId)).map((alias) => shown(deps, alias));
}

export async function addCheckAlias(
  deps: Deps,
  actor: Actor,
  checkId: number,
  input: AddAlias,
): Promise<void> {
  requirePermission(actor, 'checks.edit');
  await orTaken(
    deps.store.transaction(async (tx) => {
      const check = await lockOwnCheck(tx, actor, checkId);
      await insertAlias(deps, tx, { ...input, checkId: check.id });
      const details = { dialect: input.dialect, token: maskedToken(input.token) };
      await recordOnCheck(deps, tx, actor, check, { action: 'check.alias_added', details });
    }),
  );
}

export async function removeCheckAlias(
  deps: Deps,
  actor: Actor,
  checkId: number,
  uuid: string,
): Promise<void> {
  requirePermission(actor, 'checks.edit');
  await deps.store.transaction(async (tx) => {
    const check = await lockOwnCheck(tx, actor, checkId);
    const details = await removeAlias(deps, tx, await tx.pingAliases.ofCheck(check.id), uuid);
    await recordOnCheck(deps, tx, actor, check, { action: 'check.alias_removed', details });
  });
}

/** Lets the key of another program stand for the ping key. A project that has no ping key gets one: without it there are no addresses. */
export async function addProjectAlias(deps: Deps, actor: Actor, input: AddAlias): Promise<void> {
  requirePermission(actor, 'keys.edit');
  await orTaken(
    deps.store.transaction(async (tx) => {
      const project = await lockTeam(tx, actor, 'keys.edit');
      if (project.pingKeyDigest === null)
        await setPingKey(deps, tx, project, generatePingKey(deps.random.bytes));
      await insertAlias(deps, tx, { ...input, projectId: project.id });
      await recordInProject(deps, tx, actor, {
        action: 'project.alias_added',
        subject: projectSubject(project),
        details: { dialect: input.dialect, token: maskedToken(input.token) },
      });
    }),
  );
}

export async function removeProjectAlias(deps: Deps, actor: Actor, uuid: string): Promise<void> {
  requirePermission(actor, 'keys.edit');
  await deps.store.transaction(async (tx) => {
    const project = await lockTeam(tx, actor, 'keys.edit');
    const details = await removeAlias(deps, tx, await tx.pingAliases.ofProject(project.id), uuid);
    await recordInProject(deps, tx, actor, {
      action: 'project.alias_removed',
      subject: projectSubject(project),
      details,
    });
  });
}

type NewAlias = AddAlias & ({ readonly checkId: number } | { readonly projectId: number });

/** Adds an alias for a check or a project that is locked. */
export async function insertAlias(
  { random, clock, vault }: Pick<Deps, 'random' | 'clock' | 'vault'>,
  tx: Writes,
  input: NewAlias,
): Promise<void> {
  const { dialect, token } = input;
  requireToken(token);
  const of = { checkId: null, projectId: null, ...input };
  if ((await aliasesOf(tx, of)).length >= MAX_ALIASES) throw new AppError('alias_limit_reached');
  const tokenDigest = sha256(token);
  const known = await tx.pingAliases.byDigests([tokenDigest]);
  if (known.some((alias) => alias.dialect === dialect)) throw tokenTaken();
  await tx.pingAliases.insert({
    uuid: random.uuid(),
    dialect,
    tokenDigest,
    tokenSealed: vault.seal(token),
    checkId: of.checkId,
    projectId: of.projectId,
    createdAt: clock.now(),
    lastUsedAt: null,
  });
}

async function aliasesOf(
  { pingAliases }: Pick<Reads, 'pingAliases'>,
  { checkId, projectId }: Pick<PingAlias, 'checkId' | 'projectId'>,
): Promise<PingAlias[]> {
  return checkId === null ? pingAliases.ofProject(projectId ?? 0) : pingAliases.ofCheck(checkId);
}

async function removeAlias(
  deps: Pick<Deps, 'vault'>,
  tx: Writes,
  aliases: readonly PingAlias[],
  uuid: string,
): Promise<{ dialect: PingDialect; token: string }> {
  const alias = aliases.find((one) => one.uuid === uuid);
  if (alias === undefined) throw new AppError('alias_not_found');
  await tx.pingAliases.delete(alias.id);
  return { dialect: alias.dialect, token: maskedToken(shown(deps, alias).token ?? '') };
}

function shown({ vault }: Pick<Deps, 'vault'>, alias: PingAlias): ShownAlias {
  const { uuid, dialect, lastUsedAt } = alias;
  return { uuid, dialect, lastUsedAt, token: vault.unseal(alias.tokenSealed) };
}

/** If two take a token at the same time, the database refuses one. */
function orTaken(work: Promise<void>): Promise<void> {
  return work.catch((error: unknown) => {
    throw isConflict(error) ? tokenTaken() : error;
  });
}

function tokenTaken(): AppError {
  return new AppError('token_taken', undefined, { field: 'token' });
}
