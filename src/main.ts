import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Heartbeat } from './alerts/heartbeat.ts';
import { Watchman } from './alerts/watchman.ts';
import type { Config } from './config.ts';
import { AppError } from './domain/errors.ts';
import { createHttpServer } from './http/server.ts';
import type { Clock } from './lib/clock.ts';
import { EventLoopLag } from './lib/event-loop-lag.ts';
import { HttpClient } from './lib/http-client.ts';
import type { Instant } from './lib/instant.ts';
import { Loop, type Tick } from './lib/loop.ts';
import { createMailSender, type MailSender } from './lib/mail-sender.ts';
import type { Random } from './lib/random.ts';
import { createVault } from './lib/vault.ts';
import { WatchedClock } from './lib/watched-clock.ts';
import { createCarrier } from './notifier/carrier.ts';
import { Notifier } from './notifier/notifier.ts';
import { Postman } from './notifier/postman.ts';
import { createTestSender } from './notifier/test-sender.ts';
import { guardReads } from './objects/read-breaker.ts';
import { S3ObjectStore } from './objects/s3.ts';
import { ProvisionFileError } from './provision/located.ts';
import { parseProvisionFile } from './provision/parse.ts';
import { tellBlindness } from './services/blindness.ts';
import { deleteObjects, moveBodies, type TickResult } from './services/bodies.ts';
import { bounceAddress } from './services/bounces.ts';
import { unsubscribeToken } from './services/channels.ts';
import { releaseAllClaims } from './services/deliveries.ts';
import type { Deps } from './services/deps.ts';
import { type FirstKeys, makeFirstProject } from './services/first-start.ts';
import { tellFlapping } from './services/flapping.ts';
import { ingestPings } from './services/ingest.ts';
import { pruneMails, releaseMailClaims } from './services/mails.ts';
import { type Ingest, PING_WRITER_DEFAULTS, PingWriter } from './services/ping-writer.ts';
import { type Change, ProvisionError } from './services/provisioning/declaration.ts';
import { provision } from './services/provisioning/provision.ts';
import { pruneNext } from './services/pruning.ts';
import { queueReminders } from './services/reminders.ts';
import { queueReports } from './services/reports.ts';
import { Telemetry } from './services/telemetry.ts';
import type { SendTest } from './services/test-message.ts';
import { Vitals } from './services/vitals.ts';
import { type SmtpServer, startSmtpServer } from './smtp/server.ts';
import type { Driver } from './storage/driver.ts';
import { type Migration, migrate } from './storage/migrate.ts';
import { type Database, openDriver } from './storage/open.ts';
import { keptSecretKey } from './storage/secret-key.ts';
import { createSqlStore } from './storage/sql/store.ts';
import type { Store } from './storage/store.ts';
import { startWriterThread } from './writer-thread.ts';

/** What the outside world gives: time, chance, and a place to write what happens. */
export interface World {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** What time the database has, which then rules; null, or absent, where it has none but ours. */
  readonly databaseTime?: (store: Store) => Promise<Instant | null>;
  /** Of the program, for operators. */
  readonly version?: string;
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
  const driver = opened.use(await openWithPatience(config.database, world));
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
  const migrated = await migrate(driver, world.clock);
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
  { database, objects }: Config,
  world: World,
  started: AsyncDisposableStack,
): Promise<{ driver: Driver; ingest: Ingest | null }> {
  if (database.engine === 'postgres') {
    return { driver: started.use(await openWithPatience(database, world)), ingest: null };
  }
  return started.use(
    await startWriterThread(
      database.path,
      (error) => {
        world.log.fatal({ event: 'writer.died', err: error });
        // Nothing can be recorded any more: better to be started anew than to go on refusing.
        throw error;
      },
      { movesBodies: objects !== null },
    ),
  );
}

/** Starts everything, from the store up to the edges; disposing stops it in reverse order. */
export async function startApp(config: Config, world: World): Promise<App> {
  await using started = new AsyncDisposableStack();
  const { driver, ingest } = await openForServing(config, world, started);
  const s3 = config.objects && new S3ObjectStore({ ...config.objects, clock: world.clock });
  const core = await buildCore(config, world, driver, s3);
  const clock = await startClock(world, core.deps.store);
  const deps: Deps = { ...core.deps, clock };
  const provisioned =
    config.provisionFile === null ? [] : await applyProvisionFile(deps, config.provisionFile);
  const firstKeys = await makeFirstProject(deps);
  const watchman = new Watchman(deps, world.log, clock);
  const telemetry = new Telemetry(clock);
  const loops = new Loops(started, telemetry, world.log);
  const pings = started.use(pingWriter(deps, ingest, watchman, telemetry));
  loops.start('housekeeping', 'housekeeping.failed', HOUSEKEEPING_REST_MS, () => pruneNext(deps));
  if (s3 !== null) startBodyLoops(deps, s3, loops, started);
  const alerting = await startAlerting(deps, config, watchman, loops, started);
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
  });
  const smtp = await startReceivingMail(config, pings, world.log);
  started.defer(async () => {
    // At once: neither door waits for the clients of the other.
    await Promise.all([server.close(), smtp?.[Symbol.asyncDispose]()]);
  });
  await server.listen({ host: config.listen.host, port: config.listen.port });
  if (config.heartbeat !== null) startHeartbeat(config.heartbeat, config, vitals, loops, started);
  const counts = { projects: await deps.store.projects.count(), checks: await deps.store.checks.count() };
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : config.listen.port;
  world.log.info({ event: 'server.listening', host: config.listen.host, port });
  const parts = started.move();
  return {
    abandonRequests: () => {
      server.server.closeAllConnections();
      smtp?.abandonConnections();
      alerting.abandonMessages();
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

/** Starts loops, counts how they go, and tells of what fails in them. Each ends with its node. */
class Loops {
  readonly log: Logger;
  readonly #started: AsyncDisposableStack;
  readonly #telemetry: Telemetry;

  constructor(started: AsyncDisposableStack, telemetry: Telemetry, log: Logger) {
    this.#started = started;
    this.#telemetry = telemetry;
    this.log = log;
  }

  get telemetry(): Telemetry {
    return this.#telemetry;
  }

  /** `name` is for those who count, `event` for those who read that a tick failed. */
  start(name: string, event: string, restMs: number, tick: Tick): Loop {
    const onError = (err: unknown) => this.log.error({ event, err });
    return this.#started.use(new Loop(this.#telemetry.countTicks(name, tick), { restMs, onError }));
  }
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

/** What the storage refuses is told and waits for its next turn; a stop does not wait for the storage. */
function startBodyLoops(deps: Deps, s3: S3ObjectStore, loops: Loops, started: AsyncDisposableStack): void {
  const start = (name: string, event: string, tick: (deps: Deps) => Promise<TickResult>) =>
    loops.start(name, event, BODIES_REST_MS, async () => {
      const { done, failures } = await tick(deps);
      if (failures.length > 0) loops.log.warn({ event, count: failures.length, err: failures[0] });
      return done > 0 && failures.length === 0;
    });
  start('body_moves', 'bodies.move_failed', moveBodies);
  start('body_deletions', 'bodies.delete_failed', deleteObjects);
  // Disposed of before the loops, which then end at once.
  started.use(s3);
}

interface Alerting {
  readonly sendTest: SendTest;
  /** Channels whose destination has too much to do. */
  busyChannels(): readonly number[];
  /** Cuts off the messages that are under way; they are sent again by whoever comes next. */
  abandonMessages(): void;
}

/** Deadlines are watched and messages sent; a stop waits for the messages that are under way. */
async function startAlerting(
  deps: Deps,
  config: Config,
  watchman: Watchman,
  loops: Loops,
  started: AsyncDisposableStack,
): Promise<Alerting> {
  const { site, mail, outbound } = config;
  // Whoever else has claimed messages in this file is dead: SQLite has one server.
  if (config.database.engine === 'sqlite') await releaseAllClaims(deps);
  const http = started.use(
    new HttpClient({
      userAgent: site.name,
      ...outbound,
      connectionsPerHost: NOTIFIER_SEATS.seatsPerDestination,
    }),
  );
  const mailSender = mail && started.use(createMailSender(mail));
  const carrier = createCarrier({
    http: (request) => http.send(request),
    mail: mailSender,
    unsubscribeUrl: (channel) =>
      `${site.root}/integrations/${channel.uuid}/unsub/${unsubscribeToken(deps, channel)}/`,
    returnAddress: (uuid) =>
      mail?.returnTemplate == null
        ? null
        : bounceAddress(deps, mail.returnTemplate, { kind: 'delivery', uuid }),
  });
  const onFree = () => sending.wake();
  const { log, telemetry } = loops;
  const onTried = (isDelivered: boolean) => telemetry.countAttempt(isDelivered);
  const notifier = new Notifier(deps, carrier, { site, log, ...NOTIFIER_SEATS, onFree, onTried });
  // Claims are kept until the last message has ended.
  loops.start('notifier_claims', 'notifier.claims_not_kept', ALERTS_REST_MS, () => notifier.keepClaims());
  started.use(notifier);
  const sending = loops.start('notifier', 'notifier.failed', ALERTS_REST_MS, () => notifier.tick());
  await startCorrespondence(deps, config, mailSender, loops, started);
  await watchman.keepWatch();
  loops.start('watchman', 'alerts.failed', ALERTS_REST_MS, async () => {
    const found = await watchman.tick();
    if (found === true) sending.wake();
    return found;
  });
  return {
    sendTest: createTestSender(deps, carrier, site),
    busyChannels: () => notifier.crowdedChannels(),
    abandonMessages() {
      void http[Symbol.asyncDispose]();
      void mailSender?.[Symbol.asyncDispose]();
    },
  };
}

/** Mails to accounts are queued when they are due, and sent; where there is no mail server, only dates move on. */
async function startCorrespondence(
  deps: Deps,
  { site, mail, database }: Config,
  sender: MailSender | null,
  loops: Loops,
  started: AsyncDisposableStack,
): Promise<void> {
  if (sender !== null) {
    if (database.engine === 'sqlite') await releaseMailClaims(deps);
    const template = mail?.returnTemplate ?? null;
    const postman = new Postman(deps, sender, {
      site,
      log: loops.log,
      returnAddress: (uuid) => template && bounceAddress(deps, template, { kind: 'account', uuid }),
      onFree: () => sending.wake(),
    });
    loops.start('postman_claims', 'postman.claims_not_kept', ALERTS_REST_MS, () => postman.keepClaims());
    started.use(postman);
    const sending = loops.start('postman', 'postman.failed', ALERTS_REST_MS, () => postman.tick());
  }
  loops.start('reports', 'reports.failed', CORRESPONDENCE_REST_MS, () => queueReports(deps, sender !== null));
  loops.start('reminders', 'reminders.failed', CORRESPONDENCE_REST_MS, () =>
    queueReminders(deps, sender !== null),
  );
  loops.start('blindness', 'blindness.not_told', BLINDNESS_REST_MS, () =>
    tellBlindness(deps, sender !== null),
  );
  if (sender !== null)
    loops.start('flapping', 'flapping.not_told', CORRESPONDENCE_REST_MS, () => tellFlapping(deps));
  loops.start('mail_pruning', 'mails.not_pruned', HOUR_MS, () => pruneMails(deps));
}

/** The next batch is on its way while one is being committed: to the thread in order, to PostgreSQL at the same time. */
function pingWriter(
  deps: Deps,
  inThread: Ingest | null,
  watchman: Watchman,
  telemetry: Telemetry,
): PingWriter {
  const ingest = telemetry.countPings(async (batch) => {
    await watchman.beforePings();
    return inThread === null ? ingestPings(deps, batch) : inThread(batch);
  });
  return new PingWriter(ingest, {
    ...PING_WRITER_DEFAULTS,
    mostUnderWay: 2,
    leastBeside: 50,
    keepsOrder: inThread !== null,
  });
}

async function startReceivingMail(
  { smtp, site }: Config,
  pings: PingWriter,
  log: Logger,
): Promise<SmtpServer | null> {
  return smtp && startSmtpServer(pings, { ...smtp, domain: site.pingEmailDomain, log });
}

/** Applies the file as a whole; faults name the file and the line. */
export async function applyProvisionFile(deps: Deps, path: string): Promise<Change[]> {
  const declaration = parseProvisionFile(path, await readFile(path, 'utf8'));
  try {
    return await provision(deps, declaration);
  } catch (error) {
    if (!(error instanceof ProvisionError)) throw error;
    throw new ProvisionFileError(path, [{ line: error.line, reason: error.message }]);
  }
}

const HOUSEKEEPING_REST_MS = 5_000;
const BODIES_REST_MS = 1_000;
/** Soon, since checks that were excused are known only until their next ping. */
const BLINDNESS_REST_MS = 1_000;
/** Nobody counts the seconds until a report. */
const CORRESPONDENCE_REST_MS = 30_000;
const HOUR_MS = 3_600_000;
/** After a failure, such as a database that is away. */
const ALERTS_REST_MS = 1_000;
const NOTIFIER_SEATS = { seats: 512, seatsPerDestination: 64 };
const PATIENCE_ATTEMPTS = 20;
const LONGEST_WAIT_MS = 2_000;

/** A database that starts together with us, as in a compose file, may need a moment. */
async function openWithPatience(database: Database, { clock, log }: World): Promise<Driver> {
  const onLostConnection = (error: Error) =>
    log.warn({ event: 'database.connection_lost', reason: error.message });
  for (let attempt = 1; ; attempt++) {
    try {
      return await openDriver(database, { clock, onLostConnection });
    } catch (error) {
      const isPassing = error instanceof AppError && error.code === 'storage_unavailable';
      if (!isPassing || attempt === PATIENCE_ATTEMPTS) throw error;
      log.warn({ event: 'database.waiting', attempt, reason: error.message, err: error.cause });
      await sleep(Math.min(100 * 2 ** attempt, LONGEST_WAIT_MS));
    }
  }
}
