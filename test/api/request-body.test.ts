import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { API_BODY_LIMIT, MAX_KEYLESS_BODY_BYTES } from '../../src/http/limits.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { injectInto } from '../inject.ts';
import { Wire } from '../ping/wire.ts';
import { until } from '../waiting.ts';
import { assertCors, assertError, assertStatus, checkOf, checksOf, pick } from './answers.ts';

const CHECKS = '/api/v3/checks/';
const UNPARSABLE = 'could not parse request body';
const NO_OBJECT = 'json validation error: value is not an object';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  test('an empty body makes a check with all defaults', async () => {
    const { key } = await app().givenProject();

    for (const headers of [{}, { 'content-type': 'application/json' }, { 'content-length': '0' }]) {
      const reply = await app().request('POST', CHECKS, { key, headers });

      assertStatus(reply, 201, JSON.stringify(headers));
      assert.deepEqual(pick(checkOf(reply), ['name', 'tags', 'timeout', 'grace', 'status', 'channels']), {
        name: '',
        tags: '',
        timeout: 86_400,
        grace: 3_600,
        status: 'new',
        channels: '',
      });
    }
  });

  test('a broken body is told before a missing key', async () => {
    const { project } = await app().givenProject();
    const check = await app().givenCheck(project);

    for (const path of [CHECKS, CHECKS + check.uuid, `${CHECKS}${check.uuid}/pause`]) {
      assertError(await app().request('POST', path, { body: '{' }), 400, UNPARSABLE, path);
      assertError(await app().request('POST', path, { body: '[]' }), 400, NO_OBJECT, path);
    }
  });

  test('what is not JSON in plain UTF-8 cannot be parsed', async () => {
    const { key } = await app().givenProject();
    const json = '{"name":"a"}';
    const rows: [about: string, body: string | Buffer][] = [
      ['text', 'this is not json'],
      ['a form', 'name=a'],
      ['a blank', ' '],
      ['newlines', '\n\n'],
      ['cut short', '{"name":"a"'],
      ['with something behind it', '{} x'],
      ['two documents', '{}{}'],
      ['a trailing comma', '{"name":"a",}'],
      ['a comment', '{} // a'],
      ['single quotes', "{'name':'a'}"],
      ['a raw newline in a text', '{"name":"a\nb"}'],
      ['a raw NUL in a text', '{"name":"a\0b"}'],
      ['NaN', '{"timeout":NaN}'],
      ['Infinity', '{"timeout":Infinity}'],
      ['hexadecimal', '{"timeout":0x60}'],
      ['a leading zero', '{"timeout":060}'],
      ['a BOM', `\ufeff${json}`],
      ['an invalid byte', Buffer.from([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('"}')])],
      ['an overlong byte sequence', Buffer.from([...Buffer.from('{"name":"'), 0xc0, 0x80, 0x22, 0x7d])],
      ['an encoded surrogate', Buffer.from([...Buffer.from('{"name":"'), 0xed, 0xa0, 0x80, 0x22, 0x7d])],
      ['UTF-16', Buffer.from(json, 'utf16le')],
      ['UTF-16 with BOM', Buffer.from(`\ufeff${json}`, 'utf16le')],
      ['compressed', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0])],
    ];

    for (const [about, body] of rows) {
      assertError(await app().request('POST', CHECKS, { key, body }), 400, UNPARSABLE, about);
    }
    assert.deepEqual(checksOf(await app().request('GET', CHECKS, { key })), []);
  });

  test('JSON that is no object is refused', async () => {
    const { key } = await app().givenProject();

    for (const body of ['[1,2,3]', '[]', '[{}]', '123', '"x"', '""', 'null', 'true', ' null ']) {
      assertError(await app().request('POST', CHECKS, { key, body }), 400, NO_OBJECT, body);
    }
  });

  test('JSON is read under any content type', async () => {
    const { key } = await app().givenProject();
    const types = [
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset=latin1',
      'APPLICATION/JSON',
      'application/vnd.api+json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
      '*/*',
      'json',
      'a/b/c',
      'application/json;;',
      'application/json, text/plain',
      ';',
      '',
    ];
    const check = await app().request('POST', CHECKS, { key });
    const path = CHECKS + checkOf(check).uuid;

    for (const type of types) {
      const headers = { 'content-type': type };
      const updated = await app().request('POST', path, { key, headers, body: `{"name":"${type}"}` });

      assertStatus(updated, 200, type);
      assert.equal(checkOf(updated).name, type);
    }
    assertStatus(await app().request('POST', CHECKS, { key, body: '{}' }), 201);
    assertStatus(await app().request('POST', CHECKS, { key, headers: { 'content-type': ';' } }), 201);
    assertStatus(await app().request('DELETE', path, { key, headers: { 'content-type': 'json' } }), 200);
  });

  test('of two equal keys the last wins', async () => {
    const { key } = await app().givenProject();

    const reply = await app().request('POST', CHECKS, { key, body: '{"name":"a","name":"b"}' });
    const outvoted = await app().request('POST', CHECKS, { key, body: '{"name":7,"name":"b"}' });

    assert.equal(checkOf(reply).name, 'b');
    assertStatus(outvoted, 201);
  });

  test('a body of 2,621,440 bytes is taken, and one byte more is refused before the key is asked for', async () => {
    const { key } = await app().givenProject();
    const frame = '{"name":"n","pad":""}';
    const pad = 'd'.repeat(API_BODY_LIMIT - frame.length);

    const longest = await app().request('POST', CHECKS, { key, body: `{"name":"n","pad":"${pad}"}` });
    const tooLong = await app().request('POST', CHECKS, { key, body: `{"name":"n","pad":"${pad}d"}` });
    const withoutKey = await app().request('POST', CHECKS, { body: `{"name":"n","pad":"${pad}d"}` });

    assert.equal(API_BODY_LIMIT, 2_621_440);
    assertStatus(longest, 201);
    assert.equal(checkOf(longest).name, 'n');
    assertError(tooLong, 400, 'request body is too large');
    assertCors(tooLong, ['GET', 'POST', 'OPTIONS']);
    assertError(withoutKey, 400, 'request body is too large');
    assert.equal(checksOf(await app().request('GET', CHECKS, { key })).length, 1);
  });

  test('a body that does not tell its length is counted as it comes', async () => {
    const { key } = await app().givenProject();
    const post = (chunks: string[]) =>
      injectInto(app().server, {
        method: 'POST',
        url: CHECKS,
        headers: { 'x-api-key': key, 'transfer-encoding': 'chunked' },
        payload: Readable.from(chunks),
      });

    const short = await post(['{"name":', '"in parts"}']);
    const long = await post(['{"desc":"', ...Array.from({ length: 41 }, () => 'd'.repeat(65_536)), '"}']);

    assert.equal(short.statusCode, 201);
    assert.equal(short.json().name, 'in parts');
    assert.equal(long.statusCode, 400);
    assert.deepEqual(long.json(), { error: 'request body is too large' });
  });

  test('keys that are no fields are passed over, whatever their names and values', async () => {
    const { key } = await app().givenProject();
    const bodies = [
      '{"foo":1,"bar":null}',
      '{"api_key":5,"uuid":"x","status":"down","n_pings":7,"last_ping":"never","channels_":1}',
      '{"api_token":"t","state":"present","management_api_base_url":"http://example.org","uuid":null}',
      '{"__proto__":{"name":5,"timeout":1},"constructor":1,"toString":null,"hasOwnProperty":1}',
      '{"__proto__":null,"prototype":1,"valueOf":1,"":1,"Name":7,"name ":7}',
      `{"deep":${'['.repeat(900)}${']'.repeat(900)}}`,
    ];

    for (const body of bodies) {
      const reply = await app().request('POST', CHECKS, { key, body });

      assertStatus(reply, 201, body.slice(0, 80));
      assert.deepEqual(pick(checkOf(reply), ['name', 'timeout', 'status', 'n_pings', 'last_ping']), {
        name: '',
        timeout: 86_400,
        status: 'new',
        n_pings: 0,
        last_ping: null,
      });
    }
    assert.equal(({} as Record<string, unknown>).name, undefined);
  });

  test('a body of many thousand values is the fault of the client, however they lie in each other', async () => {
    const { key } = await app().givenProject();
    const fields = Array.from({ length: 50_000 }, (_, index) => `"field${index}":0`);

    for (const body of [
      `{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      `{"deep":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
      `{${fields.join(',')}}`,
    ]) {
      assertError(await app().request('POST', CHECKS, { key, body }), 400, 'could not parse request body');
    }
  });

  test('a key hidden in the prototype of a body opens nothing', async () => {
    const { key } = await app().givenProject();

    const reply = await app().request('POST', CHECKS, { body: `{"__proto__":{"api_key":"${key}"}}` });

    assertError(reply, 401, 'missing api key');
  });

  test('pause reads its body only for a key, and wants an object', async () => {
    const { key, project } = await app().givenProject();
    const { uuid } = await app().givenCheck(project);
    const path = `${CHECKS}${uuid}/pause`;
    const pause = (body: unknown) => app().request('POST', path, { key, body });

    for (const body of ['123', '[]', '"x"', 'false']) assertError(await pause(body), 400, NO_OBJECT, body);
    assertError(await pause('{'), 400, UNPARSABLE);
    assert.equal((await app().deps.store.checks.byUuid(uuid))?.status, 'new');

    const reply = await pause({ timeout: 'x', name: 7, unique: 'surprise' });
    assertStatus(reply, 200);
    assert.equal(checkOf(reply).status, 'paused');
  });

  test('a body of null on pause and resume counts as none, as clients in the field send it', async () => {
    const { key, project } = await app().givenProject();
    const { uuid } = await app().givenCheck(project);

    const paused = await app().request('POST', `${CHECKS}${uuid}/pause`, { key, body: 'null' });
    const resumed = await app().request('POST', `${CHECKS}${uuid}/resume`, { key, body: ' null\n' });
    const updated = await app().request('POST', CHECKS + uuid, { key, body: 'null' });

    assert.equal(checkOf(paused).status, 'paused');
    assert.equal(checkOf(resumed).status, 'new');
    assertError(updated, 400, NO_OBJECT);
  });

  test('a GET or DELETE may carry any body, which counts for nothing', async () => {
    const { key, project } = await app().givenProject();
    const { uuid } = await app().givenCheck(project);

    for (const body of ['null', '{', '123', '{"name":7}', Buffer.from([0xff])]) {
      const headers = { 'content-type': 'application/json' };
      assertStatus(await app().request('GET', CHECKS, { key, body, headers }), 200, String(body));
      assertStatus(await app().request('GET', CHECKS + uuid, { key, body }), 200, String(body));
    }
    assertStatus(await app().request('DELETE', CHECKS + uuid, { key, body: '{' }), 200);
  });

  test('a text that cannot be stored is no string', async () => {
    const { key } = await app().givenProject();
    const fields = [
      'channels',
      'desc',
      'failure_kw',
      'name',
      'schedule',
      'slug',
      'start_kw',
      'subject',
      'subject_fail',
      'success_kw',
      'tags',
      'tz',
    ];

    for (const field of fields) {
      for (const value of ['a\\u0000b', '\\ud800', '\\udc00x', 'x\\ud83d']) {
        const reply = await app().request('POST', CHECKS, { key, body: `{"${field}":"${value}"}` });
        assertError(reply, 400, `json validation error: ${field} is not a string`, `${field} ${value}`);
      }
    }
    const pair = await app().request('POST', CHECKS, { key, body: '{"name":"\\ud83d\\ude00"}' });
    assert.equal(checkOf(pair).name, '😀');
  });

  /** Sends a POST of so many bytes. Only the first come. */
  async function postPart(path: string, headers: string, declared: number, first: string): Promise<Wire> {
    const wire = new Wire(await app().port());
    await wire.send(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${declared}\r\n${headers}\r\n`);
    await wire.send(first);
    return wire;
  }

  test('a long body without a key is refused before it is read', async () => {
    for (const [header, error] of [
      ['', 'missing api key'],
      ['X-Api-Key: \r\n', 'missing api key'],
      ['X-Api-Key: short\r\n', 'missing api key'],
      [`X-Api-Key: ${'x'.repeat(32)}\r\n`, 'wrong api key'],
    ] as const) {
      using wire = await postPart(CHECKS, header, MAX_KEYLESS_BODY_BYTES + 1, '{');
      const answer = await wire.untilClosed();

      assert.match(answer, /^HTTP\/1\.1 401 /, header);
      assert.match(answer, /\r\nConnection: close\r\n/i);
      assert.ok(answer.endsWith(JSON.stringify({ error })), answer);
    }
  });

  test('so is one that does not tell its length, or comes in crumbs', async () => {
    for (const chunks of [`8000\r\n${'x'.repeat(0x8000)}\r\n`.repeat(3), '1\r\nx\r\n'.repeat(2_000)]) {
      using wire = new Wire(await app().port());
      await wire.send(`POST ${CHECKS} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`);

      assert.match(await wire.untilClosed(), /^HTTP\/1\.1 401 [\s\S]*missing api key"}$/);
    }
    assert.equal(app().server.bodyBudget.usedBytes, 0);
  });

  test('a refused body in crumbs is not read any further', async () => {
    const port = await app().port();
    const accepted = new Promise<Socket>((resolve) => app().server.server.once('connection', resolve));
    using wire = new Wire(port);
    const crumbs = '1\r\nx\r\n'.repeat(10_000);

    await wire.send(`POST ${CHECKS} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
    // More than the system takes in for a socket that is not read.
    for (let sent = 0; sent < 300; sent++) void wire.send(crumbs);
    await wire.untilClosed();

    const { bytesRead } = await accepted;
    assert.ok(bytesRead < 1_000_000, `${bytesRead} bytes`);
  });

  test('a key in the body opens, as long as the body is short', async () => {
    const { key } = await app().givenProject();
    const bodyOf = (length: number) => {
      const frame = JSON.stringify({ api_key: key, foo: '' });
      return JSON.stringify({ api_key: key, foo: 'x'.repeat(length - frame.length) });
    };

    const longest = await app().request('POST', CHECKS, { body: bodyOf(MAX_KEYLESS_BODY_BYTES) });
    const tooLong = await app().request('POST', CHECKS, { body: bodyOf(MAX_KEYLESS_BODY_BYTES + 1) });

    assertStatus(longest, 201);
    assertError(tooLong, 401, 'missing api key');
  });

  test('a body that takes longer than the look-up of its wrong key is refused as soon as that is over', async () => {
    using wire = await postPart(CHECKS, `X-Api-Key: ${'x'.repeat(32)}\r\n`, 1_000_000, 'x'.repeat(100_000));

    assert.match(await wire.untilClosed(), /^HTTP\/1\.1 401 [\s\S]*wrong api key"}$/);
    assert.equal(app().server.bodyBudget.usedBytes, 0);
  });

  test('a client that goes away in the middle of its body leaves nothing behind', async () => {
    const { key } = await app().givenProject();
    const wire = await postPart(CHECKS, `X-Api-Key: ${key}\r\n`, 1_000_000, 'x'.repeat(100_000));
    await until('some of it has come', () => app().server.bodyBudget.usedBytes > 0);

    wire.socket.resetAndDestroy();

    await until('its memory is given back', () => app().server.bodyBudget.usedBytes === 0);
    assert.deepEqual(checksOf(await app().request('GET', CHECKS, { key })), []);
  });

  test('a returned mail of which all that is read has come leaves nothing behind when its client goes away', async () => {
    const wire = await postPart('/api/v3/bounces/', '', 1_000_000, 'x'.repeat(200_000));
    await until('some of it has come', () => app().server.bodyBudget.usedBytes > 0);

    wire.socket.resetAndDestroy();

    await until('its memory is given back', () => app().server.bodyBudget.usedBytes === 0);
    assert.equal(app().server.keylessBodyBudget.usedBytes, 0);
  });

  test('where no body is wanted, none is kept', async () => {
    const { key, project } = await app().givenProject();
    const { uuid } = await app().givenCheck(project);
    const body = 'x'.repeat(1_000_000);

    for (const [method, path] of [
      ['GET', CHECKS],
      ['DELETE', CHECKS + uuid],
      ['PUT', CHECKS],
      ['POST', '/api/v3/status/'],
      ['POST', '/badge/nonsense'],
      ['POST', '/docs/api/'],
      ['POST', '/nowhere'],
      ['POST', '/api/v3/checks'],
      ['POST', `/projects/${project.uuid}/metrics/`],
    ] as const) {
      using wire = new Wire(await app().port());
      const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\n`;
      await wire.send(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
      await wire.until(/\r\n\r\n/);
      await wire.send('GET /api/v3/status/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');

      assert.match(await wire.untilClosed(), /HTTP\/1\.1 200 [\s\S]*OK$/, `${method} ${path}`);
      assert.equal(app().server.bodyBudget.usedBytes, 0);
    }
  });

  test('nesting as deep as a body can be costs neither the stack nor an answer', async () => {
    const { key } = await app().givenProject();
    const deep = (open: string, close: string, length: number) => {
      const depth = Math.floor(length / (open.length + close.length));
      return `${open.repeat(depth)}${close.repeat(depth)}`;
    };
    const most = API_BODY_LIMIT - 100;

    for (const field of ['foo', 'name', 'timeout', 'unique', 'channels', 'schedule', 'methods']) {
      for (const value of [deep('[', ']', most), `${deep('{"a":', '}', most).replace(':}', ':1}')}`]) {
        const reply = await app().request('POST', CHECKS, { key, body: `{"${field}":${value}}` });
        assert.ok([201, 400].includes(reply.status), `${field}: ${reply.status}`);
        assert.ok(reply.text.length < 2_000);
      }
    }
    assertError(await app().request('POST', CHECKS, { key, body: '['.repeat(most) }), 400, UNPARSABLE);
  });

  describe('with room for little', () => {
    const narrow = sharedTestApp(engine, {}, { limits: { maxApiBodyBytes: 10_000 } });

    test('strangers cannot take the room of those who have a key', async () => {
      const { key } = await narrow().givenProject();
      using stranger = new Wire(await narrow().port());
      await stranger.send(
        `POST ${CHECKS} HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n${'x'.repeat(3_000)}`,
      );
      await until('it has come', () => narrow().server.keylessBodyBudget.usedBytes > 0);

      const refused = await narrow().request('POST', CHECKS, { body: `{"desc":"${'x'.repeat(2_000)}"}` });
      const taken = await narrow().request('POST', CHECKS, { key, body: { desc: 'x'.repeat(2_000) } });

      assertError(refused, 503, 'overloaded');
      assertStatus(taken, 201);
    });

    test('a body for which there is none is refused for now, and the next one is taken', async () => {
      const { key } = await narrow().givenProject();
      const headers = { 'transfer-encoding': 'chunked' };

      const refused = await narrow().request('POST', CHECKS, {
        key,
        headers,
        body: `{"desc":"${'x'.repeat(20_000)}"}`,
      });
      const taken = await narrow().request('POST', CHECKS, { key, body: { desc: 'x' } });

      assertError(refused, 503, 'overloaded');
      assert.equal(refused.headers['retry-after'], '1');
      assertStatus(taken, 201);
      assert.equal(narrow().server.bodyBudget.usedBytes, 0);
    });
  });
});
