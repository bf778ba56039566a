import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import type { InstanceOffer } from '../../integrations/registry.ts';
import { groupsOf } from '../../lib/groups.ts';
import type { Instant } from '../../lib/instant.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import { oneLine } from '../../lib/text/one-line.ts';
import type { ChecksOfProject, Import, ImportedPing } from '../../services/importing/import.ts';
import type { KnownCheck } from '../../services/importing/known-checks.ts';
import { neededSettings } from '../needed-settings.ts';
import { joined, RemarkList } from '../remarks.ts';
import { openSqliteFile, readingFile } from '../sqlite-file.ts';
import { checksOf, type KumaCheck } from './checks.ts';
import { KumaDatabase } from './database.ts';
import { pingOf } from './history.ts';
import { installationOf, uuidOf } from './identity.ts';
import { channelsOf } from './notifications.ts';

const CHECKS_AT_ONCE = 500;

export interface KumaOptions {
  /** The path of `kuma.db`. */
  readonly path: string;
  /** The e-mail address of the account that owns the project. */
  readonly owner: string;
  /** The name of the project. */
  readonly project: string;
  readonly instance: InstanceOffer;
  readonly now: Instant;
  /** The checks of a project here, by UUID. */
  knownChecks(identity: string, projectUuid: string): Promise<ReadonlyMap<string, KnownCheck>>;
}

/** Reads an installation of Uptime Kuma. Its database stays open until it is disposed. */
export async function readKuma(options: KumaOptions): Promise<Import & Disposable> {
  using opened = new DisposableStack();
  const { path } = options;
  const file = opened.use(openSqliteFile(path));
  // One transaction, so that all rows are of one moment.
  const database = readingFile(path, () => {
    file.database.exec('begin');
    return new KumaDatabase(file.database, path, options.now);
  });
  const id = (entry: string) => uuidOf(database.jwtSecret, entry);
  const known = await options.knownChecks(installationOf(database.jwtSecret), id('project'));
  const made = readingFile(path, () => importOf(database, { ...options, known, uuidOf: id }));
  const parts = opened.move();
  return { ...made, [Symbol.dispose]: () => parts.dispose() };
}

interface Context extends KumaOptions {
  readonly known: ReadonlyMap<string, KnownCheck>;
  uuidOf(entry: string): string;
}

function importOf(database: KumaDatabase, context: Context): Import {
  const [ofChecks, ofChannels] = [new RemarkList(), new RemarkList()];
  const project = firstCharacters(oneLine(context.project), TEXT_LIMITS.projectName);
  const channels = channelsOf(database.notifications(), { ...context, project }, ofChannels);
  const checks = checksOf(database, { ...context, project, channels: channels.ofNotification }, ofChecks);
  reportRest(database, ofChecks);
  const uuid = context.uuidOf('project');
  const times = checks.flatMap(({ newestPingAt }) => newestPingAt ?? []);
  return {
    origin: {
      program: 'kuma',
      version: database.version,
      identity: installationOf(database.jwtSecret),
      newestPingAt: times.length === 0 ? null : times.reduce((one, two) => Math.max(one, two)),
    },
    declaration: {
      source: 'kuma',
      accounts: [{ line: 0, email: context.owner }],
      projects: [
        {
          line: 0,
          uuid,
          name: project,
          owner: context.owner,
          members: [],
          keys: {},
          apiKeys: [],
          channels: channels.declared,
          checks: [],
        },
      ],
    },
    accounts: new Map(),
    projects: new Map(),
    channels: channels.imported,
    checks: () => inGroups(uuid, checks),
    pings: (afterPlace) => pingsOf(database, checks, afterPlace, context.path),
    remarks: joined(ofChecks, ofChannels),
    needs: neededSettings(channels.declared),
    settings: channels.settings,
    refusals: [],
  };
}

/** All checks are known from the start: an installation of Uptime Kuma has few, and their slugs depend on each other. */
async function* inGroups(projectUuid: string, checks: readonly KumaCheck[]): AsyncGenerator<ChecksOfProject> {
  for (const some of groupsOf(checks, CHECKS_AT_ONCE))
    yield { projectUuid, checks: some.map(({ imported }) => imported) };
}

/** The heartbeats of all monitors, in the order in which Kuma has written them. */
async function* pingsOf(
  database: KumaDatabase,
  checks: readonly KumaCheck[],
  afterPlace: number,
  path: string,
): AsyncGenerator<ImportedPing> {
  const places = checks
    .flatMap(({ imported, pings }) => pings.map(({ id, n }) => ({ id, n, uuid: imported.declared.uuid })))
    .filter(({ id }) => id > afterPlace)
    .sort((one, two) => one.id - two.id);
  for (const { id, n, uuid } of places) {
    const beat = readingFile(path, () => database.beat(id));
    if (beat !== null) yield pingOf(beat, n, uuid);
  }
}

/** Tables of which nothing is carried. */
const LEFT_OUT: readonly {
  readonly what: string;
  readonly table: string;
  readonly column?: string;
  readonly reason: string;
  readonly hint?: string;
}[] = [
  {
    what: 'maintenances',
    table: 'maintenance',
    reason: 'there are none here',
    hint: 'pause checks meanwhile',
  },
  {
    what: 'status pages',
    table: 'status_page',
    reason: 'they show monitors',
    hint: 'make one of checks here',
  },
  {
    what: 'API keys',
    table: 'api_key',
    reason: 'they open the metrics of Uptime Kuma',
    hint: 'make a read-only key',
  },
  { what: 'proxies', table: 'proxy', reason: 'monitors of other types use them' },
  {
    what: 'users',
    table: 'user',
    reason: 'passwords of Uptime Kuma cannot be read here',
    hint: 'invite them to the project',
  },
  { what: 'second factors', table: 'user', column: 'twofa_status', reason: 'users are not carried' },
];

function reportRest(database: KumaDatabase, remarks: RemarkList): void {
  for (const { what, table, column, reason, hint = null } of LEFT_OUT) {
    if (column !== undefined && !database.hasColumn(table, column)) continue;
    const count = database.count(table, column === undefined ? undefined : `${column} = 1`);
    if (count > 0) remarks.leaveOut({ what, name: String(count), project: null, reason, hint });
  }
  const statistics = ['stat_minutely', 'stat_hourly', 'stat_daily'].map((table) => database.count(table));
  const count = statistics.reduce((one, two) => one + two, 0);
  if (count > 0)
    remarks.leaveOut({
      what: 'statistics',
      name: String(count),
      project: null,
      reason: 'they follow from pings here',
    });
}
