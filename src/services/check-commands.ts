import type { Actor } from './actor.ts';
import type { CheckWithChannels } from './check-list.ts';
import {
  type CheckDeps,
  type CreateCheck,
  type CreatedCheck,
  createCheck,
  deleteCheck,
  pauseCheck,
  resumeCheck,
  type UpdateCheck,
  updateCheck,
} from './checks.ts';

/** A verb on a check and its arguments. It is plain data, because it may be sent to another thread. */
export type CheckCommand =
  | { readonly verb: 'create'; readonly actor: Actor; readonly input: CreateCheck }
  | { readonly verb: 'update'; readonly actor: Actor; readonly id: number; readonly input: UpdateCheck }
  | { readonly verb: 'pause' | 'resume' | 'delete'; readonly actor: Actor; readonly id: number };

/** What the verbs return. */
export interface CheckResults {
  readonly create: CreatedCheck;
  readonly update: CheckWithChannels;
  readonly pause: CheckWithChannels;
  readonly resume: CheckWithChannels;
  readonly delete: CheckWithChannels;
}

export type CommandOf<Verb extends CheckCommand['verb']> = CheckCommand & { readonly verb: Verb };
export type CheckResult = CheckResults[CheckCommand['verb']];

/** What became of a command: it is committed, or nothing of it is. */
export type CommandOutcome = { readonly value: CheckResult } | { readonly failure: unknown };

/** Performs commands, each in a transaction of its own. Where the database can, these transactions share a commit. */
export function performCommands(deps: CheckDeps, batch: readonly CheckCommand[]): Promise<CommandOutcome[]> {
  return Promise.all(
    batch.map((command) =>
      performCommand(deps, command).then(
        (value) => ({ value }),
        (failure: unknown) => ({ failure }),
      ),
    ),
  );
}

function performCommand(deps: CheckDeps, command: CheckCommand): Promise<CheckResult> {
  const { actor } = command;
  switch (command.verb) {
    case 'create':
      return createCheck(deps, actor, command.input);
    case 'update':
      return updateCheck(deps, actor, command.id, command.input);
    case 'pause':
      return pauseCheck(deps, actor, command.id);
    case 'resume':
      return resumeCheck(deps, actor, command.id);
    case 'delete':
      return deleteCheck(deps, actor, command.id);
  }
}
