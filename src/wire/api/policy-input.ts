import { AppError } from '../../domain/errors.ts';
import { type PolicyRulesEdit, readRules } from '../../domain/policy/rules.ts';
import { MAX_TAG_POLICIES } from '../../domain/policy/stored-policy.ts';
import { TEXT_LIMITS } from '../../domain/text-limits.ts';
import { Fault, type Field, flag, objectSchema, readExactly, text } from '../../lib/fields.ts';
import type { JsonObject } from './body.ts';

export const POLICY_NAME_FIELD = text({
  maxLength: TEXT_LIMITS.policyName,
  pattern: /\S/,
  description: 'Its name, by which the project, tags and files refer to it.',
});

export interface PolicyInput {
  readonly name: string | undefined;
  readonly rules: PolicyRulesEdit;
}

/** The name and the rules of a policy, all in one object. */
export function parsePolicyInput({ api_key: _key, name, ...given }: JsonObject): PolicyInput {
  const rules = readRules(given);
  const read = name === undefined ? undefined : POLICY_NAME_FIELD.read(name, 'name');
  return { name: sound(read), rules: sound(rules) };
}

/** A new policy has a name. */
export function parseNewPolicy(body: JsonObject): PolicyInput & { readonly name: string } {
  const { name, rules } = parsePolicyInput(body);
  if (name === undefined) throw invalid('name is missing');
  return { name, rules };
}

const policyField = text({
  maxLength: TEXT_LIMITS.policyName,
  description:
    'The name or UUID of a policy; `at-once` or an empty text for none. `twice`, `patient` and `keep-reminding` are known to every project: their first use makes a policy.',
});

const TAG_FIELDS = {
  tag: text({ maxLength: TEXT_LIMITS.checkTags, pattern: /^\S+$/, description: 'A tag of checks.' }),
  policy: policyField,
  as_one: flag('Whether its checks are told of together: how many are missing, and that all are up again.'),
};

interface TagInput {
  readonly tag: string;
  readonly policy: string;
  readonly asOne: boolean;
}

/** A tag as callers send it. */
interface SentTag {
  readonly tag: string;
  readonly policy?: string;
  readonly as_one?: boolean;
}

const tagsField: Field<TagInput[], readonly SentTag[]> = {
  read(value, name) {
    if (!Array.isArray(value)) return new Fault(`${name} is not an array`);
    if (value.length > MAX_TAG_POLICIES) return new Fault(`${name} has too many items`);
    const tags: TagInput[] = [];
    for (const item of value) {
      const read = readExactly(TAG_FIELDS, item, name);
      if (read instanceof Fault) return read;
      const { tag, policy, as_one: asOne = false } = read;
      if (tag === undefined || (policy === undefined && !asOne))
        return new Fault(`an item in '${name}' has no ${tag === undefined ? 'tag' : 'policy'}`);
      if (tags.some((one) => one.tag === tag)) return new Fault(`${name} has ${tag} twice`);
      tags.push({ tag, policy: policy ?? '', asOne });
    }
    return tags;
  },
  schema: {
    type: 'array',
    maxItems: MAX_TAG_POLICIES,
    items: objectSchema(TAG_FIELDS, ['tag']),
    description:
      'Tags with policies of their own, or whose checks are told of together. Of each the first in the list that a check has counts.',
  },
};

export const ALERTING_FIELDS = { policy: policyField, tags: tagsField };

export interface AlertingInput {
  readonly policy: string;
  readonly tags: readonly TagInput[];
}

/** What is left out is none: it is replaced as a whole. */
export function parseAlerting({ api_key: _key, ...body }: JsonObject): AlertingInput {
  const { policy = '', tags = [] } = sound(readExactly(ALERTING_FIELDS, body, 'alerting'));
  return { policy, tags };
}

function sound<T>(read: T | Fault): T {
  if (read instanceof Fault) throw invalid(read.reason);
  return read;
}

function invalid(reason: string): AppError {
  return new AppError('invalid_field', `json validation error: ${reason}`);
}
