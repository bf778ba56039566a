import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { actsIn, givenMember, givenTeam } from './team.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  test('the first use of a known way makes it a policy of the project, once, and telling at once stores nothing', async () => {
    const { browser, path, project } = await givenTeam(app());
    const tags = [
      { tag: 'db', policy: 'patient' },
      { tag: 'web', policy: '', as_one: true },
      { tag: 'cron', policy: 'twice' },
    ];
    assert.equal((await browser.post(`${path}/do/setAlerting`, { policy: 'at-once', tags: [] })).status, 204);
    assert.deepEqual((await browser.get(`${path}/read/alerting`)).json.policies, []);

    assert.equal((await browser.post(`${path}/do/setAlerting`, { policy: 'twice', tags })).status, 204);

    const { policy, tags: shown, policies } = (await browser.get(`${path}/read/alerting`)).json;
    assert.equal(policy, 'twice');
    assert.deepEqual(shown, [
      { tag: 'db', policy: 'patient', asOne: false },
      { tag: 'web', policy: '', asOne: true },
      { tag: 'cron', policy: 'twice', asOne: false },
    ]);
    assert.deepEqual(
      policies.map(({ name, rules }: { name: string; rules: object }) => [name, rules]),
      [
        ['twice', { bad_runs: 2 }],
        ['patient', { wait: 900 }],
      ],
    );
    assert.deepEqual(
      (await actsIn(app(), project)).map(({ action }) => action),
      ['policy.created', 'policy.created', 'project.alerting_set'],
    );
  });

  test('whoever may only read sees how outages are told, and changes nothing', async () => {
    const { path, project } = await givenTeam(app());
    const reader = await givenMember(app(), project, 'read_only');

    const { json } = await reader.browser.get(`${path}/read/alerting`);

    assert.deepEqual([json.policy, json.tags], ['at-once', []]);
    const refused = await reader.browser.post(`${path}/do/setAlerting`, { policy: 'twice', tags: [] });
    assert.deepEqual([refused.status, refused.json.code], [403, 'permission_denied']);
  });
});
