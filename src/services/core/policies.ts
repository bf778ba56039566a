import { splitTags } from '../../domain/check/tags.ts';
import { AT_ONCE, type Policy } from '../../domain/policy/policy.ts';
import { nearestPolicy, parsePolicy } from '../../domain/policy/rules.ts';
import type { CheckToTell, Reads } from '../../storage/store.ts';

type Tagged = Pick<CheckToTell, 'id' | 'projectId' | 'tags'>;

/** The policy that counts for each of the checks, by their ids. */
export async function policiesOf(
  reads: Pick<Reads, 'policies'>,
  checks: readonly Tagged[],
): Promise<(check: Tagged) => Policy> {
  const projects = await reads.policies.ofProjects([...new Set(checks.map(({ projectId }) => projectId))]);
  return ({ projectId, tags }) => {
    const known = projects.get(projectId);
    if (known === undefined) return AT_ONCE;
    const byId = new Map(known.policies.map((one) => [one.id, one]));
    const listed = known.tags.flatMap(({ tag, policyId }) => {
      const policy = byId.get(policyId);
      return policy === undefined ? [] : [{ tag, policy }];
    });
    const ofProject = known.policies.find(({ isDefault }) => isDefault) ?? null;
    const nearest = nearestPolicy(splitTags(tags), listed, ofProject);
    // A newer version may know rules that this one does not. Then alarms come at once.
    return (nearest && parsePolicy(nearest.rules)) ?? AT_ONCE;
  };
}
