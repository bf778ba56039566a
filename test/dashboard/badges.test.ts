import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import { MAX_WALLS } from '../../src/domain/public/wall.ts';
import { seconds } from '../../src/lib/instant.ts';
import { MAX_OFFERED_CHECKS } from '../../src/views/limits.ts';
import { START, sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { injectInto } from '../inject.ts';
import { wallRecord } from '../records.ts';
import { newBrowser } from './browser.ts';
import { actsIn, givenMember, givenTeam } from './team.ts';

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  async function givenTagged() {
    const team = await givenTeam(app());
    const given = (check: Partial<Check>) =>
      app().givenCheck(team.project, { status: 'up', lastPingAt: START, ...check });
    const late = START - seconds(86_400 + 60);
    await given({ name: 'backup', tags: 'prod a/b%&ä', status: 'down' });
    await given({ name: 'etl', tags: 'prod data', lastPingAt: late });
    await given({ name: 'mail', tags: 'mail' });
    app().clock.set(START);
    const coverage = (browser = team.browser, search = '') =>
      browser.post(`${team.path}/read/coverage`, { search });
    return { ...team, coverage };
  }

  const answerOf = async (url: string) => {
    const reply = await injectInto(app().server, { url: url.replace(/^http:\/\/[^/]+/, '') });
    return { status: reply.statusCode, text: reply.body };
  };

  test('each tag says how it is and because of which checks, the worst first', async () => {
    const { coverage } = await givenTagged();
    const { tags, project } = (await coverage()).json;

    const seen = tags.map((one: { label: string; badge: object; why: string; stateWords: string }) => [
      ...[one.label, one.badge, one.stateWords, one.why],
    ]);
    assert.deepEqual(seen, [
      ['a/b%&ä', { two: 'down', three: 'down' }, 'Down', 'backup'],
      ['prod', { two: 'down', three: 'down' }, 'Down', 'backup'],
      ['data', { two: 'up', three: 'late' }, 'Late', 'etl'],
      ['mail', { two: 'up', three: 'up' }, 'Works', 'its check is fine'],
    ]);
    assert.deepEqual([project.checks, project.badge.three, project.why], [3, 'down', 'backup']);
  });

  test('every address answers with what the page says, whatever signs a tag has, and a wrong signature opens nothing', async () => {
    const { coverage } = await givenTagged();
    const { tags, project, checks } = (await coverage()).json;
    for (const { label, badge, urls } of [project, ...tags, ...checks]) {
      for (const [name, url] of Object.entries<string>(urls)) {
        const { status, text } = await answerOf(url);
        const wanted = name.endsWith('3') ? badge.three : badge.two;
        assert.equal(status, 200, `${label} ${name}`);
        assert.ok(text.includes(wanted), `${label} ${name}: ${text}`);
      }
    }
    const [{ urls }] = tags;
    const signature = /\/badge\/[^/]+\/([^/]+)\//.exec(urls.svg3)?.[1] ?? '';
    const other = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`;
    assert.equal((await answerOf(urls.svg3.replace(signature, other))).status, 404);
  });

  test('a new badge key breaks the addresses from before', async () => {
    const { browser, coverage, path, project } = await givenTagged();
    const before = (await coverage()).json.project.urls.svg;
    assert.equal((await answerOf(before)).status, 200);

    assert.equal((await browser.post(`${path}/do/rotateBadgeKey`)).status, 204);
    app().clock.advance({ seconds: 1 });

    assert.equal((await answerOf(before)).status, 404);
    assert.equal((await answerOf((await coverage()).json.project.urls.svg)).status, 200);
    assert.equal((await actsIn(app(), project)).at(-1)?.action, 'badge_key.replaced');
  });

  test('who may only read sees looks and no address', async () => {
    const { coverage, path, project } = await givenTagged();
    const { browser } = await givenMember(app(), project, 'read_only');
    const reply = await coverage(browser);

    assert.equal(reply.status, 200);
    assert.doesNotMatch(reply.text, /\/badge\/|\/b\/|[0-9a-f]{8}-[0-9a-f]{4}/);
    const look = await browser.get(`${path}/badge-look?label=a%3Cb&status=late`);
    assert.equal(look.headers['content-type'], 'image/svg+xml');
    assert.match(look.text, /a&lt;b/);
    assert.equal((await browser.get(`${path}/badge-look?label=a&status=broken`)).status, 400);
    assert.equal((await browser.post(`${path}/do/rotateBadgeKey`)).json.code, 'permission_denied');
  });

  test('a search offers a bounded number of checks', async () => {
    const { browser, coverage, project } = await givenTagged();
    for (let n = 0; n <= MAX_OFFERED_CHECKS; n++) await app().givenCheck(project, { name: `Job ${n}` });
    const all = (await coverage(browser, 'JOB')).json;
    assert.deepEqual([all.checks.length, all.hasMore], [MAX_OFFERED_CHECKS, true]);
    const one = (await coverage(browser, 'etl')).json;
    assert.deepEqual([one.checks.length, one.checks[0].label, one.hasMore], [1, 'etl', false]);
    assert.equal((await coverage(browser, 'x'.repeat(101))).json.field, 'search');
  });

  test('the address of a wall display is shown once, and a project has so many', async () => {
    const { browser, path, project } = await givenTeam(app());
    const made = await browser.post(`${path}/do/createWall`, { name: 'Office' });
    assert.equal(made.status, 200);
    const token = made.json.address.split('/').at(-1);
    assert.match(token, /^hcd_\w{28}$/);
    const list = await browser.get(`${path}/read/wallDisplays`);
    assert.deepEqual(
      list.json.map(({ name }: { name: string }) => name),
      ['Office'],
    );
    assert.ok(!list.text.includes(token));

    await app().deps.store.transaction(async (tx) => {
      for (let n = 1; n < MAX_WALLS; n++) await tx.walls.insert(wallRecord(project.id));
    });
    assert.equal(
      (await browser.post(`${path}/do/createWall`, { name: 'More' })).json.code,
      'wall_limit_reached',
    );
    assert.equal((await browser.post(`${path}/do/revokeWall`, { wall: made.json.uuid })).status, 204);
    assert.equal(
      (await browser.post(`${path}/do/revokeWall`, { wall: made.json.uuid })).json.code,
      'wall_not_found',
    );
    const actions = (await actsIn(app(), project)).map(({ action }) => action);
    assert.deepEqual(actions, ['wall.created', 'wall.revoked']);
  });

  test('whoever has the address of a wall display sees how things are, and nothing that opens anything', async () => {
    const { browser, path, project } = await givenTagged();
    const check = await app().givenCheck(project, { name: 'pinged' });
    await app().ping(`/${check.uuid}`);
    const made = await browser.post(`${path}/do/createWall`, { name: 'Office' });
    const token = made.json.address.split('/').at(-1);
    const look = (one = token) => newBrowser(app()).post('/read/wallView', { token: one });

    const { status, text } = await look();
    assert.equal(status, 200, text);
    const view = JSON.parse(text);
    assert.equal(view.project, project.name);
    assert.deepEqual([view.counts.down, view.counts.late, view.counts.total], [1, 1, 4]);
    assert.deepEqual(
      view.tiles.map(({ name, status: state }: { name: string; status: string }) => [name, state]),
      [
        ['backup', 'down'],
        ['etl', 'late'],
      ],
    );
    assert.equal(view.pulse.ran.at(-1), 1);
    assert.doesNotMatch(text.replace(project.name, ''), /[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{40}|\/ping\//);

    assert.equal((await look(`hcd_${'x'.repeat(28)}`)).status, 404);
    await browser.post(`${path}/do/revokeWall`, { wall: made.json.uuid });
    assert.equal((await look()).status, 404);
  });
});
