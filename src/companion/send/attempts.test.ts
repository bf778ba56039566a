import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { pingOf, targetOf } from '../ping.test-support.ts';
import type { Delivery, Sender } from '../ping.ts';
import { REPORT_PAUSES_MS, realTiming, sendWithin, startPausesMs } from './attempts.ts';
import { FakeTiming } from './timing.test-support.ts';

const ping = pingOf(targetOf('http://h.example'), 'success');
const ACCEPTED: Delivery = { kind: 'accepted', limits: { bodyBytes: null, ageSeconds: null } };

function failed(retryAfterMs: number | null = null): Delivery {
  return { kind: 'failed', reason: 'no', status: 503, retryAfterMs };
}

/** A sender that answers in this order, each time after some milliseconds, and keeps the times at which it was asked. */
function scripted(timing: FakeTiming, answers: readonly Delivery[], takesMs = 0) {
  const times: number[] = [];
  const sender: Sender = {
    send: async (_ping, { until }) => {
      times.push(timing.monotonicMs());
      const answer = answers[Math.min(times.length, answers.length) - 1] ?? ACCEPTED;
      return await new Promise((resolve) => {
        until.addEventListener('abort', () => resolve(failed()), { once: true });
        timing.after(takesMs, () => resolve(answer));
      });
    },
    close: () => undefined,
  };
  return { sender, times };
}

async function attempt(
  answers: readonly Delivery[],
  more: { takesMs?: number; withinMs?: number; stopAt?: number } = {},
) {
  const timing = new FakeTiming();
  const { sender, times } = scripted(timing, answers, more.takesMs);
  const stop = new AbortController();
  if (more.stopAt !== undefined) timing.after(more.stopAt, () => stop.abort());
  const delivery = await timing.run(
    sendWithin(sender, ping, {
      ageMs: () => null,
      attemptMs: 4000,
      withinMs: more.withinMs ?? 8000,
      pausesMs: REPORT_PAUSES_MS,
      until: stop.signal,
      timing,
    }),
  );
  return { kind: delivery.kind, times, end: timing.monotonicMs() };
}

suite('attempts', () => {
  test('end with the first that is accepted', async () => {
    assert.deepEqual(await attempt([failed(), failed(), ACCEPTED]), {
      kind: 'accepted',
      times: [0, 250, 750],
      end: 750,
    });
  });

  test('end with a refusal', async () => {
    assert.deepEqual((await attempt([{ kind: 'refused', status: 404 }])).times, [0]);
  });

  test('are five, with pauses that double', async () => {
    assert.deepEqual(await attempt([failed()]), {
      kind: 'failed',
      times: [0, 250, 750, 1750, 3750],
      end: 3750,
    });
  });

  test('wait as long as the server asks, if there is so much time', async () => {
    assert.deepEqual((await attempt([failed(1000), ACCEPTED])).times, [0, 1000]);
    assert.deepEqual(await attempt([failed(600_000), ACCEPTED]), { kind: 'failed', times: [0], end: 0 });
  });

  test('of a server that never answers take no more than the whole time', async () => {
    assert.deepEqual(await attempt([ACCEPTED], { takesMs: 1e9 }), {
      kind: 'failed',
      times: [0, 4250],
      end: 8000,
    });
    assert.deepEqual(await attempt([ACCEPTED], { takesMs: 1e9, withinMs: 1000 }), {
      kind: 'failed',
      times: [0],
      end: 1000,
    });
  });

  test('end at once when they are called off, in an attempt and in a pause', async () => {
    assert.equal((await attempt([ACCEPTED], { takesMs: 1e9, stopAt: 100 })).end, 100);
    assert.equal((await attempt([failed()], { stopAt: 100 })).end, 100);
  });

  test('of a start go on with pauses of up to a minute', () => {
    const pauses = startPausesMs();
    const first = Array.from({ length: 9 }, () => pauses.next().value);
    assert.deepEqual(first, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });
});

test('a wait of months is as long as it says', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const asked = t.mock.method(globalThis, 'setTimeout');
  const days = (count: number) => {
    for (let hour = 0; hour < count * 24; hour++) t.mock.timers.tick(3_600_000);
  };
  let calls = 0;
  const { after } = realTiming({ monotonicMs: () => 0 });
  after(60 * 86_400_000, () => calls++);
  const callOff = after(60 * 86_400_000, assert.fail);

  days(59);
  assert.equal(calls, 0);
  callOff();
  days(2);

  assert.equal(calls, 1);
  // Node takes a longer time for none at all.
  for (const { arguments: given } of asked.mock.calls) assert.ok(Number(given[1]) < 2 ** 31);
});
