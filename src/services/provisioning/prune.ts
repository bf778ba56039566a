import { AppError } from '../../domain/errors.ts';
import type { Project } from '../../domain/people/project.ts';
import { sha256 } from '../../lib/vault.ts';
import type { DeclaredAlias, DeclaredKind, DeclaredProjectEntry, Writes } from '../../storage/store.ts';
import { removeCheck } from '../check/check-deletion.ts';
import type { Deps } from '../core/deps.ts';
import { removeCheckAlias, removeProjectAlias } from '../ping/aliases.ts';
import { revokeKey } from '../project/keys.ts';
import { deleteProject } from '../project/projects.ts';
import { fileActor, PROVISIONING_FILE, type ProvisionDeps } from './acts.ts';
import { aliasLabel } from './aliases.ts';
import { CHANNELS } from './channels.ts';
import {
  type Change,
  type DeclaredProject,
  type DeclaredToken,
  identityOf,
  released,
  removed,
} from './declaration.ts';
import type { Owner } from './entries.ts';
import { isFromFile, UNNAMED_KEY } from './keys.ts';
import { STATUS_PAGES, TOKENS, VIEWS, WALLS } from './kinds.ts';
import { CALENDARS, POLICIES } from './policies.ts';
import { QUIET_TIMES } from './quiet-times.ts';
import type { Source } from './source.ts';

/** Removals that nobody has to allow by their number. */
const MAX_REMOVALS = 10;

interface CountedRemoval {
  readonly change: Change;
  /** Entries that go with it, itself included. */
  readonly entries: number;
}

/** An entry that goes once everything else is applied. */
export interface Removal extends CountedRemoval {
  remove(deps: Deps): Promise<void>;
}

/** More would be removed than is allowed. Nothing of the file is applied. */
export class TooManyRemovalsError extends Error {
  override readonly name = 'TooManyRemovalsError';
  readonly removals: readonly Change[];

  constructor(reason: string, removals: readonly CountedRemoval[]) {
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
  tokens: readonly DeclaredToken[],
  allowed: number | null,
): Promise<{ readonly removals: readonly Removal[]; readonly releases: readonly Change[] }> {
  const declaredIn = new Map(applied.map(({ project, declared }) => [project.id, declared]));
  const removals: Removal[] = [];
  const releases: Change[] = [];
  let made = 0;
  const remove = async (contents: readonly Content[], names: ReadonlySet<string>) => {
    for (const content of contents.filter(({ key }) => !names.has(key))) {
      if (content.isMade) removals.push(content.removal);
      else {
        await content.release();
        releases.push(released(content.removal.change.what, content.removal.change.name));
      }
    }
  };
  const aliases = await tx.declarations.aliasesOf(source.name);
  for (const project of await tx.declarations.projectsOf(source.name)) {
    const declared = declaredIn.get(project.id);
    const contents = await contentsOf(tx, source, project, aliases);
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
    await remove(contents, names);
    if (declared === undefined) {
      await tx.declarations.release('project', project.id);
      releases.push(released('project', project.projectName));
    }
  }
  const ofAccounts = await tokenContents(tx, source);
  made += ofAccounts.filter(({ isMade }) => isMade).length;
  await remove(ofAccounts, new Set(tokens.map(({ account, name }) => keyOf('token', `${account}/${name}`))));
  requireFew(removals, made, allowed);
  return { removals, releases };
}

/** Refuses more removals than `allowed`. Null: than the usual number, or than half of what there is. */
export function requireFew(removals: readonly CountedRemoval[], made: number, allowed: number | null): void {
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

const keyOf = (what: Change['what'], name: string): string => `${what} ${name}`;

function namesIn(declared: DeclaredProject): Set<string> {
  const { channels, checks, apiKeys, aliases = [], statusPages = [], walls = [], views = [] } = declared;
  const { policies = [], calendars = [], quietTimes = [] } = declared;
  const tokens = [...aliases, ...checks.flatMap((check) => check.aliases ?? [])];
  return new Set([
    ...channels.map((channel) => keyOf(CHANNELS.what, CHANNELS.nameOf(channel))),
    ...checks.map((check) => keyOf('check', identityOf(check))),
    ...apiKeys.map(({ name }) => keyOf('api key', name)),
    ...tokens.map(({ dialect, token }) => keyOf('alias', `${dialect} ${sha256(token)}`)),
    ...statusPages.map((page) => keyOf(STATUS_PAGES.what, STATUS_PAGES.nameOf(page))),
    ...walls.map((wall) => keyOf(WALLS.what, WALLS.nameOf(wall))),
    ...views.map((view) => keyOf(VIEWS.what, VIEWS.nameOf(view))),
    ...policies.map((policy) => keyOf(POLICIES.what, POLICIES.nameOf(policy))),
    ...calendars.map((calendar) => keyOf(CALENDARS.what, CALENDARS.nameOf(calendar))),
    ...quietTimes.map((quietTime) => keyOf(QUIET_TIMES.what, QUIET_TIMES.nameOf(quietTime))),
  ]);
}

/** What the source declares in the project. Entries that use checks go first, and checks before channels, which they use. */
async function contentsOf(
  tx: Writes,
  source: Source,
  project: DeclaredProjectEntry,
  aliases: readonly DeclaredAlias[],
): Promise<Content[]> {
  const actor = fileActor(project);
  const owner = { id: project.id, name: project.projectName, projectId: project.id };
  const label = (entry: string) => `${owner.name}/${entry}`;
  const keys = (await tx.apiKeys.ofProject(project.id)).filter(
    (key) => isFromFile(key) && key.name !== UNNAMED_KEY,
  );
  const entriesOf = async (
    kind: DeclaredKind,
    what: Change['what'],
    remove: RemoveEntry,
    told = (name: string) => name,
  ) =>
    (await tx.declarations.entriesOf(kind, project.id))
      .filter((entry) => entry.source === source.name)
      .map((entry) => ({
        key: keyOf(what, entry.name),
        isMade: entry.isMade,
        removal: removal(removed(what, label(told(entry.name))), (deps) => remove(deps, entry.id)),
        release: () => tx.declarations.release(kind, entry.id),
      }));
  const contents: Content[] = [];
  for (const { kind, what, remove } of [STATUS_PAGES, WALLS, VIEWS, POLICIES, CALENDARS, QUIET_TIMES])
    contents.push(...(await entriesOf(kind, what, (deps, id) => remove(byFile(deps), owner, id))));
  return [
    ...contents,
    ...aliases.filter(({ projectId }) => projectId === owner.id).map((alias) => aliasContent(owner, alias)),
    ...(await entriesOf('check', 'check', (deps, id) => removeCheck(deps, actor, id, 'given'))),
    ...(await entriesOf(
      CHANNELS.kind,
      CHANNELS.what,
      (deps, id) => CHANNELS.remove(byFile(deps), owner, id),
      (name) => name.replace(' ', '/'),
    )),
    ...keys.map((key) => ({
      key: keyOf('api key', key.name),
      isMade: true,
      removal: removal(removed('api key', label(key.name)), (deps) => revokeKey(deps, actor, key.uuid)),
      release: async () => undefined,
    })),
  ];
}

type RemoveEntry = (deps: Deps, id: number) => Promise<unknown>;

const byFile = (deps: Deps): ProvisionDeps => ({ ...deps, by: PROVISIONING_FILE });

function aliasContent(owner: Owner, alias: DeclaredAlias): Content {
  const actor = fileActor(owner);
  const { uuid, dialect, digest, checkId, checkName } = alias;
  return {
    key: keyOf('alias', `${dialect} ${digest}`),
    isMade: true,
    removal: removal(removed('alias', aliasLabel(owner.name, checkName, dialect)), (deps) =>
      checkId === null ? removeProjectAlias(deps, actor, uuid) : removeCheckAlias(deps, actor, checkId, uuid),
    ),
    release: async () => undefined,
  };
}

async function tokenContents(tx: Writes, source: Source): Promise<Content[]> {
  const contents: Content[] = [];
  for (const { id, accountId, name, isMade } of await tx.declarations.tokensOf(source.name)) {
    const email = (await tx.accounts.byId(accountId))?.email ?? '';
    const owner = { id: accountId, name: email, projectId: null };
    contents.push({
      key: keyOf('token', `${email}/${name}`),
      isMade,
      removal: removal(removed('token', `${email}/${name}`), (deps) =>
        TOKENS.remove(byFile(deps), owner, id),
      ),
      release: () => tx.declarations.release('account_token', id),
    });
  }
  return contents;
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
