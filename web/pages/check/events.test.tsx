import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, show } from '../../ui/dom.test-support.ts';
import { EventRows, Lateness } from './events.tsx';
import type { RunEvent } from './queries.ts';

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

test('a failure whose ping is gone shows the end of its output, and cannot be opened', () => {
  const at = '2026-11-18T05:00:00.000000+00:00';
  const signal: RunEvent['signals'][number] = {
    ...{
      n: 7,
      at,
      signal: 'fail',
      exitStatus: 3,
      scheme: '',
      method: '',
      from: null,
      userAgent: '',
      size: 0,
    },
    excerpt: ['disk full'],
  };
  const event = (isKept: boolean): RunEvent => ({
    ...{ kind: 'fail', id: 'run-7', at, runId: null, result: 'failed', duration: 60, exitStatus: 3, isKept },
    signals: [isKept ? signal : { ...signal, method: 'POST', from: '192.0.2.1' }],
  });
  const buttons = (isKept: boolean) => {
    using _shown = show(
      <EventRows
        events={[event(isKept)]}
        {...{ name: 'db', mayRetry: false, words: '', fresh: new Set(), onOpen: () => undefined }}
      />,
    );
    assert.match(document.body.textContent, /Exit status 3.*disk full/s);
    assert.equal(/its ping is gone/.test(document.body.textContent), isKept);
    return all('button').length;
  };

  assert.deepEqual([buttons(true), buttons(false)], [0, 1]);
});
