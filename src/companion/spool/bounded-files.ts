import type { Timing } from '../send/attempts.ts';
import type { Files, OpenFile } from './files.ts';

export interface BoundedFiles extends Files {
  /** Whether a call has not come back: Node cannot end by itself then. */
  isStuck(): boolean;
}

/** Disks that sleep wake up in this time. */
const MOST_MS = 3_000;

/** Gives up a call that does not come back, as on a network drive whose server is away, and does not try again. */
export function boundedFiles(files: Files, timing: Timing): BoundedFiles {
  let isStuck = false;
  const bounded = <T>(call: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const giveUp = () => {
        isStuck = true;
        reject(Object.assign(new Error('no answer from the disk'), { code: 'the disk does not answer' }));
      };
      if (isStuck) {
        giveUp();
        return;
      }
      const cancel = timing.after(MOST_MS, giveUp);
      call().then(resolve, reject).finally(cancel);
    });
  return {
    isStuck: () => isStuck,
    makeFolder: (path) => bounded(() => files.makeFolder(path)),
    facts: (path, of) => bounded(() => files.facts(path, of)),
    list: (folder) => bounded(() => files.list(folder)),
    read: (path, mostBytes) => bounded(() => files.read(path, mostBytes)),
    create: (path) => bounded(() => files.create(path)).then((file) => boundedFile(file, bounded)),
    rename: (from, to) => bounded(() => files.rename(from, to)),
    remove: (path) => bounded(() => files.remove(path)),
    syncFolder: (path) => bounded(() => files.syncFolder(path)),
  };
}

function boundedFile(file: OpenFile, bounded: <T>(call: () => Promise<T>) => Promise<T>): OpenFile {
  return {
    write: (bytes) => bounded(() => file.write(bytes)),
    sync: () => bounded(() => file.sync()),
    close: () => bounded(() => file.close()),
  };
}
