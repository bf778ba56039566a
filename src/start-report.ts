import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { Config } from './config/read-config.ts';
import type { CoreWorld, Upgrade } from './core.ts';
import { incompleteKinds } from './integrations/registry.ts';
import { fileSystemOf, measureSyncs } from './lib/file-system.ts';
import { type Instant, type Micros, seconds } from './lib/instant.ts';
import type { Node } from './node/node.ts';
import { lastResultsProgress } from './services/check/last-results.ts';
import { BLIND_AFTER } from './services/core/liveness.ts';
import { backupAge } from './services/instance/backups.ts';
import { countWatched } from './services/instance/watched.ts';
import { databasePlace } from './storage/open.ts';
import { exposedPaths, followLinks } from './storage/sqlite/files.ts';
import type { Installation, StartReport } from './wire/start-report.ts';

/** What the parts of a start have found, each at its time. */
export interface StartFindings {
  readonly installed: Installation;
  readonly listens: StartReport['listens'];
  readonly upgrade: Upgrade;
  /** The last beat of any node before this one watched. */
  readonly lastBeatAt: Instant | null;
  readonly sync: Micros | null;
  readonly hasPages: boolean;
  /** What the command has found before. */
  readonly warnings: readonly string[];
}

/** Syncs that are measured. The middle one counts. */
const SYNCS = 3;
/** The longest usual sync. On slower disks pings wait. */
const SLOW_SYNC = seconds(0.05);
const NAME_LENGTH = 4;

/** How long the disk of the database takes to keep something. Null for another machine's, or if nothing can be written. */
export async function syncOf({ database }: Config, world: CoreWorld): Promise<Micros | null> {
  if (database.engine !== 'sqlite') return null;
  const folder = dirname(followLinks(database.path));
  const measured = await measureSyncs(folder, SYNCS, world).catch(() => []);
  return measured[(SYNCS - 1) / 2] ?? null;
}

/** Asks for what is left to know. No statement takes longer the more checks there are. */
export async function reportStart(config: Config, node: Node, found: StartFindings): Promise<StartReport> {
  const { deps, parts } = node;
  const { database, site, http, backups, heartbeat } = config;
  const { store } = deps;
  const isFile = database.engine === 'sqlite';
  const fileSystem = isFile ? await fileSystemOf(database.path).catch(() => null) : null;
  const { kind = null, sort = null, freeBytes = null } = fileSystem ?? {};
  const unwatched = found.lastBeatAt === null ? null : Math.max(0, deps.clock.now() - found.lastBeatAt);
  const warnings = [
    ...found.warnings,
    ...settingWarnings(config, found),
    ...(sort === null || sort === 'disk' ? [] : [`the database is on ${kind}`]),
    ...(found.sync !== null && found.sync > SLOW_SYNC ? ['syncs are slow'] : []),
  ];
  return {
    program: {
      version: parts.process.version,
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      node: twoNumbers(process.versions.node),
      installed: found.installed,
    },
    node: { name: node.deadlineLoop.node.slice(0, NAME_LENGTH), machine: hostname() },
    site: { root: site.root, trustedProxies: http.trustedProxies },
    listens: found.listens,
    database: {
      engine: isFile ? 'SQLite' : 'PostgreSQL',
      version: twoNumbers(await store.instance.databaseVersion()),
      place: isFile ? resolve(database.path) : databasePlace(database),
      bytes: await store.instance.databaseBytes(),
      disk: isFile ? { fileSystem: kind, freeBytes, sync: found.sync } : null,
    },
    schema: await schemaOf(node, found.upgrade),
    watching: {
      checks: await countWatched(deps, 'checks'),
      projects: await countWatched(deps, 'projects'),
      unwatched,
      wasBlind: unwatched !== null && unwatched > BLIND_AFTER,
    },
    backups: backups && { folder: backups.folder, age: await backupAge(deps) },
    heartbeatEvery: heartbeat?.intervalSeconds ?? null,
    warnings,
  };
}

async function schemaOf({ deps }: Node, upgrade: Upgrade): Promise<StartReport['schema']> {
  const now = await deps.store.instance.schemaVersions();
  const added = new Set(upgrade.migrated.map(({ version }) => version));
  const before = now.filter((version) => !added.has(version));
  return {
    from: before.length === 0 ? null : Math.max(...before),
    to: Math.max(...now),
    took: seconds(upgrade.seconds),
    copy: upgrade.copy,
    waiting: upgrade.waiting.length,
    filled: await lastResultsProgress(deps),
  };
}

function settingWarnings(config: Config, { hasPages }: StartFindings): string[] {
  const { database, integrations, mail, api } = config;
  const isShellOpen = integrations.SHELL_ENABLED && integrations.SHELL_USER === null;
  const exposed = database.engine === 'sqlite' ? exposedPaths(database.path) : [];
  return [
    ...(api.metricsKey === null ? ['METRICS_KEY is not set'] : []),
    ...(isShellOpen ? ['SHELL_USER is not set'] : []),
    ...incompleteKinds({ server: integrations, hasMail: mail !== null }).map(
      ({ kind, missing }) => `${missing} is not set, for ${kind}`,
    ),
    ...(exposed.length === 0 ? [] : ['other users can read the database']),
    ...(hasPages ? [] : ['there are no pages']),
  ];
}

function twoNumbers(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}
