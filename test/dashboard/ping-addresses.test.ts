import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SITE, sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { givenMember, givenTeam } from './team.ts';

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('a person is shown addresses with UUIDs or with slugs, and others as they have chosen', async () => {
    const { browser, project, path } = await givenTeam(app());
    const reader = await givenMember(app(), project, 'read_only');
    const check = await app().givenCheck(project, { slug: 'job' });
    const nameless = await app().givenCheck(project);
    const addressOf = async ({ uuid }: { uuid: string }) => {
      const { pingUrl: url, address } = (await browser.get(`/checks/${uuid}/read/checkPage`)).json;
      return [url, address.form, address.problem];
    };
    const copied = async () =>
      (await browser.post(`${path}/read/checkDetails`, { keys: [check.uniqueKey] })).json[0].pingUrl;
    const byUuid = SITE.pingEndpoint + check.uuid;
    assert.deepEqual(await addressOf(check), [byUuid, 'uuid', null]);

    assert.equal((await browser.post(`${path}/do/choosePingAddresses`, { form: 'slug' })).status, 204);
    assert.deepEqual(await addressOf(check), [null, 'slug', 'no_ping_key']);
    await browser.post(`${path}/do/replacePingKey`);
    const { key } = (await browser.get(`${path}/read/pingKey`)).json;
    const bySlug = `${SITE.pingEndpoint}${key}/job`;
    assert.deepEqual(await addressOf(check), [bySlug, 'slug', null]);
    assert.equal(await copied(), bySlug);
    const other = await givenMember(app(), project, 'member');
    const theirs = (await other.browser.get(`/checks/${check.uuid}/read/checkPage`)).json;
    assert.deepEqual([theirs.pingUrl, theirs.address.form], [byUuid, 'uuid']);
    assert.deepEqual(await addressOf(nameless), [null, 'slug', 'no_slug']);
    await app().givenCheck(project, { slug: 'job' });
    assert.deepEqual(await addressOf(check), [bySlug, 'slug', 'ambiguous_slug']);

    const seen = (await reader.browser.get(`/checks/${check.uniqueKey}/read/checkPage`)).json;
    assert.deepEqual([seen.pingUrl, seen.address], [null, null]);
    assert.equal((await reader.browser.post(`${path}/do/choosePingAddresses`, { form: 'uuid' })).status, 403);
    assert.equal((await browser.post(`${path}/do/choosePingAddresses`, { form: 'x' })).json.field, 'form');
    assert.equal((await browser.post(`${path}/do/choosePingAddresses`, { form: 'uuid' })).status, 204);
    assert.equal(await copied(), byUuid);
  });
});
