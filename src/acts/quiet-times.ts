/** Quiet times of a project. */
import { toIsoSeconds } from '../lib/instant.ts';
import * as quietTimes from '../services/check/quiet-times.ts';
import { QUIET_TIME_FIELDS, quietTimeOf } from '../wire/api/quiet-time-input.ts';
import { allOptional, uuidField } from '../wire/dashboard/input.ts';
import { projectAct } from './act.ts';

const FIELDS = allOptional(QUIET_TIME_FIELDS);
const NAMED = { quietTime: uuidField };

export const announceQuietTime = projectAct({
  permission: 'policies.edit',
  input: FIELDS,
  run: async (deps, { actor, input }) => {
    const { uuid, name, isNew } = await quietTimes.announceQuietTime(deps, actor, quietTimeOf(input));
    /** Otherwise it has replaced one of its name. */
    return { uuid, name, isNew };
  },
});

/** What is left out has its usual value then. */
export const editQuietTime = projectAct({
  permission: 'policies.edit',
  input: { ...NAMED, ...FIELDS },
  run: async (deps, { actor, input: { quietTime, ...input } }) => {
    await quietTimes.editQuietTime(deps, actor, quietTime, quietTimeOf(input));
  },
});

export const stopQuietTime = projectAct({
  permission: 'policies.edit',
  input: NAMED,
  run: async (deps, { actor, input: { quietTime } }) => {
    const { next } = await quietTimes.stopQuietTime(deps, actor, quietTime);
    /** When a recurring one comes again. */
    return { next: toIsoSeconds(next?.from ?? null) };
  },
});

export const deleteQuietTime = projectAct({
  permission: 'policies.edit',
  input: NAMED,
  run: async (deps, { actor, input: { quietTime } }) => {
    await quietTimes.deleteQuietTime(deps, actor, quietTime);
  },
});
