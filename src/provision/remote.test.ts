import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseProvisionFile } from './parse.ts';
import { askedInDetail, planRemote } from './remote.ts';
import type { Told } from './told.ts';

const UUID = '11111111-1111-4111-8111-111111111111';

/** A check as Healthchecks tells it. */
const told = (overrides: Told = {}): Told => ({
  ...{ name: '', slug: 'nightly', tags: '', desc: '', grace: 3600, manual_resume: false, methods: '' },
  ...{ subject: '', subject_fail: '', start_kw: '', success_kw: '', failure_kw: '' },
  ...{ filter_subject: false, filter_body: false, filter_http_body: false, filter_default_fail: false },
  ...{ uuid: UUID, channels: '', timeout: 86_400 },
  ...overrides,
});

const cron = (overrides: Told): Told => {
  const { timeout: _timeout, ...rest } = told();
  return { ...rest, schedule: '0 3 * * *', tz: 'UTC', ...overrides };
};

const CHANNELS = [
  { id: 'a', name: 'Ops', kind: 'slack' },
  { id: 'b', name: '', kind: 'email' },
];

function projectWith(checks: string) {
  const file = `projects: [{ name: Alpha, owner: a@example.org, checks: [${checks}] }]`;
  const [project = assert.fail()] = parseProvisionFile('tocsin.yaml', file).projects;
  return project;
}

const plan = (checks: string, answers: readonly Told[], channels: readonly Told[] = CHANNELS) =>
  planRemote(projectWith(checks), { checks: answers, channels });

const bodies = (checks: string, answers: readonly Told[], channels?: readonly Told[]) => {
  const { steps, faults } = plan(checks, answers, channels);
  assert.deepEqual(faults, []);
  return steps.map(({ body }) => body);
};

describe('a check on a server', () => {
  test('is sent only the fields that differ', () => {
    assert.deepEqual(bodies('{ slug: nightly, grace: 3600, tags: "" }', [told()]), []);
    assert.deepEqual(bodies('{ slug: nightly, grace: 600, tags: a b }', [told()]), [
      { grace: 600, tags: 'a b' },
    ]);
    assert.deepEqual(bodies(`{ uuid: ${UUID}, slug: other }`, [told()]), [{ slug: 'other' }]);
  });

  test('changes its kind with all that the server has not told of the other one', () => {
    assert.deepEqual(bodies('{ slug: nightly, schedule: "* * * * *" }', [told()]), [
      { schedule: '* * * * *' },
    ]);
    assert.deepEqual(bodies('{ slug: nightly, schedule: "0 3 * * *", tz: UTC }', [told()]), [
      { schedule: '0 3 * * *', tz: 'UTC' },
    ]);
    assert.deepEqual(bodies('{ slug: nightly, timeout: 86400 }', [cron({})]), [{ timeout: 86_400 }]);
    assert.deepEqual(bodies('{ slug: nightly, schedule: "0 3 * * *", timeout: 60 }', [cron({})]), []);
    assert.deepEqual(bodies('{ slug: nightly, tz: Europe/Riga }', [told()]), [], 'a period has no time zone');
  });

  test('is assigned integrations by name, kind of all, or UUID', () => {
    assert.deepEqual(bodies('{ slug: nightly, integrations: [Ops] }', [told({ channels: 'b' })]), [
      { channels: 'a' },
    ]);
    assert.deepEqual(bodies('{ slug: nightly, integrations: [Ops] }', [told({ channels: 'a' })]), []);
    assert.deepEqual(bodies('{ slug: nightly, integrations: "*" }', [told({ channels: 'b,a' })]), []);
    assert.deepEqual(bodies('{ slug: nightly, integrations: "" }', [told({ channels: 'b,a' })]), [
      { channels: '' },
    ]);
    assert.deepEqual(bodies('{ slug: nightly }', [told({ channels: 'b,a' })]), []);
  });

  test('is made with what the file names, and found again by a repeated request', () => {
    const [step = assert.fail()] = plan('{ slug: new, grace: 3600, paused: true }', [told()]).steps;

    assert.deepEqual([step.uuid, step.pauses], [null, true]);
    assert.deepEqual(step.body, { slug: 'new', grace: 3600, unique: ['slug'] });
  });

  test('is made after others have given up its slug', () => {
    const { steps } = plan(`{ slug: nightly, grace: 60 }, { uuid: ${UUID}, slug: older }`, [told()]);

    assert.deepEqual(
      steps.map(({ change }) => `${change.action} ${change.name}`),
      ['updated Alpha/older', 'created Alpha/nightly'],
    );
  });

  test('that the file does not name can be removed', () => {
    const { removals } = plan('{ slug: nightly }', [told(), told({ uuid: 'x', slug: '' })]);

    assert.deepEqual(
      removals.map(({ uuid, change }) => [uuid, change.name]),
      [['x', 'Alpha/x']],
    );
  });

  test('is refused where the server cannot have it so', () => {
    const other = '22222222-2222-4222-8222-222222222222';
    const { filter_http_body: _unknown, ...older } = told();
    const reasonsOf = (checks: string, ...answers: readonly Told[]) =>
      plan(checks, answers).faults.map(({ reason }) => reason);

    assert.deepEqual(reasonsOf(`{ uuid: ${other} }`, told()), [
      `the server has no check ${other}, and gives UUIDs itself`,
    ]);
    assert.deepEqual(reasonsOf('{ slug: nightly }', told(), told({ uuid: other })), [
      'the server has several checks nightly; name the UUID',
    ]);
    assert.deepEqual(reasonsOf('{ slug: nightly, integrations: [Nobody] }', told()), [
      'invalid integration: Nobody',
    ]);
    assert.deepEqual(reasonsOf('{ slug: new, down: true }', told()), [
      'the server cannot make the check new with last_ping or down',
    ]);
    assert.deepEqual(reasonsOf('{ slug: nightly, down: true }', told()), []);
    assert.deepEqual(reasonsOf('{ slug: nightly, filter_http_body: true }', older), [
      'the server does not know filter_http_body',
    ]);
    assert.deepEqual(bodies('{ slug: new, filter_http_body: false }', [older]), [
      { slug: 'new', unique: ['slug'] },
    ]);
  });

  test('tells what is left if the server keeps another value', () => {
    const [step = assert.fail()] = plan('{ slug: nightly, tags: " a" }', [told()]).steps;

    assert.deepEqual(step.left(told({ tags: 'a' })), [{ name: 'tags', was: 'a', became: ' a' }]);
    assert.deepEqual(step.left(told({ tags: ' a' })), []);
  });

  test('is told whom to tell of each success, of those that are assigned to it', () => {
    const known = { sources: {} };
    const assigned = told({ ...known, channels: 'a,b' });

    assert.deepEqual(bodies('{ slug: nightly, done: [Ops] }', [assigned]), [{ done_channels: 'a' }]);
    assert.deepEqual(bodies('{ slug: nightly, done: [Ops] }', [{ ...assigned, done_channels: 'a' }]), []);
    assert.deepEqual(bodies('{ slug: nightly, done: "" }', [{ ...assigned, done_channels: 'a,b' }]), [
      { done_channels: '' },
    ]);
    assert.deepEqual(bodies('{ slug: nightly, done: "*" }', [{ ...assigned, done_channels: 'a' }]), [
      { done_channels: '*' },
    ]);
    assert.deepEqual(bodies('{ slug: nightly, done: "*" }', [{ ...assigned, done_channels: 'a,b' }]), []);
    assert.deepEqual(bodies('{ slug: nightly, done: [Ops] }', [told({ ...known, channels: 'b' })]), []);
    assert.deepEqual(bodies('{ slug: nightly, integrations: [Ops], done: [Ops] }', [told(known)]), [
      { channels: 'a', done_channels: 'a' },
    ]);
    assert.deepEqual(bodies('{ slug: nightly }', [{ ...assigned, done_channels: 'a' }]), []);
  });

  test('is told of all that can tell each success, which some settings rule out', () => {
    const pager = { id: 'c', name: 'Pager', kind: 'po', settings: { priority_down: 2 } };
    const incidents = { id: 'd', name: 'Incidents', kind: 'pd' };
    const all = [...CHANNELS, pager, incidents];
    const assigned = told({ sources: {}, channels: 'a,b,c,d', done_channels: 'a,b' });
    const every = '{ slug: nightly, done: "*" }';

    assert.deepEqual(bodies(every, [assigned], all), []);
    const quieter = [...CHANNELS, { ...pager, settings: { priority_down: 1 } }];
    assert.deepEqual(bodies(every, [assigned], quieter), [{ done_channels: '*' }]);
    const asked = (checks: string, ...answers: readonly Told[]) =>
      askedInDetail(projectWith(checks), { checks: answers, channels: all });
    assert.deepEqual([asked(every, assigned), asked(every)], [['c'], ['c']]);
    assert.deepEqual(asked('{ slug: nightly, done: [Pager] }', assigned), ['c']);
    assert.deepEqual([asked('{ slug: nightly, done: "" }', assigned), asked(every, told())], [[], []]);
  });

  test('is told of no integration that cannot tell each success, also before anything is changed', () => {
    const pager = { id: 'c', name: 'Pager', kind: 'po', settings: { priority_down: 2 } };
    const newer = { id: 'd', name: 'Newer', kind: 'not_known_here' };
    const assigned = told({ sources: {}, channels: 'a,b,c,d', done_channels: 'a' });
    const named = (name: string, ...channels: readonly Told[]) =>
      plan(`{ slug: nightly, done: [${name}] }`, [assigned], [...CHANNELS, ...channels]);

    assert.deepEqual(
      named('Pager', pager).faults.map(({ reason }) => reason),
      ['done: Pager cannot be told of each success: Pushover tells only of changes of status'],
    );
    assert.deepEqual(named('Newer', pager, newer).faults, []);
  });

  test('is told its parents when all of them are there', () => {
    const router = told({ sources: {}, uuid: 'r', slug: 'router' });
    const child = told({ sources: {} });

    assert.deepEqual(
      plan('{ slug: nightly, parents: [router, shelf] }, { slug: shelf }', [router, child]).steps.map(
        ({ uuid, body, change }) => [change.action, uuid, body],
      ),
      [
        ['created', null, { slug: 'shelf', unique: ['slug'] }],
        ['updated', UUID, { parents: ['r', 'shelf'] }],
      ],
    );
    assert.deepEqual(
      bodies('{ slug: nightly, parents: [router] }', [router, { ...child, parents: ['r'] }]),
      [],
    );
    assert.deepEqual(bodies('{ slug: nightly, parents: [r, router] }', [router, child]), [
      { parents: ['r'] },
    ]);
    assert.deepEqual(bodies('{ slug: nightly, parents: "" }', [router, { ...child, parents: ['r'] }]), [
      { parents: [] },
    ]);
    assert.deepEqual(bodies('{ slug: nightly }', [router, { ...child, parents: ['r'] }]), []);
    assert.deepEqual(bodies('{ slug: new, parents: [router] }', [router]), [
      { slug: 'new', unique: ['slug'] },
      { slug: 'new', unique: ['slug'], parents: ['r'] },
    ]);
  });

  test('gets a parent by the slug that the file gives it', () => {
    const file = `{ slug: nightly, parents: [gate] }, { uuid: 22222222-2222-4222-8222-222222222222, slug: gate }`;
    const other = told({ sources: {}, uuid: '22222222-2222-4222-8222-222222222222', slug: 'router' });

    assert.deepEqual(bodies(file, [told({ sources: {} }), other]), [
      { slug: 'gate' },
      { parents: ['22222222-2222-4222-8222-222222222222'] },
    ]);
  });

  test('becomes the child of its child without a circle on the way', () => {
    const [first, second, third] = ['a', 'b', 'c'].map((name) =>
      told({ sources: {}, uuid: name, slug: name }),
    );
    const before = [{ ...first, parents: ['b'] }, { ...second, parents: ['c'] }, { ...third }];

    const { steps } = plan(
      '{ slug: c, parents: [a] }, { slug: b, parents: "" }, { slug: a, parents: [b] }',
      before,
    );

    assert.deepEqual(
      steps.map(({ uuid, body }) => [uuid, body]),
      [
        ['b', { parents: [] }],
        ['c', { parents: ['a'] }],
      ],
    );
  });

  test('is refused parents that it cannot have', () => {
    const [a, b] = ['a', 'b'].map((name) => told({ sources: {}, uuid: name, slug: name }));
    const reasonsOf = (checks: string, ...answers: readonly Told[]) =>
      plan(checks, answers).faults.map(({ reason }) => reason);

    assert.deepEqual(reasonsOf('{ slug: a, parents: [b] }, { slug: b, parents: [a] }', a ?? {}, b ?? {}), [
      'parents is a circle: a → b → a',
    ]);
    assert.deepEqual(reasonsOf('{ slug: a, parents: [a] }', a ?? {}), ['parents is a circle: a → a']);
    assert.deepEqual(reasonsOf('{ slug: a, parents: [x] }', a ?? {}), ['invalid parent: x']);
    assert.deepEqual(reasonsOf('{ slug: a, parents: [b] }', a ?? {}, b ?? {}, { ...b, uuid: 'c' }), [
      'the server has several checks b; name the UUID of the parent',
    ]);
    assert.deepEqual(reasonsOf('{ slug: nightly, parents: [b] }', told(), told({ uuid: 'b', slug: 'b' })), [
      'the server does not know parents',
    ]);
    assert.deepEqual(reasonsOf('{ slug: nightly, done: [Ops] }', told({ channels: 'a' })), [
      'the server does not know done_channels',
    ]);
    assert.deepEqual(bodies('{ slug: nightly, parents: "", done: "" }', [told()]), []);
  });

  test('tells of parents that the server does not keep', () => {
    const router = told({ sources: {}, uuid: 'r', slug: 'router' });
    const steps = plan('{ slug: nightly, parents: [router, new] }, { slug: new }', [
      router,
      told({ sources: {} }),
    ]).steps;
    const left = steps.at(-1)?.left ?? assert.fail();

    assert.deepEqual(left(told({ parents: ['r', 'made just now'] })), []);
    assert.deepEqual(left(told()), [{ name: 'parents', was: [], became: ['router', 'new'] }]);
  });

  test('with a value that is refused here is compared and changed all the same', () => {
    const odd = cron({ schedule: 'never', grace: 5 });

    assert.deepEqual(bodies('{ slug: nightly, schedule: "0 4 * * *", grace: 60 }', [odd]), [
      { schedule: '0 4 * * *', grace: 60 },
    ]);
  });
});
