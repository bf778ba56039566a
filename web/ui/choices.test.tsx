import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useState } from 'react';
import { Checkbox } from './checkbox.tsx';
import { all, click, nameOf, one, show } from './dom.test-support.ts';
import { Segments } from './segments.tsx';
import { Switch } from './switch.tsx';

test('a switch tells whether it is on, and asks for the other', async () => {
  const asked: boolean[] = [];
  using shown = show(<Switch label="Shared" isOn={false} onChange={(isOn) => asked.push(isOn)} />);
  assert.equal(one('switch', 'Shared').getAttribute('aria-checked'), 'false');

  await click(one('switch', 'Shared'));
  shown.change(<Switch label="Shared" isOn onChange={(isOn) => asked.push(isOn)} />);
  await click(one('switch', 'Shared'));

  assert.deepEqual(asked, [true, false]);
});

function Spans() {
  const [value, setValue] = useState<'day' | 'week'>('day');
  const choices = [
    { value: 'day', label: 'A day' },
    { value: 'week', label: 'A week' },
  ] as const;
  return <Segments label="Span" choices={choices} value={value} onChange={setValue} />;
}

test('of segments one is taken', async () => {
  using _ = show(<Spans />);
  const taken = () => all('button').filter((button) => button.getAttribute('aria-pressed') === 'true');
  assert.deepEqual(taken().map(nameOf), ['A day']);

  await click(one('button', 'A week'));

  assert.deepEqual(taken().map(nameOf), ['A week']);
});

test('a checkbox is changed by its label', async () => {
  const changes: boolean[] = [];
  using _ = show(<Checkbox label="With a log" onChange={(event) => changes.push(event.target.checked)} />);

  await click(document.querySelector('label') as HTMLElement);

  assert.deepEqual(changes, [true]);
});
