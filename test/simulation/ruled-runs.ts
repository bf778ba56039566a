import type { Check } from '../../src/domain/check/check.ts';
import type { RulesEdit } from '../../src/domain/check/run-rules.ts';
import type { Chance } from '../../src/lib/chance.ts';
import { type Micros, seconds } from '../../src/lib/instant.ts';
import { rulesIn } from './naive-rules.ts';
import type { Report } from './report.ts';

const EXIT_MAPS = ['0,2-4=ok 24=warn *=fail', '24=warn', '0=fail 1-255=ok', '*=ok'];
const NUMBERS = ['rows', 'stats.bytes'];
const RULES = [
  'begin_within',
  'end_within',
  'early',
  'exit_map',
  'min_run_time',
  'on_short',
  'numbers',
] as const;

/** Rules of any kind. Those that it does not name stay as they are. */
export function anyRules(chance: Chance): RulesEdit {
  return {
    ...(chance.happens(0.5) && { begin_within: chance.pick([60, 300, 1800]) }),
    ...(chance.happens(0.6) && { end_within: chance.pick([0, 60, 600, 3600, 7200]) }),
    ...(chance.happens(0.4) && { early: chance.pick([30, 120, 900, 3600]) }),
    ...(chance.happens(0.5) && { exit_map: chance.pick(EXIT_MAPS) }),
    ...(chance.happens(0.4) && { min_run_time: chance.pick([1, 30]) }),
    ...(chance.happens(0.3) && { on_short: chance.pick(['warn', 'fail']) }),
    ...(chance.happens(0.4) && { numbers: anyNumbers(chance) }),
  };
}

function anyNumbers(chance: Chance) {
  return chance.some(NUMBERS, 0.7).map((name) => ({
    name,
    ...(chance.happens(0.7) && { min: 1 }),
    ...(chance.happens(0.7) && { max: 1000 }),
    on: chance.pick(['warn', 'warn', 'fail'] as const),
    missing: chance.pick(['ignore', 'warn', 'fail'] as const),
  }));
}

/** Removes all rules, or some of them. */
export function withoutRules(chance: Chance): RulesEdit {
  const removed = chance.happens(0.5) ? RULES : chance.some(RULES, 0.5);
  return Object.fromEntries(removed.map((name) => [name, null]));
}

/** What a job tells, and how long after what it told before. */
export interface Step {
  readonly after: Micros;
  readonly report: Report;
  /** It comes as the limit of the run is over, while the nodes have not noticed. */
  readonly isTooLateByAHair?: boolean;
}

/** How a job tells of its runs. */
export class Habits {
  readonly #chance: Chance;
  readonly #usesRunIds: boolean;
  readonly #usesExitStatus: boolean;
  /** Null: it tells no numbers. */
  readonly #form: NonNullable<Report['form']> | null;

  constructor(chance: Chance) {
    this.#chance = chance;
    this.#usesRunIds = chance.happens(0.6);
    this.#usesExitStatus = chance.happens(0.5);
    this.#form = chance.happens(0.25) ? null : chance.pick(['pairs', 'json', 'address']);
  }

  /** How long before its time the job runs. */
  earliness(): Micros {
    return this.#chance.happens(0.3) ? seconds(this.#chance.pick([1, 25, 119, 600, 3000])) : 0;
  }

  /** One run, told as such jobs do. */
  course(check: Check): Step[] {
    const chance = this.#chance;
    const rid = this.#usesRunIds ? chance.uuid() : null;
    const limit = seconds(rulesIn(check).end_within || check.graceSeconds);
    const part = (share: number) => Math.round(limit * share * chance.fraction());
    const start: Step = { after: 0, report: { signal: 'start', rid } };
    const progress = (after: Micros): Step => ({ after, report: { signal: 'progress', rid } });
    const end = (after: Micros): Step => ({ after, report: this.#end(rid) });
    switch (
      chance.pick([
        'end',
        'end',
        'run',
        'run',
        'run',
        'kept alive',
        'kept alive',
        'lost end',
        'lost start',
        'overtaken',
        'too long',
        'a hair too long',
        'short',
      ] as const)
    ) {
      case 'end':
        return [end(0)];
      case 'run':
        return [start, end(part(0.9))];
      case 'kept alive':
        return [start, progress(part(0.9)), progress(part(0.9)), end(part(0.9))];
      case 'lost end':
        return chance.happens(0.5) ? [start] : [start, progress(part(0.9))];
      case 'lost start':
        return [progress(0), end(part(0.9))];
      case 'overtaken': {
        const other: Step = { after: part(2), report: this.#end(chance.uuid()) };
        return chance.happens(0.5) ? [start, other] : [start, other, end(part(2))];
      }
      case 'too long':
        return [start, end(limit + part(1))];
      case 'a hair too long':
        return [start, { ...end(limit), isTooLateByAHair: true }];
      case 'short':
        return [start, end(seconds(chance.fraction()))];
    }
  }

  #end(rid: string | null): Report {
    const chance = this.#chance;
    const numbers = Object.fromEntries(
      chance.some(NUMBERS, 0.9).map((name) => [name, chance.pick([0, 1, 12, 999, 1000.5, 2e6])]),
    );
    const told = this.#form === null ? {} : { form: this.#form, numbers };
    if (!this.#usesExitStatus) return { signal: chance.happens(0.9) ? 'success' : 'fail', rid, ...told };
    const exitStatus = chance.pick([0, 0, 0, 0, 2, 4, 5, 24, 255]);
    return { signal: exitStatus === 0 ? 'success' : 'fail', rid, exitStatus, ...told };
  }
}
