import {
  type ActFilter,
  type ActPlace,
  ALL_ACTS,
  isWanted,
  type LoggedAct,
} from '../../domain/people/audit.ts';
import type { ActScope } from '../../storage/store.ts';
import { type Actor, ownCheck, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { ofProject, valueRead } from '../core/reads.ts';
import { type AccountActor, requireOnAccount } from '../people/account-actor.ts';

/** Entries of a page. */
export const MAX_PAGE_ACTS = 100;
/** Entries of a page of acts on one check. */
export const MAX_CHECK_ACTS = 20;
/** Entries that are looked at for a page. A filter that few pass gives a short page, and the place to go on from. */
export const MAX_EXAMINED_ACTS = 2_000;
/** Entries that are read at once. */
const CHUNK = 500;

type LogDeps = Pick<Deps, 'store'>;

export interface ActPages {
  readonly acts: readonly LoggedAct[];
  /** The place to continue from. Null at the end. */
  readonly next: ActPlace | null;
}

/** Acts in the project, the latest first. */
export async function listActs(
  deps: LogDeps,
  actor: Actor,
  filter: ActFilter,
  after: ActPlace | null,
): Promise<ActPages> {
  requirePermission(actor, 'audit_log.view');
  return readPage(deps, { projectId: actor.projectId }, filter, after);
}

/** The last change of a check's settings, for somebody who edits it at the same time. Null if it was long ago. */
export const lastEdit = valueRead(
  ofProject,
  async (deps: LogDeps, { actor, subject }: { readonly actor: Actor; readonly subject: string }) => {
    requirePermission(actor, 'checks.edit');
    const filter = { ...ALL_ACTS, action: 'check.updated', subject };
    const { acts } = await readPage(deps, { projectId: actor.projectId }, filter, null, 1);
    return acts[0] ?? null;
  },
);

/** Acts on a check, the latest first. Acts on it in other projects stay there. */
export async function listCheckActs(
  deps: LogDeps,
  actor: Actor,
  checkId: number,
  after: ActPlace | null,
): Promise<ActPages> {
  requirePermission(actor, 'checks.edit');
  const { uniqueKey } = ownCheck(actor, await deps.store.checks.byId(checkId));
  const filter = { ...ALL_ACTS, action: 'check.', subject: uniqueKey };
  return readPage(deps, { projectId: actor.projectId }, filter, after, MAX_CHECK_ACTS);
}

/** Acts of the account, anywhere. */
export async function listOwnActs(
  deps: LogDeps,
  actor: AccountActor,
  filter: ActFilter,
  after: ActPlace | null,
): Promise<ActPages> {
  requireOnAccount(actor, 'account.view');
  return readPage(deps, { accountId: actor.accountId }, filter, after);
}

/** All of it, in parts. A part may be empty if the filter passes none of its entries. */
export function exportActs(deps: LogDeps, actor: Actor, filter: ActFilter): AsyncGenerator<LoggedAct[]> {
  requirePermission(actor, 'audit_log.view');
  return partsOf(deps, { projectId: actor.projectId }, filter);
}

/** Exports acts of the account. */
export function exportOwnActs(
  deps: LogDeps,
  actor: AccountActor,
  filter: ActFilter,
): AsyncGenerator<LoggedAct[]> {
  requireOnAccount(actor, 'account.export');
  return partsOf(deps, { accountId: actor.accountId }, filter);
}

async function readPage(
  { store }: LogDeps,
  scope: ActScope,
  filter: ActFilter,
  after: ActPlace | null,
  pageLength = MAX_PAGE_ACTS,
): Promise<ActPages> {
  const acts: LoggedAct[] = [];
  // Without a filter all that is read is shown.
  const most = isUnfiltered(filter) ? MAX_PAGE_ACTS : CHUNK;
  let place = after;
  for (let examined = 0; examined < MAX_EXAMINED_ACTS; examined += most) {
    const read = await store.auditLog.page(scope, { ...spanOf(filter), after: place, most });
    for (const act of read) {
      place = placeOf(act);
      if (isWanted(act, filter)) acts.push(act);
      if (acts.length === pageLength) return { acts, next: place };
    }
    if (read.length < most) return { acts, next: null };
  }
  return { acts, next: place };
}

async function* partsOf({ store }: LogDeps, scope: ActScope, filter: ActFilter): AsyncGenerator<LoggedAct[]> {
  let after: ActPlace | null = null;
  for (;;) {
    const read: LoggedAct[] = await store.auditLog.page(scope, { ...spanOf(filter), after, most: CHUNK });
    yield read.filter((act) => isWanted(act, filter));
    const last = read.at(-1);
    if (last === undefined || read.length < CHUNK) return;
    after = placeOf(last);
  }
}

function isUnfiltered({ action, account, subject, search }: ActFilter): boolean {
  return action === null && account === null && subject === null && search === null;
}

function spanOf({ from, before }: ActFilter): Pick<ActFilter, 'from' | 'before'> {
  return { from, before };
}

function placeOf({ createdAt, id }: LoggedAct): ActPlace {
  return { createdAt, id };
}
