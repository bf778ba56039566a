import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { type Instant, seconds } from '../../lib/instant.ts';
import { DAY, MINUTE } from '../check/check.test-support.ts';
import { foresee, inputAfter } from './foresight.ts';
import { type Cause, type PlanInput, plan } from './plan.ts';
import { aFlip, anInput, aRecipient, RECIPIENT_FIELDS, T0, WORKING_HOURS } from './policy.test-support.ts';
import { AT_ONCE, type Policy } from './policy.ts';
import { type AskedRecipient, explain } from './why.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const OPTIONS = { seed: 20261119, numRuns: 1_000 };
const END = T0 + 2 * DAY;
const MOST = 200;

const span = (most: number) => fc.nat(most).map((minutes) => minutes * MINUTE);

const policy: fc.Arbitrary<Policy> = fc
  .record({
    badRuns: fc.integer({ min: 1, max: 4 }),
    counts: fc.constantFrom('all' as const, 'failed' as const),
    wait: fc.constantFrom(0, 0, 15 * MINUTE),
    again: fc.constantFrom(0, 5 * MINUTE, 60 * MINUTE),
    againMost: fc.integer({ min: 1, max: 20 }),
    goodRuns: fc.integer({ min: 1, max: 2 }),
    eachFailure: fc.boolean(),
    steps: fc.array(fc.record({ after: span(90), tell: fc.subarray(['channel-1', 'channel-3']) }), {
      maxLength: 3,
    }),
  })
  .map(({ steps, ...rules }) => ({
    ...AT_ONCE,
    ...rules,
    steps: steps.toSorted((one, other) => one.after - other.after),
  }));

const recipient = (id: number): fc.Arbitrary<AskedRecipient> =>
  fc
    .record({
      ...RECIPIENT_FIELDS,
      isConfirmed: fc.constantFrom(true, true, false),
      wanted: fc.subarray(['down_timeout', 'down_fail', 'up'] as const),
    })
    .map((fields) => ({ ...aRecipient(id), ...fields }));

interface Situation {
  readonly input: PlanInput;
  readonly recipients: readonly AskedRecipient[];
  readonly event: { readonly at: Instant; readonly cause: Cause; readonly check: PlanInput['check'] };
}

/** An outage at T0, and something that happens later. */
const situation: fc.Arbitrary<Situation> = fc
  .record({
    policy,
    hours: fc.constantFrom(null, null, WORKING_HOURS),
    recipients: fc.tuple(recipient(1), recipient(2), recipient(3)),
    snoozed: fc.option(span(120)),
    badCount: fc.nat(3),
    after: span(300),
    happens: fc.constantFrom('up' as const, 'fails' as const),
  })
  .map(({ snoozed, badCount, after, happens, recipients, ...rest }) => {
    const check = { ...anInput().check, badCount, snoozedUntilAt: snoozed === null ? null : T0 + snoozed };
    const at = T0 + after + seconds(1);
    const flip = aFlip({ id: 8, createdAt: at, oldStatus: 'down', newStatus: 'up', reason: '' });
    const cause: Cause = happens === 'up' ? { kind: 'flip', flip } : { kind: 'result', isBad: true };
    return {
      input: anInput({ ...rest, recipients, check }),
      recipients,
      event: { at, cause, check: happens === 'up' ? check : { ...check, badCount: badCount + 1 } },
    };
  });

/** The same, told by asking at each time as the service does. */
function lived({ input, event }: Situation): string[] {
  const messages: string[] = [];
  let [asked, happened] = [input, false];
  for (;;) {
    const planned = plan(asked);
    for (const { recipient, status, event: what, ordinal } of planned.messages)
      messages.push(`${asked.now} ${recipient.id} ${status} ${what} ${ordinal}`);
    const wakeAt = planned.outage?.wakeAt ?? END + 1;
    const now = happened ? wakeAt : Math.min(wakeAt, event.at);
    if (now > END) return messages.slice(0, MOST);
    const isEvent = !happened && now === event.at;
    happened ||= isEvent;
    const cause: Cause = isEvent ? event.cause : { kind: 'timer' };
    const next = { ...inputAfter(asked, planned), now, cause };
    asked = isEvent ? { ...next, check: event.check } : next;
  }
}

suite('whatever the policy', () => {
  test('what is foretold with something that happens later is what is told then', () => {
    fc.assert(
      fc.property(situation, ({ input, recipients, event }) => {
        const { messages } = foresee(input, END, MOST, { event });
        assert.deepEqual(
          messages.map((one) => `${one.at} ${one.recipient.id} ${one.status} ${one.event} ${one.ordinal}`),
          lived({ input, recipients, event }),
        );
      }),
      OPTIONS,
    );
  });

  test('each integration has a message to come or a reason why none comes, and only those that take it have one', () => {
    fc.assert(
      fc.property(situation, ({ input, recipients, event }) => {
        const { messages, withheld } = explain(
          input,
          recipients,
          { until: END, mostMessages: MOST },
          { event },
        );
        const told = new Set(messages.map(({ recipient }) => recipient.id));
        const others = withheld.map(({ recipient }) => recipient.id);
        for (const { id, isAssigned, offReason, isConfirmed } of recipients) {
          assert.ok(told.has(id) !== others.includes(id) || messages.length === MOST || !isAssigned);
          assert.ok(!told.has(id) || (offReason === null && isConfirmed));
        }
        assert.equal(new Set(others).size, others.length);
      }),
      OPTIONS,
    );
  });
});
