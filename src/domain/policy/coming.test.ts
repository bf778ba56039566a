import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { DAY, HOUR, MINUTE } from '../check/check.test-support.ts';
import { type ComingTo, comingOf, comingTo, firstToldIfDown, type Telling } from './coming.ts';
import { type ForeseenMessage, foresee, inputAfter } from './foresight.ts';
import { outageOf } from './outage.ts';
import { type PlanInput, plan } from './plan.ts';
import { aFlip, anInput, aRecipient, T0, WORKING_HOURS } from './policy.test-support.ts';
import { AT_ONCE } from './policy.ts';

const OPTIONS = { seed: 20260304, numRuns: 300 };

const TOLD = { ...outageOf(aFlip()), state: 'told', toldAt: T0, wakeAt: T0 + 15 * MINUTE } as const;

const minutes = (at: number | undefined) => (at === undefined ? null : (at - T0) / MINUTE);

/** The next repeat and all steps, in minutes after the beginning. */
const told = ({ again, steps }: ComingTo) => ({
  again: again && [minutes(again.at), ...again.channels],
  steps: steps.map(({ at, channels }) => [minutes(at), ...channels]),
});

const telling = (rules: Partial<Telling['policy']>, hours: Telling['hours'] = null): Telling => ({
  policy: { ...AT_ONCE, ...rules },
  hours,
});

const hearer = (id: number, isAssigned = true) => ({
  ...{ uuid: `channel-${id}`, isOff: false, isStateful: false, isAssigned },
});

const sent = (id: number, why = 'assigned') => ({ channelUuid: `channel-${id}`, ordinal: 0, why });

const NIGHT = telling({
  again: 30 * MINUTE,
  steps: [
    { after: 0, tell: ['channel-1'] },
    { after: 15 * MINUTE, tell: ['channel-1', 'channel-2'] },
    { after: 45 * MINUTE, tell: ['channel-2', 'channel-3'] },
  ],
});

suite('what comes of an outage that was told', () => {
  const hearers = [hearer(1), hearer(2, false), hearer(3, false)];

  test('are repeats to those that were told, and steps to those that were not', () => {
    const coming = comingOf({ ...TOLD, stepCount: 1 }, NIGHT, T0);

    assert.deepEqual(told(comingTo(coming, hearers, [sent(1)])), {
      again: [30, 'channel-1'],
      steps: [
        [15, 'channel-2'],
        [45, 'channel-3'],
      ],
    });
    const off = hearers.map((one) => ({ ...one, isOff: one.uuid === 'channel-1' }));
    assert.equal(comingTo(coming, off, [sent(1)]).again, null, 'it is off');
    const stateful = hearers.map((one) => ({ ...one, isStateful: true }));
    assert.equal(comingTo(coming, stateful, [sent(1)]).again, null, 'it hears a beginning once');
    assert.equal(comingTo(coming, [hearer(1, false)], [sent(1)]).again, null, 'it is no longer assigned');
    assert.deepEqual(comingTo(coming, [hearer(1, false)], [sent(1, 'step')]).again?.channels, ['channel-1']);
  });

  test('is nothing where none is left, where nobody was told, and where it is over', () => {
    const nothing = { again: null, steps: [] };
    const repeated = { ...TOLD, againCount: 48, stepCount: 3 };
    assert.deepEqual(comingOf(repeated, NIGHT, T0), nothing);
    assert.deepEqual(comingOf({ ...TOLD, wakeAt: null }, NIGHT, T0), nothing);
    assert.deepEqual(comingOf({ ...TOLD, state: 'waiting', toldAt: null }, NIGHT, T0), nothing);
    assert.deepEqual(comingOf({ ...TOLD, state: 'recovering' }, NIGHT, T0), nothing);
  });

  test('waits for the end of a hold, and for the hours', () => {
    const held = comingOf({ ...TOLD, stepCount: 2 }, NIGHT, T0 + 2 * HOUR);
    assert.deepEqual([minutes(held.again ?? 0), minutes(held.steps[0]?.at)], [120, 120]);
    // 04:00 in UTC is 06:00 in Riga.
    const closed = comingOf({ ...TOLD, stepCount: 2 }, { ...NIGHT, hours: WORKING_HOURS }, T0);
    assert.deepEqual([minutes(closed.again ?? 0), minutes(closed.steps[0]?.at)], [120, 120]);
  });

  test('is what the plan then tells', () => {
    const step = fc.record({
      after: fc.nat(90).map((count) => count * MINUTE),
      tell: fc.subarray(['channel-1', 'channel-2', 'channel-3', 'channel-4']),
    });
    const given = fc.record({
      again: fc.constantFrom(0, 5 * MINUTE, 60 * MINUTE),
      againMost: fc.integer({ min: 1, max: 3 }),
      steps: fc.array(step, { maxLength: 4 }),
      hours: fc.constantFrom(null, null, WORKING_HOURS),
      recipients: fc.tuple(...[1, 2, 3, 4].map(recipient)),
      asked: fc.nat(300).map((count) => T0 + count * MINUTE),
    });
    const isKept = fc.property(given, ({ hours, recipients, asked, again, againMost, steps }) => {
      const inOrder = steps.toSorted((one, other) => one.after - other.after);
      const policy = { ...AT_ONCE, again, againMost, steps: inOrder };
      const later = askedAt(anInput({ policy, hours, recipients }), asked);
      if (later.outage === null || later.outage.heldBy !== null || later.outage.toldAt === null) return;

      const coming = comingTo(
        comingOf(later.outage, { policy, hours }, asked),
        recipients.map((one) => ({ ...one, isOff: one.offReason !== null })),
        later.told.map(({ channelId, byStep }) => sent(channelId, byStep ? 'step' : 'assigned')),
      );

      const { messages } = foresee(later, asked + 3 * DAY, 1_000);
      assert.deepEqual(firstOf(messages, 'step'), firstStep(coming));
      if (coming.steps.length === 0)
        assert.deepEqual(
          firstOf(messages, 'again'),
          coming.again && [coming.again.at, ...coming.again.channels],
        );
    });
    fc.assert(isKept, OPTIONS);
  });
});

suite('who is told first if a check goes down', () => {
  const first = (rules: Partial<Telling['policy']>, hearers = [hearer(1), hearer(2, false)]) => {
    const { check } = anInput();
    const found = firstToldIfDown(T0, telling(rules), check, hearers);
    return found && [minutes(found.at), ...found.channels, found.misses];
  };

  test('are those that are assigned, and those that the policy names from the start', () => {
    assert.deepEqual(first({}), [0, 'channel-1', 0]);
    assert.deepEqual(first({ steps: [{ after: 0, tell: ['channel-2'] }] }), [0, 'channel-1', 'channel-2', 0]);
    assert.deepEqual(first({ wait: 15 * MINUTE }), [15, 'channel-1', 0]);
    assert.deepEqual(first({ badRuns: 3 }), [10, 'channel-1', 2]);
    assert.deepEqual(first({ badRuns: 3, counts: 'failed' }), [0, 'channel-1', 0]);
  });

  test('are those of the first step if nobody else is', () => {
    const steps = [
      { after: 15 * MINUTE, tell: ['channel-3'] },
      { after: 45 * MINUTE, tell: ['channel-2'] },
    ];
    assert.deepEqual(first({ steps }, [hearer(2, false)]), [45, 'channel-2', 0]);
    assert.equal(first({ steps }, [{ ...hearer(2, false), isOff: true }]), null);
    assert.equal(first({}, []), null);
  });

  test('are those that the plan then tells', () => {
    const step = fc.record({
      after: fc.nat(90).map((count) => count * MINUTE),
      tell: fc.subarray(['channel-1', 'channel-2', 'channel-3', 'channel-4']),
    });
    const given = fc.record({
      badRuns: fc.integer({ min: 1, max: 4 }),
      counts: fc.constantFrom('all' as const, 'failed' as const),
      wait: fc.constantFrom(0, 0, 15 * MINUTE),
      steps: fc.array(step, { maxLength: 4 }),
      hours: fc.constantFrom(null, null, WORKING_HOURS),
      recipients: fc.tuple(...[1, 2, 3, 4].map(recipient)),
    });
    const isKept = fc.property(given, ({ hours, recipients, steps, ...rules }) => {
      const inOrder = steps.toSorted((one, other) => one.after - other.after);
      const policy = { ...AT_ONCE, ...rules, steps: inOrder };
      const input = anInput({ policy, hours, recipients });

      const hearers = recipients.map((one) => ({ ...one, isOff: one.offReason !== null }));
      const found = firstToldIfDown(T0, { policy, hours }, input.check, hearers);

      const told = foresee(input, T0 + 3 * DAY, 1_000).messages.filter(
        ({ recipient: { offReason } }) => offReason === null,
      );
      const then = told.filter(({ at }) => at === told[0]?.at).map(({ recipient: { uuid } }) => uuid);
      assert.deepEqual(
        found && [found.at, ...found.channels.toSorted()],
        told[0] ? [told[0].at, ...then.toSorted()] : null,
      );
    });
    fc.assert(isKept, OPTIONS);
  });
});

const recipient = (id: number) =>
  fc
    .record({
      isAssigned: fc.boolean(),
      isStateful: fc.boolean(),
      offReason: fc.constantFrom(null, null, null, 'failed' as const),
    })
    .map((fields) => aRecipient(id, fields));

/** What the plan knows then, after it was asked whenever it wanted to be. */
function askedAt(input: PlanInput, then: number): PlanInput {
  let asked = input;
  for (;;) {
    const planned = plan(asked);
    const wakeAt = planned.outage?.wakeAt ?? null;
    asked = { ...inputAfter(asked, planned), cause: { kind: 'timer' }, now: wakeAt ?? then };
    if (wakeAt === null || wakeAt > then) return { ...asked, now: then };
  }
}

/** When something of the kind is told next to a channel that is on, and to whom. */
function firstOf(messages: readonly ForeseenMessage[], event: ForeseenMessage['event']) {
  const some = messages.filter((one) => one.event === event && one.recipient.offReason === null);
  const at = some[0]?.at;
  if (at === undefined) return null;
  return [at, ...some.filter((one) => one.at === at).map((one) => one.recipient.uuid)];
}

function firstStep({ steps: [first] }: ComingTo) {
  return first === undefined ? null : [first.at, ...first.channels];
}
