import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyCheck, moveCheck } from '../../src/services/check/check-moves.ts';
import { setPolicyOfChecks } from '../../src/services/check/check-policies.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { drain, type Fixture, fixture, told } from '../alerts.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { checkRecord } from '../records.ts';
import { assertStatus } from './answers.ts';

type Json = Record<string, unknown>;

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  function client(key: string) {
    const ask = (method: string) => async (path: string, body?: unknown) => {
      const reply = await app().request(method, `/api/v3/${path}`, { key, body });
      return { ...reply, json: reply.json as Json };
    };
    return { get: ask('GET'), post: ask('POST'), remove: ask('DELETE') };
  }

  /** A check that is up, in a project with a policy `hour` that waits an hour. */
  async function withHour(tags = 'db'): Promise<Fixture & ReturnType<typeof client>> {
    const f = await fixture(app(), { tags });
    const asked = client(f.key);
    assertStatus(await asked.post('policies/', { name: 'hour', wait: 3600 }), 201);
    return { ...f, ...asked };
  }

  const own = ({ check }: Fixture) => `checks/${check.uuid}`;

  test('a check has a policy of its own by name or UUID, shown in version 3 where it is set', async () => {
    const f = await withHour();
    assert.equal((await f.get(own(f))).json.policy, undefined);

    assert.equal((await f.post(own(f), { policy: 'hour' })).json.policy, 'hour');
    const [{ uuid } = {}] = (await f.get('policies/')).json.policies as Json[];
    assertStatus(await f.post(own(f), { policy: '' }), 200);
    assert.equal((await f.post(own(f), { policy: uuid })).json.policy, 'hour');
    const shown = (await f.get(own(f))).json;
    assert.equal(Object.keys(shown).at(-1), 'policy');
    for (const version of ['v1', 'v2']) {
      const { json } = await app().request('GET', `/api/${version}/${own(f)}`, { key: f.key });
      assert.equal((json as Json).policy, undefined);
    }
    const older = await app().request('POST', `/api/v2/${own(f)}`, { key: f.key, body: { policy: '' } });
    assertStatus(older, 200);
    assert.equal((await f.get(own(f))).json.policy, 'hour');
  });

  test('an unknown policy, or one of another project, is refused in the same words', async () => {
    const other = await withHour();
    const [{ uuid } = {}] = (await other.get('policies/')).json.policies as Json[];
    const { key } = await app().givenProject();
    const { post } = client(key);
    for (const policy of ['nothing', uuid, 'hour']) {
      const { status, json } = await post('checks/', { name: 'a', policy });
      assert.deepEqual(
        [status, json.error],
        [400, `json validation error: invalid policy: ${String(policy)}`],
      );
    }
    const { json } = await post('checks/', { policy: 7 });
    assert.equal(json.error, 'json validation error: policy is not a string');
  });

  test('to tell the next is chosen nowhere before somebody has said whom, and nothing changes', async () => {
    const f = await fixture(app());
    const { get, post } = client(f.key);
    const policy = 'then-next';
    for (const [path, body] of [
      ['checks/', { name: 'another', policy }],
      [own(f), { policy }],
      ['alerting/', { policy: '', tags: [{ tag: 'db', policy }] }],
      ['alerting/', { policy, tags: [] }],
    ] as const) {
      const { status, json } = await post(path, body);
      assert.deepEqual(
        [status, json.error],
        [400, 'json validation error: policy.then is missing: then-next needs integrations to tell next'],
      );
    }
    const setForMany = setPolicyOfChecks(app().deps, systemActor(f.check.projectId), [f.check.uuid], policy);
    await assert.rejects(setForMany, { code: 'invalid_field', field: 'then' });

    assert.deepEqual((await get('policies/')).json.policies, []);
    assert.deepEqual((await get('alerting/')).json, { policy: 'at-once', tags: [] });
    assert.equal(((await get('checks/')).json.checks as Json[]).length, 1);
    assert.equal((await get(own(f))).json.policy, undefined);
  });

  test('each name that everybody knows becomes one policy of the project, wherever it is chosen', async () => {
    const { key } = await app().givenProject();
    const { get, post } = client(key);
    for (const policy of ['patient', 'keep-reminding', 'at-once'])
      assert.equal((await post('checks/', { name: policy, policy })).json.policy, policy);
    await post('alerting/', { policy: 'patient', tags: [{ tag: 'db', policy: 'keep-reminding' }] });
    const { policies } = (await get('policies/')).json as { policies: Json[] };
    assert.deepEqual(
      policies.map(({ name }) => name),
      ['patient', 'keep-reminding'],
    );
  });

  test('what everybody knows by name is stored once, as everybody knows it, by a check, a tag or the project', async () => {
    const { key, project } = await app().givenProject();
    const { get, post } = client(key);
    const phone = await app().givenChannel(project, { name: 'Phone' });
    const tell = (uuid: string) => Object.fromEntries([['then', [{ after: 900, tell: [uuid] }]]]);
    assertStatus(
      await post('calendars/', {
        ...{ name: 'working-hours', schedule: 'Mon..Fri 08:00', tz: 'Europe/Riga', duration: 36_000 },
      }),
      201,
    );
    assertStatus(await post('policies/', { name: 'then-next', ...tell('Phone') }), 201);
    const places: readonly ((policy: string) => Promise<unknown>)[] = [
      (policy) => post('checks/', { name: policy, policy }),
      (policy) => post('alerting/', { policy: '', tags: [{ tag: 'db', policy }] }),
      (policy) => post('alerting/', { policy, tags: [] }),
    ];
    const known = {
      twice: { bad_runs: 2 },
      patient: { wait: 900 },
      'working-hours': { hours: 'working-hours', always_tags: 'important' },
      'keep-reminding': { again: 1800, again_most: 48 },
      'then-next': tell(phone.uuid),
    };

    for (const policy of [...Object.keys(known), 'at-once'])
      for (const choose of places) await choose(policy);

    const { policies } = (await get('policies/')).json as { policies: Json[] };
    assert.deepEqual(
      Object.fromEntries(policies.map(({ uuid: _uuid, name, ...rules }) => [name, rules])),
      known,
    );
    assert.equal(policies.length, Object.keys(known).length);
    const { checks } = (await get('checks/')).json as { checks: Json[] };
    assert.deepEqual(
      checks.map(({ policy }) => policy),
      [...Object.keys(known), 'at-once'],
    );
  });

  test("the check's own policy beats that of its tag, and that of a tag the project's; at-once is one, too", async () => {
    for (const [policy, tags, isTold] of [
      ['at-once', 'db', true],
      ['', 'db', false],
      ['', 'urgent', true],
      ['', 'db urgent', true],
      ['', 'web', false],
      ['hour', 'urgent', false],
    ] as const) {
      const f = await withHour(tags);
      await f.post('alerting/', {
        policy: 'hour',
        tags: [
          { tag: 'urgent', policy: 'at-once' },
          { tag: 'db', policy: 'hour' },
        ],
      });
      await f.post(own(f), { policy });
      await f.app.receive(f.check, 'fail');
      await drain(f);
      assert.equal(told(f).length > 0, isTold, `${policy}, ${tags}`);
    }
  });

  test('an edit of policy or tags decides about the open outage within a second', async () => {
    for (const edit of [{ policy: '' }, { tags: 'web' }]) {
      const f = await withHour('db');
      await f.post('alerting/', { policy: '', tags: [{ tag: 'db', policy: 'hour' }] });
      if ('policy' in edit) await f.post(own(f), { policy: 'hour', tags: '' });
      await f.app.receive(f.check, 'fail');
      await drain(f);
      assert.deepEqual(told(f), []);

      await f.post(own(f), edit);
      f.app.clock.advance({ seconds: 1 });
      await drain(f);
      assert.deepEqual(told(f), ['down'], JSON.stringify(edit));
    }
  });

  test('many checks are set in one act, with one entry in the log', async () => {
    const f = await withHour();
    const project = await app().deps.store.projects.byId(f.check.projectId);
    assert.ok(project !== null);
    const rows = Array.from({ length: 499 }, () => checkRecord(project.id));
    const others = await app().deps.store.transaction((tx) => tx.checks.insertAll(rows));
    const foreign = await app().givenCheck((await app().givenProject()).project);
    const uuids = [f.check, ...others, foreign].map(({ uuid }) => uuid);
    await f.app.receive(f.check, 'fail');
    const actor = systemActor(project.id, {
      accountId: null,
      name: 'Anna',
      means: 'session',
      remoteAddr: null,
    });

    const { done, refused } = await setPolicyOfChecks(app().deps, actor, uuids, 'hour');

    assert.deepEqual([done.length, refused.get('check_not_found')?.uuids], [500, [foreign.uuid]]);
    const stored = await app().deps.store.checks.ofPolicy(project.id, 'hour');
    assert.equal(stored.length, 500);
    const page = { after: null, from: null, before: null, most: 20 };
    const acts = await app().deps.store.auditLog.page({ projectId: project.id }, page);
    assert.deepEqual(
      acts.filter(({ actor: name }) => name === 'Anna').map(({ action }) => action),
      ['project.checks_policy_set'],
    );
  });

  test('a policy that tags and checks use is deleted only by force, and is renamed in both', async () => {
    const f = await withHour();
    await f.post(own(f), { policy: 'hour', name: 'backup' });
    await f.post('alerting/', { policy: 'hour', tags: [{ tag: 'db', policy: 'hour' }] });
    const [{ uuid } = {}] = (await f.get('policies/')).json.policies as Json[];
    await f.post(`policies/${uuid}`, { name: 'sixty' });
    assert.equal((await f.get(own(f))).json.policy, 'sixty');
    const alerting = (await f.get('alerting/')).json;
    assert.deepEqual(alerting, { policy: 'sixty', tags: [{ tag: 'db', policy: 'sixty' }] });

    const refused = await f.remove(`policies/${uuid}`);
    assert.deepEqual(
      [refused.status, refused.json.error],
      [409, 'policy is in use: the project, tag db, check backup'],
    );
    await f.app.receive(f.check, 'fail');
    assertStatus(await f.remove(`policies/${uuid}?force=1`), 200);
    assert.equal((await f.get(own(f))).json.policy, undefined);
    assert.deepEqual((await f.get('alerting/')).json, { policy: 'at-once', tags: [] });
    await drain(f);
    assert.deepEqual(told(f), ['down']);
  });

  test('a copy in the project keeps the policy; a check in another project has none', async () => {
    const f = await withHour();
    await f.post(own(f), { policy: 'hour' });
    const here = systemActor(f.check.projectId);
    const there = systemActor((await app().givenProject()).project.id);

    const copy = await copyCheck(app().deps, here, f.check.id, here);
    const away = await copyCheck(app().deps, here, f.check.id, there);
    await moveCheck(app().deps, here, f.check.id, there);

    const moved = await app().deps.store.checks.byId(f.check.id);
    assert.deepEqual([copy.check.policy, away.check.policy, moved?.policy], ['hour', '', '']);
  });
});
