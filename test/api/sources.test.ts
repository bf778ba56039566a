import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeLines, differenceLines, isDifference } from '../../src/cli/differences.ts';
import { decodeSources } from '../../src/domain/check/sources.ts';
import { toIsoSeconds } from '../../src/lib/instant.ts';
import { parseProvisionFile } from '../../src/provision/parse.ts';
import { adjustCheck, updateCheck } from '../../src/services/check/checks.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { setDeclarationMode } from '../../src/services/ping/declarations.ts';
import { provision } from '../../src/services/provisioning/provision.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertStatus, checkOf } from './answers.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function givenProject() {
    const given = await app().givenProject();
    const send = async (path: string, body: unknown) => {
      const reply = await app().request('POST', `/api/v3/checks/${path}`, { key: given.key, body });
      const json = checkOf(reply);
      return { ...json, uuid: String(json.uuid), sources: json.sources };
    };
    const account = await app().deps.store.accounts.byId(given.ownerId);
    const alice = systemActor(given.project.id, {
      accountId: null,
      name: 'alice@example.org',
      means: 'session',
      remoteAddr: null,
    });
    return { ...given, send, alice, owner: account?.email };
  }

  test('a client of the API has set what it names, also with an equal value', async () => {
    const { send } = await givenProject();

    const made = await send('', { name: 'db', timeout: 86_400 });
    const changed = await send(made.uuid, { grace: 3_600, tz: 'UTC', subject: '' });

    assert.deepEqual(made.sources, { name: 'api', timing: 'api' });
    assert.deepEqual(changed.sources, {
      name: 'api',
      timing: 'api',
      grace: 'api',
      tz: 'api',
      filters: 'api',
    });
  });

  test('the list and the single check tell who has set fields, and only keys that may write see it', async () => {
    const { send, key, readOnlyKey } = await givenProject();
    const made = await send('', { name: 'db' });
    const get = async (path: string, by: string) => {
      const reply = await app().request('GET', path, { key: by });
      assertStatus(reply, 200);
      return reply.json;
    };

    assert.deepEqual(await get(`/api/v3/checks/${made.uuid}`, key), made);
    assert.deepEqual(await get('/api/v3/checks/', key), { checks: [made] });
    for (const [path, by] of [
      [`/api/v3/checks/${made.uuid}`, readOnlyKey],
      [`/api/v1/checks/${made.uuid}`, key],
      [`/api/v2/checks/${made.uuid}`, key],
    ] as const)
      assert.ok(!('sources' in Object(await get(path, by))), path);
  });

  test('people have set what they change on pages, and their name is kept', async () => {
    const { send, alice } = await givenProject();
    const made = await send('', { name: 'db', grace: 60 });
    const { store } = app().deps;
    const before = await store.checks.byUuid(made.uuid);
    assert.ok(before);

    await updateCheck(app().deps, alice, before.id, { edit: { name: 'db', graceSeconds: 90 } });
    await adjustCheck(app().deps, alice, before.id, {
      addTags: ['prod'],
      removeTags: [],
      addChannels: [],
      removeChannels: [],
    });

    const { name, grace, tags, timing } = decodeSources(
      (await store.checks.byUuid(made.uuid))?.sources ?? null,
    );
    assert.deepEqual([name?.by, grace?.by, tags?.by, timing?.by], ['api', 'person', 'person', undefined]);
    assert.equal(grace?.name, 'alice@example.org');
  });

  test('a file has set all that it names, and says so once', async () => {
    const { project, send, owner } = await givenProject();
    const made = await send('', { slug: 'db', grace: 60 });
    const file = `source: infra\nprojects: [{name: '${project.name}', owner: ${owner}, checks: [{slug: db, grace: 60, tags: prod}]}]`;
    const apply = () => provision(app().deps, parseProvisionFile('tocsin.yaml', file));
    const stored = () => app().deps.store.checks.byUuid(made.uuid);

    const first = await apply();
    const after = await stored();
    const second = await apply();

    assert.deepEqual(
      first.flatMap(({ what, fields }) => (what === 'check' ? fields.map(({ name }) => name) : [])),
      ['tags'],
    );
    const { grace, tags, timing } = decodeSources(after?.sources ?? null);
    assert.deepEqual([grace?.by, grace?.name, tags?.by, timing], ['file', 'infra', 'file', undefined]);
    assert.deepEqual(second, []);
    const { revision } = (await app().deps.store.checks.revisionByUuid(made.uuid)) ?? {};
    await apply();
    assert.equal((await app().deps.store.checks.revisionByUuid(made.uuid))?.revision, revision);
  });

  test('a source that keeps edits leaves alone what clients and people have set', async () => {
    const { project, send, owner } = await givenProject();
    const made = await send('', { slug: 'db', grace: 60 });
    const file = `projects: [{name: '${project.name}', owner: ${owner}, checks: [{slug: db, grace: 90, timeout: 300}]}]`;
    const declared = parseProvisionFile('tocsin.yaml', file);

    const writer = { by: 'file', keepsEdits: true } as const;
    const changes = await provision(app().deps, declared, { writer });

    const day = toIsoSeconds(app().clock.now()).slice(0, 10);
    const { name: keyName } =
      decodeSources((await app().deps.store.checks.byUuid(made.uuid))?.sources ?? null).grace ??
      assert.fail();
    const whose = `(set by ${keyName}, ${day})`;
    assert.deepEqual(changeLines(changes.filter(({ what }) => what === 'check')), [
      `updated check ${project.name}/db: timeout`,
      `kept check ${project.name}/db: grace ${whose}`,
    ]);
    const again = await provision(app().deps, declared, { writer });
    assert.deepEqual(differenceLines(again), [
      `= check ${project.name}/db  grace: 60 stays, not 90 ${whose}`,
    ]);
    assert.deepEqual(again.filter(isDifference), []);
    assert.deepEqual(differenceLines(await provision(app().deps, declared, { isDryRun: true })), [
      `~ check ${project.name}/db  grace: 60 → 90 ${whose}`,
    ]);

    const kept = await app().deps.store.checks.byUuid(made.uuid);
    assert.deepEqual([kept?.graceSeconds, kept?.timeoutSeconds], [60, 300]);
    await provision(app().deps, declared);
    assert.equal((await app().deps.store.checks.byUuid(made.uuid))?.graceSeconds, 90);
    assert.deepEqual(await provision(app().deps, declared, { writer }), []);
  });

  test('tools that keep checks by the API find no difference in their second run, whatever jobs declare', async () => {
    const { project, key } = await givenProject();
    await setDeclarationMode(app().deps, systemActor(project.id), 'follow');
    const ask = async (method: string, path: string, body?: object) => {
      const reply = await app().request(method, `/api/v1/${path}`, { key, ...(body && { body }) });
      assert.ok(reply.status < 300, reply.text);
      return { status: reply.status, json: Object(reply.json) };
    };
    const declared = async (uuid: string) => {
      const { headers } = await app().ping(`/${uuid}?schedule=5+4+*+*+*&grace=5m&tags=job`);
      return headers['check-declaration'];
    };
    // As the provider of Terraform does: it creates, and then compares the check in the list with its settings.
    const wanted = {
      ...{ channels: '', desc: 'A check', grace: 120, methods: '', name: 'test-check' },
      ...{ schedule: '0,30 2 * * *', tags: 'go gophers unite', tz: 'Asia/Tokyo' },
    };
    const made = await ask('POST', 'checks/', wanted);
    const id = String(made.json.update_url).split('/').at(-1) ?? '';
    const listed = async () => {
      const { json } = await ask('GET', 'checks/');
      const found = Object(json.checks.find((one: { update_url: string }) => one.update_url.endsWith(id)));
      return Object.fromEntries(Object.keys(wanted).map((name) => [name, found[name]]));
    };

    assert.deepEqual(await listed(), wanted);
    assert.equal(await declared(id), 'kept; tags, schedule, grace');
    assert.deepEqual(await listed(), wanted);

    // As the module of Ansible does: it sends all of its parameters again, and names those that find the check.
    const sent = {
      ...{ name: 'test hourly', tags: 'test hourly', desc: 'my hourly test check', grace: 3_600 },
      ...{ timeout: 3_600, manual_resume: false, methods: '', channels: '', unique: ['name'] },
    };
    const first = await ask('POST', 'checks/', sent);
    const uuid = String(first.json.ping_url).split('/').at(-1) ?? '';
    assert.equal(await declared(uuid), 'kept; tags, schedule, grace');
    const second = await ask('POST', 'checks/', sent);

    assert.deepEqual([first.status, second.status], [201, 200]);
    const settings = ({ json }: typeof first) =>
      ['name', 'slug', 'tags', 'desc', 'grace', 'timeout', 'tz', 'methods', 'ping_url'].map(
        (name) => json[name],
      );
    assert.deepEqual(settings(second), settings(first));
  });
});
