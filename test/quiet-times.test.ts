import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { DeadlineLoop } from '../src/alerts/deadline-loop.ts';
import { QuietTimeLoop } from '../src/alerts/quiet-time-loop.ts';
import { DAY, HOUR, MINUTE } from '../src/domain/check/check.test-support.ts';
import type { Check } from '../src/domain/check/check.ts';
import type { QuietTimeInput } from '../src/domain/check/quiet-time.ts';
import { joined, uptime } from '../src/domain/history/uptime.ts';
import type { Instant } from '../src/lib/instant.ts';
import { setAlerting } from '../src/services/alert/policies.ts';
import { QuietTimeTurns } from '../src/services/check/quiet-coverage.ts';
import { announceQuietTime, listQuietTimes, stopQuietTime } from '../src/services/check/quiet-times.ts';
import { reportPage } from '../src/services/check/reported-checks.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { readHistory } from '../src/services/history/check-board.ts';
import { ingestPings } from '../src/services/ping/ingest.ts';
import { lookAtChecks } from '../src/services/public/status-checks.ts';
import type { Writes } from '../src/storage/store.ts';
import { drain, type Fixture, fixture, flipsOf, log, told } from './alerts.ts';
import { START, sharedTestApp } from './app.ts';
import { changed } from './changed-part.ts';
import { forEachEngine } from './engines.ts';
import { checkRecord, incomingPing } from './records.ts';

/** The night after the tests begin, at three. */
const THREE = Math.ceil(START / DAY) * DAY + 3 * HOUR;

const DAILY = {
  kind: 'cron',
  schedule: '0 3 * * *',
  tz: 'UTC',
  lastPingAt: THREE - DAY + 10 * MINUTE,
} as const;

const announce = ({ app, check }: Pick<Fixture, 'app' | 'check'>, input: Partial<QuietTimeInput> = {}) =>
  announceQuietTime(app.deps, systemActor(check.projectId), {
    ...{ name: 'deploy', reason: '', checks: [], tags: '', schedule: '', tz: 'UTC' },
    ...{ fromAt: null, untilAt: null, durationSeconds: input.untilAt ? null : 3600 },
    ...input,
  });

const stored = async ({ app, check }: Fixture) =>
  (await app.deps.store.checks.byId(check.id)) ?? assert.fail('the check is gone');

async function goTo(f: Pick<Fixture, 'app' | 'notifier'>, at: Instant): Promise<void> {
  f.app.clock.set(at);
  await drain(f);
}

/** Begins quiet times until none is due, in so many turns at most. Returns how many it took. */
async function begun({ app }: Pick<Fixture, 'app'>, most: number): Promise<number> {
  const turns = new QuietTimeTurns({ ...app.deps, onPoison: () => assert.fail() });
  for (let count = 0; count < most; count++) if (!(await turns.next())) return count;
  return most;
}

const projectOf = async ({ app, check }: Fixture) =>
  (await app.deps.store.projects.byId(check.projectId)) ?? assert.fail('the project is gone');

const instant = (iso: string): Instant => Temporal.Instant.from(iso).epochMilliseconds * 1000;

async function resultsOf({ app, check }: Fixture) {
  const now = app.clock.now();
  const { runs } = await readHistory(app.deps, (await app.deps.store.checks.byId(check.id)) as Check, now);
  return runs.map(({ result, count }) => [result, count]);
}

/** The share of time in which it was not down since the day before. */
async function uptimesOf(f: Fixture) {
  const { store, clock } = f.app.deps;
  const days = { first: START - DAY, today: START - DAY, now: clock.now() };
  const { checks } = await reportPage(f.app.deps, [await stored(f)], [days.now, days.first], []);
  const [[seen = assert.fail()] = []] = await Array.fromAsync(
    lookAtChecks(store, [f.check.id], days, () => true),
  );
  return { inReport: checks[0]?.uptimes[1], onStatusPage: uptime(joined([seen.today, seen.before]), []) };
}

forEachEngine((engine) => {
  const started = sharedTestApp(engine);

  suite('in a quiet time', () => {
    test('a run that does not come is skipped: nothing goes down, and nothing is missed', async () => {
      const f = await fixture(started(), DAILY);
      await announce(f, { fromAt: THREE - HOUR, untilAt: THREE + HOUR });

      await goTo(f, THREE - HOUR - MINUTE);
      await goTo(f, THREE + 12 * HOUR);

      assert.deepEqual(told(f), []);
      assert.equal((await stored(f)).status, 'up');
      assert.deepEqual(await resultsOf(f), [['skipped', 1]]);
      assert.equal((await uptimesOf(f)).inReport, 1);
    });

    test('nothing is downtime, neither in reports nor on status pages', async () => {
      const f = await fixture(started());
      await announce(f);
      await f.app.receive(f.check, 'fail');
      await goTo(f, START + HOUR);
      await f.app.receive(f.check, 'success');
      await goTo(f, START + 2 * HOUR);

      assert.deepEqual(await uptimesOf(f), { inReport: 1, onStatusPage: 1 });
    });

    test('a failure takes the check down, and is told at the end, with the quiet time', async () => {
      const f = await fixture(started());
      f.sender.needsStory = () => true;
      await announce(f, { name: 'deploy 412', durationSeconds: 7200 });
      await goTo(f, START + HOUR);

      await f.app.receive(f.check, 'fail');
      await goTo(f, START + 2 * HOUR - 1);
      const [held] = await f.app.deps.store.outages.openOf([f.check.id]);
      assert.deepEqual([(await stored(f)).status, held?.state, held?.heldBy], ['down', 'waiting', 'quiet']);
      assert.deepEqual(told(f), []);

      await goTo(f, START + 2 * HOUR);
      await goTo(f, START + 2 * HOUR + MINUTE);
      assert.deepEqual(told(f), ['down']);
      const [{ event } = assert.fail()] = f.sender.sent;
      const words = event.story?.sentence.map((part) => (typeof part === 'string' ? part : '…')).join('');
      assert.match(words ?? '', /^Down since …, in the quiet time deploy 412 · /);
    });

    test('what goes down and comes up is told to nobody', async () => {
      const f = await fixture(started());
      await announce(f);

      await f.app.receive(f.check, 'fail');
      await f.app.receive(f.check, 'success');
      await goTo(f, START + 2 * HOUR);

      assert.deepEqual(told(f), []);
    });

    test('an outage that was told before is told no further, and its end at once', async () => {
      const f = await fixture(started());
      await f.app.receive(f.check, 'fail');
      await drain(f);

      await announce(f);
      await goTo(f, START + 2 * HOUR);
      assert.deepEqual(told(f), ['down']);

      await announce(f, { name: 'another' });
      await f.app.receive(f.check, 'success');
      await drain(f);
      assert.deepEqual(told(f), ['down', 'up']);
    });

    test('nothing is repeated of an outage that was told before, and afterwards it is again', async () => {
      const f = await fixture(started());
      await setAlerting(f.app.deps, systemActor(f.check.projectId), { policy: 'keep-reminding', tags: [] });
      await f.app.receive(f.check, 'fail');
      await drain(f);
      await announce(f);

      for (let minutes = 10; minutes < 60; minutes += 10) await goTo(f, START + minutes * MINUTE);
      assert.deepEqual(told(f), ['down']);
      await goTo(f, START + HOUR);
      assert.deepEqual(told(f), ['down', 'down']);
      await goTo(f, START + 89 * MINUTE);
      assert.deepEqual(told(f), ['down', 'down']);
      await goTo(f, START + 90 * MINUTE);
      assert.deepEqual(told(f), ['down', 'down', 'down']);
    });

    test('a run that is overdue has its tolerance anew at the end, and an open run its limit', async () => {
      const limits = { ...DAILY, graceSeconds: 3600, runRules: '{"end_within":5400}' };
      const [overdue, open] = [await fixture(started(), limits), await fixture(started(), limits)];
      const until = THREE + 2 * HOUR;
      for (const f of [overdue, open]) await announce(f, { fromAt: THREE + 30 * MINUTE, untilAt: until });
      open.app.clock.set(THREE);
      await open.app.receive(open.check, 'start');

      await goTo(overdue, THREE + 45 * MINUTE);
      assert.equal((await stored(overdue)).deadlineAt, until + HOUR);
      assert.equal((await stored(open)).deadlineAt, until + 90 * MINUTE);
      await goTo(overdue, until + 2 * HOUR);
      assert.equal((await flipsOf(overdue)).at(-1)?.createdAt, until + HOUR);
      assert.equal((await flipsOf(open)).at(-1)?.createdAt, until + 90 * MINUTE);
    });

    test('a deadline shortly after the beginning is not missed, whether the loop or a ping comes first', async () => {
      const app = started();
      const begins = START + HOUR - 50_000;
      const late = { lastPingAt: START - DAY, graceSeconds: 3600 };
      const [f, pinged] = [await fixture(app, late), await fixture(app, late)];
      for (const one of [f, pinged]) await announce(one, { fromAt: begins });
      app.clock.set(begins - MINUTE);
      while ((await new QuietTimeLoop(app.deps, log).tick()) === true);

      app.clock.set(begins + 60_000);
      await app.receive(pinged.check, 'success');
      await drain(f);

      for (const one of [f, pinged]) assert.deepEqual(await flipsOf(one), []);
    });

    test('no deadline is looked at before its checks are covered, also when no node covered them in time', async () => {
      const f = await fixture(started(), { lastPingAt: START - DAY, graceSeconds: 3600 });
      await new DeadlineLoop(f.app.deps, log).tick();
      await announce(f, { fromAt: START + HOUR - 5 * MINUTE, durationSeconds: 3600 });
      const deadlines = new DeadlineLoop(f.app.deps, log);
      // Somebody watches, but the loop of quiet times is late.
      for (let at = START; at <= START + HOUR; at += 20_000_000) {
        f.app.clock.set(at);
        await deadlines.ensureBeat();
      }

      while ((await deadlines.tick()) === true);

      assert.deepEqual(await flipsOf(f), []);
      assert.equal((await stored(f)).quietFromAt, START + HOUR - 5 * MINUTE);
    });
  });

  test('a stop tells at once what was held', async () => {
    const f = await fixture(started());
    const { uuid } = await announce(f);
    await f.app.receive(f.check, 'fail');
    f.app.clock.advance({ minutes: 5 });

    await stopQuietTime(f.app.deps, systemActor(f.check.projectId), uuid);
    await drain(f);

    assert.deepEqual(told(f), ['down']);
  });

  test('a ping after a stop is followed by the next in time, also if one came in the quiet time', async () => {
    const f = await fixture(started(), { status: 'up', timeoutSeconds: 600, graceSeconds: 60 });
    const { uuid } = await announce(f);
    await f.app.receive(f.check, 'success');
    await stopQuietTime(f.app.deps, systemActor(f.check.projectId), uuid);
    f.app.clock.advance({ minutes: 1 });

    await f.app.receive(f.check, 'success');

    assert.equal((await stored(f)).deadlineAt, f.app.clock.now() + 11 * MINUTE);
  });

  test('a check that loses the tag of a quiet time is told of at once', async () => {
    const f = await fixture(started(), { tags: 'web' });
    await announce(f, { tags: 'web' });
    await f.app.receive(f.check, 'fail');

    const body = { tags: 'db' };
    await f.app.request('POST', `/api/v3/checks/${f.check.uuid}`, { key: f.key, body });
    await drain(f);

    assert.deepEqual(told(f), ['down']);
  });

  test('what went down before it was covered is not judged anew', async () => {
    const f = await fixture(started(), { tags: '' });
    await announce(f, { tags: 'web', durationSeconds: 7200 });
    f.app.clock.advance({ minutes: 10 });

    const body = { tags: 'web' };
    await f.app.request('POST', `/api/v3/checks/${f.check.uuid}`, { key: f.key, body });

    assert.deepEqual(
      [(await stored(f)).quietFromAt, (await stored(f)).quietUntilAt],
      [START + 10 * MINUTE, START + 2 * HOUR],
    );
  });

  test('failures in a row do not count runs that were due in any quiet time since the last end', async () => {
    const f = await fixture(started(), DAILY);
    await announce(f, { name: 'nightly', schedule: '30 2 * * *', durationSeconds: 3600, untilAt: null });
    for (let night = 0; night < 3; night++) await goTo(f, THREE + night * DAY - 31 * MINUTE);
    f.app.clock.set(THREE + 2 * DAY + 10 * HOUR);

    await ingestPings(f.app.deps, [incomingPing({ uuid: f.check.uuid }, { signal: 'fail' })]);

    assert.equal((await stored(f)).badCount, 1);
  });

  test('quiet times that overlap are one span, of the check and in its history', async () => {
    const f = await fixture(started());
    const spans = async () => {
      const { quietFromAt, quietUntilAt } = await stored(f);
      const kept = await f.app.deps.store.quietTimes.spansSince([f.check.id], START);
      return [[quietFromAt, quietUntilAt], ...kept.map(({ from, until }) => [from, until])];
    };
    await announce(f, { name: 'deploy', fromAt: START + HOUR, untilAt: START + 3 * HOUR });
    await announce(f, { name: 'backup', fromAt: START + 2 * HOUR, untilAt: START + 4 * HOUR });

    for (const minutes of [59, 119, 200]) {
      f.app.clock.set(START + minutes * MINUTE);
      await begun(f, 200);
      const whole = [START + HOUR, START + 4 * HOUR];
      assert.deepEqual(await spans(), [whole, whole], `after ${minutes} minutes`);
    }
    await announce(f, { name: 'repair', durationSeconds: 7200 });

    const longer = [START + HOUR, START + 320 * MINUTE];
    assert.deepEqual(await spans(), [longer, longer]);
  });

  for (const [season, begins] of [
    ['spring, when an hour is left out', '2024-03-30T23:00:00Z'],
    ['autumn, when an hour comes twice', '2024-10-26T22:00:00Z'],
  ] as const)
    test(`four hours of a Sunday are four hours in ${season}`, async () => {
      const f = await fixture(started());
      const from = instant(begins);
      f.app.clock.set(from - DAY);
      await announce(f, { schedule: 'Sun 01:00', tz: 'Europe/Riga', durationSeconds: 14_400 });

      f.app.clock.set(from - MINUTE);
      await begun(f, 200);

      const { quietFromAt, quietUntilAt } = await stored(f);
      assert.deepEqual([quietFromAt, quietUntilAt], [from, from + 4 * HOUR]);
    });

  test('a quiet time that begins again before it has ended, since clocks change, covers its checks all the time', async () => {
    const f = await fixture(started());
    f.app.clock.set(instant('2026-11-20T12:00:00Z'));
    const whole = { schedule: '0 0 * * *', tz: 'Europe/Riga', durationSeconds: 86_400 };
    await announce(f, { name: 'holidays', ...whole });

    for (const time of ['2027-03-28T20:59:30Z', '2027-03-28T21:00:30Z', '2027-03-29T20:59:00Z']) {
      f.app.clock.set(instant(time));
      assert.ok((await begun(f, 200)) < 200, 'it comes to an end');
      const now = f.app.clock.now();
      const { quietFromAt, quietUntilAt } = await stored(f);
      assert.ok((quietFromAt ?? now + 1) <= now && now < (quietUntilAt ?? 0), time);
    }
  });

  test('a quiet time that begins seconds after another one has ended covers its checks', async () => {
    const f = await fixture(started());
    await announce(f, { untilAt: START + HOUR });
    await announce(f, { name: 'next', fromAt: START + HOUR + 30_000_000 });

    for (const at of [START + HOUR - 30_000_000, START + HOUR, START + HOUR + 30_000_000]) {
      f.app.clock.set(at);
      await begun(f, 10);
    }

    const { quietFromAt, quietUntilAt } = await stored(f);
    assert.deepEqual([quietFromAt, quietUntilAt], [START + HOUR + 30_000_000, START + 2 * HOUR + 30_000_000]);
  });

  test('quiet times that follow each other in seconds keep nobody waiting', async () => {
    const f = await fixture(started());
    const minutely = await announce(f, { schedule: '* * * * *', durationSeconds: 60 });
    // No request may announce that.
    await f.app.deps.store.transaction((tx) =>
      tx.quietTimes.update({ ...minutely, schedule: '*-*-* *:*:*' }),
    );

    f.app.clock.advance({ minutes: 30 });

    assert.ok((await begun(f, 200)) < 200);
    const { quietUntilAt } = await stored(f);
    assert.ok((quietUntilAt ?? 0) > f.app.clock.now());
    await stopQuietTime(f.app.deps, systemActor(f.check.projectId), minutely.uuid);
    await f.app.deps.store.transaction((tx) => tx.quietTimes.delete(minutely.projectId, minutely.id));
  });

  test('a check whose schedule cannot be evaluated keeps no quiet time from the others', async () => {
    const f = await fixture(started());
    const other = await f.app.givenCheck(await projectOf(f), { status: 'up', lastPingAt: START });
    await f.app.deps.store.transaction((tx) =>
      tx.checks.saveConfig({ ...other, kind: 'cron', schedule: 'nonsense' }),
    );
    await announce(f, { fromAt: START + HOUR, untilAt: START + 2 * HOUR });

    f.app.clock.set(START + HOUR);
    await begun(f, 200);

    assert.equal((await stored(f)).quietUntilAt, START + 2 * HOUR);
  });

  test('ten thousand checks are covered in small portions, and a ping that comes meanwhile waits for one of them', async () => {
    const f = await fixture(started());
    const { deps } = f.app;
    const rows = Array.from({ length: 10_000 }, () => ({ ...checkRecord(f.check.projectId), tags: 'many' }));
    const checks = await deps.store.transaction((tx) => tx.checks.insertAll(rows));
    const portions: number[] = [];
    let pinged: Promise<number> | undefined;
    const counted =
      (lock: Writes['checks']['lockCovered']) =>
      async (...asked: Parameters<typeof lock>) => {
        const locked = await lock(...asked);
        portions.push(locked.length);
        if (portions.length === 3)
          pinged = ingestPings(deps, [incomingPing(checks[500] ?? assert.fail())]).then(
            () => portions.length,
          );
        return locked;
      };
    const countedIn = (tx: Writes) => changed(tx, 'checks', (own) => changed(own, 'lockCovered', counted));
    const store = changed(
      deps.store,
      'transaction',
      (transaction) => (work: (tx: Writes) => Promise<unknown>) => transaction((tx) => work(countedIn(tx))),
    );

    await announce({ ...f, app: { ...f.app, deps: { ...deps, store } } }, { tags: 'many' });

    assert.deepEqual(new Set(portions), new Set([200, 0]));
    const [last = assert.fail()] = await deps.store.checks.byIds([checks.at(-1)?.id ?? 0]);
    assert.equal(last.quietUntilAt, START + HOUR);
    const answeredAfter = (await pinged) ?? assert.fail();
    assert.ok(answeredAfter < portions.length, `answered after ${answeredAfter} of ${portions.length}`);
  });

  test('one that was over months ago is forgotten when the next one is announced', async () => {
    const f = await fixture(started());
    const names = async () =>
      (await listQuietTimes(f.app.deps, systemActor(f.check.projectId))).map(({ name }) => name);
    await announce(f, { name: 'deploy 1' });
    await announce(f, { name: 'nightly', schedule: '30 2 * * *', durationSeconds: 3600 });
    f.app.clock.advance({ hours: 24 * 30 });
    await announce(f, { name: 'deploy 2' });
    assert.deepEqual((await names()).toSorted(), ['deploy 1', 'deploy 2', 'nightly']);

    f.app.clock.advance({ hours: 24 * 365 });
    await announce(f, { name: 'deploy 3' });

    assert.deepEqual((await names()).toSorted(), ['deploy 3', 'nightly']);
  });

  test('quiet times are covered anew after the clock was ahead and is set back', async () => {
    const f = await fixture(started(), DAILY);
    await announce(f, { name: 'nightly', schedule: '30 2 * * *', durationSeconds: 3600 });
    await new DeadlineLoop(f.app.deps, log).tick();
    const tomorrow = THREE + DAY;
    await goTo(f, tomorrow - 31 * MINUTE);
    await new DeadlineLoop(f.app.deps, log).tick();
    assert.equal((await stored(f)).quietFromAt, tomorrow - 30 * MINUTE);

    f.app.clock.set(START + MINUTE);
    await new DeadlineLoop(f.app.deps, log).tick();
    await drain(f);
    assert.equal((await stored(f)).quietFromAt, null);
    await goTo(f, THREE - 31 * MINUTE);
    assert.equal((await stored(f)).quietFromAt, THREE - 30 * MINUTE);
  });
});
