import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../domain/errors.ts';
import { differences, shownName } from '../../domain/people/audit.ts';
import {
  MAX_NOTICE_UPDATES,
  MAX_STATUS_NOTICES,
  MAX_STATUS_PAGES,
  NOTICES_KEPT,
  type NoticeKind,
  type StatusComponent,
  type StatusNotice,
  type StatusPage,
  type StatusPageText,
  type ToldNotice,
  type UpdateText,
} from '../../domain/public/status-page.ts';
import type { Instant } from '../../lib/instant.ts';
import { isConflict, type Writes } from '../../storage/store.ts';
import { type Actor, requirePermission } from '../core/actor.ts';
import { recordInProject } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { lockTeam } from '../project/team.ts';

/** Names a page of the actor's project. */
export type PageRef = Pick<StatusPage, 'uuid'>;

/** Nobody sees the page until it is published. */
export async function createStatusPage(
  deps: Deps,
  actor: Actor,
  text: Omit<StatusPageText, 'components'>,
): Promise<StatusPage> {
  requirePermission(actor, 'status_pages.edit');
  const { random, clock, store } = deps;
  return store
    .transaction(async (tx) => {
      // Two that make a page at the same time must not exceed the limit together.
      await lockTeam(tx, actor, 'status_pages.edit');
      if ((await tx.statusPages.countOf(actor.projectId)) >= MAX_STATUS_PAGES)
        throw new AppError('status_page_limit_reached');
      await requireFree(tx, text.slug);
      const page = await tx.statusPages.insert({
        ...text,
        uuid: random.uuid(),
        projectId: actor.projectId,
        isPublished: false,
        components: [],
        revision: 1,
        createdAt: clock.now(),
      });
      await recordPage(deps, tx, actor, 'status_page.created', page, { slug: page.slug });
      return page;
    })
    .catch(slugTaken);
}

export interface EditStatusPage extends StatusPageText {
  /** The revision that was edited. Null overwrites any revision. */
  readonly revision: number | null;
}

export async function editStatusPage(
  deps: Deps,
  actor: Actor,
  ref: PageRef,
  { revision, ...text }: EditStatusPage,
): Promise<void> {
  requirePermission(actor, 'status_pages.edit');
  await deps.store
    .transaction(async (tx) => {
      const page = await locked(tx, actor, ref);
      if (revision !== null && page.revision !== revision) throw new AppError('status_page_changed');
      if (text.slug !== page.slug) await requireFree(tx, text.slug);
      const changes = differences(settingsOf(page), settingsOf(text));
      if (changes === null) return;
      await requireChecks(tx, page, text.components);
      await tx.statusPages.save(page.id, text);
      await recordPage(deps, tx, actor, 'status_page.edited', page, changes);
    })
    .catch(slugTaken);
}

/** Shows the page to everybody, or to nobody any more. */
export async function publishStatusPage(
  deps: Deps,
  actor: Actor,
  ref: PageRef,
  isPublished: boolean,
): Promise<void> {
  requirePermission(actor, 'status_pages.edit');
  await deps.store.transaction(async (tx) => {
    const page = await locked(tx, actor, ref);
    if (page.isPublished === isPublished) return;
    if (isPublished && page.components.length === 0)
      throw new AppError('invalid_field', 'components is empty', { field: 'components' });
    await tx.statusPages.setPublished(page.id, isPublished);
    const action = isPublished ? 'status_page.published' : 'status_page.unpublished';
    await recordPage(deps, tx, actor, action, page, { slug: page.slug });
  });
}

export async function deleteStatusPage(deps: Deps, actor: Actor, ref: PageRef): Promise<void> {
  requirePermission(actor, 'status_pages.edit');
  await deps.store.transaction(async (tx) => {
    const page = await locked(tx, actor, ref);
    await tx.statusPages.delete(page.id);
    await recordPage(deps, tx, actor, 'status_page.deleted', page, { slug: page.slug });
  });
}

export interface OpenNotice {
  readonly kind: NoticeKind;
  readonly title: string;
  readonly componentIds: readonly string[];
  /** Null: now. */
  readonly startsAt: Instant | null;
  /** Planned maintenances have an end. */
  readonly endsAt: Instant | null;
  readonly update: UpdateText;
}

/** Opens an incident, or announces a maintenance. */
export async function openNotice(
  deps: Deps,
  actor: Actor,
  ref: PageRef,
  { update, startsAt, ...input }: OpenNotice,
): Promise<string> {
  requirePermission(actor, 'status_pages.edit');
  const { store, clock, random } = deps;
  const now = clock.now();
  return store.transaction(async (tx) => {
    const page = await locked(tx, actor, ref);
    await tx.statusPages.forgetNotices(page.id, now - NOTICES_KEPT);
    if ((await tx.statusPages.countNotices(page.id)) >= MAX_STATUS_NOTICES)
      throw new AppError('notice_limit_reached');
    const notice = { ...input, pageId: page.id, startsAt: startsAt ?? now, createdAt: now };
    requireSense(page, notice);
    const made = await tx.statusPages.insertNotice({ ...notice, uuid: random.uuid() });
    await addUpdate(deps, tx, actor, made, update);
    await tx.statusPages.touch(page.id);
    await recordNotice(deps, tx, actor, `${made.kind}.opened`, page, made, {
      state: update.state,
      text: update.text,
    });
    return made.uuid;
  });
}

/** Names a notice of a page. */
export type NoticeRef = PageRef & { readonly notice: string };

/** Tells more of a notice. If the update says that it is over, it is. */
export async function postUpdate(
  deps: Deps,
  actor: Actor,
  ref: NoticeRef,
  update: UpdateText,
): Promise<void> {
  await withNotice(deps, actor, ref, async (tx, page, notice) => {
    if (notice.updates.length >= MAX_NOTICE_UPDATES) throw new AppError('notice_limit_reached');
    await addUpdate(deps, tx, actor, notice, update);
    const now = deps.clock.now();
    if (update.state === 'over') await tx.statusPages.saveNotice({ ...notice, endsAt: endOf(notice, now) });
    // An update opens a past incident again.
    else if (notice.kind === 'incident') await tx.statusPages.saveNotice({ ...notice, endsAt: null });
    const action = update.state === 'over' ? 'resolved' : 'updated';
    await recordNotice(deps, tx, actor, `${notice.kind}.${action}`, page, notice, { ...update });
  });
}

export async function correctUpdate(
  deps: Deps,
  actor: Actor,
  ref: NoticeRef & { readonly update: string },
  text: string,
): Promise<void> {
  await withNotice(deps, actor, ref, async (tx, page, notice) => {
    const update = notice.updates.find(({ uuid }) => uuid === ref.update);
    if (update === undefined) throw new AppError('notice_not_found');
    const changes = differences({ text: update.text }, { text });
    if (changes === null) return;
    await tx.statusPages.saveUpdateText(update.id, text);
    await recordNotice(deps, tx, actor, `${notice.kind}.corrected`, page, notice, changes);
  });
}

/** Takes the notice off the page, as if it had never been told. */
export async function deleteNotice(deps: Deps, actor: Actor, ref: NoticeRef): Promise<void> {
  await withNotice(deps, actor, ref, async (tx, page, notice) => {
    await tx.statusPages.deleteNotice(notice.id);
    await recordNotice(deps, tx, actor, `${notice.kind}.deleted`, page, notice, {});
  });
}

async function withNotice(
  deps: Deps,
  actor: Actor,
  ref: NoticeRef,
  change: (tx: Writes, page: StatusPage, notice: ToldNotice) => Promise<void>,
): Promise<void> {
  requirePermission(actor, 'status_pages.edit');
  await deps.store.transaction(async (tx) => {
    const page = await locked(tx, actor, ref);
    const notice = await tx.statusPages.noticeByUuid(page.id, ref.notice);
    if (notice === null) throw new AppError('notice_not_found');
    await change(tx, page, notice);
    await tx.statusPages.touch(page.id);
  });
}

async function locked(tx: Writes, { projectId }: Actor, { uuid }: PageRef): Promise<StatusPage> {
  const page = await tx.statusPages.lock(projectId, uuid);
  if (page === null) throw new AppError('status_page_not_found');
  return page;
}

async function requireFree(tx: Writes, slug: string): Promise<void> {
  if (await tx.statusPages.isTaken(slug)) throw new AppError('slug_taken', undefined, { field: 'slug' });
}

/** If two take a slug at the same time, the database refuses one. */
function slugTaken(error: unknown): never {
  if (isConflict(error)) throw new AppError('slug_taken', undefined, { field: 'slug' });
  throw error;
}

/** A new component must cover a check. One that has lost its checks since may stay. */
async function requireChecks(
  tx: Writes,
  { projectId, components: old }: StatusPage,
  components: readonly StatusComponent[],
): Promise<void> {
  for (const { id, covers } of components) {
    const before = old.find((one) => one.id === id);
    if (before !== undefined && isDeepStrictEqual(before.covers, covers)) continue;
    const isFound =
      'tag' in covers
        ? (await tx.checks.timedPage(projectId, 0, 1, covers.tag)).length > 0
        : (await tx.checks.byUniqueKey(projectId, covers.check)) !== null;
    if (!isFound)
      throw new AppError('invalid_field', 'components has one without checks', { field: 'components' });
  }
}

function requireSense(page: StatusPage, notice: Omit<StatusNotice, 'id' | 'uuid'>): void {
  const fault = (field: string, reason: string) => new AppError('invalid_field', reason, { field });
  if (notice.kind === 'maintenance' && notice.endsAt === null) throw fault('ends', 'ends is missing');
  if (notice.endsAt !== null && notice.endsAt <= notice.startsAt)
    throw fault('ends', 'ends is not after starts');
  const known = new Set(page.components.map(({ id }) => id));
  if (!notice.componentIds.every((id) => known.has(id)))
    throw fault('components', 'components names one that the page does not have');
}

/** A maintenance that is over before its end ends now. */
function endOf({ startsAt, endsAt }: StatusNotice, now: Instant): Instant {
  return Math.max(startsAt + 1, Math.min(endsAt ?? now, now));
}

async function addUpdate(
  { random, clock }: Deps,
  tx: Writes,
  { by }: Actor,
  { id: noticeId }: StatusNotice,
  update: UpdateText,
): Promise<void> {
  await tx.statusPages.insertUpdate({
    ...update,
    noticeId,
    uuid: random.uuid(),
    createdAt: clock.now(),
    author: shownName(by),
  });
}

function settingsOf({ slug, title, about, tz, components }: StatusPageText) {
  return {
    ...{ slug, title, about, tz },
    components: components.map(({ name, group, covers }) => ({ name, group, ...covers })),
  };
}

async function recordPage(
  deps: Deps,
  tx: Writes,
  actor: Actor,
  action: string,
  { uuid, title }: StatusPage,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await recordInProject(deps, tx, actor, {
    action,
    subject: { kind: 'status_page', id: uuid, name: title },
    details,
  });
}

async function recordNotice(
  deps: Deps,
  tx: Writes,
  actor: Actor,
  action: string,
  page: StatusPage,
  { title }: StatusNotice,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await recordPage(deps, tx, actor, action, page, { title, ...details });
}
