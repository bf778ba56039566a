import { AppError } from '../../domain/errors.ts';
import type { Project } from '../../domain/people/project.ts';
import type { DeclaredEntry, DeclaredProjectEntry, Writes } from '../../storage/store.ts';
import { deleteChannel } from '../alert/channels.ts';
import { removeCheck } from '../check/check-deletion.ts';
import type { Deps } from '../core/deps.ts';
import { revokeKey } from '../project/keys.ts';
import { deleteProject } from '../project/projects.ts';
import { fileActor } from './acts.ts';
import {
  type Change,
  channelIdentity,
  type DeclaredProject,
  identityOf,
  released,
  removed,
} from './declaration.ts';
import { isFromFile, UNNAMED_KEY } from './keys.ts';
import type { Source } from './source.ts';

/** Removals that nobody has to allow by their number. */
const MAX_REMOVALS = 10;

/** An entry that goes once everything else is applied. */
export interface Removal {
  readonly change: Change;
  /** Entries that go with it, itself included. */
  readonly entries: number;
  remove(deps: Deps): Promise<void>;
}

/** More would be removed than is allowed. Nothing of the file is applied. */
export class TooManyRemovalsError extends Error {
  override readonly name = 'TooManyRemovalsError';
  readonly removals: readonly Change[];

  constructor(reason: string, removals: readonly Removal[]) {
    super(reason);
    this.removals = removals.map(({ change }) => change);
  }
}

/**
 * Finds what the source has made and declares no longer. What it has only taken over is released at once. A project with
 * anything that the source has not made is released, too.
 */
export async function pruned(
  tx: Writes,
  source: Source,
  applied: readonly { readonly project: Project; readonly declared: DeclaredProject }[],
  allowed: number | null,
): Promise<{ readonly removals: readonly Removal[]; readonly releases: readonly Change[] }> {
  const declaredIn = new Map(applied.map(({ project, declared }) => [project.id, declared]));
  const removals: Removal[] = [];
  const releases: Change[] = [];
  let made = 0;
  for (const project of await tx.declarations.projectsOf(source.name)) {
    const declared = declaredIn.get(project.id);
    const contents = await contentsOf(tx, source, project);
    const madeHere = contents.filter(({ isMade }) => isMade).length;
    made += madeHere + (project.isMade ? 1 : 0);
    if (
      declared === undefined &&
      project.isMade &&
      !(await tx.declarations.hasOthers(project.id, source.name))
    ) {
      removals.push(removalOfProject(project, 1 + madeHere));
      continue;
    }
    const names = declared === undefined ? new Set<string>() : namesIn(declared);
    for (const content of contents.filter(({ key }) => !names.has(key))) {
      if (content.isMade) removals.push(content.removal);
      else {
        await content.release();
        releases.push(released(content.removal.change.what, content.removal.change.name));
      }
    }
    if (declared === undefined) {
      await tx.declarations.release('project', project.id);
      releases.push(released('project', project.projectName));
    }
  }
  requireFew(removals, made, allowed);
  return { removals, releases };
}

function requireFew(removals: readonly Removal[], made: number, allowed: number | null): void {
  const count = removals.reduce((sum, { entries }) => sum + entries, 0);
  if (allowed === null && count > MAX_REMOVALS)
    throw new TooManyRemovalsError(
      `${entriesText(count)} would be removed, more than ${MAX_REMOVALS}`,
      removals,
    );
  if (allowed === null && count * 2 > made)
    throw new TooManyRemovalsError(`${count} of ${made} entries would be removed, more than half`, removals);
  if (allowed !== null && count > allowed)
    throw new TooManyRemovalsError(`${entriesText(count)} would be removed, more than ${allowed}`, removals);
}

interface Content {
  /** Names it among all contents of the project. */
  readonly key: string;
  readonly isMade: boolean;
  readonly removal: Removal;
  release(): Promise<void>;
}

const keyOf = (kind: 'check' | 'channel' | 'api key', name: string): string => `${kind} ${name}`;

function namesIn({ channels, checks, apiKeys }: DeclaredProject): Set<string> {
  return new Set([
    ...channels.map((channel) => keyOf('channel', channelIdentity(channel))),
    ...checks.map((check) => keyOf('check', identityOf(check))),
    ...apiKeys.map(({ name }) => keyOf('api key', name)),
  ]);
}

/** What the source declares in the project. Checks go first, since they use channels. */
async function contentsOf(tx: Writes, { name }: Source, project: DeclaredProjectEntry): Promise<Content[]> {
  const actor = fileActor(project);
  const label = (entry: string) => `${project.projectName}/${entry}`;
  const isOwn = ({ source }: DeclaredEntry) => source === name;
  const uuids = new Map((await tx.channels.ofProject(project.id)).map(({ id, uuid }) => [id, uuid]));
  const checks = (await tx.declarations.entriesOf('check', project.id)).filter(isOwn);
  const channels = (await tx.declarations.entriesOf('channel', project.id)).filter(isOwn);
  const keys = (await tx.apiKeys.ofProject(project.id)).filter(
    (key) => isFromFile(key) && key.name !== UNNAMED_KEY,
  );
  return [
    ...checks.map((entry) => ({
      key: keyOf('check', entry.name),
      isMade: entry.isMade,
      removal: removal(removed('check', label(entry.name)), (deps) =>
        removeCheck(deps, actor, entry.id, 'given'),
      ),
      release: () => tx.declarations.release('check', entry.id),
    })),
    ...channels.map((entry) => ({
      key: keyOf('channel', entry.name),
      isMade: entry.isMade,
      removal: removal(removed('integration', label(entry.name.replace(' ', '/'))), (deps) =>
        deleteChannel(deps, actor, uuids.get(entry.id) ?? ''),
      ),
      release: () => tx.declarations.release('channel', entry.id),
    })),
    ...keys.map((key) => ({
      key: keyOf('api key', key.name),
      isMade: true,
      removal: removal(removed('api key', label(key.name)), (deps) => revokeKey(deps, actor, key.uuid)),
      release: async () => undefined,
    })),
  ];
}

function removal(change: Change, remove: (deps: Deps) => Promise<unknown>, entries = 1): Removal {
  return { change, entries, remove: async (deps) => void (await remove(deps)) };
}

function removalOfProject(project: DeclaredProjectEntry, entries: number): Removal {
  const change = removed('project', project.projectName);
  return removal(change, (deps) => deleteProject(deps, fileActor(project), null), entries);
}

/** Removes the entries one by one. After a crash the next run removes the rest. What others have removed meanwhile is passed over. */
export async function removeAll(deps: Deps, removals: readonly Removal[]): Promise<void> {
  for (const { remove } of removals) {
    try {
      await remove(deps);
    } catch (error) {
      if (!(error instanceof AppError) || !error.code.endsWith('_not_found')) throw error;
    }
  }
}

const entriesText = (count: number): string => (count === 1 ? '1 entry' : `${count} entries`);
