import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isGranted, type Permission, ROLES, type Role, SCOPES } from '../../src/domain/people/permission.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { accountProjectRoutes } from '../../src/http/api/account-projects.ts';
import { SITE, sharedTestApp } from '../app.ts';
import { givenAccount } from '../dashboard/browser.ts';
import { forEachEngine } from '../engines.ts';
import { projectRecord } from '../records.ts';
import { assertError, assertStatus } from './answers.ts';
import { givenToken } from './tokens.ts';

const PROJECTS = '/api/v3/projects/';
const NO_SUCH_UUID = '00000000-0000-4000-8000-000000000000';

interface ProjectAnswer {
  readonly uuid: string;
  readonly name: string;
  readonly role: Role;
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function givenOwner() {
    const owner = await givenAccount(app());
    const { secret } = await givenToken(app(), owner.id);
    const send = (method: string, path: string, body?: unknown) =>
      app().request(method, path, { key: secret, ...(body !== undefined && { body }) });
    return { owner, secret, send };
  }

  async function givenProjectOf({ id }: { id: number }): Promise<Project> {
    return app().deps.store.transaction((tx) => tx.projects.insert(projectRecord(id)));
  }

  const listed = async (key: string) =>
    ((await app().request('GET', PROJECTS, { key })).json as { projects: ProjectAnswer[] }).projects;

  test('a program makes, renames, deletes and restores a project', async () => {
    const { secret, send } = await givenOwner();

    const created = await send('POST', PROJECTS, { name: 'Backups' });

    assertStatus(created, 201);
    const { uuid } = created.json as ProjectAnswer;
    assert.deepEqual(created.json, {
      uuid,
      name: 'Backups',
      role: 'owner',
      created: '2024-03-01T12:00:00+00:00',
    });
    const renamed = await send('POST', PROJECTS + uuid, { name: 'Restores' });
    assert.equal((renamed.json as ProjectAnswer).name, 'Restores');
    const { secret: key } = (
      await send('POST', `${PROJECTS}${uuid}/keys/`, { name: 'CI', kind: 'read_write' })
    ).json as { secret: string };
    const keyStatus = async () => (await app().request('GET', '/api/v3/checks/', { key })).status;
    assert.equal(await keyStatus(), 200);

    const deleted = await send('DELETE', PROJECTS + uuid);

    assert.deepEqual(deleted.json, { uuid, name: 'Restores', deletes_at: '2024-03-08T12:00:00+00:00' });
    assert.deepEqual(await listed(secret), []);
    assertError(await send('GET', PROJECTS + uuid), 404, 'project not found');
    assert.equal(await keyStatus(), 401);
    assertStatus(await send('POST', `${PROJECTS}${uuid}/restore`), 200);
    assert.deepEqual(
      (await listed(secret)).map((one) => one.name),
      ['Restores'],
    );
    assert.equal(await keyStatus(), 200);
  });

  test('a program invites somebody, changes their role and removes them', async () => {
    const { owner, send } = await givenOwner();
    const project = await givenProjectOf(owner);
    const path = PROJECTS + project.uuid;
    const member = await givenAccount(app());

    const invited = await send('POST', `${path}/invitations/`, { role: 'read_only' });

    const { uuid, link } = invited.json as { uuid: string; link: string };
    assert.match(link, /^http:\/\/testserver\//);
    const { invitations } = (await send('GET', `${path}/invitations/`)).json as {
      invitations: { uuid: string; invited_by: string }[];
    };
    assert.deepEqual(
      invitations.map((one) => [one.uuid, one.invited_by]),
      [[uuid, owner.email]],
    );
    assertStatus(await send('DELETE', `${path}/invitations/${uuid}`), 204);
    await app().deps.store.transaction((tx) => tx.projects.addMember(project.id, member.id, 'member', 1));
    assertStatus(await send('POST', `${path}/members/${member.uuid}`, { role: 'manager' }), 200);
    const roles = async () =>
      ((await send('GET', `${path}/members/`)).json as { members: ProjectAnswer[] }).members.map(
        ({ role }) => role,
      );
    assert.deepEqual(await roles(), ['owner', 'manager']);
    assertStatus(await send('DELETE', `${path}/members/${member.uuid}`), 200);
    assert.deepEqual(await roles(), ['owner']);
  });

  test('a token for some projects sees those alone, and makes or restores none', async () => {
    const { owner } = await givenOwner();
    const [own, other] = [await givenProjectOf(owner), await givenProjectOf(owner)];
    const scopes = SCOPES.filter((scope) => scope !== 'projects.edit');
    const { secret } = await givenToken(app(), owner.id, { scopes, projectIds: [own.id] });
    const send = (method: string, path: string) => app().request(method, path, { key: secret });

    assert.deepEqual(
      (await listed(secret)).map(({ uuid }) => uuid),
      [own.uuid],
    );
    assertStatus(await send('GET', PROJECTS + own.uuid), 200);
    assertError(await send('GET', PROJECTS + other.uuid), 404, 'project not found');
    assertError(await send('DELETE', PROJECTS + other.uuid), 404, 'project not found');
    assertError(await send('POST', PROJECTS), 403, 'permission denied');
    assertStatus(await send('DELETE', PROJECTS + own.uuid), 200);
    assertError(await send('POST', `${PROJECTS}${own.uuid}/restore`), 403, 'permission denied');
  });

  test('nobody restores a project of somebody else', async () => {
    const [alice, bob] = [await givenOwner(), await givenOwner()];
    const project = await givenProjectOf(alice.owner);
    await alice.send('DELETE', PROJECTS + project.uuid);

    assertError(await bob.send('POST', `${PROJECTS}${project.uuid}/restore`), 404, 'project not found');
  });

  test('a key of a project opens nothing here', async () => {
    const { key, project } = await app().givenProject();

    for (const path of [PROJECTS, PROJECTS + project.uuid, `${PROJECTS}${project.uuid}/keys/`]) {
      assertError(await app().request('GET', path, { key }), 401, 'wrong api key', path);
      assertError(await app().request('GET', path), 401, 'missing api key', path);
    }
  });

  /** Every operation in a project, with the address of the project. */
  function operationsIn(uuid: string): { method: string; path: string; permission: Permission }[] {
    return accountProjectRoutes(app().node.accounts, SITE).flatMap(({ path, operations }) =>
      Object.entries(operations).flatMap(([method, operation]) =>
        operation.auth !== 'project_token'
          ? []
          : {
              method,
              path: `/api/v3${path.replace(/:project_uuid\([^)]*\)/, uuid).replaceAll(/:\w+\([^)]*\)/g, NO_SUCH_UUID)}`,
              permission: operation.permission,
            },
      ),
    );
  }

  for (const role of ROLES) {
    test(`a token of an account with the role ${role} reaches exactly what the table gives the role`, async () => {
      const owner = await givenAccount(app());
      const account = role === 'owner' ? owner : await givenAccount(app());
      const project = await givenProjectOf(owner);
      await app().deps.store.transaction(async (tx) => {
        if (role !== 'owner') await tx.projects.addMember(project.id, account.id, role, 1);
      });
      // Deleting comes last: it ends everything else.
      const operations = operationsIn(project.uuid).toSorted(
        (one, other) =>
          Number(one.permission === 'project.delete') - Number(other.permission === 'project.delete'),
      );
      assert.ok(operations.length > 12);

      for (const { method, path, permission } of operations) {
        const send = async (scopes: typeof SCOPES) => {
          const { secret } = await givenToken(app(), account.id, { scopes });
          const { status, text } = await app().request(method, path, { key: secret });
          return status === 403 && text.includes('permission denied');
        };
        assert.equal(await send(SCOPES.filter((scope) => scope !== permission)), true, `${method} ${path}`);
        assert.equal(await send([permission]), !isGranted(role, permission), `${method} ${path} ${role}`);
      }
    });
  }
});
