import type { Logger } from 'pino';
import type { LoopName } from '../domain/vitals.ts';
import { Loop, type Tick } from '../lib/loop.ts';
import type { Rest } from '../lib/timers.ts';
import type { Telemetry } from '../services/telemetry.ts';

/** The loops of a node: starts them, counts how they go, and logs what fails in them. They end in reverse order. */
export class Loops implements AsyncDisposable {
  readonly #telemetry: Telemetry;
  readonly #log: Logger;
  readonly #rest: Rest;
  readonly #started = new AsyncDisposableStack();
  readonly #byName = new Map<LoopName, Loop>();

  constructor(telemetry: Telemetry, log: Logger, rest: Rest) {
    this.#telemetry = telemetry;
    this.#log = log;
    this.#rest = rest;
  }

  /** `name` is for those who count, `event` for those who read that a tick failed, which takes `maxTickMs` at most. */
  start(name: LoopName, event: string, restMs: number, tick: Tick, maxTickMs?: number): Loop {
    const onError = (err: unknown) => this.#log.error({ event, err });
    const spans = { restMs, ...(maxTickMs !== undefined && { maxTickMs }) };
    const counted = this.#telemetry.countTicks(name, spans, tick);
    const loop = this.#started.use(new Loop(counted, { restMs, onError, rest: this.#rest }));
    this.#byName.set(name, loop);
    return loop;
  }

  /** There is work for the loop, if it has been started. */
  wake(name: LoopName): void {
    this.#byName.get(name)?.wake();
  }

  /** To be done when the loops end: after those that start later, before those that were started earlier. */
  defer(end: () => void | Promise<void>): void {
    this.#started.defer(end);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#started.disposeAsync();
  }
}
