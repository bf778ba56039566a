import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NewAct } from '../../src/domain/people/audit.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { MAX_EXAMINED_ACTS, MAX_PAGE_ACTS } from '../../src/services/history/audit-log.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { actRecord, projectRecord } from '../records.ts';
import { type Browser, givenAccount, newBrowser } from './browser.ts';

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  /** An owner who is signed in, and a project of theirs. */
  async function givenOwner() {
    const owner = await givenAccount(app());
    const { store } = app().deps;
    const project = await store.transaction((tx) => tx.projects.insert(projectRecord(owner.id)));
    const browser = newBrowser(app());
    await browser.signIn(owner.email);
    return { owner, project, browser, path: `/projects/${project.uuid}` };
  }

  async function givenActs(project: Project, acts: readonly Partial<NewAct>[]): Promise<void> {
    await app().deps.store.transaction(async (tx) => {
      for (const act of acts) await tx.auditLog.insert(actRecord(null, { projectId: project.id, ...act }));
    });
  }

  const read = (browser: Browser, path: string, input = {}) =>
    browser.post(`${path}/read/auditLog`, { cursor: '', ...input });

  test('the owner reads who did what, the latest first', async () => {
    const { project, browser, path } = await givenOwner();
    await givenActs(project, [
      { createdAt: 1_000_000, action: 'check.created' },
      {
        createdAt: 2_000_000,
        action: 'check.deleted',
        subject: { kind: 'check', id: 'key', name: 'Nightly' },
      },
    ]);

    const { json } = await read(browser, path);

    assert.equal(json.cursor, null);
    assert.equal(json.acts.length, 2);
    assert.deepEqual(json.acts[0], {
      ...{ at: '1970-01-01T00:00:02+00:00', actor: 'alice@example.org', account: null, means: 'session' },
      ...{ address: '192.0.2.1', action: 'check.deleted' },
      subject: { kind: 'check', id: 'key', name: 'Nightly' },
      details: { before: { name: 'A' }, after: { name: 'B' } },
    });
  });

  test('managers read and export the log; members and those who may only look do not', async () => {
    const { project, path } = await givenOwner();
    const { store } = app().deps;
    for (const [role, status] of [
      ['manager', 200],
      ['member', 403],
      ['read_only', 403],
    ] as const) {
      const person = await givenAccount(app());
      await store.transaction((tx) => tx.projects.addMember(project.id, person.id, role, 1));
      const browser = newBrowser(app());
      await browser.signIn(person.email);

      assert.equal((await read(browser, path)).status, status, role);
      assert.equal((await browser.get(`${path}/audit-log/export`)).status, status, role);
    }
  });

  test('the log of another project does not exist', async () => {
    const { path } = await givenOwner();
    const { browser } = await givenOwner();

    assert.equal((await read(browser, path)).status, 404);
    assert.equal((await browser.get(`${path}/audit-log/export`)).status, 404);
  });

  test('pages follow each other without a gap, also between entries of the same time', async () => {
    const { project, browser, path } = await givenOwner();
    const count = MAX_PAGE_ACTS * 2 + 7;
    await givenActs(
      project,
      Array.from({ length: count }, (_, n) => ({ createdAt: Math.floor(n / 3), action: `x.${n}` })),
    );

    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { json } = await read(browser, path, { cursor });
      assert.ok(json.acts.length <= MAX_PAGE_ACTS);
      seen.push(...json.acts.map(({ action }: { action: string }) => action));
      cursor = json.cursor;
    }

    assert.deepEqual(
      seen,
      Array.from({ length: count }, (_, n) => `x.${count - 1 - n}`),
    );
  });

  test('filters are an action, an account, a subject and a time, and apply together', async () => {
    const { project, owner, browser, path } = await givenOwner();
    const subject = (id: string) => ({ kind: 'check', id, name: '' });
    await givenActs(project, [
      { createdAt: 10_000_000, action: 'check.created', subject: subject('a') },
      { createdAt: 20_000_000, action: 'check.updated', subject: subject('a'), accountId: owner.id },
      { createdAt: 30_000_000, action: 'channel.edited', subject: subject('b'), accountId: owner.id },
      { createdAt: 40_000_000, action: 'check.updated', subject: subject('b') },
    ]);
    const found = async (query: string) => {
      const { text } = await browser.get(`${path}/audit-log/export?format=jsonl&${query}`);
      return text.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line).action));
    };
    const shown = async (input: object) =>
      (await read(browser, path, input)).json.acts.map(({ action }: { action: string }) => action);

    assert.deepEqual(await found('action=check.'), ['check.updated', 'check.updated', 'check.created']);
    assert.deepEqual(await found(`account=${owner.uuid}`), ['channel.edited', 'check.updated']);
    assert.deepEqual(await found('subject=b'), ['check.updated', 'channel.edited']);
    assert.deepEqual(await found('start=20&end=40'), ['channel.edited', 'check.updated']);
    assert.deepEqual(await found(`subject=b&account=${owner.uuid}&start=20`), ['channel.edited']);
    assert.deepEqual(await found('action=%00'), []);
    assert.deepEqual(await shown({ action: 'check.' }), ['check.updated', 'check.updated', 'check.created']);
    assert.deepEqual(await shown({ account: owner.uuid }), ['channel.edited', 'check.updated']);
    assert.deepEqual(await shown({ action: 'check.', account: owner.uuid }), ['check.updated']);
    assert.equal((await read(browser, path, { action: '\u0000' })).json.field, 'action');
    assert.deepEqual(await shown({ start: 20, end: 40 }), ['channel.edited', 'check.updated']);
  });

  test('a search finds the actor, the object, and old and new values, in any case', async () => {
    const { project, browser, path } = await givenOwner();
    await givenActs(project, [
      { createdAt: 1, action: 'a', subject: { kind: 'check', id: 'k', name: 'Nightly backup' } },
      { createdAt: 2, action: 'b', details: { before: { tz: 'UTC' }, after: { tz: 'Europe/Riga' } } },
      { createdAt: 3, action: 'c', actor: 'carol@example.org' },
    ]);
    const shown = async (search: string) =>
      (await read(browser, path, { search })).json.acts.map(({ action }: { action: string }) => action);

    assert.deepEqual(await shown('BACKUP'), ['a']);
    assert.deepEqual(await shown('europe/riga'), ['b']);
    assert.deepEqual(await shown('Carol'), ['c']);
    assert.deepEqual(await shown('nobody'), []);
    const file = await browser.get(`${path}/audit-log/export?format=jsonl&search=backup`);
    assert.equal(file.text.trim().split('\n').length, 1);
  });

  test('a filter that few pass looks at a bounded number of entries, and tells where to go on', async () => {
    const { project, browser, path } = await givenOwner();
    const others = Array.from({ length: MAX_EXAMINED_ACTS }, (_, n) => ({
      createdAt: n + 2,
      action: 'other',
    }));
    await givenActs(project, [{ createdAt: 1, action: 'wanted' }, ...others]);

    const first = await read(browser, path, { action: 'wanted' });
    const second = await read(browser, path, { action: 'wanted', cursor: first.json.cursor });

    assert.deepEqual(first.json.acts, []);
    assert.equal(second.json.acts.length, 1);
    assert.equal(second.json.cursor, null);
  });

  for (const [name, value] of [
    ['cursor', 'x'],
    ['cursor', '99999999999999999.1'],
    ['cursor', 7],
    ['account', 7],
    ['action', 'x'.repeat(101)],
    ['search', 'x'.repeat(101)],
    ['start', -1],
  ] as const)
    test(`a page that cannot be meant is refused: ${name} ${value}`.slice(0, 60), async () => {
      const { browser, path } = await givenOwner();

      const reply = await read(browser, path, { [name]: value });

      assert.deepEqual([reply.status, reply.json.code, reply.json.field], [400, 'invalid_field', name]);
    });

  for (const query of ['start=x', 'end=99999999999', 'action='.concat('x'.repeat(101))])
    test(`an export of a query that is wrong is refused: ${query.slice(0, 40)}`, async () => {
      const { browser, path } = await givenOwner();

      const reply = await browser.get(`${path}/audit-log/export?${query}`);

      assert.deepEqual([reply.status, reply.json.code], [400, 'invalid_query']);
      assert.equal(reply.json.field, query.split('=')[0]);
    });

  test('the whole log is exported as CSV or as lines of JSON, also if it is longer than one part', async () => {
    const { project, browser, path } = await givenOwner();
    const count = 1_234;
    await givenActs(
      project,
      Array.from({ length: count }, (_, n) => ({ createdAt: n, action: n % 2 === 0 ? 'check.x' : 'other' })),
    );

    const csv = await browser.get(`${path}/audit-log/export`);
    const lines = await browser.get(`${path}/audit-log/export?format=jsonl&action=check.`);

    assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8; header=present');
    assert.equal(csv.headers['content-disposition'], 'attachment; filename="audit-log.csv"');
    assert.equal(csv.text.split('\r\n').length, count + 2);
    assert.equal(lines.headers['content-type'], 'application/x-ndjson');
    const acts = lines.text.trimEnd().split('\n');
    assert.equal(acts.length, count / 2);
    assert.ok(acts.every((line) => JSON.parse(line).action === 'check.x'));
    assert.equal((await browser.get(`${path}/audit-log/export?format=xml`)).status, 400);
  });

  test('a person reads and exports what they did themselves, and nothing of others', async () => {
    const { owner, browser } = await givenOwner();
    await givenOwner();

    const { json } = await browser.post('/read/ownActs', { cursor: '' });
    const exported = await browser.get('/account/audit-log/export?format=jsonl');

    assert.deepEqual(
      json.acts.map(({ action, account }: { action: string; account: string }) => [action, account]),
      [['account.signed_in', owner.uuid]],
    );
    assert.equal(JSON.parse(exported.text).actor, owner.email);
    app().clock.advance({ minutes: 31 });
    assert.equal((await browser.post('/read/ownActs', { cursor: '' })).status, 200);
    assert.equal((await browser.get('/account/audit-log/export')).json.code, 'confirmation_required');
  });
});
