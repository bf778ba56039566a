import type { Leaving } from './leave.ts';
import type { Moment } from './ping.ts';

/** What the companion asks its machine for. The program has one; tests have others. */
export interface Machine {
  /** The program of a process that we can kill. */
  readonly secondProcess: string;
  /** Of the process that people have started. */
  readonly processId: number;
  /** Asks that process to kill this one and to end in this way; null if this is the one. See `child.ts`. */
  readonly leaveToParent: ((leaving: Leaving) => void) | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Such as `linux-x64`. */
  readonly platform: string;
  /** Null where the system has no users by number. */
  readonly userId: number | null;
  /** Never goes back, and is only good for differences. */
  monotonicMs(): number;
  moment(): Moment;
  randomUuid(): string;
  /** Writes a line for people on standard error. It contains no address and no key. */
  say(line: string): void;
  /** Resolves when all lines are written, or nobody reads them. */
  flush(): Promise<void>;
}
