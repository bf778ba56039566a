import { ConfigError } from '../config/env-file.ts';
import { AppError } from '../domain/errors.ts';
import { ProvisionFileError } from '../provision/located.ts';
import { StorageError } from '../storage/driver.ts';
import { CommandFailure, UsageError } from './command.ts';

/** A failure that a person can fix is shown as its message. Anything else is a bug and is shown with its stack. */
export function explain(error: unknown, startedAs: number | undefined): { text: string; code: number } {
  const explained = explainPlainly(error);
  const user = process.getuid?.();
  // The user may lack rights that whoever typed the command has.
  if (user === startedAs) return explained;
  return { ...explained, text: `${explained.text}\nThis ran as user ${user}, to whom the database belongs.` };
}

function explainPlainly(error: unknown): { text: string; code: number } {
  if (error instanceof UsageError) return { text: `${error.message}\nTry: tocsin --help`, code: error.code };
  if (error instanceof ConfigError) return { text: `The environment has faults:\n${error.message}`, code: 1 };
  if (error instanceof AppError && error.code === 'storage_unavailable') {
    return { text: `The database cannot be used: ${error.message}`, code: 1 };
  }
  if (error instanceof CommandFailure) return { text: error.message, code: error.code };
  const isPlain =
    error instanceof ProvisionFileError ||
    error instanceof StorageError ||
    error instanceof AppError ||
    (error instanceof Error && 'syscall' in error);
  if (isPlain) return { text: error.message, code: 1 };
  return { text: error instanceof Error ? (error.stack ?? error.message) : String(error), code: 1 };
}
