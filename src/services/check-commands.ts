import type { Actor } from './actor.ts';
import { type Assurance, removeCheck, restoreCheck } from './check-deletion.ts';
import type { CheckWithChannels } from './check-list.ts';
import { clearEvents, copyCheck, moveCheck, replaceAddress } from './check-moves.ts';
import {
  type AdjustCheck,
  adjustCheck,
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
  | { readonly verb: 'adjust'; readonly actor: Actor; readonly id: number; readonly input: AdjustCheck }
  | { readonly verb: 'copy' | 'move'; readonly actor: Actor; readonly id: number; readonly target: Actor }
  | {
      readonly verb: 'remove';
      readonly actor: Actor;
      readonly id: number;
      readonly assurance: Assurance;
    }
  | { readonly verb: 'restore'; readonly actor: Actor; readonly uuid: string }
  | {
      readonly verb: 'pause' | 'resume' | 'delete' | 'clear' | 'replace_address';
      readonly actor: Actor;
      readonly id: number;
    };

/** What the verbs return. */
export interface CheckResults {
  readonly create: CreatedCheck;
  readonly update: CheckWithChannels;
  readonly pause: CheckWithChannels;
  readonly resume: CheckWithChannels;
  readonly delete: CheckWithChannels;
  readonly adjust: CheckWithChannels;
  readonly copy: CheckWithChannels;
  readonly move: CheckWithChannels;
  readonly remove: CheckWithChannels;
  readonly restore: CheckWithChannels;
  readonly clear: CheckWithChannels;
  readonly replace_address: CheckWithChannels;
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
    case 'adjust':
      return adjustCheck(deps, actor, command.id, command.input);
    case 'copy':
      return copyCheck(deps, actor, command.id, command.target);
    case 'move':
      return moveCheck(deps, actor, command.id, command.target);
    case 'remove':
      return removeCheck(deps, actor, command.id, command.assurance);
    case 'restore':
      return restoreCheck(deps, actor, command.uuid);
    case 'clear':
      return clearEvents(deps, actor, command.id);
    case 'replace_address':
      return replaceAddress(deps, actor, command.id);
  }
}
