import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeptResults } from './kept-results.ts';

interface Made {
  readonly text: string;
  readonly version: number;
}

/** Results that are true until the version changes. A result is made when the test says so. */
function given(maxSize = 10) {
  const state = { version: 1, made: 0 };
  const open: PromiseWithResolvers<void>[] = [];
  const results = new KeptResults<Made>({ maxSize, isTrue: ({ version }) => version === state.version });
  const make = (text: string) => async (): Promise<Made> => {
    state.made++;
    const { version } = state;
    const gate = Promise.withResolvers<void>();
    open.push(gate);
    await gate.promise;
    return { text, version };
  };
  const end = async () => {
    open.shift()?.resolve();
    await new Promise(setImmediate);
  };
  const get = (key: string) => results.get(key, make(key));
  const made = async (key: string) => {
    const result = get(key);
    await end();
    return result;
  };
  return { state, results, get, made, end };
}

test('a result is made once while it is true, and again when it is not', async () => {
  const { state, get, made } = given();

  const first = await made('a');
  assert.equal(await get('a'), first);
  state.version++;
  const second = await made('a');

  assert.equal(second.version, 2);
  assert.equal(state.made, 2);
});

test('all who ask while nothing is kept share one result', async () => {
  const { state, get, end } = given();

  const asked = [get('a'), get('a'), get('a')];
  await end();
  const results = await Promise.all(asked);

  assert.equal(state.made, 1);
  assert.equal(new Set(results).size, 1);
});

test('whoever asks after a change never gets what was made before it, and one result at a time is made', async () => {
  const { state, get, end } = given();

  const before = get('a');
  state.version++;
  const after = [get('a'), get('a')];
  assert.equal(state.made, 1, 'the second is not made beside the first');
  await end();
  assert.equal((await before).version, 1);
  assert.equal(state.made, 2);
  await end();

  assert.deepEqual(
    (await Promise.all(after)).map(({ version }) => version),
    [2, 2],
  );
  assert.equal(state.made, 2);
});

test('a failure reaches those who wait, and the next one tries again', async () => {
  const { results, made } = given();
  const fail = async () => {
    throw new Error('no');
  };

  await assert.rejects(results.get('a', fail), /no/);
  assert.equal((await made('a')).text, 'a');
});

test('only so much is kept', async () => {
  const { state, results, made } = given(2);

  for (const key of ['a', 'b', 'c']) await made(key);
  assert.equal(results.size, 2);
  await made('a');

  assert.equal(state.made, 4);
});
