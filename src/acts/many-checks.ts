/** Acts on many checks of a project. A check that fails does not concern the others. */
import { splitTags } from '../domain/check/tags.ts';
import { TEXT_LIMITS } from '../domain/text-limits.ts';
import { oneOf, text } from '../lib/fields.ts';
import { type CommandFor, performOnMany, restoreMany } from '../services/check/check-bulk.ts';
import { setPolicyOfChecks as setPolicy } from '../services/check/check-policies.ts';
import { changedFileFields } from '../services/check/file-fields.ts';
import type { Actor } from '../services/core/actor.ts';
import { enterProject } from '../services/people/own-projects.ts';
import type { OperationDeps } from '../views/operation.ts';
import { optional, uuidField, uuidListField } from '../wire/dashboard/input.ts';
import { projectAct } from './act.ts';
import { MANY, shown } from './many.ts';

async function perform(deps: OperationDeps, actor: Actor, uuids: readonly string[], commandFor: CommandFor) {
  return shown(deps, await performOnMany(deps, deps.checkWriter, actor, uuids, commandFor));
}

const simpleActs = (verb: 'pause' | 'undo_pause' | 'resume_expecting') =>
  projectAct({
    permission: 'checks.edit',
    input: MANY,
    run: (deps, { actor, input }) => perform(deps, actor, input.checks, (id) => ({ verb, actor, id })),
  });

export const pauseChecks = simpleActs('pause');
export const undoPauses = simpleActs('undo_pause');
export const resumeChecks = simpleActs('resume_expecting');

const tagsField = optional(text({ maxLength: TEXT_LIMITS.checkTags }));
const channelsField = optional(uuidListField);

/** Adds and removes tags and integrations. What files have set is changed only where somebody has agreed to it. */
export const adjustChecks = projectAct({
  permission: 'checks.edit',
  input: {
    ...MANY,
    ...{ addTags: tagsField, removeTags: tagsField },
    ...{ addChannels: channelsField, removeChannels: channelsField },
    /** Absent: does it, unless it changes what files have set. */
    files: optional(
      oneOf(['tell', 'override'], 'Whether it only tells what files have set, or changes that, too.'),
    ),
  },
  run: async (deps, { actor, input }) => {
    const { checks, files, addTags = '', removeTags = '', addChannels = [], removeChannels = [] } = input;
    const tags = { addTags: splitTags(addTags), removeTags: splitTags(removeTags) };
    const adjustment = { ...tags, addChannels, removeChannels };
    const { head: fromFiles } =
      files === 'override'
        ? { head: [] }
        : await deps.reads.ask(changedFileFields, { actor, checks, adjustment });
    if (files === 'tell' || fromFiles.length > 0) return { done: [], refused: [], fromFiles };
    const adjust: CommandFor = (id) => ({ verb: 'adjust', actor, id, input: adjustment });
    return { ...(await perform(deps, actor, checks, adjust)), fromFiles };
  },
});

/** The name or UUID of a policy. Empty: none of their own. */
export const setPolicyOfChecks = projectAct({
  permission: 'checks.edit',
  input: { ...MANY, policy: text({ maxLength: TEXT_LIMITS.policyName }) },
  run: async (deps, { actor, input: { checks, policy } }) =>
    shown(deps, await setPolicy(deps, actor, checks, policy)),
});

export const moveChecks = projectAct({
  permission: 'checks.edit',
  input: { ...MANY, target: uuidField },
  run: async (deps, { actor, person, input }) => {
    const target = await enterProject(deps, person, input.target);
    return perform(deps, actor, input.checks, (id) => ({ verb: 'move', actor, id, target }));
  },
});

export const deleteChecks = projectAct({
  permission: 'checks.edit',
  /** The number of checks, if somebody has typed it. */
  input: { ...MANY, typedCount: optional(text({ maxLength: 36 })) },
  run: (deps, { actor, input: { checks, typedCount } }) => {
    const assurance = typedCount === String(checks.length) ? 'given' : null;
    return perform(deps, actor, checks, (id) => ({ verb: 'remove', actor, id, assurance }));
  },
});

export const restoreChecks = projectAct({
  permission: 'checks.edit',
  input: MANY,
  run: async (deps, { actor, input }) =>
    shown(deps, await restoreMany(deps.checkWriter, actor, input.checks)),
});
