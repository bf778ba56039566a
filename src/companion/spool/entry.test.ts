import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { bytesOf, momentAt, pingOf, targetOf } from '../ping.test-support.ts';
import type { Ping } from '../ping.ts';
import { decodeEntry, decodeHead, encodeEntry, inOrder, orderOf, type Waiting } from './entry.ts';

const target = { ...targetOf('https://h.example/ping'), query: 'create=1' };
const RID = '0b2c5c0e-6f3b-4b86-9d5e-2f4c4a3f1c11';

suite('the file of a ping', () => {
  const pings: readonly Ping[] = [
    pingOf(target, 'start', { rid: RID, at: momentAt(1_763_200_000_123, 98_765) }),
    pingOf(target, 'success', { at: momentAt(5, null, null), body: bytesOf('{"not":"a head"}\nzwölf\n') }),
    pingOf(target, 'fail', { body: Uint8Array.from([0, 255, 10, 10, 0]) }),
    pingOf(target, 'log'),
    pingOf(target, 0),
    pingOf(target, 255),
  ];
  for (const ping of pings) {
    test(`of ${ping.signal} holds all of it`, () => {
      const decoded = decodeEntry(encodeEntry(ping));
      assert.deepEqual(decoded && { ...decoded, body: Uint8Array.from(decoded.body) }, ping);
    });
  }

  test('is a line of JSON and the body', () => {
    const [line = '', body] = new TextDecoder()
      .decode(encodeEntry(pingOf(target, 3, { rid: RID, body: bytesOf('out') })))
      .split('\n');
    assert.deepEqual(JSON.parse(line), {
      version: 1,
      address: 'https://h.example/ping/the-ping-key/backup',
      query: 'create=1',
      check: 'backup',
      signal: 'exit',
      exit_status: 3,
      rid: RID,
      wall: 0,
      boot_id: momentAt(0).bootId,
      since_boot: 0,
      body_bytes: 3,
    });
    assert.equal(body, 'out');
  });

  test('that was cut anywhere, or is anything else, is no ping', () => {
    const whole = encodeEntry(pingOf(target, 'success', { body: bytesOf('out') }));
    for (let length = 0; length < whole.length; length += 1) {
      assert.equal(decodeEntry(whole.subarray(0, length)), null, String(length));
    }
    assert.equal(decodeEntry(Buffer.concat([whole, bytesOf('x')])), null);
    for (const text of ['', '\n', 'null\n', '[]\n', '{}\n', '{"version":1}\n', 'x'.repeat(20_000)]) {
      assert.equal(decodeHead(bytesOf(text)), null);
    }
  });

  test('with a value of another kind is no ping', () => {
    const line = new TextDecoder().decode(encodeEntry(pingOf(target, 3))).trim();
    const wrong = {
      version: 2,
      address: 'not an address',
      query: null,
      check: 7,
      signal: 'ign',
      exit_status: 256,
      rid: 1,
      wall: 'noon',
      boot_id: 1,
      since_boot: 'long',
      body_bytes: -1,
    };
    for (const [key, value] of Object.entries(wrong)) {
      const text = JSON.stringify({ ...JSON.parse(line), [key]: value });
      assert.equal(decodeHead(bytesOf(`${text}\n`)), null, key);
    }
  });
});

suite('the order of pings', () => {
  const waiting = (name: string, sinceBoot: number | null, boot: string | null): Waiting => ({
    name,
    head: { ...pingOf(target, 'success', { at: momentAt(0, sinceBoot, boot) }), bodyBytes: 0 },
  });

  test('is that of their names, by number', () => {
    const names = inOrder([
      waiting('10-a.ping', null, null),
      waiting('9-b.ping', null, null),
      waiting('9-a.ping', null, null),
    ]);
    assert.deepEqual(
      names.map(({ name }) => name),
      ['9-a.ping', '9-b.ping', '10-a.ping'],
    );
  });

  test('is that of the time since boot within one boot', () => {
    const names = inOrder([
      waiting('1-a.ping', 900, 'one'),
      waiting('2-a.ping', 800, 'one'),
      waiting('3-a.ping', 20, 'two'),
      waiting('4-a.ping', 10, 'two'),
    ]);
    assert.deepEqual(
      names.map(({ name }) => name),
      ['2-a.ping', '1-a.ping', '4-a.ping', '3-a.ping'],
    );
  });

  test('is told by names of waiting pings alone', () => {
    assert.equal(orderOf('1763200000123-0a1b.ping'), 1_763_200_000_123);
    for (const name of ['servers.json', '1-a.ping.new', '-1-a.ping', '1.ping', '3-a.dropped'])
      assert.equal(orderOf(name), null);
  });
});
