import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MEMBER_ROLES } from '../../src/domain/people/permission.ts';
import { MAX_PROJECT_MEMBERS } from '../../src/domain/people/project.ts';
import { setReminders } from '../../src/services/people/mail-preferences.ts';
import { FakeMailSender, mailPreferencesOf, post } from '../account-mails.ts';
import { givenToken } from '../api/tokens.ts';
import { START, sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { accountRecord, mailRecord, passkeyRecord } from '../records.ts';
import { actsIn, givenMember, givenPerson, givenTeam, join } from './team.ts';

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('managers see the whole team, the owner first, with who was there and who has a second factor', async () => {
    const { account: owner, project, path } = await givenTeam(app());
    const manager = await givenMember(app(), project, 'manager');
    await app().deps.store.transaction((tx) => tx.passkeys.insert(passkeyRecord(owner.id)));

    const reply = await manager.browser.get(`${path}/read/projectMembers`);

    assert.equal(reply.status, 200);
    const at = '2024-03-01T12:00:00+00:00';
    assert.deepEqual(reply.json, [
      {
        ...{ uuid: owner.uuid, email: owner.email, name: '', role: 'owner' },
        managed: { lastSeen: at, hasSecondFactor: true },
      },
      {
        ...{ uuid: manager.account.uuid, email: manager.account.email, name: '', role: 'manager' },
        managed: { lastSeen: at, hasSecondFactor: false },
      },
    ]);
  });

  test('other members see who is in the team, and not how they sign in', async () => {
    const { project, path } = await givenTeam(app());
    for (const role of ['read_only', 'member'] as const) {
      const { browser } = await givenMember(app(), project, role);

      const members = (await browser.get(`${path}/read/projectMembers`)).json;

      for (const one of members) {
        assert.deepEqual(Object.keys(one), ['uuid', 'email', 'name', 'role', 'managed']);
        assert.equal(one.managed, null);
      }
    }
  });

  test('a changed role holds from the next request on, and is in the audit log', async () => {
    const { browser, project, path } = await givenTeam(app());
    const member = await givenMember(app(), project, 'read_only');
    const change = { member: member.account.uuid, role: 'manager' };

    assert.equal((await member.browser.get(`${path}/read/projectInvitations`)).status, 403);
    assert.equal((await browser.post(`${path}/do/changeRole`, change)).status, 200);
    assert.equal((await member.browser.get(`${path}/read/projectInvitations`)).status, 200);
    assert.equal((await browser.post(`${path}/do/changeRole`, change)).status, 200);

    const details = { before: { role: 'read_only' }, after: { role: 'manager' } };
    assert.deepEqual(await actsIn(app(), project), [{ action: 'member.role_changed', details }]);
  });

  test('a role that nobody can be given is refused', async () => {
    const { browser, project, path } = await givenTeam(app());
    const member = await givenMember(app(), project, 'member');
    for (const role of ['owner', 'administrator', 'w', '', null]) {
      const reply = await browser.post(`${path}/do/changeRole`, { member: member.account.uuid, role });

      assert.equal(reply.status, 400, `${role}`);
      assert.equal(reply.json.field, 'role');
    }
  });

  test('somebody who was removed is told that the project does not exist', async () => {
    const { project, path } = await givenTeam(app());
    const manager = await givenMember(app(), project, 'manager');
    const member = await givenMember(app(), project, 'member');

    assert.equal(
      (await manager.browser.post(`${path}/do/removeMember`, { member: member.account.uuid })).status,
      204,
    );

    const reply = await member.browser.get(`${path}/read/project`);
    assert.equal(reply.status, 404);
    assert.equal(
      reply.text,
      (await member.browser.get(`/projects/${crypto.randomUUID()}/read/project`)).text,
    );
    assert.deepEqual((await member.browser.get('/read/ownProjects')).json.projects, []);
    assert.deepEqual(await actsIn(app(), project), [
      { action: 'member.removed', details: { before: { role: 'member' } } },
    ]);
  });

  async function givenMaker(role: 'member' | 'manager' = 'member') {
    const team = await givenTeam(app());
    const maker = await givenMember(app(), team.project, role);
    const { store } = app().deps;
    const made = async (what: string, body: object) =>
      (await maker.browser.post(`${team.path}/${what}`, body)).json as Record<string, string>;
    const key = await made('do/createKey', { name: 'CI', kind: 'read_write' });
    const wall = await made('do/createWall', { name: 'Office' });
    await team.browser.post(`${team.path}/do/createKey`, { name: 'Owner', kind: 'read_only' });
    await team.browser.post(`${team.path}/do/createWall`, { name: 'Hall' });
    const works = async () =>
      (await app().request('GET', '/api/v3/checks/', { key: key.secret ?? '' })).status === 200;
    const names = async (what: 'apiKeys' | 'walls') =>
      (await store[what].ofProject(team.project.id)).map(({ name }) => name);
    return { ...team, maker, key, wall, works, names, one: { member: maker.account.uuid } };
  }

  const namesOf = (access: Readonly<Record<string, readonly { name: string }[]>>) =>
    Object.fromEntries(Object.entries(access).map(([what, all]) => [what, all.map(({ name }) => name)]));

  test('what a removed or lowered member has made is listed, and goes on unless it is revoked', async () => {
    const { browser, works, names, path, one, project } = await givenMaker();
    const listed = { keys: ['CI'], walls: ['Office'] };

    assert.deepEqual(namesOf((await browser.post(`${path}/read/memberAccess`, one)).json), listed);
    const lowered = await browser.post(`${path}/do/changeRole`, { ...one, role: 'read_only' });
    assert.equal(lowered.status, 200, lowered.text);
    assert.deepEqual(namesOf(lowered.json.access), listed);
    assert.equal((await browser.post(`${path}/do/removeMember`, one)).status, 204);

    assert.equal(await works(), true);
    assert.deepEqual(
      [await names('apiKeys'), await names('walls')],
      [
        ['CI', 'Owner'],
        ['Office', 'Hall'],
      ],
    );
    assert.equal(
      (await actsIn(app(), project)).some(({ action }) => action.endsWith('.revoked')),
      false,
    );
  });

  test('with the removal, or with a lower role, it can be revoked, and nothing of others is', async () => {
    for (const [act, more] of [
      ['removeMember', {}],
      ['changeRole', { role: 'read_only' }],
    ] as const) {
      const team = await givenMaker();
      const { browser, path, one } = team;

      const reply = await browser.post(`${path}/do/${act}`, { ...one, ...more, revoke: true });

      assert.ok(reply.status < 300, reply.text);
      assert.equal(await team.works(), false);
      assert.deepEqual([await team.names('apiKeys'), await team.names('walls')], [['Owner'], ['Hall']]);
      const actions = (await actsIn(app(), team.project)).map(({ action }) => action);
      assert.deepEqual(actions.slice(-3, -1), ['key.revoked', 'wall.revoked']);
    }
  });

  test('a token that may not see keys is told so, and revokes none', async () => {
    const { project, works, maker, account } = await givenMaker();
    const { secret } = await givenToken(app(), account.id, { scopes: ['members.edit'] });
    const path = `/api/v3/projects/${project.uuid}/members/${maker.account.uuid}`;
    const send = (method: string, at: string, body?: object) =>
      app().request(method, at, { key: secret, ...(body !== undefined && { body }) });

    assert.equal((await send('DELETE', `${path}?revoke=true`)).status, 403);
    assert.equal((await send('POST', path, { role: 'read_only', revoke: true })).status, 403);
    assert.equal((await send('DELETE', `${path}?revoke=maybe`)).status, 400);
    assert.deepEqual((await send('DELETE', path)).json, { made: null, is_revoked: false });
    assert.equal(await works(), true);
  });

  test('nobody changes or removes the owner or themselves', async () => {
    const { account: owner, browser, project, path } = await givenTeam(app());
    const manager = await givenMember(app(), project, 'manager');
    for (const [by, uuid] of [
      [manager.browser, owner.uuid],
      [browser, owner.uuid],
      [manager.browser, manager.account.uuid],
    ] as const) {
      const removed = await by.post(`${path}/do/removeMember`, { member: uuid });
      const changed = await by.post(`${path}/do/changeRole`, { member: uuid, role: 'read_only' });

      assert.deepEqual([removed.status, removed.json.code], [400, 'invalid_member']);
      assert.deepEqual([changed.status, changed.json.code], [400, 'invalid_member']);
    }
    assert.deepEqual(await actsIn(app(), project), []);
  });

  test('people of other projects are not found', async () => {
    const { browser, path } = await givenTeam(app());
    const { account: stranger } = await givenPerson(app());

    for (const reply of [
      await browser.post(`${path}/do/removeMember`, { member: stranger.uuid }),
      await browser.post(`${path}/do/changeRole`, { member: stranger.uuid, role: 'member' }),
    ])
      assert.deepEqual([reply.status, reply.json.code], [404, 'member_not_found']);
  });

  test('of two managers who remove each other at the same moment, one stays', async () => {
    const { project, path } = await givenTeam(app());
    const [one, two] = [
      await givenMember(app(), project, 'manager'),
      await givenMember(app(), project, 'manager'),
    ];

    const replies = await Promise.all([
      one.browser.post(`${path}/do/removeMember`, { member: two.account.uuid }),
      two.browser.post(`${path}/do/removeMember`, { member: one.account.uuid }),
    ]);

    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [204, 404]);
    const team = await app().deps.store.projects.teamOf(project.id);
    assert.deepEqual(
      team.map(({ role }) => role),
      ['owner', 'manager'],
    );
  });

  test('of two managers of whom one lowers the other, only a manager can go on', async () => {
    const { project, path } = await givenTeam(app());
    const [one, two] = [
      await givenMember(app(), project, 'manager'),
      await givenMember(app(), project, 'manager'),
    ];
    const lower = (by: typeof one, whom: typeof one) =>
      by.browser.post(`${path}/do/changeRole`, { member: whom.account.uuid, role: 'member' });

    const replies = await Promise.all([lower(one, two), lower(two, one)]);

    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [200, 403]);
  });

  test('every member can leave, and the owner cannot', async () => {
    const { browser, project, path } = await givenTeam(app());
    for (const role of MEMBER_ROLES) {
      const member = await givenMember(app(), project, role);

      assert.equal((await member.browser.post(`${path}/do/leaveProject`)).status, 204);
      assert.equal((await member.browser.get(`${path}/read/project`)).status, 404);
      assert.equal((await member.browser.post(`${path}/do/leaveProject`)).status, 404);
    }
    const refused = await browser.post(`${path}/do/leaveProject`);
    assert.deepEqual([refused.status, refused.json.code], [403, 'permission_denied']);
    assert.deepEqual(
      (await actsIn(app(), project)).map(({ action, details }) => [action, details]),
      MEMBER_ROLES.map((role) => ['member.left', { before: { role } }]),
    );
  });

  test('somebody who was removed or has left gets no mail about the project any more', async () => {
    const { browser, project, path } = await givenTeam(app());
    const removed = await givenMember(app(), project, 'member');
    const left = await givenMember(app(), project, 'member');
    const stays = await givenMember(app(), project, 'member');
    const both = [removed, left].map(({ account }) => account);
    const all = [...both, stays.account];
    await app().givenCheck(project, { status: 'down', name: 'Nightly backup' });
    const { store } = app().deps;
    for (const { id } of all) await store.transaction((tx) => setReminders(tx, id, 3_600, app().clock.now()));
    for (const { id } of both) assert.notEqual((await mailPreferencesOf(app(), id)).nextReminderAt, null);
    // They were queued before, and are sent afterwards.
    for (const { id } of all)
      for (const subject of [
        { kind: 'reminder', parameters: {} },
        { kind: 'report', parameters: { period: 'monthly', at: START } },
      ] as const)
        await store.transaction((tx) =>
          tx.mails.insertMany([mailRecord(id, { subject, nextAttemptAt: START })]),
        );

    await browser.post(`${path}/do/removeMember`, { member: removed.account.uuid });
    await left.browser.post(`${path}/do/leaveProject`);

    for (const { id } of both) assert.equal((await mailPreferencesOf(app(), id)).nextReminderAt, null);
    const sender = new FakeMailSender();
    await post(app(), sender);
    const emails = all.map(({ email }) => email);
    const told = sender.sent.map(({ to }) => to).filter((to) => emails.includes(to));
    assert.deepEqual(told, [stays.account.email, stays.account.email]);
  });

  test('a project has a limit of members', async () => {
    const { browser, project, path } = await givenTeam(app());
    const { store } = app().deps;
    await store.transaction(async (tx) => {
      for (let n = 1; n < MAX_PROJECT_MEMBERS; n++) {
        const { id } = await tx.accounts.insert(accountRecord());
        await tx.projects.addMember(project.id, id, 'member', START);
      }
    });
    const links = [await browser.post(`${path}/do/invite`), await browser.post(`${path}/do/invite`)];
    const accept = async (n: number) => {
      const { link } = links[n]?.json ?? assert.fail();
      return (await givenPerson(app())).browser.post('/do/acceptInvitation', { token: link.split('#')[1] });
    };

    const replies = await Promise.all([accept(0), accept(1)]);

    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [204, 403]);
    const late = replies.findIndex(({ status }) => status === 403);
    assert.equal(replies[late]?.json.code, 'member_limit_reached');
    const noMore = await browser.post(`${path}/do/invite`);
    assert.deepEqual([noMore.status, noMore.json.code], [403, 'member_limit_reached']);
    const members = (await browser.get(`${path}/read/projectMembers`)).json;
    assert.equal(members.length, MAX_PROJECT_MEMBERS + 1);
    // There is room again.
    await browser.post(`${path}/do/removeMember`, { member: members.at(-1).uuid });
    assert.equal((await accept(late)).status, 204);
  });

  test('a manager is shown people of projects of the owner that they see themselves', async () => {
    const { account: owner, browser, project, path } = await givenTeam(app());
    const manager = await givenMember(app(), project, 'manager');
    const seen = await app().givenProject({ ownerId: owner.id });
    const unseen = await app().givenProject({ ownerId: owner.id });
    await join(app(), seen.project, manager.account, 'read_only');
    const [alice, bob] = [
      await givenMember(app(), seen.project, 'member'),
      await givenMember(app(), unseen.project, 'member'),
    ];
    const suggested = async (by: typeof browser) =>
      (await by.get(`${path}/read/suggestedPeople`)).json.map(({ email }: { email: string }) => email);

    assert.deepEqual(await suggested(browser), [alice.account.email, bob.account.email].toSorted());
    assert.deepEqual(await suggested(manager.browser), [alice.account.email]);
  });
});
