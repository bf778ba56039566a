import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { targetOf } from '../ping.test-support.ts';
import { encodeServers, endpointOf, limitsIn, parseServers, withLimits } from './servers.ts';
import { AWARE, DAY_MS, NOON, UNAWARE } from './spool.test-support.ts';

const target = targetOf('https://h.example/ping');

suite('what servers have told', () => {
  test('is kept by address without the check', () => {
    const uuid = 'https://hc-ping.com/0b2c5c0e-6f3b-4b86-9d5e-2f4c4a3f1c11';
    assert.equal(endpointOf({ base: uuid, query: '', label: '' }), 'https://hc-ping.com');
    assert.equal(endpointOf(target), 'https://h.example/ping');
  });

  test('is found again, and by its other checks', () => {
    const servers = withLimits(new Map(), target, AWARE, NOON);
    assert.ok(servers);
    const read = parseServers(encodeServers(servers));
    assert.deepEqual(limitsIn(read, targetOf('https://h.example/ping', 'other'), NOON), AWARE);
    assert.equal(limitsIn(read, targetOf('https://other.example/ping'), NOON), null);
    assert.ok(!encodeServers(servers).includes('the-ping-key'));
  });

  test('is believed for thirty days, whatever the clock does', () => {
    const servers = withLimits(new Map(), target, AWARE, NOON) ?? new Map();
    assert.deepEqual(limitsIn(servers, target, NOON + 30 * DAY_MS), AWARE);
    assert.equal(limitsIn(servers, target, NOON + 30 * DAY_MS + 1), null);
    assert.equal(limitsIn(servers, target, 0), null);
  });

  test('is written again if it is another, or after a day', () => {
    const servers = withLimits(new Map(), target, AWARE, NOON) ?? new Map();
    assert.equal(withLimits(servers, target, AWARE, NOON + 1000), null);
    assert.deepEqual(
      limitsIn(withLimits(servers, target, UNAWARE, NOON) ?? new Map(), target, NOON),
      UNAWARE,
    );
    assert.ok(withLimits(servers, target, AWARE, NOON + DAY_MS));
  });

  test('is of a hundred servers at the most, and of the latest', () => {
    let servers = parseServers('');
    for (let nth = 0; nth < 150; nth += 1) {
      servers = withLimits(servers, targetOf(`https://h.example/${nth}`), AWARE, NOON) ?? servers;
    }
    assert.equal(servers.size, 100);
    assert.ok(servers.has('https://h.example/149'));
  });

  test('is nothing where the file is no longer what it was', () => {
    for (const text of ['', '{', '[]', 'null', '{"servers":null}', '{"servers":{"x":7,"y":{"wall":"z"}}}']) {
      assert.equal(parseServers(text).size, 0, text);
    }
  });
});
