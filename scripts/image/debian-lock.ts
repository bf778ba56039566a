import type { Architecture } from './oci.ts';

/** A package file of Debian. */
export interface DebianPackage {
  readonly architecture: Architecture;
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
}

export interface DebianLock {
  /** When the packages were the newest ones, as https://snapshot.debian.org names moments. */
  readonly moment: string;
  readonly packages: readonly DebianPackage[];
}

export function parseLock(text: string): DebianLock {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const [first = '', ...rest] = lines.map((line) => line.split(' '));
  const packages = rest.map(([architecture, name = '', version = '', sha256 = '']): DebianPackage => {
    if ((architecture !== 'amd64' && architecture !== 'arm64') || !/^[0-9a-f]{64}$/.test(sha256))
      throw new Error(`packages.lock has a line that is no package: ${name || architecture}`);
    return { architecture, name, version, sha256 };
  });
  return { moment: first[1] ?? '', packages };
}

export function formatLock({ moment, packages }: DebianLock): string {
  const lines = packages.map(
    ({ architecture, name, version, sha256 }) => `${architecture} ${name} ${version} ${sha256}`,
  );
  return [
    '# `npm run image -- --update` writes this file.',
    `moment ${moment}`,
    ...lines.toSorted(),
    '',
  ].join('\n');
}

/** Sentences on what differs; none if the packages are the locked ones. */
export function differences(locked: readonly DebianPackage[], found: readonly DebianPackage[]): string[] {
  const key = ({ architecture, name }: DebianPackage) => `${name} for ${architecture}`;
  const wanted = new Map(locked.map((entry) => [key(entry), entry]));
  const got = new Map(found.map((entry) => [key(entry), entry]));
  return [...new Set([...wanted.keys(), ...got.keys()])].toSorted().flatMap((name) => {
    const [a, b] = [wanted.get(name), got.get(name)];
    if (a === undefined) return `${name} is not in the lock`;
    if (b === undefined) return `${name} is in the lock, and Debian did not bring it`;
    if (a.version !== b.version) return `${name} is ${b.version}, and ${a.version} in the lock`;
    return a.sha256 === b.sha256 ? [] : `${name} ${a.version} has other bytes than in the lock`;
  });
}
