import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { aReply } from '../kind/alert-event.test-support.ts';
import { classifyByStatus, retryAfter } from './reply.ts';

suite('the answer of a provider', () => {
  for (const status of [200, 201, 202, 204]) {
    test(`${status} is a success, whatever its body says`, () => {
      assert.equal(classifyByStatus(aReply(status, 'error')).kind, 'delivered');
    });
  }

  for (const status of [100, 203, 206, 301, 304, 400, 404, 429, 500, 503]) {
    test(`${status} is a failure that is worth another try`, () => {
      assert.deepEqual(classifyByStatus(aReply(status)), {
        kind: 'try_again',
        error: `Received status code ${status}`,
        afterSeconds: null,
      });
    });
  }

  test('says when it wants to be asked again, in seconds', () => {
    const after = (value: string) => retryAfter(aReply(429, '', { 'retry-after': value }));

    assert.deepEqual(['0', '30', '1.2', '86400'].map(after), [0, 30, 2, 86_400]);
    assert.deepEqual(['', '-1', 'soon', '1e3', '12345678'].map(after), Array(5).fill(null));
  });

  test('may say it by a date, which counts from the date of the answer', () => {
    const after = (headers: Record<string, string>) => retryAfter(aReply(429, '', headers));
    const date = 'Fri, 01 Mar 2024 12:00:00 GMT';

    assert.equal(after({ date, 'retry-after': 'Fri, 01 Mar 2024 12:02:00 GMT' }), 120);
    assert.equal(after({ date, 'retry-after': 'Fri, 01 Mar 2024 11:00:00 GMT' }), 0);
    assert.equal(after({ 'retry-after': 'Fri, 01 Mar 2024 12:02:00 GMT' }), null);
    assert.equal(after({ date, 'retry-after': 'Friday' }), null);
  });
});
