import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { OtherCheck } from '../../domain/history/alert-story.ts';
import { seconds } from '../../lib/instant.ts';
import { AT, aCheck, anEvent } from '../kind/alert-event.test-support.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { alertFacts } from './alert-facts.ts';

const other = (name: string, fields: Partial<OtherCheck> = {}): OtherCheck => ({
  name,
  since: AT - seconds(600),
  lastPingAt: AT - seconds(7200),
  cause: null,
  line: null,
  ...fields,
});

function factsOf(names: readonly OtherCheck[], fields: Partial<AlertEvent> = {}, total = 30, held = 0) {
  const others = { at: AT, down: names.length, held, total, checks: names.slice(0, 10) };
  return alertFacts(anEvent({ now: AT, others, ...fields })).others ?? assert.fail();
}

const jobs = (count: number) => Array.from({ length: count }, (_, index) => other(`job ${index + 1}`));

suite('what else is down', () => {
  test('is not told where nothing is known of it, or the project has no other checks', () => {
    assert.equal(alertFacts(anEvent()).others, null);
    assert.deepEqual(factsOf([], {}, 1).note, []);
    assert.equal(factsOf([], {}, 1).brief, '');
  });

  test('if nothing is, one line says so', () => {
    assert.deepEqual(factsOf([]).note, ['All the other checks are up.']);
  });

  test('up to ten checks are listed, of more only their number is told', () => {
    assert.equal(factsOf(jobs(10)).note.length, 11);
    assert.deepEqual(factsOf(jobs(11)).note, ['11 other checks are also down.']);
  });

  test('those that depend on the check are counted', () => {
    const { brief, note } = factsOf(jobs(12), {}, 30, 12);

    assert.match(brief, / \+ 9 more, 12 depend on it$/);
    assert.deepEqual(note, ['12 other checks are also down.', 'Nobody is told of 12 that depend on it.']);
    assert.match(factsOf(jobs(1), {}, 30, 1).brief, /, 1 depends on it$/);
  });

  test('those that somebody has, that are silent or that wait say so', () => {
    const checks = [
      other('a', { answer: { kind: 'acknowledged', by: 'Anna' } }),
      other('b', { answer: { kind: 'held', by: null } }),
      other('c', { answer: { kind: 'snoozed', by: null } }),
      other('d', { answer: { kind: 'quiet', by: null } }),
      other('e', { answer: { kind: 'waiting', by: null } }),
      other('f', { answer: { kind: 'acknowledged', by: null } }),
      other('g', { answer: { kind: 'held', by: 'router\n1' } }),
    ];

    assert.deepEqual(factsOf(checks).note.slice(1), [
      '“a” (last ping: 2 hours ago, acknowledged by Anna)',
      '“b” (last ping: 2 hours ago, waits for another check)',
      '“c” (last ping: 2 hours ago, snoozed)',
      '“d” (last ping: 2 hours ago, in a quiet time)',
      '“e” (last ping: 2 hours ago, nobody told yet)',
      '“f” (last ping: 2 hours ago, acknowledged)',
      '“g” (last ping: 2 hours ago, waits for router 1)',
    ]);
    assert.match(factsOf(checks).brief, /^a since .* \(acknowledged by Anna\), b since/);
  });

  test('a list has the natural order of names, and says "never" of checks without a ping', () => {
    const names = [other('job 10'), other('Job 2', { lastPingAt: null }), other('alpha'), other('')];

    assert.deepEqual(factsOf(names).note, [
      'The following checks are also down:',
      '“alpha” (last ping: 2 hours ago)',
      '“Job 2” (last ping: never)',
      '“job 10” (last ping: 2 hours ago)',
      '“unnamed check” (last ping: 2 hours ago)',
    ]);
  });

  test('"also" when a check goes down, "still" when it comes up', () => {
    const up = factsOf(jobs(1), { to: 'up', reason: '' });
    const many = factsOf(jobs(12), { to: 'up', reason: '' });

    assert.deepEqual([factsOf(jobs(1)).label, up.label], ['Also Down', 'Still Down']);
    assert.equal(up.note[0], 'The following checks are still down:');
    assert.deepEqual(many.note, ['12 other checks are still down.']);
  });

  test('in brief, the newest are named with their times, and the others counted', () => {
    const cadence = { kind: 'cron', schedule: '0 3 * * *', tz: 'Europe/Berlin' } as const;

    assert.equal(factsOf([other('etl')]).brief, 'etl since 12:20 UTC');
    assert.equal(factsOf([other('etl')], { check: aCheck({ cadence }) }).brief, 'etl since 13:20 Berlin');
    assert.equal(
      factsOf(jobs(12)).brief,
      'job 1 since 12:20 UTC, job 2 since 12:20 UTC, job 3 since 12:20 UTC + 9 more',
    );
  });
});
