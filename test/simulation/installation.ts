import type { Chance } from '../../src/lib/chance.ts';
import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';
import type { Driver } from '../../src/storage/driver.ts';
import type { Mishap } from './faulty-driver.ts';
import type { Internet } from './internet.ts';
import { SimulatedNode } from './node.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';

/** The probabilities of mishaps, for a whole run. */
export interface Climate {
  readonly nodeCount: number;
  readonly statementFails: number;
  readonly nodeDiesAtStatement: number;
  readonly commitIsLost: number;
  readonly nodeDiesAfterCommit: number;
  /** The most difference between the clocks of nodes. */
  readonly skew: Micros;
}

/** A time in which nobody could have seen a ping. */
export interface Gap {
  readonly from: Instant;
  readonly until: Instant;
}

/** The nodes of one installation on their common database, with all that can befall them. */
export class Installation {
  readonly climate: Climate;
  readonly gaps: Gap[] = [];
  /** When something went wrong that may have kept a node from knowing what it had done. */
  readonly troubles: Instant[] = [];
  /** Failures of nodes that no fault of the world explains. */
  readonly bugs: unknown[] = [];
  readonly #timeline: Timeline;
  readonly #chance: Chance;
  readonly #trace: Trace;
  readonly #driver: Driver;
  readonly #internet: Internet;
  readonly #keptDays: number;
  readonly #nodes = new Map<string, SimulatedNode>();
  readonly #clockOffsets = new Map<string, Micros>();
  /** By how much the clocks of machines have been set. */
  readonly #jumps = new Map<string, Micros>();
  #isDatabaseAway = false;
  #slowness: Micros = 0;
  #isCalm = false;
  #unwatchedSince: Instant | null;
  #watchedSince: Instant | null = null;

  constructor(parts: {
    climate: Climate;
    timeline: Timeline;
    chance: Chance;
    trace: Trace;
    driver: Driver;
    internet: Internet;
    keptDays: number;
  }) {
    this.climate = parts.climate;
    this.#timeline = parts.timeline;
    this.#chance = parts.chance;
    this.#trace = parts.trace;
    this.#driver = parts.driver;
    this.#internet = parts.internet;
    this.#keptDays = parts.keptDays;
    this.#unwatchedSince = parts.timeline.now;
  }

  get names(): string[] {
    return Array.from({ length: this.climate.nodeCount }, (_, index) => `node-${index + 1}`);
  }

  node(name: string): SimulatedNode | undefined {
    return this.#nodes.get(name);
  }

  get isDatabaseAway(): boolean {
    return this.#isDatabaseAway;
  }

  /** The nodes that can be reached. */
  get open(): SimulatedNode[] {
    return [...this.#nodes.values()].filter((node) => node.isOpen);
  }

  /** The nodes that do their work. */
  get serving(): SimulatedNode[] {
    return [...this.#nodes.values()].filter((node) => node.isServing);
  }

  /** Since when pings could be taken without interruption; null when they cannot. */
  get watchedSince(): Instant | null {
    return this.#watchedSince;
  }

  /** To be called whenever something may have changed. */
  noteWatch(): void {
    const isWatched = this.serving.length > 0 && !this.#isDatabaseAway;
    const now = this.#timeline.now;
    if (isWatched === (this.#watchedSince !== null)) return;
    if (isWatched) {
      if (this.#unwatchedSince !== null) this.gaps.push({ from: this.#unwatchedSince, until: now });
      this.#watchedSince = now;
      this.#unwatchedSince = null;
    } else {
      this.#watchedSince = null;
      this.#unwatchedSince = now;
    }
  }

  start(name: string): void {
    const previous = this.#nodes.get(name);
    if (previous !== undefined && !previous.life.isOver) return;
    this.#tell(`${name} starts`);
    const offset = this.#clockOffsets.getOrInsertComputed(name, () =>
      Math.round((this.#chance.fraction() * 2 - 1) * this.climate.skew),
    );
    const node = new SimulatedNode({
      name,
      isOnly: this.climate.nodeCount === 1,
      timeline: this.#timeline,
      chance: this.#chance.fork(name),
      driver: this.#driver,
      keptDays: this.#keptDays,
      clock: {
        now: () => this.#timeline.now + offset + (this.#jumps.get(name) ?? 0),
        monotonic: () => this.#timeline.now,
      },
      databaseTime: this.climate.nodeCount === 1 ? null : () => this.#timeline.now,
      weather: () => ({
        isAway: () => this.#isDatabaseAway,
        latency: () => this.#latency(),
        ofStatement: () => this.#mishap(this.climate.statementFails, this.climate.nodeDiesAtStatement),
        ofCommit: () => this.#mishap(this.climate.commitIsLost, this.climate.nodeDiesAfterCommit),
      }),
      transports: (life) => this.#internet.transports(life),
      onServing: () => this.noteWatch(),
      onDeath: () => this.#comeBack(name),
      onBug: (error) => this.bugs.push(error),
    });
    this.#nodes.set(name, node);
    void node.start();
  }

  /** Like kill -9. Somebody starts it again later. */
  crash(name: string): void {
    this.#nodes.get(name)?.crash();
  }

  /** Like SIGTERM, followed by a start. */
  async restart(name: string): Promise<void> {
    const node = this.#nodes.get(name);
    if (node === undefined || node.life.isOver) return;
    this.#tell(`${name} is asked to stop`);
    await node.stop();
    this.#tell(`${name} has stopped`);
    await this.#timeline.sleep(seconds(this.#chance.between(1, 10)));
    this.start(name);
  }

  holdUp(name: string, span: Micros): void {
    const node = this.#nodes.get(name);
    if (node === undefined || node.life.isOver) return;
    this.#tell(`${name} is held up for ${span / 1e6} s`);
    node.life.holdUp(this.#timeline.now + span);
    // Its end is an event, so that it is noticed.
    this.#timeline.after(span, () => undefined);
  }

  /** Somebody sets the clock of the machine, and after a while sets it right. */
  setClock(name: string, by: Micros, span: Micros): void {
    if (this.#jumps.has(name)) return;
    this.#tell(`the clock of ${name} is set by ${by / 1e6} s`);
    this.#jumps.set(name, by);
    this.#timeline.after(span, () => {
      this.#tell(`the clock of ${name} is right again`);
      this.#jumps.delete(name);
    });
  }

  loseDatabase(span: Micros): void {
    if (this.#isDatabaseAway) return;
    this.#tell(`the database is away for ${span / 1e6} s`);
    this.#isDatabaseAway = true;
    this.#timeline.after(span, () => {
      this.#isDatabaseAway = false;
      this.#tell('the database is back');
    });
  }

  slowDown(latency: Micros, span: Micros): void {
    this.#tell(`the database is slow for ${span / 1e6} s`);
    this.#slowness = latency;
    this.#timeline.after(span, () => {
      this.#slowness = 0;
      this.#tell('the database is quick again');
    });
  }

  /** From now on nothing goes wrong any more. */
  calm(): void {
    this.#tell('all is well from now on');
    this.#isCalm = true;
    for (const name of this.names) this.start(name);
  }

  #comeBack(name: string): void {
    this.#tell(`${name} dies`);
    const pause = this.#isCalm ? 1 : this.#chance.pick([1, 1, 5, 30, 120, 600]);
    this.#timeline.after(seconds(pause), () => this.start(name));
  }

  #latency(): Micros {
    const usual = this.#chance.happens(0.2) ? this.#chance.between(0, 5_000) : 0;
    if (this.#slowness === 0) return usual;
    this.troubles.push(this.#timeline.now);
    return usual + this.#chance.between(0, this.#slowness);
  }

  #mishap(fails: number, dies: number): Mishap {
    if (this.#isCalm) return 'none';
    const drawn = this.#chance.fraction();
    if (drawn < dies + fails) this.troubles.push(this.#timeline.now);
    if (drawn < dies) return 'node dies';
    return drawn < dies + fails ? 'fails' : 'none';
  }

  #tell(text: string): void {
    this.troubles.push(this.#timeline.now);
    this.#trace.tell(this.#timeline.now, text);
  }
}
