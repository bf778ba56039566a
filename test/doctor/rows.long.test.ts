import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, chown, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, suite, test } from 'node:test';
import { examiner } from '../../src/doctor/thread.ts';
import type { Finding } from '../../src/domain/finding.ts';
import { certificateUntil } from '../../src/lib/certificate.test-support.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { FileSystem } from '../../src/lib/file-system.ts';
import { seconds } from '../../src/lib/instant.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { createVault } from '../../src/lib/vault.ts';
import { secretPaths } from '../../src/storage/sqlite/files.ts';
import { HANG_UP, startMailSink } from '../mail-sink.ts';
import {
  type Forward,
  MACHINE,
  NAMES,
  passOnTo,
  startWholeInstallation,
  type WholeInstallation,
} from './installation.ts';

suite('an installation in which all is right', () => {
  let whole: WholeInstallation;
  let findings: Finding[];
  before(async () => {
    whole = await startWholeInstallation();
    findings = await whole.examine();
  });
  after(() => whole[Symbol.asyncDispose]());

  const file = () => whole.settings.DATABASE_URL?.replace('sqlite:', '') ?? '';
  const port = () => Number(whole.settings.PORT);
  const inDatabase = (sql: string, ...values: string[]) => {
    using database = new DatabaseSync(file());
    return database.prepare(sql).all(...values);
  };

  /** The secret of the service in the file beside its database. */
  async function keepSecret(): Promise<AsyncDisposable & { path: string }> {
    const path = secretPaths(file()).current;
    await writeFile(path, `${whole.settings.SECRET_KEY}\n`, { mode: 0o600 });
    return { path, [Symbol.asyncDispose]: () => rm(path) };
  }
  const onlyOf: WholeInstallation['onlyOf'] = (...fault) => whole.onlyOf(...fault);

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

  test('secret: one in a file that others can read, and a database that belongs to another one', async () => {
    await using kept = await keepSecret();
    await chmod(kept.path, 0o644);
    // With a passphrase the key is in the backups.
    const exposed = await onlyOf('secret', 'fail', { SECRET_KEY: '', BACKUP_PASSPHRASE_FILE: kept.path });
    assert.equal(exposed.sentence, `Others can read ${kept.path}.`);

    const { secretId } = createVault('the key of another service', systemRandom);
    const [{ value } = {}] = inDatabase(`select value from instance where key = 'secret_check'`);
    inDatabase(`update instance set value = ? where key = 'secret_check'`, secretId);

    const found = await onlyOf('secret', 'fail');

    inDatabase(`update instance set value = ? where key = 'secret_check'`, String(value));
    assert.match(found.sentence, /belongs to another secret key/);
  });

  test('secret: a database whose key is gone, which is no new one', async () => {
    const [missing] = await whole.examine({ SECRET_KEY: '' }, {}, ['secret']);

    assert.equal(missing?.verdict, 'fail');
    assert.match(missing?.sentence ?? '', /^The secret key of this database is missing/);
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

  test('site: another installation, and http', async () => {
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

  test('site: a certificate that ends soon, and one that has ended', async () => {
    const inDays = (days: number) => certificateUntil(new Date(Date.now() + days * 86_400_000));
    {
      using _ending = whole.certify(inDays(13.5));
      assert.equal((await onlyOf('site', 'warn')).sentence, 'The certificate ends in 13 days.');
    }
    {
      using _good = whole.certify(inDays(14.5));
      assert.match((await onlyOf('site', 'ok')).sentence, /with a certificate for 14 days\.$/);
    }
    using _ended = whole.certify(inDays(-1));
    assert.match((await onlyOf('site', 'fail')).sentence, /is not accepted: certificate has expired\.$/);
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
    {
      const drops = (method?: string) => method === 'GET';
      using _bare = whole.proxyBy(passOnTo(port(), undefined, drops));
      const { sentence } = await onlyOf('passage', 'warn');
      assert.equal(sentence, 'Does not get through: GET with a body (0 of 2 bytes arrived).');
    }
    using _held = whole.proxyBy(
      unless(
        ({ headers }) => headers.accept === 'text/event-stream',
        () => undefined,
      ),
    );
    assert.match((await onlyOf('passage', 'warn')).sentence, /^Events to open pages are held back/);
  });

  test('passage: slow bodies, which are refused or cut', async () => {
    const onward = passOnTo(port());
    const end: [how: (...of: Parameters<Forward>) => void, sentence: RegExp][] = [
      [
        (_request, response) => response.writeHead(408).end(),
        /a body that takes 5 seconds \(status 408\)\.$/,
      ],
      [
        (request) => request.socket.destroy(),
        /a body that takes 5 seconds \((socket hang up|.*ECONNRESET)\)\.$/,
      ],
    ];
    for (const [impatiently, sentence] of end) {
      const ended = Promise.withResolvers<void>();
      using _impatient = whole.proxyBy((request, response) => {
        if (request.headers['content-length'] !== '6') return onward(request, response);
        request.once('data', () => impatiently(request, response));
        request.socket.once('close', () => ended.resolve());
      });
      // The second piece comes when the proxy has lost its patience.
      const found = await onlyOf('passage', 'warn', {}, { rest: () => ended.promise });
      assert.match(found.sentence, sentence);
      assert.match(found.advice ?? '', /^nginx: client_body_timeout 60s;/);
    }
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
    assert.match(
      (await onlyOf('mail_out', 'fail', { EMAIL_USE_TLS: 'True' })).sentence,
      /to STARTTLS it says 250 OK/,
    );
    assert.match(
      (await onlyOf('mail_out', 'fail', { EMAIL_PORT: '1' })).sentence,
      /no connection to tls.test:1: .*ECONNREFUSED/,
    );
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

  test('has no other row and no other file after a look', async () => {
    const folder = dirname(file());
    const [rows, files] = [await whole.rows(), await readdir(folder)];

    await whole.examine();

    assert.deepEqual([await whole.rows(), await readdir(folder)], [rows, files]);
  });

  test('clock: two and seven seconds from that of the site', async () => {
    const shifted = (by: number) => ({
      clock: { now: () => systemClock.now() + seconds(by), monotonic: () => systemClock.monotonic() },
    });
    assert.match((await onlyOf('clock', 'warn', {}, shifted(-3))).sentence, /s behind SITE_ROOT/);
    assert.match((await onlyOf('clock', 'fail', {}, shifted(8))).sentence, /s ahead of SITE_ROOT/);
  });

  test('disk: files of the network, layers, a full disk, and files that others can read', async () => {
    const on = (kind: string, sort: FileSystem['sort']) => ({
      machine: { ...MACHINE, fileSystem: async () => ({ kind, sort, freeBytes: 1e12, totalBytes: 1e12 }) },
    });
    assert.match((await onlyOf('disk', 'fail', {}, on('nfs', 'network'))).sentence, /is on nfs/);
    await onlyOf('disk', 'warn', { ALLOW_NETWORK_FILES: 'True' }, on('nfs', 'network'));
    await onlyOf('disk', 'warn', {}, on('overlay', 'layers'));
    assert.match(
      (await onlyOf('disk', 'warn', {}, on('fuse', 'program'))).sentence,
      /is on FUSE\. Another process saw every commit\.$/,
    );
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

  test('disk: slow syncs', async () => {
    let at = 0;
    const monotonic = () => {
      at += seconds(0.06);
      return at;
    };
    const { sentence } = await onlyOf('disk', 'warn', {}, { clock: { ...systemClock, monotonic } });
    assert.equal(sentence, 'A sync takes 60 ms, and each group of pings waits for one.');
  });

  const isRoot = process.getuid?.() === 0;
  test('disk: files of several users', { skip: !isRoot && 'only root gives files away' }, async () => {
    const lock = `${file()}.lock`;
    await chown(lock, 12_345, 12_345);
    const found = await onlyOf('disk', 'fail');
    await chown(lock, 0, 0);
    assert.equal(found.sentence, `The database belongs to user 0, and ${lock} to another one.`);
    assert.equal(found.advice, `Run chown 0 ${lock}.`);
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
    {
      await using _kept = await keepSecret();
      const { sentence } = await onlyOf('care', 'warn', { SECRET_KEY: '' });
      assert.match(sentence, /^The secret key is not in/);
    }
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
