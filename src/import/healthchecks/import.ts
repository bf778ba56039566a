import { createHash } from 'node:crypto';
import type { Instant } from '../../lib/instant.ts';
import type { Import } from '../../services/importing/import.ts';
import { neededSettings } from '../needed-settings.ts';
import { joined, RemarkList } from '../remarks.ts';
import { type PersonFound, readAccounts } from './accounts.ts';
import { readChannels } from './channels.ts';
import { type ChecksFound, findChecks, readChecks } from './checks.ts';
import { readPings } from './history.ts';
import { type ProjectFound, readProjects } from './projects.ts';
import { type HealthchecksSource, isNewer, padded } from './source.ts';
import { COUNTED_TABLES, type CountedTable } from './tables.ts';

export interface HealthchecksOptions {
  readonly now: Instant;
  /** Whether administrators stay administrators. */
  readonly withAdmins: boolean;
  /** Whether people reach this installation by the host of the old one. Security keys work there alone. */
  readonly isSameHost: boolean;
  /** Whether the old SECRET_KEY is known. */
  readonly hasSecret: boolean;
  /** Names of the projects to import. Empty: all of them. */
  readonly only: readonly string[];
}

const LEFT_BEHIND: Readonly<Record<CountedTable, { readonly what: string; readonly reason: string }>> = {
  api_notification: {
    what: 'notifications',
    reason: 'messages that were sent are told by the old server alone',
  },
  django_session: { what: 'sessions', reason: 'people sign in again' },
  logs_record: { what: 'log records', reason: 'they are about the old server' },
  payments_subscription: { what: 'subscriptions', reason: 'there are no payments here' },
  auth_group: { what: 'groups of Django', reason: 'roles in projects take their place' },
  auth_user_user_permissions: { what: 'permissions of Django', reason: 'roles in projects take their place' },
};

/** Makes an import of the installation. The source has to stay open until its pings are read. */
export async function readHealthchecks(
  source: HealthchecksSource,
  options: HealthchecksOptions,
): Promise<Import> {
  const { now } = options;
  const remarks = new RemarkList();
  const refusals: string[] = [];
  const people = await readAccounts(source, options, remarks, refusals);
  const projects = await readProjects(source, people, options, remarks, refusals);
  const channels = await readChannels(source, projects, now, remarks);
  const checks = await findChecks(source, projects, now);
  const rest = new RemarkList();
  await remarkOnRest(source, people, rest);
  const identity = await identityOf(source);
  let ofChecks = new RemarkList();
  const found = [...projects.values()];
  const inProjects = peopleIn(found);
  const bySlug = peopleIn(found.filter(({ isBySlug }) => isBySlug));
  const counts = checkCounts(projects, checks);
  // With a choice of projects, only their people come.
  const accounts = [...people.values()].filter(
    ({ email }) => options.only.length === 0 || inProjects.has(email),
  );
  return {
    origin: {
      program: 'healthchecks',
      version: source.migration === null ? 'of an unknown version' : `migration ${padded(source.migration)}`,
      identity,
      newestPingAt: checks.newestPingAt,
    },
    declaration: {
      source: 'healthchecks',
      accounts: accounts.map(({ email, declared }) => declared(counts.get(email) ?? 0)),
      projects: found.map(({ uuid, name, owner, keys, members, channels: own }) => ({
        ...{ line: 0, uuid, name, owner: owner.email, keys, members, apiKeys: [] },
        channels: own,
        checks: [],
      })),
    },
    accounts: new Map(
      accounts.map(({ email, imported }) => [
        email,
        { ...imported, addressForm: bySlug.has(email) ? 'slug' : 'uuid' },
      ]),
    ),
    projects: new Map(found.map(({ uuid, imported }) => [uuid, imported])),
    channels: channels.imported,
    checks() {
      // The same again.
      ofChecks = new RemarkList();
      return readChecks(source, {
        projects,
        channels: channels.uuids,
        found: checks,
        now,
        remarks: ofChecks,
      });
    },
    pings(afterPlace) {
      source.pingsFollow();
      return readPings(source, checks.carried, afterPlace);
    },
    get remarks() {
      return joined(remarks, ofChecks, rest);
    },
    needs: neededSettings(found.flatMap((project) => project.channels)),
    settings: new Map(),
    refusals,
  };
}

/** The addresses of all people of the projects. */
function peopleIn(projects: readonly ProjectFound[]): ReadonlySet<string> {
  return new Set(
    projects.flatMap(({ owner, members }) => [owner.email, ...members.map(({ email }) => email)]),
  );
}

/** The number of checks of each owner, by address. */
function checkCounts(
  projects: ReadonlyMap<number, ProjectFound>,
  { ofProjects }: ChecksFound,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [id, { owner }] of projects)
    counts.set(owner.email, (counts.get(owner.email) ?? 0) + (ofProjects.get(id)?.carried ?? 0));
  return counts;
}

/** The oldest account has a random name that stays. A digest of it names the installation. */
async function identityOf(source: HealthchecksSource): Promise<string> {
  for await (const { username } of source.rows('auth_user', ['username']))
    return createHash('sha256').update(`healthchecks ${username}`).digest('hex');
  return '';
}

async function remarkOnRest(
  source: HealthchecksSource,
  people: ReadonlyMap<number, PersonFound>,
  remarks: RemarkList,
): Promise<void> {
  for (const table of COUNTED_TABLES) {
    const rows = await source.count(table);
    if (rows > 0) remarks.leaveOut({ ...LEFT_BEHIND[table], name: String(rows) });
  }
  if (people.size > 0)
    remarks.leaveOut({
      what: 'orders of lists and limits of SMS and calls',
      name: String(people.size),
      reason: 'lists are ordered on their page, and limits are settings of the server',
    });
  if (isNewer(source.migration))
    remarks.change({
      entry: 'healthchecks',
      field: 'version',
      was: padded(source.migration ?? 0),
      became: 'read like 0123',
      reason: 'it is newer than all known versions, and has all of their columns',
    });
}
