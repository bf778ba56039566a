import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { actsIn, givenMember, givenTeam } from './team.ts';

const TOKEN = 'rIWUSVokQQYXOOAoFbbjLIMozMXnenIL';

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('a person switches a program on, adds a token, sees its last use, and removes it', async () => {
    const { project, browser, path } = await givenTeam(app());
    const check = await app().givenCheck(project);
    const at = `/checks/${check.uuid}`;
    const foreign = async () => (await browser.get(`${at}/read/checkPage`)).json.foreign;
    const push = () => app().ping(`/${TOKEN}`, { door: '/api/push' });

    assert.equal(await foreign(), null);
    await browser.post(`${path}/do/setDialects`, { kuma: true, cronitor: false, create: false });
    assert.deepEqual(await foreign(), { accepted: ['kuma'], aliases: [] });
    const short = await browser.post(`${at}/do/addCheckAlias`, { dialect: 'kuma', token: 'short' });
    await browser.post(`${at}/do/addCheckAlias`, { dialect: 'kuma', token: TOKEN });
    const again = await browser.post(`${at}/do/addCheckAlias`, { dialect: 'kuma', token: TOKEN });
    assert.equal((await push()).status, 200);
    const { aliases } = await foreign();
    await browser.post(`${at}/do/removeCheckAlias`, { alias: aliases[0].uuid });

    assert.deepEqual([short.status, short.json.field], [400, 'token']);
    assert.deepEqual([again.status, again.json.code], [409, 'token_taken']);
    assert.deepEqual(aliases, [
      { uuid: aliases[0].uuid, dialect: 'kuma', token: TOKEN, lastUsed: '2024-03-01T12:00:00+00:00' },
    ]);
    assert.equal((await push()).status, 404);
    const acts = await actsIn(app(), project);
    assert.deepEqual(
      acts.map(({ action }) => action),
      ['project.dialects_changed', 'check.alias_added', 'check.alias_removed'],
    );
    assert.ok(!JSON.stringify(acts).includes(TOKEN));
  });

  test('a key of Cronitor is added to the project, which then has a ping key', async () => {
    const { project, browser, path } = await givenTeam(app());
    await app().givenCheck(project, { slug: 'nightly' });
    const dialects = async () => (await browser.get(`${path}/read/projectDialects`)).json;

    await browser.post(`${path}/do/setDialects`, { kuma: false, cronitor: true, create: true });
    await browser.post(`${path}/do/addProjectAlias`, { dialect: 'cronitor', token: TOKEN });
    const answers = [
      await app().ping(`/${TOKEN}/nightly?state=run`, { door: '/p' }),
      await app().ping(`/${TOKEN}/weekly?state=run`, { door: '/p' }),
    ];
    const shown = await dialects();
    await browser.post(`${path}/do/removeProjectAlias`, { alias: shown.aliases[0].uuid });

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 201],
    );
    assert.deepEqual(
      { ...shown, aliases: shown.aliases.length },
      { kuma: false, cronitor: true, create: true, declarations: 'off', aliases: 1 },
    );
    assert.deepEqual((await dialects()).aliases, []);
  });

  test('a member who may only read sees no tokens, and changes nothing', async () => {
    const { project, browser, path } = await givenTeam(app());
    const check = await app().givenCheck(project);
    await browser.post(`${path}/do/setDialects`, { kuma: true, cronitor: false, create: false });
    const reader = await givenMember(app(), project, 'read_only');

    const page = await reader.browser.get(`/checks/${check.uniqueKey}/read/checkPage`);
    const refused = await reader.browser.post(`${path}/do/setDialects`, {
      kuma: false,
      cronitor: false,
      create: false,
    });

    assert.equal(page.json.foreign, null);
    assert.equal(refused.status, 403);
  });
});
