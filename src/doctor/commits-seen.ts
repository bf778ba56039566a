import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Random } from '../lib/random.ts';
import { partialPath } from '../lib/whole-file.ts';
import { removeDatabase } from '../storage/sqlite/backup.ts';

const COMMITS = 50;

/**
 * Commits to a database of its own in the folder, which another process reads, and counts the commits that this one does not see.
 * File systems that cache for each process damage databases.
 */
export async function countUnseenCommits(folder: string, random: Pick<Random, 'bytes'>): Promise<number> {
  const path = partialPath(join(folder, 'commits'), random);
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const reader = fork(new URL(`./commit-reader${extension}`, import.meta.url), [path], { execArgv: [] });
  try {
    using database = new DatabaseSync(path);
    database.exec('pragma journal_mode = wal; create table commits (n integer)');
    const ended = once(reader, 'exit').then(() => [null]);
    let unseen = 0;
    for (let n = 1; n <= COMMITS; n++) {
      database.prepare('insert into commits values (?)').run(n);
      if ((await readBy(reader, ended)) !== n) unseen++;
    }
    return unseen;
  } finally {
    reader.kill();
    await removeDatabase(path);
  }
}

/** The newest commit that the other process sees. Null if it has ended. */
async function readBy(reader: ChildProcess, ended: Promise<null[]>): Promise<unknown> {
  if (!reader.connected) return null;
  reader.send('read');
  const [seen] = await Promise.race([once(reader, 'message'), ended]);
  return seen;
}
