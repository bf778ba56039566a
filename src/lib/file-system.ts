import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from './clock.ts';
import type { Micros } from './instant.ts';
import type { Random } from './random.ts';
import { PRIVATE_FILE_MODE, partialPath } from './whole-file.ts';

/** Where the files are in the end. `program`: a program answers for the kernel, as with FUSE. */
type FileSystemSort = 'disk' | 'memory' | 'network' | 'program' | 'layers';

export interface FileSystem {
  /** The kernel's name of it. Null if it is not in our table, or the kernel is not Linux. */
  readonly kind: string | null;
  readonly sort: FileSystemSort | null;
  /** The room on the volume, as far as this process may use it. */
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/**
 * By the numbers of Linux (`statfs(2)`, `linux/magic.h`). The three file systems called ext have one number, and one driver
 * serves them.
 */
const KINDS: ReadonlyMap<number, readonly [kind: string, sort: FileSystemSort]> = new Map([
  [0xef53, ['ext4', 'disk']],
  [0x58465342, ['xfs', 'disk']],
  [0x9123683e, ['btrfs', 'disk']],
  [0x2fc12fc1, ['zfs', 'disk']],
  [0xf2f52010, ['f2fs', 'disk']],
  [0xca451a4e, ['bcachefs', 'disk']],
  [0x3153464a, ['jfs', 'disk']],
  [0x4d44, ['vfat', 'disk']],
  [0x2011bab0, ['exfat', 'disk']],
  [0x7366746e, ['ntfs3', 'disk']],
  [0x01021994, ['tmpfs', 'memory']],
  [0x858458f6, ['ramfs', 'memory']],
  [0x6969, ['nfs', 'network']],
  [0x517b, ['smb', 'network']],
  [0xff534d42, ['cifs', 'network']],
  [0xfe534d42, ['smb2', 'network']],
  [0x01021997, ['9p', 'network']],
  [0x00c36400, ['ceph', 'network']],
  [0x5346414f, ['afs', 'network']],
  [0x65735546, ['fuse', 'program']],
  [0x794c7630, ['overlay', 'layers']],
]);

/** The file system of a file or folder. */
export async function fileSystemOf(path: string): Promise<FileSystem> {
  const { type, bavail, blocks, bsize } = await statfs(path);
  return { ...kindOf(type), freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** @param type As `statfs` tells it. Systems of 32 bits tell large numbers as negative ones. */
export function kindOf(
  type: number,
  platform: NodeJS.Platform = process.platform,
): Pick<FileSystem, 'kind' | 'sort'> {
  const known = platform === 'linux' ? KINDS.get(type >>> 0) : undefined;
  const [kind, sort] = known ?? [null, null];
  return { kind, sort };
}

/** As much as a small commit writes. */
const SYNCED_BYTES = 4_096;

/**
 * How long it takes to bring a few bytes to the disk of a folder, measured some times one after the other, the shortest first.
 * The file for it is gone afterwards.
 */
export async function measureSyncs(
  folder: string,
  times: number,
  { clock, random }: { readonly clock: Pick<Clock, 'monotonic'>; readonly random: Pick<Random, 'bytes'> },
): Promise<Micros[]> {
  const path = partialPath(join(folder, 'sync'), random);
  const durations: Micros[] = [];
  try {
    await using file = await open(path, 'wx', PRIVATE_FILE_MODE);
    for (let time = 0; time < times; time++) {
      // Appended, as a log is: so that the size, too, has to be brought to the disk.
      await file.writeFile(random.bytes(SYNCED_BYTES));
      const begun = clock.monotonic();
      await file.datasync();
      durations.push(clock.monotonic() - begun);
    }
  } finally {
    await rm(path, { force: true });
  }
  return durations.toSorted((one, other) => one - other);
}
