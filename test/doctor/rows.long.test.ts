import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, readdir, rename } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, suite, test } from 'node:test';
import type { DoctorWorld } from '../../src/doctor/installation.ts';
import { examiner } from '../../src/doctor/thread.ts';
import type { Finding, Verdict } from '../../src/domain/finding.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { seconds } from '../../src/lib/instant.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { createVault } from '../../src/lib/vault.ts';
import { HANG_UP, startMailSink } from '../mail-sink.ts';
import {
  type Forward,
  MACHINE,
  NAMES,
  passOnTo,
  type Settings,
  startWholeInstallation,
  verdictsOf,
  type WholeInstallation,
} from './installation.ts';

suite('an installation in which all is right', () => {
  let whole: WholeInstallation;
  let findings: Finding[];
  let allRight: Record<string, Verdict>;
  before(async () => {
    whole = await startWholeInstallation();
    findings = await whole.examine();
    allRight = verdictsOf(findings);
  });
  after(() => whole[Symbol.asyncDispose]());

  const file = () => whole.settings.DATABASE_URL?.replace('sqlite:', '') ?? '';
  const port = () => Number(whole.settings.PORT);
  const inDatabase = (sql: string, ...values: string[]) => {
    using database = new DatabaseSync(file());
    return database.prepare(sql).all(...values);
  };

  /** Looks with a fault, of which only this row may tell. Rows that need the faulty part may be skipped. */
  async function onlyOf(
    name: string,
    verdict: Verdict,
    changes: Partial<Settings> = {},
    world: Partial<DoctorWorld> = {},
  ): Promise<Finding> {
    const looked = await whole.examine(changes, world);
    const others = looked.filter((finding) => finding.name !== name && finding.verdict !== 'skip');
    assert.deepEqual(
      others.filter((finding) => finding.verdict !== allRight[finding.name]),
      [],
    );
    const found = looked.find((finding) => finding.name === name);
    if (found === undefined) throw new Error(`no row is called ${name}`);
    assert.equal(found.verdict, verdict, found.sentence);
    return found;
  }

  test('is found so', () => {
    assert.deepEqual(
      findings.filter(({ verdict }) => verdict !== 'ok'),
      [],
    );
  });

  test('is found so by the thread of the service, too', async () => {
    const seen = await examiner({ ...whole.settings })();

    assert.deepEqual(
      seen.map(({ name }) => name),
      findings.map(({ name }) => name),
    );
    const own = ['settings', 'secret', 'disk', 'database', 'ports', 'outbound', 'care'];
    const others = seen.filter(({ name, verdict }) => own.includes(name) && verdict !== 'ok');
    assert.deepEqual(
      others.filter(({ sentence }) => !sentence.includes('in memory')),
      [],
    );
  });

  test('settings: a value that is refused, and a name that is misspelt', async () => {
    assert.match((await onlyOf('settings', 'fail', { LOG_LEVEL: 'loud' })).sentence, /LOG_LEVEL="loud"/);
    assert.equal((await onlyOf('settings', 'warn', { SITENAME: 'x' })).advice, 'Did you mean SITE_NAME?');
  });

  test('secret: a database that belongs to another one', async () => {
    const { secretId } = createVault('the key of another service', systemRandom);
    const [{ value } = {}] = inDatabase(`select value from instance where key = 'secret_check'`);
    inDatabase(`update instance set value = ? where key = 'secret_check'`, secretId);

    const found = await onlyOf('secret', 'fail');

    inDatabase(`update instance set value = ? where key = 'secret_check'`, String(value));
    assert.match(found.sentence, /belongs to another secret key/);
  });

  const refusing =
    (status: number, body: string, headers: Record<string, string> = {}): Forward =>
    (_request, response) =>
      void response.writeHead(status, headers).end(body);

  test('site: something else, a proxy without a service, and a redirect', async () => {
    {
      using _else = whole.proxyBy(refusing(200, 'Welcome to nginx!'));
      assert.match((await onlyOf('site', 'fail')).sentence, /^Something else answers/);
    }
    {
      using _lost = whole.proxyBy(refusing(502, 'Bad Gateway'));
      assert.match((await onlyOf('site', 'fail')).sentence, /answers 502/);
    }
    using _moved = whole.proxyBy(refusing(301, '', { location: 'https://elsewhere.test/' }));
    assert.match((await onlyOf('site', 'warn')).sentence, /redirects to https:\/\/elsewhere.test\//);
  });

  test('site: another installation, http, and a certificate that ends soon', async () => {
    {
      await using other = await startWholeInstallation({ SECRET_KEY: 'the secret of another installation' });
      using _other = whole.proxyBy(passOnTo(Number(other.settings.PORT)));
      assert.match((await onlyOf('site', 'fail')).sentence, /^Another installation answers there/);
    }
    const plain = { SITE_ROOT: `http://127.0.0.1:${port()}` };
    const http = await onlyOf('site', 'fail', plain);
    assert.match(http.sentence, /SITE_ROOT is http/);
    assert.match(http.sentence, /The running service has SITE_ROOT=https/);
  });

  test('proxy: a forged address that is believed, one that nobody tells, and a proxy that is not trusted', async () => {
    {
      using _plain = whole.proxyBy(passOnTo(port(), () => undefined));
      assert.match((await onlyOf('proxy', 'fail')).advice ?? '', /nginx: proxy_set_header X-Forwarded-For/);
    }
    {
      using _silent = whole.proxyBy(
        passOnTo(port(), (headers) => {
          delete headers['x-forwarded-for'];
        }),
      );
      assert.match((await onlyOf('proxy', 'warn')).sentence, /^All pings seem to come from the proxy/);
    }
    {
      using _adding = whole.proxyBy(
        passOnTo(port(), (headers, client) => {
          headers['x-forwarded-for'] = `${headers['x-forwarded-for']}, ${client}`;
        }),
      );
      assert.equal((await onlyOf('proxy', 'ok')).verdict, 'ok');
    }
    assert.equal(
      (await onlyOf('proxy', 'warn', { TRUSTED_PROXIES: '10.0.0.1' })).advice,
      'Add 127.0.0.1 to TRUSTED_PROXIES.',
    );
  });

  test('passage: long bodies, HEAD, bodies of GET, and streams that are held back', async () => {
    const onward = passOnTo(port());
    const unless =
      (isRefused: (request: Parameters<Forward>[0]) => boolean, refuse: Forward): Forward =>
      (request, response) =>
        isRefused(request) ? refuse(request, response) : onward(request, response);
    {
      using _short = whole.proxyBy(
        unless(
          ({ headers }) => Number(headers['content-length'] ?? 0) > 1_000_000,
          refusing(413, 'too large'),
        ),
      );
      const found = await onlyOf('passage', 'warn');
      assert.match(found.sentence, /^Does not get through: a body of 2.6 MB \(.*\)\.$/);
      assert.match(found.advice ?? '', /client_max_body_size 3m;/);
    }
    {
      using _head = whole.proxyBy(unless(({ method }) => method === 'HEAD', refusing(405, '')));
      assert.match((await onlyOf('passage', 'warn')).sentence, /HEAD \(status 405\)/);
    }
    {
      using _chunks = whole.proxyBy(
        unless(({ headers }) => headers['transfer-encoding'] === 'chunked', refusing(411, '')),
      );
      assert.match((await onlyOf('passage', 'warn')).sentence, /a POST in chunks \(status 411\)/);
    }
    using _held = whole.proxyBy(
      unless(
        ({ headers }) => headers.accept === 'text/event-stream',
        () => undefined,
      ),
    );
    assert.match((await onlyOf('passage', 'warn')).sentence, /^Events to open pages are held back/);
  });

  test('mail_out: refused at each step, hung up, no record, and one mail for --send-to', async () => {
    const refusals = [
      ['MAIL FROM:', '553 not yours', /to MAIL FROM:<tocsin@tls.test> it says 553 not yours/],
      ['RCPT TO:', '550 nobody', /to RCPT TO:<tocsin@tls.test> it says 550 nobody/],
      ['AUTH', '535 wrong', /to the sign-in it says 535 wrong/],
      ['EHLO', HANG_UP, /the server has hung up/],
    ] as const;
    for (const [command, answer, sentence] of refusals) {
      await using server = await startMailSink((line) =>
        line.startsWith(command) ? answer : line.startsWith('AUTH') ? '235 ok' : undefined,
      );
      const settings = {
        EMAIL_PORT: String(server.port),
        EMAIL_HOST_USER: 'me',
        EMAIL_HOST_PASSWORD: 'hunter2',
      };
      const found = await onlyOf('mail_out', 'fail', settings);
      assert.match(found.sentence, sentence);
      assert.doesNotMatch(JSON.stringify(found), /hunter2|aHVudGVy/);
    }
    const names = { ...NAMES, texts: async () => ['something else'] };
    assert.match((await onlyOf('mail_out', 'warn', {}, { names })).sentence, /tls.test has no SPF record/);
    assert.deepEqual(whole.mail.mails, []);
    assert.equal(
      (await onlyOf('mail_out', 'ok', { EMAIL_HOST: '127.0.0.1' }, { sendTo: 'you@tls.test' })).verdict,
      'ok',
    );
    assert.deepEqual(
      whole.mail.mails.map(({ to }) => to),
      [['you@tls.test']],
    );
  });

  test('mail_in: no record, a record that leads elsewhere, a closed port, and another server', async () => {
    const withNames = (names: Partial<typeof NAMES>) => ({ names: { ...NAMES, ...names } });
    assert.match(
      (await onlyOf('mail_in', 'warn', {}, withNames({ mailHosts: async () => [] }))).sentence,
      /has no MX record/,
    );
    const elsewhere = withNames({
      addresses: async (host) => [host === 'mx.tls.test' ? '192.0.2.1' : '127.0.0.1'],
    });
    assert.match(
      (await onlyOf('mail_in', 'warn', {}, elsewhere)).sentence,
      /neither this machine nor SITE_ROOT/,
    );
    assert.match(
      (await onlyOf('mail_in', 'warn', {}, { mailPort: whole.mail.port })).sentence,
      /^Another server answers/,
    );
    assert.match((await onlyOf('mail_in', 'warn', {}, { mailPort: 1 })).sentence, /ECONNREFUSED/);
  });

  test('clock: two and seven seconds from that of the site', async () => {
    const shifted = (by: number) => ({
      clock: { now: () => systemClock.now() + seconds(by), monotonic: () => systemClock.monotonic() },
    });
    assert.match((await onlyOf('clock', 'warn', {}, shifted(-3))).sentence, /s behind SITE_ROOT/);
    assert.match((await onlyOf('clock', 'fail', {}, shifted(8))).sentence, /s ahead of SITE_ROOT/);
  });

  test('disk: files of the network, layers, a full disk, and files that others can read', async () => {
    const on = (kind: string, sort: 'network' | 'layers') => ({
      machine: { ...MACHINE, fileSystem: async () => ({ kind, sort, freeBytes: 1e12, totalBytes: 1e12 }) },
    });
    assert.match((await onlyOf('disk', 'fail', {}, on('nfs', 'network'))).sentence, /is on nfs/);
    await onlyOf('disk', 'warn', { ALLOW_NETWORK_FILES: 'True' }, on('nfs', 'network'));
    await onlyOf('disk', 'warn', {}, on('overlay', 'layers'));
    const full = {
      ...MACHINE,
      fileSystem: async () => ({ kind: 'ext4', sort: 'disk', freeBytes: 1, totalBytes: 9 }) as const,
    };
    assert.match((await onlyOf('disk', 'fail', {}, { machine: full })).sentence, /twice as much/);
    await chmod(file(), 0o644);
    const exposed = await onlyOf('disk', 'warn');
    await chmod(file(), 0o600);
    assert.ok(exposed.sentence.includes(file()));
  });

  test('database: a schema of a newer program', async () => {
    inDatabase(
      `insert into schema_migrations (version, name, breaking, applied_at) values (9999, 'later', true, 0)`,
    );
    const found = await onlyOf('database', 'fail');
    inDatabase('delete from schema_migrations where version = 9999');
    assert.match(found.sentence, /migrated to version 9999 by a newer Tocsin/);
  });

  test('ports: one that another program has', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const taken = String(Object(other.address()).port);

    const found = await onlyOf('ports', 'fail', { SMTPD_PORT: taken });

    other.close();
    assert.equal(found.sentence, `Another program has port ${taken}.`);
  });

  test('limits: few files and little memory', async () => {
    const machine = { ...MACHINE, openFiles: () => 1024, memoryBytes: () => 128 * 1024 * 1024 };
    const { sentence } = await onlyOf('limits', 'warn', {}, { machine });
    assert.equal(
      sentence,
      'This process may open 1024 files and connections. This process may use 128 MB of memory.',
    );
  });

  test('outbound: a host that is away, a proxy that is away, and a bucket with another key', async () => {
    const away = { MATRIX_HOMESERVER: 'http://127.0.0.1:1' };
    assert.match(
      (await onlyOf('outbound', 'warn', away)).sentence,
      /^Matrix: http:\/\/127.0.0.1:1 cannot be reached/,
    );
    const closed = { S3_SECRET_KEY: 'another' };
    assert.match((await onlyOf('outbound', 'warn', closed)).sentence, /^The bucket bodies cannot be used/);
    const proxy = { https_proxy: 'http://127.0.0.1:1' };
    assert.match((await onlyOf('outbound', 'warn', proxy)).sentence, /^https_proxy leads to 127.0.0.1/);
  });

  test('care: no backup, one that is too old or gone, a secret that is nowhere else, nobody who watches', async () => {
    assert.match((await onlyOf('care', 'warn', { BACKUP_DIR: '' })).sentence, /makes no backups/);
    assert.match((await onlyOf('care', 'warn', { HEARTBEAT_URL: '' })).sentence, /^Nobody is told/);
    assert.match((await onlyOf('care', 'warn', { METRICS_KEY: '' })).sentence, /^The metrics/);
    const folder = join(whole.folder, 'backups');
    await rename(folder, `${folder}.moved`);
    const gone = await onlyOf('care', 'warn');
    await rename(`${folder}.moved`, folder);
    assert.match(gone.sentence, /^There is no backup in/);
    const [{ value } = {}] = inDatabase(`select value from instance where key = 'last_backup_at'`);
    inDatabase(
      `update instance set value = ? where key = 'last_backup_at'`,
      String(Number(value) - seconds(49 * 3600)),
    );
    const old = await onlyOf('care', 'warn');
    inDatabase(`update instance set value = ? where key = 'last_backup_at'`, String(value));
    assert.equal(old.sentence, 'The last backup was made 49 h ago.');
    assert.equal((await readdir(folder)).length, 1);
  });
});
