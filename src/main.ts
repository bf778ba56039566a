import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { makeBackup } from './backup-thread.ts';
import { ConfigError, type Environment } from './config/env-file.ts';
import type { Config } from './config/read-config.ts';
import {
  type ChangeListeners,
  type CoreWorld,
  openWithRetries,
  type PreparedDatabase,
  prepareDatabase,
  tellAlso,
  upgradeDatabase,
} from './core.ts';
import { examiner } from './doctor/thread.ts';
import type { Changes } from './domain/change.ts';
import { ChangeMarks } from './domain/change-marks.ts';
import type { PingTarget } from './domain/ping/incoming-ping.ts';
import { Door } from './http/door.ts';
import type { HttpLimits } from './http/limits.ts';
import { HttpListener } from './http/listener.ts';
import { type PageFiles, readPages } from './http/pages/page-files.ts';
import { createHttpServer } from './http/server.ts';
import { incompleteKinds, messageLimits } from './integrations/registry.ts';
import type { Clock } from './lib/clock.ts';
import type { EffectiveSetting } from './lib/env-setting.ts';
import { EventLoopLag } from './lib/event-loop-lag.ts';
import { fileSystemOf } from './lib/file-system.ts';
import { HttpClient } from './lib/http-client.ts';
import type { Instant } from './lib/instant.ts';
import { MailThread } from './lib/mail-thread.ts';
import { connectionsWithin, openFileLimit } from './lib/open-files.ts';
import { OPENID_TIMEOUT_MS } from './lib/openid.ts';
import { ShellThread } from './lib/shell-thread.ts';
import { SocketClient } from './lib/socket-client.ts';
import { findSystemUser, type SystemUser } from './lib/system-user.ts';
import { systemTimers } from './lib/timers.ts';
import { countTurns, newTurns, startWatchdog } from './lib/watchdog.ts';
import { prepareKeys } from './lib/webauthn.ts';
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
import { applyProvisionFile } from './provision/apply.ts';
import { startReaderThreads } from './reader-thread.ts';
import { ChangeFeed } from './services/core/changes.ts';
import type { Deps } from './services/core/deps.ts';
import { type FirstProject, makeFirstProject } from './services/instance/first-start.ts';
import { noteMail } from './services/people/address-proof.ts';
import { findMailRecipients } from './services/ping/mail-recipients.ts';
import type { Change } from './services/provisioning/declaration.ts';
import { offerSetup } from './services/sign-up/setup.ts';
import { type SmtpServer, startSmtpServer } from './smtp/server.ts';
import { reportStart, syncOf } from './start-report.ts';
import { type Driver, StorageError } from './storage/driver.ts';
import { ChangeNotices } from './storage/postgres/change-notices.ts';
import { publicProgress } from './storage/progress.ts';
import type { SecretKeys } from './storage/secret-key.ts';
import { exposedPaths } from './storage/sqlite/files.ts';
import { lockDatabase } from './storage/sqlite/lock.ts';
import { NETWORK_FILES, requireLocalFiles } from './storage/sqlite/network-files.ts';
import type { Store } from './storage/store.ts';
import { sitePath } from './wire/site.ts';
import type { Installation, StartReport } from './wire/start-report.ts';
import { startWriterThread, type WriterThread } from './writer-thread.ts';

export interface World extends CoreWorld {
  /**
   * Reads the clock of the database, which all nodes then follow. Returns null when the database has no clock of its
   * own. Absent means the same.
   */
  readonly databaseTime?: (store: Store) => Promise<Instant | null>;
  /** The folder of the dashboard's built pages. Absent means that there are none. */
  readonly pagesFolder?: string;
  /** How the program came to this machine. Absent means from its repository. */
  readonly installed?: Installation;
  /** What the command has found before. */
  readonly warnings?: readonly string[];
  /** The environment that the configuration was read from, for a look at the installation. */
  readonly environment?: Environment;
  /** The operator's settings, for administrators to see. */
  readonly settings?: readonly EffectiveSetting[];
  /** Whether somebody sees the keys of the first project. If nobody does, none are made. Absent means yes. */
  readonly showsKeys?: boolean;
  /**
   * Called when the database is up to date, before anything is accepted or sent. Work that begins after this call is
   * finished before the program stops.
   */
  readonly onDatabaseReady?: () => void;
  /** The descriptor of a socket that listens already. Absent means that the program opens its own. */
  readonly socket?: number | null;
}

export interface App extends AsyncDisposable {
  /** Closes the requests that are still open, so that a stop can end. */
  abandonRequests(): void;
  /** The port of the HTTP server. */
  readonly port: number;
  readonly report: StartReport;
  readonly provisioned: readonly Change[];
  /** Changes made by this node or by others. */
  readonly changes: Pick<ChangeFeed, 'subscribe'>;
  /** The first project, with its keys; null except on the very first start. */
  readonly firstProject: FirstProject | null;
  /** The secret part of the link for the first administrator; null when there is one. */
  readonly setupToken: string | null;
}

/**
 * Starts everything, from the database to the servers. Disposing stops it in reverse order. Steps that need PostgreSQL are
 * repeated while it cannot be used. All of them are repeatable, because a start may be killed after any of them.
 */
export async function startApp(config: Config, given: World): Promise<App> {
  await using started = new AsyncDisposableStack();
  const { listener, door, address } = await openDoor(config, given, started);
  const world = { ...given, tell: tellAlso(given, (progress) => door.tell(publicProgress(progress))) };
  const changes = new ChangeFeed((err) => world.log.error({ event: 'changes.subscriber_failed', err }));
  const announce = (changed: Changes) => changes.announce(changed);
  const marks = new ChangeMarks();
  const turns = newTurns();
  const { driver, thread } = await openForServing(config, world, { announce, marks, turns }, started);
  // Pings wait at the door, so none waits for the disk because of this.
  const sync = await syncOf(config, world);
  const { store, vault, secretKeys, upgrade, retries } = await prepareDatabase(config, world, driver, {
    announce,
    marks,
  });
  await retries.run(() => requireReal(store));
  for (const incomplete of incompleteKinds({ server: config.integrations, hasMail: config.mail !== null })) {
    world.log.warn({ event: 'integrations.incomplete', ...incomplete });
  }
  const shell = await startShell(config, started);
  if (config.integrations.SHELL_ENABLED && config.integrations.SHELL_USER === null)
    world.log.warn({ event: 'shell.runs_as_service' });
  const outbound = startOutbound(config, shell, started);
  const parts: NodeParts = {
    database: databaseOf(config, world, { store, secretKeys }, thread),
    changes,
    clock: world.clock,
    timers: systemTimers,
    random: world.random,
    vault,
    objects: objectsOf(config, world.clock),
    transports: outbound,
    provider: providerOf(config, started),
    process: processOf(config, world, started),
    log: world.log,
    backups: backupsOf(config, world, secretKeys),
    contract: upgrade.waiting.length === 0 ? null : () => contract(config, driver, given, turns),
    examine: world.environment === undefined ? null : examiner(world.environment),
    settings: settingsOf(config, world),
  };
  // It asks the database for the time before it builds anything.
  const node = started.use(await retries.run(() => buildNode(parts)));
  const { deps } = node;
  await retries.run(() => noteMail(deps, config.accounts.hasMail));
  const provisioned = await retries.run(() => applyConfiguredFile(config, deps, world.environment ?? {}));
  const lastBeatAt = await retries.run(() => store.liveness.lastBeatAt());
  world.onDatabaseReady?.();
  // Only now: a migration may keep the writer for minutes.
  started.use(startWatchdog(turns, thread === null ? ['main'] : ['main', 'writer']));
  await startLoops(node);
  const firstLook = Promise.withResolvers<void>();
  const pages = await pagesOf(config, world);
  const server = createHttpServer(deps, node.pings, {
    ...node.http,
    pages,
    listener,
    firstLook: firstLook.promise,
  });
  const smtp = await startReceivingMail(config, node);
  started.defer(async () => {
    // Both at once: neither server waits for the clients of the other.
    await Promise.all([server.close(), smtp?.[Symbol.asyncDispose]()]);
  });
  const hasKeys = await retries.run(() => store.passkeys.isAny());
  door.open(server.receive);
  started.use(startWatching(node));
  if (hasKeys) void prepareKeys();
  // Nobody must find checks down whose deadlines passed while no node watched. If it fails, the loop tells.
  await node.deadlineLoop.ensureBeat().catch(() => undefined);
  firstLook.resolve();
  if (config.heartbeat !== null) startTellingMonitor(config.heartbeat, config, node, started);
  // This comes last because the keys are shown only once. If the start fails earlier, the next start creates the
  // project.
  const firstProject = await retries.run(() => makeFirstProject(deps, world.showsKeys ?? true));
  // The link leads to a page of the dashboard.
  const setupToken = pages === null ? null : await retries.run(() => offerSetup(deps));
  const { address: host, port } = address;
  world.log.info({ event: 'server.listening', host, port });
  const report = await retries.run(() =>
    reportStart(config, node, {
      installed: world.installed ?? 'clone',
      warnings: world.warnings ?? [],
      listens: {
        http: { address: host, port },
        mail: smtp && { address: smtp.address, port: smtp.port, domain: config.site.pingEmailDomain },
      },
      hasPages: pages !== null,
      ...{ upgrade, lastBeatAt, sync },
    }),
  );
  world.log.info({ event: 'start.report', ...report });
  const all = started.move();
  return {
    abandonRequests: () => {
      server.server.closeAllConnections();
      smtp?.abandonConnections();
      outbound.abandon();
    },
    port,
    report,
    provisioned,
    changes,
    firstProject,
    setupToken,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** The row of `instance` that marks the database of a demonstration. */
export const DEMO_MARK = 'demo';

/** A demonstration replaces its database at every start. */
async function requireReal({ instance }: Store): Promise<void> {
  if ((await instance.get(DEMO_MARK)) === null) return;
  throw new StorageError(
    'fault',
    'the database was made by tocsin demo, which would replace it. Name another one by DATABASE_URL',
  );
}

/** Binds the port before anything else is opened, so that pings can wait. */
async function openDoor(
  config: Config,
  { log, stopping, socket = null }: World,
  started: AsyncDisposableStack,
) {
  const { site, http, listen } = config;
  const listener = new HttpListener({ ...http, limits: httpLimits(config), log });
  const door = new Door(listener, { prefix: sitePath(site.root), timers: systemTimers });
  started.defer(() => door.close());
  stopping?.addEventListener('abort', () => door.refuseAll());
  const address = socket === null ? await listener.listen(listen) : await listenOn(socket, listener, listen);
  return { listener, door, address };
}

/** The health check asks at `PORT`, and people read it in the settings. */
async function listenOn(
  socket: number,
  listener: HttpListener,
  { port }: Config['listen'],
): Promise<AddressInfo> {
  const address = await listener.listenOn(socket);
  if (port !== 0 && address.port !== port)
    throw new ConfigError([
      `PORT=${port}: the socket that the service was started with is on port ${address.port}, set PORT to that.`,
    ]);
  return address;
}

async function applyConfiguredFile(
  { provisionFile }: Config,
  deps: Deps,
  variables: Environment,
): Promise<readonly Change[]> {
  if (provisionFile === null) return [];
  return (await applyProvisionFile(deps, provisionFile, variables, { isWhole: true })).changes;
}

export async function pagesOf(
  { site }: Config,
  { pagesFolder, log }: Pick<World, 'pagesFolder' | 'log'>,
  demoKey?: string,
): Promise<PageFiles | null> {
  if (pagesFolder === undefined) return null;
  try {
    const pages = await readPages(pagesFolder, { path: sitePath(site.root), name: site.name }, demoKey);
    if (pages === null) log.warn({ event: 'pages.missing', folder: pagesFolder });
    return pages;
  } catch (err) {
    // Pings do not need pages.
    log.warn({ event: 'pages.missing', folder: pagesFolder, err });
    return null;
  }
}

/** Opens the database. SQLite gets a thread of its own for writing. */
async function openForServing(
  { database, allowNetworkFiles, objects, limits, keepFailuresDays }: Config,
  world: World,
  { announce, marks, turns }: Required<ChangeListeners> & { readonly turns: SharedArrayBuffer },
  started: AsyncDisposableStack,
): Promise<{ driver: Driver; thread: WriterThread | null }> {
  if (database.engine === 'postgres') {
    return { driver: started.use(await openWithRetries(database, world)), thread: null };
  }
  const network = await requireLocalFiles(database.path, allowNetworkFiles);
  if (network !== null) world.log.warn({ event: 'database.network_files', kind: network }, NETWORK_FILES);
  started.use(lockDatabase(database.path));
  const thread = started.use(
    await startWriterThread(
      database.path,
      (error) => {
        world.log.fatal({ event: 'writer.died', err: error });
        // Nothing can be recorded any more. The process ends, so that its supervisor starts it again.
        throw error;
      },
      { movesBodies: objects !== null, defaultLimits: limits, keepFailuresDays, marks: marks.buffer, turns },
      announce,
    ),
  );
  const exposed = exposedPaths(database.path);
  if (exposed.length > 0) world.log.warn({ event: 'database.open_to_others', paths: exposed });
  return { driver: thread.driver, thread };
}

function databaseOf(
  { database, site, limits, integrations }: Config,
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
        {
          ...{ database, secretKeys, site, defaultLimits: limits, marks: store.marks.buffer },
          messageLimits: messageLimits(integrations),
        },
        clock,
      ),
    writer,
  };
}

/** Makes the contract steps that may be made now. Returns whether others wait. */
async function contract(
  { database }: Config,
  driver: Driver,
  world: World,
  turns: SharedArrayBuffer,
): Promise<boolean> {
  // A step may keep the writer for minutes, so this thread counts turns for it.
  const counting = countTurns(turns, 'writer');
  const contracting = upgradeDatabase(database, driver, { ...world, contractBy: 'service' });
  const { waiting } = await contracting.finally(() => clearInterval(counting));
  return waiting.length > 0;
}

/** Each backup is made and verified in a thread of its own. */
function backupsOf(
  { backups, database }: Config,
  { version: release = '' }: World,
  secrets: SecretKeys,
): NodeParts['backups'] {
  if (backups === null) return null;
  const { everySeconds, ...options } = backups;
  return {
    everySeconds,
    make: (stopping) => makeBackup({ database, secrets, release, ...options }, stopping),
  };
}

function objectsOf({ objects }: Config, clock: Clock): NodeObjects | null {
  if (objects === null) return null;
  const store = new S3ObjectStore({ ...objects, clock });
  return { store, close: () => store[Symbol.dispose]() };
}

function processOf(
  { database }: Config,
  { version = '' }: World,
  started: AsyncDisposableStack,
): NodeParts['process'] {
  const lag = started.use(new EventLoopLag());
  return {
    eventLoopLagSeconds: () => lag.takeLongest(),
    residentBytes: () => process.memoryUsage.rss(),
    disk: async () => (database.engine === 'sqlite' ? fileSystemOf(database.path) : null),
    version,
  };
}

function settingsOf(
  { site, api, http, integrations, mail, limits, keepFailuresDays, accounts }: Config,
  { settings: effective = [] }: World,
): NodeSettings {
  return {
    site,
    api,
    http: {
      ...http,
      limits: httpLimits({ http }),
    },
    integrations,
    returnTemplate: mail?.returnTemplate ?? null,
    limits,
    keepFailuresDays,
    accounts,
    effective,
  };
}

export function httpLimits({ http }: Pick<Config, 'http'>): Partial<HttpLimits> {
  return {
    maxConnections: connectionsWithin(openFileLimit(), http.maxConnections),
    maxConnectionsPerAddress: http.maxConnectionsPerAddress ?? Number.POSITIVE_INFINITY,
  };
}

type Outbound = NodeParts['transports'] & {
  /**
   * Closes the connections of messages that are being sent. They are sent again after the next start, or by another
   * node.
   */
  abandon(): void;
};

/** The thread that runs commands. Refuses to start if they could not run as the user whom the operator has chosen. */
async function startShell({ integrations }: Config, started: AsyncDisposableStack): Promise<ShellThread> {
  const { SHELL_ENABLED: isEnabled, SHELL_USER: name } = integrations;
  if (!isEnabled || name === null) return started.use(new ShellThread());
  const shell = started.use(new ShellThread({ user: await systemUser(name) }));
  const result = await shell.run({ command: 'true', variables: {} });
  if ('error' in result)
    throw new ConfigError([
      `SHELL_USER=${name}: commands cannot run as this user, start the service as root.`,
    ]);
  return shell;
}

async function systemUser(name: string): Promise<SystemUser> {
  const user = findSystemUser(name, await readFile('/etc/passwd', 'utf8').catch(() => ''));
  if (user === null) throw new ConfigError([`SHELL_USER=${name}: there is no such user on this machine.`]);
  return user;
}

/** Opens the transports for messages. */
function startOutbound(
  { site, mail, outbound }: Config,
  shell: ShellThread,
  started: AsyncDisposableStack,
): Outbound {
  const http = started.use(
    new HttpClient({
      userAgent: site.name,
      ...outbound,
      connectionsPerHost: MESSAGE_LIMITS.maxConcurrentPerDestination,
    }),
  );
  // Addresses that the operator has chosen may be private.
  const toOperator = started.use(
    new HttpClient({ userAgent: site.name, ...outbound, allowPrivateAddresses: true }),
  );
  const sockets = started.use(new SocketClient(outbound));
  const operatorSockets = started.use(new SocketClient({ allowPrivateAddresses: true }));
  const clientNames = [hostname(), new URL(site.root).hostname];
  const mailSender = mail && started.use(new MailThread({ ...mail, clientNames }));
  return {
    http: async ({ isOperators = false, passedOnTo = [], ...request }) =>
      (await http.refusalOf(passedOnTo)) ?? (isOperators ? toOperator : http).send(request),
    mail: mailSender,
    shell: (command) => shell.run(command),
    converse: ({ isOperators, timeoutMs, ...target }, talk) =>
      (isOperators ? operatorSockets : sockets).converse(target, timeoutMs, talk),
    abandon() {
      for (const open of [http, toOperator, sockets, operatorSockets, shell, mailSender]) {
        void open?.[Symbol.asyncDispose]();
      }
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
