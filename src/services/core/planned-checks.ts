import { splitTags } from '../../domain/check/tags.ts';
import type { PlanInput } from '../../domain/policy/plan.ts';
import type { Instant } from '../../lib/instant.ts';
import type { CheckToTell, Reads } from '../../storage/store.ts';
import { badRunsOf } from './bad-runs.ts';
import { calendarsOf } from './calendars.ts';
import { parentsOf } from './parents.ts';
import { policiesOf } from './policies.ts';
import { quietSpansOf } from './quiet-spans.ts';

export type PlanReads = Pick<
  Reads,
  'outages' | 'policies' | 'calendars' | 'checkParents' | 'quietTimes' | 'liveness'
>;

/** What a plan knows of a check besides its outage and those who may hear of it. */
export type CheckFacts = Pick<PlanInput, 'check' | 'policy' | 'hours' | 'parents'>;

/** Gathers it for checks as they are after the change that the plan is asked about. Each part is read for all of them at once. */
export async function factsOf(
  reads: PlanReads,
  checks: readonly CheckToTell[],
  now: Instant,
): Promise<(check: CheckToTell) => CheckFacts> {
  const policyOf = await policiesOf(reads, checks);
  const quietOf = await quietSpansOf(reads, checks);
  const parents = await parentsOf(reads, checks, now);
  const named = (check: CheckToTell) => ({
    projectId: check.projectId,
    calendar: policyOf(check).policy.hours,
  });
  const hoursOf = await calendarsOf(reads, checks.map(named));
  const badRuns = await badRunsOf(reads, checks, (check) => policyOf(check).policy.badRuns > 1, quietOf);
  return (check) => ({
    check: {
      tags: splitTags(check.tags),
      ...badRuns(check),
      quiet: quietOf(check).current,
      snoozedUntilAt: check.snoozedUntilAt,
    },
    policy: policyOf(check).policy,
    hours: hoursOf(named(check)),
    parents: parents(check),
  });
}
