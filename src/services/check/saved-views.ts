import { AppError } from '../../domain/errors.ts';
import { MAX_OWN_VIEWS, MAX_SHARED_VIEWS, type SavedView } from '../../domain/saved-view.ts';
import type { ListedView, Writes } from '../../storage/store.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import { recordInProject } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { lockTeam } from '../project/team.ts';

export interface NewView {
  readonly name: string;
  /** The query of the address of the list. */
  readonly query: string;
  /** Whether everybody in the project sees it. */
  readonly isShared: boolean;
}

/** Views are kept by people: a key and the program have none. */
function keeperOf({ caller }: Actor): number {
  if (!('accountId' in caller)) throw new AppError('permission_denied');
  return caller.accountId;
}

/** The views of the person, and the shared views of others, in order of creation. */
export async function listViews({ store }: Pick<Deps, 'store'>, actor: Actor): Promise<ListedView[]> {
  requirePermission(actor, 'views.edit');
  return store.savedViews.seenBy(actor.projectId, keeperOf(actor));
}

export async function saveView(deps: Deps, actor: Actor, view: NewView): Promise<SavedView> {
  requirePermission(actor, 'views.edit');
  if (view.isShared) requirePermission(actor, 'views.share');
  const accountId = keeperOf(actor);
  return deps.store.transaction(async (tx) => {
    // Two that save one at the same time must not exceed the limits together.
    await lockTeam(tx, actor, view.isShared ? 'views.share' : 'views.edit');
    const seen = await tx.savedViews.seenBy(actor.projectId, accountId);
    const ownCount = seen.filter((one) => one.accountId === accountId).length;
    if (ownCount >= MAX_OWN_VIEWS) throw new AppError('view_limit_reached');
    if (view.isShared) requireRoomToShare(seen);
    const saved = await tx.savedViews.insert({
      ...view,
      uuid: deps.random.uuid(),
      projectId: actor.projectId,
      accountId,
      createdAt: deps.clock.now(),
    });
    await recordView(deps, tx, actor, 'view.created', saved);
    return saved;
  });
}

/**
 * Changes a view of the person: its name, its filter, or whether everybody in the project sees it. Changing a shared
 * view needs the permission to share views.
 */
export async function changeView(
  deps: Deps,
  actor: Actor,
  uuid: string,
  change: Partial<NewView>,
): Promise<void> {
  requirePermission(actor, 'views.edit');
  const accountId = keeperOf(actor);
  await deps.store.transaction(async (tx) => {
    await lockTeam(tx, actor, 'views.edit');
    const seen = await tx.savedViews.seenBy(actor.projectId, accountId);
    const view = seen.find((one) => one.uuid === uuid && one.accountId === accountId);
    if (view === undefined) throw new AppError('view_not_found');
    const { name = view.name, query = view.query, isShared = view.isShared } = change;
    if (view.isShared || isShared) requirePermission(actor, 'views.share');
    if (name === view.name && query === view.query && isShared === view.isShared) return;
    if (isShared && !view.isShared) requireRoomToShare(seen);
    const changed = { ...view, name, query, isShared };
    await tx.savedViews.update(changed);
    await recordView(deps, tx, actor, 'view.updated', changed);
  });
}

/** Deletes a view of the person. A shared one goes for everybody; the permission to share views is enough for that. */
export async function deleteView(deps: Deps, actor: Actor, uuid: string): Promise<void> {
  requirePermission(actor, 'views.edit');
  const accountId = keeperOf(actor);
  await deps.store.transaction(async (tx) => {
    const seen = await tx.savedViews.seenBy(actor.projectId, accountId);
    const view = seen.find((one) => one.uuid === uuid);
    if (view === undefined) throw new AppError('view_not_found');
    if (view.accountId !== accountId) requirePermission(actor, 'views.share');
    await tx.savedViews.delete(actor.projectId, view.id);
    await recordView(deps, tx, actor, 'view.deleted', view);
  });
}

function requireRoomToShare(seen: readonly SavedView[]): void {
  const shared = seen.filter(({ isShared }) => isShared).length;
  if (shared >= MAX_SHARED_VIEWS) throw new AppError('view_limit_reached');
}

async function recordView(
  deps: Deps,
  tx: Writes,
  actor: Actor,
  action: string,
  { uuid, name, query, isShared }: SavedView,
): Promise<void> {
  const subject = { kind: 'view', id: uuid, name };
  await recordInProject(deps, tx, actor, { action, subject, details: { query, shared: isShared } });
}
