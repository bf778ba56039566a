import type { Chance } from '../../src/lib/chance.ts';
import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';
import type { Climate, Installation } from './installation.ts';
import { type Internet, MOODS } from './internet.ts';
import { HOSTS } from './population.ts';
import type { Timeline } from './timeline.ts';

const HOUR: Micros = seconds(3600);
const DAY: Micros = 24 * HOUR;

/** The kind of month. */
export function anyClimate(chance: Chance): Climate {
  const isRough = chance.happens(0.5);
  return {
    nodeCount: chance.pick([1, 1, 2, 3]),
    statementFails: isRough ? 0.002 : 0,
    nodeDiesAtStatement: isRough ? 0.0005 : 0,
    commitIsLost: isRough ? 0.002 : 0,
    nodeDiesAfterCommit: isRough ? 0.0005 : 0,
    skew: chance.happens(0.3) ? seconds(1) : 0,
  };
}

/** Lets things go wrong, each on its own account, until it is enough. */
export class Faults {
  readonly #timeline: Timeline;
  readonly #installation: Installation;
  readonly #internet: Internet;
  readonly #chance: Chance;
  readonly #until: Instant;

  constructor(parts: {
    timeline: Timeline;
    installation: Installation;
    internet: Internet;
    chance: Chance;
    until: Instant;
  }) {
    this.#timeline = parts.timeline;
    this.#installation = parts.installation;
    this.#internet = parts.internet;
    this.#chance = parts.chance;
    this.#until = parts.until;
  }

  start(): void {
    const installation = this.#installation;
    const node = (chance: Chance) => chance.pick(installation.names);
    this.#nowAndThen('crash', 12 * HOUR, (chance) => installation.crash(node(chance)));
    this.#nowAndThen('restart', DAY, (chance) => void installation.restart(node(chance)));
    this.#nowAndThen('hold-up', 10 * HOUR, (chance) =>
      installation.holdUp(node(chance), seconds(chance.pick([1, 5, 20, 40, 120]))),
    );
    this.#nowAndThen('database', 2 * DAY, (chance) =>
      installation.loseDatabase(seconds(chance.pick([1, 10, 29, 35, 300, 1800]))),
    );
    // If the database has a clock, the nodes' do not matter. Without one, time itself would jump.
    if (installation.climate.nodeCount > 1) {
      this.#nowAndThen('clock', 2 * DAY, (chance) => {
        const by = seconds(chance.pick([-86_400, -3600, -40, 40, 3600, 86_400]));
        installation.setClock(node(chance), by, seconds(chance.pick([20, 600, 7200])));
      });
    }
    this.#nowAndThen('slowness', DAY, (chance) =>
      installation.slowDown(seconds(chance.pick([0.1, 1, 3])), seconds(chance.between(10, 600))),
    );
    this.#nowAndThen('power', 4 * DAY, (chance) =>
      this.#cutPower(seconds(chance.pick([5, 60, 600, 4 * 3600]))),
    );
    for (const host of HOSTS) {
      this.#nowAndThen(host, DAY, (chance) => {
        const span = chance.pick([seconds(30), seconds(600), 2 * HOUR, 10 * HOUR, 30 * HOUR]);
        this.#internet.setMood(host, chance.pick(MOODS));
        this.#timeline.after(span, () => this.#internet.setMood(host, 'well'));
      });
    }
  }

  /** All nodes at once. Each comes back by itself after a while, but none before the span is over. */
  #cutPower(span: Micros): void {
    this.#installation.loseDatabase(span);
    for (const name of this.#installation.names) this.#installation.crash(name);
  }

  #nowAndThen(name: string, mean: Micros, happen: (chance: Chance) => void): void {
    const chance = this.#chance.fork(name);
    const next = () => {
      if (this.#timeline.now >= this.#until) return;
      happen(chance);
      this.#timeline.after(chance.wait(mean), next);
    };
    this.#timeline.after(chance.wait(mean), next);
  }
}
