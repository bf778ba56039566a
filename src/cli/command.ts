import type { Environment } from '../config/env-file.ts';

/** The parts of the process that a command may use. */
export interface CommandIo {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream;
  /** The environment with the `.env` file, for commands that need the configuration. */
  readonly environment: () => Environment;
  /** Resolves when the process is asked to stop. Before the first call, a signal ends the process. */
  readonly stopSignal: () => Promise<void>;
  /** Ends the process at once, without waiting for anything. */
  readonly exit: (code: number) => never;
}

export interface Command {
  /** The arguments as the help shows them. */
  readonly usage: string;
  /** Begins in lower case and has no full stop: it stands in a list. */
  readonly summary: string;
  /** The text of `--help`. Without it, the usage and the summary are printed. */
  readonly help?: string;
  /** Returns the exit code. */
  run(args: readonly string[], io: CommandIo): Promise<number>;
}

/** Commands by name, each loaded when it is called. */
export type Commands = Readonly<Record<string, () => Promise<Command>>>;

/** Wrong arguments. The program prints the message and ends with the exit code. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code: number;

  constructor(message: string, code = 2) {
    super(message);
    this.code = code;
  }
}

/** A failure that a person can fix. The program prints the message without a stack trace and ends with the exit code. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly code: number;

  constructor(message: string, code = 1) {
    super(message);
    this.code = code;
  }
}
