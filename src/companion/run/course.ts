/** The course of a run: the job first, its pings beside it, and an end like the job's. */

import { inTime, LATE, whenOver } from '../in-time.ts';
import type { Leaving } from '../leave.ts';
import type { RunOptions } from '../options.ts';
import type { Moment } from '../ping.ts';
import { sleep, type Timing } from '../send/attempts.ts';
import { bodyOf, sharesOf } from './body.ts';
import type { Looked } from './expected/look.ts';
import type { OutputSource, StartedJob } from './job.ts';
import type { Lock, Locking } from './lock.ts';
import { type Numbers, numbersLine } from './numbers.ts';
import { type Kept, KeptOutput } from './output.ts';
import { type BodyFor, type RunPings, whenAborted } from './pings.ts';
import type { Secrets } from './redaction.ts';
import { bodyLimit, isSuccess, type Outcome, signalOf, statusOf, TIMED_OUT } from './report.ts';
import type { Said, Summarize } from './summaries/summary.ts';

export interface Course {
  readonly options: RunOptions;
  readonly timing: Timing;
  readonly moment: () => Moment;
  /** Whether one of our streams is a terminal, which sends some signals to the job itself. */
  readonly hasTerminal: boolean;
  readonly startJob: () => Promise<StartedJob>;
  /** Copies one stream of the job to ours: 0 is standard output, 1 standard error. */
  readonly copy: (source: OutputSource, stream: 0 | 1, keep: (piece: Uint8Array) => void) => Promise<void>;
  /** Resolves after whatever has come in meanwhile was handed over. */
  readonly afterInput: () => Promise<void>;
  readonly listen: (take: (signal: NodeJS.Signals) => void) => void;
  readonly pings: RunPings;
  /** Ours are known when the target is. */
  readonly secrets: () => Secrets;
  readonly tryLock: (() => Promise<Locking>) | null;
  /** Finds numbers in what the job has written; null where nobody wants any. */
  readonly summarize: Summarize | null;
  readonly complain: (line: string) => void;
}

/** `isStuck` if something that was begun has not come to its end. */
export interface Left {
  readonly leaving: Leaving;
  readonly isStuck: boolean;
}

const ASK_TO_END: ReadonlySet<NodeJS.Signals> = new Set(['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM']);
/** A terminal sends these to all processes in front. */
const SENT_BY_TERMINALS: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT']);
const LOCKED_OUT = 75;
const LOCK_PAUSE_MS = 200;
/** A disk that does not say in this time whether there is a lock keeps no job from running. */
const LOCK_MS = 3_000;
const GROUP_PAUSE_MS = 20;
/** For reporting after a signal that asks us to end. */
const HURRIED_MS = 3_000;
/** The end of the time for reporting, a quarter at the most, is for keeping what could not be sent. A disk may be slow. */
const KEEPING_MS = 1_000;
/** So much longer a disk is waited for. */
const MORE_MS = 400;
/** A job's output has come to rest after so long without a byte; a process in the background may hold it open. */
const QUIET_MS = 50;
const MOST_UNTIL_QUIET_MS = 1_000;
/** For looking at what the job has left behind. */
const LOOKING_MS = 3_000;
const HURRIED_LOOKING_MS = 1_000;
/** So much of each stream is read for a summary. */
const SUMMARY_BYTES = 131_072;

export async function runCourse(course: Course): Promise<Left> {
  return new Run(course).run();
}

interface Attempt {
  readonly outcome: Outcome;
  readonly body: (signal: NonNullable<ReturnType<typeof signalOf>>) => BodyFor;
}

class Run {
  readonly #course: Course;
  readonly #stop = new AbortController();
  #stopSignal: NodeJS.Signals | null = null;
  #onSecondStop: () => void = () => undefined;
  #running: StartedJob | null = null;
  /** Signals that came while no job was there to get them. */
  #waiting: NodeJS.Signals[] = [];
  readonly #copies: Promise<void>[] = [];
  #lastByteMs = 0;
  /** The time that looking has taken away from reporting. */
  #lookedMs = 0;
  #lock: Lock | null = null;
  /** The disk has not answered whether there is a lock. */
  #isLocking = false;

  constructor(course: Course) {
    this.#course = course;
  }

  async run(): Promise<Left> {
    const { options, listen, tryLock } = this.#course;
    listen((signal) => this.#take(signal));
    const refused = tryLock === null ? null : await this.#enter(tryLock);
    if (refused !== null) return refused;
    const last = await this.#attempts();
    const endedMs = this.#course.timing.monotonicMs();
    const signal = signalOf(last.outcome, options);
    const body = signal === null ? () => new Uint8Array() : last.body(signal);
    const report = this.#report({ at: this.#course.moment(), signal, body });
    const output = this.#untilOutputEnds(endedMs);
    const [isReported, isCopied] = await Promise.all([report, output]);
    const isLocking = this.#isLocking || (await this.#release()) === LATE;
    return { leaving: leavingOf(last.outcome), isStuck: !isReported || !isCopied || isLocking };
  }

  #take(signal: NodeJS.Signals): void {
    const isFirst = this.#stopSignal === null;
    if (ASK_TO_END.has(signal)) {
      this.#stopSignal ??= signal;
      this.#stop.abort();
      if (!isFirst) this.#onSecondStop();
    }
    const isThere = this.#course.hasTerminal && SENT_BY_TERMINALS.has(signal);
    if (isThere) return;
    if (this.#running === null) this.#waiting.push(signal);
    else this.#running.kill(signal);
  }

  /** Takes the lock. Where another run holds it, tells so. */
  async #enter(tryLock: () => Promise<Locking>): Promise<Left | null> {
    const { options, timing, complain } = this.#course;
    const end = timing.monotonicMs() + options['lock-wait'];
    for (;;) {
      const locking = await inTime(tryLock(), LOCK_MS, timing);
      if (locking === LATE) {
        this.#isLocking = true;
        complain('there is no lock: the disk does not answer');
        return null;
      }
      if (locking.kind === 'taken') {
        this.#lock = locking.lock;
        return null;
      }
      if (locking.kind === 'faulty') {
        complain(`there is no lock: ${locking.reason}`);
        return null;
      }
      if (this.#stopSignal === null && timing.monotonicMs() >= end) return this.#lockedOut(locking);
      await sleep(LOCK_PAUSE_MS, this.#stop.signal, timing);
      if (this.#stopSignal !== null)
        return { leaving: { kind: 'signal', signal: this.#stopSignal }, isStuck: false };
    }
  }

  async #release(): Promise<unknown> {
    return this.#lock === null ? null : await inTime(this.#lock.release(), MORE_MS, this.#course.timing);
  }

  async #lockedOut({ since, processId }: Locking & { kind: 'held' }): Promise<Left> {
    const text = `[tocsin] not started: another run goes on since ${since}, as process ${processId}`;
    const at = this.#course.moment();
    const isReported = await this.#report({ at, signal: 'log', body: () => Buffer.from(text) });
    return { leaving: { kind: 'exit', code: LOCKED_OUT }, isStuck: !isReported };
  }

  async #attempts(): Promise<Attempt> {
    const { options, pings, timing } = this.#course;
    for (let left = options.retries; ; left--) {
      const attempt = await this.#attempt(left === options.retries);
      const codes = options['retry-codes'];
      const isRepeated =
        left > 0 &&
        this.#stopSignal === null &&
        !isSuccess(attempt.outcome, options) &&
        (codes === null || codes.includes(statusOf(attempt.outcome)));
      if (!isRepeated) return attempt;
      pings.log(this.#course.moment(), attempt.body('log'));
      await sleep(options['retry-delay'], this.#stop.signal, timing);
      if (this.#stop.signal.aborted) return attempt;
    }
  }

  async #attempt(isFirst: boolean): Promise<Attempt> {
    const { options, pings, timing, moment } = this.#course;
    const kept = new KeptOutput(sharesOf(options, this.#course.secrets()));
    const running = await this.#start();
    const { startedMs } = running;
    const startedWallMs = moment().wallMs - (timing.monotonicMs() - startedMs);
    if (isFirst) pings.begin(moment());
    if (running.processId !== null) void this.#lock?.hand(running.processId).catch(() => undefined);
    const streams = [new KeptOutput(SUMMARY_SHARES), new KeptOutput(SUMMARY_SHARES)] as const;
    this.#copy(running, kept, streams);
    const timeoutMs = await this.#untilEnded(running);
    const ending = await running.ended;
    this.#running = null;
    const ended = { ending, timeoutMs, durationMs: timing.monotonicMs() - startedMs, unmet: [] };
    if (ending.kind === 'not started') this.#course.complain(ending.reason);
    await this.#untilQuiet();
    const output = kept.take();
    const looked = isSuccess(ended, options) ? await this.#look(startedWallMs) : NOT_LOOKED;
    for (const sentence of looked.unmet) this.#course.complain(sentence);
    const outcome: Outcome = { ...ended, unmet: looked.unmet };
    const { head, remarks } = this.#numbersOf(outcome, looked, streams);
    const body: Attempt['body'] = (signal) =>
      remembering((serverLimit) =>
        bodyOf({
          outcome,
          kept: output,
          secrets: this.#course.secrets(),
          options,
          signal,
          limit: bodyLimit(options, serverLimit),
          head,
          remarks,
        }),
      );
    return { outcome, body };
  }

  async #start(): Promise<StartedJob> {
    const running = await this.#course.startJob();
    this.#running = running;
    for (const signal of this.#waiting.splice(0)) running.kill(signal);
    return running;
  }

  /** Never rejects, and ends in time. */
  async #look(startedMs: number): Promise<Looked> {
    const { options, pings, timing } = this.#course;
    if (options['expect-file'].length === 0) return NOT_LOOKED;
    const before = timing.monotonicMs();
    const over = new AbortController();
    const timers: (() => void)[] = [];
    const stopWithin = (ms: number) => timers.push(whenOver(ms, timing, () => over.abort()));
    stopWithin(Math.min(LOOKING_MS, options['report-within'] / 2));
    const hurry = () => stopWithin(HURRIED_LOOKING_MS);
    this.#stop.signal.addEventListener('abort', hurry, { once: true });
    if (this.#stop.signal.aborted) hurry();
    this.#onSecondStop = () => over.abort();
    const why = (reason: string): Looked => ({ unmet: [`--expect-file: ${reason}`], bytes: null });
    const looked = await Promise.race([
      pings.look(startedMs).catch((error: unknown) => why(`cannot be looked at: ${error}`)),
      whenAborted(over.signal).then(() => why('the disk does not answer')),
    ]);
    for (const cancel of timers) cancel();
    this.#stop.signal.removeEventListener('abort', hurry);
    this.#lookedMs = timing.monotonicMs() - before;
    return looked;
  }

  /** The first line of the body, and what is to be said if there is none. */
  #numbersOf(
    outcome: Outcome,
    { bytes }: Looked,
    streams: readonly [KeptOutput, KeptOutput],
  ): { readonly head: string; readonly remarks: readonly string[] } {
    const { options, summarize } = this.#course;
    const files = bytes === null ? {} : { file_bytes: bytes };
    if (summarize === null) return { head: numbersLine(files), remarks: [] };
    const [out, err] = streams;
    const summary = this.#summary(() => summarize({ out: said(out.take()), err: said(err.take()) }));
    const isMissing = summary === null && isSuccess(outcome, options);
    return {
      head: numbersLine({ ...summary, ...files }),
      remarks: isMissing ? [`the output has no summary that --as ${options.as} knows`] : [],
    };
  }

  /** A fault of a reader costs the numbers, and nothing else. The output is whatever the job has written. */
  #summary(read: () => Numbers | null): Numbers | null {
    try {
      return read();
    } catch {
      return null;
    }
  }

  #copy(running: StartedJob, kept: KeptOutput, streams: readonly [KeptOutput, KeptOutput]): void {
    const { copy, timing, summarize } = this.#course;
    running.output?.forEach((source, index) => {
      const keep = (piece: Uint8Array) => {
        this.#lastByteMs = timing.monotonicMs();
        kept.add(piece);
        if (summarize !== null) streams[index === 0 ? 0 : 1].add(piece);
      };
      this.#copies.push(copy(source, index === 0 ? 0 : 1, keep));
    });
  }

  /** The limit that was passed, or null if the job ended by itself. */
  async #untilEnded(running: StartedJob): Promise<number | null> {
    const { options, timing } = this.#course;
    const { timeout } = options;
    if (timeout === null) {
      await running.ended;
      return null;
    }
    let isOver = false;
    const killed = new AbortController();
    let cancelKill: () => void = () => undefined;
    const cancel = timing.after(timeout, () => {
      isOver = true;
      running.killAll('SIGTERM');
      cancelKill = timing.after(options['kill-after'], () => {
        running.killAll('SIGKILL');
        killed.abort();
      });
    });
    await running.ended;
    cancel();
    // The job has ended; its children have as long as it had.
    while (isOver && !killed.signal.aborted && running.hasOthers()) {
      await sleep(GROUP_PAUSE_MS, killed.signal, timing);
    }
    cancelKill();
    return isOver ? timeout : null;
  }

  /** Until the streams have closed or nothing more comes. */
  async #untilQuiet(): Promise<void> {
    const { timing, afterInput } = this.#course;
    const end = timing.monotonicMs() + MOST_UNTIL_QUIET_MS;
    const closed = new AbortController();
    void Promise.all(this.#copies).then(() => closed.abort());
    // Streams that are closed already say so now.
    await afterInput();
    while (!closed.signal.aborted && timing.monotonicMs() < end) {
      const before = this.#lastByteMs;
      await sleep(QUIET_MS, closed.signal, timing);
      await afterInput();
      if (this.#lastByteMs === before) return;
    }
  }

  /** False if the time was not enough. */
  async #report(told: Omit<Parameters<RunPings['end']>[0], 'withinMs'>): Promise<boolean> {
    const { options, pings, timing, complain } = this.#course;
    const over = new AbortController();
    const left = new AbortController();
    const timers: (() => void)[] = [];
    const stopWithin = (ms: number, leftMs = ms + MORE_MS) => {
      timers.push(timing.after(timeToSend(ms), () => over.abort()));
      timers.push(timing.after(leftMs, () => left.abort()));
    };
    const withinMs = Math.max(0, options['report-within'] - this.#lookedMs);
    stopWithin(withinMs);
    const hurry = () => stopWithin(HURRIED_MS);
    this.#stop.signal.addEventListener('abort', hurry, { once: true });
    if (this.#stop.signal.aborted) hurry();
    this.#onSecondStop = () => stopWithin(0, KEEPING_MS);
    let isSettled = false;
    const result = { ...told, withinMs: timeToSend(withinMs) };
    const ended = pings.end(result, over.signal, () => {
      isSettled = true;
    });
    await Promise.race([ended, whenAborted(left.signal)]).catch((error: unknown) => {
      complain(`pings could not be sent: ${error instanceof Error ? error.message : error}`);
      isSettled = true;
    });
    if (!isSettled) complain('pings may be lost: they could be neither delivered nor kept in time');
    for (const cancel of timers) cancel();
    const isClean = !left.signal.aborted && pings.isClean();
    pings.close();
    return isClean;
  }

  /** False if others still write. */
  async #untilOutputEnds(endedMs: number): Promise<boolean> {
    const { options, timing } = this.#course;
    const enough = new AbortController();
    const { linger } = options;
    if (linger !== null) {
      timing.after(Math.max(0, endedMs + linger - timing.monotonicMs()), () => enough.abort());
    }
    this.#stop.signal.addEventListener('abort', () => enough.abort(), { once: true });
    if (this.#stop.signal.aborted) enough.abort();
    await Promise.race([Promise.all(this.#copies), whenAborted(enough.signal)]);
    return !enough.signal.aborted;
  }
}

const NOT_LOOKED: Looked = { unmet: [], bytes: null };
const SUMMARY_SHARES = { head: 0, tail: SUMMARY_BYTES };

const said = ({ tail, total }: Kept): Said => ({ text: Buffer.from(tail).toString('utf8'), bytes: total });

function timeToSend(withinMs: number): number {
  return withinMs - Math.min(KEEPING_MS, withinMs / 4);
}

/** Redacting takes time: the body for one limit is made once. */
function remembering(make: BodyFor): BodyFor {
  let last: { limit: number | null; body: ReturnType<BodyFor> } | null = null;
  return (limit) => {
    if (last === null || last.limit !== limit) last = { limit, body: make(limit) };
    return last.body;
  };
}

function leavingOf(outcome: Outcome): Leaving {
  if (outcome.timeoutMs !== null) return { kind: 'exit', code: TIMED_OUT };
  const { ending } = outcome;
  return ending.kind === 'signal' ? ending : { kind: 'exit', code: ending.code };
}
