import type { Machine } from '../machine.ts';
import type { Files } from './files.ts';

/** A process, so that another with the same number is not taken for it. */
export interface ProcessId {
  readonly pid: number;
  /** Null where the system does not tell. */
  readonly started: string | null;
  readonly bootId: string | null;
}

export interface Processes {
  self(): Promise<ProcessId>;
  isAlive(id: ProcessId): Promise<boolean>;
}

/** The processes of the machine that this runs on. */
export function realProcesses(machine: Pick<Machine, 'moment'>, files: Files, own: number): Processes {
  const startOf = async (pid: number) => {
    const stat = await files.read(`/proc/${pid}/stat`, 4096).catch(() => null);
    return stat === null ? null : startIn(new TextDecoder().decode(stat));
  };
  return {
    self: async () => ({ pid: own, started: await startOf(own), bootId: machine.moment().bootId }),
    isAlive: async ({ pid, started, bootId }) => {
      if (bootId !== machine.moment().bootId) return false;
      return started === null ? isRunning(pid) : started === (await startOf(pid));
    },
  };
}

/** The 22nd field, counted behind the name of the program, which may contain anything. */
export function startIn(stat: string): string | null {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

const NAME = /^(\d+)-(\d*)-([0-9a-f]*)-[0-9a-f]+\.lock$/;

/**
 * Takes the lock of a folder; null if another process has it. Whoever wants it first leaves a file of its own there and then looks for
 * those of others. Of two, the later one sees the earlier one's. Both may step back, but never both go on. A dead process' file has
 * a name that nobody will use again, so that it can be removed without a race.
 */
export async function takeLock(
  files: Files,
  folder: string,
  processes: Processes,
  random: () => string,
): Promise<(() => Promise<void>) | null> {
  const self = await processes.self();
  const bootId = self.bootId?.replaceAll('-', '') ?? '';
  const own = `${self.pid}-${self.started ?? ''}-${bootId}-${random()}.lock`;
  const file = await files.create(`${folder}/${own}`);
  await file.close();
  const release = async () => {
    await files.remove(`${folder}/${own}`);
  };
  try {
    for (const name of await files.list(folder)) {
      const [, pid, started, boot] = NAME.exec(name) ?? [];
      if (name === own || pid === undefined) continue;
      // The boot id of another boot is compared as it is written here.
      const id = {
        pid: Number(pid),
        started: started || null,
        bootId: boot === bootId ? self.bootId : (boot ?? null),
      };
      if (await processes.isAlive(id)) {
        await release();
        return null;
      }
      await files.remove(`${folder}/${name}`);
    }
  } catch (error) {
    await release().catch(() => undefined);
    throw error;
  }
  return release;
}
