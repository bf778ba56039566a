import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../../domain/channel.ts';
import { selectChannels } from '../../domain/channel-selection.ts';
import { type Check, type CheckConfig, DEFAULT_CONFIG } from '../../domain/check.ts';
import { editCheck } from '../../domain/check-edit.ts';
import { AppError } from '../../domain/errors.ts';
import type { Project } from '../../domain/project.ts';
import type { Writes } from '../../storage/store.ts';
import { claimCheckSlot, insertCheck } from '../checks.ts';
import type { Deps } from '../deps.ts';
import { type Change, created, type DeclaredCheck, ProvisionError, updated } from './declaration.ts';

/** Reads the project once, however many checks the file declares, and writes only what differs. */
export async function applyChecks(
  deps: Deps,
  tx: Writes,
  project: Project,
  declared: readonly DeclaredCheck[],
): Promise<Change[]> {
  if (declared.length === 0) return [];
  const bySlug = Map.groupBy(await tx.checks.ofProject(project.id), (check) => check.slug);
  const assigned = await tx.checks.channelsOfProject(project.id);
  const channels = await tx.channels.ofProject(project.id);
  const changes: Change[] = [];
  for (const one of declared) {
    const label = `${project.name}/${one.slug}`;
    const [existing, ...others] = bySlug.get(one.slug) ?? [];
    if (others.length > 0) throw new ProvisionError(one.line, `several checks have the slug "${one.slug}"`);
    const check = existing ?? (await addCheck(deps, tx, project, one));
    const wanted = wantedChannels(one, channels);
    if (existing === undefined) {
      if (wanted !== null) await assign(tx, check, wanted);
      changes.push(created('check', label));
      continue;
    }
    const fields = await saveEdit(tx, existing, one);
    if (wanted !== null && !isDeepStrictEqual(assigned.get(check.id) ?? [], uuids(wanted))) {
      await assign(tx, check, wanted);
      fields.push('integrations');
    }
    changes.push(...updated('check', label, fields));
  }
  return changes;
}

async function addCheck(deps: Deps, tx: Writes, project: Project, declared: DeclaredCheck): Promise<Check> {
  try {
    await claimCheckSlot(tx, project.id);
  } catch (error) {
    if (error instanceof AppError)
      throw new ProvisionError(declared.line, "the owner's check limit is reached");
    throw error;
  }
  return insertCheck(deps, tx, project.id, declared.edit);
}

async function saveEdit(tx: Writes, check: Check, declared: DeclaredCheck): Promise<string[]> {
  const fields = changedFields(check, editCheck(check, declared.edit));
  if (fields.length === 0) return [];
  // As it is now: a ping may have come since it was read, and the deadline follows from both.
  const held = await tx.checks.lock(check.id);
  if (held !== null) await tx.checks.saveConfig(editCheck(held, declared.edit));
  return fields;
}

function changedFields(before: Check, after: Check): string[] {
  // The keys of the defaults are those of a configuration.
  const fields = Object.keys(DEFAULT_CONFIG) as (keyof CheckConfig)[];
  return fields.filter((field) => after[field] !== before[field]);
}

function wantedChannels(declared: DeclaredCheck, channels: readonly Channel[]): Channel[] | null {
  if (declared.channels === undefined) return null;
  try {
    return selectChannels(declared.channels, channels);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new ProvisionError(declared.line, error.message.replace('channel identifier', 'integration'));
  }
}

async function assign(tx: Writes, check: Check, channels: readonly Channel[]): Promise<void> {
  await tx.checks.setChannels(
    check.id,
    channels.map((channel) => channel.id),
  );
}

function uuids(channels: readonly Channel[]): string[] {
  return channels.map((channel) => channel.uuid).sort();
}
