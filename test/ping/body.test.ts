import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { sharedTestApp, type TestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertAnswer, lastBody, lastPing, OK, stored } from './answers.ts';
import { Wire } from './wire.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given(to: TestApp = app()) {
    const { project, key } = await to.givenProject();
    return { check: await to.givenCheck(project), headers: { 'x-api-key': key } };
  }

  describe('with a limit of 5 bytes', () => {
    const short = sharedTestApp(engine, {}, { pingBodyLimit: 5 });

    test('only the first five bytes are stored', async () => {
      const { check } = await given(short());

      await short().ping(`/${check.uuid}`, { body: 'hello world' });

      assert.deepEqual(await lastBody(short(), check), Buffer.from('hello'));
      assert.equal((await lastPing(short(), check)).bodySize, 5);
    });
  });

  describe('with a limit of nothing', () => {
    const none = sharedTestApp(engine, {}, { pingBodyLimit: 0 });

    test('no body is stored', async () => {
      const { check } = await given(none());

      await none().ping(`/${check.uuid}`, { body: 'hello world' });

      assert.equal(await lastBody(none(), check), null);
      assert.equal((await lastPing(none(), check)).bodySize, 0);
    });
  });

  describe('keywords are looked for in the first 10 kB', () => {
    const late = { filterHttpBody: true, failureKeywords: 'FAIL', status: 'up' } as const;
    for (const pingBodyLimit of [0, 5, 100_000, null]) {
      const limited = sharedTestApp(engine, {}, { pingBodyLimit });

      test(`when ${pingBodyLimit ?? 'all'} bytes are stored`, async () => {
        const { project } = await limited().givenProject();
        const signalOf = async (filler: number) => {
          const check = await limited().givenCheck(project, late);
          await limited().ping(`/${check.uuid}`, { body: `${'.'.repeat(filler)}FAIL` });
          const { signal, bodySize } = await lastPing(limited(), check);
          return [signal, bodySize];
        };

        const kept = (bytes: number) => Math.min(bytes, pingBodyLimit ?? bytes);
        assert.deepEqual(await signalOf(9_996), ['fail', kept(10_000)]);
        assert.deepEqual(await signalOf(9_997), ['ign', kept(10_001)]);
      });
    }
  });

  describe('without a limit', () => {
    const endless = sharedTestApp(engine, {}, { pingBodyLimit: null });

    test('a body of 20,000 bytes is stored whole', async () => {
      const { check } = await given(endless());
      const body = Buffer.alloc(20_000, 'abcdefg');

      const reply = await endless().ping(`/${check.uuid}`, { body });

      assert.equal(reply.text, 'OK');
      assert.deepEqual(await lastBody(endless(), check), body);
    });

    test('of a body without end the first 10 MiB are stored', async () => {
      const { check } = await given(endless());
      const body = Buffer.alloc(11 * 1024 * 1024, 'abcdefg');

      const reply = await endless().ping(`/${check.uuid}`, { body });

      assert.equal(reply.text, 'OK');
      assert.equal((await lastPing(endless(), check)).bodySize, 10 * 1024 * 1024);
    });
  });

  describe('with room for little', () => {
    const narrow = sharedTestApp(engine, {}, { pingBodyLimit: null, limits: { maxPingBodyBytes: 10_000 } });

    test('a ping for whose body there is none is recorded with what has come of it, and gives its room back', async () => {
      const { check } = await given(narrow());

      for (const body of ['a'.repeat(6_000), 'b'.repeat(200_000), 'c'.repeat(6_000), 'd'.repeat(200_000)])
        assert.equal((await narrow().ping(`/${check.uuid}`, { body })).text, 'OK');
      await narrow().ping(`/${check.uuid}`, { body: 'e'.repeat(10_000) });

      assert.equal((await stored(narrow(), check)).pingCount, 5);
      assert.deepEqual(await lastBody(narrow(), check), Buffer.from('e'.repeat(10_000)));
    });
  });

  for (const [name, size, kept] of [
    ['a body of exactly 10,000 bytes is kept whole', 10_000, 10_000],
    ['a body of 10,001 bytes is cut', 10_001, 10_000],
    ['of a body of 5 MB the first 10,000 bytes are kept', 5_000_000, 10_000],
  ] as const) {
    test(name, async () => {
      const { check } = await given();
      const body = Buffer.from(Array.from({ length: size }, (_, index) => index % 251));

      assertAnswer(await app().ping(`/${check.uuid}`, { body }), OK);

      assert.deepEqual(await lastBody(app(), check), body.subarray(0, kept));
    });
  }

  test('a character may be cut by the limit', async () => {
    const { check } = await given();
    const body = `${'x'.repeat(9_998)}🚦`;

    assertAnswer(await app().ping(`/${check.uuid}`, { body }), OK);

    assert.deepEqual(await lastBody(app(), check), Buffer.from(body).subarray(0, 10_000));
  });

  for (const [name, bytes] of [
    ['bytes that are no UTF-8 come back as they were', [0xff, 0xfe, 0xc3, 0x28, 0x80]],
    ['NUL bytes come back as they were', [0, 0x61, 0, 0, 0x62, 0]],
    ['a single NUL is a body', [0]],
  ] as const) {
    test(name, async () => {
      const { check, headers } = await given();
      const body = Buffer.from(bytes);

      assertAnswer(await app().ping(`/${check.uuid}`, { body }), OK);

      const reply = await app().request('GET', `/api/v3/checks/${check.uuid}/pings/1/body`, { headers });
      assert.equal(reply.status, 200);
      assert.equal(reply.headers['content-type'], 'text/plain');
      assert.deepEqual(reply.bytes, body);
    });
  }

  test('an empty POST has no body, no address of one, and none to read', async () => {
    const { check, headers } = await given();

    assertAnswer(await app().ping(`/${check.uuid}`, { method: 'POST', body: '' }), OK);
    assertAnswer(
      await app().ping(`/${check.uuid}`, { method: 'POST', headers: { 'transfer-encoding': 'chunked' } }),
      OK,
    );

    assert.equal(await lastBody(app(), check), null);
    const list = await app().request('GET', `/api/v3/checks/${check.uuid}/pings/`, { headers });
    const { pings } = list.json as { pings: { body_url: string | null }[] };
    assert.deepEqual(
      pings.map(({ body_url }) => body_url),
      [null, null],
    );
    const body = await app().request('GET', `/api/v3/checks/${check.uuid}/pings/1/body`, { headers });
    assert.equal(body.status, 404);
  });

  test('a body in chunks, its length unknown, is stored', async () => {
    const { check } = await given();
    using wire = new Wire(await app().port());

    await wire.send(`POST /ping/${check.uuid} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
    await wire.send('6\r\nhello \r\n');
    await wire.send('5;extension=1\r\nworld\r\n0\r\nTrailer: ignored\r\n\r\n');
    await wire.until(/\r\n\r\nOK$/);

    assert.deepEqual(await lastBody(app(), check), Buffer.from('hello world'));
  });

  test('a long body in small chunks is cut at the limit', async () => {
    const { check } = await given();
    using wire = new Wire(await app().port());
    const chunk = `7\r\nabcdefg\r\n`.repeat(500);

    await wire.send(`POST /ping/${check.uuid} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
    for (let sent = 0; sent < 4; sent++) await wire.send(chunk);
    await wire.send('0\r\n\r\n');
    await wire.until(/\r\n\r\nOK$/);

    assert.deepEqual(await lastBody(app(), check), Buffer.alloc(10_000, 'abcdefg'));
  });

  test('a compressed body is stored as it came', async () => {
    const { check } = await given();
    const body = gzipSync('hello world');

    const headers = { 'content-encoding': 'gzip' };
    assertAnswer(await app().ping(`/${check.uuid}`, { body, headers }), OK);

    assert.deepEqual(await lastBody(app(), check), body);
  });

  for (const [name, type, body] of [
    [
      'a form of several parts is stored as it came',
      'multipart/form-data; boundary=xyz',
      '--xyz\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhi\r\n--xyz--\r\n',
    ],
    ['a form is stored as it came', 'application/x-www-form-urlencoded', 'a=1&b=%20+c'],
    ['JSON is stored as it came, even if it is none', 'application/json', '{"a": 1,,}'],
    ['any content type is fine', 'no type at all;;', 'text'],
  ] as const) {
    test(name, async () => {
      const { check } = await given();

      assertAnswer(await app().ping(`/${check.uuid}`, { body, headers: { 'content-type': type } }), OK);

      assert.deepEqual(await lastBody(app(), check), Buffer.from(body));
    });
  }

  test('a body that speaks of a confirmation leaves a hint, until the next that does not', async () => {
    const { check } = await given();
    const hint = async () => (await stored(app(), check)).hasConfirmationLink;
    assert.equal(await hint(), false);

    for (const [path, body, expected] of [
      ['', 'Please CONFIRM your address', true],
      ['', undefined, false],
      ['/log', 'to coNfirm, open', true],
      ['/fail', 'all is well', false],
      ['/start', Buffer.concat([Buffer.from([0xff, 0]), Buffer.from('confirmation')]), true],
      ['', 'conf\nirm', false],
    ] as const) {
      assertAnswer(await app().ping(`/${check.uuid}${path}`, body === undefined ? {} : { body }), OK);
      assert.equal(await hint(), expected, String(body));
    }
  });
});
