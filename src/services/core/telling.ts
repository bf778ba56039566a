import type { Channel } from '../../domain/alert/channel.ts';
import { splitTags } from '../../domain/check/tags.ts';
import type { Hearer, Telling } from '../../domain/policy/coming.ts';
import { isToldAlways } from '../../domain/policy/gates.ts';
import { isStateful } from '../../integrations/registry.ts';
import type { CheckToTell, Reads } from '../../storage/store.ts';
import { calendarsOf } from './calendars.ts';
import type { CheckFacts } from './planned-checks.ts';
import { policiesOf } from './policies.ts';

type Told = Pick<CheckToTell, 'id' | 'projectId' | 'policy' | 'tags'>;

/** How the outages of these checks are told. Nothing is read if there are none. */
export async function tellingOf(
  reads: Pick<Reads, 'policies' | 'calendars'>,
  checks: readonly Told[],
): Promise<ReadonlyMap<number, Telling>> {
  if (checks.length === 0) return new Map();
  const policyOf = await policiesOf(reads, checks);
  const named = (check: Told) => {
    const { policy } = policyOf(check);
    const isAlways = isToldAlways(policy, splitTags(check.tags));
    return { projectId: check.projectId, calendar: isAlways ? null : policy.hours };
  };
  const hoursOf = await calendarsOf(reads, checks.map(named));
  return new Map(
    checks.map((check) => [check.id, { policy: policyOf(check).policy, hours: hoursOf(named(check)) }]),
  );
}

/** In the same way, of what a plan knows. */
export function tellingIn({ check, policy, hours }: Omit<CheckFacts, 'parents'>): Telling {
  return { policy, hours: isToldAlways(policy, check.tags) ? null : hours };
}

/** The channels of a project as those that may hear of an outage. `assigned` are the UUIDs of those of the check. */
export function hearersAmong(channels: readonly Channel[], assigned: readonly string[]): Hearer[] {
  return channels.map((channel) => ({
    ...{ uuid: channel.uuid, isOff: channel.off !== null, isStateful: isStateful(channel) },
    isAssigned: assigned.includes(channel.uuid),
  }));
}
