import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import type { PolicyRulesEdit } from '../../src/domain/policy/rules.ts';
import { type Instant, seconds, toIsoSeconds } from '../../src/lib/instant.ts';
import { acknowledgeCheck } from '../../src/services/alert/answers.ts';
import { createCalendar } from '../../src/services/alert/calendars.ts';
import { switchChannelOff, switchChannelOn } from '../../src/services/alert/channels.ts';
import { createPolicy, setAlerting } from '../../src/services/alert/policies.ts';
import { updateCheck } from '../../src/services/check/checks.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import { CheckBoards } from '../../src/views/check-boards.ts';
import { drain, FakeSender, newNotifier } from '../alerts.ts';
import { SITE, sharedTestApp } from '../app.ts';
import { counted } from '../counted-driver.ts';
import { forOneEngine, openTestDriver } from '../engines.ts';
import { givenTeam } from './team.ts';

const MINUTE = seconds(60);

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A project with these rules, whose checks tell one integration; another one is assigned to none. */
  async function givenRules(rules: (next: string) => PolicyRulesEdit) {
    const team = await givenTeam(app());
    const actor = systemActor(team.project.id);
    const channel = await app().givenChannel(team.project, { name: 'Chat' });
    const next = await app().givenChannel(team.project, { name: 'Phone' });
    await createPolicy(app().deps, actor, 'own', rules(next.uuid));
    await setAlerting(app().deps, actor, { policy: 'own', tags: [] });
    const givenUp = async (name: string, more: Partial<Check> = {}) => {
      const lastPingAt = app().clock.now();
      const given = await app().givenCheck(team.project, { name, status: 'up', lastPingAt, ...more });
      await app().assign(given, channel);
      return given;
    };
    const givenDown = async (name: string) => {
      const given = await givenUp(name);
      await app().receive(given, 'fail');
      return given;
    };
    const { browser, path } = team;
    return {
      ...{ ...team, actor, channel, next, givenUp, givenDown },
      head: async () => (await browser.get(`${path}/read/checkHead`)).json,
      row: async (check: Check) =>
        (await browser.post(`${path}/read/checkRows`, { keys: [check.uniqueKey] })).json[0],
      details: async (check: Check) =>
        (await browser.post(`${path}/read/checkDetails`, { keys: [check.uniqueKey] })).json[0],
      page: async (check: Check) => (await browser.get(`/checks/${check.uuid}/read/checkPage`)).json,
      send: () => drain({ app: app(), notifier: newNotifier(app(), new FakeSender()) }),
    };
  }

  // biome-ignore lint/suspicious/noThenProperty: it is the name in requests, and its value is no function.
  const stepTo = (next: string) => ({ then: [{ after: 2700, tell: [next] }] });
  const repeatThenNext = (next: string): PolicyRulesEdit => ({ again: 1800, ...stepTo(next) });

  const iso = (at: Instant) => toIsoSeconds(at);

  test('a row and the page name the next repeat and who is told next, until nothing is left', async () => {
    const { browser, givenDown, details, page, send, channel, next } = await givenRules(repeatThenNext);
    const began = app().clock.now();
    const check = await givenDown('job');
    await send();

    const ahead = [
      { kind: 'again', at: iso(began + 30 * MINUTE), channels: [channel.uuid] },
      { kind: 'then', at: iso(began + 45 * MINUTE), channels: [next.uuid] },
      { kind: 'stays_down', until: 'success', toldAgain: null },
    ];
    assert.deepEqual((await details(check)).ahead, ahead);
    const coming = async () =>
      (await page(check)).fuse.flatMap(
        ({ kind, at, tells }: { kind: string; at: string; tells: string[] }) =>
          tells.length === 0 ? [] : [{ kind, at, channels: tells }],
      );
    assert.deepEqual(await coming(), ahead.slice(0, 2));

    app().clock.advance({ minutes: 30 });
    await send();
    const { told, ahead: later } = await details(check);
    assert.equal(told.length, 1);
    assert.equal(told[0].again, iso(began + 30 * MINUTE));
    assert.deepEqual(
      later.map(({ kind, at }: { kind: string; at?: string }) => [kind, at]),
      [
        ['then', iso(began + 45 * MINUTE)],
        ['again', iso(began + 60 * MINUTE)],
        ['stays_down', undefined],
      ],
    );
    assert.deepEqual((await coming())[0], {
      ...{ kind: 'told_again', at: iso(began + 30 * MINUTE), channels: [channel.uuid] },
    });
    app().clock.advance({ minutes: 15 });
    await send();
    const { events } = (await browser.post(`/checks/${check.uuid}/read/checkEvents`, { filter: '' })).json;
    const { deliveries } = events.find(({ kind }: { kind: string }) => kind === 'flip');
    assert.deepEqual(
      deliveries.map(({ because }: { because?: string }) => because),
      [undefined, 'again', 'step'],
    );
  });

  test('whoever acknowledges ends what comes, and taken back it comes again', async () => {
    const { givenDown, details, page, send, actor, browser } = await givenRules(repeatThenNext);
    const check = await givenDown('job');
    await send();
    await acknowledgeCheck(app().deps, actor, check.id);

    const kinds = async () => (await details(check)).ahead.map(({ kind }: { kind: string }) => kind);
    assert.deepEqual(await kinds(), ['stays_down']);
    const stations = (await page(check)).fuse.map(({ kind }: { kind: string }) => kind);
    assert.deepEqual(stations, ['failed', 'told', 'acknowledged', 'due']);
    assert.equal((await browser.post(`/checks/${check.uuid}/do/unacknowledgeCheck`)).status, 204);
    assert.deepEqual(await kinds(), ['again', 'then', 'stays_down']);
  });

  test('an edit of the rules shows at once', async () => {
    const { givenDown, details, send, actor } = await givenRules(repeatThenNext);
    const check = await givenDown('job');
    await send();
    assert.equal((await details(check)).ahead.length, 3);

    await setAlerting(app().deps, actor, { policy: '', tags: [] });
    await send();

    assert.deepEqual((await details(check)).ahead, [
      { kind: 'stays_down', until: 'success', toldAgain: 'nobody' },
    ]);
  });

  test('the first of two bad runs is told with the time of the second, on the list and on the page', async () => {
    const { details, head, page, row, channel, givenUp, send } = await givenRules(() => ({ bad_runs: 2 }));
    const at = app().clock.now();
    const check = await givenUp('job', { timeoutSeconds: 3600, graceSeconds: 600 });
    app().clock.advance({ minutes: 71 });
    await send();

    const tells = { at: iso(at + 130 * MINUTE), as: 'clock' };
    const badRuns = { count: 1, of: 2, misses: 1 };
    assert.deepEqual((await row(check)).answer.badRuns, badRuns);
    assert.deepEqual((await head()).waiting, [
      {
        ...{ name: 'job', words: ['first of 2 bad runs'] },
        more: ['Told ', tells, ' if the next is missed, too'],
      },
    ]);
    assert.deepEqual((await details(check)).ahead[0], {
      ...{ kind: 'tells', at: tells.at, channels: [channel.uuid], misses: 1 },
    });
    const { sentence, fuse, answer } = await page(check);
    assert.deepEqual(sentence.slice(2), [' · ', 'nobody told yet', ': ', 'first of 2 bad runs']);
    assert.deepEqual(answer.badRuns, badRuns);
    const station = fuse.find(({ kind }: { kind: string }) => kind === 'tells');
    assert.deepEqual([station.at, station.tells], [tells.at, [channel.uuid]]);

    app().clock.set(at + 130 * MINUTE);
    await send();
    assert.equal((await row(check)).answer, null);
  });

  test('a check that waits for another one names it and since when it is down, on the list and on the page', async () => {
    const { givenUp, givenDown, actor, browser, row, details, page, head } = await givenRules(() => ({}));
    const router = await givenDown('router');
    const downAt = iso(app().clock.now());
    app().clock.advance({ minutes: 1 });
    const children: Check[] = [];
    for (const name of ['a', 'b', 'c']) {
      const check = await givenUp(name);
      await updateCheck(app().deps, actor, check.id, { edit: { parents: router.uuid } });
      await app().receive(check, 'fail');
      children.push(check);
    }
    const [child = assert.fail()] = children;

    const waits = { kind: 'held', by: 'router', at: downAt, until: null, parent: router.uniqueKey };
    assert.deepEqual((await row(child)).answer, waits);
    assert.deepEqual((await page(child)).answer, waits);
    const words = [' · ', 'waits for router', ', down since ', { at: downAt, as: 'clock' }];
    assert.deepEqual((await page(child)).sentence.slice(2), words);
    assert.deepEqual((await details(child)).sentence.slice(2), words);
    const { counts, lanes } = await head();
    assert.deepEqual([counts.down, counts.held], [1, 3]);
    assert.deepEqual(new Set(lanes.map(({ by }: { by: string | null }) => by)), new Set([null]));
    assert.equal((await browser.post(`/checks/${router.uuid}/do/pauseCheck`)).status, 204);
    assert.equal((await row(child)).answer?.by ?? null, null);
  });

  test('the page says by which rule outages are told, and when each integration is told next', async () => {
    const { givenUp, page, send, channel, next, actor, project } = await givenRules(repeatThenNext);
    const began = app().clock.now();
    const opens = Math.ceil(began / (60 * MINUTE)) * 60 * MINUTE + 120 * MINUTE;
    await createCalendar(app().deps, actor, {
      ...{ name: 'later', schedule: `0 ${new Date(opens / 1_000).getUTCHours()} * * *`, tz: 'UTC' },
      ...{ durationSeconds: 3600, exceptDates: '' },
    });
    const pager = await app().givenChannel(project, {
      ...{ name: 'Pager', settings: { email: 'pager@example.org', hours: 'later' } },
    });
    const check = await givenUp('job');
    await app().assign(check, channel, pager);
    await app().receive(check, 'fail');
    await send();

    const { whenToTell, channels } = await page(check);
    assert.deepEqual(whenToTell, {
      ...{ name: 'own', because: 'project', isUnknown: false },
      rules: { again: 1800, ...stepTo(next.uuid) },
    });
    const shown = Object.fromEntries(channels.map((one: { name: string }) => [one.name, one]));
    assert.deepEqual(
      ['Chat', 'Phone', 'Pager'].map((name) => [shown[name].next, shown[name].isOutsideHours]),
      [
        [{ at: iso(began + 30 * MINUTE), isAgain: true }, false],
        [{ at: iso(began + 45 * MINUTE), isAgain: false }, false],
        [{ at: iso(opens), isAgain: false }, true],
      ],
    );
    assert.deepEqual([shown.Chat.told.state, shown.Phone.told], ['delivered', null]);
  });

  test('of a check without an integration somebody is told if its rule tells one that is on', async () => {
    const { head, actor, project, next } = await givenRules(repeatThenNext);
    const check = await app().givenCheck(project, {
      name: 'job',
      status: 'up',
      lastPingAt: app().clock.now(),
    });
    assert.equal((await head()).untold.count, 0);
    await app().receive(check, 'fail');
    assert.deepEqual((await head()).told.unassigned.count, 0);

    await switchChannelOff(app().deps, actor, next.uuid);
    assert.equal((await head()).told.unassigned.count, 1, 'it is off');
    await switchChannelOn(app().deps, actor, next.uuid);
    await setAlerting(app().deps, actor, { policy: '', tags: [] });
    assert.equal((await head()).told.unassigned.count, 1);
  });

  test('a late check says when somebody is told first if it goes down, also where only a later step names them', async () => {
    const { givenUp, details, page, channel, next, actor } = await givenRules(stepTo);
    const at = app().clock.now();
    const late = { timeoutSeconds: 3600, graceSeconds: 600 };
    const [alone, told] = [await givenUp('alone', late), await givenUp('told', late)];
    await app().assign(alone);
    app().clock.advance({ minutes: 65 });
    const down = { kind: 'goes_down', at: iso(at + 70 * MINUTE) };
    const later = { kind: 'tells', at: iso(at + 115 * MINUTE), channels: [next.uuid], misses: 0 };
    const ahead = async (check: Check) => (await details(check)).ahead;
    const stations = async (check: Check) =>
      (await page(check)).fuse
        .slice(-2)
        .map(({ kind, tells, misses }: Record<string, unknown>) => [kind, tells, misses]);

    assert.deepEqual(await ahead(alone), [{ ...down, tells: null }, later]);
    assert.deepEqual((await details(alone)).toldByRule, [next.uuid]);
    assert.deepEqual(await stations(alone), [
      ['goes_down', [], null],
      ['tells', [next.uuid], 0],
    ]);
    assert.deepEqual(await ahead(told), [{ ...down, tells: [channel.uuid] }]);
    assert.deepEqual((await stations(told)).at(-1), ['goes_down', [], null]);

    await switchChannelOff(app().deps, actor, next.uuid);
    assert.deepEqual(await ahead(alone), [{ ...down, tells: [] }], 'nobody');
    await setAlerting(app().deps, actor, { policy: '', tags: [] });
    assert.deepEqual([await ahead(alone), await ahead(told)], [[down], [down]]);
    const twice = await createPolicy(app().deps, actor, 'second', { bad_runs: 2 });
    await setAlerting(app().deps, actor, { policy: twice.name, tags: [] });
    assert.deepEqual(await ahead(told), [
      { ...down, tells: null },
      { kind: 'tells', at: iso(at + 130 * MINUTE), channels: [channel.uuid], misses: 1 },
    ]);
  });

  test('rules that a newer version has written are told at once, and the page says so', async () => {
    const { givenDown, actor, page, details, send } = await givenRules(() => ({ bad_runs: 3 }));
    await app().deps.store.transaction(async (tx) => {
      const [stored = assert.fail()] = await tx.policies.ofProject(actor.projectId);
      await tx.policies.update({ ...stored, rules: '{"bad_runs":3,"of_a_newer_version":1}' });
    });
    const check = await givenDown('job');
    await send();

    const { whenToTell, channels } = await page(check);
    assert.deepEqual([whenToTell.isUnknown, whenToTell.rules], [true, {}]);
    assert.equal(channels[0].told.state, 'delivered');
    const stays = { kind: 'stays_down', until: 'success', toldAgain: 'nobody' };
    assert.deepEqual((await details(check)).ahead, [stays]);
  });

  test('rows of many checks are told with as many statements as one', async () => {
    const { givenDown, send, actor } = await givenRules(repeatThenNext);
    const checks = [await givenDown('a')];
    await send();
    await using inner = await openTestDriver(app().database);
    const { driver, statements } = counted(inner);
    const read = async () => {
      const store = createSqlStore(driver);
      const boards = new CheckBoards({ ...app().deps, store }, { site: SITE, isOnlyNode: true });
      const keys = checks.map(({ uniqueKey }) => uniqueKey);
      statements.sql = [];
      const rows = await lastOf(boards.details(actor, keys, app().clock));
      const ofPlans = statements.sql.filter((sql) => !/from (pings|flips|attempts)/.test(sql));
      return { ahead: rows.map(({ ahead }) => ahead.length), statements: ofPlans.length };
    };
    const one = await read();
    assert.deepEqual(one.ahead, [3]);
    for (const name of ['b', 'c', 'd']) checks.push(await givenDown(name));
    await send();

    assert.deepEqual(await read(), { ahead: [3, 3, 3, 3], statements: one.statements });
  });
});

/** What the answer is in the end. */
async function lastOf<Answer>(portions: AsyncGenerator<unknown, Answer>): Promise<Answer> {
  for (;;) {
    const { done, value } = await portions.next();
    if (done === true) return value;
  }
}
