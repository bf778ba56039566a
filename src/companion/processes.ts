/** Tells processes apart, also those that have the same number one after the other. */
import { readFile } from 'node:fs/promises';

/** A process that no later one can be taken for. */
export interface Identity {
  readonly processId: number;
  /** In the system's own counting; null where it does not tell. */
  readonly startedAt: string | null;
  readonly bootId: string | null;
}

export interface Processes {
  /** Null if there is no such process. */
  identify(processId: number): Promise<Identity | null>;
}

export async function isAlive(known: Identity, processes: Processes): Promise<boolean> {
  const now = await processes.identify(known.processId);
  return now !== null && now.startedAt === known.startedAt && now.bootId === known.bootId;
}

/** Processes of this machine. */
export const systemProcesses: Processes = {
  identify: async (processId) => {
    try {
      process.kill(processId, 0);
    } catch (error) {
      // A process of somebody else is one, too.
      if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return null;
    }
    const [stat, bootId] = await Promise.all([
      readFile(`/proc/${processId}/stat`, 'latin1').catch(() => null),
      readBootId(),
    ]);
    // Behind the name, which may contain anything: state is the first field, the start time the twentieth.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return { processId, startedAt: fields[19] ?? null, bootId };
  },
};

async function readBootId(): Promise<string | null> {
  return readFile('/proc/sys/kernel/random/boot_id', 'latin1').then(
    (text) => text.trim(),
    () => null,
  );
}
