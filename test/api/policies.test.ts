import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drain, type Fixture, fixture } from '../alerts.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertStatus } from './answers.ts';

type Json = Record<string, unknown>;

const names = (count: number) => Array.from({ length: count }, (_, index) => `name-${index}`);

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  function client(key: string) {
    const ask = (method: string) => async (path: string, body?: unknown) => {
      const reply = await app().request(method, `/api/v3/${path}`, { key, body });
      return { ...reply, json: reply.json as Json };
    };
    return { get: ask('GET'), post: ask('POST'), remove: ask('DELETE') };
  }

  /** A check that goes down after 25 hours, in a project with a policy. */
  async function withPolicy(rules: Json, tags = 'db'): Promise<Fixture & ReturnType<typeof client>> {
    const f = await fixture(app(), { tags, lastPingAt: app().clock.now() });
    const asked = client(f.key);
    assertStatus(await asked.post('policies/', { name: 'own', ...rules }), 201);
    assertStatus(await asked.post('alerting/', { policy: 'own' }), 200);
    return { ...f, ...asked };
  }

  async function goDown(f: Fixture): Promise<void> {
    app().clock.advance({ hours: 25 });
    await drain(f);
  }

  /** Lets time pass by minutes, and returns after how many of them something was told, and to whom. */
  async function pass(f: Fixture, count: number): Promise<string[]> {
    const found: string[] = [];
    for (let minute = 0; minute <= count; minute++) {
      const before = f.sender.sent.length;
      await drain(f);
      for (const { channel, event } of f.sender.sent.slice(before))
        if (event.check.uuid === f.check.uuid) found.push(`${minute} ${event.to} ${JSON.stringify(channel)}`);
      app().clock.advance({ minutes: 1 });
    }
    return found.map((line) => line.replace(/ \{.*"(\S+)@.*$/, ' $1'));
  }

  test('policies are made, listed, changed and deleted', async () => {
    const { key } = await app().givenProject();
    const { get, post, remove } = client(key);
    const made = await post('policies/', { name: 'night', wait: 900, again: 3600 });
    assertStatus(made, 201);
    const { uuid } = made.json;
    assert.deepEqual(made.json, { uuid, name: 'night', wait: 900, again: 3600 });

    const changed = await post(`policies/${uuid}`, { again: null, again_most: 3 });
    assert.deepEqual(changed.json, { uuid, name: 'night', wait: 900, again_most: 3 });
    assert.deepEqual((await get('policies/')).json, { policies: [changed.json] });
    assert.deepEqual((await get(`policies/${uuid}`)).json, changed.json);
    assertStatus(await remove(`policies/${uuid}`), 200);
    assertStatus(await get(`policies/${uuid}`), 404);
  });

  test('what is wrong is refused with the field, and a name is taken once', async () => {
    const { key } = await app().givenProject();
    const { post } = client(key);
    for (const [body, error] of [
      [{ name: 'a', again: 1 }, 'json validation error: policy.again is too small'],
      [{ name: 'a', agian: 1 }, 'json validation error: policy has an unknown key "agian"'],
      [{ again: 600 }, 'json validation error: name is missing'],
      [
        { name: 'then-next' },
        'json validation error: policy.then is missing: then-next needs integrations to tell next',
      ],
      [{ name: 'x'.repeat(61) }, 'json validation error: name is too long'],
      [
        { name: 'then-next', ...Object.fromEntries([['then', [{ after: 900, tell: [] }]]]) },
        'json validation error: policy.then.tell is empty',
      ],
      [
        {
          name: 'many',
          ...Object.fromEntries([['then', [{ after: 900, tell: names(21) }]]]),
        },
        'json validation error: policy.then.tell has too many items',
      ],
    ] as const) {
      const { status, json } = await post('policies/', body);
      assert.deepEqual([status, json], [400, { error }]);
    }
    assertStatus(await post('policies/', { name: 'a' }), 201);
    assertStatus(await post('policies/', { name: 'a' }), 409);
  });

  test('integrations and policies of other projects are refused as if there were none', async () => {
    const other = await app().givenProject();
    const channel = await app().givenChannel(other.project);
    const foreign = await client(other.key).post('policies/', { name: 'theirs', wait: 60 });
    const { post, get, remove } = client((await app().givenProject()).key);

    const step = Object.fromEntries([['then', [{ after: 0, tell: [channel.uuid] }]]]);
    const tell = await post('policies/', { name: 'a', ...step });
    assert.deepEqual(
      [tell.status, tell.json],
      [400, { error: `invalid channel identifier: ${channel.uuid}` }],
    );
    for (const name of [foreign.json.uuid, 'theirs']) {
      const set = await post('alerting/', { policy: name });
      assert.deepEqual(
        [set.status, set.json],
        [400, { error: `json validation error: invalid policy: ${name}` }],
      );
    }
    for (const ask of [get, post, remove]) assertStatus(await ask(`policies/${foreign.json.uuid}`), 404);
  });

  test('a name that everybody knows becomes a policy at its first use; at-once stores nothing', async () => {
    const { get, post } = client((await app().givenProject()).key);
    assert.deepEqual((await get('alerting/')).json, { policy: 'at-once', tags: [] });
    await post('alerting/', { policy: 'at-once', tags: [] });
    assert.deepEqual((await get('policies/')).json, { policies: [] });

    const alerting = { policy: 'patient', tags: [{ tag: 'db', policy: 'keep-reminding' }] };
    assert.deepEqual((await post('alerting/', alerting)).json, alerting);
    await post('alerting/', { policy: 'keep-reminding', tags: [{ tag: 'web', policy: 'patient' }] });
    const { policies } = (await get('policies/')).json as { policies: Json[] };
    assert.deepEqual(
      policies.map(({ uuid: _, ...rules }) => rules),
      [
        { name: 'patient', wait: 900 },
        { name: 'keep-reminding', again: 1800, again_most: 48 },
      ],
    );
    assert.deepEqual((await get('alerting/')).json, {
      policy: 'keep-reminding',
      tags: [{ tag: 'web', policy: 'patient' }],
    });
  });

  test('a list of tags has each of them once, and at most a hundred', async () => {
    const { post } = client((await app().givenProject()).key);
    const set = (tags: readonly string[]) =>
      post('alerting/', { tags: tags.map((tag) => ({ tag, as_one: true })) });

    assertStatus(await set(names(100)), 200);
    for (const [tags, error] of [
      [names(101), 'json validation error: alerting.tags has too many items'],
      [['db', 'db'], 'json validation error: alerting.tags has db twice'],
    ] as const) {
      const { status, json } = await set(tags);
      assert.deepEqual([status, json], [400, { error }]);
    }
  });

  test('a tag told as one, with a policy, is another thing than a policy of such a name', async () => {
    const { get, post } = client((await app().givenProject()).key);
    await post('policies/', { name: 'night', wait: 60 });
    await post('policies/', { name: 'night as one', wait: 120 });
    await post('alerting/', { policy: '', tags: [{ tag: 'web', policy: 'night', as_one: true }] });

    await post('alerting/', { policy: '', tags: [{ tag: 'web', policy: 'night as one' }] });

    const alerting = { policy: 'at-once', tags: [{ tag: 'web', policy: 'night as one' }] };
    assert.deepEqual((await get('alerting/')).json, alerting);
  });

  test('a policy in use is not deleted, unless it is forced; then outages are told at once', async () => {
    const f = await withPolicy({ wait: 3600 });
    await goDown(f);
    assert.deepEqual(await pass(f, 5), []);
    const [policy] = ((await f.get('policies/')).json as { policies: Json[] }).policies;
    const refused = await f.remove(`policies/${policy?.uuid}`);
    assert.deepEqual([refused.status, refused.json], [409, { error: 'policy is in use: the project' }]);

    assertStatus(await f.remove(`policies/${policy?.uuid}?force=1`), 200);
    assert.equal((await pass(f, 0)).length, 1);
  });

  test('with a time to wait, what is still down is told then, and what is up is told to nobody', async () => {
    const f = await withPolicy({ wait: 900 });
    await goDown(f);
    assert.deepEqual(
      (await pass(f, 30)).map((line) => line.split(' ').slice(0, 2)),
      [['15', 'down']],
    );

    const other = await withPolicy({ wait: 900 });
    await goDown(other);
    await app().ping(`/${other.check.uuid}`);
    assert.deepEqual(await pass(other, 30), []);
  });

  test('back to telling at once while it waits: told at once', async () => {
    const f = await withPolicy({ wait: 3600 });
    await goDown(f);
    await f.post('alerting/', { policy: '' });
    assert.equal((await pass(f, 0)).length, 1);
  });

  test('repeats come until the most', async () => {
    const f = await withPolicy({ again: 600, again_most: 2 });
    await goDown(f);
    assert.deepEqual(
      (await pass(f, 60)).map((line) => line.split(' ').slice(0, 2)),
      [
        ['10', 'down'],
        ['20', 'down'],
      ],
    );
  });

  test('steps tell others, who hear the end as well; a tag adds one from the start', async () => {
    const f = await fixture(app(), { tags: 'db', lastPingAt: app().clock.now() });
    const { post } = client(f.key);
    const project = await app().deps.store.projects.byId(f.check.projectId);
    assert.ok(project !== null);
    const phone = await app().givenChannel(project, { name: 'Phone' });
    await app().givenChannel(project, { name: 'Boss' });
    const then = [
      { after: 0, tell: ['Phone'] },
      { after: 600, tell: ['Boss', phone.uuid] },
    ];
    assertStatus(await post('policies/', { name: 'steps', ...Object.fromEntries([['then', then]]) }), 201);
    assertStatus(await post('alerting/', { policy: '', tags: [{ tag: 'db', policy: 'steps' }] }), 200);
    await goDown(f);
    assert.equal(f.sender.sent.length, 2);
    assert.deepEqual(
      (await pass(f, 30)).map((line) => line.split(' ').slice(0, 2)),
      [['10', 'down']],
    );
    await app().ping(`/${f.check.uuid}`);
    assert.deepEqual(
      (await pass(f, 0)).map((line) => line.split(' ').slice(0, 2)),
      [
        ['0', 'up'],
        ['0', 'up'],
        ['0', 'up'],
      ],
    );
  });

  test('a key that may only read sees and changes none of it', async () => {
    const { readOnlyKey } = await app().givenProject();
    const { get, post } = client(readOnlyKey);
    for (const path of ['policies/', 'alerting/']) {
      assertStatus(await get(path), 401);
      assertStatus(await post(path, { name: 'a' }), 401);
    }
  });
});
