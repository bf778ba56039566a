import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../../lib/instant.ts';
import { at, DAY, HOUR, MINUTE } from '../check/check.test-support.ts';
import { inputAfter } from './foresight.ts';
import { acknowledge, outageOf, unacknowledge } from './outage.ts';
import { plan } from './plan.ts';
import { aFlip, anInput, aRecipient, Story, T0, WORKING_HOURS } from './policy.test-support.ts';
import { AT_ONCE, type Policy } from './policy.ts';

function policy(rules: Partial<Policy>): { policy: Policy } {
  return { policy: { ...AT_ONCE, ...rules } };
}

const BAD = { kind: 'result', isBad: true } as const;
const GOOD = { kind: 'result', isBad: false } as const;
const CHANNELS = [aRecipient(1), aRecipient(2), aRecipient(3, { isAssigned: false })];

suite('rules that cannot be followed', () => {
  const fault = new RangeError('nobody knows when');
  const check = {
    ...anInput().check,
    reachesAt: () => {
      throw fault;
    },
  };
  const flip = { kind: 'flip', flip: aFlip() } as const;
  const input = anInput({ check, ...policy({ badRuns: 2 }), recipients: CHANNELS, cause: flip });

  test('tell all that are assigned, also outside of their hours, at the next question, which is at once', () => {
    const away = { hours: WORKING_HOURS, outsideHours: 'hold' } as const;
    const weekend = { ...input, recipients: [aRecipient(1, away)], now: at('2027-03-06T12:00:00Z') };
    const first = plan(weekend);
    assert.deepEqual([first.messages, first.outage?.wakeAt, first.fault], [[], weekend.now, fault]);
    const second = plan(inputAfter({ ...weekend, cause: { kind: 'timer' } }, first));

    assert.deepEqual(
      second.messages.map(({ recipient: { id }, because }) => [id, because]),
      [[1, ['assigned']]],
    );
    assert.equal(second.outage?.state, 'told');
    assert.equal(second.outage.wakeAt, weekend.now + HOUR);
    assert.equal(second.fault, fault);
  });

  test('do not undo what a person has said', () => {
    const snoozed = { ...check, snoozedUntilAt: input.now + HOUR };
    const first = plan({ ...input, check: snoozed });
    const second = plan(inputAfter({ ...input, check: snoozed, cause: { kind: 'timer' } }, first));
    assert.deepEqual([second.messages, second.outage?.heldBy], [[], 'snoozed']);
  });

  test('keep nobody from hearing of the end', () => {
    const hours = {
      ...WORKING_HOURS,
      get exceptDates(): string[] {
        throw fault;
      },
    };
    const recipients = [aRecipient(1, { hours })];
    const outage = { ...outageOf(flip.flip), state: 'told', toldAt: input.now } as const;
    const up = { kind: 'flip', flip: aFlip({ oldStatus: 'down', newStatus: 'up', reason: '' }) } as const;
    const end = plan(
      anInput({ cause: up, outage, told: [{ channelId: 1, byStep: false, isOpen: false }], recipients }),
    );
    assert.deepEqual([end.messages.length, end.outage?.state, end.fault], [1, 'over', fault]);
  });
});

suite('at once', () => {
  test('a flip to down with a reason opens an outage and tells all that are assigned', () => {
    const story = new Story({ recipients: CHANNELS });

    assert.deepEqual(story.told, ['+0 min: first to 1', '+0 min: first to 2']);
    assert.deepEqual(story.plan.messages[0]?.because, ['assigned']);
    assert.equal(story.outage.state, 'told');
    assert.equal(story.outage.toldAt, T0);
    assert.equal(story.outage.wakeAt, null);
  });

  test('the end is told to those that are assigned then', () => {
    const story = new Story({ recipients: CHANNELS });
    story.change(T0 + MINUTE, { recipients: [aRecipient(2), aRecipient(4)] });
    story.flip(T0 + HOUR, 'up');

    assert.deepEqual(story.told.slice(2), ['+60 min: up to 2', '+60 min: up to 4']);
    assert.equal(story.outage.state, 'over');
    assert.equal(story.outage.endedAt, T0 + HOUR);
    assert.equal(story.plan.messages[0]?.flipId, 8);
  });

  test('a flip to down without a reason opens none, and a flip to up without one is told as ever', () => {
    const edit = plan(anInput({ cause: { kind: 'flip', flip: aFlip({ reason: '' }) } }));
    assert.deepEqual([edit.outage, edit.messages], [null, []]);

    const up = aFlip({ oldStatus: 'down', newStatus: 'up', reason: '' });
    const end = plan(anInput({ cause: { kind: 'flip', flip: up }, recipients: CHANNELS }));
    assert.deepEqual(
      end.messages.map(({ recipient, status }) => [recipient.id, status]),
      [
        [1, 'up'],
        [2, 'up'],
      ],
    );

    const first = aFlip({ oldStatus: 'new', newStatus: 'up', reason: '' });
    assert.deepEqual(plan(anInput({ cause: { kind: 'flip', flip: first } })).messages, []);
  });

  test('a pause ends the outage and tells nobody', () => {
    const story = new Story();
    story.flip(T0 + HOUR, 'paused', { oldStatus: 'down', reason: '' });

    assert.equal(story.outage.state, 'over');
    assert.equal(story.told.length, 1);
  });

  test('a channel that is off gets its row, which says so', () => {
    const off = aRecipient(1, {
      offReason: 'bounced',
      hours: { ...WORKING_HOURS, exceptDates: ['2026-03-04'] },
    });

    assert.deepEqual(new Story({ recipients: [off] }).told, ['+0 min: first to 1']);
  });

  test('a flip that a wrong clock dated into the future is told at once', () => {
    const story = new Story({ cause: { kind: 'flip', flip: aFlip({ createdAt: T0 + DAY }) } });

    assert.deepEqual(story.told, ['+0 min: first to 1']);
  });
});

suite('bad runs', () => {
  const three = policy({ badRuns: 3 });
  const counted = (badCount: number) => ({ ...anInput().check, badCount, reachesAt: () => null });

  test('the third failure is told, as of the first', () => {
    const fail = { kind: 'flip', flip: aFlip({ reason: 'fail' }) } as const;
    const story = new Story({ ...three, cause: fail, check: counted(1) });
    story.ask(BAD, T0 + HOUR, { check: counted(2) });
    assert.deepEqual([story.told, story.outage.heldBy, story.outage.wakeAt], [[], 'bad_runs', null]);
    story.ask(BAD, T0 + 2 * HOUR, { check: counted(3) });

    assert.deepEqual(story.told, ['+120 min: first to 1']);
    assert.equal(story.outage.beganAt, T0);
  });

  test('two failures and a success are told to nobody', () => {
    const story = new Story({ ...three, check: counted(1) });
    story.ask(BAD, T0 + HOUR, { check: counted(2) });
    story.flip(T0 + 2 * HOUR, 'up');

    assert.deepEqual(story.told, []);
    assert.equal(story.outage.state, 'over');
  });

  test('misses need no ping: the plan asks again at the deadline of the one that reaches the number', () => {
    const story = new Story(three);
    assert.equal(story.outage.wakeAt, T0 + 10 * MINUTE);
    story.passUntil(T0 + DAY);

    assert.deepEqual(story.told, ['+10 min: first to 1']);
  });

  test('if failures count, a run that is missing is told at once, also after a failure', () => {
    const rules = policy({ badRuns: 3, counts: 'failed' });
    assert.deepEqual(new Story(rules).told, ['+0 min: first to 1']);

    const fail = { kind: 'flip', flip: aFlip({ reason: 'fail' }) } as const;
    const check = { ...anInput().check, badCount: 1 };
    const story = new Story({ ...rules, cause: fail, check });
    assert.deepEqual(story.told, []);
    story.passUntil(T0 + DAY);
    assert.deepEqual(story.told, ['+5 min: first to 1']);
  });

  test('an edit to a smaller number is told at once', () => {
    const story = new Story({ ...three, check: counted(1) });
    story.change(T0 + MINUTE, policy({}));

    assert.deepEqual(story.told, ['+1 min: first to 1']);
  });

  test('both a number and a time: the later counts', () => {
    const story = new Story(policy({ badRuns: 2, wait: seconds(900) }));
    story.passUntil(T0 + DAY);

    assert.deepEqual(story.told, ['+15 min: first to 1']);
  });

  test('the time alone tells nobody: the run that reaches the number after it does', () => {
    const story = new Story({ ...policy({ badRuns: 2, wait: seconds(900) }), check: counted(1) });
    story.passUntil(T0 + DAY);
    assert.deepEqual([story.told, story.outage.heldBy], [[], 'bad_runs']);
    story.ask(BAD, T0 + DAY, { check: counted(2) });

    assert.deepEqual(story.told, ['+1440 min: first to 1']);
  });
});

suite('waiting', () => {
  const patient = policy({ wait: seconds(900) });

  test('what is still down after the time is told', () => {
    const story = new Story(patient);
    assert.deepEqual([story.outage.state, story.outage.heldBy], ['waiting', 'wait']);
    story.passUntil(T0 + DAY);

    assert.deepEqual(story.told, ['+15 min: first to 1']);
  });

  test('what came up before is told to nobody', () => {
    const story = new Story(patient);
    story.flip(T0 + seconds(899), 'up');

    assert.deepEqual(story.told, []);
  });

  test('recipients are those of the moment in which the gates open', () => {
    const story = new Story(patient);
    story.change(T0 + MINUTE, { recipients: [aRecipient(5)] });
    story.passUntil(T0 + HOUR);
    story.change(T0 + HOUR, { recipients: [aRecipient(5), aRecipient(6)] });

    assert.deepEqual(story.told, ['+15 min: first to 5']);
  });
});

suite('good runs', () => {
  const two = policy({ goodRuns: 2 });

  test('the second success is told, and the outage lasted until the first', () => {
    const story = new Story(two);
    story.flip(T0 + HOUR, 'up');
    assert.deepEqual([story.outage.state, story.told.length], ['recovering', 1]);
    story.ask(GOOD, T0 + 2 * HOUR);

    assert.deepEqual(story.told.slice(1), ['+120 min: up to 1']);
    assert.equal(story.outage.recoveringAt, T0 + HOUR);
    assert.equal(story.plan.messages[0]?.flipId, 8);
  });

  test('a failure between them goes on with the same outage and is no message', () => {
    const story = new Story(two);
    story.flip(T0 + HOUR, 'up');
    story.flip(T0 + 2 * HOUR, 'down', { id: 9 });
    assert.deepEqual([story.outage.state, story.outage.flipId, story.told.length], ['told', 7, 1]);
    story.flip(T0 + 3 * HOUR, 'up', { id: 10 });
    story.ask(GOOD, T0 + 4 * HOUR);

    assert.deepEqual(story.told.slice(1), ['+240 min: up to 1']);
    assert.equal(story.plan.messages[0]?.flipId, 10);
  });

  test('an edit to one good run ends what recovers', () => {
    const story = new Story(two);
    story.flip(T0 + HOUR, 'up');
    story.change(T0 + 61 * MINUTE, policy({}));

    assert.deepEqual(story.told.slice(1), ['+61 min: up to 1']);
  });

  test('what was never told is over with the first', () => {
    const story = new Story(policy({ goodRuns: 2, wait: seconds(900) }));
    story.flip(T0 + MINUTE, 'up');

    assert.equal(story.outage.state, 'over');
    assert.deepEqual(story.told, []);
  });
});

suite('hours of a policy', () => {
  const hours = { hours: WORKING_HOURS };
  const friday = at('2026-03-06T22:00+02:00');
  const monday = at('2026-03-09T08:00+02:00');
  const down = { cause: { kind: 'flip', flip: aFlip({ createdAt: friday }) }, now: friday } as const;

  test('what goes down on Friday night is told on Monday morning, if it is still down', () => {
    const story = new Story({ ...down, ...hours });
    assert.deepEqual([story.told, story.outage.heldBy, story.outage.wakeAt], [[], 'hours', monday]);
    story.passUntil(monday);
    assert.equal(story.told.length, 1);

    const other = new Story({ ...down, ...hours });
    other.flip(monday - MINUTE, 'up');
    assert.equal(other.outage.wakeAt, null);
    other.ask({ kind: 'timer' }, monday + HOUR);
    assert.deepEqual([other.told, other.outage.wakeAt], [[], null]);
  });

  test('checks with one of the tags are told at once', () => {
    const check = { ...anInput().check, tags: ['db', 'important'] };
    const story = new Story({ ...down, ...hours, ...policy({ alwaysTags: ['important'] }), check });

    assert.equal(story.told.length, 1);
  });

  test('a calendar that never opens again, or that cannot be read, holds nothing back', () => {
    for (const schedule of ['2020-01-01 08:00', 'written by a newer version']) {
      const story = new Story({ ...down, hours: { ...WORKING_HOURS, schedule } });
      assert.equal(story.told.length, 1, schedule);
    }
  });
});

suite('hours of a channel', () => {
  const night = aRecipient(1, { hours: WORKING_HOURS });
  const pager = aRecipient(2);

  test('one that holds is told when they begin, another at once', () => {
    const story = new Story({ recipients: [night, pager] });
    assert.deepEqual(story.plan.waits, [{ channelId: 1, status: 'down', reason: 'channel_hours' }]);
    story.passUntil(T0 + DAY);

    // 08:00 in Riga is 06:00 in UTC.
    assert.deepEqual(story.told, ['+0 min: first to 2', '+120 min: first to 1']);
    assert.deepEqual(story.plan.waits, []);
  });

  test('who waits for the beginning does not hear of the end', () => {
    const story = new Story({ recipients: [night, pager] });
    story.flip(T0 + HOUR, 'up');
    story.passUntil(T0 + DAY);

    assert.deepEqual(story.told, ['+0 min: first to 2', '+60 min: up to 2']);
    // A group that passes the end on has to know it.
    assert.deepEqual(story.plan.waits, [{ channelId: 1, status: 'down', reason: 'channel_hours' }]);
  });

  test('who waited for the beginning and was told by a group hears of the end', () => {
    const input = anInput({
      cause: {
        kind: 'flip',
        flip: aFlip({ id: 8, createdAt: T0 + HOUR, oldStatus: 'down', newStatus: 'up' }),
      },
      outage: { ...outageOf(aFlip()), state: 'told', toldAt: T0 },
      recipients: [aRecipient(1)],
      waits: [{ channelId: 1, status: 'down', reason: 'channel_hours' }],
      told: [{ channelId: 1, byStep: false, isOpen: false }],
      now: T0 + HOUR,
    });

    const { messages, waits } = plan(input);
    assert.deepEqual([messages.map(({ status }) => status), waits], [['up'], []]);
  });

  test('one that drops hears neither beginning nor end, although they begin', () => {
    const story = new Story({ recipients: [{ ...night, outsideHours: 'drop' }] });
    story.passUntil(T0 + DAY);
    story.change(T0 + 3 * HOUR, {});
    story.flip(T0 + 4 * HOUR, 'up');

    assert.deepEqual(story.told, []);
  });

  test('an end is held until they begin, also where beginnings are dropped; stateful kinds hear it at once', () => {
    const now = at('2026-03-04T16:30+02:00');
    const stateful = aRecipient(2, { hours: WORKING_HOURS, isStateful: true });
    const recipients = [{ ...night, outsideHours: 'drop' as const }, stateful];
    const story = new Story({ cause: { kind: 'flip', flip: aFlip({ createdAt: now }) }, now, recipients });
    assert.equal(story.told.length, 2);
    const evening = at('2026-03-04T23:00+02:00');
    story.flip(evening, 'up');
    assert.deepEqual(
      story.plan.messages.map(({ recipient }) => recipient.id),
      [2],
    );
    assert.equal(story.outage.wakeAt, at('2026-03-05T08:00+02:00'));
    story.passUntil(evening + DAY);

    assert.equal(story.told.length, 4);
    assert.deepEqual([story.plan.waits, story.outage.wakeAt, story.plan.messages[0]?.flipId], [[], null, 8]);
  });

  test('a channel that was taken away while it waited is told nothing', () => {
    const story = new Story({ recipients: [night, pager] });
    story.change(T0 + HOUR, { recipients: [{ ...night, isAssigned: false }, pager] });
    story.passUntil(T0 + DAY);

    assert.deepEqual(story.told, ['+0 min: first to 2']);
  });
});

suite('channels that are off', () => {
  test('repeats go on for those that are on again', () => {
    const story = new Story(policy({ again: HOUR, againMost: 48 }));
    story.ask({ kind: 'timer' }, T0 + HOUR, { recipients: [aRecipient(1, { offReason: 'failed' })] });
    story.ask({ kind: 'timer' }, T0 + 2 * HOUR, { recipients: [aRecipient(1)] });

    assert.deepEqual(story.told, ['+0 min: first to 1', '+120 min: again to 1']);
    assert.equal(story.outage.wakeAt, T0 + 3 * HOUR);
  });

  test('are asked about again even if nobody else hears', () => {
    const story = new Story(policy({ again: HOUR, againMost: 48 }));
    story.ask({ kind: 'timer' }, T0 + HOUR, { recipients: [aRecipient(1, { offReason: 'failed' })] });

    assert.equal(story.outage.wakeAt, T0 + 2 * HOUR);
  });
});

suite('steps', () => {
  const steps = [
    { after: 0, tell: ['channel-2'] },
    { after: seconds(900), tell: ['channel-3', 'channel-1'] },
    { after: seconds(1800), tell: ['channel-4'] },
  ];
  const rules = policy({ steps });
  const recipients = [aRecipient(1), ...[2, 3, 4].map((id) => aRecipient(id, { isAssigned: false }))];

  test('each comes at its time, and who was told before is not told again', () => {
    const story = new Story({ ...rules, recipients });
    assert.deepEqual(story.plan.messages[1]?.because, ['step']);
    story.passUntil(T0 + DAY);

    assert.deepEqual(story.told, [
      '+0 min: first to 1',
      '+0 min: step to 2',
      '+15 min: step to 3',
      '+30 min: step to 4',
    ]);
  });

  test('a channel that is assigned and named has both reasons', () => {
    const story = new Story({ ...rules, recipients: [aRecipient(2)] });

    assert.deepEqual(story.plan.messages[0]?.because, ['assigned', 'step']);
    assert.equal(story.plan.messages[0]?.event, 'first');
  });

  test('those that a step has told hear the end', () => {
    const story = new Story({ ...rules, recipients });
    story.passUntil(T0 + 20 * MINUTE);
    story.flip(T0 + 20 * MINUTE, 'up');

    assert.deepEqual(story.told.slice(3), ['+20 min: up to 1', '+20 min: up to 2', '+20 min: up to 3']);
  });

  test('steps that are done are not repeated when the policy is edited', () => {
    const story = new Story({ ...rules, recipients });
    story.passUntil(T0 + 20 * MINUTE);
    const edited = [...steps.slice(0, 2), { after: seconds(1500), tell: ['channel-4'] }];
    story.change(T0 + 20 * MINUTE, policy({ steps: edited }));
    story.passUntil(T0 + DAY);

    assert.deepEqual(story.told.slice(3), ['+25 min: step to 4']);
  });

  test('another list of steps counts from the edit on: those whose time has passed come at once, the others in time', () => {
    const story = new Story({ ...rules, recipients });
    story.passUntil(T0 + 20 * MINUTE);
    const edited = [
      { after: seconds(60), tell: ['channel-4'] },
      { after: seconds(3600), tell: ['channel-5'] },
    ];
    const more = [...recipients, aRecipient(5, { isAssigned: false })];
    story.change(T0 + 20 * MINUTE, { ...policy({ steps: edited }), recipients: more });
    story.passUntil(T0 + DAY);

    assert.deepEqual(story.told.slice(3), ['+20 min: step to 4', '+60 min: step to 5']);
  });

  test('a step whose time passed under a hold comes when it ends', () => {
    const story = new Story({ ...rules, recipients });
    const taken = acknowledge(story.outage, 'Anna', AT_ONCE, T0 + 10 * MINUTE);
    story.ask({ kind: 'answer' }, T0 + 10 * MINUTE, { outage: taken });
    story.passUntil(T0 + DAY);
    assert.equal(story.told.length, 2);
    story.ask({ kind: 'answer' }, T0 + HOUR, { outage: unacknowledge(story.outage) });

    assert.deepEqual(story.told.slice(2), ['+60 min: step to 3', '+60 min: step to 4']);
  });
});

suite('repeats', () => {
  const hourly = policy({ again: HOUR, againMost: 3 });

  test('they come in their rhythm, and no more than the most', () => {
    const story = new Story(hourly);
    story.passUntil(T0 + 2 * DAY);

    assert.deepEqual(story.told.slice(1), [
      '+60 min: again to 1',
      '+120 min: again to 1',
      '+180 min: again to 1',
    ]);
    assert.deepEqual([story.outage.againCount, story.outage.tellCount], [3, 3]);
  });

  test('each has an ordinal of its own', () => {
    const story = new Story(hourly);
    story.passUntil(T0 + 2 * HOUR);

    assert.deepEqual([story.plan.messages[0]?.ordinal, story.plan.messages[0]?.because], [2, ['again']]);
    assert.equal(story.plan.messages[0]?.flipId, 7);
  });

  test('stateful kinds get none, nor those with an open message', () => {
    const recipients = [aRecipient(1, { isStateful: true }), aRecipient(2)];
    const story = new Story({ ...hourly, recipients });
    story.ask({ kind: 'timer' }, T0 + HOUR, {
      told: [
        { channelId: 1, byStep: false, isOpen: false },
        { channelId: 2, byStep: false, isOpen: true },
      ],
    });
    assert.equal(story.told.length, 2);
    assert.equal(story.outage.wakeAt, T0 + 2 * HOUR);

    const stateful = new Story({ ...hourly, recipients: recipients.slice(0, 1) });
    assert.equal(stateful.outage.wakeAt, null);
  });

  test('they go on for a channel that was taken off the check, and is assigned again', () => {
    const story = new Story(hourly);
    story.ask({ kind: 'timer' }, T0 + HOUR, { recipients: [] });
    assert.equal(story.outage.wakeAt, T0 + 2 * HOUR);
    story.ask({ kind: 'timer' }, T0 + 2 * HOUR, { recipients: [aRecipient(1)] });

    assert.deepEqual(story.told, ['+0 min: first to 1', '+120 min: again to 1']);
  });

  test('those missed under a hold are not made up: one comes, then the rhythm goes on', () => {
    const snoozed = { ...anInput().check, snoozedUntilAt: T0 + 200 * MINUTE };
    const story = new Story(policy({ again: HOUR, againMost: 100 }));
    story.change(T0 + MINUTE, { check: snoozed });
    story.passUntil(T0 + 300 * MINUTE);

    assert.deepEqual(story.told.slice(1), ['+200 min: again to 1', '+260 min: again to 1']);
  });

  test('a hold that ends before its time brings one at once', () => {
    const story = new Story(policy({ again: HOUR, againMost: 100 }));
    story.change(T0 + MINUTE, { check: { ...anInput().check, snoozedUntilAt: T0 + DAY } });
    story.change(T0 + 150 * MINUTE, { check: anInput().check });
    story.passUntil(T0 + 4 * HOUR);

    assert.deepEqual(story.told.slice(1), ['+150 min: again to 1', '+210 min: again to 1']);
  });

  test('a loop that is a little late keeps the rhythm', () => {
    const story = new Story(hourly);
    story.ask({ kind: 'timer' }, T0 + HOUR + seconds(20));

    assert.equal(story.outage.wakeAt, T0 + 2 * HOUR);
  });
});

suite('each failure', () => {
  const each = policy({ eachFailure: true });

  test('further failures are messages of their own', () => {
    const story = new Story(each);
    for (const hour of [1, 2, 3]) story.ask(BAD, T0 + hour * HOUR);

    assert.deepEqual(story.told.slice(1), [
      '+60 min: further_failure to 1',
      '+120 min: further_failure to 1',
      '+180 min: further_failure to 1',
    ]);
    assert.equal(story.plan.messages[0]?.ordinal, 3);
  });

  test('a run that is only missing is none', () => {
    const story = new Story(each);
    story.ask({ kind: 'timer' }, T0 + HOUR);

    assert.equal(story.told.length, 1);
  });

  test('none comes while the outage is acknowledged, nor for the failure that opened the gates', () => {
    const acknowledged = new Story(each);
    const outage = acknowledge(acknowledged.outage, 'Anna', AT_ONCE, T0 + MINUTE);
    acknowledged.ask({ kind: 'answer' }, T0 + MINUTE, { outage });
    acknowledged.ask(BAD, T0 + HOUR);
    assert.equal(acknowledged.told.length, 1);

    const check = { ...anInput().check, reachesAt: () => null, badCount: 1 };
    const second = new Story({ ...policy({ eachFailure: true, badRuns: 2 }), check });
    second.ask(BAD, T0 + HOUR, { check: { ...check, badCount: 2 } });
    assert.deepEqual(second.told, ['+60 min: first to 1']);
  });
});

suite('acknowledge and snooze', () => {
  const reminding = policy({ again: HOUR, againMost: 48, ackLasts: HOUR });

  test('after an acknowledgement nothing comes until it has run out', () => {
    const story = new Story(reminding);
    const outage = acknowledge(story.outage, 'Anna', reminding.policy, T0 + 30 * MINUTE);
    story.ask({ kind: 'answer' }, T0 + 30 * MINUTE, { outage });
    assert.deepEqual([story.outage.heldBy, story.outage.wakeAt], ['acknowledged', T0 + 90 * MINUTE]);
    story.passUntil(T0 + 3 * HOUR);

    assert.deepEqual(story.told.slice(1), ['+90 min: again to 1', '+150 min: again to 1']);
  });

  test('the first stays', () => {
    const { outage } = new Story(reminding);
    const first = acknowledge(outage, 'Anna', reminding.policy, T0);

    assert.equal(acknowledge(first, 'Bob', reminding.policy, T0 + MINUTE), first);
    assert.equal(acknowledge(first, 'Bob', reminding.policy, T0 + HOUR).acknowledgedBy, 'Bob');
  });

  test('what is acknowledged while it waits is never told, nor is its end', () => {
    const story = new Story(policy({ wait: seconds(900) }));
    const outage = acknowledge(story.outage, 'Anna', AT_ONCE, T0 + MINUTE);
    story.ask({ kind: 'answer' }, T0 + MINUTE, { outage });
    story.passUntil(T0 + DAY);
    story.flip(T0 + DAY, 'up');

    assert.deepEqual(story.told, []);
  });

  test('a snooze holds what begins; at its end what is still down is told', () => {
    const check = { ...anInput().check, snoozedUntilAt: T0 + 2 * HOUR };
    const story = new Story({ check });
    story.passUntil(T0 + DAY);
    assert.deepEqual(story.told, ['+120 min: first to 1']);

    const other = new Story({ check });
    other.flip(T0 + HOUR, 'up');
    assert.deepEqual(other.told, []);
  });

  test('no gate holds back the end of what was told', () => {
    const story = new Story(policy({ wait: 0 }));
    const quiet = { from: T0, until: T0 + DAY };
    const parents = [{ name: 'router', isDown: true, lateUntil: null, upAt: null }];
    const outage = acknowledge(story.outage, 'Anna', AT_ONCE, T0);
    const check = { ...anInput().check, quiet, snoozedUntilAt: T0 + DAY };
    story.change(T0 + MINUTE, { check, parents, outage });
    assert.equal(story.outage.heldBy, 'quiet');
    story.flip(T0 + HOUR, 'up');

    assert.deepEqual(story.told.slice(1), ['+60 min: up to 1']);
  });
});

suite('quiet times', () => {
  const quiet = { from: T0 - HOUR, until: T0 + HOUR };
  const check = { ...anInput().check, quiet };

  test('what fails inside and is still down is told at the end', () => {
    const story = new Story({ check });
    story.passUntil(T0 + DAY);

    assert.deepEqual(story.told, ['+60 min: first to 1']);
  });

  test('one that is still to come holds nothing', () => {
    const later = { ...check, quiet: { from: T0 + MINUTE, until: T0 + HOUR } };

    assert.equal(new Story({ check: later }).told.length, 1);
  });
});

suite('parents', () => {
  const well = { name: 'router', isDown: false, lateUntil: null, upAt: null };

  test('a child waits a little when all parents look well', () => {
    const story = new Story({ parents: [well] });
    assert.deepEqual([story.outage.heldBy, story.outage.wakeAt], ['parent', T0 + seconds(30)]);
    story.passUntil(T0 + DAY);

    assert.deepEqual(story.told, ['+0.5 min: first to 1']);
  });

  test('it waits for a parent that is late, at most five minutes', () => {
    const late = (after: number) => [{ ...well, lateUntil: T0 + seconds(after) }];

    assert.equal(new Story({ parents: late(200) }).outage.wakeAt, T0 + seconds(200));
    assert.equal(new Story({ parents: late(900) }).outage.wakeAt, T0 + seconds(300));
    assert.equal(new Story({ parents: late(5) }).outage.wakeAt, T0 + seconds(30));
  });

  test('while a parent is down the child is held, and asks every quarter of an hour', () => {
    const story = new Story({ parents: [{ ...well, isDown: true }] });
    assert.equal(story.outage.wakeAt, T0 + seconds(900));
    story.passUntil(T0 + HOUR);
    assert.deepEqual(story.told, []);
    const upAt = T0 + 61 * MINUTE;
    story.ask({ kind: 'parent' }, upAt, { parents: [{ ...well, upAt }] });
    assert.equal(story.outage.wakeAt, upAt + seconds(60));
    story.passUntil(T0 + DAY);

    assert.deepEqual(story.told, ['+62 min: first to 1']);
  });

  test('without the parent it is told at once', () => {
    const story = new Story({ parents: [{ ...well, isDown: true }] });
    story.ask({ kind: 'parent' }, T0 + MINUTE, { parents: [] });

    assert.deepEqual(story.told, ['+1 min: first to 1']);
  });
});

suite('blindness', () => {
  const steps = [
    { after: seconds(1800), tell: ['channel-2'] },
    { after: seconds(3600), tell: ['channel-3'] },
  ];
  const recipients = [aRecipient(1), ...[2, 3].map((id) => aRecipient(id, { isAssigned: false }))];
  const blind = { from: T0 + 10 * MINUTE, until: T0 + 130 * MINUTE };

  test('what was due meanwhile comes five minutes after the return: steps in order, one repeat', () => {
    const story = new Story({ ...policy({ steps, again: 40 * MINUTE, againMost: 48 }), recipients });
    story.ask({ kind: 'timer' }, blind.until, { blind: [blind] });
    assert.equal(story.told.length, 1);
    assert.equal(story.outage.wakeAt, T0 + 135 * MINUTE);
    story.passUntil(T0 + 180 * MINUTE);

    assert.deepEqual(story.told.slice(1), [
      '+135 min: step to 2',
      '+135 min: step to 3',
      '+135 min: again to 1',
      '+175 min: again to 1',
      '+175 min: again to 2',
      '+175 min: again to 3',
    ]);
  });

  test('it comes five minutes after the return also if nobody watched once more meanwhile', () => {
    const story = new Story({ ...policy({ steps }), recipients });
    const second = { from: blind.until + MINUTE, until: blind.until + 2 * MINUTE };
    story.ask({ kind: 'timer' }, second.until, { blind: [second, blind] });
    story.passUntil(T0 + DAY);

    assert.deepEqual(story.told.slice(1), ['+135 min: step to 2', '+135 min: step to 3']);
  });

  test('so does the beginning whose time to wait ended meanwhile', () => {
    const story = new Story(policy({ wait: seconds(900) }));
    story.ask({ kind: 'timer' }, blind.until, { blind: [blind] });
    story.passUntil(T0 + DAY);

    assert.deepEqual(story.told, ['+135 min: first to 1']);
  });

  test('what begins after the return is told at once', () => {
    const now = blind.until + seconds(1);
    const story = new Story({
      cause: { kind: 'flip', flip: aFlip({ createdAt: now }) },
      now,
      blind: [blind],
    });

    assert.equal(story.told.length, 1);
  });
});
