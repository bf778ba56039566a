import { createInterface } from 'node:readline/promises';
import type { Change } from '../services/provisioning/declaration.ts';
import { TooManyRemovalsError } from '../services/provisioning/prune.ts';
import { CommandFailure, type CommandIo } from './command.ts';
import { differenceLines, type Remarks } from './differences.ts';

/**
 * Shows what would be removed and asks for a yes. Without a terminal nobody can answer: the command ends with the code
 * `unattended`.
 */
export async function requireAnswer(
  { stdin, stdout }: Pick<CommandIo, 'stdin' | 'stdout'>,
  removals: readonly Change[],
  { unattended = 1, remarks }: { readonly unattended?: number; readonly remarks?: Remarks } = {},
): Promise<void> {
  if (removals.length === 0) return;
  const list = differenceLines(removals, remarks).join('\n');
  const isAttended = stdout.isTTY === true && 'isTTY' in stdin && stdin.isTTY === true;
  if (!isAttended) throw new CommandFailure(`${list}\nNothing was changed. --yes removes these.`, unattended);
  const questions = createInterface({ input: stdin, output: stdout });
  try {
    const answer = await questions.question(`${list}\nRemove these? Type yes: `);
    if (answer.trim() !== 'yes') throw new CommandFailure('Nothing was changed.');
  } finally {
    questions.close();
  }
}

/** A refusal of too many removals, with their list. Other errors stay as they are. */
export function withRemovals(error: unknown, remarks?: Remarks): unknown {
  if (!(error instanceof TooManyRemovalsError)) return error;
  const list = differenceLines(error.removals, remarks).join('\n');
  return new CommandFailure(`${list}\n${error.message}. Nothing was changed. --max-deletes allows it.`);
}
