/** Who has an outage, and silence for a while. */

import { AppError } from '../domain/errors.ts';
import { SNOOZES, snoozeEnd } from '../domain/policy/snooze.ts';
import { oneOf } from '../lib/fields.ts';
import { type Instant, seconds, toIsoSeconds } from '../lib/instant.ts';
import {
  acknowledgeCheck as acknowledge,
  snoozeCheck as snooze,
  unacknowledgeCheck as unacknowledge,
  unsnoozeCheck as unsnooze,
} from '../services/alert/answers.ts';
import { onMany } from '../services/check/check-bulk.ts';
import type { Actor } from '../services/core/actor.ts';
import type { AccountActor } from '../services/people/account-actor.ts';
import { readProfile } from '../services/people/profile.ts';
import type { OperationDeps } from '../views/operation.ts';
import { SNOOZE_FIELDS } from '../wire/api/snooze-input.ts';
import { type InputValues, optional } from '../wire/dashboard/input.ts';
import { checkAct, projectAct } from './act.ts';
import { MANY, shown } from './many.ts';

export const acknowledgeCheck = checkAct({
  permission: 'outages.answer',
  run: async (deps, { actor, checkId }) => {
    const { earlier } = await acknowledge(deps, actor, checkId);
    /** Who was first. */
    return { earlier: earlier && { by: earlier.by, at: toIsoSeconds(earlier.at) } };
  },
});

export const unacknowledgeCheck = checkAct({
  permission: 'outages.answer',
  run: async (deps, { actor, checkId }) => {
    await unacknowledge(deps, actor, checkId);
  },
});

/** One of the usual spans, in the zone of the person, or until a time, in UNIX time. */
const SPAN = {
  span: optional(oneOf(SNOOZES, 'For how long.')),
  until: optional(SNOOZE_FIELDS.until),
};

async function endOf(
  deps: OperationDeps,
  person: AccountActor,
  { span, until }: InputValues<typeof SPAN>,
): Promise<Instant> {
  if (until !== undefined) return seconds(until);
  if (span === undefined) throw new AppError('invalid_field', 'span or until is missing', { field: 'span' });
  const { tz } = (await readProfile(deps, person)).preferences;
  return snoozeEnd(span, tz, deps.clock.now());
}

export const snoozeCheck = checkAct({
  permission: 'outages.answer',
  input: SPAN,
  run: async (deps, { actor, checkId, person, input }) => {
    const until = await endOf(deps, person, input);
    const { check } = await snooze(deps, actor, checkId, { until });
    /** A longer snooze from before stays. */
    return { until: toIsoSeconds(check.snoozedUntilAt) };
  },
});

export const unsnoozeCheck = checkAct({
  permission: 'outages.answer',
  run: async (deps, { actor, checkId }) => {
    await unsnooze(deps, actor, checkId);
  },
});

type Verb = (deps: OperationDeps, actor: Actor, id: number) => Promise<unknown>;

const onEach = (verb: Verb) =>
  projectAct({
    permission: 'outages.answer',
    input: MANY,
    run: async (deps, { actor, input: { checks } }) =>
      shown(deps, await onMany(deps, actor, checks, (id) => verb(deps, actor, id))),
  });

export const acknowledgeChecks = onEach(acknowledge);
export const unacknowledgeChecks = onEach(unacknowledge);
export const unsnoozeChecks = onEach(unsnooze);

export const snoozeChecks = projectAct({
  permission: 'outages.answer',
  input: { ...MANY, ...SPAN },
  run: async (deps, { actor, person, input: { checks, ...input } }) => {
    const until = await endOf(deps, person, input);
    return shown(deps, await onMany(deps, actor, checks, (id) => snooze(deps, actor, id, { until })));
  },
});
