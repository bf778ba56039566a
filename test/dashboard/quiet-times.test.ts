import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_QUIET_TIMES } from '../../src/domain/check/quiet-time.ts';
import { START, sharedTestApp, type TestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { actsIn, givenMember, givenTeam, join } from './team.ts';

const NOW = Math.floor(START / 1_000_000);
const HOUR = 3_600;

/** A person with a project, and what they do to its quiet times. */
async function given(app: TestApp) {
  const team = await givenTeam(app);
  const { browser, path } = team;
  return {
    ...team,
    post: (act: string, input: object) => browser.post(`${path}/do/${act}`, input),
    announce: (input: object) => browser.post(`${path}/do/announceQuietTime`, input),
    shown: async () => (await browser.get(`${path}/read/quietTimes`)).json.quietTimes,
  };
}

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('a quiet time is shown with its state, what it covers and who made it, and is stopped', async () => {
    const { announce, shown, post, project, account } = await given(app());
    const web = await app().givenCheck(project, { tags: 'web prod', name: 'shop' });
    const db = await app().givenCheck(project, { tags: 'db', name: '', slug: 'db-backup' });
    await app().givenCheck(project, { tags: 'other' });
    const made = await announce({ name: 'deploy 412', tags: 'web', checks: [db.uuid], duration: HOUR });
    assert.deepEqual([made.status, made.json.isNew], [200, true]);

    const [quietTime] = await shown();

    const from = new Date(NOW * 1_000).toISOString().replace('.000Z', '+00:00');
    assert.deepEqual(quietTime, {
      ...{ uuid: made.json.uuid, name: 'deploy 412', reason: '', made_by: account.email, tags: 'web' },
      ...{ state: 'running', from, until: from.replace(/T(\d\d)/, (_all, hour) => `T${plusOne(hour)}`) },
      ...{ schedule: null, tz: null, duration: HOUR, words: null, covered: 2, isWhole: false },
      checks: [{ key: db.uniqueKey, uuid: db.uuid, name: 'db-backup' }],
    });
    assert.equal((await app().deps.store.checks.byId(web.id))?.quietUntilAt, (NOW + HOUR) * 1_000_000);
    const stopped = await post('stopQuietTime', { quietTime: made.json.uuid });
    assert.deepEqual([stopped.status, stopped.json], [200, { next: null }]);
    assert.deepEqual(await shown(), []);
    assert.deepEqual(
      (await actsIn(app(), project)).map(({ action }) => action),
      ['quiet_time.created', 'quiet_time.stopped'],
    );
  });

  test('what fails and comes up in a quiet time is no downtime on the page of the check', async () => {
    const { announce, project, browser } = await given(app());
    const check = await app().givenCheck(project, { status: 'up', lastPingAt: START, createdAt: START });
    await announce({ name: 'deploy', duration: HOUR });
    await app().receive(check, 'fail');
    app().clock.advance({ minutes: 50 });
    await app().receive(check, 'success');
    app().clock.advance({ minutes: 50 });

    const { months } = (await browser.get(`/checks/${check.uuid}/read/checkPage`)).json;

    assert.deepEqual([months[0].down.seconds, months[0].down.uptime], [0, '100']);
  });

  test('one that comes again has its schedule in words, and its stop says when it comes next', async () => {
    const { announce, shown, post, project } = await given(app());
    for (const name of ['a', 'b']) await app().givenCheck(project, { name });
    const minute = new Date(NOW * 1_000).toISOString().slice(11, 16);
    const { json } = await announce({
      name: 'daily',
      schedule: `*-*-* ${minute}`,
      tz: 'UTC',
      duration: HOUR,
    });

    const [daily] = await shown();

    assert.deepEqual(
      [daily.state, daily.words, daily.tz, daily.covered, daily.checks],
      ['running', `Every day at ${minute}`, 'UTC', 2, []],
    );
    const { next } = (await post('stopQuietTime', { quietTime: json.uuid })).json;
    assert.equal(Date.parse(next), Math.floor(NOW / 60) * 60_000 + 86_400_000);
    assert.equal((await shown())[0].state, 'coming');
  });

  test('an edit replaces all of it, and a second one of the name moves the end', async () => {
    const { announce, shown, post } = await given(app());
    const first = await announce({ name: 'deploy', duration: HOUR, tags: 'web' });
    const second = await announce({ name: 'deploy', duration: 2 * HOUR });
    assert.deepEqual([second.json.uuid, second.json.isNew], [first.json.uuid, false]);
    const coming = { quietTime: first.json.uuid, name: 'later', from: NOW + HOUR, until: NOW + 3 * HOUR };

    assert.equal((await post('editQuietTime', coming)).status, 204);

    const [one, ...others] = await shown();
    assert.deepEqual([one.name, one.state, one.duration, one.tags], ['later', 'coming', 2 * HOUR, '']);
    assert.deepEqual(others, []);
    assert.equal((await post('deleteQuietTime', { quietTime: one.uuid })).status, 204);
    assert.deepEqual(await shown(), []);
  });

  test('what cannot be is refused with the field named', async () => {
    const { announce, post, project } = await given(app());
    await app().givenCheck(project, { slug: 'twin' });
    const refusals = [
      [{}, 'until'],
      [{ duration: 59 }, 'duration'],
      [{ duration: 2_592_001 }, 'duration'],
      [{ until: NOW - 1 }, 'until'],
      [{ from: NOW + HOUR, until: NOW + HOUR + 59 }, 'until'],
      [{ from: NOW + 367 * 86_400, duration: HOUR }, 'from'],
      [{ schedule: '0 3 * * 9', duration: HOUR }, 'schedule'],
      [{ schedule: '0 0 30 2 *', duration: HOUR }, 'schedule'],
      [{ schedule: '0 3 * * *' }, 'duration'],
      [{ schedule: '0 3 * * *', duration: 90_000 }, 'duration'],
      [{ schedule: '0 3 * * *', duration: HOUR, tz: 'Riga' }, 'tz'],
      [{ duration: HOUR, checks: ['nobody'] }, 'checks'],
      [{ duration: HOUR, checks: Array.from({ length: 501 }, () => 'twin') }, 'checks'],
      [{ duration: HOUR, name: 'x'.repeat(61) }, 'name'],
      [{ duration: HOUR, name: ' ' }, 'name'],
      [{ duration: HOUR, reason: 'x'.repeat(201) }, 'reason'],
    ] as const;
    const { uuid: quietTime } = (await announce({ duration: HOUR })).json;

    for (const act of ['announceQuietTime', 'editQuietTime'])
      for (const [input, field] of refusals) {
        const named = act === 'editQuietTime' ? { quietTime } : {};
        const { status, json } = await post(act, { ...named, ...input });
        assert.deepEqual([status, json.field], [400, field], `${act} ${JSON.stringify(input).slice(0, 80)}`);
      }
  });

  test('a project has so many that run or will come, and no more', async () => {
    const { announce, post, project } = await given(app());
    const { uuid: quietTime } = (await announce({ name: 'first', duration: HOUR })).json;
    await app().deps.store.transaction(async (tx) => {
      const one = (await tx.quietTimes.byUuid(project.id, quietTime)) ?? assert.fail();
      for (let n = 1; n < MAX_QUIET_TIMES; n++)
        await tx.quietTimes.insert({ ...one, uuid: app().deps.random.uuid(), name: `coming ${n}` });
    });

    const refused = await announce({ name: 'one more', duration: HOUR });

    assert.deepEqual([refused.status, refused.json.code], [403, 'quiet_time_limit_reached']);
    assert.equal((await post('stopQuietTime', { quietTime })).status, 200);
    assert.equal((await announce({ name: 'one more', duration: HOUR })).status, 200);
  });

  test('without the checks that it names a quiet time is not about all, and tells nothing of where they are', async () => {
    const { announce, shown, post, project, account } = await given(app());
    const other = await givenTeam(app());
    await app().givenCheck(project, { name: 'stays' });
    const check = await app().givenCheck(project, { name: 'goes' });
    await announce({ name: 'deploy', checks: [check.uuid], duration: HOUR });
    await join(app(), other.project, account, 'member');
    assert.equal(
      (await post('moveChecks', { checks: [check.uuid], target: other.project.uuid })).status,
      200,
    );

    const [quietTime] = await shown();

    assert.deepEqual([quietTime.isWhole, quietTime.checks, quietTime.covered], [false, [], 0]);
  });

  test('whoever may only read sees quiet times without addresses of checks, and changes nothing', async () => {
    const { announce, path, project } = await given(app());
    const check = await app().givenCheck(project, { name: 'shop' });
    const { uuid: quietTime } = (await announce({ name: 'deploy', checks: [check.uuid], duration: HOUR }))
      .json;
    const { browser } = await givenMember(app(), project, 'read_only');

    const { text, json } = await browser.get(`${path}/read/quietTimes`);

    assert.deepEqual(json.quietTimes[0].checks, [{ key: check.uniqueKey, uuid: null, name: 'shop' }]);
    assert.ok(!text.includes(check.uuid));
    for (const [act, input] of [
      ['announceQuietTime', { duration: HOUR }],
      ['editQuietTime', { quietTime, duration: HOUR }],
      ['stopQuietTime', { quietTime }],
      ['deleteQuietTime', { quietTime }],
    ] as const) {
      const refused = await browser.post(`${path}/do/${act}`, input);
      assert.deepEqual([refused.status, refused.json.code], [403, 'permission_denied'], act);
    }
  });

  test('quiet times and checks of another project are not found', async () => {
    const own = await given(app());
    const stranger = await given(app());
    const check = await app().givenCheck(own.project, { slug: 'shop' });
    const { uuid: quietTime } = (await own.announce({ name: 'deploy', duration: HOUR })).json;

    for (const [act, input] of [
      ['editQuietTime', { quietTime, duration: HOUR }],
      ['stopQuietTime', { quietTime }],
      ['deleteQuietTime', { quietTime }],
    ] as const) {
      const refused = await stranger.post(act, input);
      assert.deepEqual([refused.status, refused.json.code], [404, 'quiet_time_not_found'], act);
    }
    const foreign = await stranger.announce({ checks: [check.uuid], duration: HOUR });
    assert.deepEqual([foreign.status, foreign.json.field], [400, 'checks']);
    assert.equal((await stranger.announce({ name: 'all', duration: HOUR })).status, 200);

    assert.deepEqual(
      (await own.shown()).map(({ name }: { name: string }) => name),
      ['deploy'],
    );
    assert.equal((await stranger.shown())[0].covered, 0);
  });
});

const plusOne = (hour: string) => String((Number(hour) + 1) % 24).padStart(2, '0');
