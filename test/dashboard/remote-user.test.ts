import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { noteMail } from '../../src/services/people/address-proof.ts';
import type { AccountSettings } from '../../src/services/people/deps.ts';
import { startSession } from '../../src/services/people/sessions.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { injectInto } from '../inject.ts';
import { accountTokenRecord, projectRecord } from '../records.ts';
import { Browser, givenAccount, PASSWORD } from './browser.ts';
import { EVERY_WAY_IN, givenStranger } from './strangers.ts';

const PROXY = '192.0.2.10';
const REMOTE_USER = { header: 'x-authenticated-user', groupsHeader: 'x-groups', proxies: ['192.0.2.0/28'] };

let people = 0;

function newEmail(): string {
  return `person-${++people}@example.org`;
}

forOneEngine((engine) => {
  let app: TestApp;
  const start = (accounts: Partial<AccountSettings> = {}) =>
    startTestApp(engine, {}, { trustedProxies: ['192.0.2.0/24'] }, null, {
      remoteUser: REMOTE_USER,
      localSignIn: false,
      ...accounts,
    });
  before(async () => {
    app = await start();
  });
  after(() => app[Symbol.asyncDispose]());

  const behind = (address = PROXY) => new Browser(app, { address });
  const as = (email: string, more: Readonly<Record<string, string>> = {}) => ({
    'x-authenticated-user': email,
    ...more,
  });

  async function whoIs(browser: Browser, headers: Readonly<Record<string, string>>): Promise<string | null> {
    const reply = await browser.send('GET', '/read/signedIn', undefined, headers);
    return reply.status === 200 ? reply.json.account.email : null;
  }

  test('whom the proxy names for the first time gets an account with a first project', async () => {
    const email = newEmail();
    const browser = behind();
    assert.equal(await whoIs(browser, as(email.toUpperCase())), email);

    const { projects } = (await browser.send('GET', '/read/ownProjects', undefined, as(email))).json;
    assert.equal(projects.length, 1);
    const { acts } = (await browser.send('GET', '/account/export', undefined, as(email))).json;
    assert.deepEqual(
      acts.map((act: { action: string; means: string }) => [act.action, act.means]),
      [['account.signed_up', 'proxy']],
    );
    assert.equal(browser.cookies.size, 0);
  });

  test('others see the name that whom the proxy names has chosen', async () => {
    const [browser, headers] = [behind(), as(newEmail())];
    const { projects } = (await browser.send('GET', '/read/ownProjects', undefined, headers)).json;
    const path = `/projects/${projects[0].uuid}`;
    await browser.send('POST', '/do/editAccount', { name: 'Anna' }, headers);

    await browser.send('POST', `${path}/do/announceQuietTime`, { name: 'deploy', duration: 3600 }, headers);

    const { quietTimes } = (await browser.send('GET', `${path}/read/quietTimes`, undefined, headers)).json;
    assert.equal(quietTimes[0].made_by, 'Anna');
  });

  test('many first requests at the same time make one account', async () => {
    const email = newEmail();
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => behind().send('GET', '/read/signedIn', undefined, as(email))),
    );

    const uuids = replies.map(({ json }) => json.account.uuid);
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [200]);
    assert.equal(new Set(uuids).size, 1);
  });

  test('from anybody else the header means nothing, whatever they say of their address', async () => {
    const email = newEmail();
    for (const address of ['203.0.113.7', '192.0.2.16', '::1', '2001:db8::1', '::ffff:203.0.113.7'])
      for (const forwarded of [undefined, PROXY, `${PROXY}, ${PROXY}`, `203.0.113.7, ${PROXY}`]) {
        const headers = as(email, forwarded === undefined ? {} : { 'x-forwarded-for': forwarded });
        assert.equal(await whoIs(behind(address), headers), null, `${address} ${forwarded}`);
      }
    assert.equal(await app.deps.store.accounts.byEmail(email), null);
  });

  test('the peer counts, and not the client that the proxy names', async () => {
    const email = newEmail();

    assert.equal(await whoIs(behind(), as(email, { 'x-forwarded-for': '203.0.113.7' })), email);
    assert.equal(await whoIs(behind(`::ffff:${PROXY}`), as(email)), email);
  });

  test('another name is another person, and no name is nobody, from one request to the next', async () => {
    const [alice, bob] = [newEmail(), newEmail()];
    const browser = behind();

    assert.equal(await whoIs(browser, as(alice)), alice);
    assert.equal(await whoIs(browser, as(bob)), bob);
    for (const nobody of ['', ' ', 'alice', `${alice}, ${bob}`, 'admin@localhost', 'a@b\u0001'])
      assert.equal(await whoIs(browser, as(nobody)), null, nobody);
    assert.equal(await whoIs(browser, {}), null);
  });

  test('a session of before does not count', async () => {
    const account = await givenAccount(app);
    const client = { address: PROXY, userAgent: '', device: null };
    const { token } = await app.deps.store.transaction((tx) =>
      startSession(app.deps, tx, account, client, null),
    );
    const other = behind();
    other.cookies.set('tocsin_session', token);

    assert.equal((await other.get('/read/signedIn')).status, 401);
  });

  test('an account that has a password is that of its address', async () => {
    const { email, uuid } = await givenAccount(app);
    const reply = await behind().send('GET', '/read/signedIn', undefined, as(email));

    assert.equal(reply.json.account.uuid, uuid);
  });

  test('all that opens an account ends when the proxy names its owner and nobody has proved the address before', async () => {
    await using mailless = await start({ hasMail: false });
    await noteMail(mailless.deps, false);
    const { account, waysIn } = await givenStranger(mailless, newEmail());
    const proxy = new Browser(mailless, { address: PROXY });
    assert.deepEqual(await waysIn(), EVERY_WAY_IN);

    assert.equal(await whoIs(proxy, as(account.email)), account.email);

    assert.deepEqual(await waysIn(), []);
    const { acts } = (await proxy.send('GET', '/account/export', undefined, as(account.email))).json;
    assert.deepEqual(
      acts.map((act: { action: string; details: unknown }) => [act.action, act.details]),
      [['account.claimed', { revoked: { keys: 1, walls: 1 } }]],
    );
  });

  test('what the owner makes afterwards stays, on other nodes and after groups have changed', async () => {
    await using mailless = await start({ hasMail: false });
    await noteMail(mailless.deps, false);
    const { account } = await givenStranger(mailless, newEmail());
    const proxy = new Browser(mailless, { address: PROXY });
    await whoIs(proxy, as(account.email));
    await mailless.deps.store.transaction((tx) => tx.accountTokens.insert(accountTokenRecord(account.id)));

    await whoIs(proxy, as(account.email, { 'x-groups': 'other' }));
    mailless.clock.advance({ minutes: 5 });
    await whoIs(proxy, as(account.email));

    assert.equal((await mailless.deps.store.accountTokens.ofAccount(account.id)).length, 1);
  });

  test('an account whose address a mail has proved keeps what opens it', async () => {
    const { account, waysIn } = await givenStranger(app, newEmail());

    assert.equal(await whoIs(behind(), as(account.email)), account.email);

    assert.deepEqual(await waysIn(), EVERY_WAY_IN);
  });

  test('an account that an administrator has switched off stays off, whatever the proxy says', async () => {
    const account = await givenAccount(app);
    await app.deps.store.transaction((tx) => tx.accounts.save({ ...account, isActive: false }));

    assert.equal(await whoIs(behind(), as(account.email)), null);
  });

  test('an administrator administers behind the proxy as well', async () => {
    const { email } = await givenAccount(app, { isAdmin: true });
    const other = await givenAccount(app);

    assert.equal((await behind().send('POST', '/read/accountDirectory', {}, as(email))).status, 200);
    assert.equal((await behind().send('POST', '/read/accountDirectory', {}, as(other.email))).status, 403);
  });

  test('an administrator enters a project of others for an hour, and it tells', async () => {
    const admin = newEmail();
    await givenAccount(app, { email: admin, isAdmin: true });
    const { project } = await app.givenProject();
    const check = await app.givenCheck(project);
    const other = newEmail();
    const send = (method: string, path: string, body?: object, email = admin) =>
      behind().send(method, path, body, as(email));
    const path = `/projects/${project.uuid}/read/project`;
    assert.equal((await send('GET', path)).status, 404);

    const entered = await send('POST', '/do/visitProject', { target: project.uuid, reason: 'a question' });

    assert.equal(entered.status, 204, entered.text);
    assert.equal(
      (await send('POST', '/do/visitProject', { target: project.uuid, reason: 'again' })).status,
      204,
    );
    assert.deepEqual(
      [
        (await send('GET', path)).status,
        (await send('GET', `/checks/${check.uniqueKey}/read/checkPage`)).status,
      ],
      [200, 200],
    );
    assert.equal((await send('GET', path, undefined, other)).status, 404);
    assert.deepEqual((await send('GET', '/read/openSessions')).json, []);
    app.clock.advance({ hours: 1 });
    assert.equal((await send('GET', path)).status, 404);
  });

  test('local sign-in is neither offered nor possible', async () => {
    const { email } = await givenAccount(app);
    const browser = behind();

    const { json } = await browser.get('/read/entrance');
    assert.deepEqual(json.signIn, { isLocal: false, provider: null, isByProxy: true });
    const reply = await browser.post('/do/signInWithPassword', { email, password: PASSWORD });
    assert.equal(reply.json.code, 'local_sign_in_off');
  });

  test('what is dangerous needs no other proof, and a page of another site causes nothing', async () => {
    const email = newEmail();
    const browser = behind();
    const close = (headers: Readonly<Record<string, string | null>>) =>
      browser.send('POST', '/do/closeAccount', { email }, { ...as(email), ...headers });
    await whoIs(browser, as(email));

    assert.equal((await close({ origin: 'https://evil.example' })).json.code, 'cross_origin');
    assert.equal((await close({ origin: null })).json.code, 'cross_origin');
    assert.equal((await close({})).status, 204);
    assert.equal(await app.deps.store.accounts.byEmail(email), null);
  });

  test('nobody changes the address by which the proxy knows them', async () => {
    const email = newEmail();
    const reply = await behind().send('POST', '/do/changeEmail', { email: newEmail() }, as(email));

    assert.deepEqual([reply.status, reply.json.code], [403, 'local_sign_in_off']);
    assert.equal(await whoIs(behind(), as(email)), email);
  });

  test('there are no sessions to list, and none to end', async () => {
    const email = newEmail();
    const browser = behind();

    const list = await browser.send('GET', '/read/openSessions', undefined, as(email));
    assert.deepEqual(list.json, []);
    const ended = await browser.send('POST', '/do/endOtherSessions', {}, as(email));
    assert.deepEqual(ended.json, { ended: 0 });
    assert.equal((await browser.send('POST', '/do/signOut', {}, as(email))).status, 204);
    assert.equal(await whoIs(browser, as(email)), email);
  });

  test('groups in the header give roles, and take them back with the next request', async () => {
    const project = randomUUID();
    await using grouped = await start({
      groups: { admins: ['Führung'], roles: [{ group: 'ops', project, role: 'member' }] },
    });
    const boss = await givenAccount(grouped);
    await grouped.deps.store.transaction((tx) =>
      tx.projects.insert(projectRecord(boss.id, { uuid: project })),
    );
    const browser = new Browser(grouped, { address: PROXY });
    const email = newEmail();
    const state = async (groups: string) => {
      const headers = as(email, groups === '' ? {} : { 'x-groups': Buffer.from(groups).toString('latin1') });
      const { account } = (await browser.send('GET', '/read/signedIn', undefined, headers)).json;
      const { status } = await browser.send('GET', `/projects/${project}/read/project`, undefined, headers);
      return [account.isAdmin, status];
    };

    assert.deepEqual(await state('dev'), [false, 404]);
    assert.deepEqual(await state('dev, ops'), [false, 200]);
    assert.deepEqual(await state('Führung|ops'), [true, 200]);
    assert.deepEqual(await state(''), [false, 404]);
  });

  test('groups that another node has applied meanwhile are applied again after five minutes', async () => {
    await using grouped = await start({ groups: { admins: ['admins'], roles: [] } });
    const browser = new Browser(grouped, { address: PROXY });
    const email = newEmail();
    const isAdmin = async () =>
      (await browser.send('GET', '/read/signedIn', undefined, as(email, { 'x-groups': 'admins' }))).json
        .account.isAdmin;
    assert.equal(await isAdmin(), true);
    const account = await grouped.deps.store.accounts.byEmail(email);
    assert.ok(account);
    await grouped.deps.store.transaction((tx) => tx.accounts.setAdminByGroup(account.id, false));

    assert.equal(await isAdmin(), false);
    grouped.clock.advance({ minutes: 5 });
    assert.equal(await isAdmin(), true);
  });

  test('the header is no key of the API', async () => {
    const email = newEmail();
    const reply = await injectInto(app.server, {
      url: '/api/v3/checks/',
      remoteAddress: PROXY,
      headers: as(email),
    });

    assert.equal(reply.statusCode, 401);
  });

  test('where no header is set up, it means nothing', async () => {
    await using plain = await startTestApp(engine);
    const reply = await new Browser(plain, { address: PROXY }).send(
      'GET',
      '/read/signedIn',
      undefined,
      as(newEmail()),
    );

    assert.equal(reply.status, 401);
  });
});
