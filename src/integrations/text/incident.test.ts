import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../../lib/instant.ts';
import { aCheck, aFailure, anEvent, aRecovery, aStory, OTHERS } from '../kind/alert-event.test-support.ts';
import { incidentOf, incidentText, textBelowTitle } from './incident.ts';

const named = (name: string) => incidentOf(anEvent({ check: aCheck({ name }) })).title;

suite('an incident', () => {
  test('has the same key from its beginning to its end', () => {
    const [down, up] = [incidentOf(anEvent()), incidentOf(anEvent({ to: 'up', reason: '' }))];

    assert.equal(down.key, up.key);
    assert.deepEqual([down.isOpen, up.isOpen], [true, false]);
  });

  test('has a title that fits, of which the name gives way', () => {
    for (const name of ['x'.repeat(500), '🔔'.repeat(500)]) {
      assert.ok(named(name).length <= 120, named(name));
      assert.match(named(name), /… is DOWN \(success signal .* passed\)$/);
    }
    assert.match(named('db'), /^db is DOWN/);
  });

  test('tells when the check was last heard of, if it ever was', () => {
    assert.match(incidentText(incidentOf(anEvent())), /\.\nLast ping: Success, an hour ago\.$/);
    assert.doesNotMatch(incidentText(incidentOf(anEvent({ ping: null }))), /Last ping/);
  });

  test('tells at its end how long it lasted, if that is known', () => {
    const end = anEvent({ to: 'up', reason: '', downFor: seconds(5400) });

    assert.equal(
      incidentText(incidentOf(end)),
      'Nightly backup is UP (was down for 1 h 30 min).\nThe downtime lasted 1 hour, 30 minutes.',
    );
    assert.equal(incidentText(incidentOf({ ...end, downFor: null })), 'Nightly backup is UP.');
  });

  test('has a text below its title that does not repeat it', () => {
    assert.equal(
      textBelowTitle(incidentOf(anEvent())),
      'Reason: success signal did not arrive on time, grace time passed.\nLast ping: Success, an hour ago.',
    );
    assert.equal(textBelowTitle(incidentOf(anEvent({ to: 'up', reason: '' }))), 'Nightly backup is UP.');
  });

  test('tells the whole story where that is known', () => {
    const down = incidentOf(anEvent({ story: aStory(), others: OTHERS }));

    assert.equal(down.title, 'Nightly backup is DOWN (no ping for 25 h)');
    assert.deepEqual(incidentText(down).split('\n'), [
      'Nightly backup is DOWN (no ping for 25 h).',
      'Down since 12:30 UTC · no ping for 25 h (expected every day).',
      'Last ping: Success, an hour ago, took 6 min 41 s.',
      'Also down: nightly-etl since 11:47 UTC.',
    ]);
    assert.equal(down.details.Status, 'Down since 12:30 UTC · no ping for 25 h (expected every day).');
    assert.equal(down.details['Also down'], 'nightly-etl since 11:47 UTC');
    const up = anEvent({ to: 'up', reason: '', downFor: seconds(5400), story: aRecovery() });

    assert.match(
      incidentText(incidentOf(up)),
      /\nThe downtime lasted 1 hour, 30 minutes\. One run was missed\.$/,
    );
    assert.ok('Next run' in incidentOf(up).details);
  });

  test('tells what a failed run wrote last', () => {
    const failed = incidentOf(anEvent({ reason: 'fail', story: aFailure() }));

    assert.match(incidentText(failed), /\nOutput: line 2 <ok> & "done"$/);
    assert.equal(failed.details['Last output'], 'line 2 <ok> & "done"');
    assert.doesNotMatch(incidentText(incidentOf(anEvent({ story: aStory() }))), /Output/);
  });

  test('has details under the names that on-call services know', () => {
    assert.deepEqual(incidentOf(anEvent()).details, {
      Project: 'Acme',
      Tags: 'prod, db',
      Period: '1 day',
      'Total pings': 42,
      'Last ping': 'Success, an hour ago',
      Description: 'Dumps the database.\nRunbook: wiki/backup',
    });
    const cron = { kind: 'cron', schedule: '*/5 * * * *', tz: 'Europe/Riga' } as const;
    const bare = anEvent({
      check: aCheck({ cadence: cron, tags: '', description: '' }),
      projectName: '',
      ping: null,
    });

    assert.deepEqual(incidentOf(bare).details, {
      Project: '',
      Schedule: '*/5 * * * *',
      'Time zone': 'Europe/Riga',
      'Total pings': 0,
      'Last ping': 'Never',
    });
  });
});
