import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Config, readConfig } from '../config/read-config.ts';
import type { Database } from '../storage/open.ts';
import type { CommandIo } from './command.ts';

/**
 * The configuration of a command that does one thing and ends. Root becomes the user whose database it is: files that root leaves
 * beside it, the service could not open. Secrets in files are read before.
 */
export function configAsOwner(io: CommandIo, changed: Readonly<Record<string, string>> = {}): Config {
  const config = readConfig({ ...io.environment(), ...changed });
  becomeOwner(config.database);
  return config;
}

type Rights = Pick<NodeJS.Process, 'getuid' | 'setgroups' | 'setgid' | 'setuid'>;

/** Does nothing unless the process is root's. A database that does not exist yet belongs to the owner of its folder. */
export function becomeOwner(database: Database, rights: Rights = process): void {
  if (database.engine !== 'sqlite' || rights.getuid?.() !== 0) return;
  const { uid, gid } = nearest(resolve(database.path));
  if (uid === 0) return;
  // In this order: who is not root any more cannot change groups.
  rights.setgroups?.([gid]);
  rights.setgid?.(gid);
  rights.setuid?.(uid);
}

/** The file, or the first of the folders above it that exists. */
function nearest(path: string): { readonly uid: number; readonly gid: number } {
  return statSync(path, { throwIfNoEntry: false }) ?? nearest(dirname(path));
}
