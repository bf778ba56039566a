import type { Check } from '../../src/domain/check/check.ts';
import { type Micros, seconds } from '../../src/lib/instant.ts';
import type { Report } from './report.ts';

type Remark = 'warn' | 'fail';

/** The rules of a check, as they are stored. */
export interface Rules {
  readonly begin_within?: number;
  readonly end_within?: number;
  readonly early?: number;
  readonly exit_map?: string;
  readonly min_run_time?: number;
  readonly on_short?: Remark;
  readonly numbers?: readonly NumberRule[];
}

interface NumberRule {
  readonly name: string;
  readonly min?: number;
  readonly max?: number;
  readonly on: Remark;
  readonly missing: 'ignore' | Remark;
}

export function rulesIn({ runRules }: Pick<Check, 'runRules'>): Rules {
  return runRules === '' ? {} : (JSON.parse(runRules) as Rules);
}

/** What a ping that ends a run is stored as. */
export interface JudgedEnd {
  readonly signal: 'success' | 'fail';
  readonly flags: number | null;
  readonly numbers: string | null;
  readonly cause: string;
}

/** What the rules make of an end. `ranFor` is null if its start is not known. */
export function judgedEnd(rules: Rules, report: Report, ranFor: Micros | null): JudgedEnd {
  const remarks: [flag: number, remark: Remark | 'ignore', cause: string][] = [];
  let isGood = report.signal === 'success';
  let cause = isGood ? '' : 'failed';
  if (rules.exit_map !== undefined && report.exitStatus !== undefined) {
    const meaning = meaningOf(rules.exit_map, report.exitStatus);
    if (meaning === 'fail') remarks.push([0, 'fail', 'exit_map']);
    else isGood = true;
    if (isGood) cause = '';
    if (meaning === 'warn') remarks.push([1, 'warn', '']);
  }
  if (rules.min_run_time !== undefined && ranFor !== null && ranFor < seconds(rules.min_run_time))
    remarks.push([2, rules.on_short ?? 'warn', 'min_run_time']);
  const found: Record<string, number> = {};
  for (const { name, min, max, on, missing } of rules.numbers ?? []) {
    const value = report.numbers?.[name];
    if (value === undefined) {
      if (missing !== 'ignore') remarks.push([8, missing, `number ${name} missing`]);
      continue;
    }
    found[name] = value;
    if (min !== undefined && value < min) remarks.push([4, on, `number ${name} ${value} < ${min}`]);
    else if (max !== undefined && value > max) remarks.push([4, on, `number ${name} ${value} > ${max}`]);
  }
  let flags = 0;
  for (const [flag, remark, reason] of remarks) {
    flags |= flag;
    if (remark === 'fail' && cause === '') cause = reason;
    if (remark === 'fail') isGood = false;
  }
  return {
    signal: isGood ? 'success' : 'fail',
    flags: flags === 0 ? null : flags,
    numbers: Object.keys(found).length === 0 ? null : JSON.stringify(found),
    cause,
  };
}

/** Tries one status after the other. */
function meaningOf(map: string, status: number): string {
  for (const group of map.split(' ')) {
    const [statuses = '', meaning = ''] = group.split('=');
    for (const range of statuses.split(',')) {
      const [first = '', last = first] = range === '*' ? ['0', '255'] : range.split('-');
      for (let one = Number(first); one <= Number(last); one++) if (one === status) return meaning;
    }
  }
  return status === 0 ? 'ok' : 'fail';
}
