import type { Account } from '../../domain/people/account.ts';
import type { MemberRole, Role } from '../../domain/people/permission.ts';
import { MAX_PROJECT_MEMBERS, type Project } from '../../domain/people/project.ts';
import type { Writes } from '../../storage/store.ts';
import { recordAct, recordInProject } from '../core/audit.ts';
import type { Deps } from '../core/deps.ts';
import { saveDeclarationMode } from '../ping/declarations.ts';
import { memberSubject } from '../project/members.ts';
import { createProject, projectSubject, undoDeletion } from '../project/projects.ts';
import { enterTeam, hasRoom } from '../project/team.ts';
import { actorIn, type ProvisionDeps } from './acts.ts';
import { applyAliases, applyDialects } from './aliases.ts';
import { CHANNELS, groupsLast } from './channels.ts';
import { type ChecksPlan, planChecks } from './checks.ts';
import {
  type Change,
  created,
  type Declaration,
  type DeclaredMember,
  type DeclaredProject,
  type FieldChange,
  ProvisionError,
  skippedMember,
  updated,
} from './declaration.ts';
import { applyEntriesOf, type Owner, within } from './entries.ts';
import { applyKeys, applyNamedKeys } from './keys.ts';
import { STATUS_PAGES, VIEWS, WALLS } from './kinds.ts';
import { applyLinks } from './links.ts';
import { applyAlerting, CALENDARS, POLICIES } from './policies.ts';
import { isToCome, QUIET_TIMES } from './quiet-times.ts';
import { claim, DeclaredEntries, requireSource, type Source } from './source.ts';

/** Applies everything of the project except its checks. Checks are only compared. */
export async function applyProject(
  deps: ProvisionDeps,
  tx: Writes,
  source: Source,
  declared: DeclaredProject,
): Promise<{ changes: Change[]; plan: ChecksPlan }> {
  const owner = await tx.accounts.byEmail(declared.owner);
  if (owner === null) throw new ProvisionError(declared.line, `there is no account ${declared.owner}`);
  const { existing, project, changed } = await findOrCreate(deps, tx, source, owner, declared);
  const members = await applyMembers(deps, tx, project, declared);
  const fields = [
    ...changed,
    ...(await applyDeclarationMode(deps, tx, project, declared)),
    ...members.changed,
    ...(await applyKeys(deps, tx, project, declared)),
    ...(await applyDialects(deps, tx, project, declared.dialects)),
  ];
  const changes = [
    ...(existing ? updated('project', project.name, fields, declared) : [created('project', project.name)]),
    ...members.missing.map((email) => skippedMember(project.name, email)),
    ...(await applyNamedKeys(deps, tx, project, declared.apiKeys)),
    ...(await applyEntriesOf(CALENDARS, deps, tx, source, asOwner(project), declared.calendars ?? [])),
    ...(await applyEntriesOf(CHANNELS, deps, tx, source, asOwner(project), groupsLast(declared.channels))),
    ...(await applyEntriesOf(POLICIES, deps, tx, source, asOwner(project), declared.policies ?? [])),
    ...updated(
      'project',
      project.name,
      await applyAlerting(within(deps, tx), asOwner(project), declared.alerting),
      declared,
    ),
  ];
  return { changes, plan: await planChecks(deps, tx, source, project, declared.checks) };
}

/** Applies what depends on the project's checks. */
export async function applyAfterChecks(
  deps: ProvisionDeps,
  tx: Writes,
  source: Source,
  project: Project,
  declared: DeclaredProject,
): Promise<Change[]> {
  const owner = asOwner(project);
  const { statusPages = [], walls = [], views = [], quietTimes = [] } = declared;
  const toCome = quietTimes.filter((one) => isToCome(one, deps.clock.now()));
  return [
    ...(await applyLinks(deps, tx, project, declared)),
    ...(await applyAliases(deps, tx, source, owner, declared)),
    ...(await applyEntriesOf(STATUS_PAGES, deps, tx, source, owner, statusPages)),
    ...(await applyEntriesOf(WALLS, deps, tx, source, owner, walls)),
    ...(await applyEntriesOf(VIEWS, deps, tx, source, owner, views)),
    ...(await applyEntriesOf(QUIET_TIMES, deps, tx, source, owner, toCome)),
  ];
}

const asOwner = ({ id, name }: Project): Owner => ({ id, name, projectId: id });

async function applyDeclarationMode(
  deps: ProvisionDeps,
  tx: Writes,
  project: Project,
  { jobDeclarations: became }: DeclaredProject,
): Promise<FieldChange[]> {
  if (became === undefined) return [];
  const was = await saveDeclarationMode(deps, tx, deps.by, project, became);
  return was === became ? [] : [{ name: 'job_declarations', was, became }];
}

/** The projects of a declaration that has been applied. */
export function declaredProjects(
  { store }: Pick<Deps, 'store'>,
  { projects }: Declaration,
): Promise<Project[]> {
  return store.transaction(async (tx) => {
    const found: Project[] = [];
    for (const { owner, name, uuid } of projects) {
      const account = await tx.accounts.byEmail(owner);
      const entries = account === null ? null : await DeclaredEntries.read(tx, 'project', account.id);
      const project = await tx.projects.byId(entries?.named(uuid ?? name)?.id ?? 0);
      if (project !== null) found.push(project);
    }
    return found;
  });
}

interface FoundProject {
  readonly existing: boolean;
  readonly project: Project;
  /** The changed fields of an existing project. */
  readonly changed: readonly FieldChange[];
}

/** The project with the declared UUID. Without one: the project that a file has declared before, else the oldest of that name. Else a new one. */
async function findOrCreate(
  deps: ProvisionDeps,
  tx: Writes,
  source: Source,
  owner: Account,
  declared: DeclaredProject,
): Promise<FoundProject> {
  const { line, name, uuid } = declared;
  const entries = await DeclaredEntries.read(tx, 'project', owner.id);
  const known = uuid === undefined ? entries.named(name)?.id : await idByUuid(tx, owner, declared);
  const before = entries.of(known ?? 0);
  requireSource(source, line, `the project ${name}`, before);
  const found = known === undefined ? null : await findDeclared(deps, tx, known, name);
  const claimed = { kind: 'project', ownerId: owner.id, name: uuid ?? name, line } as const;
  if (found !== null && !source.claims) return found;
  if (found !== null && before !== undefined) {
    const { project } = found;
    const place = { ...claimed, id: project.id, isNew: false, before, subject: projectSubject(project) };
    return { ...found, changed: [...found.changed, ...(await claim(deps, tx, source, project.id, place))] };
  }
  const existing = found?.project ?? (uuid === undefined ? await lockOldest(tx, owner, name) : null);
  // Its address may change until the account is locked. From the declaration on it cannot.
  if ((await tx.accounts.lock(owner.id))?.email !== owner.email)
    throw new ProvisionError(line, `there is no account ${owner.email}`);
  const project = existing ?? (await addProject(deps, tx, owner, declared));
  const isNew = existing === null;
  const subject = projectSubject(project);
  const place = { ...claimed, id: project.id, isNew, before: entries.of(project.id), subject };
  const changed = [...(found?.changed ?? []), ...(await claim(deps, tx, source, project.id, place))];
  if (await tx.transfers.remove(project.id)) {
    const act = { action: 'project.offer_withdrawn', subject };
    await recordInProject(deps, tx, actorIn(deps, project), act);
  }
  return { existing: !isNew, project, changed };
}

/** The id of the owner's project with the declared UUID. Undefined if nobody has one. */
async function idByUuid(
  tx: Writes,
  owner: Account,
  { line, uuid = '' }: DeclaredProject,
): Promise<number | undefined> {
  const project = await tx.projects.byUuid(uuid);
  if (project !== null && project.ownerId !== owner.id)
    throw new ProvisionError(line, `the UUID ${uuid} belongs to a project of another account`);
  return project?.id;
}

/** Somebody may accept the project until it is locked. Then it belongs to somebody else. */
async function lockOldest(tx: Writes, owner: Account, name: string): Promise<Project | null> {
  const isMeant = ({ ownerId, deletesAt }: Project) => ownerId === owner.id && deletesAt === null;
  for (const { id } of (await tx.projects.byOwnerAndName(owner.id, name)).filter(isMeant)) {
    const project = await tx.projects.lock(id);
    if (project !== null && isMeant(project)) return project;
  }
  return null;
}

/**
 * The file is right: if somebody has renamed or deleted the project, it gets its name back and is restored. Null if it
 * cannot be restored any more. Then its keys are free for a new one.
 */
async function findDeclared(
  deps: ProvisionDeps,
  tx: Writes,
  id: number,
  name: string,
): Promise<FoundProject | null> {
  const seen = await tx.projects.byId(id);
  // The lock would keep others from deleting checks meanwhile.
  const isRight = seen?.deletesAt === null && seen.name === name;
  const project = isRight ? seen : await tx.projects.lock(id);
  if (project === null) return null;
  const changed: FieldChange[] = [];
  if (project.deletesAt !== null) {
    if (project.deletesAt <= deps.clock.now()) {
      await tx.projects.dropNames(id);
      return null;
    }
    await undoDeletion(deps, tx, project);
    const act = { action: 'project.restored', subject: projectSubject(project), projectId: id };
    await recordAct(deps, tx, deps.by, act);
    changed.push({ name: 'restored' });
  }
  if (project.name !== name) {
    await tx.projects.rename(id, name);
    await recordInProject(deps, tx, actorIn(deps, project), {
      action: 'project.renamed',
      subject: projectSubject(project),
      details: { before: { name: project.name }, after: { name } },
    });
    changed.push({ name: 'name', was: project.name, became: name });
  }
  return { existing: true, project: { ...project, name, deletesAt: null }, changed };
}

async function addProject(
  deps: ProvisionDeps,
  tx: Writes,
  owner: Account,
  { name, uuid, line, badgeKey }: DeclaredProject,
): Promise<Project> {
  if (uuid !== undefined && (await tx.projects.byUuid(uuid)) !== null)
    throw new ProvisionError(
      line,
      `the project ${uuid} was deleted and is not gone yet; apply the file later`,
    );
  const project = await createProject(deps, tx, owner, name, { uuid, badgeKey });
  const subject = projectSubject(project);
  const details = { after: { name, owner: owner.email } };
  await recordInProject(deps, tx, actorIn(deps, project), { action: 'project.created', subject, details });
  return project;
}

async function applyMembers(
  deps: ProvisionDeps,
  tx: Writes,
  project: Project,
  { members }: DeclaredProject,
): Promise<{ readonly changed: readonly FieldChange[]; readonly missing: readonly string[] }> {
  const missing: string[] = [];
  const roles = new Map<string, { readonly was: Role | null; readonly became: MemberRole }>();
  // Others who change the team at the same time wait.
  if (members.length > 0) await tx.projects.lock(project.id);
  for (const member of members) {
    const account = await tx.accounts.byEmail(member.email);
    if (account === null) missing.push(member.email);
    else {
      const change = await applyMember(deps, tx, project, account, member);
      if (change !== null) roles.set(account.email, change);
    }
  }
  if (roles.size === 0) return { changed: [], missing };
  const told = (side: 'was' | 'became') =>
    Object.fromEntries([...roles].map(([email, change]) => [email, change[side]]));
  return { changed: [{ name: 'members', was: told('was'), became: told('became') }], missing };
}

/** Returns the member's role before and after. Null if it stays. */
async function applyMember(
  deps: ProvisionDeps,
  tx: Writes,
  project: Project,
  account: Account,
  { line, role }: DeclaredMember,
): Promise<{ readonly was: Role | null; readonly became: MemberRole } | null> {
  const before = await tx.projects.roleOf(project.id, account.id);
  if (before === null) {
    const became = role ?? 'member';
    await addMember(deps, tx, project, account, { line, role: became });
    return { was: null, became };
  }
  if (role === undefined || before === 'owner' || before === role) return null;
  await tx.projects.setRole(project.id, account.id, role);
  await recordInProject(deps, tx, actorIn(deps, project), {
    action: 'member.role_changed',
    subject: memberSubject(account),
    details: { before: { role: before }, after: { role } },
  });
  return { was: before, became: role };
}

async function addMember(
  deps: ProvisionDeps,
  tx: Writes,
  project: Project,
  account: Account,
  { line, role }: { readonly line: number; readonly role: MemberRole },
): Promise<void> {
  if (!(await hasRoom(tx, project)))
    throw new ProvisionError(line, `the project has ${MAX_PROJECT_MEMBERS} members already`);
  await enterTeam(deps, tx, project, account, role);
  await recordInProject(deps, tx, actorIn(deps, project), {
    action: 'member.added',
    subject: memberSubject(account),
    details: { after: { role } },
  });
}
