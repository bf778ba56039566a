import type { Logger } from 'pino';
import type { LoopName } from '../domain/vitals.ts';
import { Loop, type Tick } from '../lib/loop.ts';
import type { Rest } from '../lib/timers.ts';
import type { Telemetry } from '../services/instance/telemetry.ts';

/** The loops of a node. Starts and counts them, and logs what fails in them. They end in reverse order. */
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

  /**
   * `name` is the name in metrics, `event` the log event when a tick fails. `maxTickMs` is the longest time for one
   * tick.
   */
  start(name: LoopName, event: string, restMs: number, tick: Tick, maxTickMs?: number): Loop {
    const onError = (err: unknown) => this.#log.error({ event, err });
    const spans = { restMs, ...(maxTickMs !== undefined && { maxTickMs }) };
    const counted = this.#telemetry.countTicks(name, spans, tick);
    const loop = this.#started.use(new Loop(counted, { restMs, onError, rest: this.#rest }));
    this.#byName.set(name, loop);
    return loop;
  }

  /** Tells the loop that there is work. Does nothing if the loop has not been started. */
  wake(name: LoopName): void {
    this.#byName.get(name)?.wake();
  }

  /** Calls `end` when the loops end: after loops that start later, and before loops that started earlier. */
  defer(end: () => void | Promise<void>): void {
    this.#started.defer(end);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#started.disposeAsync();
  }
}
