import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type AnswerKind, totalsOf } from '../../src/domain/history/standing.ts';
import type { CheckRowJson } from '../../src/views/board-json.ts';
import { calmWords } from '../../web/pages/checks/answer-words.ts';
import {
  changed,
  countStatuses,
  countTags,
  csvOf,
  EVERYTHING,
  filtered,
  grouped,
  readView,
  type Sort,
  searchOf,
  sorted,
  type View,
} from '../../web/pages/checks/view.ts';

let made = 0;

function aRow(row: Partial<CheckRowJson>): CheckRowJson {
  made++;
  const plain: CheckRowJson = {
    key: String(made).padStart(40, '0'),
    uuid: null,
    name: `job${made}`,
    slug: '',
    tags: [],
    status: 'up',
    running: false,
    slow: false,
    neverCame: false,
    since: '2024-03-01T00:00:00+00:00',
    ready: false,
    lastPing: null,
    lastDuration: null,
    started: null,
    next: null,
    until: null,
    schedule: 'Every day',
    tz: null,
    grace: 3600,
    channels: [],
    answer: null,
    standing: 'fine',
    revision: 1,
  };
  return changed(plain, row);
}

const answered = (kind: AnswerKind) => ({ kind, by: null, at: null, until: null });

const names = (rows: readonly CheckRowJson[]) => rows.map(({ name }) => name).join(' ');

suite('a view', () => {
  test('is what its address says, and the address what the view is', () => {
    const view: View = {
      q: 'tag:prod back',
      statuses: ['down', 'late'],
      tags: ['a', '2024'],
      channel: 'none',
      project: 'p',
      since: null,
      sort: '-name',
      group: 'tag',
    };
    assert.deepEqual(searchOf(view), {
      q: 'tag:prod back',
      status: 'down late',
      tag: 'a 2024',
      integration: 'none',
      project: 'p',
      sort: '-name',
      group: 'tag',
    });
    assert.deepEqual(readView(searchOf(view)), view);
    assert.deepEqual(searchOf(EVERYTHING), {});
  });

  test('leaves out what an address says that means nothing', () => {
    const view = readView({ status: 'nonsense down', sort: 'x', group: 7, tag: 2024, q: ['a'] });
    assert.deepEqual(view, { ...EVERYTHING, statuses: ['down'], tags: ['2024'] });
  });

  test('keeps the order that the person chose last', () => {
    assert.equal(readView({}, { sort: 'name' }).sort, 'name');
    assert.equal(readView({ sort: 'attention' }, { sort: 'name' }).sort, 'attention');
  });
});

test('checks that wait for another one follow it, also where that waits itself', () => {
  const at = (minutes: number) => new Date(1_709_251_200_000 + minutes * 60_000).toISOString();
  const held = (name: string, parent: string, minutes: number) =>
    aRow({ name, status: 'down', since: at(minutes), answer: { ...answered('held'), parent } });
  const router = aRow({ name: 'router', status: 'down', since: at(5) });
  const web = held('web', router.key, 6);
  const rows = [
    aRow({ name: 'late', status: 'late' }),
    held('shop', web.key, 7),
    aRow({ name: 'other', status: 'down', since: at(8) }),
    held('lost', 'f'.repeat(40), 1),
    web,
    router,
  ];

  assert.equal(names(sorted(rows, 'attention')), 'router web shop other lost late');
  assert.equal(names(sorted(rows, 'name')), 'other router late lost shop web');
});

suite('a filter', () => {
  const rows = [
    aRow({ name: 'Backup', slug: 'nightly', tags: ['prod', 'db'], status: 'down', channels: ['x'] }),
    aRow({ name: 'Feed', tags: ['prod'], status: 'late', running: true, uuid: 'abc-123' }),
    aRow({ name: 'Idle', tags: ['test'], status: 'paused' }),
  ];
  const cases: [what: string, view: Partial<View>, found: string][] = [
    ['by one of several statuses', { statuses: ['down', 'late'] }, 'Backup Feed'],
    ['running checks of any status', { statuses: ['running'] }, 'Feed'],
    ['by all of several tags', { tags: ['prod', 'db'] }, 'Backup'],
    ['by a part of the name in any case', { q: 'bac' }, 'Backup'],
    ['by the slug', { q: 'NIGHT' }, 'Backup'],
    ['by the UUID', { q: 'abc-1' }, 'Feed'],
    ['by words about tags', { q: 'tag:prod -tag:db' }, 'Feed'],
    ['by a word about the status', { q: 'status:paused' }, 'Idle'],
    ['by a word about the name', { q: 'name:fee' }, 'Feed'],
    ['by nothing while a word is not finished', { q: 'tag:' }, 'Backup Feed Idle'],
    ['by an integration', { channel: 'x' }, 'Backup'],
    ['by the lack of integrations', { channel: 'none' }, 'Feed Idle'],
    ['by the time at which trouble began', { since: '2024-02-29T23:58:30+00:00' }, 'Backup Feed'],
  ];
  for (const [what, view, found] of cases) {
    test(`finds ${what}`, () => assert.equal(names(filtered(rows, { ...EVERYTHING, ...view })), found));
  }
});

suite('the order', () => {
  const rows = [
    aRow({ name: 'job10', lastPing: '2024-03-02T00:00:00+00:00' }),
    aRow({ name: 'Job2', lastPing: '2024-03-03T00:00:00+00:00' }),
    aRow({ name: 'never' }),
    aRow({ name: 'zed', status: 'down', lastPing: '2024-03-01T00:00:00+00:00' }),
  ];
  const cases: [sort: Sort, order: string][] = [
    ['name', 'zed Job2 job10 never'],
    ['-name', 'zed never job10 Job2'],
    ['last_ping', 'zed job10 Job2 never'],
    ['-last_ping', 'zed Job2 job10 never'],
    ['-created', 'zed never Job2 job10'],
  ];
  for (const [sort, order] of cases) {
    test(`${sort} is natural, with what is down first`, () => assert.equal(names(sorted(rows, sort)), order));
  }

  test('of attention: down, waiting for another, acknowledged, late, missing, slow, fine, silent, and what waits for a run', () => {
    const mixed = [
      aRow({ name: 'resumed', status: 'new', ready: true }),
      aRow({ name: 'new', status: 'new' }),
      aRow({ name: 'stopped', status: 'paused' }),
      aRow({ name: 'snoozed', status: 'down', answer: answered('snoozed') }),
      aRow({ name: 'deployed', status: 'late', answer: answered('quiet') }),
      aRow({ name: 'taken', status: 'down', answer: answered('acknowledged') }),
      aRow({ name: 'child', status: 'down', answer: answered('held') }),
      aRow({ name: 'fine' }),
      aRow({ name: 'slow', slow: true }),
      aRow({ name: 'missing', status: 'new', neverCame: true }),
      aRow({ name: 'late', status: 'late', since: '2024-03-01T02:00:00+00:00' }),
      aRow({ name: 'longest', status: 'late', since: '2024-03-01T01:00:00+00:00' }),
      aRow({ name: 'old', status: 'down' }),
      aRow({ name: 'fresh', status: 'down', since: '2024-03-01T01:00:00+00:00' }),
    ];
    assert.equal(
      names(sorted(mixed, 'attention')),
      'old fresh child taken longest late missing slow fine deployed snoozed stopped new resumed',
    );
    assert.deepEqual(
      grouped(sorted(mixed, 'attention'), 'status').map(({ id, rows: some }) => [id, some.length]),
      [
        ['attention', 8],
        ['fine', 1],
        ['silent', 3],
        ['new', 1],
        ['ready', 1],
      ],
    );
  });

  test('of tags: each tag has its checks, those without one come last', () => {
    const mixed = [
      aRow({ name: 'a', tags: ['x', 'B'] }),
      aRow({ name: 'b' }),
      aRow({ name: 'c', tags: ['x'] }),
    ];
    assert.deepEqual(
      grouped(mixed, 'tag').map(({ name, rows: some }) => [name, names(some)]),
      [
        ['B', 'a'],
        ['x', 'a c'],
        [null, 'b'],
      ],
    );
  });
});

test('a check that never came is counted and found by that name, and not as a new one', () => {
  const rows = [
    aRow({ name: 'missing', status: 'new', neverCame: true }),
    aRow({ name: 'fresh', status: 'new' }),
    aRow({ name: 'resumed', status: 'new', ready: true }),
  ];
  const { never_came, new: fresh } = countStatuses(rows);
  assert.deepEqual([never_came, fresh], [1, 2]);
  assert.equal(names(filtered(rows, { ...EVERYTHING, statuses: ['never_came'] })), 'missing');
  assert.equal(names(filtered(rows, { ...EVERYTHING, statuses: ['new'] })), 'fresh resumed');
  assert.equal(
    calmWords(totalsOf(rows.map(({ standing }) => standing))),
    '1 waiting for the first run, 1 waiting for a run.',
  );
});

test('answered checks are counted and found by their answers, and not as down', () => {
  const rows = [
    aRow({ name: 'open', status: 'down' }),
    aRow({ name: 'later', status: 'down', answer: answered('waiting') }),
    aRow({ name: 'child', status: 'down', answer: answered('held') }),
    aRow({ name: 'taken', status: 'down', answer: answered('acknowledged') }),
    aRow({ name: 'silent', status: 'down', answer: answered('snoozed') }),
    aRow({ name: 'deployed', status: 'down', answer: answered('quiet') }),
  ];
  const { down, acknowledged, snoozed, quiet } = countStatuses(rows);
  assert.deepEqual([down, acknowledged, snoozed, quiet], [3, 1, 1, 1]);
  const found = (view: Partial<View>) => names(filtered(rows, { ...EVERYTHING, ...view }));
  assert.equal(found({ statuses: ['acknowledged'] }), 'taken');
  assert.equal(found({ q: 'status:snoozed' }), 'silent');
  assert.equal(found({ q: 'status:quiet' }), 'deployed');
  assert.equal(found({ statuses: ['down'] }), 'open later child');
});

test('tags are counted with what is wrong with their checks', () => {
  const rows = [aRow({ tags: ['a', 'a'], status: 'down' }), aRow({ tags: ['a', 'b'], status: 'late' })];
  assert.deepEqual(countTags(rows), [
    { tag: 'a', total: 2, down: 1, late: 1 },
    { tag: 'b', total: 1, down: 0, late: 1 },
  ]);
});

test('a spreadsheet computes nothing that somebody has typed', () => {
  const [, line] = csvOf([aRow({ name: '=1+1', tags: ['a', 'b'], schedule: 'At 1, "2"' })]).split('\r\n');
  assert.ok(line?.startsWith("'=1+1,,a b,up,"));
  assert.ok(line?.includes('"At 1, ""2"""'));
});
