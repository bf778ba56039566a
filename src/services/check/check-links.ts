import { selectChannels } from '../../domain/alert/channel-selection.ts';
import type { Check } from '../../domain/check/check.ts';
import type { CheckEdit } from '../../domain/check/check-edit.ts';
import { asList, circleOf, listed, MAX_PARENTS } from '../../domain/check/check-links.ts';
import { AppError } from '../../domain/errors.ts';
import { takesAnyWords, whyNotToldOfSuccess } from '../../integrations/registry.ts';
import type { CheckNames, Reads, Writes } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const UNIQUE_KEY = /^[0-9a-f]{40}$/;

/**
 * The edit with the checks and integrations that it names as they are stored. Called before the check is held, since it may hold
 * the project. `checkId` is null if the check does not exist yet.
 */
export async function withLinks(
  tx: Writes,
  projectId: number,
  checkId: number | null,
  edit: CheckEdit,
): Promise<CheckEdit> {
  const { parents, doneChannels } = edit;
  return {
    ...edit,
    ...(doneChannels !== undefined && { doneChannels: await toldOfSuccess(tx, projectId, doneChannels) }),
    ...(parents !== undefined && { parents: await parentsNamed(tx, projectId, checkId, parents) }),
  };
}

async function toldOfSuccess(tx: Writes, projectId: number, named: string): Promise<string> {
  if (named === '') return '';
  const all = await tx.channels.ofProject(projectId);
  // All that can be told.
  const chosen = named === '*' ? all.filter(takesAnyWords) : selectChannels(named, all);
  const mute = chosen.map(whyNotToldOfSuccess).find((reason) => reason !== null);
  if (mute !== undefined) throw invalid(`done_channels: ${mute}`);
  return asList(chosen.map(({ uuid }) => uuid));
}

async function parentsNamed(
  tx: Writes,
  projectId: number,
  checkId: number | null,
  named: string,
): Promise<string> {
  const names = [...new Set(listed(named))];
  if (names.length === 0) return '';
  if (names.length > MAX_PARENTS) throw invalid(`parents has too many items`);
  // Two edits that make a circle together must not pass each other.
  await tx.projects.lock(projectId);
  await tx.projects.usePolicies(projectId);
  const found = await checksNamed(tx, projectId, names);
  const ids = found.map(({ id }) => id);
  const circle = checkId === null ? null : circleOf(checkId, ids, await tx.checkParents.ofProject(projectId));
  if (circle !== null) throw invalid(`parents is a circle: ${await namesOf(tx, circle)}`);
  return asList(found.map(({ uniqueKey }) => uniqueKey));
}

/** The checks of the project with these slugs, UUIDs or unique keys. */
async function checksNamed(tx: Writes, projectId: number, names: readonly string[]): Promise<CheckNames[]> {
  const known = [
    ...(await tx.checks.namesIn(projectId, { uuids: names.filter((name) => UUID.test(name)), slugs: names })),
    ...(await tx.checks.namesByKey(
      projectId,
      names.filter((name) => UNIQUE_KEY.test(name)),
    )),
  ];
  return names.map((name) => {
    const [first, ...others] = new Map(
      known
        .filter(({ uuid, slug, uniqueKey }) => [uuid, slug, uniqueKey].includes(name))
        .map((check) => [check.id, check] as const),
    ).values();
    if (first === undefined) throw invalid(`invalid parent: ${name}`);
    if (others.length > 0) throw invalid(`invalid parent: several checks are called ${name}`);
    return first;
  });
}

async function namesOf(tx: Writes, ids: readonly number[]): Promise<string> {
  const checks = new Map((await tx.checks.byIds(ids)).map((check) => [check.id, check]));
  return ids.map((id) => checks.get(id)?.slug || checks.get(id)?.name || 'a check').join(' → ');
}

function invalid(reason: string): AppError {
  return new AppError('invalid_field', `json validation error: ${reason}`);
}

/** After an edit of the check, which the transaction holds: what its parents held back is decided anew. */
export async function saveLinks(
  { clock }: Pick<Deps, 'clock'>,
  tx: Writes,
  before: Check,
  check: Check,
): Promise<void> {
  if (before.parents === check.parents) return;
  await tx.checkParents.save(check);
  await tx.outages.wake([check.id], clock.now());
}

/** UUIDs of the parents of these checks, by their ids. Nothing is read if none has any. */
export async function parentUuids(
  reads: Pick<Reads, 'checkParents'>,
  checks: readonly Pick<Check, 'id' | 'parents'>[],
): Promise<Map<number, string[]>> {
  const linked = checks.filter(({ parents }) => parents !== '');
  if (linked.length === 0) return new Map();
  const found = await reads.checkParents.ofChecks(linked.map(({ id }) => id));
  return new Map(
    [...Map.groupBy(found, ({ checkId }) => checkId)].map(([id, group]) => [
      id,
      group.map(({ uuid }) => uuid),
    ]),
  );
}
