import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seconds } from './instant.ts';
import { SharedAnswer, within } from './shared-answer.ts';

function given(find: () => Promise<number>) {
  let now = 0;
  const shared = new SharedAnswer(find, seconds(1), { monotonic: () => now });
  return {
    shared,
    pass: (span: number) => {
      now += seconds(span);
    },
  };
}

test('an answer is shared by all who ask while it is being found, and for a while after', async () => {
  let asked = 0;
  const { shared, pass } = given(async () => ++asked);

  assert.deepEqual(await Promise.all([shared.get(), shared.get()]), [1, 1]);
  pass(0.9);
  assert.equal(await shared.get(), 1);
  pass(0.1);

  assert.equal(await shared.get(), 2);
});

test('a failure is shared in the same way', async () => {
  let asked = 0;
  const { shared, pass } = given(() => Promise.reject(new Error(`failure ${++asked}`)));

  await assert.rejects(shared.get(), /failure 1/);
  await assert.rejects(shared.get(), /failure 1/);
  pass(1);

  await assert.rejects(shared.get(), /failure 2/);
});

test('nothing is asked again as long as the answer is under way', async () => {
  const answer = Promise.withResolvers<number>();
  let asked = 0;
  const { shared, pass } = given(() => {
    asked++;
    return answer.promise;
  });

  const all = [shared.get()];
  pass(3600);
  all.push(shared.get());
  answer.resolve(7);

  assert.deepEqual([await Promise.all(all), asked], [[7, 7], 1]);
});

test('who asks with patience is told when it has run out', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const never = new Promise<never>(() => undefined);

  const asked = within(5_000, never);
  t.mock.timers.tick(5_000);

  await assert.rejects(asked, /no answer within 5000 milliseconds/);
  assert.equal(await within(5_000, Promise.resolve(1)), 1);
});
