import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MEMBER_ROLES } from '../../src/domain/permission.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { projectRecord } from '../records.ts';
import { givenAccount, newBrowser } from './browser.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function givenOwner() {
    const owner = await givenAccount(app());
    const project = await app().deps.store.transaction((tx) => tx.projects.insert(projectRecord(owner.id)));
    return { owner, project };
  }

  test('a person sees the projects that they own or are a member of, with their role', async () => {
    const { owner, project } = await givenOwner();
    await givenOwner();
    const browser = newBrowser(app());
    await browser.signIn(owner.email);
    const roles = ['owner'];
    for (const role of MEMBER_ROLES) {
      const other = await givenOwner();
      await app().deps.store.transaction((tx) => tx.projects.addMember(other.project.id, owner.id, role, 1));
      roles.push(role);
    }

    const { json } = await browser.get('/projects');

    assert.deepEqual(
      json.projects.map((one: { role: string }) => one.role),
      roles,
    );
    assert.equal(json.projects[0].uuid, project.uuid);
  });

  test('whoever has no role in a project is told that it does not exist', async () => {
    const { project } = await givenOwner();
    const stranger = await givenAccount(app());
    const browser = newBrowser(app());
    await browser.signIn(stranger.email);

    const reply = await browser.get(`/projects/${project.uuid}`);

    assert.equal(reply.status, 404);
    assert.deepEqual(reply.json, (await browser.get(`/projects/${crypto.randomUUID()}`)).json);
  });

  test('a role that was changed or taken away holds from the next request on', async () => {
    const { project } = await givenOwner();
    const member = await givenAccount(app());
    const browser = newBrowser(app());
    await browser.signIn(member.email);
    const { store } = app().deps;
    const look = async () => {
      const { status, json } = await browser.get(`/projects/${project.uuid}`);
      return [status, json.role];
    };

    await store.transaction((tx) => tx.projects.addMember(project.id, member.id, 'read_only', 1));
    assert.deepEqual(await look(), [200, 'read_only']);
    await store.transaction((tx) => tx.projects.setRole(project.id, member.id, 'manager'));
    assert.deepEqual(await look(), [200, 'manager']);
    await store.transaction((tx) => tx.projects.removeMember(project.id, member.id));
    assert.deepEqual(await look(), [404, undefined]);
  });
});
