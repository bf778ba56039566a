import type { QuietTimeInput } from '../../domain/check/quiet-time.ts';
import { type Instant, seconds, toIsoSeconds } from '../../lib/instant.ts';
import {
  announceQuietTime,
  deleteQuietTime,
  editQuietTime,
  type ListedQuietTime,
  listQuietTimes,
} from '../check/quiet-times.ts';
import { actorIn, fileActor } from './acts.ts';
import type { DeclaredQuietTime } from './declaration.ts';
import type { EntryKind } from './entries.ts';
import { changedFields, meant } from './kinds.ts';

/** A file is applied again when what it declares for once is over. That is left as it is. */
export function isToCome(declared: QuietTimeInput, now: Instant): boolean {
  const until = endOf(declared);
  return until === null || until > now;
}

/** Null if it comes again and again, or without an end. */
function endOf({ fromAt, untilAt, durationSeconds }: QuietTimeInput): Instant | null {
  if (untilAt !== null || fromAt === null || durationSeconds === null) return untilAt;
  return fromAt + seconds(durationSeconds);
}

/** Somebody has ended its span. The file does not begin it again, unless it declares another one. */
function isStopped({ fromAt, untilAt, durationSeconds }: ListedQuietTime, declared: QuietTimeInput): boolean {
  const until = endOf(declared);
  if (untilAt === null || until === null || declared.fromAt === null) return false;
  const isSameSpan =
    toIsoSeconds(fromAt) === toIsoSeconds(declared.fromAt) &&
    until - declared.fromAt === seconds(durationSeconds);
  return isSameSpan && untilAt < until;
}

export const QUIET_TIMES: EntryKind<DeclaredQuietTime, ListedQuietTime> = {
  kind: 'quiet_time',
  what: 'quiet time',
  nameOf: ({ name }) => name,
  stored: (deps, owner) => listQuietTimes(deps, fileActor(owner)),
  // Names are not unique. One that comes once never becomes one that comes again and again.
  find: (stored, { name, schedule }, formerId) =>
    meant(stored, formerId, (one) => one.name === name && (one.schedule === '') === (schedule === '')),
  subject: ({ uuid, name }) => ({ kind: 'quiet_time', id: uuid, name }),
  async apply(deps, owner, declared, found) {
    const actor = actorIn(deps, owner);
    if (found === undefined) return { entry: await announceQuietTime(deps, actor, declared), fields: [] };
    if (isStopped(found, declared)) return { entry: found, fields: [] };
    const entry = await editQuietTime(deps, actor, found.uuid, declared);
    return { entry, fields: changedFields(told(found), told(entry)) };
  },
  async remove(deps, owner, id) {
    const quietTime = (await QUIET_TIMES.stored(deps, owner)).find((one) => one.id === id);
    if (quietTime !== undefined) await deleteQuietTime(deps, actorIn(deps, owner), quietTime.uuid);
  },
};

function told({
  name,
  reason,
  tags,
  checkUuids,
  fromAt,
  untilAt,
  schedule,
  tz,
  durationSeconds,
}: ListedQuietTime) {
  const timing =
    untilAt === null
      ? { schedule, tz, duration: durationSeconds }
      : { from: toIsoSeconds(fromAt), until: toIsoSeconds(untilAt) };
  return { name, reason, tags, checks: checkUuids, ...timing };
}
