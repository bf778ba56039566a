import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { givenMember, givenTeam } from './team.ts';

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('members see who is told of a check and why, also those who may only read', async () => {
    const { project, browser } = await givenTeam(app());
    const chat = await app().givenChannel(project, { name: 'Chat' });
    const check = await app().givenCheck(project, { status: 'up', lastPingAt: app().clock.now() });
    await app().assign(check, chat);
    const reader = await givenMember(app(), project, 'read_only');
    await app().receive(check, 'fail');

    for (const [who, name] of [
      [browser, check.uuid],
      [reader.browser, check.uniqueKey],
    ] as const) {
      const now = await who.post(`/checks/${name}/read/checkWhy`, {});
      assert.equal(now.status, 200, now.text);
      assert.deepEqual(
        [now.json.status, now.json.told[0]?.channel.name, now.json.supposed],
        ['down', 'Chat', null],
      );
      assert.doesNotMatch(now.text, new RegExp(check.uuid));
      const { json } = await who.post(`/checks/${name}/read/checkWhy`, { event: 'up' });
      assert.deepEqual(
        [json.supposed.event, json.would_tell.map(({ status }: { status: string }) => status)],
        ['up', ['up']],
      );
    }
    const at = Math.floor(app().clock.now() / 1_000_000) + 7_200;
    const then = await browser.post(`/checks/${check.uuid}/read/checkWhy`, { event: 'up', at });
    assert.equal(Date.parse(then.json.supposed.at), at * 1_000);
    for (const [input, field] of [
      [{ event: 'later' }, 'event'],
      [{ event: 'up', at: 'soon' }, 'at'],
      [{ event: 'up', at: 1 }, 'at'],
      [{ at }, 'at'],
    ] as const) {
      const wrong = await browser.post(`/checks/${check.uuid}/read/checkWhy`, input);
      assert.deepEqual([wrong.status, wrong.json.field], [400, field]);
    }
  });

  test('people of other projects do not', async () => {
    const { project } = await givenTeam(app());
    const other = await givenTeam(app());
    const check = await app().givenCheck(project, {});
    const mine = await app().givenCheck(other.project, {});

    const reply = await other.browser.post(`/checks/${check.uuid}/read/checkWhy`, {});
    assert.ok(reply.status === 403 || reply.status === 404, reply.text);
    assert.equal((await other.browser.post(`/checks/${mine.uuid}/read/checkWhy`, {})).status, 200);
  });
});
