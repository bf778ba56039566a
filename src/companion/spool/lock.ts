import { isAlive, type Processes } from '../processes.ts';
import type { Files } from './files.ts';

const NAME = /^(\d+)-(\d*)-([0-9a-f]*)-[0-9a-f]+\.lock$/;

export interface LockParts {
  readonly processes: Processes;
  readonly ownId: number;
  /** Hexadecimal digits. */
  readonly random: () => string;
}

/**
 * Takes the lock of a folder; null if another process has it. Whoever wants it first leaves a file of its own there and then looks for
 * those of others. Of two, the later one sees the earlier one's. Both may step back, but never both go on. A dead process' file has
 * a name that nobody will use again, so that it can be removed without a race.
 */
export async function takeLock(
  files: Files,
  folder: string,
  { processes, ownId, random }: LockParts,
): Promise<(() => Promise<void>) | null> {
  const self = await processes.identify(ownId);
  const bootId = self?.bootId?.replaceAll('-', '') ?? '';
  const own = `${ownId}-${self?.startedAt ?? ''}-${bootId}-${random()}.lock`;
  const file = await files.create(`${folder}/${own}`);
  await file.close();
  const release = async () => {
    await files.remove(`${folder}/${own}`);
  };
  try {
    for (const name of await files.list(folder)) {
      const [, processId, startedAt, boot] = NAME.exec(name) ?? [];
      if (name === own || processId === undefined) continue;
      const other = {
        processId: Number(processId),
        startedAt: startedAt || null,
        // Names of files have it without its dashes.
        bootId: boot === bootId ? (self?.bootId ?? null) : 'of another boot',
      };
      if (await isAlive(other, processes)) {
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
