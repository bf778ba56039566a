/** The pings of one run: in which order they go, how often they are tried, and what becomes of them. */
import type { Line as WholeLine } from '../line.ts';
import {
  type Delivery,
  isResult,
  type Moment,
  type Ping,
  type ServerLimits,
  type Signal,
  type Spool,
} from '../ping.ts';
import {
  REPORT_PAUSES_MS,
  sendOnce,
  sendWithin,
  sleep,
  startPausesMs,
  type Timing,
} from '../send/attempts.ts';
import { msBetween } from '../spool/age.ts';
import type { LeftMemory, Looked } from './expected/look.ts';

/** The body of a ping, for a server that has told its limit or not. */
export type BodyFor = (serverLimit: number | null) => Uint8Array | Promise<Uint8Array>;

type Line = Omit<WholeLine, 'spool'> & {
  readonly spool: Pick<
    NonNullable<WholeLine['spool']>,
    keyof Spool | 'isStuck' | 'lastLeft' | 'rememberLeft'
  > | null;
};

export interface RunPings {
  /** Sends `start`, and goes on in the background: tries again, and delivers what waits from earlier runs. */
  begin(at: Moment): void;
  /** Queues a ping that changes nothing. */
  log(at: Moment, body: BodyFor): void;
  /** Looks for what the job should have left behind. It stands here with all else that may hang. */
  look(startedMs: number): Promise<Looked>;
  /**
   * Sends the rest. A signal of null means that no result is wanted. After `until` nothing is tried, only kept. `settled` is called
   * as soon as each ping is delivered or kept, or has been told to be lost.
   */
  end(result: Result, until: AbortSignal, settled: () => void): Promise<void>;
  /** Whether all that was begun is over, so that nothing can keep this process from ending. */
  isClean(): boolean;
  /** Ends what is still under way. */
  close(): void;
}

export interface Result {
  /** The time for sending all of it. */
  readonly withinMs: number;
  readonly at: Moment;
  readonly signal: Signal | null;
  readonly body: BodyFor;
}

export interface PingsOptions {
  /** Null where there is no target; the reason has been said. */
  readonly open: () => Promise<Line | null>;
  readonly look: (startedMs: number, memory: LeftMemory) => Promise<Looked>;
  readonly rid: string | null;
  readonly sendsStart: boolean;
  readonly attemptMs: number;
  readonly timing: Timing;
  readonly moment: () => Moment;
  /** Told when a ping is lost. */
  readonly complain: (line: string) => void;
  /** Told of each ping. */
  readonly tell: (line: string) => void;
}

interface Queued {
  readonly signal: Signal;
  readonly at: Moment;
  readonly body: BodyFor;
}

/** A ping of this age is no ordinary one any longer. */
const LATE_MS = 1_000;
const EMPTY: BodyFor = () => new Uint8Array();

export class DirectPings implements RunPings {
  readonly #options: PingsOptions;
  readonly #queue: Queued[] = [];
  /** Aborted when the job has ended: pauses and deliveries of old pings end, an attempt does not. */
  readonly #jobEnded = new AbortController();
  /** Aborted when the time for reporting is over. */
  readonly #over = new AbortController();
  #work: Promise<void> | null = null;
  #opening: Promise<Line | null> = Promise.resolve(null);
  #line: Line | null = null;
  /** What the server has told, in this run or in an earlier one. */
  #limits: ServerLimits | null = null;
  #recalling: Promise<void> = Promise.resolve();
  /** Uses of the spool beside pings: a disk that hangs holds up no ping. */
  readonly #asides = new Set<Promise<void>>();
  #wake: () => void = () => undefined;
  #hasDelivered = false;
  #hasFailed = false;
  #isBusy = false;
  #isLooking = false;
  #endMs = 0;

  constructor(options: PingsOptions) {
    this.#options = options;
  }

  begin(at: Moment): void {
    if (this.#options.sendsStart) this.#queue.push({ signal: 'start', at, body: EMPTY });
    this.#startWork();
  }

  log(at: Moment, body: BodyFor): void {
    this.#queue.push({ signal: 'log', at, body });
    this.#startWork();
    this.#wake();
  }

  async look(startedMs: number): Promise<Looked> {
    this.#isLooking = true;
    const looked = await this.#options.look(startedMs, this.#memoryOf(this.#opening.catch(() => null)));
    this.#isLooking = false;
    return looked;
  }

  #memoryOf(opening: Promise<Line | null>): LeftMemory {
    return {
      last: async (patterns) => {
        const line = await opening;
        return (await line?.spool?.lastLeft(line.target, patterns)) ?? [];
      },
      remember: (left) => {
        const work = opening.then((line) => line?.spool?.rememberLeft(line.target, left));
        void this.#aside(work);
      },
    };
  }

  async end({ at, signal, body, withinMs }: Result, until: AbortSignal, settled: () => void): Promise<void> {
    this.#endMs = this.#options.timing.monotonicMs() + withinMs;
    const over = () => this.#over.abort();
    until.addEventListener('abort', over, { once: true });
    if (until.aborted) over();
    this.#startWork();
    this.#jobEnded.abort();
    this.#wake();
    await this.#work;
    if (this.#line === null) {
      settled();
      return;
    }
    this.#isBusy = true;
    if (signal !== null) this.#queue.push({ signal, at, body });
    const isDelivered = await this.#report(this.#line, at);
    settled();
    if (isDelivered && !this.#hasDelivered) await this.#deliverOld(this.#line, this.#over.signal);
    await Promise.all(this.#asides);
    this.#isBusy = false;
  }

  isClean(): boolean {
    const isStuck = this.#asides.size > 0 || this.#line?.spool?.isStuck() === true;
    return !this.#hasFailed && !this.#isBusy && !this.#isLooking && !isStuck;
  }

  close(): void {
    this.#line?.sender.close();
  }

  #startWork(): void {
    this.#work ??= this.#whileRunning().catch((error: unknown) => {
      this.#options.complain(`pings cannot be sent: ${error instanceof Error ? error.message : error}`);
      this.#line = null;
    });
  }

  /** From the start of the job to its end. */
  async #whileRunning(): Promise<void> {
    this.#isBusy = true;
    this.#opening = this.#options.open();
    const line = await this.#opening;
    if (line === null) {
      this.#isBusy = false;
      return;
    }
    this.#line = line;
    this.#recalling = this.#aside(this.#recall(line));
    const ended = this.#jobEnded.signal;
    for (;;) {
      const next = this.#queue[0];
      if (next !== undefined) {
        if (await this.#sendPatiently(line, next)) this.#queue.shift();
      } else if (!this.#hasDelivered) await this.#deliverOld(line, this.#untilPing());
      else if (!ended.aborted) await this.#nextPing();
      if (ended.aborted) break;
    }
    this.#isBusy = false;
  }

  #aside(work: Promise<void>): Promise<void> {
    this.#asides.add(work);
    return work.finally(() => this.#asides.delete(work));
  }

  async #recall({ spool, target }: Line): Promise<void> {
    const limits = (await spool?.limitsOf(target)) ?? null;
    this.#limits ??= limits;
  }

  #nextPing(): Promise<void> {
    return whenAborted(this.#untilPing());
  }

  /** Aborted when there is a ping to send, or the job has ended. */
  #untilPing(): AbortSignal {
    const ping = new AbortController();
    this.#wake = () => ping.abort();
    if (this.#queue.length > 0 || this.#jobEnded.signal.aborted) ping.abort();
    return ping.signal;
  }

  /** False if the job ended before the server has answered. */
  async #sendPatiently(line: Line, queued: Queued): Promise<boolean> {
    const ended = this.#jobEnded.signal;
    const { attemptMs, timing } = this.#options;
    for (const pause of startPausesMs()) {
      const ping = await this.#pingOf(line, queued);
      const ageMs = () => this.#ageOf(queued);
      const delivery = await sendOnce(line.sender, ping, {
        ageMs,
        attemptMs,
        until: this.#over.signal,
        timing,
      });
      if (await this.#isSettled(line, queued, delivery)) return true;
      if (delivery.kind === 'failed') await sleep(Math.max(pause, delivery.retryAfterMs ?? 0), ended, timing);
      if (ended.aborted) return false;
    }
    return false;
  }

  /** After the job has ended: what is still queued, in order; what cannot be delivered is kept. False if anything was not delivered. */
  async #report(line: Line, endedAt: Moment): Promise<boolean> {
    let isLost = false;
    while (this.#queue.length > 0 && !isLost) {
      const [next] = this.#queue;
      if (next === undefined) break;
      const isLateStart = next.signal === 'start' && !this.#mayStartLate(next, endedAt);
      const rest = this.#queue.slice(isLateStart ? 1 : 0);
      const sent = rest[0];
      if (sent === undefined) break;
      if (!this.#over.signal.aborted && (await this.#sendInTime(line, sent)))
        this.#queue.splice(0, isLateStart ? 2 : 1);
      else isLost = true;
    }
    if (isLost) await this.#keep(line);
    return !isLost;
  }

  /** A start that comes with the result: a server that knows no late pings would take it for a run that has just begun. */
  #mayStartLate(start: Queued, endedAt: Moment): boolean {
    return this.#limits?.ageSeconds != null || msBetween(start.at, endedAt) < LATE_MS;
  }

  async #sendInTime(line: Line, queued: Queued): Promise<boolean> {
    const { attemptMs, timing } = this.#options;
    const delivery = await sendWithin(line.sender, await this.#pingOf(line, queued), {
      ageMs: () => this.#ageOf(queued),
      attemptMs,
      withinMs: this.#endMs - timing.monotonicMs(),
      pausesMs: REPORT_PAUSES_MS,
      until: this.#over.signal,
      timing,
    });
    return this.#isSettled(line, queued, delivery);
  }

  async #isSettled(line: Line, { signal, at }: Queued, delivery: Delivery): Promise<boolean> {
    const { tell, complain } = this.#options;
    switch (delivery.kind) {
      case 'accepted':
        tell(`${signal}: delivered`);
        this.#limits = delivery.limits;
        if (line.spool !== null) {
          const result = isResult(signal) ? at : undefined;
          void this.#aside(line.spool.remember(line.target, delivery.limits, result));
        }
        return true;
      case 'refused':
        complain(`the server does not accept pings of ${line.target.label}: it answers ${delivery.status}`);
        return true;
      case 'failed':
        tell(`${signal}: not delivered: ${delivery.reason}`);
        this.#hasFailed = true;
        return false;
    }
  }

  async #keep({ spool, target, ...line }: Line): Promise<void> {
    for (const queued of this.#queue) {
      const ping = await this.#pingOf({ spool, target, ...line }, queued);
      if (spool !== null && (await spool.put(ping))) this.#options.tell(`${queued.signal}: kept for later`);
      else
        this.#options.complain(`pings of ${target.label} are lost: they could be neither delivered nor kept`);
    }
    // A full spool takes a while, in which the result is kept already.
    await spool?.makeRoom();
  }

  /** What was interrupted goes on later. */
  async #deliverOld({ spool, sender }: Line, until: AbortSignal): Promise<void> {
    if (spool !== null) {
      await Promise.race([this.#aside(spool.deliver(sender, until)), whenAborted(until)]);
    }
    this.#hasDelivered = !until.aborted;
  }

  async #pingOf({ target }: Line, { signal, at, body }: Queued): Promise<Ping> {
    // The limit that is remembered matters only where the server has not answered.
    if (this.#limits === null && body !== EMPTY) {
      await Promise.race([this.#recalling, whenAborted(this.#over.signal)]);
    }
    const bytes = await body(this.#limits?.bodyBytes ?? null);
    return { target, signal, rid: this.#options.rid, at, body: bytes };
  }

  /** Null for an ordinary ping: a fresh one, or one to a server that does not know late ones. */
  #ageOf({ at }: Queued): number | null {
    const age = msBetween(at, this.#options.moment());
    return age >= LATE_MS && this.#limits?.ageSeconds != null ? age : null;
  }
}

export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}
