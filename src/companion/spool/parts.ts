import type { Machine } from '../machine.ts';
import type { Processes } from '../processes.ts';
import type { Timing } from '../send/attempts.ts';
import type { Files } from './files.ts';
import type { SpoolLimits } from './limits.ts';

/** What a spool is made of. */
export interface SpoolParts {
  readonly path: string;
  readonly files: Files;
  readonly machine: Pick<Machine, 'moment' | 'userId' | 'randomUuid'>;
  readonly processes: Processes;
  readonly ownId: number;
  readonly timing: Timing;
  readonly limits: SpoolLimits;
  /** A result that is not older is sent as a fresh one to servers that do not know late pings. */
  readonly lateAsFreshMs: number;
  /** One attempt to send one ping. */
  readonly attemptMs: number;
  /** Told when a ping is lost for good. */
  readonly onLoss: (line: string) => void;
  /** Told what else happens. */
  readonly onDetail: (line: string) => void;
}
