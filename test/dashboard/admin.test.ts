import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account, NewAccount } from '../../src/domain/people/account.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { sendTestMail } from '../../src/services/instance/instance.ts';
import { THE_OPERATOR } from '../../src/services/people/account-actor.ts';
import { MAX_EXAMINED_ENTRIES, MAX_PAGE_ENTRIES } from '../../src/views/limits.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { accountRecord, projectRecord } from '../records.ts';
import { type Browser, givenAccount, newBrowser } from './browser.ts';

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  async function signedIn(overrides: Partial<NewAccount> = {}) {
    const account = await givenAccount(app(), overrides);
    const browser = newBrowser(app());
    assert.equal((await browser.signIn(account.email)).status, 204);
    return { account, browser };
  }

  function givenProjectOf({ id }: Account, name = 'Backups'): Promise<Project> {
    return app().deps.store.transaction((tx) => tx.projects.insert(projectRecord(id, { name })));
  }

  /** Acts of the account, the latest first. */
  async function actsOf({ id: accountId }: Account) {
    const page = { after: null, from: null, before: null, most: 10 };
    return app().deps.store.auditLog.page({ accountId }, page);
  }

  async function reload({ id }: Account): Promise<Account> {
    return (await app().deps.store.accounts.byId(id)) ?? assert.fail();
  }

  /** An administrator's act on the account. */
  const administer = (browser: Browser, name: string, { uuid }: Account, input: object = {}) =>
    browser.post(`/do/${name}`, { account: uuid, ...input });

  const directory = (browser: Browser, of: 'account' | 'project', input: object = {}) =>
    browser.post(`/read/${of}Directory`, input);

  test('nobody but an administrator sees anything of the installation', async () => {
    const { browser } = await signedIn();
    const { account: other } = await signedIn();

    const replies = [
      await directory(browser, 'account'),
      await directory(browser, 'project'),
      await browser.get('/read/instanceSettings'),
      await browser.get('/read/instanceHealth'),
    ];
    for (const { status, json } of replies) assert.deepEqual([status, json.code], [403, 'permission_denied']);
    assert.equal((await browser.post('/do/examineInstallation', {})).status, 403);
    assert.equal((await administer(browser, 'makeAdministrator', other)).status, 403);
    assert.equal((await administer(browser, 'deactivateAccount', other)).status, 403);
  });

  test('somebody who loses the right loses it with the next request', async () => {
    const { account, browser } = await signedIn({ isAdmin: true });
    assert.equal((await directory(browser, 'account')).status, 200);

    await app().deps.store.transaction((tx) => tx.accounts.save({ ...account, isAdmin: false }));

    assert.equal((await directory(browser, 'account')).status, 403);
  });

  test('an administrator finds accounts by a part of their address, and sees what they have', async () => {
    const { browser } = await signedIn({ isAdmin: true });
    const mark = app().deps.random.uuid();
    const { account } = await signedIn({ email: `zoe-${mark}@example.org`, name: 'Zoë' });
    const project = await givenProjectOf(account);
    await app().givenCheck(project);

    const { json } = await directory(browser, 'account', { search: `OE-${mark.toUpperCase()}` });

    assert.equal(json.cursor, null);
    assert.equal(json.accounts.length, 1);
    const [{ created, lastSeen, ...found }] = json.accounts;
    assert.ok(created && lastSeen);
    assert.deepEqual(found, {
      ...{ uuid: account.uuid, email: account.email, name: 'Zoë', isAdmin: false, isActive: true },
      ...{ hasSecondFactor: false, checks: 1, projects: 1 },
      limits: { checks: 1000, pings: 100 },
    });
    const exact = await directory(browser, 'account', { search: account.email });
    assert.equal(exact.json.accounts.length, 1);
  });

  test('a list goes on from its cursor, and a search looks at a bounded number of entries', async () => {
    const { account, browser } = await signedIn({ isAdmin: true });
    const { store } = app().deps;
    const mark = app().deps.random.uuid();
    await store.transaction(async (tx) => {
      for (let n = 0; n < MAX_PAGE_ENTRIES + 1; n++) await tx.accounts.insert(accountRecord({ name: mark }));
      for (let n = 0; n < MAX_EXAMINED_ENTRIES; n++) await tx.projects.insert(projectRecord(account.id));
      await tx.projects.insert(projectRecord(account.id, { name: mark }));
    });

    const first = await directory(browser, 'account', { search: mark });
    const second = await directory(browser, 'account', { search: mark, cursor: first.json.cursor });
    assert.equal(first.json.accounts.length, MAX_PAGE_ENTRIES);
    assert.equal(second.json.accounts.length, 1);

    const none = await directory(browser, 'project', { search: mark });
    assert.deepEqual(none.json.projects, []);
    const rest = await directory(browser, 'project', { search: mark, cursor: none.json.cursor });
    assert.equal(rest.json.projects.length, 1);
    for (const search of ['\0', 'x'.repeat(300), 7])
      assert.deepEqual((await directory(browser, 'account', { search })).json, {
        error: 'search is not a short line of text',
        code: 'invalid_field',
        field: 'search',
      });
    assert.equal((await directory(browser, 'account', { cursor: 'x' })).json.field, 'cursor');
  });

  test('an administrator makes an account with a password, or with a link to copy', async () => {
    const { account: admin, browser } = await signedIn({ isAdmin: true });
    const [one, two] = [crypto.randomUUID(), crypto.randomUUID()].map((id) => `${id}@example.org`);

    const withPassword = await browser.post('/do/createAccount', {
      email: one,
      password: 'a horse of good temper',
    });
    const withLink = await browser.post('/do/createAccount', { email: two, name: 'Two', isAdmin: true });

    assert.deepEqual([withPassword.status, withPassword.json.link], [200, null]);
    assert.equal((await newBrowser(app()).signIn(one ?? '', 'a horse of good temper')).status, 204);
    assert.match(withLink.json.link, /^http:\/\/testserver\/accounts\/password\/#[\w-]{43}$/);
    assert.equal((await app().deps.store.accounts.byEmail(two ?? ''))?.isAdmin, true);
    const token = withLink.json.link.split('#')[1];
    const chosen = await newBrowser(app()).post('/do/setPasswordByLink', {
      token,
      password: 'a horse of good temper',
    });
    assert.equal(chosen.status, 204);
    assert.equal((await browser.post('/do/createAccount', { email: one })).json.code, 'email_taken');
    assert.equal((await browser.post('/do/createAccount', {})).json.field, 'email');
    const actions = (await actsOf(admin)).map(({ action }) => action);
    assert.equal(actions.filter((action) => action === 'account.created').length, 2);
  });

  test('whoever is deactivated is signed out, and cannot sign in until they are active again', async () => {
    const { account: admin, browser } = await signedIn({ isAdmin: true });
    const { account, browser: person } = await signedIn();

    assert.equal((await administer(browser, 'deactivateAccount', account)).status, 204);

    assert.equal((await person.get('/read/signedIn')).status, 401);
    const refused = await person.signIn(account.email);
    const unknown = await newBrowser(app()).signIn('nobody@example.org');
    assert.deepEqual([refused.status, refused.json], [unknown.status, unknown.json], 'the generic error');
    const [act] = await actsOf(admin);
    assert.deepEqual(
      [act?.action, act?.subject.id, act?.means],
      ['account.deactivated', account.uuid, 'session'],
    );

    assert.equal((await administer(browser, 'activateAccount', account)).status, 204);
    assert.equal((await newBrowser(app()).signIn(account.email)).status, 204);
  });

  test('an account that is not active gets no link, and links from before work no longer', async () => {
    const { browser } = await signedIn({ isAdmin: true });
    const { account } = await signedIn();
    const { link } = (await administer(browser, 'offerPassword', account)).json;
    await administer(browser, 'deactivateAccount', account);
    const { store } = app().deps;

    const asked = await newBrowser(app()).post('/do/mailSignIn', { email: account.email });

    assert.equal(asked.status, 200);
    assert.equal(await store.mails.hasOpen(account.id, 'link'), false);
    const token = String(link).split('#')[1];
    const used = await newBrowser(app()).post('/do/setPasswordByLink', {
      token,
      password: 'a horse of good temper',
    });
    assert.equal(used.json.code, 'invalid_link');
  });

  test('limits, second factors, sessions and the right to administer are changed, each with an entry', async () => {
    const { account: admin, browser } = await signedIn({ isAdmin: true });
    const { account, browser: person } = await signedIn();
    await app().deps.store.transaction((tx) =>
      tx.secondFactors.addAuthenticator({ accountId: account.id, sealedSecret: 'x', createdAt: 0 }, 0),
    );

    assert.equal((await administer(browser, 'setAccountLimits', account, { pings: 5_000 })).status, 204);
    assert.deepEqual((await reload(account)).limits, { checks: 1_000, pings: 5_000 });
    assert.equal((await administer(browser, 'endAllSessions', account)).status, 204);
    assert.equal((await person.get('/read/signedIn')).status, 401);
    assert.equal((await administer(browser, 'removeSecondFactors', account)).status, 204);
    assert.equal(await app().deps.store.secondFactors.authenticatorOf(account.id), null);
    assert.equal((await administer(browser, 'makeAdministrator', account)).status, 204);
    assert.equal((await reload(account)).isAdmin, true);
    assert.equal((await administer(browser, 'unmakeAdministrator', account)).status, 204);
    assert.equal((await reload(account)).isAdmin, false);

    const acts = (await actsOf(admin)).toReversed().slice(1);
    assert.deepEqual(
      acts.map(({ action }) => action),
      [
        ...['account.limits_changed', 'sessions.ended', 'second_factors.removed'],
        ...['admin.granted', 'admin.revoked'],
      ],
    );
    assert.deepEqual(acts[0]?.details, { before: { pings: 100 }, after: { pings: 5_000 } });
    for (const limits of [{ pings: 0 }, { checks: -1 }, { checks: 1.5 }, { pings: '7' }])
      assert.equal((await administer(browser, 'setAccountLimits', account, limits)).status, 400);
  });

  test('the last administrator stays one, and stays at all', async () => {
    const { account, browser } = await signedIn({ isAdmin: true });
    const { store } = app().deps;
    for (let afterId = 0; ; ) {
      const page = await store.accounts.page(afterId, 500);
      if (page.length === 0) break;
      const others = page.filter(({ id, isAdmin }) => isAdmin && id !== account.id);
      await store.transaction(async (tx) => {
        for (const other of others) await tx.accounts.save({ ...other, isAdmin: false });
      });
      afterId = page.at(-1)?.id ?? 0;
    }

    for (const what of ['unmakeAdministrator', 'deactivateAccount', 'deleteAccount']) {
      const reply = await administer(browser, what, account, { email: account.email });
      assert.deepEqual([reply.status, reply.json.code], [409, 'last_administrator'], what);
    }
    const second = await givenAccount(app(), { isAdmin: true, isActive: false });
    assert.equal(
      (await administer(browser, 'unmakeAdministrator', account)).status,
      409,
      'the other is not active',
    );
    await store.transaction((tx) => tx.accounts.save({ ...second, isActive: true }));
    assert.equal((await administer(browser, 'unmakeAdministrator', account)).status, 204);
  });

  test('an account is deleted with its projects, once its address was repeated', async () => {
    const { account: admin, browser } = await signedIn({ isAdmin: true });
    const { account } = await signedIn();
    const project = await givenProjectOf(account, 'Theirs');
    await app().givenCheck(project);

    assert.equal(
      (await administer(browser, 'deleteAccount', account, { email: 'x@example.org' })).status,
      400,
    );
    assert.equal((await administer(browser, 'deleteAccount', account, { email: account.email })).status, 204);

    assert.equal(await app().deps.store.accounts.byId(account.id), null);
    assert.equal(await app().deps.store.projects.byId(project.id), null);
    assert.equal((await actsOf(admin))[0]?.action, 'account.closed');
    assert.equal((await administer(browser, 'deleteAccount', account, { email: account.email })).status, 404);
  });

  test('projects are found by name, UUID and owner, with what they have', async () => {
    const { browser } = await signedIn({ isAdmin: true });
    const { account } = await signedIn();
    const mark = crypto.randomUUID().slice(0, 8);
    const project = await givenProjectOf(account, `Night ${mark}`);
    await app().givenCheck(project);
    await app().givenChannel(project);

    const searches = [
      { search: mark, cursor: project.id - 1 },
      { search: project.uuid },
      { search: account.email },
    ];
    for (const input of searches) {
      const { json } = await directory(browser, 'project', input);
      const [{ created, ...found }] = json.projects;
      assert.ok(created);
      assert.deepEqual(found, {
        ...{ uuid: project.uuid, name: `Night ${mark}`, owner: account.email },
        ...{ checks: 1, channels: 1, members: 0 },
      });
    }
  });

  /** A visit: an administrator, an owner, and their project. */
  async function givenVisit() {
    const admin = await signedIn({ isAdmin: true });
    const owner = await signedIn();
    const project = await givenProjectOf(owner.account);
    const path = `/projects/${project.uuid}`;
    const enter = (browser: Browser, body: object = {}) =>
      browser.post('/do/visitProject', { target: project.uuid, ...body });
    return { admin, owner, project, path, enter };
  }

  test('a project of others does not exist for an administrator until they enter it', async () => {
    const { admin, owner, project, path, enter } = await givenVisit();
    assert.equal((await admin.browser.get(`${path}/read/project`)).status, 404);

    assert.equal((await enter(admin.browser, { reason: 'Ticket 7' })).status, 204);

    const { status, json } = await admin.browser.get(`${path}/read/project`);
    assert.deepEqual([status, json.role], [200, 'administrator']);
    assert.equal((await admin.browser.post(`${path}/read/auditLog`, { cursor: '' })).status, 200);
    const log = (await owner.browser.post(`${path}/read/auditLog`, { cursor: '' })).json.acts;
    assert.deepEqual(
      log.map((act: { action: string; actor: string; details: object }) => [
        act.action,
        act.actor,
        act.details,
      ]),
      [['administrator.entered', admin.account.email, { reason: 'Ticket 7' }]],
    );
    assert.equal(log[0].subject.id, project.uuid);
    assert.ok(
      !(await admin.browser.get('/read/ownProjects')).text.includes(project.uuid),
      'it is not among their own',
    );
  });

  test('a visit is for one session, ends after an hour or on leaving, and with the right', async () => {
    const { admin, owner, project, path, enter } = await givenVisit();
    const look = async (browser: Browser) => (await browser.get(`${path}/read/project`)).status;
    const second = newBrowser(app());
    await second.signIn(admin.account.email);
    await enter(admin.browser);
    assert.deepEqual([await look(admin.browser), await look(second)], [200, 404]);

    app().clock.advance({ minutes: 61 });
    assert.equal(await look(admin.browser), 404);
    assert.equal((await enter(admin.browser)).json.code, 'confirmation_required');
    await admin.browser.signIn(admin.account.email);
    await enter(admin.browser);
    assert.equal(await look(admin.browser), 200);
    assert.equal((await admin.browser.post('/do/leaveVisitedProject', { target: project.uuid })).status, 204);
    assert.equal(await look(admin.browser), 404);
    assert.equal((await owner.browser.signIn(owner.account.email)).status, 204);
    const log = (await owner.browser.post(`${path}/read/auditLog`, { cursor: '' })).json.acts;
    assert.equal(log[0].action, 'administrator.left');

    await enter(admin.browser);
    await app().deps.store.transaction((tx) => tx.accounts.save({ ...admin.account, isAdmin: false }));
    assert.equal(await look(admin.browser), 404);
    await app().deps.store.transaction((tx) => tx.accounts.save(admin.account));
    assert.equal((await admin.browser.post('/do/visitProject', { target: crypto.randomUUID() })).status, 404);
  });

  test('settings are listed with their origin, and secrets are masked', async () => {
    const { browser } = await signedIn({ isAdmin: true });

    const { text, json } = await browser.get('/read/instanceSettings');

    const find = (wanted: string) => json.find(({ name }: { name: string }) => name === wanted);
    assert.deepEqual(
      ['SITE_NAME', 'SECRET_KEY', 'PORT'].map((name) => [find(name).value, find(name).origin]),
      [
        ['Tocsin', 'environment'],
        ['••••••••', 'environment'],
        ['8000', 'default'],
      ],
    );
    assert.ok(!text.includes('a secret for tests only'));
  });

  test('health tells loops, queues and how much the database takes', async () => {
    const { browser } = await signedIn({ isAdmin: true });

    const { json } = await browser.get('/read/instanceHealth');

    assert.equal(json.version, '0.0.0');
    assert.deepEqual(json.loops, []);
    assert.equal(json.queues.pings, 0);
    assert.equal(typeof json.queues.deliveries, 'number');
    assert.ok(json.databaseBytes > 4_096);
    assert.equal(json.growth.bytesPerDay, null);
    assert.equal(json.disk, null);
  });

  test('a test mail that is refused tells why, and one without a mail server is an error', async () => {
    const { instance } = app().node.http;
    const mail = { to: 'a@example.org', subject: '', text: '', html: '', headers: {}, attachments: [] };
    const refusing = { ...instance, mail: { send: async () => 'Invalid login: 535 no such user' } };

    const error = await sendTestMail(app().deps, refusing, THE_OPERATOR, mail);

    assert.equal(error, 'Invalid login: 535 no such user');
    const without = sendTestMail(app().deps, { ...instance, mail: null }, THE_OPERATOR, mail);
    await assert.rejects(without, { code: 'no_mail' });
  });

  test('a test mail tells what the mail server said', async () => {
    const { account, browser } = await signedIn({ isAdmin: true });

    const { status, json } = await browser.post('/do/sendTestMail', { email: 'ops@example.org' });

    assert.deepEqual([status, json], [200, { error: null }]);
    const [act] = await actsOf(account);
    assert.deepEqual([act?.action, act?.subject.name], ['instance.mail_tested', 'ops@example.org']);
    assert.equal((await browser.post('/do/sendTestMail', { email: 'x' })).status, 400);
  });
});
