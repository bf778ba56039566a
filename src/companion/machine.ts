import type { Moment } from './ping.ts';

/** What the companion asks its machine for. The program has one; tests have others. */
export interface Machine {
  /** The address of `main`, which another process may load. */
  readonly program: string;
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
