import { MAX_RESTORABLE_CHECKS } from '../../../domain/check/check-deletion.ts';
import type { Project } from '../../../domain/people/project.ts';
import { pingKeyDigest } from '../../project/projects.ts';
import type { DeclaredKey, DeclaredProject } from '../../provisioning/declaration.ts';
import { type PlannedChannel, planChannels } from './channels.ts';
import { type Fields, fieldsOf, type Merged, merge } from './fields.ts';
import { asNew, differs, keepFields, type PlannedEntry, type Planning, staysDeleted } from './planning.ts';

export interface PlannedProject extends PlannedEntry {
  /** Its name in the source. */
  readonly name: string;
  /** The part that is applied. */
  readonly declared: DeclaredProject;
  /** The project before the import. Null if there was none. */
  readonly here: Project | null;
  readonly channels: readonly PlannedChannel[];
  /** UUIDs of checks that can be restored. */
  readonly deletedChecks: ReadonlySet<string>;
}

export async function planProjects(planning: Planning): Promise<PlannedProject[]> {
  const planned: PlannedProject[] = [];
  for (const project of planning.source.declaration.projects)
    planned.push(...(await planProject(planning, project)));
  return planned;
}

async function planProject(planning: Planning, project: DeclaredProject): Promise<PlannedProject[]> {
  const { deps, tx, earlier } = planning;
  const { uuid = '', name } = project;
  const known = earlier.find('project', uuid);
  if (staysDeleted(planning, known, `project ${name}`)) return [];
  const found = await tx.projects.byUuid(uuid);
  const here = found?.deletesAt === null ? found : null;
  if (found !== null && known === undefined) await requireOwnProject(planning, project, found);
  const written = known?.fields ?? {};
  const there = fieldsOf(deps, projectValues(project));
  const merged =
    here === null ? asNew(there) : merge(written, await fieldsHere(planning, here, project, written), there);
  const { declared, channels } = await planChannels(planning, project, here?.id);
  const label = `project ${here?.name ?? name}`;
  keepFields(planning, label, merged.kept);
  const owner = known?.home ?? null;
  if (owner !== null && owner !== earlier.emailOf(project.owner))
    planning.kept.push({ entry: label, field: 'owner', reason: 'another one here' });
  return [
    {
      entry: uuid,
      name,
      isNew: here === null,
      fields: merged.fields,
      isNoted: differs(written, merged.fields),
      declared: { ...project, ...(await partOfProject(planning, project, here, merged)), channels: declared },
      here,
      channels,
      deletedChecks: new Set(here === null ? [] : await deletedChecks(planning, here.id)),
    },
  ];
}

/** A project that was not imported has the UUID. */
async function requireOwnProject(
  { tx, earlier, reasons }: Planning,
  { name, owner }: DeclaredProject,
  found: Project,
): Promise<void> {
  if (found.deletesAt !== null) reasons.push(`the project ${name} was deleted here and is not gone yet`);
  else if ((await tx.accounts.ownerOf(found.id))?.email !== earlier.emailOf(owner))
    reasons.push(`the UUID of the project ${name} belongs to a project of another account`);
}

async function partOfProject(
  { tx, source, earlier }: Planning,
  project: DeclaredProject,
  here: Project | null,
  { taken }: Merged,
): Promise<Pick<DeclaredProject, 'name' | 'owner' | 'members' | 'keys' | 'apiKeys'> & { badgeKey?: string }> {
  const members = project.members.map((member) => ({ ...member, email: earlier.emailOf(member.email) }));
  const badgeKey = source.projects.get(project.uuid ?? '')?.badgeKey ?? undefined;
  if (here === null)
    return {
      ...project,
      owner: earlier.emailOf(project.owner),
      members,
      ...(badgeKey !== undefined && { badgeKey }),
    };
  const owner = await tx.accounts.ownerOf(here.id);
  const { readWrite, readOnly, ping } = project.keys;
  return {
    name: taken.has('name') ? project.name : here.name,
    owner: owner?.email ?? project.owner,
    members: members.filter((_, index) => taken.has(`member ${project.members[index]?.email}`)),
    keys: {
      ...(readWrite !== undefined && taken.has('read_write key') && { readWrite }),
      ...(readOnly !== undefined && taken.has('read_only key') && { readOnly }),
      ...(ping !== undefined && taken.has('ping key') && { ping }),
    },
    apiKeys: project.apiKeys.filter((key) => taken.has(keyField(key))),
  };
}

/** Of API keys only digests are known, so they are as they were written. */
async function fieldsHere(
  { deps, tx, earlier }: Planning,
  here: Project,
  project: DeclaredProject,
  written: Fields,
): Promise<Fields> {
  const values: Record<string, unknown> = {
    name: here.name,
    'ping key': here.pingKeyDigest ?? undefined,
  };
  for (const { email } of project.members) {
    const account = await tx.accounts.byEmail(earlier.emailOf(email));
    const role = account && (await tx.projects.roleOf(here.id, account.id));
    values[`member ${email}`] = role ?? undefined;
  }
  const keys = Object.entries(written).filter(([name]) => name.includes('key') && name !== 'ping key');
  return { ...Object.fromEntries(keys), ...fieldsOf(deps, values) };
}

async function deletedChecks({ tx, now }: Planning, projectId: number): Promise<string[]> {
  const deleted = await tx.deletedChecks.ofProject(projectId, now, MAX_RESTORABLE_CHECKS);
  return deleted.map(({ uuid }) => uuid);
}

function projectValues({ name, keys, apiKeys, members }: DeclaredProject): Readonly<Record<string, unknown>> {
  return {
    name,
    'ping key': keys.ping === undefined ? undefined : pingKeyDigest(keys.ping),
    'read_write key': keys.readWrite,
    'read_only key': keys.readOnly,
    ...Object.fromEntries(apiKeys.map((key) => [keyField(key), key.secret])),
    ...Object.fromEntries(members.map(({ email, role = 'member' }) => [`member ${email}`, role])),
  };
}

const keyField = ({ kind, name }: DeclaredKey): string => `${kind} key ${name}`;
