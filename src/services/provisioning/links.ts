import type { Check } from '../../domain/check/check.ts';
import type { CheckEdit } from '../../domain/check/check-edit.ts';
import { listed } from '../../domain/check/check-links.ts';
import { AppError } from '../../domain/errors.ts';
import type { Project } from '../../domain/people/project.ts';
import type { Writes } from '../../storage/store.ts';
import { withLinks } from '../check/check-links.ts';
import { updateCheck } from '../check/checks.ts';
import { actorIn, type ProvisionDeps } from './acts.ts';
import {
  type Change,
  type DeclaredCheck,
  type DeclaredProject,
  type FieldChange,
  identityOf,
  updated,
} from './declaration.ts';
import { orRefused, within } from './entries.ts';
import { DeclaredEntries } from './source.ts';

interface Linked {
  readonly declared: DeclaredCheck;
  readonly check: Check;
}

/**
 * Applies what checks say of others, and of integrations that are told of each success. It is done once all checks are there.
 * Links may change to their reverse, so one that would close a circle waits for the others.
 */
export async function applyLinks(
  deps: ProvisionDeps,
  tx: Writes,
  project: Project,
  { checks }: DeclaredProject,
): Promise<Change[]> {
  const concerned = checks.filter(({ parents, done }) => parents !== undefined || done !== undefined);
  if (concerned.length === 0) return [];
  const entries = await DeclaredEntries.read(tx, 'check', project.id);
  let left: Linked[] = [];
  for (const declared of concerned) {
    const check = await tx.checks.byId(entries.named(identityOf(declared))?.id ?? 0);
    if (check !== null) left.push({ declared, check });
  }
  const changes: Change[] = [];
  for (let refused: AppError | null = null; left.length > 0; refused = null) {
    const waiting: Linked[] = [];
    for (const one of left) {
      try {
        changes.push(...(await applyLinksOf(deps, tx, project, one)));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        refused = error;
        waiting.push(one);
      }
    }
    const [first] = waiting;
    // Without any progress the refusal is final.
    if (first !== undefined && waiting.length === left.length)
      await orRefused(first.declared.line, () => Promise.reject(refused));
    left = waiting;
  }
  return changes;
}

async function applyLinksOf(
  deps: ProvisionDeps,
  tx: Writes,
  project: Project,
  { declared, check }: Linked,
): Promise<Change[]> {
  const { parents, done } = declared;
  const named: CheckEdit = {
    ...(parents !== undefined && { parents }),
    ...(done !== undefined && { doneChannels: done }),
  };
  const edit = await withLinks(tx, project.id, check.id, named);
  const fields: FieldChange[] = [
    ...changed('parents', check.parents, edit.parents),
    ...changed('done', check.doneChannels, edit.doneChannels),
  ];
  if (fields.length === 0) return [];
  await updateCheck(within(deps, tx), actorIn(deps, project), check.id, { edit });
  return updated('check', `${project.name}/${declared.slug || identityOf(declared)}`, fields, declared);
}

function changed(name: string, was: string, became: string | undefined): FieldChange[] {
  return became === undefined || became === was ? [] : [{ name, was: listed(was), became: listed(became) }];
}
