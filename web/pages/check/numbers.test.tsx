import assert from 'node:assert/strict';
import { test } from 'node:test';
import { all, show } from '../../ui/dom.test-support.ts';
import { numberText } from './number-text.ts';
import { NumberRows } from './numbers.tsx';
import type { ShownRun } from './queries.ts';

const run = (result: ShownRun['result'], n: number): ShownRun => ({
  ...{ result, n, at: '2026-11-18T05:00:00Z', duration: null, exitStatus: null, count: 0 },
});

const texts = () =>
  all('listitem').map(({ children }) => [...children].map(({ textContent }) => textContent));

test('a number shows its last value and its range over the runs', () => {
  const runs = [run('ok', 1), run('failed', 2), run('ok', 3)];
  using _shown = show(
    <NumberRows
      runs={runs}
      numbers={[
        { name: 'files', values: [1_200, null, 900] },
        { name: 'bytes_total', values: [2 ** 31, 2 ** 30, 1_536 * 2 ** 20] },
        { name: 'errors', values: [0, 0, 0] },
      ]}
    />,
  );

  assert.deepEqual(texts(), [
    ['files', '', '900', '900 to 1,200'],
    ['bytes_total', '', '1.5 GiB', '1.0 GiB to 2.0 GiB'],
    ['errors', '', '0', 'always the same'],
  ]);
  assert.deepEqual(
    all('img').map((image) => image.getAttribute('aria-label')),
    ['files: 2 values', 'bytes_total: 3 values', 'errors: 3 values'].map(
      (words) => `${words} in the last 3 runs`,
    ),
  );
});

test('a number that the last runs have not reported says how old it is', () => {
  const runs = [
    run('ok', 1),
    run('failed', 2),
    { ...run('missed', 0), count: 1 },
    run('ok', 3),
    run('running', 4),
  ];
  using _shown = show(
    <NumberRows runs={runs} numbers={[{ name: 'files', values: [7, null, null, null, null] }]} />,
  );

  assert.deepEqual(texts(), [['files', '', '7 2 runs ago', '']]);
});

test('sizes have units, small numbers their digits, and negative ones a sign', () => {
  assert.deepEqual(
    [
      ...[numberText('bytes', 0), numberText('bytes_freed', -2_048), numberText('size_bytes', 5e14)],
      ...[numberText('kilobytes', 1_024), numberText('ratio', 0.00123456), numberText('load', -12.3456)],
    ],
    ['0 B', '−2.0 KiB', '455 TiB', '1,024', '0.00123', '−12.35'],
  );
});
