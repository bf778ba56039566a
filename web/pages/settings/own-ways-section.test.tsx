import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { act } from 'react';
import { ApiError } from '../../app/api.ts';
import { all, click, one, show, type } from '../../ui/dom.test-support.ts';
import type { Alerting } from '../alerting/choice.ts';
import { type OwnWayActs, OwnWaysRows } from './own-ways-section.tsx';

// Otherwise a timer forgets the sent values, and the test would wait for it.
const QUERIES = new QueryClient({ defaultOptions: { mutations: { gcTime: Number.POSITIVE_INFINITY } } });
notifyManager.setScheduler(queueMicrotask);

const NIGHT = { uuid: '1', name: 'night', rules: { wait: 900, again: 3_600 } };
const CALM = { uuid: '2', name: 'calm', rules: { bad_runs: 2 } };
const ALERTING: Alerting = {
  ...{ policy: 'night', tags: [], knownTags: [], policies: [NIGHT, CALM], calendars: [] },
  channels: [{ uuid: 'phone', kind: 'email', label: 'Email', name: 'Phone', isOff: false }],
};
const USES = [
  { uuid: '1', isOfProject: true, tags: ['db'], checks: 3, isUnknown: false },
  { uuid: '2', isOfProject: false, tags: [], checks: 0, isUnknown: false },
];

/** Shows the rows, and collects what their buttons do. */
function shown(own: Partial<OwnWayActs> = {}) {
  const done: unknown[] = [];
  const noted =
    (name: string) =>
    async (...given: unknown[]) => {
      done.push([name, ...given]);
    };
  const acts: OwnWayActs = {
    add: noted('add'),
    change: noted('change'),
    remove: (way) => void done.push(['remove', way]),
    removeUsed: noted('removeUsed'),
    ...own,
  };
  const view = show(
    <QueryClientProvider client={QUERIES}>
      <OwnWaysRows alerting={ALERTING} uses={USES} acts={acts} />
    </QueryClientProvider>,
  );
  return { done, [Symbol.dispose]: () => view[Symbol.dispose]() };
}

const fail = () => Promise.reject(new Error('nothing was asked'));

const choose = (name: string, value: string) =>
  act(async () => {
    const select = one('combobox', name) as HTMLSelectElement;
    select.value = value;
    select.dispatchEvent(new Event('change', { bubbles: true }));
  });
const rows = () => all('listitem').map(({ children }) => children[0]?.textContent);

test('each way stands in sentences, with what uses it', () => {
  using _shown = shown();

  assert.deepEqual(rows(), [
    'nightTold only if it is still down after 15 minutes.Repeated every 1 hour until somebody answers, at most 48 times.Used by the project, tag db, 3 checks',
    'calmTold after 2 bad runs in a row.Not used',
  ]);
});

test('a new way begins with one that is known, and asks whom a step tells', async () => {
  using page = shown();

  await click(one('button', 'New own way'));
  await choose('Begin with', 'then-next');
  await type(one('textbox', 'Name'), 'boss');
  const isOff = () => one('button', 'Add').hasAttribute('disabled');
  assert.deepEqual(
    [isOff(), all('alert').map(({ textContent }) => textContent)],
    [true, ['Choose an integration.']],
  );
  await choose('Integration for step 1', 'phone');
  assert.deepEqual([isOff(), all('alert')], [false, []]);
  await type(one('spinbutton', 'Minutes before step 1'), '20');
  await type(one('spinbutton', 'Good runs in a row'), '2');
  await click(one('button', 'Add'));

  assert.deepEqual(page.done, [
    // biome-ignore lint/suspicious/noThenProperty: it is the name of the rule, and its value is no function.
    ['add', { name: 'boss', rules: { good_runs: 2, then: [{ after: 1_200, tell: ['phone'] }] } }],
  ]);
});

test('an edit begins with the rules as they are, and sends all of them', async () => {
  using page = shown();

  await click(one('button', 'Edit night'));
  await type(one('spinbutton', 'Minutes to wait'), '');
  await click(one('button', 'Add a step'));
  await click(one('button', 'Remove step 1'));
  await click(one('button', 'Save'));

  assert.deepEqual(page.done, [['change', NIGHT, { name: 'night', rules: { again: 3_600 } }]]);
});

test('a refusal stands at the sentence that has the fault', async () => {
  const fault = new ApiError('again is too small', 'invalid_field', 'again');
  using _shown = shown({ change: () => Promise.reject(fault) });

  await click(one('button', 'Edit night'));
  await click(one('button', 'Save'));

  assert.equal(one('spinbutton', 'Minutes between repeats').getAttribute('aria-invalid'), 'true');
  assert.deepEqual(
    all('alert').map((alert) => [alert.textContent, alert.closest('fieldset')?.firstChild?.textContent]),
    [['again is too small', 'Repeat']],
  );
});

test('a way that nothing uses is deleted at once, and one that is used after a question that names its users', async () => {
  using page = shown();

  await click(one('button', 'Delete calm'));
  assert.deepEqual(page.done, [['remove', CALM]]);
  await click(one('button', 'Delete night'));
  assert.match(one('dialog').textContent ?? '', /used by the project, tag db, 3 checks/);
  await click(one('button', 'Delete'));

  assert.deepEqual(page.done.at(-1), ['removeUsed', NIGHT]);
});

test('what a newer version has written is not overwritten by a form', () => {
  using _shown = show(
    <OwnWaysRows
      alerting={{ ...ALERTING, policies: [{ ...CALM, rules: {} }] }}
      uses={[{ uuid: '2', isOfProject: true, tags: [], checks: 0, isUnknown: true }]}
      acts={{ add: fail, change: fail, remove: () => undefined, removeUsed: fail }}
    />,
  );

  assert.deepEqual(rows(), [
    'calmA newer version has written it. This one tells at once instead.Used by the project',
  ]);
  assert.deepEqual([all('button', 'Edit calm').length, all('button', 'Delete calm').length], [0, 1]);
});

test('whoever may only read sees what the ways mean, and no buttons', () => {
  using _shown = show(<OwnWaysRows alerting={ALERTING} uses={USES} acts={null} />);

  assert.deepEqual([rows().length, all('button')], [2, []]);
});
