import { Fault, type Field, integer, objectSchema, oneOf, readExactly, text } from '../../lib/fields.ts';
import { type Micros, seconds } from '../../lib/instant.ts';
import { BoundedCache } from '../schedule/bounded-cache.ts';
import { type ExitMap, exitMapFault, parseExitMap } from './exit-map.ts';

/** What a rule does about a run that breaks it. */
export type Remark = 'warn' | 'fail';

/** Bounds for a number that jobs report with their ends. */
export interface NumberRule {
  readonly name: string;
  readonly min?: number;
  readonly max?: number;
  readonly on: Remark;
  readonly missing: 'ignore' | Remark;
}

/** The rules of a check for its runs, in the form in which pings and deadlines use them. */
export interface RunRules {
  /** Whether begin and end of a run have limits of their own. Otherwise the grace time limits both. */
  readonly hasTwoLimits: boolean;
  /** How long after the expected time a run may begin. Null: the grace time. */
  readonly beginWithin: Micros | null;
  /** How long a run may take without a sign of life. Null: the grace time. Infinite: as long as it likes. */
  readonly endWithin: Micros | null;
  /** A run counts for an expected time that it comes before by no more than this. */
  readonly early: Micros;
  readonly exitMap: ExitMap | null;
  /** A run that ends sooner is remarkable. Null: none is. */
  readonly minRunTime: Micros | null;
  readonly onShort: Remark;
  readonly numbers: readonly NumberRule[];
}

export const NO_RULES: RunRules = {
  hasTwoLimits: false,
  beginWithin: null,
  endWithin: null,
  early: 0,
  exitMap: null,
  minRunTime: null,
  onShort: 'warn',
  numbers: [],
};

export const MAX_LIMIT_SECONDS = 2_592_000;
export const MAX_EARLY_SECONDS = 43_200;
export const MAX_EXIT_MAP = 200;
export const MAX_DECLARED_NUMBERS = 10;

const NUMBER_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,62}$/;

/** A limit of the end may also be 0: none. */
const endWithin: Field<number> = {
  read(value, name) {
    const limit = integer({ minimum: 60, maximum: MAX_LIMIT_SECONDS });
    return value === 0 ? 0 : limit.read(value, name);
  },
  schema: {
    type: 'integer',
    minimum: 0,
    maximum: MAX_LIMIT_SECONDS,
    description:
      'Seconds a run may take after its start, or after its last `/progress`; `0` for no limit, else 60 or more. Without it: `grace`.',
  },
};

const exitMap: Field<string> = {
  read(value, name) {
    const map = text({ maxLength: MAX_EXIT_MAP }).read(value, name);
    if (map instanceof Fault) return map;
    const fault = exitMapFault(map);
    return fault === null ? map : new Fault(`${name}: ${fault}`);
  },
  schema: {
    type: 'string',
    maxLength: MAX_EXIT_MAP,
    description:
      'What exit statuses of `/<exit-status>` pings mean: `0,2-4=ok 24=warn *=fail`. The first match counts.',
  },
};

const bound = (description: string): Field<number> => ({
  read: (value, name) =>
    typeof value === 'number' && Number.isFinite(value) ? value : new Fault(`${name} is not a number`),
  schema: { type: 'number', description },
});

const NUMBER_FIELDS = {
  name: text({
    pattern: NUMBER_NAME,
    description: 'Its name in the body of the ping, or in `?number=name:value`.',
  }),
  min: bound('The least that is fine.'),
  max: bound('The most that is fine.'),
  on: oneOf(['warn', 'fail'], 'What a number outside of them does. Without it: `warn`.'),
  missing: oneOf(['ignore', 'warn', 'fail'], 'What an end without the number does. Without it: `ignore`.'),
};

const numbers: Field<NumberRule[]> = {
  read(value, name) {
    if (!Array.isArray(value)) return new Fault(`${name} is not an array`);
    if (value.length > MAX_DECLARED_NUMBERS)
      return new Fault(`${name} has more than ${MAX_DECLARED_NUMBERS} items`);
    const rules: NumberRule[] = [];
    for (const item of value) {
      const rule = readNumber(item, name);
      if (rule instanceof Fault) return rule;
      if (rules.some((other) => other.name === rule.name)) return new Fault(`${name} has ${rule.name} twice`);
      rules.push(rule);
    }
    return rules;
  },
  schema: {
    type: 'array',
    maxItems: MAX_DECLARED_NUMBERS,
    items: objectSchema(NUMBER_FIELDS, ['name']),
    description: 'Numbers that are taken from the body of ends, and bounds for them.',
  },
};

function readNumber(value: unknown, name: string): NumberRule | Fault {
  const read = readExactly(NUMBER_FIELDS, value, name);
  if (read instanceof Fault) return read;
  const { name: of, min, max, on = 'warn', missing = 'ignore' } = read;
  if (of === undefined) return new Fault(`an item in '${name}' has no name`);
  if (min !== undefined && max !== undefined && min > max)
    return new Fault(`${name}: min of ${of} is above its max`);
  return { name: of, ...(min !== undefined && { min }), ...(max !== undefined && { max }), on, missing };
}

/** The rules as requests and files name them, and as they are stored. */
const RULE_FIELDS = {
  begin_within: integer({
    minimum: 60,
    maximum: MAX_LIMIT_SECONDS,
    description:
      'Seconds after the expected time by which a run has to begin. Without it: `grace`. With it, or with `end_within`, the schedule is not watched while a run is open.',
  }),
  end_within: endWithin,
  early: integer({
    minimum: 0,
    maximum: MAX_EARLY_SECONDS,
    description:
      'A run counts for a time of the schedule that it comes before by so many seconds; at most half of the gap to the next time.',
  }),
  exit_map: exitMap,
  min_run_time: integer({
    minimum: 1,
    maximum: MAX_LIMIT_SECONDS,
    description: 'Seconds that a run takes at least. Only runs whose start is known are judged.',
  }),
  on_short: oneOf(['warn', 'fail'], 'What a run below `min_run_time` does. Without it: `warn`.'),
  numbers,
};

type RuleName = keyof typeof RULE_FIELDS;

/** Rules by name. A value of null removes the rule. */
export type RulesEdit = { readonly [Name in RuleName]?: RuleValue<Name> | null };

type RuleValue<Name extends RuleName> = (typeof RULE_FIELDS)[Name] extends Field<infer T> ? T : never;

/** The rules that are set, by the names of requests and files. */
export type RuleValues = { readonly [Name in RuleName]?: RuleValue<Name> };

const RULE_NAMES = Object.keys(RULE_FIELDS) as readonly RuleName[];

/** An edit that removes all rules. */
const NONE: RulesEdit = Object.fromEntries(RULE_NAMES.map((name) => [name, null]));

/** Rules in a request or a file: an object whose keys are merged with the rules of the check, or null to remove all. */
export const runRulesField: Field<RulesEdit> = {
  read(value, name) {
    if (value === null) return NONE;
    if (typeof value !== 'object' || Array.isArray(value)) return new Fault(`${name} is not an object`);
    const entries = Object.entries(value);
    const given = Object.fromEntries(entries.filter(([, one]) => one !== null));
    const read = readExactly(RULE_FIELDS, given, name);
    if (read instanceof Fault) return read;
    const removed = entries.filter(([, one]) => one === null).map(([rule]) => rule);
    const unknown = removed.find((rule) => !Object.hasOwn(RULE_FIELDS, rule));
    if (unknown !== undefined) return new Fault(`${name} has an unknown key ${JSON.stringify(unknown)}`);
    return { ...read, ...Object.fromEntries(removed.map((rule) => [rule, null])) };
  },
  schema: {
    ...objectSchema(RULE_FIELDS, []),
    type: ['object', 'null'],
    description:
      'Rules for runs. The keys are merged with those of the check; `null` removes a key, or all. Only where rules are set, and only in version 3.',
  },
};

/** The stored rules after the edit. Empty if there are none. The order of their names is always the same. */
export function editRules(stored: string, edit: RulesEdit): string {
  const rules: Record<string, unknown> = { ...storedRules(stored), ...edit };
  const left = RULE_NAMES.filter((name) => rules[name] !== undefined && rules[name] !== null);
  if (left.length === 0) return '';
  return JSON.stringify(Object.fromEntries(left.map((name) => [name, rules[name]])));
}

/** Why the rules contradict each other. Null if they do not. */
export function rulesConflict(stored: string): string | null {
  const { end_within: end, min_run_time: least } = storedRules(stored);
  if (end === undefined || end === 0 || least === undefined || least < end) return null;
  return 'run_rules.min_run_time is not below run_rules.end_within';
}

/** The rules by the names of requests and files. Empty if there are none, or if a newer version has written them. */
export function storedRules(stored: string): RuleValues {
  return parsed(stored).stored;
}

/** Whether a newer version has written rules that this one does not know. The check is watched without them. */
export function areUnknownRules(stored: string): boolean {
  return stored !== '' && parsed(stored).rules === NO_RULES;
}

/** The rules of a check. Most checks have none. */
export function rulesOf({ runRules }: { readonly runRules: string }): RunRules {
  return runRules === '' ? NO_RULES : parsed(runRules).rules;
}

interface ParsedRules {
  readonly stored: RuleValues;
  readonly rules: RunRules;
}

const UNKNOWN: ParsedRules = { stored: {}, rules: NO_RULES };

/** Few checks have rules, and many of these have the same. */
const known = new BoundedCache<ParsedRules>(1000);

function parsed(stored: string): ParsedRules {
  if (stored === '') return UNKNOWN;
  return known.get(stored, () => parse(stored));
}

function parse(stored: string): ParsedRules {
  const read = readStored(stored);
  if (read instanceof Fault) return UNKNOWN;
  const {
    begin_within,
    end_within,
    early = 0,
    exit_map,
    min_run_time,
    on_short = 'warn',
    numbers = [],
  } = read;
  return {
    stored: read,
    rules: {
      hasTwoLimits: begin_within !== undefined || end_within !== undefined,
      beginWithin: begin_within === undefined ? null : seconds(begin_within),
      endWithin:
        end_within === undefined ? null : end_within === 0 ? Number.POSITIVE_INFINITY : seconds(end_within),
      early: seconds(early),
      exitMap: exit_map === undefined ? null : parseExitMap(exit_map),
      minRunTime: min_run_time === undefined ? null : seconds(min_run_time),
      onShort: on_short,
      numbers,
    },
  };
}

function readStored(stored: string): RuleValues | Fault {
  try {
    return readExactly(RULE_FIELDS, JSON.parse(stored), 'run_rules');
  } catch {
    return new Fault('run_rules is not JSON');
  }
}
