import { copyFile, rename, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import type { Logger } from 'pino';
import type { Config } from '../config/read-config.ts';
import { Door } from '../http/door.ts';
import { HttpListener } from '../http/listener.ts';
import type { PageFiles } from '../http/pages/page-files.ts';
import { createHttpServer } from '../http/server.ts';
import type { Clock } from '../lib/clock.ts';
import { type Instant, seconds } from '../lib/instant.ts';
import { Loop } from '../lib/loop.ts';
import type { Random } from '../lib/random.ts';
import { callEvery, pause, systemTimers } from '../lib/timers.ts';
import { DEMO_MARK, pagesOf } from '../main.ts';
import { buildNode, type Node } from '../node/node.ts';
import { startLoops, startWatching } from '../node/start-loops.ts';
import { StorageError } from '../storage/driver.ts';
import { SqliteDriver } from '../storage/sqlite/driver.ts';
import { lockDatabase } from '../storage/sqlite/lock.ts';
import { sitePath } from '../wire/site.ts';
import { makeMonth } from './month.ts';
import { demoParts, visitorLimits } from './parts.ts';
import { Pinger } from './pinger.ts';
import { Player } from './player.ts';
import { Visitors } from './visitors.ts';
import { MONTH_END, READ_ONLY_KEY } from './world.ts';

/** The same month for everybody: README shows pictures of it. */
export const DEMO_SEED = 'tocsin';
const SECRET_BYTES = 32;
/** Requests that are being answered when the state is put back have this time to end. */
const MAX_ANSWERING_MS = 300;
const ANSWERING_LOOK_MS = 10;

export interface DemoWorld {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly version: string;
  readonly pagesFolder: string;
  /** The time between two resets. Null: there is none. */
  readonly resetSeconds: number | null;
  /** The end of the month. Tests make shorter ones. */
  readonly end?: Instant;
}

export interface Demonstration extends AsyncDisposable {
  readonly port: number;
  /** Puts back the state after the month. Sessions end, and open pages read anew. */
  reset(): Promise<void>;
  /** The node that answers now. */
  readonly node: Node;
}

/**
 * Makes a month, and serves it to visitors. Its time begins at the end of the month, at every start and at every reset. Throws when
 * the database belongs to a real installation.
 */
export async function startDemonstration(config: Config, world: DemoWorld): Promise<Demonstration> {
  const path = requireOwnDatabase(config);
  await using started = new AsyncDisposableStack();
  started.use(lockDatabase(path));
  const { log, random, version, end = MONTH_END } = world;
  const seed = DEMO_SEED;
  const prefix = sitePath(config.site.root);
  const listener = new HttpListener({ ...config.http, limits: visitorLimits(config), log });
  const door = new Door(listener, { prefix, timers: systemTimers });
  started.defer(() => door.close());
  await listener.listen(config.listen);
  const secret = Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url');
  const month = `${path}.month`;
  const tell = (share: number) => door.tell(`living the month, ${Math.floor(100 * share)} %`);
  await replaceMonth(month, (making) =>
    makeMonth({ path: making, seed, end, secret, config, version, log, tell }),
  );
  const pages = await pagesOf(config, world, READ_ONLY_KEY);
  const parts = { ...world, config, listener, prefix, secret, month, path, pages, seed, end };
  let life = await startLife(parts);
  started.defer(() => life.end());
  door.open(life.receive);
  const reset = async () => {
    const waiting: Parameters<RequestListener>[] = [];
    listener.answerBy((...arrived) => void waiting.push(arrived));
    await life.end();
    life = await startLife(parts);
    listener.answerBy(life.receive);
    for (const arrived of waiting) life.receive(...arrived);
    log.info({ event: 'demo.reset' });
  };
  let resetting = Promise.resolve();
  const resetInTurn = () => (resetting = resetting.then(reset));
  if (world.resetSeconds !== null)
    started.use(
      callEvery(systemTimers, world.resetSeconds * 1_000, () => {
        resetInTurn().catch((err: unknown) => {
          log.fatal({ event: 'demo.not_reset', err });
          throw err;
        });
      }),
    );
  const all = started.move();
  return {
    port: listener.port ?? config.listen.port,
    reset: resetInTurn,
    get node() {
      return life.node;
    },
    async [Symbol.asyncDispose]() {
      await resetting;
      await all.disposeAsync();
    },
  };
}

/** The path of the database. An existing one must be that of a demonstration. */
function requireOwnDatabase({ database }: Config): string {
  if (database.engine !== 'sqlite')
    throw refusal('a demonstration has a SQLite database of its own: DATABASE_URL names a PostgreSQL server');
  const { path } = database;
  if (!isOwn(path))
    throw refusal(
      `the database ${path} belongs to a real installation: a demonstration would replace it. Unset DATABASE_URL, or name another file`,
    );
  return path;
}

function refusal(reason: string): StorageError {
  return new StorageError('fault', reason);
}

/** Whether there is no database, or that of a demonstration. */
function isOwn(path: string): boolean {
  let file: DatabaseSync;
  try {
    file = new DatabaseSync(path, { readOnly: true });
  } catch {
    // There is no file. Whoever cannot read it cannot replace it either.
    return true;
  }
  try {
    if (file.prepare('pragma page_count').get()?.page_count === 0) return true;
    return file.prepare('select value from instance where key = ?').get(DEMO_MARK) !== undefined;
  } catch {
    // It is no database, or has other tables.
    return false;
  } finally {
    file.close();
  }
}

/** A month that was not finished is never taken for one. */
async function replaceMonth(month: string, make: (making: string) => Promise<void>): Promise<void> {
  const making = `${month}.making`;
  await removeDatabase(making);
  await removeDatabase(month);
  await make(making);
  await rename(making, month);
}

async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) await rm(`${path}${suffix}`, { force: true });
}

interface LifeParts extends Pick<DemoWorld, 'clock' | 'random' | 'log' | 'version'> {
  readonly config: Config;
  readonly listener: HttpListener;
  readonly prefix: string;
  readonly secret: string;
  readonly seed: string;
  readonly end: Instant;
  readonly month: string;
  readonly path: string;
  readonly pages: PageFiles | null;
}

/** The service from a reset to the next. */
interface Life {
  readonly node: Node;
  readonly receive: RequestListener;
  end(): Promise<void>;
}

async function startLife(parts: LifeParts): Promise<Life> {
  const { config, listener, prefix, path, month, pages, seed, end, log } = parts;
  await removeDatabase(path);
  await copyFile(month, path);
  await using opened = new AsyncDisposableStack();
  const driver = opened.use(new SqliteDriver(path, { isSynced: false }));
  const clock = clockFrom(end, parts.clock);
  const { trustedProxies } = config.http;
  const visitors = new Visitors({ prefix, trustedProxies, isExempt: listener.isExempt, clock });
  const guard = visitors.guard.bind(visitors);
  const node = opened.use(
    await buildNode(demoParts({ ...parts, driver, clock, timers: systemTimers, guard })),
  );
  await startLoops(node);
  const keyUses = { note: () => undefined };
  const server = createHttpServer(node.deps, node.pings, { ...node.http, keyUses, pages, listener });
  opened.use(startWatching(node));
  const player = new Player(node.pings, new Pinger(seed, end), clock);
  opened.use(
    new Loop(() => player.tick(), {
      restMs: 1_000,
      onError: (err) => log.error({ event: 'demo.not_played', err }),
    }),
  );
  const all = opened.move();
  return {
    node,
    receive: visitors.receive(server.receive),
    async end() {
      server.retire();
      const giveUpAt = clock.monotonic() + seconds(MAX_ANSWERING_MS / 1_000);
      while (visitors.answeringCount > 0 && clock.monotonic() < giveUpAt)
        await pause(systemTimers, ANSWERING_LOOK_MS);
      await all.disposeAsync();
    },
  };
}

/** A clock that begins at that instant now. */
function clockFrom(start: Instant, machine: Clock): Clock {
  const begin = machine.monotonic();
  return {
    now: () => start + machine.monotonic() - begin,
    monotonic: () => machine.monotonic(),
  };
}
