import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../../src/domain/people/account.ts';
import { MEMBER_ROLES, type MemberRole } from '../../src/domain/people/permission.ts';
import { MAX_OWNED_PROJECTS } from '../../src/domain/people/project.ts';
import { START, sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { projectRecord } from '../records.ts';
import { type Browser, givenAccount, newBrowser } from './browser.ts';

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  async function givenOwner(name = 'Alpha') {
    const owner = await givenAccount(app());
    const project = await app().deps.store.transaction((tx) =>
      tx.projects.insert(projectRecord(owner.id, { name })),
    );
    return { owner, project };
  }

  async function signedIn({ email }: Account): Promise<Browser> {
    const browser = newBrowser(app());
    await browser.signIn(email);
    return browser;
  }

  const addMember = (projectId: number, { id }: Account, role: MemberRole) =>
    app().deps.store.transaction((tx) => tx.projects.addMember(projectId, id, role, 1));

  const actsOf = async ({ id }: Account) => app().deps.store.auditLog.ofAccount(id, 1e9, 10);

  test('a person sees the projects that they own or are a member of, with their role', async () => {
    const { owner, project } = await givenOwner('A');
    await givenOwner();
    const browser = await signedIn(owner);
    for (const role of MEMBER_ROLES) {
      const other = await givenOwner(`B ${role}`);
      await addMember(other.project.id, owner, role);
    }

    const { json } = await browser.get('/read/ownProjects');

    assert.deepEqual(
      json.projects.map((one: { role: string }) => one.role),
      ['owner', 'manager', 'member', 'read_only'],
    );
    assert.equal(json.projects[0].uuid, project.uuid);
  });

  test('the list tells how the checks of each project are, the worst first, then by name', async () => {
    const { owner, project } = await givenOwner('alpha');
    const other = await givenOwner('Beta');
    const last = await givenOwner('ABLE');
    await addMember(other.project.id, owner, 'member');
    await addMember(last.project.id, owner, 'member');
    const now = app().clock.now();
    const late = now - 86_400_000_000 - 1;
    await app().givenCheck(project, { status: 'up', lastPingAt: now });
    await app().givenCheck(project, { status: 'up', lastPingAt: late, lastStartAt: now });
    await app().givenCheck(project, { status: 'paused' });
    await app().givenCheck(project);
    await app().givenCheck(other.project, { status: 'down' });
    await app().givenChannel(other.project);
    await app().givenChannel(other.project);

    const { json } = await (await signedIn(owner)).get('/read/ownProjects');

    const [down, alpha, also] = json.projects;
    const none = {
      ...{ total: 0, up: 0, late: 0, down: 0, held: 0, acknowledged: 0 },
      ...{ untold: 0, silent: 0, new: 0, started: 0 },
    };
    assert.deepEqual(down, {
      uuid: other.project.uuid,
      name: 'Beta',
      role: 'member',
      owner: other.owner.email,
      status: 'down',
      checks: { ...none, total: 1, down: 1 },
      integrations: 2,
      offer: null,
    });
    assert.deepEqual([also.name, also.status, also.checks, also.integrations], ['ABLE', 'up', none, 0]);
    assert.deepEqual([alpha.name, alpha.status, alpha.owner], ['alpha', 'late', owner.email]);
    assert.deepEqual(alpha.checks, { ...none, total: 4, up: 1, late: 1, silent: 1, new: 1, started: 1 });
    assert.equal(json.freeChecks, owner.limits.checks - 4);
  });

  test('only projects whose checks have changed are counted again', async (t) => {
    const { owner, project } = await givenOwner('A');
    const { project: other } = await givenOwner('B');
    await addMember(other.id, owner, 'member');
    const check = await app().givenCheck(project, { status: 'up', lastPingAt: app().clock.now() });
    await app().givenCheck(other, { status: 'up', lastPingAt: app().clock.now() });
    const browser = await signedIn(owner);
    await browser.get('/read/ownProjects');
    const { mock } = t.mock.method(app().deps.store.checks, 'timedPage');
    const counted = () => mock.calls.map((call) => call.arguments[0]);

    await browser.get('/read/ownProjects');
    assert.deepEqual(counted(), []);
    await app().receive(check, 'fail');
    const { json } = await browser.get('/read/ownProjects');

    assert.deepEqual(counted(), [project.id]);
    assert.equal(json.projects[0].status, 'down');
    app().clock.advance({ seconds: 2 });
    await browser.get('/read/ownProjects');
    assert.deepEqual(counted(), [project.id, project.id, other.id], 'another process may have written');
  });

  test('whoever has no role in a project is told that it does not exist', async () => {
    const { project } = await givenOwner();
    const browser = await signedIn(await givenAccount(app()));

    const reply = await browser.get(`/projects/${project.uuid}/read/project`);

    assert.equal(reply.status, 404);
    const none = await browser.get(`/projects/${crypto.randomUUID()}/read/project`);
    assert.deepEqual(reply.json, none.json);
  });

  test('a role that was changed or taken away holds from the next request on', async () => {
    const { project } = await givenOwner();
    const member = await givenAccount(app());
    const browser = await signedIn(member);
    const { store } = app().deps;
    const look = async () => {
      const { status, json } = await browser.get(`/projects/${project.uuid}/read/project`);
      return [status, json.role];
    };

    await addMember(project.id, member, 'read_only');
    assert.deepEqual(await look(), [200, 'read_only']);
    await store.transaction((tx) => tx.projects.setRole(project.id, member.id, 'manager'));
    assert.deepEqual(await look(), [200, 'manager']);
    await store.transaction((tx) => tx.projects.removeMember(project.id, member.id));
    assert.deepEqual(await look(), [404, undefined]);
  });

  test('a person makes a project with a name of up to 60 characters on one line', async () => {
    const owner = await givenAccount(app());
    const browser = await signedIn(owner);

    const { status, json } = await browser.post('/do/createProject', { name: ` ${'👩'.repeat(58)} ` });

    assert.equal(status, 200);
    assert.deepEqual((await browser.get(`/projects/${json.uuid}/read/project`)).json, {
      uuid: json.uuid,
      name: '👩'.repeat(58),
      role: 'owner',
      created: '2024-03-01T12:00:00+00:00',
      offer: null,
    });
    assert.equal((await browser.post('/do/createProject', { name: 'two\nlines' })).status, 200);
    for (const name of ['x'.repeat(61), '', ' \n ', 7, null]) {
      const refused = await browser.post('/do/createProject', { name });
      assert.deepEqual([refused.status, refused.json.field], [400, 'name']);
    }
    const acts = (await actsOf(owner)).filter(({ action }) => action === 'project.created');
    assert.deepEqual(
      acts.map(({ subject }) => subject.name),
      ['two lines', '👩'.repeat(58)],
    );
    assert.equal(acts[1]?.subject.id, json.uuid);
  });

  test('an account owns a limited number of projects, deleted ones included', async () => {
    const { owner, project } = await givenOwner();
    await app().deps.store.transaction(async (tx) => {
      for (let n = 2; n <= MAX_OWNED_PROJECTS; n++) await tx.projects.insert(projectRecord(owner.id));
      await tx.projects.setDeletion(project.id, START + 1);
    });
    const browser = await signedIn(owner);

    const reply = await browser.post('/do/createProject', { name: 'One more' });

    assert.deepEqual([reply.status, reply.json.code], [403, 'project_limit_reached']);
    await app().deps.store.transaction((tx) => tx.projects.delete(project.id));
    assert.equal((await browser.post('/do/createProject', { name: 'One more' })).status, 200);
  });

  test('those who may write rename a project, and everybody sees the new name', async () => {
    const { owner, project } = await givenOwner('Old');
    const writer = await givenAccount(app());
    const reader = await givenAccount(app());
    await addMember(project.id, writer, 'member');
    await addMember(project.id, reader, 'read_only');
    const path = `/projects/${project.uuid}`;

    const refused = await (await signedIn(reader)).post(`${path}/do/renameProject`, { name: 'New' });
    const renamed = await (await signedIn(writer)).post(`${path}/do/renameProject`, { name: 'New' });

    assert.deepEqual([refused.status, refused.json.code], [403, 'permission_denied']);
    assert.equal(renamed.status, 204);
    assert.equal((await (await signedIn(owner)).get(`${path}/read/project`)).json.name, 'New');
    const [act] = await actsOf(writer);
    assert.equal(act?.action, 'project.renamed');
    assert.equal(act?.projectId, project.id);
    assert.deepEqual(act?.details, { before: { name: 'Old' }, after: { name: 'New' } });
  });

  test('no body makes an endpoint of projects fail', async () => {
    const { owner, project } = await givenOwner();
    const browser = await signedIn(owner);
    const hostile = [
      '',
      '[]',
      'null',
      '{"name":',
      '\u0000',
      { name: '\u0000' },
      { name: '\ud800' },
      { name: {} },
    ];
    const ids = ['\u0000', 'x', 7].flatMap((id) => [{ member: id }, { target: id }]);
    const bodies = [...hostile, ...ids, {}];
    const outside = ['createProject', 'restoreProject', 'acceptProject', 'declineProject'];
    const inside = ['renameProject', 'deleteProject', 'offerProject'];
    const paths = [
      ...outside.map((act) => `/do/${act}`),
      ...inside.map((act) => `/projects/${project.uuid}/do/${act}`),
    ];
    for (const path of paths) {
      for (const body of bodies) {
        const { status } = await browser.send('POST', path, body);
        assert.ok(status >= 400 && status < 500, `${path} ${JSON.stringify(body)}: ${status}`);
      }
    }
  });
});
