import assert from 'node:assert/strict';
import { test } from 'node:test';
import { show } from '../../ui/dom.test-support.ts';
import { Lateness } from './events.tsx';

test('a signal that came late says when it happened and how much later it came', () => {
  using _shown = show(
    <Lateness at="2026-11-18T05:00:00.000000+00:00" occurred="2026-11-18T03:05:12.250000+00:00" />,
  );

  assert.match(document.body.textContent, /^happened .*05:12.*, arrived 1 h 55 min later$/);
});

test('a signal that came in time says nothing of it', () => {
  using _shown = show(<Lateness at="2026-11-18T05:00:00.000000+00:00" />);

  assert.equal(document.body.textContent, '');
});
