import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../../lib/instant.ts';
import { aCheck, DAY, HOUR, MINUTE, NOW } from '../check/check.test-support.ts';
import type { Check } from '../check/check.ts';
import { type IncomingPing, isReadForOtherFilter, recordPing } from './incoming-ping.ts';
import { type MailFilter, type MailReading, mailFilterOf } from './mail-filter.ts';

const RID = '9f2a3a37-1f4d-4a3b-8a44-000000000001';

function incoming(overrides: Partial<IncomingPing> = {}): IncomingPing {
  return {
    target: { uuid: aCheck().uuid },
    fault: null,
    signal: 'success',
    exitStatus: null,
    rid: null,
    scheme: 'https',
    method: 'POST',
    remoteAddr: '192.0.2.1',
    userAgent: 'curl/8.5.0',
    body: null,
    mail: null,
    ...overrides,
  };
}

const mail: MailReading = { filter: null, signal: 'success', asksToConfirm: false };

const bytes = (text: string) => new TextEncoder().encode(text);

test('the row says all that is known of the ping', () => {
  const ping = incoming({ signal: 'fail', exitStatus: 3, rid: RID, body: bytes('log') });

  const recorded = recordPing(aCheck({ pingCount: 6 }), ping, NOW);

  assert.deepEqual(recorded.ping, {
    checkId: 1,
    n: 7,
    createdAt: NOW,
    occurredAt: null,
    signal: 'fail',
    scheme: 'https',
    method: 'POST',
    remoteAddr: '192.0.2.1',
    userAgent: 'curl/8.5.0',
    rid: RID,
    exitStatus: 3,
    runStartedAt: null,
    runFlags: null,
    runNumbers: null,
    body: bytes('log'),
  });
  assert.equal(recorded.check.pingCount, 7);
  assert.equal(recorded.check.lastReceivedAt, NOW);
});

test('a ping tells when the thing happened only if that was a second ago or more', () => {
  for (const [age, occurredAt] of [
    [undefined, null],
    [0, null],
    [999_999, null],
    [1_000_000, NOW - 1_000_000],
  ] as const) {
    const { check, ping } = recordPing(aCheck(), incoming({ age }), NOW);

    assert.deepEqual([ping.createdAt, ping.occurredAt], [NOW, occurredAt]);
    assert.deepEqual([check.lastReceivedAt, check.lastPingAt], [NOW, occurredAt ?? NOW]);
  }
});

suite('what a ping means', () => {
  for (const [name, check, ping, signal] of [
    ['what its address says', {}, { signal: 'log' }, 'log'],
    ['nothing, with a method that does not count', { methods: 'POST' }, { method: 'GET' }, 'ign'],
    ['what it says, with the method that counts', { methods: 'POST' }, { signal: 'start' }, 'start'],
    [
      'what its body says, where that is asked',
      { filterHttpBody: true, failureKeywords: 'bad' },
      { body: bytes('bad') },
      'fail',
    ],
    ['the default, without a body to ask', { filterHttpBody: true, successKeywords: 'x' }, {}, 'ign'],
    [
      'what its address says, where only mail is filtered',
      { filterSubject: true, filterBody: true, filterDefaultFail: true },
      { signal: 'start' },
      'start',
    ],
    ['a success, by mail without filters', {}, { mail, method: '' }, 'success'],
    ['a success, by mail whatever methods count', { methods: 'POST' }, { mail, method: '' }, 'success'],
    [
      'a success, by mail where only HTTP is filtered',
      { filterHttpBody: true, filterDefaultFail: true },
      { mail, method: '' },
      'success',
    ],
    [
      'what was read in the mail, where that is asked',
      { filterSubject: true, failureKeywords: 'error' },
      { mail: { ...mail, signal: 'fail' } },
      'fail',
    ],
    [
      'a success, by mail whatever was read in it, where that is asked no more',
      {},
      { mail: { ...mail, signal: 'fail' } },
      'success',
    ],
    [
      'nothing, by mail to a paused check that is resumed by hand',
      { status: 'paused', manualResume: true },
      { mail },
      'ign',
    ],
  ] as const) {
    test(name, () => {
      const { ping: row } = recordPing(aCheck(check), incoming(ping), NOW);

      assert.equal(row.signal, signal);
    });
  }
});

suite('the body of a ping', () => {
  const filtered = aCheck({ filterHttpBody: true, failureKeywords: 'ERROR', filterDefaultFail: false });

  test('is searched for keywords in its first 10 kB, and no further', () => {
    const recorded = (filler: number) =>
      recordPing(filtered, incoming({ body: bytes(`${'.'.repeat(filler)}ERROR`) }), NOW).ping.signal;

    assert.deepEqual([9_995, 9_996, 100_000].map(recorded), ['fail', 'ign', 'ign']);
  });

  test('is stored as far as it is kept, which its keywords do not depend on', () => {
    for (const [keptBytes, stored] of [
      [0, null],
      [3, 'abc'],
      [undefined, 'abc ERROR'],
    ] as const) {
      const { ping } = recordPing(filtered, incoming({ body: bytes('abc ERROR'), keptBytes }), NOW);

      assert.equal(ping.signal, 'fail');
      assert.equal(ping.body && new TextDecoder().decode(ping.body), stored);
    }
  });
});

suite('however the clock jumps', () => {
  test('a ping is never earlier than the one before, and counts from then where clocks of nodes differ', () => {
    const before = aCheck({ status: 'up', lastPingAt: NOW - HOUR, lastReceivedAt: NOW });

    const { check, ping } = recordPing(before, incoming(), NOW - seconds(20));

    assert.equal(ping.createdAt, NOW);
    assert.equal(check.lastPingAt, NOW);
    assert.equal(check.lastReceivedAt, NOW);
    assert.equal(check.deadlineAt, NOW + DAY + HOUR);
  });

  test('after the clock was set back a ping is not earlier either, but the next is expected from now on', () => {
    const before = aCheck({ status: 'up', lastPingAt: NOW, lastReceivedAt: NOW });

    for (const back of [HOUR, DAY, 40 * DAY]) {
      const { check, ping } = recordPing(before, incoming(), NOW - back);

      assert.deepEqual([ping.createdAt, check.lastReceivedAt], [NOW, NOW]);
      assert.equal(check.lastPingAt, NOW - back);
      assert.equal(check.deadlineAt, NOW - back + DAY + HOUR);
    }
  });

  test('a run that began in a future that is none any more took no time', () => {
    const first = recordPing(aCheck(), incoming({ signal: 'start' }), NOW);
    const second = recordPing(first.check, incoming(), NOW - DAY);

    assert.equal(second.check.lastDuration, 0);
  });

  test('a run is never shorter than nothing', () => {
    const first = recordPing(aCheck(), incoming({ signal: 'start' }), NOW);
    const second = recordPing(first.check, incoming(), NOW - MINUTE);

    assert.equal(second.check.lastDuration, 0);
  });

  test('a ping of any kind moves the time of the last one, a success or failure alone that of the last ping', () => {
    const { check } = recordPing(aCheck({ lastPingAt: NOW - DAY }), incoming({ signal: 'log' }), NOW);

    assert.deepEqual([check.lastReceivedAt, check.lastPingAt], [NOW, NOW - DAY]);
  });
});

suite('the hint that a ping asks for a confirmation', () => {
  for (const [name, body, expected] of [
    ['is given by the word', 'please confirm', true],
    ['is given by the word in any case', 'CoNfIrMaTiOn', true],
    ['is not given by other words', 'conform', false],
    ['is not given without a body', null, false],
  ] as const) {
    test(name, () => {
      for (const hasConfirmationLink of [true, false]) {
        const ping = incoming({ body: body === null ? null : bytes(body), signal: 'log' });
        const { check } = recordPing(aCheck({ hasConfirmationLink }), ping, NOW);
        assert.equal(check.hasConfirmationLink, expected);
      }
    });
  }

  test('is given by what was read in a mail, whatever of it is kept', () => {
    for (const asksToConfirm of [true, false]) {
      const ping = incoming({ body: bytes('please confirm'), mail: { ...mail, asksToConfirm } });
      assert.equal(recordPing(aCheck(), ping, NOW).check.hasConfirmationLink, asksToConfirm);
    }
  });

  test('is given among bytes that are no text', () => {
    const body = Buffer.concat([Buffer.from([0, 0xff, 0xc3]), bytes('Confirm'), Buffer.from([0x80])]);

    assert.equal(recordPing(aCheck(), incoming({ body }), NOW).check.hasConfirmationLink, true);
  });
});

suite('a mail', () => {
  const filtering = aCheck({ filterSubject: true, successKeywords: 'done', filterDefaultFail: true });
  const readFor = (check: MailFilter) => incoming({ mail: { ...mail, filter: mailFilterOf(check) } });

  test('was read for the filter that the check has, or for another', () => {
    assert.equal(isReadForOtherFilter(filtering, readFor({ ...filtering })), false);
    const others: Partial<Check>[] = [
      { filterSubject: false, filterBody: true },
      { filterBody: true },
      { startKeywords: 'x' },
      { successKeywords: 'x' },
      { failureKeywords: 'x' },
      { filterDefaultFail: false },
      { filterSubject: false },
    ];
    for (const other of others) {
      assert.equal(isReadForOtherFilter(filtering, readFor({ ...filtering, ...other })), true);
    }
  });

  test('means the same to a check that does not filter, whatever it was read for', () => {
    assert.equal(isReadForOtherFilter(aCheck({ successKeywords: 'x' }), readFor(filtering)), false);
  });

  test('is the only kind of ping that is read for a filter', () => {
    assert.equal(isReadForOtherFilter(filtering, incoming()), false);
  });
});
