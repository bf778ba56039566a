import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer as createSecureServer } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { Finding } from '../../src/domain/finding.ts';
import { CERTIFICATE, KEY } from '../../src/lib/certificate.test-support.ts';
import { freePort } from '../free-port.ts';
import { startMailSink } from '../mail-sink.ts';
import type { PostgresServer } from '../postgres.ts';
import { listening, runCli, startCli, temporaryFolder } from '../process.ts';
import { until } from '../waiting.ts';
import {
  open,
  passOnTo,
  type Settings,
  startMonitor,
  startSafePostgres,
  startWholeInstallation,
  verdictsOf,
  type WholeInstallation,
} from './installation.ts';

suite('an installation on PostgreSQL in which all is right', () => {
  let server: PostgresServer;
  let whole: WholeInstallation;
  before(async () => {
    server = await startSafePostgres();
    whole = await startWholeInstallation({ DATABASE_URL: server.url });
  });
  after(async () => {
    await whole[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  /** The database, reached in another way. */
  const by = (change: (url: URL) => void) => {
    const url = new URL(server.url);
    change(url);
    return { DATABASE_URL: url.href };
  };

  test('is found so', async () => {
    const findings: Finding[] = await whole.examine();

    const expected = Object.fromEntries(findings.map(({ name }) => [name, name === 'disk' ? 'skip' : 'ok']));
    assert.deepEqual(verdictsOf(findings), expected, JSON.stringify(findings, null, 2));
  });

  test('has no other row after a look', async () => {
    const rows = await whole.rows();

    await whole.examine();

    assert.deepEqual(await whole.rows(), rows);
  });

  test('clock: that of the server is late or early', async () => {
    const search = by((url) => url.searchParams.set('options', '-c search_path=public,pg_catalog'));
    const shift = (span: string) =>
      server.query(`create or replace function public.clock_timestamp() returns timestamptz language sql
                      as $$ select pg_catalog.clock_timestamp() + interval '${span}' $$`);

    await shift('-8 seconds');
    const late = await whole.onlyOf('clock', 'fail', search);
    await shift('3 seconds');
    const early = await whole.onlyOf('clock', 'warn', search);

    await server.query('drop function public.clock_timestamp()');
    assert.match(late.sentence, /^This machine is [78]\.\d s ahead of the database\.$/);
    assert.match(early.sentence, /^This machine is [23]\.\d s behind the database\.$/);
  });

  test('database: a role that cannot make tables', async () => {
    await server.query(
      `create role guest login password 'x'; grant all on all tables in schema public to guest`,
    );

    const found = await whole.onlyOf(
      'database',
      'fail',
      by((url) => Object.assign(url, { username: 'guest', password: 'x' })),
    );

    await server.query('drop owned by guest; drop role guest');
    assert.match(found.sentence, /^The role cannot make tables in the schema public/);
  });

  test('database: a pooler that refuses time-outs', async () => {
    await using pooler = await startRefusingPooler();

    const found = await whole.onlyOf(
      'database',
      'fail',
      by((url) => Object.assign(url, { port: pooler.port })),
    );

    assert.match(found.sentence, /behind a pooler that refuses our time-outs: unsupported startup parameter/);
  });

  test('database: a server that nobody reaches', async () => {
    const found = await whole.onlyOf(
      'database',
      'fail',
      by((url) => Object.assign(url, { port: 1 })),
    );

    assert.match(found.sentence, /cannot be reached: .*ECONNREFUSED/);
  });
});

suite('the command beside a service on PostgreSQL', () => {
  test('finds that all is right, and sends one mail if it is told to', async () => {
    await using server = await startSafePostgres();
    await using folder = await temporaryFolder();
    await using sink = await startMailSink();
    await using monitor = await startMonitor();
    const port = await freePort();
    await using proxy = await open(createSecureServer({ cert: CERTIFICATE, key: KEY }, passOnTo(port)));
    const authority = join(folder.path, 'authority.pem');
    await writeFile(authority, CERTIFICATE);
    const env = {
      DATABASE_URL: server.url,
      PORT: String(port),
      SITE_ROOT: `https://127.0.0.1:${proxy.port}`,
      BACKUP_DIR: join(folder.path, 'backups'),
      HEARTBEAT_URL: `http://127.0.0.1:${monitor.port}/`,
      METRICS_KEY: 'a key for metrics',
      SECRET_KEY: 'a secret for tests only, and a long one',
      NODE_EXTRA_CA_CERTS: authority,
    };
    const doctor = async (args: readonly string[], more: Settings = {}) => {
      const ran = await runCli(['doctor', '--json', ...args], { cwd: folder.path, env: { ...env, ...more } });
      assert.equal(ran.stderr, '');
      const { findings }: { findings: Finding[] } = JSON.parse(ran.stdout);
      return { code: ran.code, findings };
    };
    await using service = startCli(['serve'], { cwd: folder.path, env });
    await listening(service);
    await until('the first backup is made', async () => {
      const [care] = (await doctor(['--only', 'care'])).findings;
      return care?.verdict === 'ok';
    });

    const { code, findings } = await doctor([]);

    const troubles = findings.filter(({ verdict }) => !['ok', 'skip'].includes(verdict));
    assert.deepEqual({ code, troubles }, { code: 0, troubles: [] });
    const skipped = findings.filter(({ verdict }) => verdict === 'skip').map(({ name }) => name);
    assert.deepEqual(skipped, ['mail_out', 'mail_in', 'disk', 'outbound']);

    // Nobody is asked for records of a domain without a dot.
    const mail = {
      EMAIL_HOST: '127.0.0.1',
      EMAIL_PORT: String(sink.port),
      EMAIL_USE_TLS: 'False',
      DEFAULT_FROM_EMAIL: 'tocsin@localhost',
    };
    await doctor(['--only', 'mail_out'], mail);
    assert.deepEqual(sink.mails, []);
    const sent = await doctor(['--only', 'mail_out', '--send-to', 'you@example.org'], mail);
    assert.equal(sent.code, 0);
    assert.deepEqual(
      sink.mails.map(({ from, to }) => ({ from, to })),
      [{ from: 'tocsin@localhost', to: ['you@example.org'] }],
    );
  });
});

/** As PgBouncer does: the sessions of the server are shared, and have no parameters of one client. */
async function startRefusingPooler(): Promise<AsyncDisposable & { port: number }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (hello) => {
      const [, refused = 'none'] = /\0(\w+_timeout)\0/.exec(hello.toString('latin1')) ?? [];
      const fields = `SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: ${refused}\0\0`;
      const head = Buffer.alloc(5, 'E');
      head.writeUInt32BE(fields.length + 4, 1);
      socket.end(Buffer.concat([head, Buffer.from(fields)]));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: Object(server.address()).port,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}
