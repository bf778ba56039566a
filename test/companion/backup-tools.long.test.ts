/** Real backup tools, wrapped: a good run, an empty source, and a target that takes no more. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, test } from 'node:test';
import { until } from '../waiting.ts';
import { type Ended, type Place, place } from './wrapper.ts';

/** What the source has. */
const FILES = 3;
const BYTES = 3_000_006;

interface Tool {
  /** The package of Debian. */
  readonly package: string;
  /** Makes the target, where that has to be done before. */
  readonly prepare?: (places: Places) => Promise<string> | string;
  readonly job: (places: Places) => string;
  /** The first line of the body. */
  readonly good: RegExp;
  readonly empty: RegExp;
}

interface Places {
  readonly source: string;
  readonly target: string;
  readonly folder: string;
}

const BORG_EMPTY = /^files=0 bytes_added=\d{1,4} bytes_total=\d{1,4} errors=0\n/;

const TOOLS: Readonly<Record<string, Tool>> = {
  restic: {
    package: 'restic',
    prepare: ({ target }) => `restic -r ${target} init`,
    job: ({ source, target }) => `restic -r ${target} backup --json ${source}`,
    good: new RegExp(`^files=${FILES} bytes_added=300\\d{4} bytes_total=${BYTES} errors=0\\n`),
    empty: /^files=0 bytes_added=\d{1,4} bytes_total=0 errors=0\n/,
  },
  borg: {
    package: 'borgbackup',
    prepare: ({ target }) => `borg init -e none ${target}`,
    job: ({ source, target }) => `borg create --json ${target}::'{now:%s}' ${source}`,
    good: new RegExp(`^files=${FILES} bytes_added=300\\d{4} bytes_total=300\\d{4} errors=0\\n`),
    empty: BORG_EMPTY,
  },
  borgmatic: {
    package: 'borgmatic',
    prepare: async ({ source, target, folder }) => {
      await writeFile(join(folder, 'borgmatic.yaml'), configurationOf(source, target));
      return `borg init -e none ${target}`;
    },
    job: ({ folder }) => `borgmatic --syslog-verbosity -1 -c ${folder}/borgmatic.yaml create --json`,
    // Newer versions save what they need themselves to restore it.
    good: /^files=\d bytes_added=300\d{4} bytes_total=300\d{4} errors=0\n/,
    empty: /^files=[0-2] bytes_added=\d{1,4} bytes_total=\d{1,4} errors=0\n/,
  },
  rclone: {
    package: 'rclone',
    job: ({ source, target }) => `rclone sync --use-json-log -v --retries 1 ${source} ${target}`,
    good: new RegExp(`^files=${FILES} files_checked=0 bytes_added=${BYTES} errors=0\\n`),
    empty: /^files=0 files_checked=0 bytes_added=0 errors=0\n/,
  },
  rsync: {
    package: 'rsync',
    job: ({ source, target }) => `rsync -a --stats ${source}/ ${target}/`,
    good: new RegExp(`^files=${FILES} bytes_added=${BYTES} bytes_total=${BYTES} errors=0\\n`),
    empty: /^files=0 bytes_added=0 bytes_total=0 errors=0\n/,
  },
};

for (const [name, tool] of Object.entries(TOOLS)) {
  describe(name, {
    skip: !isOnPath(name) && `there is no ${name} on the PATH: apt-get install ${tool.package}`,
  }, () => {
    test('a good run tells how much it saved', async () => {
      await using here = await place();
      const { ended, body } = await wrapped(here, name, 'full');

      assert.equal(ended.code, 0, `${ended.stdout}${ended.stderr}`);
      assert.deepEqual(here.pings(), ['/start', '']);
      assert.match(body, tool.good);
    });

    test('an empty source ends well, and the numbers show it', async () => {
      await using here = await place();
      const { ended, body } = await wrapped(here, name, 'empty');

      assert.equal(ended.code, 0, `${ended.stdout}${ended.stderr}`);
      assert.deepEqual(here.pings(), ['/start', '']);
      assert.match(body, tool.empty);
    });

    test('a target that takes no more makes a failure with what the tool said', async () => {
      await using here = await place();
      // Of a file no more than a megabyte can be written.
      const { ended, body } = await wrapped(here, name, 'full', 'trap "" XFSZ; ulimit -f 2000; ');

      assert.ok(ended.code !== null && ended.code > 0, `${ended.stdout}${ended.stderr}`);
      assert.deepEqual(here.pings(), ['/start', `/${ended.code}`]);
      assert.match(`${ended.stdout}${ended.stderr}`, /file too large|file too big/i);
      assert.notEqual(body, '');
      assert.doesNotMatch(body, /no summary/);
    });
  });
}

async function wrapped(here: Place, name: string, source: 'full' | 'empty', first = '') {
  const tool = TOOLS[name];
  assert.ok(tool);
  const places = await placesIn(here, source === 'full');
  const environment = {
    RESTIC_PASSWORD: 'x',
    RCLONE_CONFIG: join(here.folder, 'none'),
    BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK: 'yes',
    LC_ALL: 'C.UTF-8',
  };
  if (tool.prepare !== undefined) {
    const env = { ...here.environment, ...environment };
    execFileSync('sh', ['-c', await tool.prepare(places)], { env, cwd: here.folder, stdio: 'pipe' });
  }
  const args = ['--as', name, '-c', `${first}exec ${tool.job(places)}`];
  const ended: Ended = await here.run(args, { environment: { ...environment, SHELL: '/bin/sh' } });
  return { ended, body: here.server.received.at(-1)?.body ?? '' };
}

async function placesIn({ folder }: Place, isFull: boolean): Promise<Places> {
  const [source, target] = [join(folder, 'source'), join(folder, 'target')];
  await mkdir(join(source), { recursive: true });
  if (isFull) {
    await mkdir(join(source, 'sub'));
    await writeFile(join(source, 'large'), randomBytes(3_000_000));
    await writeFile(join(source, 'sub', 'small'), 'hello\n');
    await writeFile(join(source, 'sub', 'none'), '');
  }
  return { source, target, folder };
}

/** Sections were given up in version 1.8. */
function configurationOf(source: string, target: string): string {
  const version = spawnSync('borgmatic', ['--version'], { encoding: 'utf8' }).stdout;
  const isOld = /^1\.[0-7]\./.test(version);
  const access = 'unknown_unencrypted_repo_access_is_ok: true';
  return isOld
    ? `location:\n  source_directories: [${source}]\n  repositories: [${target}]\nstorage:\n  ${access}\n`
    : `source_directories: [${source}]\nrepositories: [{path: ${target}}]\n${access}\n`;
}

function isOnPath(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

const programs = await postgresPrograms();

describe('pg_dump', {
  skip: programs === null && 'there is no PostgreSQL server of Debian: apt-get install postgresql',
}, () => {
  const EXPECTS = [
    '--as',
    'pg_dump',
    '--expect-file',
    '*.dump',
    '--newer-than-start',
    '--shrink-at-most',
    '50%',
  ];
  const dump = (database: string) => `pg_dump --verbose --format=custom --file=${database}.dump ${database}`;

  test('a good run tells its tables and the size of the dump, and a smaller one is a failure', async () => {
    await using here = await place();
    await using server = await startPostgres(here.folder);
    server.query('postgres', 'create database app');
    server.query('app', 'create table t as select md5(i::text) from generate_series(1, 5000) i');
    const run = (job: string) => here.run([...EXPECTS, '-c', job], { environment: server.environment });

    const good = await run(dump('app'));
    const { size } = await stat(join(here.folder, 'app.dump'));
    server.query('app', 'truncate t');
    const less = await run(dump('app'));
    await run('touch -d yesterday app.dump');

    assert.equal(good.code, 0, good.stderr);
    const [, first = '', , second = '', , third = ''] = here.server.received.map(({ body }) => body);
    assert.match(first, new RegExp(`^tables=1 errors=0 file_bytes=${size}\\n`));
    assert.equal(less.code, 0);
    assert.match(
      second,
      new RegExp(
        `; \\*\\.dump: shrunk by more than 50%: .*; the last run left app\\.dump with ${size} bytes$`,
      ),
    );
    assert.match(third, /; \*\.dump: nothing new: app\.dump with \d+ bytes is of /);
    assert.deepEqual(here.pings(), ['/start', '', '/start', '/fail', '/start', '/fail']);
  });

  test('an empty database has no tables', async () => {
    await using here = await place();
    await using server = await startPostgres(here.folder);

    await here.run([...EXPECTS, '-c', dump('postgres')], { environment: server.environment });

    assert.match(here.server.received.at(-1)?.body ?? '', /^tables=0 errors=0 file_bytes=\d+\n/);
  });

  test('a full disk makes a failure, also where pg_dump ends well', async () => {
    await using here = await place();
    await using server = await startPostgres(here.folder);
    server.query('postgres', 'create table t as select md5(i::text) from generate_series(1, 5000) i');
    const run = (job: string) => here.run([...EXPECTS, '-c', job], { environment: server.environment });

    const told = await run('pg_dump --format=custom -Z0 --file=/dev/full postgres');
    await run('pg_dump --schema-only postgres > /dev/full');

    assert.notEqual(told.code, 0);
    assert.match(here.server.received[1]?.body ?? '', /^errors=1\npg_dump: error: .*No space left on device/);
    assert.match(here.pings()[3] ?? '', /^\/(fail|\d+)$/);
  });
});

/** The folder of a server and its clients that fit together. */
async function postgresPrograms(): Promise<string | null> {
  const versions = await readdir('/usr/lib/postgresql').catch((): string[] => []);
  const needed = ['initdb', 'postgres', 'psql', 'pg_dump'];
  const folders = versions
    .sort((one, two) => Number(two) - Number(one))
    .map((one) => `/usr/lib/postgresql/${one}/bin`);
  for (const folder of folders) {
    const names = await readdir(folder).catch((): string[] => []);
    if (needed.every((name) => names.includes(name))) return folder;
  }
  return null;
}

async function startPostgres(folder: string) {
  const bin = programs ?? '';
  const data = join(folder, 'postgres');
  await mkdir(data);
  // The server refuses to be root.
  const isRoot = process.getuid?.() === 0;
  const [program = '', ...asOther] = isRoot
    ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--']
    : ['env'];
  if (isRoot) execFileSync('chown', ['65534:65534', data]);
  await chmod(folder, 0o755);
  const options = { stdio: 'pipe', cwd: data } as const;
  execFileSync(
    program,
    [...asOther, `${bin}/initdb`, '-D', `${data}/d`, '-U', 'postgres', '-A', 'trust'],
    options,
  );
  const flags = ['-D', `${data}/d`, '-k', data, '-c', 'listen_addresses=', '-c', 'fsync=off'];
  const server: ChildProcess = spawn(program, [...asOther, `${bin}/postgres`, ...flags], {
    stdio: 'ignore',
    cwd: data,
  });
  const environment = {
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    PGHOST: data,
    PGUSER: 'postgres',
    SHELL: '/bin/sh',
  };
  const psql = (database: string, query: string) =>
    spawnSync(`${bin}/psql`, ['-qX', '-c', query, database], { env: environment, encoding: 'utf8' });
  await until('the server answers', () => psql('postgres', 'select 1').status === 0);
  return {
    environment,
    query: (database: string, query: string) => {
      const { status, stderr } = psql(database, query);
      assert.equal(status, 0, stderr);
    },
    [Symbol.asyncDispose]: async () => {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGINT');
      await ended;
    },
  };
}
