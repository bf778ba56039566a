import { parseArgs } from 'node:util';
import { UsageError } from './command.ts';

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
