import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { ChangeCollector, type Changes } from './domain/change.ts';
import { ChangeMarks } from './domain/change-marks.ts';
import { AppError } from './domain/errors.ts';
import type { PingTarget } from './domain/incoming-ping.ts';
import { type PageFiles, readPages } from './http/pages/page-files.ts';
import { createHttpServer } from './http/server.ts';
import type { Clock } from './lib/clock.ts';
import type { EffectiveSetting } from './lib/env-setting.ts';
import { EventLoopLag } from './lib/event-loop-lag.ts';
import { HttpClient } from './lib/http-client.ts';
import type { Instant } from './lib/instant.ts';
import { MailThread } from './lib/mail-thread.ts';
import { connectionsWithin, openFileLimit } from './lib/open-files.ts';
import { OPENID_TIMEOUT_MS } from './lib/openid.ts';
import type { Random } from './lib/random.ts';
import { systemTimers } from './lib/timers.ts';
import { createVault, type Vault } from './lib/vault.ts';
import {
  buildNode,
  MESSAGE_LIMITS,
  type Node,
  type NodeDatabase,
  type NodeObjects,
  type NodeParts,
  type NodeSettings,
} from './node/node.ts';
import { startHeartbeat, startLoops, startWatching } from './node/start-loops.ts';
import { S3ObjectStore } from './objects/s3.ts';
import { readProvisionFile } from './provision/file.ts';
import { ProvisionFileError } from './provision/located.ts';
import { parseProvisionFile } from './provision/parse.ts';
import { startReaderThreads } from './reader-thread.ts';
import { LocalReads } from './reading/local-reads.ts';
import { offerSetup } from './services/accounts/setup.ts';
import { ChangeFeed } from './services/changes.ts';
import { sealStoredSettings } from './services/channel-settings.ts';
import type { Deps } from './services/deps.ts';
import { type FirstKeys, makeFirstProject } from './services/first-start.ts';
import { findMailRecipients } from './services/mail-recipients.ts';
import { type Change, type Declaration, ProvisionError } from './services/provisioning/declaration.ts';
import { provision } from './services/provisioning/provision.ts';
import { type SmtpServer, startSmtpServer } from './smtp/server.ts';
import type { Driver } from './storage/driver.ts';
import { type Migration, migrate, pauseMigration } from './storage/migrate.ts';
import { type Database, openDriver } from './storage/open.ts';
import { ChangeNotices, sendNotices } from './storage/postgres/change-notices.ts';
import { keptSecrets, type SecretKeys } from './storage/secret-key.ts';
import { createSqlStore } from './storage/sql/store.ts';
import { exposedPaths } from './storage/sqlite/files.ts';
import { lockDatabase } from './storage/sqlite/lock.ts';
import type { Store } from './storage/store.ts';
import { startWriterThread, type WriterThread } from './writer-thread.ts';

/** What the program gets from outside: time, chance, and a log. */
export interface World {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /**
   * Reads the clock of the database, which all nodes then follow. Returns null when the database has no clock of its
   * own. Absent means the same.
   */
  readonly databaseTime?: (store: Store) => Promise<Instant | null>;
  /** The version of the program, for operators. */
  readonly version?: string;
  /** Where the built pages of the dashboard are. Absent means that there are none. */
  readonly pagesFolder?: string;
  /** What the operator has set, for administrators to see. */
  readonly settings?: readonly EffectiveSetting[];
  /**
   * Called when the database is up to date, before anything is accepted or sent. Work that begins after this call is
   * finished before the program stops.
   */
  readonly onDatabaseReady?: () => void;
}

/** A migrated database and its services, without servers and loops. */
export interface Core extends AsyncDisposable {
  readonly deps: Deps;
  readonly migrated: readonly Migration[];
}

export interface App extends AsyncDisposable {
  /** Closes the requests that are still open, so that a stop can end. */
  abandonRequests(): void;
  /** The port of the HTTP server. */
  readonly port: number;
  /** Port and domain of the server for pings by mail; null when there is none. */
  readonly mail: { readonly port: number; readonly domain: string } | null;
  readonly migrated: readonly Migration[];
  readonly provisioned: readonly Change[];
  /** Changes made by this node or by others. */
  readonly changes: Pick<ChangeFeed, 'subscribe'>;
  /** The keys of the first project; null except on the very first start. */
  readonly firstKeys: FirstKeys | null;
  /** The secret part of the link for the first administrator; null when there is one. */
  readonly setupToken: string | null;
  readonly counts: { readonly projects: number; readonly checks: number };
}

/** Opens the store and migrates it. */
export async function openCore(config: Config, world: World): Promise<Core> {
  await using opened = new AsyncDisposableStack();
  const driver = opened.use(await openWithRetries(config.database, world));
  const announce = publishAtEnd(driver, world, opened);
  const { store, vault, migrated } = await prepareDatabase(config, world, driver, { announce });
  const { clock, random } = world;
  const { site, limits: defaultLimits } = config;
  const reads = new LocalReads({ store, vault, site, defaultLimits, isOnlyNode: false }, clock);
  const deps = { store, reads, vault, clock, random, objects: null, defaultLimits };
  const parts = opened.move();
  return { deps, migrated, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** Starts everything, from the database to the servers. Disposing stops it in reverse order. */
export async function startApp(config: Config, world: World): Promise<App> {
  await using started = new AsyncDisposableStack();
  const changes = new ChangeFeed((err) => world.log.error({ event: 'changes.subscriber_failed', err }));
  const announce = (changed: Changes) => changes.announce(changed);
  const marks = new ChangeMarks();
  const { driver, thread } = await openForServing(config, world, { announce, marks }, started);
  const { store, vault, secretKeys, migrated } = await prepareDatabase(config, world, driver, {
    announce,
    marks,
  });
  // No command does this: it may have been started without the key that the service has.
  const sealed = await sealStoredSettings({ store, vault });
  if (sealed > 0) world.log.info({ event: 'channels.sealed', count: sealed });
  const outbound = startOutbound(config, started);
  const node = started.use(
    await buildNode({
      database: databaseOf(config, world, { store, secretKeys }, thread),
      changes,
      clock: world.clock,
      timers: systemTimers,
      random: world.random,
      vault,
      objects: objectsOf(config, world.clock),
      transports: outbound,
      provider: providerOf(config, started),
      process: processOf(world, started),
      log: world.log,
      settings: settingsOf(config, world),
    }),
  );
  const { deps } = node;
  const provisioned =
    config.provisionFile === null ? [] : (await applyProvisionFile(deps, config.provisionFile)).changes;
  world.onDatabaseReady?.();
  await startLoops(node);
  const firstLook = Promise.withResolvers<void>();
  const pages = await pagesOf(config, world);
  const server = createHttpServer(deps, node.pings, { ...node.http, pages, firstLook: firstLook.promise });
  const smtp = await startReceivingMail(config, node);
  started.defer(async () => {
    // Both at once: neither server waits for the clients of the other.
    await Promise.all([server.close(), smtp?.[Symbol.asyncDispose]()]);
  });
  // Counted before anybody pings, since there may be very many.
  const stored = { projects: await store.projects.count(), checks: await store.checks.count() };
  await server.listen({ host: config.listen.host, port: config.listen.port });
  started.use(startWatching(node));
  // Whoever asks first must not find checks down whose deadlines passed while nobody watched. If it fails, the loop tells.
  await node.deadlineLoop.ensureBeat().catch(() => undefined);
  firstLook.resolve();
  if (config.heartbeat !== null) startTellingMonitor(config.heartbeat, config, node, started);
  // This comes last because the keys are shown only once. If the start fails earlier, the next start creates the
  // project.
  const firstKeys = stored.projects === 0 ? await makeFirstProject(deps) : null;
  // The link leads to a page of the dashboard.
  const setupToken = pages === null ? null : await offerSetup(deps);
  const counts = firstKeys === null ? stored : { ...stored, projects: stored.projects + 1 };
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.listen.port;
  world.log.info({ event: 'server.listening', host: config.listen.host, port });
  const parts = started.move();
  return {
    abandonRequests: () => {
      server.server.closeAllConnections();
      smtp?.abandonConnections();
      outbound.abandon();
    },
    port,
    mail: smtp && { port: smtp.port, domain: config.site.pingEmailDomain },
    migrated,
    provisioned,
    changes,
    firstKeys,
    setupToken,
    counts,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

async function pagesOf({ site }: Config, { pagesFolder, log }: World): Promise<PageFiles | null> {
  if (pagesFolder === undefined) return null;
  try {
    const pages = await readPages(pagesFolder, new URL(site.root).pathname.replace(/\/$/, ''));
    if (pages === null) log.warn({ event: 'pages.missing', folder: pagesFolder });
    return pages;
  } catch (err) {
    // Pings do not need pages.
    log.warn({ event: 'pages.missing', folder: pagesFolder, err });
    return null;
  }
}

/** Who is told of changes after each commit. */
interface ChangeListeners {
  readonly announce: (changes: Changes) => void;
  readonly marks?: ChangeMarks;
}

/** Opens the database. SQLite gets a thread of its own for writing. */
async function openForServing(
  { database, objects, limits }: Config,
  world: World,
  { announce, marks }: Required<ChangeListeners>,
  started: AsyncDisposableStack,
): Promise<{ driver: Driver; thread: WriterThread | null }> {
  if (database.engine === 'postgres') {
    return { driver: started.use(await openWithRetries(database, world)), thread: null };
  }
  started.use(lockDatabase(database.path));
  const thread = started.use(
    await startWriterThread(
      database.path,
      (error) => {
        world.log.fatal({ event: 'writer.died', err: error });
        // Nothing can be recorded any more. The process ends, so that its supervisor starts it again.
        throw error;
      },
      { movesBodies: objects !== null, defaultLimits: limits, marks: marks.buffer },
      announce,
    ),
  );
  const exposed = exposedPaths(database.path);
  if (exposed.length > 0) world.log.warn({ event: 'database.open_to_others', paths: exposed });
  return { driver: thread.driver, thread };
}

interface PreparedDatabase {
  readonly store: Store;
  readonly vault: Vault;
  readonly secretKeys: SecretKeys;
  readonly migrated: readonly Migration[];
}

/** Migrates the database, and finds the server's secret, which may be stored in it. */
async function prepareDatabase(
  { database, secretKey }: Config,
  { clock, random, log }: World,
  driver: Driver,
  { announce, marks }: ChangeListeners,
): Promise<PreparedDatabase> {
  const migrated = await migrate(driver, clock, undefined, async (error) => {
    log.warn({ event: 'migration.waiting', err: error });
    await pauseMigration();
  });
  const store = createSqlStore(driver, announce, marks);
  const keys = secretKey ?? (await keptSecrets(database, store, random).read());
  const vault = createVault(keys.current, random, keys.fallbacks);
  return { store, vault, secretKeys: keys, migrated };
}

function databaseOf(
  { database, site, limits }: Config,
  { databaseTime, random }: World,
  { store, secretKeys }: Pick<PreparedDatabase, 'store' | 'secretKeys'>,
  writer: WriterThread | null,
): NodeDatabase {
  const isShared = database.engine === 'postgres';
  return {
    openExchange: isShared
      ? (handlers) => new ChangeNotices({ url: database.url, node: random.uuid(), ...handlers })
      : null,
    store,
    readTime: async () => (await databaseTime?.(store)) ?? null,
    isShared,
    poolSize: isShared ? database.poolSize : 1,
    startReads: (clock) =>
      startReaderThreads(
        { database, secretKeys, site, defaultLimits: limits, marks: store.marks.buffer },
        clock,
      ),
    writer,
  };
}

/** For a command that changes something and ends. At its end it tells running nodes what it has changed. */
function publishAtEnd(
  driver: Driver,
  { random }: World,
  opened: AsyncDisposableStack,
): (changes: Changes) => void {
  const collected = new ChangeCollector();
  if (driver.dialect.engine === 'postgres')
    opened.defer(async () => {
      if (collected.isEmpty) return;
      // The changes are committed, even if no node can be told.
      await sendNotices(driver, random.uuid(), collected.take()).catch(() => undefined);
    });
  return (changes) => collected.add(changes);
}

function objectsOf({ objects }: Config, clock: Clock): NodeObjects | null {
  if (objects === null) return null;
  const store = new S3ObjectStore({ ...objects, clock });
  return { store, close: () => store[Symbol.dispose]() };
}

function processOf({ version = '' }: World, started: AsyncDisposableStack): NodeParts['process'] {
  const lag = started.use(new EventLoopLag());
  return {
    eventLoopLagSeconds: () => lag.takeLongest(),
    residentBytes: () => process.memoryUsage.rss(),
    version,
  };
}

function settingsOf(
  { site, api, http, integrations, mail, limits, accounts }: Config,
  { settings: effective = [] }: World,
): NodeSettings {
  return {
    site,
    api,
    http: {
      ...http,
      limits: {
        maxConnections: connectionsWithin(openFileLimit(), http.maxConnections),
        maxConnectionsPerAddress: http.maxConnectionsPerAddress ?? Number.POSITIVE_INFINITY,
      },
    },
    integrations,
    returnTemplate: mail?.returnTemplate ?? null,
    limits,
    accounts,
    effective,
  };
}

type Outbound = NodeParts['transports'] & {
  /**
   * Closes the connections of messages that are being sent. They are sent again after the next start, or by another
   * node.
   */
  abandon(): void;
};

/** Opens the transports for messages. */
function startOutbound({ site, mail, outbound }: Config, started: AsyncDisposableStack): Outbound {
  const http = started.use(
    new HttpClient({
      userAgent: site.name,
      ...outbound,
      connectionsPerHost: MESSAGE_LIMITS.maxConcurrentPerDestination,
    }),
  );
  const clientNames = [hostname(), new URL(site.root).hostname];
  const mailSender = mail && started.use(new MailThread({ ...mail, clientNames }));
  return {
    http: (request) => http.send(request),
    mail: mailSender,
    abandon() {
      void http[Symbol.asyncDispose]();
      void mailSender?.[Symbol.asyncDispose]();
    },
  };
}

function providerOf(
  { openId, site, outbound }: Config,
  started: AsyncDisposableStack,
): NodeParts['provider'] {
  if (openId === null) return null;
  const http = started.use(
    new HttpClient({
      userAgent: site.name,
      ...outbound,
      allowPrivateAddresses: true,
      timeoutMs: OPENID_TIMEOUT_MS,
      // A request to the provider has secrets that are meant for nobody else.
      maxRedirects: 0,
    }),
  );
  return { ...openId, send: (request) => http.send(request) };
}

async function startReceivingMail({ smtp, site }: Config, node: Node): Promise<SmtpServer | null> {
  if (smtp === null) return null;
  const { deps, pings, parts } = node;
  const findRecipients = (targets: readonly PingTarget[]) => findMailRecipients(deps, targets);
  return startSmtpServer(
    { pings, findRecipients },
    { ...smtp, domain: site.pingEmailDomain, log: parts.log },
  );
}

/** A stop does not wait for the monitor's answer. */
function startTellingMonitor(
  heartbeat: NonNullable<Config['heartbeat']>,
  { site, outbound }: Config,
  node: Node,
  started: AsyncDisposableStack,
): void {
  // The operator chooses the address. It may be in a private network.
  const http = new HttpClient({ userAgent: site.name, ...outbound, allowPrivateAddresses: true });
  started.use(startHeartbeat(node, http, heartbeat));
  started.use(http);
}

/** Applies the file as a whole. Errors name the file and the line. */
export async function applyProvisionFile(
  deps: Deps,
  path: string,
): Promise<{ readonly declaration: Declaration; readonly changes: readonly Change[] }> {
  const declaration = parseProvisionFile(path, await readProvisionFile(path));
  try {
    return { declaration, changes: await provision(deps, declaration) };
  } catch (error) {
    if (!(error instanceof ProvisionError)) throw error;
    throw new ProvisionFileError(path, [{ line: error.line, reason: error.message }]);
  }
}

const PATIENCE_ATTEMPTS = 20;
const MAX_WAIT_MS = 2_000;

/**
 * Tries again for a while: a database that starts together with this program, as in a compose file, may need a moment.
 */
async function openWithRetries(database: Database, { clock, log }: World): Promise<Driver> {
  const onLostConnection = (error: Error) =>
    log.warn({ event: 'database.connection_lost', reason: error.message });
  for (let attempt = 1; ; attempt++) {
    try {
      return await openDriver(database, { clock, onLostConnection });
    } catch (error) {
      const isPassing = error instanceof AppError && error.code === 'storage_unavailable';
      if (!isPassing || attempt === PATIENCE_ATTEMPTS) throw error;
      log.warn({ event: 'database.waiting', attempt, reason: error.message, err: error.cause });
      await sleep(Math.min(100 * 2 ** attempt, MAX_WAIT_MS));
    }
  }
}
