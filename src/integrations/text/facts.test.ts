import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Signal } from '../../domain/ping/ping.ts';
import { seconds } from '../../lib/instant.ts';
import { AT, anEvent, aPing, UUID } from '../kind/alert-event.test-support.ts';
import { checkLink, lastPingText, pingKind, reasonText, totalPings } from './facts.ts';

suite('the facts of a message', () => {
  const kinds: [signal: Signal, exitStatus: number | null, text: string][] = [
    ['success', null, 'Success'],
    ['success', 0, 'Success'],
    ['fail', null, 'Failure'],
    ['fail', 0, 'Failure'],
    ['fail', 123, 'Exit status 123'],
    ['start', null, 'Start'],
    ['log', null, 'Log'],
    ['ign', 7, 'Ignored'],
  ];
  for (const [signal, exitStatus, text] of kinds) {
    test(`a ping that says ${signal} with exit status ${exitStatus} is shown as ${text}`, () => {
      assert.equal(pingKind({ signal, exitStatus }), text);
    });
  }

  test('the total is the number of the last ping, and 0 with "Never" when there is none', () => {
    const ping = aPing({ n: 7, createdAt: AT - seconds(600) });

    assert.equal(totalPings(ping), 7);
    assert.equal(lastPingText(ping, AT), 'Success, 10 minutes ago');
    assert.equal(totalPings(null), 0);
    assert.equal(lastPingText(null, AT), 'Never');
  });

  test('the link does not tell the UUID', () => {
    const link = checkLink(anEvent());

    assert.equal(link, `https://tocsin.example.org/cloaked/${anEvent().check.uniqueKey}/`);
    assert.ok(!link?.includes(UUID));
  });

  test('there is no link to the check of a test', () => {
    assert.equal(checkLink(anEvent({ isTest: true })), null);
  });

  test('reasons are sentences', () => {
    assert.equal(reasonText('timeout'), 'success signal did not arrive on time, grace time passed');
    assert.equal(reasonText('fail'), 'received a failure signal');
    assert.equal(reasonText(''), '');
  });
});
