import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeSources } from '../../src/domain/check/sources.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { buildNode } from '../../src/node/node.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine, openTestDriver } from '../engines.ts';
import { injectInto } from '../inject.ts';
import { testDatabase, testParts } from '../node-parts.ts';
import { givenPingKey } from '../ping/answers.ts';
import { givenTeam } from './team.ts';

forEachEngine((engine) => {
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
});
