import type { Actor } from '../core/actor.ts';
import { type Assurance, removeCheck, restoreCheck } from './check-deletion.ts';
import { clearEvents, copyCheck, moveCheck, replaceAddress } from './check-moves.ts';
import {
  type AdjustCheck,
  adjustCheck,
  type CheckDeps,
  type CreateCheck,
  createCheck,
  deleteCheck,
  pauseCheck,
  resumeCheck,
  resumeCheckExpecting,
  type UpdateCheck,
  undoPauseOfCheck,
  updateCheck,
} from './checks.ts';

interface OnCheck {
  readonly actor: Actor;
  readonly id: number;
}

type ToTarget = OnCheck & { readonly target: Actor };

/** A verb that needs nothing but the check. */
const onCheck =
  <Result>(verb: (deps: CheckDeps, actor: Actor, id: number) => Promise<Result>) =>
  (deps: CheckDeps, { actor, id }: OnCheck) =>
    verb(deps, actor, id);

const VERBS = {
  create: (deps: CheckDeps, { actor, input }: { readonly actor: Actor; readonly input: CreateCheck }) =>
    createCheck(deps, actor, input),
  update: (deps: CheckDeps, { actor, id, input }: OnCheck & { readonly input: UpdateCheck }) =>
    updateCheck(deps, actor, id, input),
  adjust: (deps: CheckDeps, { actor, id, input }: OnCheck & { readonly input: AdjustCheck }) =>
    adjustCheck(deps, actor, id, input),
  copy: (deps: CheckDeps, { actor, id, target }: ToTarget) => copyCheck(deps, actor, id, target),
  move: (deps: CheckDeps, { actor, id, target }: ToTarget) => moveCheck(deps, actor, id, target),
  remove: (deps: CheckDeps, { actor, id, assurance }: OnCheck & { readonly assurance: Assurance }) =>
    removeCheck(deps, actor, id, assurance),
  restore: (deps: CheckDeps, { actor, uuid }: { readonly actor: Actor; readonly uuid: string }) =>
    restoreCheck(deps, actor, uuid),
  pause: onCheck(pauseCheck),
  undo_pause: onCheck(undoPauseOfCheck),
  resume: onCheck(resumeCheck),
  resume_expecting: onCheck(resumeCheckExpecting),
  delete: onCheck(deleteCheck),
  clear: onCheck(clearEvents),
  replace_address: onCheck(replaceAddress),
};

type Verbs = typeof VERBS;
type Verb = keyof Verbs;

/** A verb on a check and its arguments. It is plain data, because it may be sent to another thread. */
export type CheckCommand = { [One in Verb]: { readonly verb: One } & Parameters<Verbs[One]>[1] }[Verb];
export type CommandOf<One extends Verb> = CheckCommand & { readonly verb: One };
export type CheckResults = { readonly [One in Verb]: Awaited<ReturnType<Verbs[One]>> };
export type CheckResult = CheckResults[Verb];

/** A command is committed, or nothing of it is. */
export type CommandOutcome = { readonly value: CheckResult } | { readonly failure: unknown };

/** Performs commands, each in a transaction of its own. Where the database can, these transactions share a commit. */
export function performCommands(deps: CheckDeps, batch: readonly CheckCommand[]): Promise<CommandOutcome[]> {
  return Promise.all(
    batch.map((command) => {
      // The compiler does not see that the verb takes the arguments of its own command.
      const verb = VERBS[command.verb] as (deps: CheckDeps, command: CheckCommand) => Promise<CheckResult>;
      return verb(deps, command).then(
        (value) => ({ value }),
        (failure: unknown) => ({ failure }),
      );
    }),
  );
}
