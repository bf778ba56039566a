import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../../lib/instant.ts';
import {
  AT,
  aCheck,
  aFailure,
  anEvent,
  anEventWithBody,
  aPing,
  aRecovery,
  aStory,
  aZonedStory,
  OTHERS,
  SCENARIOS,
  UUID,
} from '../kind/alert-event.test-support.ts';
import { alertFacts } from './alert-facts.ts';
import { pingText } from './alert-words.ts';
import { causeSentence, storySentence } from './listed-facts.ts';

const DOWN = anEvent({ story: aStory() });
const UP = anEvent({ to: 'up', reason: '', downFor: seconds(5400), story: aRecovery() });

suite('the facts of a short message', () => {
  test('tell since when, why, and what was expected', () => {
    const { sentence, brief, lastPing } = alertFacts(DOWN);

    assert.equal(sentence, 'Down since 12:30 UTC · no ping for 25 h (expected every day)');
    assert.equal(brief, 'no ping for 25 h');
    assert.equal(lastPing, 'Success, an hour ago, took 6 min 41 s');
  });

  test('tell of a late ping when the thing happened', () => {
    const late = aPing({ createdAt: AT, occurredAt: AT - seconds(7200) });

    assert.equal(alertFacts(anEvent({ ping: late, story: null })).lastPing, 'Success, 2 hours ago');
    const lastPing = { ...late, duration: null, occurredAt: AT - seconds(7200) };
    assert.equal(pingText(lastPing), 'OK, arrived 2 h later');
    assert.equal(
      pingText({ ...lastPing, signal: 'fail', exitStatus: 3 }),
      'exit status 3, arrived 2 h later',
    );
  });

  const BERLIN = { kind: 'cron', schedule: '0 3 * * *', tz: 'Europe/Berlin' } as const;

  test('have times of the zone of the schedule, and its name', () => {
    const check = aCheck({ cadence: BERLIN });
    const about = { ...aStory().about, tz: 'Europe/Berlin' };
    const silent = aZonedStory('every day at 12:30', 'Europe/Berlin');

    const down = alertFacts(anEvent({ check, story: silent, others: OTHERS }));
    const failed = alertFacts(anEvent({ check, reason: 'fail', story: { ...aFailure(), about } }));
    const up = alertFacts(anEvent({ check, to: 'up', reason: '', story: { ...aRecovery(), about } }));

    assert.equal(down.sentence, 'Down since 13:30 Berlin · no ping for 25 h (expected every day at 12:30)');
    assert.equal(down.others?.brief, 'nightly-etl since 12:47 Berlin');
    assert.equal(failed.sentence, 'Down since 13:30 Berlin · exit status 123 after 46 min (usually 31 min)');
    assert.equal(up.nextRun, 'Mon 13:30 Berlin');
  });

  test('name a zone that is UTC', () => {
    const story = aZonedStory('every day at 11:30', 'UTC');

    const { sentence } = alertFacts(anEvent({ check: aCheck({ cadence: { ...BERLIN, tz: 'UTC' } }), story }));

    assert.equal(sentence, 'Down since 12:30 UTC · no ping for 25 h (expected every day at 11:30)');
  });

  test('have the due time instead of a schedule whose words name another zone', () => {
    const story = aZonedStory('every day at 13:30 (Europe/Riga)', null);

    const { sentence } = alertFacts(anEvent({ story }));

    assert.equal(sentence, 'Down since 12:30 UTC · no ping for 25 h (expected 11:30 UTC)');
  });

  test('have times of the zone that the schedule had when the check went down', () => {
    const story = aZonedStory('every day at 07:30', 'America/New_York');

    const { sentence } = alertFacts(anEvent({ check: aCheck({ cadence: BERLIN }), story }));

    assert.equal(sentence, 'Down since 08:30 New York · no ping for 25 h (expected every day at 07:30)');
  });

  test('tell how long it was down, what was missed and when the next run is due', () => {
    const facts = alertFacts(UP);

    assert.equal(facts.sentence, 'Up since 12:30 UTC · was down for 1 h 30 min, one run missed');
    assert.deepEqual(
      [facts.brief, facts.missed, facts.nextRun],
      ['was down for 1 h 30 min', 'one run', 'Mon 12:30 UTC'],
    );
  });

  test('have no word of a story that is not known', () => {
    const { sentence, brief, missed, nextRun, others } = alertFacts(anEvent());

    assert.deepEqual([sentence, brief, missed, nextRun, others], ['', '', '', '', null]);
  });

  test('are called as the check was called when it changed', () => {
    const facts = alertFacts({ ...DOWN, check: aCheck({ name: 'renamed' }) });

    assert.equal(facts.name, 'Nightly backup');
  });

  test('a body of 1000 characters is quoted as it is, a longer one is clipped', () => {
    assert.equal(alertFacts(anEventWithBody('x'.repeat(1000))).body, 'x'.repeat(1000));
    assert.equal(alertFacts(anEventWithBody('x'.repeat(1001))).body, `${'x'.repeat(1000)}\n[truncated]`);
  });

  test('bytes of a body that are no text are replaced', () => {
    assert.equal(alertFacts(anEventWithBody(Uint8Array.of(0x61, 0xff, 0x62))).body, 'a\ufffdb');
  });

  test('an unnamed check is called so, and nowhere is the UUID', () => {
    const event = SCENARIOS['unnamed-check'] ?? assert.fail();

    assert.equal(alertFacts(event).name, 'unnamed check');
    const named = { ...DOWN, check: aCheck({ name: UUID, description: `see ${UUID}`, tags: UUID }) };
    assert.ok(!JSON.stringify(alertFacts({ ...named, story: null })).includes(UUID));
  });
});

suite('the sentence about the cause', () => {
  test('gives the reason first, then the story', () => {
    assert.equal(
      causeSentence(alertFacts(DOWN)),
      'Reason: success signal did not arrive on time, grace time passed. ' +
        'Down since 12:30 UTC · no ping for 25 h (expected every day).',
    );
    assert.equal(
      storySentence(alertFacts(DOWN)),
      'Down since 12:30 UTC · no ping for 25 h (expected every day).',
    );
  });

  test('tells of a recovery how long it was down and what was missed', () => {
    const several = aRecovery();
    const outage = several.outage && { ...several.outage, missed: 3 };

    assert.equal(
      causeSentence(alertFacts(UP)),
      'The downtime lasted 1 hour, 30 minutes. One run was missed.',
    );
    assert.equal(
      causeSentence(alertFacts({ ...UP, story: { ...several, outage } })),
      'The downtime lasted 1 hour, 30 minutes. 3 runs were missed.',
    );
  });

  test('is the reason alone without a story, and empty without both', () => {
    assert.equal(
      causeSentence(alertFacts(anEvent({ reason: 'fail' }))),
      'Reason: received a failure signal.',
    );
    assert.equal(causeSentence(alertFacts(anEvent({ to: 'up', reason: '' }))), '');
  });
});
