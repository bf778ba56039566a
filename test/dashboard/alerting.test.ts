import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { actsIn, givenMember, givenTeam } from './team.ts';

forOneEngine((engine) => {
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

  test('a policy whose rules are wrong is refused with the field named', async () => {
    const { browser, path } = await givenTeam(app());
    const refusal = async (input: object) => {
      const { status, json } = await browser.post(`${path}/do/createPolicy`, { name: 'night', ...input });
      return [status, json.field];
    };

    // biome-ignore lint/suspicious/noThenProperty: it is the name of the rule, and its value is no function.
    assert.deepEqual(await refusal({ name: 'then-next', then: [{ after: 900, tell: [] }] }), [400, 'then']);
    assert.deepEqual(await refusal({ name: 'then-next' }), [400, 'then']);
    assert.deepEqual(await refusal({ wait: 59 }), [400, 'wait']);
    assert.deepEqual(await refusal({ again: 86_401 }), [400, 'again']);
    assert.deepEqual(await refusal({ name: ' ' }), [400, 'name']);
    assert.deepEqual(await refusal({ hours: 'never made' }), [400, 'hours']);
  });

  test('an edit of a policy replaces its rules, and what uses it is named before it is deleted', async () => {
    const { browser, path, project } = await givenTeam(app());
    const night = { name: 'night', wait: 3_600, good_runs: 2 };
    assert.equal((await browser.post(`${path}/do/createPolicy`, night)).json.name, 'night');
    await browser.post(`${path}/do/setAlerting`, { policy: '', tags: [{ tag: 'db', policy: 'night' }] });
    const shown = async () => (await browser.get(`${path}/read/alerting`)).json;
    const [{ uuid: policy }] = (await shown()).policies;

    await browser.post(`${path}/do/editPolicy`, { policy, name: 'late', wait: 7_200 });

    assert.deepEqual((await shown()).policies, [{ uuid: policy, name: 'late', rules: { wait: 7_200 } }]);
    assert.equal((await shown()).tags[0].policy, 'late');
    await app().givenCheck(project, { policy: 'late' });
    assert.deepEqual((await browser.get(`${path}/read/alertingUses`)).json.policies, [
      { uuid: policy, isOfProject: false, tags: ['db'], checks: 1, isUnknown: false },
    ]);
    const refused = await browser.post(`${path}/do/deletePolicy`, { policy, force: false });
    assert.deepEqual([refused.status, refused.json.code], [409, 'policy_in_use']);
    assert.match(refused.json.error, /tag db/);
    await browser.post(`${path}/do/deletePolicy`, { policy, force: true });
    assert.deepEqual([(await shown()).policies, (await shown()).tags], [[], []]);
    assert.deepEqual((await browser.get(`${path}/read/alertingUses`)).json.policies, []);
  });

  test('working hours are told once, and are named by what uses them', async () => {
    const { browser, path, project } = await givenTeam(app());
    const hours = { schedule: 'Mon..Fri 08:00', tz: 'Europe/Riga', duration: 36_000, except: ['2026-12-24'] };
    const wrong = async (input: object) =>
      (await browser.post(`${path}/do/createCalendar`, { name: 'working-hours', ...hours, ...input })).json
        .field;
    assert.deepEqual(
      [
        await wrong({ schedule: 'Mon..Fr' }),
        await wrong({ tz: 'Riga' }),
        await wrong({ duration: 59 }),
        await wrong({ except: ['2026-02-30'] }),
      ],
      ['schedule', 'tz', 'duration', 'except'],
    );
    await browser.post(`${path}/do/createCalendar`, { name: 'working-hours', ...hours });
    const shown = async () => (await browser.get(`${path}/read/alerting`)).json;
    const [{ uuid: calendar }] = (await shown()).calendars;

    for (const policy of ['working-hours', 'at-once', 'working-hours'])
      await browser.post(`${path}/do/setAlerting`, { policy, tags: [] });

    assert.deepEqual(
      (await shown()).policies.map(({ rules }: { rules: object }) => rules),
      [{ hours: 'working-hours', always_tags: 'important' }],
    );
    const settings = { email: 'chat@example.org', up: true, down: true, hours: 'working-hours' };
    await app().givenChannel(project, { name: 'Chat', settings });
    assert.deepEqual((await browser.get(`${path}/read/alertingUses`)).json.calendars, [
      { uuid: calendar, policies: ['working-hours'], integrations: ['Chat'] },
    ]);
    const refused = await browser.post(`${path}/do/deleteCalendar`, { calendar, force: false });
    assert.deepEqual([refused.status, refused.json.code], [409, 'calendar_in_use']);
    const edit = { calendar, name: 'office', ...hours, except: [] };
    assert.equal((await browser.post(`${path}/do/editCalendar`, edit)).status, 204);
    assert.deepEqual((await shown()).calendars, [{ uuid: calendar, name: 'office', ...hours, except: [] }]);
    await browser.post(`${path}/do/deleteCalendar`, { calendar, force: true });
    assert.deepEqual((await shown()).policies[0].rules, { always_tags: 'important' });
    assert.deepEqual((await browser.get(`${path}/read/alertingUses`)).json.calendars, []);
  });

  test('rules that a newer version has written are said to be unknown', async () => {
    const { browser, path, project } = await givenTeam(app());
    const { uuid: policy } = (await browser.post(`${path}/do/createPolicy`, { name: 'a', wait: 60 })).json;
    const { store } = app().deps;
    const [stored] = await store.policies.ofProject(project.id);
    assert.ok(stored);
    const rules = '{"wait":60,"moon":"full"}';
    await store.transaction((tx) => tx.policies.update({ ...stored, rules }));

    const [uses] = (await browser.get(`${path}/read/alertingUses`)).json.policies;
    assert.deepEqual([uses.uuid, uses.isUnknown], [policy, true]);
  });

  test('a policy of another project is not found, and neither are its integrations', async () => {
    const { browser, path, project } = await givenTeam(app());
    const stranger = await givenTeam(app());
    const { uuid: policy } = (await browser.post(`${path}/do/createPolicy`, { name: 'night', wait: 60 }))
      .json;
    const { uuid: channel } = await app().givenChannel(project, { name: 'Chat' });
    const askedBy = async (act: string, input: object) => {
      const { status, json } = await stranger.browser.post(`${stranger.path}/do/${act}`, input);
      return [status, json.code, json.field];
    };

    assert.deepEqual(await askedBy('editPolicy', { policy, name: 'x' }), [
      404,
      'policy_not_found',
      undefined,
    ]);
    assert.deepEqual(await askedBy('deletePolicy', { policy, force: true }), [
      ...[404, 'policy_not_found', undefined],
    ]);
    // biome-ignore lint/suspicious/noThenProperty: it is the name of the rule, and its value is no function.
    const steps = { name: 'x', then: [{ after: 0, tell: [channel] }] };
    assert.deepEqual(await askedBy('createPolicy', steps), [400, 'invalid_channel', 'then']);

    assert.deepEqual((await browser.get(`${path}/read/alerting`)).json.policies, [
      { uuid: policy, name: 'night', rules: { wait: 60 } },
    ]);
    assert.deepEqual((await stranger.browser.get(`${stranger.path}/read/alertingUses`)).json.policies, []);
  });

  test('working hours of another project are not found, and keep what they are', async () => {
    const { browser, path } = await givenTeam(app());
    const stranger = await givenTeam(app());
    const hours = { schedule: 'Mon..Fri 08:00', tz: 'UTC', duration: 36_000, except: [] };
    const { uuid: calendar } = (await browser.post(`${path}/do/createCalendar`, { name: 'a', ...hours }))
      .json;
    const askedBy = async (act: string, input: object) => {
      const { status, json } = await stranger.browser.post(`${stranger.path}/do/${act}`, {
        calendar,
        ...input,
      });
      return [status, json.code];
    };

    assert.deepEqual(await askedBy('editCalendar', { name: 'b' }), [404, 'calendar_not_found']);
    assert.deepEqual(await askedBy('deleteCalendar', { force: true }), [404, 'calendar_not_found']);

    assert.deepEqual((await browser.get(`${path}/read/alerting`)).json.calendars, [
      { uuid: calendar, name: 'a', ...hours },
    ]);
    assert.deepEqual((await stranger.browser.get(`${stranger.path}/read/alertingUses`)).json.calendars, []);
  });
});
