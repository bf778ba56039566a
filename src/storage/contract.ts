import { type Instant, seconds } from '../lib/instant.ts';
import { type Reader, StorageError } from './driver.ts';
import type { Migration } from './migration-files.ts';
import { describeNode, isEarlierMinor, nodesBefore, type Programs } from './releases.ts';

/** How long after the last sign of an older program its form of the tables is kept, so that one can go back. */
const KEPT_FOR = seconds(86_400);

/**
 * Who wants contract steps, which programs of the minor release before do not survive.
 * - `start`: a program that starts. It makes only steps that also the minor release before it survives.
 * - `service`: a program that runs, a day after the last sign of an older one.
 * - `operator`: somebody who will not go back.
 * - `restore`: nobody else can use the database.
 */
export type ContractBy = 'start' | 'service' | 'operator' | 'restore';

export interface ContractQuestion {
  readonly by: ContractBy;
  readonly release: string | null;
  readonly programs: Programs | null;
  readonly now: Instant;
}

/** A step that older programs do not survive, and the minor release from which on they do. */
export type ContractStep = Migration & { readonly needs: string };

export function isContract(migration: Migration): migration is ContractStep {
  return migration.needs !== null;
}

/** Whether the step is made now. Throws if it must be, or somebody wants it, and a program runs that needs the old form. */
export async function isContractDue(
  db: Reader,
  step: ContractStep,
  { by, release, programs, now }: ContractQuestion,
): Promise<boolean> {
  if (by === 'restore') return true;
  if (by === 'start' && (release === null || !isEarlierMinor(step.needs, release))) return false;
  const [last] = await nodesBefore(db, step.needs, now);
  if (by === 'service') {
    const since = Math.max(programs?.since ?? now, last?.beatAt ?? 0);
    return now - since >= KEPT_FOR;
  }
  if (last?.isAlive !== true) return true;
  throw new StorageError(
    'fault',
    `${describeNode(last)} is running, and needs what version ${step.version} of the database takes away: stop it, and upgrade it to Tocsin ${step.needs} or newer`,
  );
}
