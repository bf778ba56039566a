import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeSources } from '../../src/domain/check/sources.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { buildNode } from '../../src/node/node.ts';
import { parseProvisionFile } from '../../src/provision/parse.ts';
import { provision } from '../../src/services/provisioning/provision.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine, openTestDriver } from '../engines.ts';
import { injectInto } from '../inject.ts';
import { testDatabase, testParts } from '../node-parts.ts';
import { givenPingKey } from '../ping/answers.ts';
import { givenTeam } from './team.ts';

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('the page marks what the job has set, shows what is kept from it, and follows it again', async () => {
    const { project, browser, path } = await givenTeam(app());
    const key = await givenPingKey(app(), project);
    await browser.post(`${path}/do/setJobDeclarations`, { mode: 'follow' });
    await app().ping(`/${key}/job?create=1&schedule=0+3+*+*+*&grace=1h`);
    const [check] = await app().deps.store.checks.ofProject(project.id);
    assert.ok(check);
    const at = `/checks/${check.uuid}`;
    const origins = async () => (await browser.get(`${at}/read/checkPage`)).json.origins;
    const header = async () =>
      (await app().ping(`/${key}/job?schedule=0+3+*+*+*&grace=1h`)).headers['check-declaration'];

    const before = await origins();
    await browser.post(`${at}/do/updateCheck`, { grace: 7_200 });
    app().clock.advance({ minutes: 2 });
    assert.equal(await header(), 'kept; grace');
    const kept = await origins();
    await browser.post(`${at}/do/followJob`, {});
    assert.equal(await header(), 'applied');
    const after = await app().deps.store.checks.byId(check.id);

    const job = { by: 'job', name: 'job', at: '2024-03-01T12:00:00+00:00' };
    assert.deepEqual(before, {
      fields: [
        { field: 'timing', ...job },
        { field: 'grace', ...job },
      ],
      kept: [],
      refused: null,
      dispute: [],
    });
    assert.deepEqual(kept.kept, [{ field: 'grace', declared: 'grace=1h' }]);
    assert.deepEqual([after?.graceSeconds, decodeSources(after?.sources ?? null).grace?.by], [3_600, 'job']);
    assert.deepEqual((await origins()).kept, []);
    await app().ping(`/${key}/job?tz=Nowhere`);
    assert.equal((await origins()).refused.reason, 'tz: there is no time zone "Nowhere"');
  });

  test('pings that contradict the timing are told on the page and by the API, until somebody calls it right', async () => {
    const { project, browser, path } = await givenTeam(app());
    const made = await browser.post(`${path}/do/createKey`, { name: 'CI', kind: 'read_write' });
    const apiKey = made.json.secret;
    const check = await app().givenCheck(project);
    const at = `/checks/${check.uuid}`;
    const hint = async () => (await browser.get(`${at}/read/checkPage`)).json.hint;
    const hints = async () => {
      const { json } = await app().request('GET', `/api/v3/checks/${check.uuid}`, { key: apiKey });
      return Object(json).hints;
    };
    await using driver = await openTestDriver(app().database);
    const parts = testParts(testDatabase(createSqlStore(driver), engine), app().clock);
    await using other = await buildNode(parts);
    await using servers = new AsyncDisposableStack();
    const elsewhere = createHttpServer(other.deps, other.pings, other.http);
    servers.defer(() => elsewhere.close());
    const hintsElsewhere = async () => {
      const headers = { 'x-api-key': apiKey };
      const reply = await injectInto(elsewhere, {
        method: 'GET',
        url: `/api/v3/checks/${check.uuid}`,
        headers,
      });
      return JSON.parse(reply.body).hints;
    };
    for (let n = 0; n < 20; n++) {
      await app().ping(`/${check.uuid}/start`);
      await app().ping(`/${check.uuid}/log`);
      await app().ping(`/${check.uuid}`);
      app().clock.advance({ minutes: 15 });
    }
    const sentence =
      'Pings come every 15 minutes, you expect one a day: an outage would be noticed after 25 hours.';

    assert.deepEqual(await hint(), { sentence, timeout: 900, grace: 60, words: 'Every 15 minutes' });
    assert.deepEqual(await hints(), [{ message: sentence, timeout: 900, grace: 60 }]);
    assert.deepEqual(await hintsElsewhere(), await hints());
    await browser.post(`${at}/do/acceptTiming`, {});
    assert.equal(await hint(), null);
    assert.equal(await hints(), undefined);
    assert.equal(await hintsElsewhere(), undefined);
    await browser.post(`${at}/do/updateCheck`, { grace: 7_200 });
    assert.notEqual(await hint(), null);
    assert.notEqual(await hintsElsewhere(), undefined);
    await browser.post(`${at}/do/updateCheck`, { kind: 'simple', timeout: 900, grace: 60 });
    assert.equal(await hint(), null);
    const after = await app().deps.store.checks.byId(check.id);
    const { timing, grace } = decodeSources(after?.sources ?? null);
    assert.deepEqual([timing?.by, grace?.by], ['person', 'person']);
  });

  test('an act on many checks tells what files have set, and changes that only if somebody agrees', async () => {
    const { project, account, browser, path } = await givenTeam(app());
    const channel = await app().givenChannel(project, { name: 'Ops' });
    const owner = `name: '${project.name}', owner: ${account.email}`;
    const checks = ['a', 'b', 'c', 'd'];
    for (const slug of checks) await app().givenCheck(project, { slug, tags: 'prod' });
    const uuids = (await app().deps.store.checks.ofProject(project.id)).map(({ uuid }) => uuid);
    const apply = (source: string, entries: string) =>
      provision(
        app().deps,
        parseProvisionFile('a.yaml', `source: ${source}\nprojects: [{${owner}, checks: [${entries}]}]`),
        { takesOver: true },
      );
    await apply('infra', '{slug: a, tags: prod}, {slug: b, tags: prod, integrations: [Ops]}');
    await apply('db', '{slug: c, tags: prod}');
    const adjust = async (given: object) =>
      (await browser.post(`${path}/do/adjustChecks`, { checks: uuids, ...given })).json;
    const stored = async () => app().deps.store.checks.ofProject(project.id);
    const tags = async () => (await stored()).map((check) => check.tags);

    const asked = await adjust({ addTags: 'night' });
    assert.deepEqual(asked, {
      done: [],
      refused: [],
      fromFiles: [
        { field: 'tags', source: 'infra', checks: 2 },
        { field: 'tags', source: 'db', checks: 1 },
      ],
    });
    assert.deepEqual(await tags(), ['prod', 'prod', 'prod', 'prod']);
    const reassigned = await adjust({ removeChannels: [channel.uuid] });
    assert.deepEqual(reassigned.fromFiles, [{ field: 'integrations', source: 'infra', checks: 1 }]);

    const equal = await adjust({ addTags: 'prod', addChannels: [channel.uuid], checks: uuids.slice(1, 3) });
    assert.deepEqual([equal.done.length, equal.fromFiles], [2, []]);
    const own = await adjust({ addTags: 'night', checks: uuids.slice(3) });
    assert.deepEqual([own.done.length, own.fromFiles], [1, []]);
    const told = await adjust({ addTags: 'x', checks: uuids.slice(3), files: 'tell' });
    assert.deepEqual([told.done, told.fromFiles], [[], []]);
    assert.deepEqual(await tags(), ['prod', 'prod', 'prod', 'prod night']);

    const done = await adjust({ addTags: 'night', files: 'override' });
    assert.deepEqual([done.done.length, done.fromFiles], [4, []]);
    assert.deepEqual(await tags(), Array(4).fill('prod night'));
    assert.deepEqual((await adjust({ removeTags: 'night' })).fromFiles, []);
    assert.equal((await adjust({ files: 'perhaps' })).field, 'files');
  });

  test('an act on many checks tells nothing of files of other projects', async () => {
    const stranger = await givenTeam(app());
    const check = await app().givenCheck(stranger.project, { slug: 'a' });
    const file = `projects: [{name: '${stranger.project.name}', owner: ${stranger.account.email}, checks: [{slug: a, tags: prod}]}]`;
    await provision(app().deps, parseProvisionFile('a.yaml', file));
    const { browser, path } = await givenTeam(app());

    const reply = await browser.post(`${path}/do/adjustChecks`, { checks: [check.uuid], addTags: 'x' });

    assert.deepEqual(reply.json, {
      done: [],
      refused: [{ error: 'check not found', checks: [check.uuid] }],
      fromFiles: [],
    });
  });
});
