import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../src/domain/check/check.ts';
import { createHttpServer } from '../src/http/server.ts';
import { seconds } from '../src/lib/instant.ts';
import { projectMetrics } from '../src/reading/lists.ts';
import { deleteCheck, pauseCheck, updateCheck } from '../src/services/check/checks.ts';
import { flipOverdue } from '../src/services/check/deadlines.ts';
import { systemActor } from '../src/services/core/actor.ts';
import type { Reads } from '../src/services/core/reads.ts';
import { ingestPings } from '../src/services/ping/ingest.ts';
import { tagCounts } from '../src/services/public/tag-badges.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import { START, startTestApp } from './app.ts';
import { forEachEngine, openTestDriver } from './engines.ts';
import { injectInto } from './inject.ts';
import { incomingPing } from './records.ts';

const HOUR = seconds(3_600);
/** Up for another hour. */
const UP: Partial<Check> = { status: 'up', lastPingAt: START, timeoutSeconds: 3_600, tags: 'foo' };
/** In grace for another half hour. */
const LATE: Partial<Check> = { ...UP, lastPingAt: START - 1.5 * HOUR };
/** In grace from a minute ago on, if anybody asks. */
const FRESH: Partial<Check> = { tags: 'foo' };

forEachEngine((engine) => {
  /** A project with these checks, its badge, and the questions that were asked because of it. */
  async function startScene(...checks: readonly Partial<Check>[]) {
    await using started = new AsyncDisposableStack();
    const app = started.use(await startTestApp(engine));
    const asked: unknown[] = [];
    const reads: Reads = {
      ask: (read, question) => {
        asked.push(read);
        return app.node.http.reads.ask(read, question);
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
    const server = createHttpServer(app.deps, app.pings, { ...app.node.http, reads });
    started.defer(() => server.close());
    const { project, readOnlyKey } = await app.givenProject();
    const stored: Check[] = [];
    for (const check of checks) stored.push(await app.givenCheck(project, check));
    const signature = app.deps.vault.badgeSignature(project.badgeKey, 'foo');
    const get = async (url: string, headers: Record<string, string> = {}) =>
      (await injectInto(server, { url, headers })).body;
    const parts = started.move();
    return {
      ...{ app, asked, project, checks: stored, actor: systemActor(project.id) },
      badge: async (format = 'json') => get(`/badge/${project.badgeKey}/${signature}/foo.${format}`),
      counts: async () => {
        const { total, grace, down } = JSON.parse(
          await get(`/badge/${project.badgeKey}/${signature}/foo.json`),
        );
        return [total, grace, down];
      },
      metrics: () => get(`/projects/${project.uuid}/metrics/`, { authorization: `Bearer ${readOnlyKey}` }),
      ping: (check: Check | undefined, signal: 'success' | 'fail' | 'start' = 'success') =>
        ingestPings(app.deps, [incomingPing({ uuid: check?.uuid ?? '' }, { signal })]),
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    };
  }

  test('a badge that many look at is counted once, in every format', async () => {
    await using scene = await startScene(UP, UP);

    for (let n = 0; n < 20; n++) for (const format of ['json', 'svg', 'shields']) await scene.badge(format);
    await Promise.all(Array.from({ length: 20 }, () => scene.badge()));

    assert.deepEqual(await scene.counts(), [2, 0, 0]);
    assert.deepEqual(scene.asked, [tagCounts]);
  });

  test('pings of checks that are up do not make it be counted again', async () => {
    await using scene = await startScene(UP, UP, { ...UP, status: 'down' });
    await scene.counts();

    for (let n = 0; n < 20; n++) {
      await scene.ping(scene.checks[n % 2]);
      assert.deepEqual(await scene.counts(), [3, 0, 1]);
    }

    assert.equal(scene.asked.length, 1);
  });

  test('each change of a status is seen by the next who asks, at the same instant', async () => {
    await using scene = await startScene(UP, LATE, FRESH, UP);
    const { app, actor, checks } = scene;
    const [up, late, fresh, other] = checks;
    assert.ok(up && late && fresh && other);
    const steps: [what: string, act: () => Promise<unknown>, counts: readonly number[]][] = [
      ['nothing', async () => undefined, [4, 1, 0]],
      ['a check in grace is pinged', () => scene.ping(late), [4, 0, 0]],
      ['a job fails', () => scene.ping(up, 'fail'), [4, 0, 1]],
      ['a job is well again', () => scene.ping(up), [4, 0, 0]],
      ['a check is paused', () => pauseCheck(app.deps, actor, up.id), [4, 0, 0]],
      [
        'a tag is taken away',
        () => updateCheck(app.deps, actor, other.id, { edit: { tags: 'bar' } }),
        [3, 0, 0],
      ],
      ['a check is deleted', () => deleteCheck(app.deps, actor, up.id), [2, 0, 0]],
      ['a check is created', () => app.givenCheck(scene.project, { ...UP, status: 'down' }), [3, 0, 1]],
    ];
    for (const [what, act, counts] of steps) {
      await act();
      assert.deepEqual(await scene.counts(), counts, what);
    }
  });

  test('each change by time alone is seen at its instant, and so is a clock that was set back', async () => {
    await using scene = await startScene(UP);
    const { clock, deps } = scene.app;
    const at = async (now: number) => {
      clock.set(now);
      return scene.counts();
    };

    assert.deepEqual(await at(START + HOUR - 1), [1, 0, 0]);
    assert.deepEqual(await at(START + HOUR), [1, 1, 0]);
    assert.deepEqual(await at(START + 2 * HOUR - 1), [1, 1, 0]);
    assert.deepEqual(await at(START + 2 * HOUR), [1, 0, 1]);
    assert.deepEqual(await at(START + HOUR), [1, 1, 0]);
    assert.deepEqual(await at(START + 2 * HOUR), [1, 0, 1]);
    await flipOverdue({ ...deps, onPoison: () => assert.fail() });
    assert.deepEqual(await at(START + HOUR), [1, 0, 1]);
  });

  test('a check that only time took down and that is pinged is up for the next who asks', async () => {
    await using scene = await startScene(UP);
    scene.app.clock.advance({ hours: 3 });
    assert.deepEqual(await scene.counts(), [1, 0, 1]);

    await scene.ping(scene.checks[0]);

    assert.deepEqual(await scene.counts(), [1, 0, 0]);
  });

  test('what nobody here was told of shows after a second', async () => {
    await using scene = await startScene(UP);
    const { app, checks } = scene;
    await using other = createSqlStore(await openTestDriver(app.database));
    assert.deepEqual(await scene.counts(), [1, 0, 0]);
    await other.transaction(async (tx) => {
      const check = await tx.checks.lock(checks[0]?.id ?? 0);
      assert.ok(check !== null);
      await tx.checks.saveState({ ...check, status: 'down' });
    });

    app.clock.advance({ seconds: 1 });

    assert.deepEqual(await scene.counts(), [1, 0, 1]);
    assert.equal(scene.asked.length, 2);
  });

  test('a notice of another node is enough to count again', async () => {
    await using scene = await startScene(UP);
    const { marks } = scene.app.deps.store;
    const notice = { projectId: scene.project.id, checkIds: [1], channelIds: [] };
    const notices = [
      [[{ ...notice, touchesStatus: false }], 1],
      [[{ ...notice, touchesStatus: true }], 2],
      [[{ ...notice, projectId: scene.project.id + 1, touchesStatus: true }], 2],
      ['everything', 3],
    ] as const;
    await scene.counts();

    for (const [changes, questions] of notices) {
      marks.note(changes);
      await scene.counts();
      assert.equal(scene.asked.length, questions, JSON.stringify(changes));
    }
  });

  test('metrics that many servers scrape are made once, byte by byte the same', async () => {
    await using scene = await startScene(UP, LATE);

    const texts = await Promise.all(Array.from({ length: 20 }, () => scene.metrics()));
    for (let n = 0; n < 20; n++) texts.push(await scene.metrics());

    assert.equal(new Set(texts).size, 1);
    assert.match(texts[0] ?? '', /hc_checks_total 2/);
    assert.deepEqual(scene.asked, [projectMetrics]);
  });

  test('each change is in the next metrics at the same instant: by a ping, by an edit, by time', async () => {
    await using scene = await startScene(UP);
    const { app, actor, checks } = scene;
    const [check] = checks;
    assert.ok(check !== undefined);
    const { clock, deps } = app;
    const steps: [what: string, act: () => unknown, line: RegExp][] = [
      ['nothing', () => undefined, /^hc_check_started\{.*\} 0$/m],
      ['a run begins', () => scene.ping(check, 'start'), /^hc_check_started\{.*\} 1$/m],
      ['it ends', () => scene.ping(check), /^hc_check_started\{.*\} 0$/m],
      ['a new name', () => updateCheck(deps, actor, check.id, { edit: { name: 'New' } }), /name="New"/],
      ['grace begins', () => clock.set(START + HOUR), /^hc_check_grace\{.*\} 1$/m],
      ['the clock is set back', () => clock.set(START + HOUR - 1), /^hc_check_grace\{.*\} 0$/m],
      ['the deadline', () => clock.set(START + 2 * HOUR), /^hc_checks_down_total 1$/m],
      ['a ping', () => scene.ping(check), /^hc_checks_down_total 0$/m],
      ['the end', () => deleteCheck(deps, actor, check.id), /^hc_checks_total 0$/m],
    ];
    for (const [what, act, line] of steps) {
      await act();
      assert.match(await scene.metrics(), line, what);
    }
  });

  test('while the checks change all the time, one text is made at a time and those who wait share the next', async () => {
    await using scene = await startScene(UP);
    const { marks } = scene.app.deps.store;
    const touch = () =>
      marks.note([{ projectId: scene.project.id, checkIds: [1], channelIds: [], touchesStatus: false }]);

    await Promise.all(
      Array.from({ length: 20 }, () => {
        const text = scene.metrics();
        touch();
        return text;
      }),
    );

    assert.ok(scene.asked.length <= 3, `${scene.asked.length}`);
  });

  test('metrics of a project are made for nobody else', async () => {
    await using scene = await startScene(UP);
    await using other = await startScene();

    assert.match(await scene.metrics(), /hc_checks_total 1/);
    assert.match(await other.metrics(), /hc_checks_total 0/);
  });
});
