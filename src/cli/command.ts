import type { Environment } from '../config.ts';

/** What a command may touch of the process it runs in. */
export interface CommandIo {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** The environment with the `.env` file, for commands that need the configuration. */
  readonly environment: () => Environment;
  /** Resolves when the process is asked to stop. Until it is called, a signal ends the process. */
  readonly stopSignal: () => Promise<void>;
  /** Ends the process at once, whatever it still waits for. */
  readonly exit: (code: number) => never;
}

export interface Command {
  /** Arguments, as the help shows them. */
  readonly usage: string;
  readonly summary: string;
  /** It has a `--help` of its own. */
  readonly ownHelp?: boolean;
  /** Returns the exit code. */
  run(args: readonly string[], io: CommandIo): Promise<number>;
}

/** The command was called in a way it does not understand: the message, and exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Something that a person can mend and that needs no stack trace: the message, and exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
