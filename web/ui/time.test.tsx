import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { act, type ReactNode } from 'react';
import { show } from './dom.test-support.ts';
import { Ago, ClockTime, PersonsTimes, PlannedTime, Since, Until } from './time.tsx';
import { BROWSER_STYLE } from './times.ts';

const START = Date.parse('2026-11-17T12:00:00Z');

function given(t: TestContext, element: ReactNode) {
  t.mock.timers.enable({ apis: ['Date', 'setInterval', 'setTimeout'], now: START });
  const shown = show(<PersonsTimes value={{ ...BROWSER_STYLE, tz: 'UTC' }}>{element}</PersonsTimes>);
  return {
    pass: (seconds: number) => act(() => t.mock.timers.tick(seconds * 1_000)),
    words: () => [...document.querySelectorAll('time')].map(({ textContent }) => textContent),
    [Symbol.dispose]: () => shown[Symbol.dispose](),
  };
}

test('times that are told by their distance go on by themselves', (t) => {
  const [past, coming] = ['2026-11-17T11:59:30Z', '2026-11-17T12:00:40Z'];
  using times = given(
    t,
    <>
      <Ago at={past} />
      <Since at={past} />
      <Until at={coming} />
    </>,
  );
  assert.deepEqual(times.words(), ['30 s ago', '30 s', 'in 40 s']);

  times.pass(10);

  assert.deepEqual(times.words(), ['40 s ago', '40 s', 'in 30 s']);
});

test('a time that is planned has its time of day, however far away it is', (t) => {
  using times = given(
    t,
    ['2026-11-17T14:30:00Z', '2026-11-18T03:00:00Z', '2026-12-01T03:00:00Z'].map((at) => (
      <PlannedTime key={at} at={at} />
    )),
  );
  assert.deepEqual(times.words(), ['14:30', 'Wed 03:00', 'Tue 1 Dec, 03:00']);
});

test('what happens at this moment is told as such', (t) => {
  const at = '2026-11-17T12:00:00Z';
  using times = given(
    t,
    <>
      <Ago at={at} />
      <Since at={at} />
      <Until at={at} />
    </>,
  );
  assert.deepEqual(times.words(), ['a moment ago', 'a moment', 'in a moment']);

  times.pass(1);

  assert.deepEqual(times.words().slice(0, 2), ['1 s ago', '1 s']);
});

test('a time says to machines when it is, and to whoever points at it exactly when', (t) => {
  using times = given(t, <ClockTime at="2026-11-17T05:14:09Z" />);
  const time = document.querySelector('time');

  assert.deepEqual(times.words(), ['05:14']);
  assert.equal(time?.dateTime, '2026-11-17T05:14:09Z');
  assert.match(time?.title ?? '', /05:14:09/);
});
