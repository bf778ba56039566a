import type { Logger } from 'pino';
import type { Config } from '../config/read-config.ts';
import type { HttpLimits } from '../http/limits.ts';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import type { Timers } from '../lib/timers.ts';
import { createVault } from '../lib/vault.ts';
import { httpLimits } from '../main.ts';
import type { NodeParts } from '../node/node.ts';
import { ChangeFeed } from '../services/core/changes.ts';
import { createSqlStore } from '../storage/sql/store.ts';
import type { SqliteDriver } from '../storage/sqlite/driver.ts';
import type { Store } from '../storage/store.ts';
import { demoTransports } from './transports.ts';
import { VISITOR_EMAIL } from './world.ts';

/** Sessions of visitors at the same time. The oldest one ends when there are more. */
export const MAX_VISITOR_SESSIONS = 200;

/** What differs between the month that is made and the service that visitors see. */
export interface DemoNode {
  readonly config: Config;
  readonly driver: SqliteDriver;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly secret: string;
  readonly version: string;
  readonly log: Logger;
  /** Stands between the node and its store. */
  readonly guard?: (store: Store) => Store;
}

/** All visitors share an account. Each has a limit by address (`visitors.ts`), and one stream. */
export function visitorLimits(config: Config): Partial<HttpLimits> {
  return {
    ...httpLimits(config),
    maxSessionRequestsPerMinute: 0,
    maxStreamsPerAccount: 2 * MAX_VISITOR_SESSIONS,
  };
}

/** A node that sends nothing, starts no threads, and lets nobody make an account. */
export function demoParts(demo: DemoNode): NodeParts {
  const { config, clock, timers, random, log, guard = (store) => store } = demo;
  const changes = new ChangeFeed((err) => log.error({ event: 'changes.subscriber_failed', err }));
  const store = createSqlStore(demo.driver, (changed) => changes.announce(changed));
  return {
    database: {
      store: guard(store),
      readTime: async () => null,
      isShared: false,
      poolSize: 1,
      startReads: null,
      writer: null,
      openExchange: null,
    },
    ...{ changes, clock, timers, random, log },
    vault: createVault(demo.secret, random),
    objects: null,
    transports: demoTransports(clock),
    provider: null,
    process: {
      eventLoopLagSeconds: () => 0,
      residentBytes: () => process.memoryUsage.rss(),
      disk: async () => null,
      version: demo.version,
    },
    backups: null,
    examine: null,
    contract: null,
    settings: {
      site: config.site,
      api: config.api,
      http: { ...config.http, limits: visitorLimits(config) },
      integrations: config.integrations,
      returnTemplate: null,
      limits: config.limits,
      keepFailuresDays: config.keepFailuresDays,
      accounts: {
        ...config.accounts,
        hasMail: true,
        localSignIn: false,
        passkeySite: null,
        signUp: { isOpen: false, domains: null },
        demonstration: { email: VISITOR_EMAIL, maxSessions: MAX_VISITOR_SESSIONS },
      },
      effective: [],
    },
  };
}
