import { AT_ONCE_NAME } from '../../domain/policy/presets.ts';
import { type PolicyRules, policyRules } from '../../domain/policy/rules.ts';
import type { StoredPolicy, TagRule } from '../../domain/policy/stored-policy.ts';

/** The rules that are set stand beside the name. */
export interface PolicyJson extends PolicyRules {
  readonly uuid: string;
  readonly name: string;
}

/** A calendar is shown by its name. */
export function policyJson(
  { uuid, name, rules }: StoredPolicy,
  calendarNames: ReadonlyMap<string, string>,
): PolicyJson {
  const shown = policyRules(rules);
  const { hours } = shown;
  return { uuid, name, ...shown, ...(hours !== undefined && { hours: calendarNames.get(hours) ?? hours }) };
}

export interface AlertingJson {
  readonly policy: string;
  readonly tags: { readonly tag: string; readonly policy: string; readonly as_one?: boolean }[];
}

export function alertingJson(alerting: {
  readonly policy: StoredPolicy | null;
  readonly tags: readonly TagRule[];
}): AlertingJson {
  return {
    policy: alerting.policy?.name ?? AT_ONCE_NAME,
    tags: alerting.tags.map(({ tag, policy, asOne }) => ({ tag, policy, ...(asOne && { as_one: true }) })),
  };
}
