import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export const ROOT = dirname(dirname(import.meta.dirname));

/** A package in the lock file. */
export interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  /** Only what develops Tocsin needs it. */
  readonly dev?: boolean;
  readonly optional?: boolean;
  /** It comes within the file of the package that needs it, and with that one's hash. */
  readonly inBundle?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface Lock {
  readonly name: string;
  readonly version: string;
  readonly lockfileVersion: number;
  /** By path; the empty path is Tocsin itself. */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface NamedPackage extends LockedPackage {
  readonly name: string;
  /** Where npm installs it. */
  readonly path: string;
}

export async function readLock(): Promise<Lock> {
  return JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
}

/** All packages but Tocsin itself. */
export function packagesOf({ packages }: Lock): NamedPackage[] {
  return Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      path,
      ...entry,
    }));
}

/** Those that an installation of Tocsin has. */
export function productionOf(lock: Lock): NamedPackage[] {
  return packagesOf(lock).filter(({ dev }) => dev !== true);
}

/** What `npm-shrinkwrap.json` says: whoever installs Tocsin gets the versions, and the bytes, of our lock file. */
export function shrinkwrapOf(lock: Lock): Lock {
  const { '': root, ...others } = lock.packages;
  const { devDependencies: _, ...installed } = root ?? {};
  const production = Object.entries(others).filter(([, { dev }]) => dev !== true);
  return { ...lock, packages: { '': installed, ...Object.fromEntries(production) } };
}
