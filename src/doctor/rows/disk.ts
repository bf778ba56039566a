import { existsSync, statSync } from 'node:fs';
import { type FileSystem, measureSyncs } from '../../lib/file-system.ts';
import { databaseFiles, exposedPaths, followLinks, secretPaths } from '../../storage/sqlite/files.ts';
import { existingFolder, NETWORK_FILES } from '../../storage/sqlite/network-files.ts';
import { countUnseenCommits } from '../commits-seen.ts';
import type { Installation } from '../installation.ts';
import { fail, type Look, skip, together, warn } from '../look.ts';
import type { Row } from '../row.ts';

const SYNCS = 50;
const SLOW_SYNC_MS = 50;
const MEGABYTE = 1024 * 1024;

export const disk: Row = {
  name: 'disk',
  looksAt: 'under SQLite the file system, its room, the time of 50 syncs, modes and owners of the files',
  fails:
    'NFS, SMB, 9p and other files of the network, less room than twice the database, files of several users, commits that another process does not see',
  warns: 'FUSE, overlay, memory, syncs above 50 ms, files that others can read',
  async look(installation, _signal, doing) {
    const { database } = installation.config;
    if (database.engine === 'postgres') return skip('The database is on a server.');
    const file = followLinks(database.path);
    const folder = existingFolder(file);
    const system = await installation.world.machine.fileSystem(folder);
    doing(`${SYNCS} syncs in ${folder}`);
    const speed = await syncTrouble(folder, installation);
    return together(
      [
        ...(await kindTroubles(system, folder, installation, doing)),
        roomTrouble(system, file),
        speed,
        ownerTrouble(database.path, file),
        exposureTrouble(database.path, file),
      ],
      `${folder} is on ${system.kind ?? 'a file system'} with ${Math.floor(system.freeBytes / MEGABYTE)} MB free.`,
    );
  },
};

async function kindTroubles(
  { kind, sort }: FileSystem,
  folder: string,
  { config, world }: Installation,
  doing: (step: string) => void,
): Promise<(Look | null)[]> {
  switch (sort) {
    case 'network':
      return [
        config.allowNetworkFiles
          ? warn(`${folder} is on ${kind}, as ALLOW_NETWORK_FILES permits. ${NETWORK_FILES}`)
          : fail(
              `${folder} is on ${kind}. ${NETWORK_FILES}`,
              'Move the database to a disk of this machine, or use PostgreSQL.',
            ),
      ];
    case 'program': {
      doing('commits that another process reads');
      const unseen = await countUnseenCommits(folder, world.random).catch((error: unknown) => error);
      if (typeof unseen !== 'number')
        return [
          fail(
            `${folder} is on FUSE, and SQLite cannot work there: ${unseen instanceof Error ? unseen.message : unseen}.`,
            'Move the database to a disk of this machine, or use PostgreSQL.',
          ),
        ];
      return [
        unseen === 0
          ? warn(
              `${folder} is on FUSE. Another process saw every commit.`,
              'Keep the database on a disk of this machine if you can.',
            )
          : fail(
              `${folder} is on FUSE, and another process did not see ${unseen} of the commits.`,
              'Move the database to a disk of this machine, or use PostgreSQL.',
            ),
      ];
    }
    case 'layers':
      return [
        warn(`${folder} is in the layers of a container, and is gone with it.`, 'Mount a volume there.'),
      ];
    case 'memory':
      return [warn(`${folder} is in memory, and is gone with the next start of the machine.`)];
    default:
      return [];
  }
}

function roomTrouble({ freeBytes }: FileSystem, file: string): Look | null {
  const bytes = ['', '-wal'].reduce(
    (sum, suffix) => sum + (statSync(`${file}${suffix}`, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
  if (freeBytes >= 2 * bytes) return null;
  const [free, used] = [freeBytes, bytes].map((size) => Math.floor(size / MEGABYTE));
  return fail(
    `${free} MB are free, and the database has ${used} MB: a migration or a copy of it needs twice as much.`,
    'Make room, or move the database to a larger disk.',
  );
}

async function syncTrouble(folder: string, { world }: Installation): Promise<Look | null> {
  let durations: number[];
  try {
    durations = await measureSyncs(folder, SYNCS, world);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return fail(
      `User ${process.getuid?.() ?? ''} cannot write in ${folder} (${reason}).`,
      'Run tocsin doctor as the user of the service, or give the folder to that user.',
    );
  }
  const middle = Math.round((durations[SYNCS / 2] ?? 0) / 1000);
  if (middle <= SLOW_SYNC_MS) return null;
  return warn(
    `A sync takes ${middle} ms, and each group of pings waits for one.`,
    'Use a faster disk, or PostgreSQL on another machine.',
  );
}

function ownerTrouble(path: string, file: string): Look | null {
  const owner = statSync(file, { throwIfNoEntry: false })?.uid;
  if (owner === undefined) return null;
  const foreign = databaseFiles(path).filter((one) => {
    const uid = statSync(one, { throwIfNoEntry: false })?.uid;
    return uid !== undefined && uid !== owner;
  });
  if (foreign.length === 0) return null;
  return fail(
    `The database belongs to user ${owner}, and ${foreign.join(', ')} to another one.`,
    `Run chown ${owner} ${foreign.join(' ')}.`,
  );
}

function exposureTrouble(path: string, file: string): Look | null {
  if (!existsSync(file)) return null;
  // Of the secret another row tells.
  const secrets = Object.values(secretPaths(path));
  const exposed = exposedPaths(path).filter((one) => !secrets.includes(one));
  if (exposed.length === 0) return null;
  return warn(
    `Other users of this machine have rights to ${exposed.join(', ')}.`,
    `Run chmod go= ${exposed.join(' ')}.`,
  );
}
