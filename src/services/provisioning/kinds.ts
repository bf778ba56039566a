import { isDeepStrictEqual } from 'node:util';
import { uniqueKeyOf } from '../../domain/check/check.ts';
import { AppError } from '../../domain/errors.ts';
import { type AccountToken, MAX_ACCOUNT_TOKENS } from '../../domain/people/account-token.ts';
import { lookupPart, maskedToken, wallLookup } from '../../domain/people/api-key.ts';
import type { Scope } from '../../domain/people/permission.ts';
import type { StatusComponent, StatusPage } from '../../domain/public/status-page.ts';
import type { Wall } from '../../domain/public/wall.ts';
import type { SavedView } from '../../domain/saved-view.ts';
import { toIsoSeconds } from '../../lib/instant.ts';
import { sha256 } from '../../lib/vault.ts';
import type { ListedView } from '../../storage/store.ts';
import { changeView, saveView } from '../check/saved-views.ts';
import type { Actor } from '../core/actor.ts';
import { recordAct, recordInProject } from '../core/audit.ts';
import { createWall, revokeWall } from '../project/walls.ts';
import {
  createStatusPage,
  deleteStatusPage,
  editStatusPage,
  publishStatusPage,
} from '../public/status-pages.ts';
import { actorIn, type ProvisionDeps } from './acts.ts';
import {
  type DeclaredComponent,
  type DeclaredStatusPage,
  type DeclaredToken,
  type DeclaredView,
  type DeclaredWall,
  type FieldChange,
  ProvisionError,
  viewIdentity,
} from './declaration.ts';
import type { EntryKind, Owner } from './entries.ts';

const NO_FIELDS: readonly FieldChange[] = [];

/** The one that had the name in the file before, else one that is `meant`. */
export function meant<E extends { readonly id: number }>(
  stored: readonly E[],
  formerId: number | undefined,
  isMeant: (entry: E) => boolean,
): E | undefined {
  return stored.find(({ id }) => id === formerId) ?? stored.find(isMeant);
}

/** The fields that differ. */
export function changedFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): FieldChange[] {
  return Object.keys(after)
    .filter((name) => !isDeepStrictEqual(before[name], after[name]))
    .map((name) => ({ name, was: before[name], became: after[name] }));
}

const toldComponents = (components: readonly StatusComponent[]) =>
  components.map(({ name, group, covers }) => ({ name, group, ...covers }));

export const STATUS_PAGES: EntryKind<DeclaredStatusPage, StatusPage> = {
  kind: 'status_page',
  what: 'status page',
  nameOf: ({ slug }) => slug,
  stored: ({ store, clock }, { id }) => store.statusPages.ofProject(id, clock.now()),
  find: (stored, { slug }, formerId) => meant(stored, formerId, (page) => page.slug === slug),
  subject: ({ uuid, title }) => ({ kind: 'status_page', id: uuid, name: title }),
  async apply(deps, owner, declared, found) {
    const actor = actorIn(deps, owner);
    const { slug, title } = declared;
    const page =
      found ??
      (await createStatusPage(deps, actor, {
        slug,
        title,
        about: declared.about ?? '',
        tz: declared.tz ?? 'UTC',
      }));
    const { about = page.about, tz = page.tz, isPublished = page.isPublished } = declared;
    const components =
      declared.components === undefined
        ? page.components
        : await componentsOf(deps, owner, declared.components, page.components);
    const before = { title: page.title, about: page.about, tz: page.tz, published: page.isPublished };
    const fields = changedFields(
      { ...before, components: toldComponents(page.components) },
      { title, about, tz, published: isPublished, components: toldComponents(components) },
    );
    // A page without components cannot be published.
    if (!isPublished) await publishStatusPage(deps, actor, page, false);
    if (fields.some(({ name }) => name !== 'published'))
      await editStatusPage(deps, actor, page, { slug, title, about, tz, components, revision: null });
    if (isPublished) await publishStatusPage(deps, actor, page, true);
    return { entry: page, fields };
  },
  async remove(deps, owner, id) {
    const page = (await STATUS_PAGES.stored(deps, owner)).find((one) => one.id === id);
    if (page !== undefined) await deleteStatusPage(deps, actorIn(deps, owner), page);
  },
};

/** A component that stays keeps its id: incidents name it. */
async function componentsOf(
  { store, random }: ProvisionDeps,
  { id }: Owner,
  declared: readonly DeclaredComponent[],
  old: readonly StatusComponent[],
): Promise<StatusComponent[]> {
  const checks = declared.some(({ covers }) => 'check' in covers)
    ? await store.checks.namesOfProject(id)
    : [];
  const left = [...old];
  return declared.map(({ line, name, group, covers }) => {
    const resolved =
      'tag' in covers ? covers : { check: uniqueKeyOf(checkNamed(checks, line, covers.check)) };
    const same = left.findIndex((one) => one.name === name && isDeepStrictEqual(one.covers, resolved));
    const [kept] = same === -1 ? [] : left.splice(same, 1);
    return { id: kept?.id ?? random.uuid().slice(0, 8), name, group, covers: resolved };
  });
}

/** The UUID of the check with this slug or UUID. */
function checkNamed(
  checks: readonly { readonly uuid: string; readonly slug: string }[],
  line: number,
  name: string,
): string {
  const [found, ...others] = checks.filter(({ uuid, slug }) => uuid === name || slug === name);
  if (found === undefined) throw new ProvisionError(line, `there is no check "${name}"`);
  if (others.length > 0) throw new ProvisionError(line, `there are several checks "${name}"; name its UUID`);
  return found.uuid;
}

export const WALLS: EntryKind<DeclaredWall, Wall> = {
  kind: 'wall',
  what: 'wall',
  nameOf: ({ name }) => name,
  stored: ({ store }, { id }) => store.walls.ofProject(id),
  find: (stored, { name, token }, formerId) =>
    token === undefined
      ? meant(stored, formerId, (wall) => wall.name === name)
      : (stored.find(({ digest }) => digest === sha256(token)) ?? stored.find(({ id }) => id === formerId)),
  subject: ({ uuid, name }) => ({ kind: 'wall', id: uuid, name }),
  async apply(deps, owner, { name, token }, found) {
    const actor = actorIn(deps, owner);
    if (token === undefined) return found === undefined ? null : { entry: found, fields: NO_FIELDS };
    if (found === undefined) {
      const { wall } = await createWall(deps, actor, name, token);
      return { entry: wall, fields: NO_FIELDS };
    }
    const after = { ...found, name, lookup: wallLookup(token), digest: sha256(token) };
    const fields = [
      ...changedFields({ name: found.name }, { name }),
      ...(after.digest === found.digest ? [] : [{ name: 'token' }]),
    ];
    if (fields.length > 0) {
      await deps.store.transaction((tx) => tx.walls.update(after));
      await recordIn(deps, actor, 'wall.changed', WALLS.subject(after), fields);
    }
    return { entry: after, fields };
  },
  async remove(deps, owner, id) {
    const wall = (await WALLS.stored(deps, owner)).find((one) => one.id === id);
    if (wall !== undefined) await revokeWall(deps, actorIn(deps, owner), wall.uuid);
  },
};

async function recordIn(
  deps: ProvisionDeps,
  actor: Actor,
  action: string,
  subject: ReturnType<typeof WALLS.subject>,
  fields: readonly FieldChange[],
): Promise<void> {
  const details = { fields: fields.map(({ name }) => name) };
  await deps.store.transaction((tx) => recordInProject(deps, tx, actor, { action, subject, details }));
}

export const VIEWS: EntryKind<DeclaredView, ListedView> = {
  kind: 'view',
  what: 'view',
  nameOf: viewIdentity,
  stored: ({ store }, { id }) => store.transaction((tx) => tx.savedViews.ofProject(id)),
  find: (stored, { name, owner }, formerId) =>
    meant(stored, formerId, (view) => view.name === name && view.keeperEmail === owner),
  subject: viewSubject,
  async apply(deps, { id }, { line, name, owner, query, isShared }, found) {
    const actor = await memberActor(deps, id, line, owner);
    const text = { name, query, isShared };
    if (found === undefined) {
      const view = await saveView(deps, actor, text);
      return { entry: { ...view, keeperEmail: owner }, fields: NO_FIELDS };
    }
    const shown = ({ query, isShared }: Pick<SavedView, 'query' | 'isShared'>) => ({
      query,
      shared: isShared,
    });
    const fields = changedFields(shown(found), shown(text));
    await changeView(deps, actor, found.uuid, text);
    return { entry: { ...found, ...text }, fields };
  },
  async remove(deps, owner, id) {
    const view = (await VIEWS.stored(deps, owner)).find((one) => one.id === id);
    if (view === undefined) return;
    await deps.store.transaction(async (tx) => {
      await tx.savedViews.delete(owner.id, id);
      const act = { action: 'view.deleted', subject: viewSubject(view), details: { query: view.query } };
      await recordInProject(deps, tx, actorIn(deps, owner), act);
    });
  },
};

function viewSubject({ uuid, name }: SavedView) {
  return { kind: 'view', id: uuid, name };
}

/** The person who keeps the view, as the author of the declaration acts for them. */
async function memberActor(
  { store, by }: ProvisionDeps,
  projectId: number,
  line: number,
  email: string,
): Promise<Actor> {
  const account = await store.accounts.byEmail(email);
  const role = account && (await store.projects.roleOf(projectId, account.id));
  if (account === null || role === null)
    throw new ProvisionError(line, `${email} has no role in the project`);
  const caller = { kind: 'member', accountId: account.id, role, isConfirmed: true } as const;
  return { projectId, ownerId: null, caller, by };
}

export const TOKENS: EntryKind<DeclaredToken, AccountToken> = {
  kind: 'account_token',
  what: 'token',
  nameOf: ({ name }) => name,
  stored: ({ store }, { id }) => store.accountTokens.ofAccount(id),
  find: (stored, { name, secret }, formerId) =>
    secret === undefined
      ? meant(stored, formerId, (token) => token.name === name)
      : (stored.find(({ digest }) => digest === sha256(secret)) ?? stored.find(({ id }) => id === formerId)),
  subject: ({ uuid, name }) => ({ kind: 'account_token', id: uuid, name }),
  async apply(deps, owner, declared, found) {
    const { secret, name, scopes, expiresAt } = declared;
    if (secret === undefined) return found === undefined ? null : { entry: found, fields: NO_FIELDS };
    const projectIds = await projectIdsOf(deps, owner, declared);
    const given = { name, scopes, projectIds, expiresAt, lookup: lookupPart(secret), digest: sha256(secret) };
    const token = await deps.store.transaction(async (tx) => {
      if (found !== undefined) {
        const after = { ...found, ...given };
        if (!isDeepStrictEqual(after, found)) await tx.accountTokens.update(after);
        return after;
      }
      if ((await tx.accountTokens.ofAccount(owner.id)).length >= MAX_ACCOUNT_TOKENS)
        throw new AppError('token_limit_reached');
      const fresh = { uuid: deps.random.uuid(), accountId: owner.id, createdAt: deps.clock.now() };
      return tx.accountTokens.insert({ ...fresh, ...given, lastUsedAt: null, lastUsedAddr: null });
    });
    const fields =
      found === undefined
        ? []
        : [
            ...changedFields(toldToken(found), toldToken(token)),
            ...(token.digest === found.digest ? [] : [{ name: 'secret' }]),
          ];
    const isChanged = found === undefined || fields.length > 0;
    if (isChanged) await recordToken(deps, found === undefined ? 'token.created' : 'token.changed', token);
    return { entry: token, fields };
  },
  async remove(deps, owner, id) {
    const token = (await TOKENS.stored(deps, owner)).find((one) => one.id === id);
    if (token === undefined) return;
    await deps.store.transaction((tx) => tx.accountTokens.remove(owner.id, token.uuid));
    await recordToken(deps, 'token.revoked', token);
  },
};

const toldToken = ({ name, scopes, projectIds, expiresAt }: AccountToken) => ({
  ...{ name, scopes, projects: projectIds, expires: toIsoSeconds(expiresAt) },
});

async function recordToken(deps: ProvisionDeps, action: string, token: AccountToken): Promise<void> {
  const { lookup, scopes, expiresAt } = token;
  const details = {
    token: maskedToken(lookup),
    scopes: scopes as readonly Scope[],
    expires: toIsoSeconds(expiresAt),
  };
  await deps.store.transaction((tx) =>
    recordAct(deps, tx, deps.by, { action, subject: TOKENS.subject(token), details }),
  );
}

/** The ids of the projects that the token is limited to. Null: all of the account. */
async function projectIdsOf(
  { store }: ProvisionDeps,
  { id }: Owner,
  { line, projects }: DeclaredToken,
): Promise<number[] | null> {
  if (projects === null) return null;
  const own = (await store.projects.withRoles(id)).map(({ project }) => project);
  return projects
    .map((wanted) => {
      const [found, ...others] = own.filter(({ uuid, name }) => uuid === wanted || name === wanted);
      if (found === undefined)
        throw new ProvisionError(line, `the account has no role in a project "${wanted}"`);
      if (others.length > 0)
        throw new ProvisionError(line, `there are several projects "${wanted}"; name its UUID`);
      return found.id;
    })
    .toSorted((one, two) => one - two);
}
