import type { Machine } from './machine.ts';

export interface CompanionCommand {
  /** The arguments as the help shows them. */
  readonly usage: string;
  /** Begins in lower case and has no full stop: it stands in a list. */
  readonly summary: string;
  readonly help: () => Promise<string>;
  /** Loaded when it is called. It ends the process, or leaves its exit code in the process. */
  readonly load: () => Promise<(argv: readonly string[], machine: Machine) => Promise<void>>;
}

/** The commands of the companion, by their names; `bin/companion.cjs` starts them. */
export const COMMANDS: Readonly<Record<string, CompanionCommand>> = {
  run: {
    usage: '-- COMMAND',
    summary: 'run a job and tell a check how it ended',
    help: async () => (await import('./run/command.ts')).help(),
    load: async () => (await import('./run/command.ts')).run,
  },
  ping: {
    usage: '[CHECK]',
    summary: 'send one ping',
    help: async () => (await import('./commands/ping.ts')).HELP,
    load: async () => (await import('./commands/ping.ts')).ping,
  },
  spool: {
    usage: 'list|flush|drop|path',
    summary: 'show, send or drop pings that could not be delivered',
    help: async () => (await import('./commands/spool.ts')).HELP,
    load: async () => (await import('./commands/spool.ts')).spool,
  },
};
