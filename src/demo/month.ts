import { setImmediate as turn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/read-config.ts';
import { Chance } from '../lib/chance.ts';
import type { Clock } from '../lib/clock.ts';
import { type Instant, type Micros, seconds } from '../lib/instant.ts';
import type { Timers } from '../lib/timers.ts';
import { DEMO_MARK } from '../main.ts';
import { buildNode, type Node } from '../node/node.ts';
import { startLoops, startWatching } from '../node/start-loops.ts';
import { parseProvisionFile } from '../provision/parse.ts';
import type { Actor } from '../services/core/actor.ts';
import { ingestPings } from '../services/ping/ingest.ts';
import { provision } from '../services/provisioning/provision.ts';
import { migrate } from '../storage/migrate.ts';
import { SqliteDriver } from '../storage/sqlite/driver.ts';
import { demoParts } from './parts.ts';
import { Pinger } from './pinger.ts';
import { ACTS, declaredWorld, MONTH_START, uuidOf } from './world.ts';

export interface MonthOptions {
  /** Where the database is to be. There is none yet. */
  readonly path: string;
  readonly seed: string;
  readonly secret: string;
  /** When it ends. Tests make shorter ones. */
  readonly end: Instant;
  readonly config: Config;
  readonly version: string;
  readonly log: Logger;
  /** Is told how far it is, from 0 to 1. */
  readonly tell?: (share: number) => void;
}

const NEXT_DEADLINE = 'select min(deadline_at) as at from checks';
const NEXT_MESSAGE = `select min(next_attempt_at) as at from (
    select next_attempt_at from deliveries where next_attempt_at is not null
    union all select next_attempt_at from mails where next_attempt_at is not null
    union all select next_attempt_at from channel_messages where next_attempt_at is not null)`;

/** Loops look at least once in this time, whatever happens. */
const LOOK_EVERY: Micros = seconds(3_600);
/** The shortest grace of all checks: no ping makes a deadline that is nearer. */
const MIN_GRACE: Micros = seconds(600);
/** A message that is held back is tried again after this time. */
const MIN_STEP: Micros = seconds(1);

/**
 * Makes a database in which five weeks have been lived. A node runs through them in virtual time: jobs ping it, deadlines pass,
 * messages are sent and refused, as in any other. The same seed makes the same month.
 */
export async function makeMonth(options: MonthOptions): Promise<void> {
  const { path, seed, end, tell = () => undefined } = options;
  await using driver = new SqliteDriver(path, { isSynced: false });
  const clock = new VirtualClock(MONTH_START);
  await migrate(driver, clock);
  const rests = new Rests();
  const random = new Chance(seed);
  await using node = await buildNode(
    demoParts({
      ...options,
      driver,
      clock,
      timers: rests,
      random: { bytes: (count) => random.bytes(count), uuid: () => random.uuid() },
    }),
  );
  const { store } = node.deps;
  await store.transaction((tx) => tx.instance.set(DEMO_MARK, seed));
  await provision(node.deps, parseProvisionFile('demo', JSON.stringify(declaredWorld(seed))));
  await startLoops(node);
  startWatching(node);
  const month = new Month({ node, driver, clock, rests, seed });
  await month.live(end, (now) => tell((now - MONTH_START) / (end - MONTH_START)));
  rests.end();
}

class VirtualClock implements Clock {
  readonly #start: Instant;
  #now: Instant;

  constructor(start: Instant) {
    this.#start = start;
    this.#now = start;
  }

  now(): Instant {
    return this.#now;
  }

  monotonic(): Micros {
    return this.#now - this.#start;
  }

  moveTo(at: Instant): void {
    this.#now = Math.max(this.#now, at);
  }
}

/** The rests of all loops. They end together, when there may be something to do. */
class Rests implements Timers {
  #ends: (() => void)[] = [];
  #isOver = false;

  /** The number of loops that rest. */
  get size(): number {
    return this.#ends.length;
  }

  readonly rest: Timers['rest'] = (_ms, signal) => {
    if (this.#isOver || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        this.#ends = this.#ends.filter((other) => other !== end);
        resolve();
      };
      this.#ends.push(end);
      signal.addEventListener('abort', end, { once: true });
    });
  };

  readonly callAfter: Timers['callAfter'] = () => () => undefined;

  wake(): void {
    for (const end of this.#ends) end();
  }

  /** From now on nobody rests: loops that are told to end do so. */
  end(): void {
    this.#isOver = true;
    this.wake();
  }
}

interface MonthParts {
  readonly node: Node;
  readonly driver: Pick<SqliteDriver, 'all'>;
  readonly clock: VirtualClock;
  readonly rests: Rests;
  readonly seed: string;
}

class Month {
  readonly #parts: MonthParts;
  readonly #pinger: Pinger;
  readonly #acts = [...ACTS];
  /** Loops that rest when nothing is to be done. */
  #loops = 1;
  #lookedAt = MONTH_START;
  /** The next deadline. Pings up to the other instant make none that is earlier. */
  #deadline = { at: MONTH_START, knownUntil: MONTH_START };

  constructor(parts: MonthParts) {
    this.#parts = parts;
    this.#pinger = new Pinger(parts.seed, MONTH_START);
  }

  async live(until: Instant, tell: (now: Instant) => void): Promise<void> {
    await this.#settle();
    this.#loops = this.#parts.rests.size;
    for (;;) {
      const lookAt = await this.#nextLook();
      const actAt = this.#acts[0]?.at ?? Number.POSITIVE_INFINITY;
      const next = Math.min(lookAt, actAt, this.#pinger.nextAt);
      if (next >= until) break;
      this.#parts.clock.moveTo(next);
      if (next === this.#pinger.nextAt) await ingestPings(this.#parts.node.deps, this.#pinger.takeDue(next));
      else if (next === actAt) await this.#act();
      else {
        await this.#look();
        tell(next);
      }
    }
    this.#parts.clock.moveTo(until);
    await this.#look();
  }

  /**
   * When loops find something to do. The loop of deadlines looks earlier and more often, at times that cost less to keep
   * (`alarm_at`), and would find nothing.
   */
  async #nextLook(): Promise<Instant> {
    const pingAt = this.#pinger.nextAt;
    if (pingAt > this.#deadline.knownUntil)
      this.#deadline = { at: await this.#earliest(NEXT_DEADLINE), knownUntil: pingAt + MIN_GRACE };
    const messageAt = await this.#earliest(NEXT_MESSAGE);
    const due = Math.min(this.#deadline.at, messageAt, this.#lookedAt + LOOK_EVERY);
    return Math.max(due, this.#lookedAt + MIN_STEP);
  }

  async #earliest(statement: string): Promise<Instant> {
    const [row] = await this.#parts.driver.all<{ at: Instant | null }>(statement);
    return row?.at ?? Number.POSITIVE_INFINITY;
  }

  /** Wakes all loops, and waits until they rest again. */
  async #look(): Promise<void> {
    const now = this.#parts.clock.now();
    this.#lookedAt = now;
    // A node beats every few seconds. All beats but the last one of a rest would change nothing.
    await this.#parts.node.deps.store.transaction((tx) => tx.liveness.beat('month', now, 0));
    this.#parts.rests.wake();
    await this.#settle();
    this.#deadline.knownUntil = now;
  }

  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < 2; ) {
      await turn();
      await this.#parts.node.notifier.settled();
      await this.#parts.node.accountMails?.settled();
      quiet = this.#parts.rests.size < this.#loops ? 0 : quiet + 1;
    }
  }

  async #act(): Promise<void> {
    const act = this.#acts.shift();
    if (act === undefined) return;
    const { accounts, checks } = this.#parts.node.deps.store;
    const { id, projectId } = (await checks.byUuid(uuidOf(this.#parts.seed, act))) ?? { id: 0, projectId: 0 };
    const owner = await accounts.ownerOf(projectId);
    if (owner === null) throw new Error(`${act.slug} belongs to nobody`);
    const actor: Actor = {
      projectId,
      ownerId: owner.id,
      caller: { kind: 'member', accountId: owner.id, role: 'owner', isConfirmed: false },
      by: {
        ...{ accountId: owner.id, name: owner.email, chosenName: owner.name },
        ...{ means: 'session', remoteAddr: '192.0.2.44' },
      },
    };
    await this.#parts.node.checkWriter.perform({ verb: act.verb, actor, id });
    this.#deadline.knownUntil = act.at;
  }
}
