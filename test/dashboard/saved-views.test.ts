import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_OWN_VIEWS, MAX_SHARED_VIEWS, MAX_VIEW_QUERY } from '../../src/domain/saved-view.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { savedViewRecord } from '../records.ts';
import type { Browser } from './browser.ts';
import { actsIn, givenMember, givenPerson, givenTeam } from './team.ts';

const BACKUPS = { name: ' Backups ', query: 'status=down+late&tag=backup', isShared: false };

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  const namesOf = async (browser: Browser, path: string): Promise<string[]> =>
    (await browser.get(`${path}/read/savedViews`)).json.map(({ name }: { name: string }) => name);

  test('a view is seen by whoever keeps it, and by everybody once it is shared', async () => {
    const { browser, path, project, account } = await givenTeam(app());
    const member = await givenMember(app(), project, 'member');
    const reader = await givenMember(app(), project, 'read_only');

    const saved = await browser.post(`${path}/do/saveView`, BACKUPS);
    assert.equal(saved.status, 200);
    const { uuid } = saved.json;
    const shown = {
      ...{ uuid, name: 'Backups', query: BACKUPS.query, isShared: false, isOwn: true, by: account.email },
    };
    assert.deepEqual((await browser.get(`${path}/read/savedViews`)).json, [shown]);
    assert.deepEqual(await namesOf(member.browser, path), []);

    assert.equal((await browser.post(`${path}/do/changeView`, { view: uuid, isShared: true })).status, 204);
    for (const person of [member, reader]) {
      const views = (await person.browser.get(`${path}/read/savedViews`)).json;
      assert.deepEqual(views, [{ ...shown, isShared: true, isOwn: false }]);
    }
    assert.equal(
      (await member.browser.post(`${path}/do/changeView`, { view: uuid, isShared: false })).status,
      404,
    );
    assert.equal((await browser.post(`${path}/do/changeView`, { view: uuid, isShared: false })).status, 204);
    assert.deepEqual(await namesOf(reader.browser, path), []);
    assert.deepEqual(
      (await actsIn(app(), project)).map(({ action }) => action),
      ['view.created', 'view.updated', 'view.updated'],
    );
  });

  test('whoever may only read keeps views for themselves, and deletes no shared view of others', async () => {
    const { browser, path, project } = await givenTeam(app());
    const member = await givenMember(app(), project, 'member');
    const reader = await givenMember(app(), project, 'read_only');
    const { uuid: own } = (await reader.browser.post(`${path}/do/saveView`, BACKUPS)).json;
    const { uuid: shared } = (await browser.post(`${path}/do/saveView`, { ...BACKUPS, isShared: true })).json;

    const refused = await reader.browser.post(`${path}/do/saveView`, { ...BACKUPS, isShared: true });
    assert.deepEqual([refused.status, refused.json.code], [403, 'permission_denied']);
    assert.equal((await reader.browser.post(`${path}/do/deleteView`, { view: shared })).status, 403);
    assert.equal((await member.browser.post(`${path}/do/deleteView`, { view: own })).status, 404);
    assert.equal((await reader.browser.post(`${path}/do/deleteView`, { view: own })).status, 204);
    assert.equal((await member.browser.post(`${path}/do/deleteView`, { view: shared })).status, 204);
    assert.deepEqual(await namesOf(reader.browser, path), []);
  });

  test('a view gets another name, and shows something else, by whoever keeps it', async () => {
    const { browser, path, project } = await givenTeam(app());
    const reader = await givenMember(app(), project, 'read_only');
    const { uuid } = (await browser.post(`${path}/do/saveView`, { ...BACKUPS, isShared: true })).json;
    const own = (await reader.browser.post(`${path}/do/saveView`, BACKUPS)).json;

    assert.equal(
      (await browser.post(`${path}/do/changeView`, { view: uuid, name: ' Nightly ' })).status,
      204,
    );
    assert.equal(
      (await browser.post(`${path}/do/changeView`, { view: uuid, query: 'status=down' })).status,
      204,
    );
    assert.equal(
      (await reader.browser.post(`${path}/do/changeView`, { view: own.uuid, name: 'Mine' })).status,
      204,
    );
    const views = (await reader.browser.get(`${path}/read/savedViews`)).json;
    assert.deepEqual(
      views.map(({ name, query, isShared }: Record<string, unknown>) => [name, query, isShared]),
      [
        ['Nightly', 'status=down', true],
        ['Mine', BACKUPS.query, false],
      ],
    );
    const refusals = [
      [{ name: ' ' }, 400, 'name'],
      [{ query: '<b>' }, 400, 'query'],
      [{}, 204, undefined],
    ] as const;
    for (const [change, status, field] of refusals) {
      const reply = await browser.post(`${path}/do/changeView`, { view: uuid, ...change });
      assert.deepEqual([reply.status, reply.status === 204 ? undefined : reply.json.field], [status, field]);
    }
    assert.equal(
      (await reader.browser.post(`${path}/do/changeView`, { view: own.uuid, isShared: true })).status,
      403,
    );
    assert.equal((await reader.browser.post(`${path}/do/changeView`, { view: uuid, name: 'X' })).status, 404);
  });

  test('views of another project and of strangers are not found', async () => {
    const { browser, path } = await givenTeam(app());
    const other = await givenTeam(app());
    const { uuid } = (await other.browser.post(`${other.path}/do/saveView`, { ...BACKUPS, isShared: true }))
      .json;
    assert.equal((await browser.post(`${path}/do/deleteView`, { view: uuid })).json.code, 'view_not_found');
    const stranger = await givenPerson(app());
    assert.equal((await stranger.browser.get(`${path}/read/savedViews`)).status, 404);
  });

  test('a view without a name, or with more than an address can have, is refused with its field', async () => {
    const { browser, path } = await givenTeam(app());
    for (const [field, wrong] of [
      ['name', { name: ' ' }],
      ['name', { name: 'x'.repeat(61) }],
      ['query', { query: 'q=<b>' }],
      ['query', { query: 'q'.repeat(MAX_VIEW_QUERY + 1) }],
      ['isShared', { isShared: 'yes' }],
    ] as const) {
      const { status, json } = await browser.post(`${path}/do/saveView`, { ...BACKUPS, ...wrong });
      assert.deepEqual([status, json.field], [400, field]);
    }
  });

  test('one person keeps a limited number of views, and so does a project', async () => {
    const { browser, path, project, account } = await givenTeam(app());
    const member = await givenMember(app(), project, 'member');
    const other = await givenMember(app(), project, 'member');
    await app().deps.store.transaction(async (tx) => {
      for (let n = 0; n < MAX_SHARED_VIEWS; n++) {
        const { id } = n < MAX_OWN_VIEWS ? account : other.account;
        await tx.savedViews.insert(savedViewRecord(project.id, id, { isShared: true }));
      }
    });
    const own = await browser.post(`${path}/do/saveView`, BACKUPS);
    assert.deepEqual([own.status, own.json.code], [403, 'view_limit_reached']);
    const shared = await member.browser.post(`${path}/do/saveView`, { ...BACKUPS, isShared: true });
    assert.deepEqual([shared.status, shared.json.code], [403, 'view_limit_reached']);
    assert.equal((await member.browser.post(`${path}/do/saveView`, BACKUPS)).status, 200);
  });
});
