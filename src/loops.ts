import type { Logger } from 'pino';
import type { LoopName } from './domain/vitals.ts';
import { Loop, type Rest, type Tick } from './lib/loop.ts';
import type { Telemetry } from './services/telemetry.ts';

/** Starts loops, counts how they go, and tells of what fails in them. Each ends with its node. */
export class Loops {
  readonly log: Logger;
  readonly telemetry: Telemetry;
  readonly #started: AsyncDisposableStack;
  readonly #rest: Rest | undefined;

  /** `rest` is how time passes for them, if not by a timer. */
  constructor(started: AsyncDisposableStack, telemetry: Telemetry, log: Logger, rest?: Rest) {
    this.#started = started;
    this.telemetry = telemetry;
    this.log = log;
    this.#rest = rest;
  }

  /** `name` is for those who count, `event` for those who read that a tick failed, which takes `maxTickMs` at most. */
  start(name: LoopName, event: string, restMs: number, tick: Tick, maxTickMs?: number): Loop {
    const onError = (err: unknown) => this.log.error({ event, err });
    const rest = this.#rest && { rest: this.#rest };
    const spans = { restMs, ...(maxTickMs !== undefined && { maxTickMs }) };
    const counted = this.telemetry.countTicks(name, spans, tick);
    return this.#started.use(new Loop(counted, { restMs, onError, ...rest }));
  }
}
