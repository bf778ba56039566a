import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { type Instant, seconds } from '../../lib/instant.ts';
import { deliveriesOf } from '../alert/delivery.ts';
import { DAY, MINUTE } from '../check/check.test-support.ts';
import type { Flip } from '../check/flip.ts';
import { foresee, inputAfter } from './foresight.ts';
import { type PlanInput, plan } from './plan.ts';
import { aFlip, anInput, aRecipient, RECIPIENT_FIELDS, T0, WORKING_HOURS } from './policy.test-support.ts';
import { AT_ONCE, type Policy } from './policy.ts';
import type { Told } from './recipients.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const OPTIONS = { seed: 20260304, numRuns: 300 };

const span = (most: number) => fc.nat(most).map((minutes) => minutes * MINUTE);

const policy: fc.Arbitrary<Policy> = fc
  .record({
    badRuns: fc.integer({ min: 1, max: 6 }),
    counts: fc.constantFrom('all' as const, 'failed' as const),
    wait: span(30),
    again: fc.constantFrom(0, 5 * MINUTE, 60 * MINUTE),
    againMost: fc.integer({ min: 1, max: 5 }),
    steps: fc.array(
      fc.record({ after: span(90), tell: fc.subarray(['channel-3', 'channel-4', 'channel-1']) }),
      {
        maxLength: 4,
      },
    ),
    alwaysTags: fc.subarray(['important']),
    goodRuns: fc.integer({ min: 1, max: 3 }),
    eachFailure: fc.boolean(),
  })
  .map(({ steps, ...rules }) => ({
    ...AT_ONCE,
    ...rules,
    steps: steps.toSorted((one, other) => one.after - other.after),
  }));

const recipient = (id: number) => fc.record(RECIPIENT_FIELDS).map((fields) => aRecipient(id, fields));

const parent: fc.Arbitrary<PlanInput['parents'][number]> = fc.record({
  name: fc.constant('router'),
  isDown: fc.boolean(),
  lateUntil: fc.option(span(20).map((after) => T0 + after)),
  upAt: fc.option(span(60).map((before) => T0 - before)),
});

/** A time that nobody watched, about when the check went down. */
const blind = fc.tuple(span(30), span(60)).map(([before, length]) => {
  const from = T0 - before;
  return { from, until: Math.min(from + length, T0) };
});

const input: fc.Arbitrary<PlanInput> = fc
  .record({
    tags: fc.subarray(['important', 'db']),
    parents: fc.array(parent, { maxLength: 2 }),
    blind: fc.array(blind, { maxLength: 1 }),
    policy,
    hours: fc.constantFrom(null, null, WORKING_HOURS),
    recipients: fc.tuple(recipient(1), recipient(2), recipient(3), recipient(4)),
    snoozed: fc.option(span(120)),
    quiet: fc.option(fc.tuple(span(60), span(60))),
    badCount: fc.nat(3),
  })
  .map(({ tags, snoozed, quiet, badCount, ...rest }) =>
    anInput({
      ...rest,
      check: {
        ...anInput().check,
        tags,
        badCount,
        snoozedUntilAt: snoozed === null ? null : T0 + snoozed,
        quiet: quiet === null ? null : { from: T0 + quiet[0], until: T0 + quiet[0] + quiet[1] },
      },
    }),
  );

const END = T0 + DAY;

function told(input: PlanInput): string[] {
  return foresee(input, END, 1_000).messages.map(
    ({ at, recipient, event, ordinal }) => `${at} ${recipient.id} ${event} ${ordinal}`,
  );
}

/** Asks at the given times, too. */
function toldWithSteps(input: PlanInput, extra: readonly Instant[]): string[] {
  const times = extra.toSorted((one, other) => one - other);
  const messages: string[] = [];
  let asked = input;
  for (;;) {
    const planned = plan(asked);
    for (const { recipient, event, ordinal } of planned.messages)
      messages.push(`${asked.now} ${recipient.id} ${event} ${ordinal}`);
    const next = times.find((time) => time > asked.now) ?? END + 1;
    const now = Math.min(planned.outage?.wakeAt ?? END + 1, next);
    if (now > END) return messages;
    asked = { ...inputAfter(asked, planned), cause: { kind: 'timer' }, now };
  }
}

suite('whatever the policy', () => {
  test('asked again with nothing changed, the plan tells nobody and wakes at the same time', () => {
    fc.assert(
      fc.property(input, (input) => {
        const first = plan(input);
        const again = plan({ ...inputAfter(input, first), cause: { kind: 'timer' } });
        assert.deepEqual(again.messages, []);
        assert.equal(again.outage?.wakeAt, first.outage?.wakeAt);
        assert.deepEqual(again.waits, first.waits);
      }),
      OPTIONS,
    );
  });

  test('the plan wakes later than it was asked', () => {
    fc.assert(
      fc.property(input, (input) => {
        assert.ok((plan(input).outage?.wakeAt ?? END) > input.now);
      }),
      OPTIONS,
    );
  });

  test('the order of recipients does not matter', () => {
    fc.assert(
      fc.property(input, (input) => {
        assert.deepEqual(told({ ...input, recipients: input.recipients.toReversed() }), told(input));
      }),
      OPTIONS,
    );
  });

  test('a smaller threshold never tells later', () => {
    fc.assert(
      fc.property(input, fc.constantFrom('badRuns', 'wait'), (input, which) => {
        const less = which === 'badRuns' ? { badRuns: 1 } : { wait: 0 };
        const smaller = foresee({ ...input, policy: { ...input.policy, ...less } }, END, 1_000);
        const greater = foresee(input, END, 1_000);
        for (const { at, recipient } of greater.messages.filter(({ ordinal }) => ordinal === 0)) {
          const same = smaller.messages.find((one) => one.recipient.id === recipient.id);
          // The hours of a channel that drops may be closed at the earlier time.
          if (recipient.hours !== null && recipient.outsideHours === 'drop') continue;
          assert.ok(same !== undefined && same.at <= at);
        }
      }),
      OPTIONS,
    );
  });

  test('any steps of time give the same messages', () => {
    fc.assert(
      fc.property(input, fc.array(span(24 * 60), { maxLength: 20 }), (input, extra) => {
        assert.deepEqual(
          toldWithSteps(
            input,
            extra.map((one) => T0 + one),
          ),
          told(input),
        );
      }),
      OPTIONS,
    );
  });

  test('no channel is told twice under one number, and repeats keep their distance', () => {
    fc.assert(
      fc.property(input, (input) => {
        const { messages } = foresee(input, END, 1_000);
        const keys = messages.map(({ recipient, ordinal }) => `${recipient.id} ${ordinal}`);
        assert.equal(new Set(keys).size, keys.length);
        for (const { id } of input.recipients) {
          const repeats = messages.filter(({ recipient, event }) => recipient.id === id && event === 'again');
          assert.ok(repeats.length <= input.policy.againMost);
          repeats.forEach(({ at }, index) => {
            const before = repeats[index - 1];
            assert.ok(before === undefined || at - before.at >= input.policy.again);
          });
        }
      }),
      OPTIONS,
    );
  });
});

const CHANNELS = [1, 2, 3, 4];

/** A change of status, after how many seconds, and who is assigned then. */
const change = fc.record({
  to: fc.constantFrom('up' as const, 'down' as const, 'paused' as const, 'new' as const),
  reason: fc.constantFrom('timeout' as const, 'fail' as const, '' as const),
  after: fc.nat(3),
  assigned: fc.subarray(CHANNELS),
  off: fc.subarray(CHANNELS, { maxLength: 1 }),
});

test('with nothing but telling at once, 10,000 changes are told to those to whom they were told without a plan', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 100, maxLength: 100, size: 'max' }), (changes) => {
      let input = anInput({ now: T0 });
      let [status, at, id]: [Flip['newStatus'], Instant, number] = ['new', T0, 0];
      for (const { to, reason, after, assigned, off } of changes) {
        at += seconds(after);
        if (to === status) continue;
        id += 1;
        const flip = aFlip({
          ...{ id, createdAt: at, oldStatus: status, newStatus: to, cause: '' },
          reason: to === 'down' ? reason : '',
        });
        status = to;
        const recipients = CHANNELS.map((channel) =>
          aRecipient(channel, {
            isAssigned: assigned.includes(channel),
            offReason: off.includes(channel) ? 'failed' : null,
          }),
        );
        input = { ...input, cause: { kind: 'flip', flip }, recipients, now: at };
        const planned = plan(input);
        const present = deliveriesOf(
          flip,
          recipients.filter(({ isAssigned }) => isAssigned),
          () => '',
          at,
        );
        assert.deepEqual(
          planned.messages.map((one) => [one.recipient.id, one.flipId, one.status, one.ordinal]),
          present.map((one) => [one.channelId, one.flipId, one.status, one.ordinal]),
        );
        const isOpen = planned.outage !== null && planned.outage.state !== 'over';
        const told: readonly Told[] = isOpen ? inputAfter(input, planned).told : [];
        input = { ...input, outage: isOpen ? planned.outage : null, waits: planned.waits, told };
      }
    }),
    { seed: 20260304, numRuns: 140 },
  );
});
