import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pino from 'pino';
import { demoEnvironment } from '../../src/cli/demo.ts';
import { type Config, readConfig } from '../../src/config/read-config.ts';
import { DEMO_SEED, type Demonstration, startDemonstration } from '../../src/demo/demonstration.ts';
import { makeMonth } from '../../src/demo/month.ts';
import { MONTH_START } from '../../src/demo/world.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type Instant, seconds } from '../../src/lib/instant.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { REPOSITORY } from '../process.ts';

export const SECRET = 'a secret for tests only';
/** Two days are enough for what does not depend on the story. */
export const SHORT_END: Instant = MONTH_START + seconds(2 * 86_400);

export interface Place extends AsyncDisposable {
  readonly folder: string;
  readonly path: string;
}

export async function makePlace(): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-demo-'));
  return {
    folder,
    path: join(folder, 'tocsin.db'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

export function configFor(path: string, root = 'http://testserver'): Config {
  return readConfig(
    demoEnvironment({
      DATABASE_URL: `sqlite:${path}`,
      HOST: '127.0.0.1',
      PORT: '0',
      SITE_ROOT: root,
      TRUSTED_PROXIES: '127.0.0.1',
      LOG_LEVEL: 'silent',
    }),
  );
}

export async function makeTestMonth(
  path: string,
  end: Instant,
  tell: (share: number) => void = () => undefined,
): Promise<void> {
  const world = { seed: DEMO_SEED, secret: SECRET, version: '0.0.0', log: pino({ level: 'silent' }) };
  await makeMonth({ path, end, config: configFor(path), ...world, tell });
}

export function startTestDemonstration(config: Config, end: Instant = SHORT_END): Promise<Demonstration> {
  return startDemonstration(config, {
    clock: systemClock,
    random: systemRandom,
    log: pino({ level: 'silent' }),
    version: '0.0.0',
    pagesFolder: `${REPOSITORY}/web/dist`,
    resetSeconds: null,
    end,
  });
}

/** Every row of every table, except those that are named. */
export function rowsOf(path: string, except: readonly string[] = []): Record<string, unknown[]> {
  using file = new DatabaseSync(path, { readOnly: true });
  const tables = file.prepare("select name from sqlite_schema where type = 'table' order by name").all();
  return Object.fromEntries(
    tables
      .map(({ name }) => String(name))
      .filter((name) => !except.includes(name) && !name.startsWith('sqlite_'))
      .map((name) => [name, file.prepare(`select * from "${name}"`).all()]),
  );
}

/** Counts attempts to connect to anything, and refuses them. */
export function refuseConnections(): Disposable & { readonly attempts: unknown[] } {
  const { connect } = Socket.prototype;
  const attempts: unknown[] = [];
  Socket.prototype.connect = function refuse(...args: unknown[]) {
    attempts.push(args);
    throw new Error('a demonstration connects to nothing');
  };
  return {
    attempts,
    [Symbol.dispose]() {
      Socket.prototype.connect = connect;
    },
  };
}
