import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { act } from 'react';
import { all, click, one, show } from './dom.test-support.ts';
import { Toasts, tell, tellError, tellWithUndo } from './toasts.tsx';

/** The toasts, with their roles. Toasts of an earlier test are dismissed. */
function given(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const shown = show(<Toasts />);
  return {
    pass: (ms: number) => act(() => t.mock.timers.tick(ms)),
    said: () =>
      [...all('status'), ...all('alert')].map((line) => `${line.role}: ${line.firstChild?.textContent}`),
    [Symbol.dispose]() {
      for (const button of all('button', 'Dismiss')) act(() => button.click());
      shown[Symbol.dispose]();
    },
  };
}

test('a message goes after eight seconds, an error stays until it is dismissed', async (t) => {
  using toasts = given(t);
  act(() => tell('Saved'));
  act(() => tellError('Not sent'));
  assert.deepEqual(toasts.said(), ['status: Saved', 'alert: Not sent']);

  toasts.pass(7_900);
  assert.deepEqual(toasts.said(), ['status: Saved', 'alert: Not sent']);
  toasts.pass(100);
  assert.deepEqual(toasts.said(), ['alert: Not sent']);
  toasts.pass(60_000);
  await click(one('button', 'Dismiss'));
  assert.deepEqual(toasts.said(), []);
});

test('a message stays while somebody reads it', async (t) => {
  using toasts = given(t);
  act(() => tell('Saved'));

  await act(async () => one('button', 'Dismiss').focus());
  toasts.pass(20_000);
  assert.deepEqual(toasts.said(), ['status: Saved']);
  await act(async () => one('button', 'Dismiss').blur());
  toasts.pass(8_000);
  assert.deepEqual(toasts.said(), []);
});

test('what was done can be taken back once', async (t) => {
  using toasts = given(t);
  let undone = 0;
  act(() => tellWithUndo('Deleted', () => undone++));

  await click(one('button', 'Undo'));

  assert.equal(undone, 1);
  assert.deepEqual(toasts.said(), []);
});

test('of many messages the last three are shown', (t) => {
  using toasts = given(t);
  for (const n of [1, 2, 3, 4]) act(() => tell(`Message ${n}`));

  assert.deepEqual(toasts.said(), ['status: Message 2', 'status: Message 3', 'status: Message 4']);
});
