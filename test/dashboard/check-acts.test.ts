import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { projectRecord, unique } from '../records.ts';
import { givenAccount } from './browser.ts';
import { actsIn, givenMember, givenTeam, join, type Person } from './team.ts';

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  const checksOf = ({ id }: Project) => app().deps.store.checks.ofProject(id);
  const byUuid = (uuid: string) => app().deps.store.checks.byUuid(uuid);
  const actionsIn = async (project: Project) => (await actsIn(app(), project)).map(({ action }) => action);
  const countOf = ({ account }: Person) => app().deps.store.accounts.checkCount(account.id);

  /** Another project of the same person. */
  async function givenOther({ account }: Person): Promise<Project> {
    const record = projectRecord(account.id, { name: `Project ${unique()}` });
    return app().deps.store.transaction((tx) => tx.projects.insert(record));
  }

  test('a copy has the settings and integrations of its original, another name and slug, and no events', async () => {
    const { project, browser } = await givenTeam(app());
    const [mail, hook] = [await app().givenChannel(project), await app().givenChannel(project)];
    const original = await app().givenCheck(project, {
      ...{ name: 'Backup', slug: 'backup', tags: 'db prod', description: 'Nightly', status: 'down' },
      ...{ kind: 'cron', schedule: '0 3 * * *', tz: 'Europe/Riga', graceSeconds: 600, pingCount: 7 },
      ...{ filterHttpBody: true, failureKeywords: 'ERROR', methods: 'POST', manualResume: true },
    });
    await app().assign(original, mail);

    const reply = await browser.post(`/checks/${original.uuid}/do/copyCheck`);

    assert.equal(reply.status, 200);
    assert.equal(reply.json.name, 'Backup (copy)');
    const copy = (await byUuid(reply.json.uuid)) ?? assert.fail();
    const { name, slug, status, pingCount, ...rest } = copy;
    assert.deepEqual(
      { name, slug, status, pingCount },
      {
        ...{ name: 'Backup (copy)', slug: 'backup-copy', status: 'new', pingCount: 0 },
      },
    );
    for (const field of ['tags', 'description', 'kind', 'schedule', 'tz', 'graceSeconds'] as const)
      assert.equal(rest[field], original[field]);
    for (const field of ['filterHttpBody', 'failureKeywords', 'methods', 'manualResume'] as const)
      assert.equal(rest[field], original[field]);
    assert.deepEqual(await app().deps.store.checks.channelsOf(copy.id), [mail.uuid]);
    assert.ok(!(await app().deps.store.checks.channelsOf(copy.id)).includes(hook.uuid));
    assert.deepEqual(await actionsIn(project), ['check.created']);
  });

  test('in another project a copy has the integrations of that project, and its owner needs room for it', async () => {
    const owner = await givenTeam(app());
    const other = await givenAccount(app(), { passwordHash: null, limits: { checks: 1, pings: 100 } });
    const target = await app().deps.store.transaction((tx) => tx.projects.insert(projectRecord(other.id)));
    await join(app(), target, owner.account, 'member');
    const channel = await app().givenChannel(target);
    const check = await app().givenCheck(owner.project);
    const copy = () => owner.browser.post(`/checks/${check.uuid}/do/copyCheck`, { target: target.uuid });

    const { uuid } = (await copy()).json;
    const copied = (await byUuid(uuid)) ?? assert.fail();
    assert.equal(copied.projectId, target.id);
    assert.deepEqual(await app().deps.store.checks.channelsOf(copied.id), [channel.uuid]);
    const refused = await copy();
    assert.deepEqual([refused.status, refused.json.code], [403, 'check_limit_reached']);
  });

  test('a check that moves keeps its address and history, and gets the integrations of its new project', async () => {
    const owner = await givenTeam(app());
    const target = await givenOther(owner);
    const [old, fresh] = [await app().givenChannel(owner.project), await app().givenChannel(target)];
    const check = await app().givenCheck(owner.project, { tags: 'db', status: 'up', pingCount: 3 });
    await app().assign(check, old);

    assert.equal(
      (await owner.browser.post(`/checks/${check.uuid}/do/moveCheck`, { target: target.uuid })).status,
      204,
    );

    const moved = (await byUuid(check.uuid)) ?? assert.fail();
    assert.deepEqual([moved.projectId, moved.status, moved.pingCount], [target.id, 'up', 3]);
    const { store } = app().deps;
    assert.deepEqual(await store.checks.channelsOf(check.id), [fresh.uuid]);
    assert.deepEqual(await store.checks.tagsOfProject(target.id), ['db']);
    assert.deepEqual(await store.checks.tagsOfProject(owner.project.id), []);
    assert.deepEqual(await actionsIn(owner.project), ['check.moved_out']);
    assert.deepEqual(await actionsIn(target), ['check.moved_in']);
    assert.equal((await app().ping(`/${check.uuid}`)).status, 200);
    assert.equal(await countOf(owner), 1);
  });

  test('a check moves only where the person may write, and where there is room', async () => {
    const owner = await givenTeam(app());
    const check = await app().givenCheck(owner.project);
    const other = await givenAccount(app(), { passwordHash: null, limits: { checks: 0, pings: 100 } });
    const full = await app().deps.store.transaction((tx) => tx.projects.insert(projectRecord(other.id)));
    const { project: foreign } = await app().givenProject();
    const readable = await app().givenProject();
    await join(app(), full, owner.account, 'member');
    await join(app(), readable.project, owner.account, 'read_only');
    const codeOf = async (project: string) =>
      (await owner.browser.post(`/checks/${check.uuid}/do/moveCheck`, { target: project })).json.code;

    assert.equal(await codeOf(foreign.uuid), 'project_not_found');
    assert.equal(await codeOf(readable.project.uuid), 'permission_denied');
    assert.equal(await codeOf(full.uuid), 'check_limit_reached');
    assert.equal(await codeOf(owner.project.uuid), 'invalid_field');
    assert.equal(await codeOf('nonsense'), 'invalid_field');
    assert.equal((await byUuid(check.uuid))?.projectId, owner.project.id);
    assert.equal(await countOf(owner), 1);
    const projects = (await owner.browser.get(`/projects/${owner.project.uuid}/read/moveTargets`)).json;
    assert.deepEqual(
      projects.map(({ uuid, isCurrent, isFull }: Record<string, unknown>) => [uuid, isCurrent, isFull]),
      [
        [owner.project.uuid, true, false],
        [full.uuid, false, true],
      ],
    );
  });

  test('clearing the events of a check makes it new, and its next ping continues the numbering', async () => {
    const { project, browser } = await givenTeam(app());
    const check = await app().givenCheck(project, { status: 'up' });
    await app().receive(check, 'success');
    await app().receive(check, 'fail');
    assert.equal((await app().deps.store.pings.latest(check.id, 10)).length, 2);

    assert.equal((await browser.post(`/checks/${check.uuid}/do/clearCheck`)).status, 204);

    const { store } = app().deps;
    const cleared = (await byUuid(check.uuid)) ?? assert.fail();
    assert.deepEqual([cleared.status, cleared.lastPingAt, cleared.deadlineAt], ['new', null, null]);
    assert.deepEqual(await store.pings.latest(check.id, 10), []);
    const all = { from: 0, before: Number.MAX_SAFE_INTEGER };
    assert.deepEqual(await store.flips.ofCheck(check.id, all, { after: null, limit: 9 }), []);
    assert.equal((await app().ping(`/${check.uuid}`)).status, 200);
    assert.deepEqual(
      (await store.pings.latest(check.id, 10)).map(({ n }) => n),
      [3],
    );
    assert.ok((await actionsIn(project)).includes('check.cleared'));
  });

  test('after its address was replaced a check is pinged by the new one alone, and its bodies stay', async () => {
    const { project, browser } = await givenTeam(app());
    const check = await app().givenCheck(project);
    const body = 'x'.repeat(200);
    await app().ping(`/${check.uuid}`, { body });

    const { uuid } = (await browser.post(`/checks/${check.uuid}/do/replaceAddress`)).json;

    assert.equal((await app().ping(`/${check.uuid}`)).status, 404);
    assert.equal((await app().ping(`/${uuid}`)).status, 200);
    assert.equal((await browser.post(`/checks/${check.uuid}/do/pauseCheck`)).json.code, 'check_not_found');
    assert.equal((await byUuid(uuid))?.pingCount, 2);
    assert.ok((await actionsIn(project)).includes('check.address_replaced'));
  });

  test('many checks are paused, tagged and assigned at once, and the answer tells to how many', async () => {
    const { project, browser, path } = await givenTeam(app());
    const channel = await app().givenChannel(project);
    const foreign = await app().givenCheck((await app().givenProject()).project);
    const checks: Check[] = [];
    for (let n = 0; n < 60; n++) checks.push(await app().givenCheck(project, { status: 'up', tags: 'old' }));
    const uuids = checks.map(({ uuid }) => uuid);
    const bulk = async (act: string, body: object) =>
      (await browser.post(`${path}/do/${act}Checks`, body)).json;

    const paused = await bulk('pause', { checks: [...uuids, foreign.uuid, foreign.badgeKey] });
    assert.equal(paused.done.length, 60);
    assert.deepEqual(paused.refused, [
      { error: 'check not found', checks: [foreign.uuid, foreign.badgeKey] },
    ]);
    await bulk('adjust', { checks: uuids, addTags: 'new  other', removeTags: 'old' });
    await bulk('adjust', { checks: uuids, addChannels: [channel.uuid] });
    const now = await checksOf(project);
    assert.ok(now.every(({ status, tags }) => status === 'paused' && tags === 'new other'));
    assert.deepEqual(await app().deps.store.checks.channelsOf(checks[0]?.id ?? 0), [channel.uuid]);
    await bulk('adjust', { checks: uuids, removeChannels: [channel.uuid] });
    assert.deepEqual(await app().deps.store.checks.channelsOf(checks[0]?.id ?? 0), []);
    assert.equal((await bulk('resume', { checks: uuids })).done.length, 60);
    assert.deepEqual(
      (await bulk('resume', { checks: uuids.slice(1) })).refused[0].error,
      'check is not paused',
    );
    assert.equal((await byUuid(foreign.uuid))?.status, foreign.status);
  });

  test('an act on many checks names at most 500 of them', async () => {
    const { browser, path } = await givenTeam(app());
    const checks = Array.from(
      { length: 501 },
      (_, n) => `5c7e2a10-93b4-4d6f-8a21-${String(n).padStart(12, '0')}`,
    );

    const reply = await browser.post(`${path}/do/pauseChecks`, { checks });

    assert.deepEqual([reply.status, reply.json.code, reply.json.field], [400, 'invalid_field', 'checks']);
  });

  test('many checks are moved and deleted at once; if jobs still use them, their number is asked for', async () => {
    const owner = await givenTeam(app());
    const target = await givenOther(owner);
    const lastReceivedAt = app().clock.now();
    const checks: Check[] = [];
    for (let n = 0; n < 3; n++)
      checks.push(await app().givenCheck(owner.project, n === 0 ? { lastReceivedAt } : {}));
    const uuids = checks.map(({ uuid }) => uuid);
    const bulk = async (project: Project, act: string, body: object = {}) =>
      (await owner.browser.post(`/projects/${project.uuid}/do/${act}Checks`, { checks: uuids, ...body }))
        .json;

    assert.equal((await bulk(owner.project, 'move', { target: target.uuid })).done.length, 3);
    assert.equal((await checksOf(target)).length, 3);
    const half = await bulk(target, 'delete');
    assert.deepEqual([half.done.length, half.refused[0].checks.length], [2, 1]);
    assert.equal(
      (await bulk(target, 'delete', { checks: uuids.slice(0, 1), typedCount: '1' })).done.length,
      1,
    );
    assert.equal((await checksOf(target)).length, 0);
    assert.equal((await bulk(target, 'restore')).done.length, 3);
    assert.equal((await checksOf(target)).length, 3);
    assert.equal(await countOf(owner), 3);
  });

  test('somebody who may only read can do none of it', async () => {
    const { project, path } = await givenTeam(app());
    const check = await app().givenCheck(project);
    const { browser } = await givenMember(app(), project, 'read_only');
    for (const verb of [
      'do/pauseCheck',
      'do/copyCheck',
      'do/moveCheck',
      'do/clearCheck',
      'do/replaceAddress',
      'do/deleteCheck',
      'do/updateCheck',
    ])
      assert.equal((await browser.post(`/checks/${check.uniqueKey}/${verb}`)).json.code, 'permission_denied');
    for (const rest of ['/do/deleteChecks', '/do/createCheck'])
      assert.equal((await browser.post(path + rest)).json.code, 'permission_denied');
    assert.equal(
      (await browser.get(`/checks/${check.uniqueKey}/read/editedCheck`)).json.code,
      'permission_denied',
    );
  });
});
