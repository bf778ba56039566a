import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Check } from '../src/domain/check/check.ts';
import type { PolicyRulesEdit } from '../src/domain/policy/rules.ts';
import { type Instant, seconds } from '../src/lib/instant.ts';
import { acknowledgeCheck } from '../src/services/alert/answers.ts';
import { createPolicy, editPolicy, setAlerting } from '../src/services/alert/policies.ts';
import { performCommands } from '../src/services/check/check-commands.ts';
import { type Actor, systemActor } from '../src/services/core/actor.ts';
import { ingestPings } from '../src/services/ping/ingest.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { drain, type Fixture, failure, fixture, OK, told } from './alerts.ts';
import { START, sharedTestApp } from './app.ts';
import { forEachEngine, openTestDriver } from './engines.ts';
import { incomingPing } from './records.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A check that is up, pinged now, in a project with these rules. */
  async function withRules(rules: PolicyRulesEdit, overrides: Partial<Check> = {}): Promise<Fixture> {
    const f = await fixture(app(), { lastPingAt: app().clock.now(), ...overrides });
    const actor = systemActor(f.check.projectId);
    await createPolicy(app().deps, actor, 'own', rules);
    await setAlerting(app().deps, actor, { policy: 'own', tags: [] });
    return f;
  }

  /** Lets time pass, and tells after how many minutes something was told. */
  async function pass(f: Fixture, minutes: number): Promise<string[]> {
    const found: string[] = [];
    for (let minute = 1; minute <= minutes; minute++) {
      app().clock.advance({ minutes: 1 });
      const before = told(f).length;
      await drain(f);
      for (const what of told(f).slice(before)) found.push(`${minute} ${what}`);
    }
    return found;
  }

  async function ping(f: Fixture, ...signals: ('success' | 'fail' | 'start')[]): Promise<string[]> {
    const before = told(f).length;
    for (const signal of signals) {
      app().clock.advance({ minutes: 1 });
      await ingestPings(app().deps, [incomingPing({ uuid: f.check.uuid }, { signal })]);
      await drain(f);
    }
    return told(f).slice(before);
  }

  const everyFiveMinutes = { kind: 'cron', schedule: '*/5 * * * *', graceSeconds: 60 } as const;

  suite('with a number of bad runs', () => {
    test('the failure that reaches it is told, and belongs to the first', async () => {
      const f = await withRules({ bad_runs: 3 });
      assert.deepEqual(await ping(f, 'fail', 'fail'), []);
      const [outage] = await app().deps.store.outages.openOf([f.check.id]);
      assert.equal(outage?.heldBy, 'bad_runs');
      assert.deepEqual(await ping(f, 'fail', 'fail'), ['down']);
      const rows = await app().deps.store.deliveries.ofCheck(f.check.id, 10);
      assert.deepEqual(
        rows.map(({ flipId }) => flipId),
        [outage?.flipId],
      );
      assert.deepEqual(await ping(f, 'success'), ['up']);
    });

    test('the failure that reaches it is told by a service that was started anew after the one before', async () => {
      const f = await withRules({ bad_runs: 3 });
      assert.deepEqual(await ping(f, 'fail', 'fail'), []);
      await using driver = await openTestDriver(app().database);
      const deps = { ...app().deps, store: createSqlStore(driver) };
      app().clock.advance({ minutes: 1 });

      await ingestPings(deps, [incomingPing({ uuid: f.check.uuid }, { signal: 'fail' })]);
      await drain({ ...f, app: { ...app(), deps } });

      assert.deepEqual(told(f), ['down']);
    });

    test('fewer failures and then a success are told to nobody, also of a new check', async () => {
      const f = await withRules({ bad_runs: 3 });
      assert.deepEqual(await ping(f, 'fail', 'fail', 'success', 'fail', 'fail', 'success'), []);
      const fresh = await withRules({ bad_runs: 3 }, { status: 'new', lastPingAt: null });
      assert.deepEqual(await ping(fresh, 'fail'), []);
    });

    test('failures that come together count one by one', async () => {
      const f = await withRules({ bad_runs: 3 });
      const ping = incomingPing({ uuid: f.check.uuid }, { signal: 'fail' });
      await ingestPings(app().deps, [ping, ping, ping]);
      await drain(f);
      assert.deepEqual(told(f), ['down']);
    });

    test('runs that are missed count without a ping', async () => {
      const f = await withRules({ bad_runs: 3 }, everyFiveMinutes);
      const since = app().clock.now();
      const minutes = await pass(f, 30);
      const told = minutes.map((line) => Number(line.split(' ')[0]));
      const first = (Math.floor(since / 300_000_000) + 1) * 5 - since / 60_000_000;
      assert.deepEqual(told, [Math.ceil(first + 11)]);
    });

    test('a run that is missed, a failure and one that is missed are three', async () => {
      const f = await withRules({ bad_runs: 3 }, everyFiveMinutes);
      // The failure is the run of 12:10, that of 12:05 never came.
      await pass(f, 9);
      assert.deepEqual(await ping(f, 'fail'), []);
      assert.deepEqual(await pass(f, 8), ['6 down']);
    });

    test('a run that begins while the check is down and takes too long is one more', async () => {
      for (const counts of ['all', 'failed'] as const) {
        const f = await withRules({ bad_runs: 2, counts }, { graceSeconds: 300 });
        assert.deepEqual(await ping(f, 'fail', 'start'), []);
        assert.deepEqual(await pass(f, 8), ['5 down']);
      }
    });

    test('that counts failures alone, a run that is missed is told at once, and one failure is not', async () => {
      const rules = { bad_runs: 3, counts: 'failed' } as const;
      assert.equal((await pass(await withRules(rules, everyFiveMinutes), 7)).length, 1);
      assert.deepEqual(await ping(await withRules(rules), 'fail', 'fail'), []);
    });

    test('a wait counts as well: the later of both tells', async () => {
      const f = await withRules({ bad_runs: 2, wait: 900 });
      assert.deepEqual(await ping(f, 'fail', 'fail'), []);
      assert.deepEqual(
        (await pass(f, 20)).map((line) => line.split(' ')[0]),
        ['14'],
      );

      const other = await withRules({ bad_runs: 2, wait: 900 });
      assert.deepEqual(await ping(other, 'fail'), []);
      assert.deepEqual(await pass(other, 20), []);
      assert.deepEqual(await ping(other, 'fail'), ['down']);
    });
  });

  suite('with a time to wait', () => {
    /** A check that goes down at four in the morning, and the time. */
    async function downAtFour(): Promise<{ f: Fixture; four: Instant }> {
      const daily = { kind: 'cron', schedule: '0 3 * * *', tz: 'UTC', graceSeconds: 3600 } as const;
      const f = await withRules({ wait: 900 }, daily);
      const four = START + seconds(16 * 3600);
      await goTo(f, four);
      const [outage] = await app().deps.store.outages.openOf([f.check.id]);
      assert.deepEqual([outage?.beganAt, outage?.heldBy], [four, 'wait']);
      return { f, four };
    }

    async function goTo(f: Fixture, at: Instant): Promise<void> {
      app().clock.set(at);
      await drain(f);
    }

    test('what is still down is told at its end, and not before', async () => {
      const { f, four } = await downAtFour();

      await goTo(f, four + seconds(900) - 1);
      assert.deepEqual(told(f), []);
      await goTo(f, four + seconds(900));
      await drain(f);

      assert.deepEqual(told(f), ['down']);
    });

    test('what comes up a second before its end is told to nobody', async () => {
      const { f, four } = await downAtFour();

      app().clock.set(four + seconds(899));
      await ingestPings(app().deps, [incomingPing({ uuid: f.check.uuid })]);
      await goTo(f, four + seconds(900));
      await goTo(f, four + seconds(20 * 3600));

      assert.deepEqual(told(f), []);
      assert.deepEqual(await app().deps.store.outages.openOf([f.check.id]), []);
    });
  });

  test('with a number of good runs, the end is told after them, and a failure between is the same outage', async () => {
    const f = await withRules({ good_runs: 2 });
    assert.deepEqual(await ping(f, 'fail', 'success'), ['down']);
    const [recovering] = await app().deps.store.outages.openOf([f.check.id]);
    assert.equal(recovering?.state, 'recovering');
    assert.deepEqual(await ping(f, 'fail', 'success', 'success'), ['up']);
    assert.deepEqual(await app().deps.store.outages.openOf([f.check.id]), []);
    // From the first failure to the first of the two successes.
    assert.equal(f.sender.sent.at(-1)?.event.downFor, seconds(180));
  });

  test('with each failure, every failing end is a message with its number and output, and a run that is missed is none', async () => {
    const f = await withRules({ each_failure: true }, everyFiveMinutes);
    f.sender.needsStory = () => true;
    for (const output of ['no space', 'no route', 'no memory', 'no light']) {
      app().clock.advance({ minutes: 1 });
      const target = { uuid: f.check.uuid };
      await ingestPings(app().deps, [incomingPing(target, { signal: 'fail', body: Buffer.from(output) })]);
      await drain(f);
    }
    const sent = f.sender.sent.filter(({ event }) => event.check.uuid === f.check.uuid);
    assert.deepEqual(
      sent.map(({ event: { repeat, story, body } }) => [
        repeat?.kind,
        story?.failures,
        Buffer.from(body ?? []).toString(),
      ]),
      [
        [undefined, undefined, 'no space'],
        ['further_failure', 2, 'no route'],
        ['further_failure', 3, 'no memory'],
        ['further_failure', 4, 'no light'],
      ],
    );
    assert.deepEqual(await pass(f, 30), []);
    const rows = await app().deps.store.deliveries.ofCheck(f.check.id, 10);
    assert.deepEqual(rows.map(({ ordinal, why }) => `${ordinal} ${why}`).toSorted(), [
      '0 assigned',
      '1 further_failure',
      '2 further_failure',
      '3 further_failure',
    ]);
    await acknowledgeCheck(app().deps, systemActor(f.check.projectId), f.check.id);
    assert.deepEqual(await ping(f, 'fail'), []);
  });

  test('who wants failures alone hears each further failure of an outage that a missed run began', async () => {
    const f = await withRules({ each_failure: true }, everyFiveMinutes);
    f.sender.wanted.clear();
    f.sender.wanted.add('down_fail');
    assert.deepEqual(await pass(f, 8), []);
    assert.deepEqual(await ping(f, 'fail'), ['down']);
  });

  test('repeats do not pile up while the provider is away: one waits, and the rhythm goes on', async () => {
    const f = await withRules({ again: 3600 });
    await ping(f, 'fail');
    const open = async () =>
      (await app().deps.store.deliveries.ofCheck(f.check.id, 20)).filter(({ state }) => state === 'open');
    f.sender.answer = () => failure('Connection failed');
    for (let hour = 1; hour <= 5; hour++) {
      app().clock.advance({ minutes: 60 });
      await drain(f);
      assert.equal((await open()).length, 1, `after ${hour} h`);
    }

    f.sender.answer = () => OK;
    const minutes = (await pass(f, 120)).map((line) => Number(line.split(' ')[0]));
    // The one that waits is told when its pause is over. If that is before the first hour is, its repeat follows.
    assert.ok(minutes.length <= 3 && (minutes[0] ?? 120) < 120, minutes.join(' '));
    assert.deepEqual([minutes.at(-1), await open()], [120, []]);
  });

  test('an acknowledgement lasts as long as the policy says', async () => {
    const f = await withRules({ again: 600, ack_lasts: 3600 });
    await ping(f, 'fail');
    await acknowledgeCheck(app().deps, systemActor(f.check.projectId), f.check.id);
    assert.deepEqual(await pass(f, 59), []);
    assert.deepEqual(await pass(f, 11), ['1 down', '11 down']);
  });

  test('another policy, or fewer bad runs by an edit of it, while it waits, tell within a second', async () => {
    const edits: readonly ((actor: Actor) => Promise<unknown>)[] = [
      (actor) => setAlerting(app().deps, actor, { policy: '', tags: [] }),
      async (actor) => {
        const [own = assert.fail()] = await app().deps.store.policies.ofProject(actor.projectId);
        return editPolicy(app().deps, actor, own.uuid, { rules: { bad_runs: 1 } });
      },
    ];
    for (const edit of edits) {
      const f = await withRules({ bad_runs: 3 });
      assert.deepEqual(await ping(f, 'fail'), []);
      await edit(systemActor(f.check.projectId));
      app().clock.advance({ seconds: 1 });
      await drain(f);
      assert.deepEqual(told(f), ['down']);
    }
  });

  test('another schedule or limit, while it waits, counts from then on', async () => {
    const actor = (f: Fixture) => systemActor(f.check.projectId);
    for (const edit of [{ timeoutSeconds: 300 }, { graceSeconds: 300 }]) {
      const f = await withRules({ bad_runs: 2 }, { timeoutSeconds: 900, graceSeconds: 3_600 });
      assert.deepEqual(await ping(f, 'fail'), []);
      const { id } = f.check;
      await performCommands(app().deps, [{ verb: 'update', actor: actor(f), id, input: { edit } }]);
      const [line = ''] = await pass(f, 80);
      const limit = (edit.timeoutSeconds ?? 900) + (edit.graceSeconds ?? 3_600);
      assert.equal(line, `${limit / 60} down`);
    }
  });

  // Last, since the others share the time in which nobody watched.
  test('runs that were missed while nobody watched do not count', async () => {
    const f = await withRules({ bad_runs: 3 }, everyFiveMinutes);
    const from = app().clock.now();
    app().clock.advance({ minutes: 60 });
    await app().deps.store.transaction((tx) => tx.liveness.addBlindSpan({ from, until: app().clock.now() }));
    await drain(f);
    assert.deepEqual(told(f), []);
    const heldBy = async () =>
      (await app().deps.store.outages.openOf([f.check.id])).map((outage) => outage.heldBy);
    assert.deepEqual(await ping(f, 'fail', 'fail'), []);
    assert.deepEqual(await heldBy(), ['bad_runs']);
    assert.deepEqual(await ping(f, 'fail'), []);
    assert.deepEqual(await heldBy(), [null]);
    // Five minutes after the return, since it began while nobody watched.
    assert.deepEqual(await pass(f, 5), ['2 down']);
  });
});
