import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_HAND_BODY } from '../../src/acts/limits.ts';
import type { Check } from '../../src/domain/check/check.ts';
import { AppError } from '../../src/domain/errors.ts';
import { sha256 } from '../../src/lib/vault.ts';
import { moveBodies } from '../../src/services/ping/bodies.ts';
import { MAIL_STYLE } from '../../src/views/ping-body.ts';
import { sharedTestApp, startTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { MemoryStore } from '../objects/memory-store.ts';
import { askEvents } from './ask-events.ts';
import type { Browser } from './browser.ts';
import { actsIn, givenMember, givenTeam } from './team.ts';

const RUN = '5c7e2a10-93b4-4d6f-8a21-00000000000a';

const MAIL = [
  'From: cron@example.org',
  'Subject: Nightly',
  'Content-Type: multipart/alternative; boundary=x',
  '',
  '--x',
  'Content-Type: text/plain',
  '',
  '4 rows',
  '--x',
  'Content-Type: text/html',
  '',
  '<p onclick="x()">4 <b>rows</b><script>alert(1)</script><img src="https://evil.example/x.png"></p>',
  '--x--',
].join('\r\n');

const page = (browser: Browser, check: Check, n: number, isWhole = false) =>
  browser.post(`/checks/${check.uuid}/read/pingPage`, { n, isWhole });

forOneEngine((engine) => {
  const app = sharedTestApp(engine, {}, { pingBodyLimit: 10_000 });

  async function givenWatched() {
    const team = await givenTeam(app());
    const check = await app().givenCheck(team.project, { status: 'up', lastPingAt: app().clock.now() });
    return { ...team, check, path: `/checks/${check.uuid}/pings` };
  }

  test('a ping is shown with its run, its neighbours and the change of status that it caused', async () => {
    const { browser, check } = await givenWatched();
    await app().givenPing(check, { body: Buffer.from('fine') });
    await app().receive(check, 'start', RUN);
    app().clock.advance({ minutes: 2 });
    await app().receive(check, 'fail', RUN);
    await app().receive(check, 'log');

    const { status, json } = await page(browser, check, 3);

    assert.equal(status, 200);
    assert.deepEqual(
      { ...json, at: '', others: json.others.map(({ n }: { n: number }) => n) },
      {
        ...{ n: 3, at: '', signal: 'fail', exitStatus: null, scheme: 'http', method: 'GET' },
        ...{ from: json.from, userAgent: json.userAgent, runId: RUN, duration: 120, result: 'failed' },
        ...{
          usual: null,
          flip: { oldStatus: 'up', newStatus: 'down' },
          numbers: [],
          body: { state: 'none' },
        },
        ...{ others: [2], older: 2, newer: 4, lastGood: 1 },
      },
    );
  });

  test('whoever may not know the address of a check does not learn it from bodies', async () => {
    const { project, check } = await givenWatched();
    const { browser: reader } = await givenMember(app(), project, 'read_only');
    const mail = `To: ${check.uuid}@ping.example.org\r\n${MAIL}`;
    await app().givenPing(check, { scheme: 'email', body: Buffer.from(mail) });
    await app().givenPing(check, { body: Buffer.from(`curl http://testserver/ping/${check.uuid}`) });
    const path = `/checks/${check.uniqueKey}`;

    const texts = [
      await reader.post(`${path}/read/pingPage`, { n: 1, isWhole: false }),
      await reader.post(`${path}/read/pingPage`, { n: 2, isWhole: false }),
      await reader.get(`${path}/pings/2/body`),
      await askEvents(reader, path),
      await reader.get(`${path}/events/export?format=csv`),
    ];

    for (const { status, text } of texts) {
      assert.equal(status, 200);
      assert.ok(!text.includes(check.uuid), text);
    }
    assert.equal((await reader.get(`${path}/pings/1/body`)).status, 403);
  });

  test('nor from a mail, however it is encoded, nor by searching for parts of the address', async () => {
    const { project, check, browser } = await givenWatched();
    const { browser: reader } = await givenMember(app(), project, 'read_only');
    const { uuid } = check;
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const mail = [
      `From: =?utf-8?B?${base64(`job of ${uuid}`)}?= <cron@example.org>`,
      `To: =?utf-8?Q?${uuid.replaceAll('-', '=2D')}?=@ping.example.org`,
      `Subject: =?utf-8?B?${base64(`Report ${uuid}`)}?=`,
      'Content-Type: multipart/mixed; boundary=x',
      ...['', '--x', 'Content-Type: text/plain', 'Content-Transfer-Encoding: base64', ''],
      base64(`failed, see https://ping.example.org/${uuid}`),
      ...['--x', 'Content-Type: text/html', 'Content-Transfer-Encoding: quoted-printable', ''],
      `<p>${uuid.slice(0, 10)}=`,
      `${uuid.slice(10).replaceAll('-', '&#45;')}</p>`,
      ...['--x', 'Content-Type: application/json', 'Content-Transfer-Encoding: base64', ''],
      base64(JSON.stringify({ uuid })),
      '--x--',
    ].join('\r\n');
    await app().receive(check, 'fail');
    await app().givenPing(check, { scheme: 'email', signal: 'fail', body: Buffer.from(mail) });
    const path = `/checks/${check.uniqueKey}`;
    const secrets = [uuid, ...[0, 1, 2].map((shift) => base64(`${' '.repeat(shift)}${uuid}`).slice(4, 40))];

    for (const { status, text } of [
      await reader.post(`${path}/read/pingPage`, { n: 2, isWhole: false }),
      await reader.post(`${path}/read/pingPage`, { n: 2, isWhole: true }),
      await reader.get(`${path}/pings/2/html`),
      await reader.get(`${path}/read/checkPage`),
      await askEvents(reader, path),
      await askEvents(reader, path, 'q=report'),
      await reader.get(`${path}/events/export?format=csv`),
      await reader.post(`/projects/${project.uuid}/read/checkDetails`, { keys: [check.uniqueKey] }),
    ]) {
      assert.equal(status, 200, text);
      for (const secret of secrets) assert.ok(!text.includes(secret), text);
    }
    const { body } = (await reader.post(`${path}/read/pingPage`, { n: 2, isWhole: false })).json;
    assert.deepEqual([body.lines, body.mail.subject], [null, 'Report xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx']);
    assert.equal((await reader.get(`${path}/pings/2/body`)).status, 403);
    const found = async (by: typeof reader) =>
      (await askEvents(by, path, `q=${uuid.slice(0, 12)}`)).json.events.length;
    assert.deepEqual([await found(reader), await found(browser)], [0, 1]);
    const details = await reader.post(`/projects/${project.uuid}/read/checkDetails`, {
      keys: [check.uniqueKey],
    });
    assert.match(details.text, /failed, see https:\/\/ping\.example\.org\/xxxxxxxx-/);
    assert.ok(
      (await browser.post(`${path}/read/pingPage`, { n: 2, isWhole: false })).json.body.lines.total > 10,
    );
  });

  test('a body is given by lines, with what it is', async () => {
    const { browser, check } = await givenWatched();
    for (const [body, type, first] of [
      ['one\r\ntwo\n', 'text', ['one', 'two']],
      ['{"a": 1}', 'json', ['{"a": 1}']],
      ['\u001b[31mred\u001b[0m', 'terminal', ['\u001b[31mred\u001b[0m']],
      [
        Buffer.from([0x61, 0xff, 0x62, ...Buffer.from(' and much that can be read')]),
        'text',
        ['a\ufffdb and much that can be read'],
      ],
      [Buffer.from([0, 1, 2, 255]), 'binary', null],
    ] as const) {
      await app().givenPing(check, { body: Buffer.from(body) });
      const { json } = await page(browser, check, (await checkOf(check.uuid)).pingCount);
      assert.deepEqual(
        [json.body.state, json.body.type, json.body.lines?.first ?? null],
        ['present', type, first],
      );
      assert.equal(json.body.isFull, false);
    }
  });

  const checkOf = async (uuid: string) => {
    const found = await app().deps.store.checks.byUuid(uuid);
    if (found === null) throw new Error('the check is there');
    return found;
  };

  test('of a long body the first and the last lines are given, and all on demand', async () => {
    const { browser, check } = await givenWatched();
    const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}`);
    await app().givenPing(check, { body: Buffer.from(lines.join('\n')) });

    const { body } = (await page(browser, check, 1)).json;

    assert.deepEqual([body.lines.total, body.lines.skipped, body.isFull], [20_000, 19_780, true]);
    assert.deepEqual([body.lines.first[0], body.lines.last.at(-1)], ['line 0', 'line 19999']);
    const whole = (await page(browser, check, 1, true)).json.body.lines;
    assert.deepEqual([whole.skipped, whole.first.length], [0, 20_000]);
  });

  test('the original is downloaded byte by byte, under the name of the check', async () => {
    const { browser, project, check, path } = await givenWatched();
    const body = Buffer.from([0x7b, 0xff, 0x00, 0x0a, 0x7d]);
    await app().givenPing(check, { body });
    await app().givenPing(check);

    const reply = await browser.get(`${path}/1/body`);

    assert.equal(reply.headers['content-type'], 'application/octet-stream');
    assert.equal(reply.headers['content-disposition'], `attachment; filename="${check.uuid}-1.txt"`);
    assert.equal(reply.headers['content-length'], String(body.length));
    assert.equal((await browser.get(`${path}/2/body`)).json.code, 'no_ping_body');
    const { browser: reader } = await givenMember(app(), project, 'read_only');
    const seen = await reader.get(`/checks/${check.uniqueKey}/pings/1/body`);
    assert.equal(seen.headers['content-disposition'], `attachment; filename="${check.uniqueKey}-1.txt"`);
  });

  test('a mail is given by its parts, and its HTML as a document that loads and runs nothing', async () => {
    const { browser, check, path } = await givenWatched();
    await app().givenPing(check, { body: Buffer.from(MAIL), scheme: 'email', method: '' });
    await app().givenPing(check, { body: Buffer.from('no mail') });

    const { body } = (await page(browser, check, 1)).json;
    assert.equal(body.type, 'email');
    assert.deepEqual(
      { ...body.mail, text: body.mail.text.first },
      {
        ...{ from: 'cron@example.org', to: '', date: '', subject: 'Nightly' },
        ...{ text: ['4 rows'], hasHtml: true, attachments: [] },
      },
    );
    const document = await browser.get(`${path}/1/html`);
    assert.match(document.text, /<body><p>4 <b>rows<\/b><\/p><\/body>/);
    assert.equal(document.headers['content-type'], 'text/html; charset=utf-8');
    const policy = String(document.headers['content-security-policy']);
    const digest = Buffer.from(sha256(MAIL_STYLE), 'hex').toString('base64');
    assert.equal(
      policy,
      `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox`,
    );
    assert.equal(document.headers['x-frame-options'], 'SAMEORIGIN');
    assert.equal((await browser.get(`${path}/2/html`)).status, 404);
  });

  test('a ping that is not kept, or never came, is not found', async () => {
    const { browser, check } = await givenWatched();
    await app().givenPing(check);

    for (const n of [0, 2, Number.MAX_SAFE_INTEGER])
      assert.equal((await page(browser, check, n)).json.code, 'ping_not_found', String(n));
    assert.equal((await page(browser, check, 1e21)).json.field, 'n');
  });

  test('a ping by a button counts like any other, and says who pressed it', async () => {
    const { browser, account, project, check } = await givenWatched();
    const { browser: reader } = await givenMember(app(), project, 'read_only');
    assert.equal(
      (await reader.post(`/checks/${check.uniqueKey}/do/pingCheck`)).json.code,
      'permission_denied',
    );

    assert.equal((await browser.post(`/checks/${check.uuid}/do/pingCheck`)).status, 204);

    const [ping] = await app().deps.store.pings.latest(check.id, 1);
    assert.deepEqual(
      [ping?.signal, ping?.method, ping?.remoteAddr, ping?.userAgent],
      ['success', 'POST', browser.address, `Dashboard, by ${account.email}`],
    );
    const [entry] = await actsIn(app(), project);
    assert.deepEqual([entry?.action, entry?.details], ['check.pinged', { signal: 'success' }]);
  });

  test('a ping from a page means what its sender says, with a body, and nonsense is refused', async () => {
    const { browser, check } = await givenWatched();
    for (const signal of ['start', 'log', 'fail'] as const) {
      assert.equal(
        (await browser.post(`/checks/${check.uuid}/do/pingCheck`, { signal, body: `it ${signal}s` })).status,
        204,
      );
      const [ping] = await app().deps.store.pings.latest(check.id, 1);
      assert.equal(ping?.signal, signal);
      const bodies = await app().deps.store.pings.bodies(check.id, [ping.n], { end: 'last', most: 100 });
      assert.equal(Buffer.from(bodies.get(ping.n) ?? []).toString(), `it ${signal}s`);
    }
    assert.equal((await app().deps.store.checks.byId(check.id))?.status, 'down');
    for (const [field, wrong] of [
      ['signal', { signal: 'ign' }],
      ['body', { body: 'x'.repeat(MAX_HAND_BODY + 1) }],
    ] as const) {
      const { status, json } = await browser.post(`/checks/${check.uuid}/do/pingCheck`, wrong);
      assert.deepEqual([status, json.field], [400, field]);
    }
  });
});

forOneEngine((engine) => {
  test('a body in object storage is shown, and while the storage does not answer that is said', async () => {
    const objects = new MemoryStore();
    await using app = await startTestApp(engine, {}, {}, objects);
    const { browser, project } = await givenTeam(app);
    const check = await app.givenCheck(project);
    await app.ping(`/${check.uuid}`, { method: 'POST', body: 'word '.repeat(100) });
    await moveBodies(app.deps);
    assert.equal(objects.objects.size, 1);
    const path = `/checks/${check.uuid}/pings/1`;

    assert.equal((await page(browser, check, 1)).json.body.lines.first.length, 1);
    const events = (await askEvents(browser, `/checks/${check.uuid}`, 'q=word')).json;
    assert.deepEqual([events.events, events.unsearched], [[], 1]);
    objects.get = async () => {
      throw new AppError('body_unavailable');
    };
    assert.deepEqual((await page(browser, check, 1)).json.body, { state: 'unavailable', size: 500 });
    assert.equal((await browser.get(`${path}/body`)).status, 503);
    objects.get = async () => null;
    assert.deepEqual((await page(browser, check, 1)).json.body, { state: 'gone', size: 500 });
  });
});
