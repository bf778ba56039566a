import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type AlertingOptions, MESSAGE_LIMITS, startAlerting } from './alerting.ts';
import { DeadlineLoop } from './alerts/deadline-loop.ts';
import { Heartbeat } from './alerts/heartbeat.ts';
import type { Config } from './config.ts';
import { AppError } from './domain/errors.ts';
import type { PingTarget } from './domain/incoming-ping.ts';
import type { LoopName } from './domain/vitals.ts';
import { createHttpServer } from './http/server.ts';
import type { Clock } from './lib/clock.ts';
import { EventLoopLag } from './lib/event-loop-lag.ts';
import { HttpClient } from './lib/http-client.ts';
import type { Instant } from './lib/instant.ts';
import { withEqualRests } from './lib/loop.ts';
import { createMailSender } from './lib/mail-sender.ts';
import { connectionsWithin, openFileLimit } from './lib/open-files.ts';
import type { Random } from './lib/random.ts';
import { createVault } from './lib/vault.ts';
import { WatchedClock } from './lib/watched-clock.ts';
import { Loops } from './loops.ts';
import { guardReads } from './objects/read-breaker.ts';
import { S3ObjectStore } from './objects/s3.ts';
import { readProvisionFile } from './provision/file.ts';
import { ProvisionFileError } from './provision/located.ts';
import { parseProvisionFile } from './provision/parse.ts';
import { deleteObjects, MAX_BODIES_TICK, moveBodies, type TickResult } from './services/bodies.ts';
import type { Deps } from './services/deps.ts';
import { type FirstKeys, makeFirstProject } from './services/first-start.ts';
import { ingestPings } from './services/ingest.ts';
import { findMailRecipients } from './services/mail-recipients.ts';
import { type Ingest, PING_WRITER_DEFAULTS, PingWriter } from './services/ping-writer.ts';
import { type Change, type Declaration, ProvisionError } from './services/provisioning/declaration.ts';
import { provision } from './services/provisioning/provision.ts';
import { Pruner } from './services/pruning.ts';
import { Telemetry } from './services/telemetry.ts';
import { Vitals } from './services/vitals.ts';
import { type SmtpServer, startSmtpServer } from './smtp/server.ts';
import type { Driver } from './storage/driver.ts';
import { type Migration, migrate, pauseMigration } from './storage/migrate.ts';
import { type Database, openDriver } from './storage/open.ts';
import { keptSecretKey } from './storage/secret-key.ts';
import { createSqlStore } from './storage/sql/store.ts';
import { exposedPaths } from './storage/sqlite/files.ts';
import { lockDatabase } from './storage/sqlite/lock.ts';
import type { Store } from './storage/store.ts';
import { startWriterThread, type WriterThread } from './writer-thread.ts';

/** What the outside world gives: time, chance, and a place to write what happens. */
export interface World {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** What time the database has, which then rules; null, or absent, where it has none but ours. */
  readonly databaseTime?: (store: Store) => Promise<Instant | null>;
  /** Of the program, for operators. */
  readonly version?: string;
  /** Called when the database is up to date, before anything is accepted or sent: what comes from then on is finished. */
  readonly onDatabaseReady?: () => void;
}

/** A migrated database and the services on it, without any edge. */
export interface Core extends AsyncDisposable {
  readonly deps: Deps;
  readonly migrated: readonly Migration[];
}

export interface App extends AsyncDisposable {
  /** Cuts off the requests that are still open, so that a stop can end. */
  abandonRequests(): void;
  /** Where it listens. */
  readonly port: number;
  /** Where it receives pings by mail, and under which domain; null: nowhere. */
  readonly mail: { readonly port: number; readonly domain: string } | null;
  readonly migrated: readonly Migration[];
  readonly provisioned: readonly Change[];
  /** The keys of the first project, on the very first start. */
  readonly firstKeys: FirstKeys | null;
  readonly counts: { readonly projects: number; readonly checks: number };
}

/** Opens the store and brings it up to date. */
export async function openCore(config: Config, world: World): Promise<Core> {
  await using opened = new AsyncDisposableStack();
  const driver = opened.use(await openWithRetries(config.database, world));
  const core = await buildCore(config, world, driver);
  const parts = opened.move();
  return { ...core, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

async function buildCore(
  config: Config,
  world: World,
  driver: Driver,
  s3: S3ObjectStore | null = null,
): Promise<Omit<Core, typeof Symbol.asyncDispose>> {
  const migrated = await migrate(driver, world.clock, undefined, async (error) => {
    world.log.warn({ event: 'migration.waiting', err: error });
    await pauseMigration();
  });
  const store = createSqlStore(driver);
  const secretKey = config.secretKey ?? (await keptSecretKey(config.database, store, world.random));
  const vault = createVault(secretKey, world.random);
  const objects = s3 && guardReads(s3, world.clock);
  const { clock, random } = world;
  const deps: Deps = { store, clock, random, vault, objects, defaultLimits: config.limits };
  return { deps, migrated };
}

/** The way into the database, and the way pings take: on SQLite both lead through a thread of its own. */
async function openForServing(
  { database, objects, limits }: Config,
  world: World,
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
        // Nothing can be recorded any more: better to be started anew than to go on refusing.
        throw error;
      },
      { movesBodies: objects !== null, defaultLimits: limits },
    ),
  );
  const exposed = exposedPaths(database.path);
  if (exposed.length > 0) world.log.warn({ event: 'database.open_to_others', paths: exposed });
  return { driver: thread.driver, thread };
}

/** Starts everything, from the store up to the edges; disposing stops it in reverse order. */
export async function startApp(config: Config, world: World): Promise<App> {
  await using started = new AsyncDisposableStack();
  const { driver, thread } = await openForServing(config, world, started);
  const s3 = config.objects && new S3ObjectStore({ ...config.objects, clock: world.clock });
  const core = await buildCore(config, world, driver, s3);
  const clock = await startClock(world, core.deps.store);
  const deps: Deps = { ...core.deps, clock };
  const provisioned =
    config.provisionFile === null ? [] : (await applyProvisionFile(deps, config.provisionFile)).changes;
  world.onDatabaseReady?.();
  const telemetry = new Telemetry(clock);
  const deadlineLoop = new DeadlineLoop(deps, world.log, clock, () => telemetry.noteWrite());
  const loops = new Loops(started, telemetry, world.log);
  const pings = started.use(pingWriter(deps, thread?.ingest ?? null, deadlineLoop, telemetry, config));
  const pruner = new Pruner(deps, 1);
  const prune = thread?.prune ?? (() => pruner.tick());
  loops.start('housekeeping', 'housekeeping.failed', HOUSEKEEPING_REST_MS, withEqualRests(prune, clock));
  if (thread !== null) startCheckpointLoop(thread, loops);
  if (s3 !== null) startBodyLoops(deps, s3, loops, started);
  const outbound = startOutbound(config, started);
  const alerting = await startAlerting(
    deps,
    { ...outbound, site: config.site },
    deadlineLoop,
    loops,
    started,
  );
  const eventLoopLag = started.use(new EventLoopLag());
  const vitals = new Vitals(deps, telemetry, {
    pings,
    busyChannels: alerting.busyChannels,
    clockAhead: () => clock.ahead,
    eventLoopLagSeconds: () => eventLoopLag.takeLongest(),
    residentBytes: () => process.memoryUsage.rss(),
    version: world.version ?? '',
  });
  const server = createHttpServer(deps, pings, {
    site: config.site,
    api: config.api,
    sendTest: alerting.sendTest,
    vitals,
    log: world.log,
    requestTimeoutSeconds: config.http.requestTimeoutSeconds,
    trustedProxies: config.http.trustedProxies,
    pingBodyLimit: config.http.pingBodyLimit,
    limits: {
      maxConnections: connectionsWithin(openFileLimit(), config.http.maxConnections),
      maxConnectionsPerAddress: config.http.maxConnectionsPerAddress ?? Number.POSITIVE_INFINITY,
    },
  });
  const smtp = await startReceivingMail(config, deps, pings, world.log);
  started.defer(async () => {
    // At once: neither door waits for the clients of the other.
    await Promise.all([server.close(), smtp?.[Symbol.asyncDispose]()]);
  });
  await server.listen({ host: config.listen.host, port: config.listen.port });
  if (config.heartbeat !== null) startHeartbeat(config.heartbeat, config, vitals, loops, started);
  // Last, because its keys are shown only once: a start that fails before leaves it to the next one.
  const firstKeys = await makeFirstProject(deps);
  const counts = { projects: await deps.store.projects.count(), checks: await deps.store.checks.count() };
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
    migrated: core.migrated,
    provisioned,
    firstKeys,
    counts,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** The clock that everything goes by: that of the database where it has one, since nodes share it. */
async function startClock({ clock, databaseTime }: World, store: Store): Promise<WatchedClock> {
  const watched = new WatchedClock(clock, async () => (await databaseTime?.(store)) ?? null);
  await watched.look();
  return watched;
}

/** Tells another monitor that this node is well; a stop does not wait for its answer. */
function startHeartbeat(
  { url, intervalSeconds }: NonNullable<Config['heartbeat']>,
  { site, outbound }: Config,
  vitals: Vitals,
  loops: Loops,
  started: AsyncDisposableStack,
): void {
  // The operator says where: that may well be in a network of theirs.
  const http = new HttpClient({ userAgent: site.name, ...outbound, allowPrivateAddresses: true });
  const heartbeat = new Heartbeat(vitals, http, { url, intervalSeconds, log: loops.log });
  loops.start('heartbeat', 'heartbeat.failed', intervalSeconds * 1000, () => heartbeat.tick());
  started.use(http);
}

/** Another thread copies the log, ten times a second; here it is only looked after. */
function startCheckpointLoop(thread: WriterThread, loops: Loops): void {
  loops.start('checkpoints', 'checkpoints.failed', CHECKPOINTS_REST_MS, async () => {
    thread.requireCheckpoints();
    return false;
  });
}

/** What the storage refuses is told and waits for its next turn; a stop does not wait for the storage. */
function startBodyLoops(deps: Deps, s3: S3ObjectStore, loops: Loops, started: AsyncDisposableStack): void {
  const start = (name: LoopName, event: string, work: (deps: Deps) => Promise<TickResult>) => {
    const tick = async () => {
      const { done, failures } = await work(deps);
      if (failures.length > 0) loops.log.warn({ event, count: failures.length, err: failures[0] });
      return done > 0 && failures.length === 0;
    };
    loops.start(name, event, BODIES_REST_MS, tick, MAX_BODIES_TICK / 1000);
  };
  start('body_moves', 'bodies.move_failed', moveBodies);
  start('body_deletions', 'bodies.delete_failed', deleteObjects);
  // Disposed of before the loops, which then end at once.
  started.use(s3);
}

interface Outbound extends Omit<AlertingOptions, 'site'> {
  /** Cuts off the messages that are under way; they are sent again by whoever comes next. */
  abandon(): void;
}

/** The ways out of the house. */
function startOutbound(
  { site, mail, outbound, database, integrations }: Config,
  started: AsyncDisposableStack,
): Outbound {
  const http = started.use(
    new HttpClient({
      userAgent: site.name,
      ...outbound,
      connectionsPerHost: MESSAGE_LIMITS.maxConcurrentPerDestination,
    }),
  );
  const clientNames = [hostname(), new URL(site.root).hostname];
  const mailSender = mail && started.use(createMailSender({ ...mail, clientNames }));
  return {
    // SQLite has one server.
    isOnlyNode: database.engine === 'sqlite',
    http: (request) => http.send(request),
    mail: mailSender,
    server: integrations,
    returnTemplate: mail?.returnTemplate ?? null,
    abandon() {
      void http[Symbol.asyncDispose]();
      void mailSender?.[Symbol.asyncDispose]();
    },
  };
}

/** The next batch is on its way while one is being committed: to the thread in order, to PostgreSQL at the same time. */
function pingWriter(
  deps: Deps,
  inThread: Ingest | null,
  deadlineLoop: DeadlineLoop,
  telemetry: Telemetry,
  { database }: Pick<Config, 'database'>,
): PingWriter {
  const ingest = telemetry.countPings(async (batch) => {
    await deadlineLoop.beforePings();
    return inThread === null ? ingestPings(deps, batch) : inThread(batch);
  });
  return new PingWriter(ingest, {
    ...PING_WRITER_DEFAULTS,
    maxConcurrentBatches: 2,
    minBatchWhileBusy: 50,
    keepsOrder: inThread !== null,
    maxStuckBatches: database.engine === 'postgres' ? maxStuckBatchesOf(database.poolSize) : 0,
  });
}

/** At least half of the connections stay free for others. */
function maxStuckBatchesOf(poolSize: number): number {
  return Math.max(0, Math.min(3, Math.floor(poolSize / 2) - 2));
}

async function startReceivingMail(
  { smtp, site }: Config,
  deps: Deps,
  pings: PingWriter,
  log: Logger,
): Promise<SmtpServer | null> {
  if (smtp === null) return null;
  const findRecipients = (targets: readonly PingTarget[]) => findMailRecipients(deps, targets);
  return startSmtpServer({ pings, findRecipients }, { ...smtp, domain: site.pingEmailDomain, log });
}

/** Applies the file as a whole; faults name the file and the line. */
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

const HOUSEKEEPING_REST_MS = 5_000;
const BODIES_REST_MS = 1_000;
const CHECKPOINTS_REST_MS = 30_000;
const PATIENCE_ATTEMPTS = 20;
const MAX_WAIT_MS = 2_000;

/** A database that starts together with us, as in a compose file, may need a moment. */
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
