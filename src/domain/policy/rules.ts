import {
  Fault,
  type Field,
  flag,
  integer,
  objectSchema,
  oneOf,
  readExactly,
  text,
} from '../../lib/fields.ts';
import { seconds } from '../../lib/instant.ts';
import { splitTags } from '../check/tags.ts';
import { BoundedCache } from '../schedule/bounded-cache.ts';
import { TEXT_LIMITS } from '../text-limits.ts';
import { AT_ONCE, type Policy } from './policy.ts';
import {
  MAX_ACK_SECONDS,
  MAX_AGAIN,
  MAX_POLICY_SECONDS,
  MAX_RUNS,
  MAX_STEP_CHANNELS,
  MAX_STEPS,
  MIN_ACK_SECONDS,
  MIN_AGAIN_SECONDS,
  MIN_WAIT_SECONDS,
} from './policy-limits.ts';
import { PRESETS, THEN_NEXT_NAME } from './presets.ts';

/** Seconds, or 0 for none. */
function span(minimum: number, maximum: number, description: string): Field<number> {
  const field = integer({ minimum, maximum });
  return {
    read: (value, name) => (value === 0 ? 0 : field.read(value, name)),
    schema: { type: 'integer', minimum: 0, maximum, description },
  };
}

/** A step as requests and files name it, and as it is stored. */
export interface StepValue {
  readonly after: number;
  readonly tell: readonly string[];
}

const STEP_FIELDS = {
  after: integer({
    minimum: 0,
    maximum: MAX_POLICY_SECONDS,
    description: 'Seconds after the first message. They ascend.',
  }),
  tell: {
    read(value, name) {
      if (!Array.isArray(value)) return new Fault(`${name} is not an array`);
      if (value.length === 0) return new Fault(`${name} is empty`);
      if (value.length > MAX_STEP_CHANNELS) return new Fault(`${name} has too many items`);
      const items = value.map((item) => text().read(item, name));
      const fault = items.find((item) => item instanceof Fault);
      return fault ?? items.filter((item) => typeof item === 'string');
    },
    schema: {
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      maxItems: MAX_STEP_CHANNELS,
      description: 'Integrations: their UUIDs, or exact names.',
    },
  } satisfies Field<string[]>,
};

const steps: Field<StepValue[]> = {
  read(value, name) {
    if (!Array.isArray(value)) return new Fault(`${name} is not an array`);
    if (value.length > MAX_STEPS) return new Fault(`${name} has more than ${MAX_STEPS} items`);
    const read: StepValue[] = [];
    for (const item of value) {
      const step = readExactly(STEP_FIELDS, item, name);
      if (step instanceof Fault) return step;
      const { after, tell } = step;
      if (after === undefined || tell === undefined)
        return new Fault(`an item in '${name}' has no ${after === undefined ? 'after' : 'tell'}`);
      if (after < (read.at(-1)?.after ?? 0))
        return new Fault(`${name}: the times of its items do not ascend`);
      read.push({ after, tell });
    }
    return read;
  },
  schema: {
    type: 'array',
    maxItems: MAX_STEPS,
    items: objectSchema(STEP_FIELDS, ['after', 'tell']),
    description: 'Who else is told, after how long. A step after 0 seconds adds integrations from the start.',
  },
};

/** The rules of a policy as requests and files name them, and as they are stored. */
export const RULE_FIELDS = {
  bad_runs: integer({
    minimum: 1,
    maximum: MAX_RUNS,
    description: 'Tell after so many bad runs in a row. Without it: 1.',
  }),
  counts: oneOf(
    ['all', 'failed'],
    'Which bad runs are counted. With `failed`, a run that is missing or too long is told at once. Without it: `all`.',
  ),
  wait: span(
    MIN_WAIT_SECONDS,
    MAX_POLICY_SECONDS,
    'Tell only what is still down after so many seconds: 0, or 60 and more.',
  ),
  hours: text({
    maxLength: TEXT_LIMITS.calendarName,
    description: 'A calendar, by its name or UUID: what begins outside of it is told when it begins.',
  }),
  always_tags: text({
    maxLength: TEXT_LIMITS.checkTags,
    description: 'Tags, separated by spaces: checks with one of them are told outside of the hours, too.',
  }),
  again: span(
    MIN_AGAIN_SECONDS,
    MAX_POLICY_SECONDS,
    'Repeat after so many seconds, until somebody answers: 0 for never, or 300 and more.',
  ),
  again_most: integer({
    minimum: 1,
    maximum: MAX_AGAIN,
    description: 'Repeats at most. Without it: 48.',
  }),
  each_failure: flag('Tell each further failure while the check is down.'),
  // biome-ignore lint/suspicious/noThenProperty: it is the name in requests and files, and its value is no function.
  then: steps,
  good_runs: integer({
    minimum: 1,
    maximum: MAX_RUNS,
    description: 'Tell the recovery after so many good runs in a row. Without it: 1.',
  }),
  ack_lasts: span(
    MIN_ACK_SECONDS,
    MAX_ACK_SECONDS,
    'An acknowledgement lasts so many seconds: 0 for until the check is up, or 300 and more.',
  ),
};

type RuleName = keyof typeof RULE_FIELDS;
type RuleValue<Name extends RuleName> = (typeof RULE_FIELDS)[Name] extends Field<infer T> ? T : never;

/** The rules that are set. */
export type PolicyRules = { readonly [Name in RuleName]?: RuleValue<Name> };

/** Rules by name. A value of null removes the rule. */
export type PolicyRulesEdit = { readonly [Name in RuleName]?: RuleValue<Name> | null };

export const RULE_NAMES = Object.keys(RULE_FIELDS) as readonly RuleName[];

/** The edit that removes every rule. */
export const NO_RULES: PolicyRulesEdit = Object.fromEntries(RULE_NAMES.map((name) => [name, null]));

/** The schemas of the rules, by name. */
export const RULE_SCHEMAS = objectSchema(RULE_FIELDS, []);

/** Reads rules of a request or a file. Those of null are to be removed. */
export function readRules(given: Readonly<Record<string, unknown>>): PolicyRulesEdit | Fault {
  const entries = Object.entries(given);
  const unknown = entries.find(([name]) => !Object.hasOwn(RULE_FIELDS, name));
  if (unknown !== undefined) return new Fault(`policy has an unknown key ${JSON.stringify(unknown[0])}`);
  const read = readExactly(
    RULE_FIELDS,
    Object.fromEntries(entries.filter(([, one]) => one !== null)),
    'policy',
  );
  if (read instanceof Fault) return read;
  return { ...read, ...Object.fromEntries(entries.filter(([, one]) => one === null)) };
}

/** The rules after the edit, as they are stored. The order of their names is always the same. */
export function editPolicyRules(stored: string, edit: PolicyRulesEdit): string {
  // Rules of a newer version are lost only to somebody who writes others.
  if (Object.keys(edit).length === 0) return stored;
  const rules: Record<string, unknown> = { ...policyRules(stored), ...edit };
  const left = RULE_NAMES.filter((name) => rules[name] !== undefined && rules[name] !== null);
  return JSON.stringify(Object.fromEntries(left.map((name) => [name, rules[name]])));
}

/** The rules by their names. Empty if a newer version has written them. */
export function policyRules(stored: string): PolicyRules {
  return parsed(stored)?.rules ?? {};
}

/** The policy that the rules describe. Null if a newer version has written them: outages are told at once. */
export function parsePolicy(stored: string): Policy | null {
  return parsed(stored)?.policy ?? null;
}

interface ParsedPolicy {
  readonly rules: PolicyRules;
  readonly policy: Policy;
}

/** Projects have few policies, and many have the same. */
const known = new BoundedCache<ParsedPolicy | null>(1000);

function parsed(stored: string): ParsedPolicy | null {
  return known.get(stored, parse);
}

function parse(stored: string): ParsedPolicy | null {
  const rules = readStored(stored);
  if (rules instanceof Fault) return null;
  const { wait = 0, hours = '', always_tags = '', again = 0, then: given = [], ack_lasts = 0 } = rules;
  return {
    rules,
    policy: {
      ...AT_ONCE,
      badRuns: rules.bad_runs ?? AT_ONCE.badRuns,
      counts: rules.counts ?? AT_ONCE.counts,
      wait: seconds(wait),
      hours: hours || null,
      alwaysTags: splitTags(always_tags),
      again: seconds(again),
      againMost: rules.again_most ?? AT_ONCE.againMost,
      eachFailure: rules.each_failure ?? AT_ONCE.eachFailure,
      steps: given.map(({ after, tell }) => ({ after: seconds(after), tell })),
      goodRuns: rules.good_runs ?? AT_ONCE.goodRuns,
      ackLasts: seconds(ack_lasts),
    },
  };
}

function readStored(stored: string): PolicyRules | Fault {
  try {
    return readExactly(RULE_FIELDS, JSON.parse(stored), 'policy');
  } catch {
    return new Fault('policy is not JSON');
  }
}

export const NEXT_IS_MISSING = `json validation error: policy.then is missing: ${THEN_NEXT_NAME} needs integrations to tell next`;

const WELL_KNOWN: Readonly<Record<string, PolicyRules>> = PRESETS;

/** The rules of a policy that everybody knows by this name. Null: there is none. */
export function presetRules(name: string): PolicyRules | null {
  return (Object.hasOwn(WELL_KNOWN, name) ? WELL_KNOWN[name] : undefined) ?? null;
}
