import pino from 'pino';
import { effectiveSettings } from '../src/config/environment.ts';
import { readConfig } from '../src/config/read-config.ts';
import { SERVER } from '../src/integrations/kind/alert-event.test-support.ts';
import { messageLimits } from '../src/integrations/registry.ts';
import type { Clock } from '../src/lib/clock.ts';
import { systemRandom } from '../src/lib/random.ts';
import { systemTimers } from '../src/lib/timers.ts';
import { createVault } from '../src/lib/vault.ts';
import type { NodeDatabase, NodeParts } from '../src/node/node.ts';
import { ChangeFeed } from '../src/services/core/changes.ts';
import type { Reads } from '../src/services/core/reads.ts';
import type { Engine } from '../src/storage/dialect.ts';
import type { Store } from '../src/storage/store.ts';

export const TEST_SECRET = 'a secret for tests only';

export const SITE = {
  root: 'http://testserver',
  pingEndpoint: 'http://testserver/ping/',
  masterBadgeLabel: 'Tocsin',
  name: 'Tocsin',
};

export const MESSAGE_LIMITS = messageLimits(SERVER);

/** For what asks no questions. */
export const NO_READS: Reads = {
  ask: async () => {
    throw new Error('nothing was to be asked');
  },
  [Symbol.asyncDispose]: async () => undefined,
};

/** Its own thread writes, on SQLite as well: a clock that a test moves does not reach another one. */
export function testDatabase(store: Store, engine: Engine): NodeDatabase {
  const isShared = engine === 'postgres';
  return {
    store,
    readTime: async () => null,
    isShared,
    poolSize: isShared ? 8 : 1,
    writer: null,
    startReads: null,
    openExchange: null,
  };
}

/** The parts of a node without trouble: every message is taken, and time passes as `clock` says. */
export function testParts(
  database: NodeDatabase,
  clock: Clock,
  overrides: Partial<NodeParts> = {},
): NodeParts {
  return {
    database,
    changes: new ChangeFeed((error) => {
      throw error;
    }),
    clock,
    timers: systemTimers,
    random: systemRandom,
    vault: createVault(TEST_SECRET, overrides.random ?? systemRandom),
    objects: null,
    transports: {
      http: async () => ({ status: 200, headers: {}, body: new Uint8Array() }),
      mail: { send: async () => null, [Symbol.asyncDispose]: async () => undefined },
    },
    provider: null,
    process: {
      eventLoopLagSeconds: () => 0,
      residentBytes: () => 0,
      disk: async () => null,
      version: '0.0.0',
    },
    log: pino({ level: 'silent' }),
    backups: null,
    examine: null,
    contract: null,
    settings: {
      site: SITE,
      api: {
        rateLimitPerMinute: 0,
        rateBurst: 5_000,
        metricsKey: null,
        prometheusEnabled: true,
        v3Flips: 'array',
      },
      http: {
        requestTimeoutSeconds: 30,
        trustedProxies: ['127.0.0.1'],
        publicRateLimitPerMinute: 0,
        pingBodyLimit: 10_000,
      },
      // Polling is a loop of its own.
      integrations: { ...SERVER, TELEGRAM_POLLING: false },
      returnTemplate: null,
      limits: { checks: 20, pings: 100 },
      keepFailuresDays: 93,
      accounts: { ...readConfig({}).accounts, hasMail: true },
      effective: effectiveSettings({ SITE_NAME: 'Tocsin', SECRET_KEY: TEST_SECRET }),
    },
    ...overrides,
  };
}
