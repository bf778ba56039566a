import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { API_BODY_LIMIT } from '../../src/http/server.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertCors, assertError, assertStatus, checkOf, checksOf, pick } from './answers.ts';

const CHECKS = '/api/v3/checks/';
const UNPARSABLE = 'could not parse request body';
const NO_OBJECT = 'json validation error: value is not an object';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  test('57: an empty body makes a check with all defaults', async () => {
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

  test('58: a broken body is told before a missing key', async () => {
    const { project } = await app().givenProject();
    const check = await app().givenCheck(project);

    for (const path of [CHECKS, CHECKS + check.uuid, `${CHECKS}${check.uuid}/pause`]) {
      assertError(await app().request('POST', path, { body: '{' }), 400, UNPARSABLE, path);
      assertError(await app().request('POST', path, { body: '[]' }), 400, NO_OBJECT, path);
    }
  });

  test('59, 61-63: what is not JSON in plain UTF-8 cannot be parsed', async () => {
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

  test('60: JSON that is no object is refused', async () => {
    const { key } = await app().givenProject();

    for (const body of ['[1,2,3]', '[]', '[{}]', '123', '"x"', '""', 'null', 'true', ' null ']) {
      assertError(await app().request('POST', CHECKS, { key, body }), 400, NO_OBJECT, body);
    }
  });

  test('64: JSON is read under any content type', async () => {
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

  test('65: of two equal keys the last wins', async () => {
    const { key } = await app().givenProject();

    const reply = await app().request('POST', CHECKS, { key, body: '{"name":"a","name":"b"}' });
    const outvoted = await app().request('POST', CHECKS, { key, body: '{"name":7,"name":"b"}' });

    assert.equal(checkOf(reply).name, 'b');
    assertStatus(outvoted, 201);
  });

  test('66: a body of 2,621,440 bytes is taken, and one byte more is refused before the key is asked for', async () => {
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

  test('66: a body that does not tell its length is counted as it comes', async () => {
    const { key } = await app().givenProject();
    const post = (chunks: string[]) =>
      app().server.inject({
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

  test('67: keys that are no fields are passed over, whatever their names and values', async () => {
    const { key } = await app().givenProject();
    const bodies = [
      '{"foo":1,"bar":null}',
      '{"api_key":5,"uuid":"x","status":"down","n_pings":7,"last_ping":"never","channels_":1}',
      '{"api_token":"t","state":"present","management_api_base_url":"http://example.org","uuid":null}',
      '{"__proto__":{"name":5,"timeout":1},"constructor":1,"toString":null,"hasOwnProperty":1}',
      '{"__proto__":null,"prototype":1,"valueOf":1,"":1,"Name":7,"name ":7}',
      `{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
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

  test('67: a key hidden in the prototype of a body opens nothing', async () => {
    const { key } = await app().givenProject();

    const reply = await app().request('POST', CHECKS, { body: `{"__proto__":{"api_key":"${key}"}}` });

    assertError(reply, 401, 'missing api key');
  });

  test('68-69: pause reads its body only for a key, and wants an object', async () => {
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

  test('68: a body of null on pause and resume counts as none, as clients in the field send it', async () => {
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
});
