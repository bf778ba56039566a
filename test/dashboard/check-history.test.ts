import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_CHECK_ACTS } from '../../src/services/history/audit-log.ts';
import type { checkHistory } from '../../src/views/checks.ts';
import type { AnswerOf } from '../../web/app/operation.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { givenMember, givenTeam } from './team.ts';

type CheckHistoryJson = AnswerOf<typeof checkHistory>;

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('the history of a check says who changed what, from what to what', async () => {
    const { browser, project, path, account } = await givenTeam(app());
    const bob = await givenMember(app(), project, 'member');
    const { uuid } = (
      await browser.post(`${path}/do/createCheck`, { name: 'backup', kind: 'simple', timeout: 3600 })
    ).json;
    const other = await app().givenCheck(project);
    await bob.browser.post(`/checks/${other.uuid}/do/pauseCheck`);
    const changed = { kind: 'cron', schedule: '0 3 * * *', grace: 600, desc: 'Nightly' };
    assert.equal((await bob.browser.post(`/checks/${uuid}/do/updateCheck`, changed)).status, 200);
    await browser.post(`/checks/${uuid}/do/pauseCheck`);

    const { changes, cursor } = (await browser.post(`/checks/${uuid}/read/checkHistory`, { cursor: '' }))
      .json as CheckHistoryJson;
    const told = changes.map(({ actor, action, before, after }) => ({
      ...{ actor, action, before, after },
    }));
    assert.equal(cursor, null);
    assert.deepEqual(
      told.map(({ actor, action }) => [actor, action]),
      [
        [account.email, 'check.paused'],
        [bob.account.email, 'check.updated'],
        [account.email, 'check.created'],
      ],
    );
    assert.deepEqual([told[0]?.before, told[0]?.after], [{}, {}]);
    assert.deepEqual(told[1]?.before, { kind: 'simple', schedule: '* * * * *', grace: 3600, desc: '' });
    assert.deepEqual(told[1]?.after, changed);
    // A new check is compared with the empty form.
    assert.deepEqual(told[2]?.before, { name: '', timeout: 86_400 });
    assert.deepEqual(told[2]?.after, { name: 'backup', timeout: 3600 });
    assert.ok(!JSON.stringify(changes).includes(browser.address));
  });

  test('the history comes in pages, and only for people who may change the check', async () => {
    const { browser, project } = await givenTeam(app());
    const check = await app().givenCheck(project);
    for (let n = 0; n <= MAX_CHECK_ACTS; n++)
      await browser.post(`/checks/${check.uuid}/do/updateCheck`, { name: `name ${n}` });
    const path = `/checks/${check.uuid}/read/checkHistory`;

    const first = (await browser.post(path, { cursor: '' })).json as CheckHistoryJson;
    assert.equal(first.changes.length, MAX_CHECK_ACTS);
    const second = (await browser.post(path, { cursor: first.cursor })).json as CheckHistoryJson;
    assert.deepEqual(
      second.changes.map(({ after }) => after),
      [{ name: 'name 0' }],
    );
    assert.equal((await browser.post(path, { cursor: 'x' })).json.field, 'cursor');
    const reader = await givenMember(app(), project, 'read_only');
    assert.equal((await reader.browser.post(`/checks/${check.uniqueKey}/read/checkHistory`)).status, 403);
    const stranger = await givenTeam(app());
    assert.equal((await stranger.browser.post(path)).status, 404);
  });
});
