import { deadlineOf, statusAt } from '../../domain/check/status.ts';
import type { AwaitedParent } from '../../domain/history/answer.ts';
import type { Parent } from '../../domain/policy/gates.ts';
import type { Instant } from '../../lib/instant.ts';
import type { CheckToTell, ParentOfCheck, Reads } from '../../storage/store.ts';

/** The parents of each of the checks, as they are now. Nothing is read if none has any. */
export async function parentsOf(
  reads: Pick<Reads, 'checkParents'>,
  checks: readonly CheckToTell[],
  now: Instant,
): Promise<(check: CheckToTell) => readonly Parent[]> {
  const children = checks.filter(({ parents }) => parents !== '');
  if (children.length === 0) return () => [];
  const found = await reads.checkParents.ofChecks(children.map(({ id }) => id));
  const byCheck = Map.groupBy(found, ({ checkId }) => checkId);
  return ({ id }) => (byCheck.get(id) ?? []).map((parent) => asParent(parent, now));
}

/** What pages say of checks that another one waits for. */
export function awaitedParents(parents: readonly ParentOfCheck[], now: Instant): AwaitedParent[] {
  return parents.map((parent) => {
    const { uniqueKey, name, slug, lateUntil, isDown } = { ...parent, ...asParent(parent, now) };
    const status = isDown ? 'down' : lateUntil === null ? 'well' : 'late';
    const missedAt = isDown && parent.status !== 'down' ? deadlineOf(parent) : null;
    return { uniqueKey, name: name || slug, status, since: missedAt ?? parent.lastFlipAt ?? now };
  });
}

function asParent(parent: ParentOfCheck, now: Instant): Parent {
  const status = soundStatus(parent, now);
  return {
    name: parent.name || parent.slug,
    isDown: status === 'down',
    lateUntil: status === 'grace' ? deadlineOf(parent) : null,
    upAt: status === 'up' || status === 'grace' ? parent.lastFlipAt : null,
  };
}

/** A parent that cannot be evaluated is as it is stored: it must not keep anybody from being told of others. */
function soundStatus(parent: ParentOfCheck, now: Instant) {
  try {
    return statusAt(parent, now);
  } catch {
    return parent.status;
  }
}
