import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { act } from 'react';
import { CopyButton, CopyField } from './copy-field.tsx';
import { click, one, show } from './dom.test-support.ts';

function clipboard(t: TestContext, write: (text: string) => Promise<void>) {
  t.mock.method(navigator.clipboard, 'writeText', write);
  t.mock.timers.enable({ apis: ['setTimeout'] });
}

test('a button copies its text, and says so for a moment', async (t) => {
  const copied: string[] = [];
  clipboard(t, async (text) => void copied.push(text));
  using _ = show(<CopyButton text="https://example.org/ping" label="Copy the address" />);

  await click(one('button', 'Copy the address'));
  assert.deepEqual(copied, ['https://example.org/ping']);
  assert.equal(one('button', 'Copied').querySelector('[aria-live]')?.textContent, 'Copied');

  act(() => t.mock.timers.tick(1_600));
  assert.equal(one('button').textContent, 'Copy the address');
});

test('a button that may not copy says so, and nothing goes on', async (t) => {
  let done = 0;
  clipboard(t, () => Promise.reject(new Error('not allowed')));
  using _ = show(<CopyButton text="x" onCopied={() => done++} />);
  const before = one('button').textContent;

  await click(one('button'));

  assert.notEqual(one('button').textContent, before);
  assert.equal(done, 0);
});

test('a text to copy can be reached by the keyboard and has a name', () => {
  using _ = show(<CopyField label="Ping address" text="https://example.org/ping" />);

  const shown = document.querySelector<HTMLElement>('section[aria-label="Ping address"]');
  assert.deepEqual([shown?.tabIndex, shown?.textContent], [0, 'https://example.org/ping']);
});
