import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { MIN_PASSPHRASE } from '../storage/archive/passphrase.ts';
import { CommandFailure, UsageError } from './command.ts';

/** The passphrase in the file, without the end of its line. */
export async function readPassphrase(path: string): Promise<string> {
  const text = (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
  if (text.length >= MIN_PASSPHRASE) return text;
  throw new CommandFailure(
    `the passphrase in ${path} has ${text.length} characters, and at least ${MIN_PASSPHRASE} are needed`,
  );
}

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

/** Options and at most one file. Anything else is a wrong use. */
export function readArguments<const T extends Options>(args: readonly string[], options: T) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { values, positionals };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
