import type { Instant } from '../../lib/instant.ts';
import type { PingedCheck, RunResult } from '../check/check.ts';
import { exitMeaning } from '../check/exit-map.ts';
import { type NumberRule, type Remark, rulesOf } from '../check/run-rules.ts';
import { runNumbers, type SentNumber } from './declared-numbers.ts';
import type { Signal } from './ping.ts';
import type { RunVerdict } from './transition.ts';

/** What may be remarkable about a run. Stored as a sum. */
export const RUN_FLAGS = { exit: 1, short: 2, number: 4, missing: 8 } as const;

/** What is known of a run when a ping ends it. */
export interface EndedRun {
  /** The signal of the ping, by its address or by keywords. */
  readonly signal: RunResult;
  /** Null if the address names none, or if keywords have decided. */
  readonly exitStatus: number | null;
  /** Null if that is not known. */
  readonly startedAt: Instant | null;
  readonly endedAt: Instant;
  /** The stored part of the body. */
  readonly body: Uint8Array | null;
  readonly sent: readonly SentNumber[];
}

export interface Judgement extends RunVerdict {
  readonly signal: RunResult;
  /** The declared numbers, as JSON. Null if there are none. */
  readonly numbers: string | null;
}

/** Judges the end of a run by the rules of its check. A rule may turn a success into a failure, and is the cause then. */
export function judgeRun(check: Pick<PingedCheck, 'runRules'>, run: EndedRun): Judgement {
  const { exitMap, minRunTime, onShort, numbers } = rulesOf(check);
  const judging = new Judging(run.signal);
  if (exitMap !== null && run.exitStatus !== null) judging.takeExit(exitMeaning(exitMap, run.exitStatus));
  if (minRunTime !== null && run.startedAt !== null && run.endedAt - run.startedAt < minRunTime)
    judging.remark('short', onShort, 'min_run_time');
  if (numbers.length === 0) return judging.result(null);
  const found = runNumbers(
    numbers.map(({ name }) => name),
    run.body,
    run.sent,
  );
  for (const rule of numbers) judging.takeNumber(rule, found.get(rule.name));
  return judging.result(found.size === 0 ? null : JSON.stringify(Object.fromEntries(found)));
}

/**
 * Whether people are told that the run has a remark: it is a success with one, and the run before had none. So a job that
 * warns every night is told of once. A failure is told as such.
 */
export function isWarned(
  before: Pick<PingedCheck, 'lastFlags'>,
  after: Pick<PingedCheck, 'lastFlags'>,
  { signal }: { readonly signal: Signal },
): boolean {
  return signal === 'success' && before.lastFlags === 0 && after.lastFlags !== 0;
}

class Judging {
  #signal: RunResult;
  #flags = 0;
  #cause = 'failed';

  constructor(signal: RunResult) {
    this.#signal = signal;
  }

  takeExit(meaning: 'ok' | Remark): void {
    if (meaning === 'fail') this.#fail('exit_map');
    else this.#signal = 'success';
    if (meaning === 'warn') this.#flags |= RUN_FLAGS.exit;
  }

  takeNumber({ name, min, max, on, missing }: NumberRule, value: number | undefined): void {
    if (value === undefined) {
      if (missing !== 'ignore') this.remark('missing', missing, `number ${name} missing`);
    } else if (min !== undefined && value < min)
      this.remark('number', on, `number ${name} ${value} < ${min}`);
    else if (max !== undefined && value > max) this.remark('number', on, `number ${name} ${value} > ${max}`);
  }

  remark(flag: keyof typeof RUN_FLAGS, remark: Remark, cause: string): void {
    this.#flags |= RUN_FLAGS[flag];
    if (remark === 'fail') this.#fail(cause);
  }

  /** What has already failed has its cause. */
  #fail(cause: string): void {
    if (this.#signal === 'success') this.#cause = cause;
    this.#signal = 'fail';
  }

  result(numbers: string | null): Judgement {
    return { signal: this.#signal, flags: this.#flags, cause: this.#cause, numbers };
  }
}
