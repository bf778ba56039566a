import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pack } from '../../scripts/package/list.ts';
import { loadMigrations } from '../../src/storage/migration-files.ts';
import { oldestBeside } from '../../src/storage/releases.ts';
import { copyCheckout } from '../checkout.ts';
import { createEmptyPlace, forEachEngine, openTestDriver, type TestPlace } from '../engines.ts';
import {
  type Exit,
  listening,
  REPOSITORY,
  type RunningProcess,
  startProcess,
  type TemporaryFolder,
  temporaryFolder,
} from '../process.ts';

const API_KEY = 'hcw_aaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const DECLARATION = `accounts:
  - email: ops@example.org
projects:
  - name: Alpha
    owner: ops@example.org
    keys: { read_write: ${API_KEY} }
`;

/** A step of each later minor release, which older programs survive. They add to the tables that pings write. */
const LATER_STEPS = [
  `alter table checks add column colour text not null default 'plain';
   alter table pings add column colour text;
   create table colours (name text primary key)`,
  'alter table checks add column shape text',
];

let folder: TemporaryFolder;
/** The unpacked packages: of this release, and of the minor releases that will come after it. */
let releases: Release[] = [];

interface Release {
  readonly version: string;
  readonly program: string;
}

before(async () => {
  folder = await temporaryFolder();
  await writeFile(join(folder.path, 'declaration.yaml'), DECLARATION);
  const checkout = join(folder.path, 'checkout');
  await copyCheckout(checkout);
  await pack(checkout);
  const manifestPath = join(checkout, 'package.json');
  const manifest = JSON.parse(await readFile(manifestPath, 'utf8'));
  const [major, minor] = manifest.version.split('.').map(Number);
  const last = (await loadMigrations('sqlite')).at(-1)?.version ?? 0;
  releases = [await unpack(checkout, manifest.version)];
  for (const [index, step] of LATER_STEPS.entries()) {
    const version = `${major}.${minor + 1 + index}.0`;
    await writeFile(manifestPath, JSON.stringify({ ...manifest, version }));
    const name = `${String(last + 1 + index).padStart(4, '0')}_later_step.sql`;
    await writeFile(join(checkout, 'dist/storage/migrations', name), `-- breaking: no\n${step};\n`);
    // What is built stays as it is.
    await pack(checkout, ['--ignore-scripts']);
    releases.push(await unpack(checkout, version));
  }
});

after(() => folder[Symbol.asyncDispose]());

async function unpack(checkout: string, version: string): Promise<Release> {
  const target = join(folder.path, version);
  await mkdir(target);
  execFileSync('tar', ['-xzf', join(checkout, `tocsin-server-${version}.tgz`), '-C', target]);
  await symlink(join(REPOSITORY, 'node_modules'), join(target, 'package/node_modules'));
  return { version, program: join(target, 'package/bin/tocsin.cjs') };
}

function run({ program }: Release, args: readonly string[], { database }: TestPlace): RunningProcess {
  return startProcess(process.execPath, [program, ...args], {
    cwd: folder.path,
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      SECRET_KEY: 'a secret for tests only, and a long one',
      DATABASE_URL: database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url,
      PROVISION_FILE: join(folder.path, 'declaration.yaml'),
    },
  });
}

async function runToEnd(release: Release, args: readonly string[], place: TestPlace): Promise<Exit> {
  await using process = run(release, args, place);
  return await process.exit();
}

/** A check as the API tells it, as far as it is compared. */
interface Seen {
  readonly name: string;
  readonly n_pings: number;
  readonly status: string;
  readonly timeout: number;
  readonly ping_url: string;
}

interface Service extends AsyncDisposable {
  create(name: string): Promise<void>;
  /** Pings each check, and gives it another timeout. */
  useAll(timeout: number): Promise<void>;
  /** What people know of all checks. */
  seen(): Promise<Omit<Seen, 'ping_url'>[]>;
}

async function serve(release: Release, place: TestPlace): Promise<Service> {
  const process = run(release, ['serve'], place);
  const url = await listening(process);
  const ask = async (path: string, body?: object) => {
    const answer = await fetch(`${url}/api/v3/${path}`, {
      headers: { 'X-Api-Key': API_KEY },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    assert.ok(answer.ok, `${release.version}: ${path} ${answer.status}`);
    return Object(await answer.json());
  };
  const list = async (): Promise<Seen[]> => (await ask('checks/')).checks;
  return {
    create: async (name) => void (await ask('checks/', { name })),
    async useAll(timeout) {
      for (const { ping_url } of await list()) {
        const uuid = new URL(ping_url).pathname.split('/').at(-1) ?? '';
        assert.equal(await (await fetch(`${url}/ping/${uuid}`)).text(), 'OK');
        await ask(`checks/${uuid}`, { timeout });
      }
    },
    seen: async () =>
      (await list())
        .map(({ name, n_pings, status, timeout }) => ({ name, n_pings, status, timeout }))
        .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    async [Symbol.asyncDispose]() {
      process.signal('SIGTERM');
      assert.equal((await process.exit()).code, 0);
    },
  };
}

const nameOf = (index: number) => String.fromCharCode(97 + index);

/** Checks `a`, `b`, … of which each was there for one use longer than the next. */
function used(count: number, timeout: number): Omit<Seen, 'ping_url'>[] {
  return Array.from({ length: count }, (_, index) => {
    const name = nameOf(index);
    return { name, n_pings: count - index, status: 'up', timeout };
  });
}

/** As a program of the next minor release would write. */
async function paint({ database }: TestPlace): Promise<void> {
  await using driver = await openTestDriver(database);
  await driver.transaction((tx) => tx.run(`update checks set colour = 'red'`));
}

async function assertSound(release: Release, place: TestPlace): Promise<void> {
  const { code, stdout, stderr } = await runToEnd(release, ['verify'], place);
  assert.equal(code, 0, `${release.version}: ${stdout}${stderr}`);
}

forEachEngine((engine) => {
  test('packages of two minor releases serve one database in turns, with the data of both, and one of two before is refused', async () => {
    await using place = await createEmptyPlace(engine);
    const [old, next, later] = releases;
    assert.ok(old && next && later);

    for (const [turn, release] of [old, next, old, next].entries()) {
      const timeout = 3_600 + 60 * turn;
      {
        await using service = await serve(release, place);
        if (turn > 0) assert.deepEqual(await service.seen(), used(turn, timeout - 60));
        await service.create(nameOf(turn));
        await service.useAll(timeout);
        assert.deepEqual(await service.seen(), used(turn + 1, timeout));
      }
      // What only the newer one knows is kept by the older one.
      if (turn === 1) await paint(place);
      for (const reader of turn === 0 ? [old] : [old, next]) await assertSound(reader, place);
    }

    {
      await using service = await serve(later, place);
      assert.deepEqual(await service.seen(), used(4, 3_780));
    }
    {
      await using service = await serve(next, place);
      assert.deepEqual(await service.seen(), used(4, 3_780));
    }
    const { code, stderr } = await runToEnd(old, ['serve'], place);
    assert.equal(code, 1);
    assert.match(
      stderr,
      new RegExp(
        `the database was used by Tocsin ${later.version}, and this is Tocsin ${old.version}: install Tocsin ${oldestBeside(later.version)} or newer`,
      ),
    );
    await assertSound(later, place);
    await using driver = await openTestDriver(place.database);
    assert.deepEqual(
      await driver.all('select name, colour, shape from checks order by name'),
      ['red', 'red', 'plain', 'plain'].map((colour, index) => ({ name: nameOf(index), colour, shape: null })),
    );
  });
});

test('a program serves on while one of the next minor release makes its step on the same PostgreSQL', async () => {
  await using place = await createEmptyPlace('postgres');
  const [old, next] = releases;
  assert.ok(old && next);
  await using before = await serve(old, place);
  await before.create('a');
  await before.useAll(3_600);

  await using beside = await serve(next, place);
  for (const [index, service] of [beside, before, beside, before].entries()) {
    await service.create(nameOf(index + 1));
    await service.useAll(3_660 + 60 * index);
    for (const reader of [before, beside])
      assert.deepEqual(await reader.seen(), used(index + 2, 3_660 + 60 * index));
  }

  await assertSound(old, place);
  await assertSound(next, place);
});
