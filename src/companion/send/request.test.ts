import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { bytesOf, pingOf, targetOf } from '../ping.test-support.ts';
import type { Signal } from '../ping.ts';
import { deliveryOf, requestOf } from './request.ts';

const target = targetOf('https://tocsin.example.org/ping');
const RID = '0b2c5c0e-6f3b-4b86-9d5e-2f4c4a3f1c11';

function urlOf(signal: Signal, ageMs: number | null = null, more: Parameters<typeof pingOf>[2] = {}): string {
  return requestOf(pingOf(target, signal, more), ageMs, 'tocsin/1').url.href.replace(
    'https://tocsin.example.org',
    '',
  );
}

suite('the request of a ping', () => {
  test('has the signal in its path', () => {
    assert.equal(urlOf('success'), '/ping/the-ping-key/backup');
    assert.equal(urlOf('start'), '/ping/the-ping-key/backup/start');
    assert.equal(urlOf('fail'), '/ping/the-ping-key/backup/fail');
    assert.equal(urlOf('log'), '/ping/the-ping-key/backup/log');
    assert.equal(urlOf(0), '/ping/the-ping-key/backup/0');
    assert.equal(urlOf(137), '/ping/the-ping-key/backup/137');
  });

  test('has the run id, the wish to create and the age in its query', () => {
    assert.equal(urlOf('success', null, { rid: RID }), `/ping/the-ping-key/backup?rid=${RID}`);
    assert.equal(urlOf('success', 90_000), '/ping/the-ping-key/backup?age=90');
    const ping = pingOf({ ...target, query: 'create=1' }, 3, { rid: RID });
    assert.equal(requestOf(ping, 400, 'x').url.search, `?create=1&rid=${RID}&age=0.4`);
  });

  test('spells an age as digits with a fraction where there is one', () => {
    const ages = [0, 1, 999, 1000, 1001, 100_000, 123_456_789].map((ms) => urlOf('log', ms).split('age=')[1]);
    assert.deepEqual(ages, ['0', '0.001', '0.999', '1', '1.001', '100', '123456.789']);
  });

  test('has a length also for an empty body', () => {
    const { headers } = requestOf(pingOf(target, 'start'), null, 'tocsin/1.2.3 (linux-x64)');
    assert.deepEqual(headers, { 'User-Agent': 'tocsin/1.2.3 (linux-x64)', 'Content-Length': '0' });
    const filled = requestOf(pingOf(target, 'log', { body: bytesOf('zwölf') }), null, 'x');
    assert.equal(filled.headers['Content-Length'], '6');
    assert.equal(filled.headers['Content-Type'], 'text/plain');
  });
});

suite('an answer', () => {
  test('accepts with the limits of the server, or without', () => {
    const headers = { 'ping-body-limit': '10000', 'ping-age-limit': '2592000' };
    assert.deepEqual(deliveryOf(200, headers, 0), {
      kind: 'accepted',
      limits: { bodyBytes: 10_000, ageSeconds: 2_592_000 },
    });
    assert.deepEqual(deliveryOf(201, { 'ping-body-limit': 'many', 'ping-age-limit': ['1', '2'] }, 0), {
      kind: 'accepted',
      limits: { bodyBytes: null, ageSeconds: null },
    });
  });

  test('refuses for good with the codes that a second try would not change', () => {
    for (const status of [400, 401, 403, 404, 405, 409, 410, 413, 418]) {
      assert.deepEqual(deliveryOf(status, {}, 0), { kind: 'refused', status });
    }
  });

  test('fails for now with the others, also with the redirect of a network that wants a sign-in', () => {
    for (const status of [301, 302, 303, 407, 408, 429, 500, 502, 503, 504, 599]) {
      assert.equal(deliveryOf(status, {}, 0).kind, 'failed', String(status));
    }
  });

  test('says when to try again, by seconds or by a date', () => {
    const now = Date.parse('2026-11-15T03:05:12Z');
    const waits = [
      '2',
      'Sun, 15 Nov 2026 03:05:14 GMT',
      'Sun, 15 Nov 2026 03:05:00 GMT',
      'soon',
      undefined,
    ].map((value) => {
      const delivery = deliveryOf(429, { 'retry-after': value }, now);
      return delivery.kind === 'failed' ? delivery.retryAfterMs : 'not failed';
    });
    assert.deepEqual(waits, [2000, 2000, 0, null, null]);
  });
});
