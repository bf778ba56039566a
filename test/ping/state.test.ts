import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, HOUR, MINUTE } from '../../src/domain/check/check.test-support.ts';
import type { Check, CheckState, StoredStatus } from '../../src/domain/check/check.ts';
import { statusAt } from '../../src/domain/check/status.ts';
import type { Instant } from '../../src/lib/instant.ts';
import { deleteCheck, resumeCheck } from '../../src/services/check/checks.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { START, sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import type { Span } from '../fake-clock.ts';
import {
  allFlips,
  assertAnswer,
  flipsOf,
  NOT_FOUND,
  OK,
  pingsOf,
  signalsOf,
  state,
  stored,
} from './answers.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given(status: StoredStatus, overrides: Partial<Check> = {}) {
    const { project } = await app().givenProject();
    const lastPingAt = status === 'new' ? null : START - 30 * MINUTE;
    const check = await app().givenCheck(project, { status, lastPingAt, ...overrides });
    const actor = systemActor(project.id);
    return { check, actor };
  }

  /** Time passes, and another node watches all the while: no deadline is excused. */
  async function passWatched(span: Span): Promise<void> {
    app().clock.advance(span);
    const now = app().clock.now();
    await app().deps.store.transaction((tx) => tx.liveness.beat('another node', now, 0));
  }

  interface Row {
    name: string;
    from: StoredStatus;
    check?: Partial<Check>;
    path: string;
    after: Partial<CheckState>;
    flips?: string[];
  }
  const rows: Row[] = [
    {
      name: 'new and a success is up',
      from: 'new',
      path: '',
      after: { status: 'up', lastPingAt: START, deadlineAt: START + DAY + HOUR },
      flips: ['new→up'],
    },
    {
      name: 'new and a failure is down',
      from: 'new',
      path: '/fail',
      after: { status: 'down', lastPingAt: START, deadlineAt: null },
      flips: ['new→down fail'],
    },
    {
      name: 'new and a start is new, and watched',
      from: 'new',
      path: '/start',
      after: { status: 'new', lastStartAt: START, lastPingAt: null, deadlineAt: START + HOUR },
    },
    {
      name: 'new and a log message is new',
      from: 'new',
      path: '/log',
      after: { status: 'new', lastPingAt: null, deadlineAt: null },
    },
    {
      name: 'up and a success moves the deadline',
      from: 'up',
      path: '',
      after: { status: 'up', lastPingAt: START, deadlineAt: START + DAY + HOUR },
    },
    {
      name: 'a start half an hour into grace does not move the deadline',
      from: 'up',
      check: { lastPingAt: START - DAY - 30 * MINUTE },
      path: '/start',
      after: { status: 'up', lastStartAt: START, deadlineAt: START + 30 * MINUTE },
    },
    {
      name: 'after a start early in the period the run is what is watched',
      from: 'up',
      path: '/start',
      after: { status: 'up', lastStartAt: START, deadlineAt: START + HOUR },
    },
    {
      name: 'down and a success is up',
      from: 'down',
      path: '',
      after: { status: 'up', lastPingAt: START, deadlineAt: START + DAY + HOUR },
      flips: ['down→up'],
    },
    {
      name: 'down and a failure stays down',
      from: 'down',
      path: '/fail',
      after: { status: 'down', lastPingAt: START, deadlineAt: null },
    },
    {
      name: 'down and a start stays down, and nothing is watched',
      from: 'down',
      path: '/start',
      after: { status: 'down', lastStartAt: START, deadlineAt: null },
    },
    {
      name: 'paused and a success is up',
      from: 'paused',
      path: '',
      after: { status: 'up', lastPingAt: START, deadlineAt: START + DAY + HOUR },
      flips: ['paused→up'],
    },
    {
      name: 'paused and a failure is down',
      from: 'paused',
      path: '/1',
      after: { status: 'down', lastPingAt: START, deadlineAt: null },
      flips: ['paused→down fail'],
    },
    {
      name: 'paused and a start is new, and the run is watched',
      from: 'paused',
      path: '/start',
      after: { status: 'new', lastPingAt: null, lastStartAt: START, deadlineAt: START + HOUR },
      flips: ['paused→new'],
    },
    {
      name: 'paused and a log message stays paused',
      from: 'paused',
      path: '/log',
      after: { status: 'paused', lastStartAt: null, deadlineAt: null },
    },
    {
      name: 'paused, to be resumed by hand, a success is ignored',
      from: 'paused',
      check: { manualResume: true },
      path: '',
      after: { status: 'paused', lastPingAt: START - 30 * MINUTE, pingCount: 1, deadlineAt: null },
    },
    {
      name: 'paused, to be resumed by hand, a start is ignored',
      from: 'paused',
      check: { manualResume: true },
      path: '/start',
      after: { status: 'paused', lastStartAt: null, deadlineAt: null },
    },
  ];
  for (const { name, from, check: overrides = {}, path, after, flips = [] } of rows) {
    test(name, async () => {
      const { check } = await given(from, overrides);

      assertAnswer(await app().ping(`/${check.uuid}${path}`), OK);

      const now = await stored(app(), check);
      const seen = Object.fromEntries(
        Object.keys(after).map((field) => [field, now[field as keyof CheckState]]),
      );
      assert.deepEqual(seen, after);
      assert.equal(now.pingCount, 1);
      assert.deepEqual(await flipsOf(app(), check), flips);
      for (const { createdAt } of await allFlips(app(), check)) assert.equal(createdAt, START);
    });
  }

  test('after the end of a run the schedule is what is watched', async () => {
    const { check } = await given('up');

    await app().ping(`/${check.uuid}/start`);
    app().clock.advance({ minutes: 10 });
    await app().ping(`/${check.uuid}`);

    assert.deepEqual(await state(app(), check, 'lastStartAt', 'deadlineAt'), {
      lastStartAt: null,
      deadlineAt: START + 10 * MINUTE + DAY + HOUR,
    });
    assert.deepEqual(await flipsOf(app(), check), []);
  });

  test('the run of a paused check that does not end in time takes it down', async () => {
    const { check } = await given('paused');

    await app().ping(`/${check.uuid}/start`);
    assert.equal(statusAt(await stored(app(), check), START + HOUR - 1), 'new');
    assert.equal(statusAt(await stored(app(), check), START + HOUR), 'down');
    await passWatched({ hours: 2 });
    await app().ping(`/${check.uuid}/log`);

    const times = (await allFlips(app(), check)).map(({ createdAt }) => createdAt);
    assert.deepEqual(times.toSorted(), [START, START + HOUR]);
    assert.deepEqual((await flipsOf(app(), check)).toSorted(), ['new→down timeout', 'paused→new']);
    assert.equal((await stored(app(), check)).status, 'down');
  });

  test('what is ignored is stored as ignored, and answered OK', async () => {
    const { check } = await given('paused', { manualResume: true });

    for (const path of ['', '/start', '/fail', '/log', '/3'])
      assertAnswer(await app().ping(`/${check.uuid}${path}`), OK, path);

    assert.deepEqual(await signalsOf(app(), check), ['ign', 'ign', 'ign', 'ign', 'ign']);
    assert.equal((await stored(app(), check)).pingCount, 5);
  });

  test('after it was resumed a check heeds a success', async () => {
    const { check, actor } = await given('paused', { manualResume: true });

    await app().ping(`/${check.uuid}`);
    await resumeCheck(app().deps, actor, check.id);
    await app().ping(`/${check.uuid}`);

    assert.deepEqual(await signalsOf(app(), check), ['ign', 'success']);
    assert.deepEqual(await flipsOf(app(), check), ['paused→new', 'new→up']);
  });

  const flipTimes = async (check: Check): Promise<[string, Instant][]> => {
    const flips = await allFlips(app(), check);
    return flips.map(({ newStatus, createdAt }) => [newStatus, createdAt]);
  };

  test('a success after a missed deadline that nobody has noticed leaves the outage on record', async () => {
    const { check } = await given('up', { lastPingAt: START - 2 * DAY });

    assertAnswer(await app().ping(`/${check.uuid}`), OK);

    assert.deepEqual(await flipsOf(app(), check), ['up→down timeout', 'down→up']);
    assert.deepEqual(await flipTimes(check), [
      ['down', START - DAY + HOUR],
      ['up', START],
    ]);
    assert.equal((await stored(app(), check)).lastFlipAt, START);
  });

  test('a ping at the very deadline is late, one a microsecond before is not', async () => {
    const late = await given('up', { lastPingAt: START - DAY - HOUR });
    const early = await given('up', { lastPingAt: START - DAY - HOUR + 1 });

    for (const { check } of [late, early]) await app().ping(`/${check.uuid}`);

    assert.deepEqual(await flipsOf(app(), late.check), ['up→down timeout', 'down→up']);
    assert.deepEqual(await flipsOf(app(), early.check), []);
  });

  test('a start, a log message or a failure brings a missed deadline to light, too', async () => {
    for (const path of ['/start', '/log', '/fail']) {
      const { check } = await given('up', { lastPingAt: START - 2 * DAY });

      await app().ping(`/${check.uuid}${path}`);

      assert.deepEqual(await flipsOf(app(), check), ['up→down timeout'], path);
      assert.equal((await stored(app(), check)).status, 'down', path);
    }
  });

  test('a run that hung takes the check down once, and a success of another run stays', async () => {
    const { check } = await given('up');
    const [a, b] = [app().deps.random.uuid(), app().deps.random.uuid()];

    await app().ping(`/${check.uuid}/start?rid=${a}`);
    await passWatched({ hours: 2 });
    await app().ping(`/${check.uuid}?rid=${b}`);
    app().clock.advance({ minutes: 1 });
    await app().ping(`/${check.uuid}/log`);

    assert.deepEqual(await flipTimes(check), [
      ['down', START + HOUR],
      ['up', START + 2 * HOUR],
    ]);
    const now = await stored(app(), check);
    assert.equal(now.deadlineAt, START + 2 * HOUR + DAY + HOUR);
    assert.equal(statusAt(now, app().clock.now()), 'up');
  });

  test('every signal counts, and fifty at once are numbered without a gap', async () => {
    const { check } = await given('new');
    const paths = ['', '/fail', '/start', '/log', '/0', '/7'];

    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) => app().ping(`/${check.uuid}${paths[n % paths.length]}`)),
    );

    for (const reply of replies) assertAnswer(reply, OK);
    const numbers = (await pingsOf(app(), check)).map(({ n }) => n);
    assert.deepEqual(
      numbers,
      Array.from({ length: 50 }, (_, index) => index + 1),
    );
    assert.equal((await stored(app(), check)).pingCount, 50);
  });

  test('an ignored ping counts as well', async () => {
    const { check } = await given('new', { methods: 'POST' });

    await app().ping(`/${check.uuid}`);

    assert.deepEqual(await signalsOf(app(), check), ['ign']);
    assert.equal((await stored(app(), check)).pingCount, 1);
  });

  test('fifty successes at once on a check that is down flip it once', async () => {
    const { check } = await given('down');

    await Promise.all(Array.from({ length: 50 }, () => app().ping(`/${check.uuid}`)));

    assert.deepEqual(await flipsOf(app(), check), ['down→up']);
  });

  test('while a check is deleted its pings are recorded or not found, and afterwards not found', async () => {
    const { check, actor } = await given('up');
    const send = () => Array.from({ length: 20 }, () => app().ping(`/${check.uuid}`));

    const before = send();
    const deletion = deleteCheck(app().deps, actor, check.id);
    const replies = await Promise.all([...before, ...send()]);
    await deletion;

    for (const reply of replies) assertAnswer(reply, reply.status === 200 ? OK : NOT_FOUND);
    assertAnswer(await app().ping(`/${check.uuid}`), NOT_FOUND);
    assert.deepEqual(await pingsOf(app(), check), []);
  });
});
