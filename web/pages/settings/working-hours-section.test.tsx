import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { ApiError } from '../../app/api.ts';
import { all, click, descriptionOf, one, show, type } from '../../ui/dom.test-support.ts';
import type { Alerting } from '../alerting/choice.ts';
import { type CalendarActs, WorkingHoursRows } from './working-hours-section.tsx';

// Otherwise a timer forgets the sent values, and the test would wait for it.
const QUERIES = new QueryClient({ defaultOptions: { mutations: { gcTime: Number.POSITIVE_INFINITY } } });
notifyManager.setScheduler(queueMicrotask);

type Calendar = Alerting['calendars'][number];

const OFFICE: Calendar = {
  ...{ uuid: 'o', name: 'office', schedule: 'Mon..Fri 08:00', tz: 'Europe/Riga', duration: 36_000 },
  except: ['2026-12-24', '2026-12-25', '2026-12-26', '2027-01-01'],
};
const NIGHT: Calendar = {
  ...{ uuid: 'n', name: 'night', schedule: '*-*-* 22:00', tz: 'UTC', duration: 28_800, except: [] },
};
const USES = [
  { uuid: 'o', policies: ['calm'], integrations: ['Chat'] },
  { uuid: 'n', policies: [], integrations: [] },
];

/** Shows the rows, and collects what their buttons do. */
function shown(calendars: readonly Calendar[] = [OFFICE, NIGHT], own: Partial<CalendarActs> = {}) {
  const done: unknown[] = [];
  const noted =
    (name: string) =>
    async (...given: unknown[]) => {
      done.push([name, ...given]);
    };
  const acts: CalendarActs = {
    add: noted('add'),
    change: noted('change'),
    remove: (calendar) => void done.push(['remove', calendar]),
    removeUsed: noted('removeUsed'),
    ...own,
  };
  const view = show(
    <QueryClientProvider client={QUERIES}>
      <WorkingHoursRows {...{ calendars, acts }} uses={USES} />
    </QueryClientProvider>,
  );
  return { done, [Symbol.dispose]: () => view[Symbol.dispose]() };
}

const rows = () => all('listitem').map(({ children }) => children[0]?.textContent);

test('working hours stand in words, with days off and with what uses them', () => {
  using _shown = shown();

  assert.deepEqual(rows(), [
    'officeMon–Fri 08:00–18:00, Riga · not on 2026-12-24, 2026-12-25, 2026-12-26 and 1 more dayUsed by the way calm, Chat',
    'nightEvery day 22:00–06:00, UTCNot used',
  ]);
});

test('what nothing uses is deleted at once, and what is used after a question that names it', async () => {
  using page = shown();

  await click(one('button', 'Delete night'));
  assert.deepEqual(page.done, [['remove', NIGHT]]);
  await click(one('button', 'Delete office'));
  assert.equal(page.done.length, 1);
  assert.match(one('dialog').textContent ?? '', /used by the way calm, Chat/);
  await click(one('button', 'Delete'));

  assert.deepEqual(page.done.at(-1), ['removeUsed', OFFICE]);
});

test('an edit sends all of the hours, with days off apart by spaces or commas', async () => {
  using page = shown();

  await click(one('button', 'Edit night'));
  await type(one('textbox', 'Days off'), '2026-12-24, 2026-12-25');
  await click(one('button', 'Save'));

  const { uuid: _uuid, ...before } = NIGHT;
  assert.deepEqual(page.done, [['change', NIGHT, { ...before, except: ['2026-12-24', '2026-12-25'] }]]);
});

test('the first working hours get the name by which the choice knows them', async () => {
  using page = shown([]);
  assert.ok(document.body.textContent?.includes('There are no working hours yet.'));

  await click(one('button', 'New working hours'));
  await click(one('button', 'Add'));

  const [[, added] = []] = page.done as [string, Calendar][];
  assert.deepEqual(
    [added?.name, added?.schedule, added?.duration],
    ['working-hours', 'Mon..Fri 08:00', 36_000],
  );
});

test('whoever may only read sees the hours, and no buttons', () => {
  using _shown = show(<WorkingHoursRows calendars={[OFFICE]} uses={USES} acts={null} />);

  assert.deepEqual([rows().length, all('button')], [1, []]);
});

test('a refusal stands at the field that has the fault', async () => {
  const fault = new ApiError('an item is not a date', 'invalid_field', 'except');
  using _shown = shown([NIGHT], { change: () => Promise.reject(fault) });

  await click(one('button', 'Edit night'));
  await type(one('textbox', 'Days off'), 'tomorrow');
  await click(one('button', 'Save'));

  const field = one('textbox', 'Days off');
  assert.equal(field.getAttribute('aria-invalid'), 'true');
  assert.match(descriptionOf(field), /not a date/);
});
