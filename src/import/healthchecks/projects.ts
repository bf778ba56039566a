import { type ApiKeyKind, apiKeyFault, pingKeyFault } from '../../domain/people/api-key.ts';
import type { MemberRole } from '../../domain/people/permission.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import type { ImportedProject } from '../../services/importing/import.ts';
import type {
  DeclaredChannel,
  DeclaredMember,
  DeclaredProject,
} from '../../services/provisioning/declaration.ts';
import type { RemarkList } from '../remarks.ts';
import type { PersonFound } from './accounts.ts';
import { storableText } from './foreign-text.ts';
import { everyColumn, type HealthchecksSource } from './source.ts';
import type { Row } from './tables.ts';

const ROLES: ReadonlyMap<string, MemberRole> = new Map([
  ['r', 'read_only'],
  ['w', 'member'],
  ['m', 'manager'],
]);
/** A key of which only a digest is known: the characters by which it is found, and the digest. */
const DIGESTED_KEY = /^([A-Za-z0-9]{8})\.([0-9a-f]{64})$/;
/** The segment of addresses of badges. */
const BADGE_KEY = /^[-A-Za-z0-9_]{1,150}$/;
const LAST_CHARACTERS = 4;

export interface ProjectOptions {
  /** Whether the secret of the old server is known. Digests of keys were made with it. */
  readonly hasSecret: boolean;
  /** Names of the projects to read. Empty: all of them. */
  readonly only: readonly string[];
}

/** A project of the source, as far as it is read. */
export interface ProjectFound {
  readonly uuid: string;
  readonly name: string;
  readonly owner: PersonFound;
  readonly isBySlug: boolean;
  readonly keys: DeclaredProject['keys'];
  readonly imported: ImportedProject;
  readonly members: DeclaredMember[];
  readonly channels: DeclaredChannel[];
}

/** Reads all projects with their members, by their ids in the source. */
export async function readProjects(
  source: HealthchecksSource,
  people: ReadonlyMap<number, PersonFound>,
  options: ProjectOptions,
  remarks: RemarkList,
  refusals: string[],
): Promise<ReadonlyMap<number, ProjectFound>> {
  const projects = new Map<number, ProjectFound>();
  const uuids = new Set<string>();
  const asked = new Set(options.only);
  for await (const row of source.rows('accounts_project', everyColumn('accounts_project'))) {
    const owner = people.get(row.owner_id ?? 0);
    const { id, code } = row;
    if (id === null || code === null || owner === undefined || uuids.has(code)) {
      const reason =
        owner === undefined ? 'the account of its owner is not carried' : 'its UUID cannot be read';
      remarks.leaveOut({ what: 'project', name: row.name, reason });
      continue;
    }
    uuids.add(code);
    const name = nameOf(row, code, owner, remarks);
    if (options.only.length > 0 && !options.only.includes(name) && !options.only.includes(row.name)) continue;
    asked.delete(name);
    asked.delete(row.name);
    projects.set(id, projectOf(row, { uuid: code, name, owner }, options, remarks));
  }
  for (const name of asked) refusals.push(`there is no project ${name}`);
  await readMembers(source, projects, people, remarks);
  return projects;
}

function nameOf(
  { name }: Row<'accounts_project'>,
  uuid: string,
  { email }: PersonFound,
  remarks: RemarkList,
): string {
  const about = { entry: `project ${name || uuid}`, remarks };
  const storable = storableText('name', name.trim(), TEXT_LIMITS.projectName, about);
  return storable === '' ? storableText('name', email, TEXT_LIMITS.projectName, about) : storable;
}

function projectOf(
  row: Row<'accounts_project'>,
  identity: Pick<ProjectFound, 'uuid' | 'name' | 'owner'>,
  options: ProjectOptions,
  remarks: RemarkList,
): ProjectFound {
  const { name } = identity;
  const readWrite = readKey(row.api_key, 'read_write', name, options, remarks);
  const readOnly = readKey(row.api_key_readonly, 'read_only', name, options, remarks);
  const ping = readPingKey(row.ping_key, name, remarks);
  if (!BADGE_KEY.test(row.badge_key))
    remarks.leaveOut({ what: 'badge key', name, project: name, reason: 'it cannot stand in an address' });
  return {
    ...identity,
    isBySlug: row.show_slugs,
    keys: {
      ...(readWrite.plain !== null && { readWrite: readWrite.plain }),
      ...(readOnly.plain !== null && { readOnly: readOnly.plain }),
      ...(ping !== null && { ping }),
    },
    imported: {
      badgeKey: BADGE_KEY.test(row.badge_key) ? row.badge_key : null,
      digestedKeys: [...readWrite.digested, ...readOnly.digested],
    },
    members: [],
    channels: [],
  };
}

interface KeyFound {
  readonly plain: string | null;
  readonly digested: ImportedProject['digestedKeys'];
}

function readKey(
  key: string,
  kind: ApiKeyKind,
  project: string,
  { hasSecret }: ProjectOptions,
  remarks: RemarkList,
): KeyFound {
  if (key === '') return { plain: null, digested: [] };
  const [, lookup, digest] = DIGESTED_KEY.exec(key) ?? [];
  if (lookup !== undefined && digest !== undefined && hasSecret)
    return { plain: null, digested: [{ kind, lookup, digest }] };
  const fault = lookup === undefined ? apiKeyFault(key, kind) : 'is known by its digest alone';
  if (fault === null) return { plain: key, digested: [] };
  remarks.leaveOut({
    what: 'API key',
    name: `${kind}: ${lookup ?? `…${key.slice(-LAST_CHARACTERS)}`}`,
    project,
    reason: `it ${fault}`,
    hint:
      lookup === undefined ? 'make a new one' : 'give the SECRET_KEY of the old server by --secret-key-file',
  });
  return { plain: null, digested: [] };
}

function readPingKey(key: string, project: string, remarks: RemarkList): string | null {
  if (key === '') return null;
  const fault = pingKeyFault(key);
  if (fault === null) return key;
  const name = `…${key.slice(-LAST_CHARACTERS)}`;
  remarks.leaveOut({ what: 'ping key', name, project, reason: `it ${fault}`, hint: 'make a new one' });
  return null;
}

async function readMembers(
  source: HealthchecksSource,
  projects: ReadonlyMap<number, ProjectFound>,
  people: ReadonlyMap<number, PersonFound>,
  remarks: RemarkList,
): Promise<void> {
  const seen = new Set<string>();
  for await (const row of source.rows('accounts_member', everyColumn('accounts_member'))) {
    const project = projects.get(row.project_id ?? 0);
    const person = people.get(row.user_id ?? 0);
    if (project === undefined) continue;
    const { name, owner, members } = project;
    const role = ROLES.get(row.role);
    if (person === undefined || role === undefined) {
      const reason = person === undefined ? 'the account is not carried' : 'there is no such role here';
      remarks.leaveOut({ what: 'member', name: person?.email ?? String(row.user_id), project: name, reason });
      continue;
    }
    if (row.transfer_request_date !== null)
      remarks.leaveOut({
        what: 'transfer',
        name: person.email,
        project: name,
        reason: 'the person has not taken the project over yet',
        hint: 'offer it again',
      });
    const isThere = person === owner || seen.has(`${row.project_id} ${row.user_id}`);
    if (!isThere) members.push({ line: 0, email: person.email, role });
    seen.add(`${row.project_id} ${row.user_id}`);
  }
}
