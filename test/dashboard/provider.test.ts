import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import pino from 'pino';
import type { NodeProvider } from '../../src/node/node.ts';
import { noteMail } from '../../src/services/people/address-proof.ts';
import { ATTEMPT_RULES } from '../../src/services/people/attempts.ts';
import type { AccountSettings } from '../../src/services/people/deps.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { passkeyRecord, projectRecord } from '../records.ts';
import { type Browser, givenAccount, newBrowser } from './browser.ts';
import {
  comeBack,
  type Person,
  ProviderAccess,
  signInByProvider,
  startProvider,
  type TestProvider,
  visitProvider,
} from './openid-provider.ts';
import { EVERY_WAY_IN, givenStranger } from './strangers.ts';

let provider: TestProvider;
before(async () => {
  provider = await startProvider();
});
after(() => provider[Symbol.asyncDispose]());

const SETTINGS = { name: 'Example ID', domains: null, groupsClaim: 'groups' };

let people = 0;

/** Somebody with a verified address, whom nobody knows yet. */
function newPerson(overrides: Person = {}): Person & { sub: string; email: string } {
  const name = `person-${++people}`;
  return { sub: `sub-${name}`, email: `${name}@example.org`, email_verified: true, name, ...overrides };
}

forOneEngine((engine) => {
  let app: TestApp;

  const start = (accounts: Partial<AccountSettings> = {}, access: NodeProvider = provider.access) =>
    startTestApp(engine, {}, {}, null, { provider: SETTINGS, ...accounts }, { provider: access });

  before(async () => {
    app = await start();
  });
  after(() => app[Symbol.asyncDispose]());

  const refusal = (reply: { headers: Readonly<Record<string, unknown>> }) => String(reply.headers.location);
  const accountOf = (email: string) => app.deps.store.accounts.byEmail(email);

  test('somebody new gets an account with a first project, and goes on where they were', async () => {
    const browser = newBrowser(app);
    const person = newPerson({ email: 'One@Example.org', name: 'One\u202e Person' });
    const reply = await signInByProvider(browser, person, '/checks/?tag=a');

    assert.equal(reply.status, 303);
    assert.equal(reply.headers.location, '/checks/?tag=a');
    const { account } = (await browser.get('/read/signedIn')).json;
    assert.deepEqual([account.email, account.name], ['one@example.org', 'One Person']);
    const { projects } = (await browser.get('/read/ownProjects')).json;
    assert.deepEqual(
      projects.map((one: { role: string }) => one.role),
      ['owner'],
    );
    const { acts } = (await browser.get('/account/export')).json;
    assert.deepEqual(
      acts.map((act: { action: string }) => act.action),
      ['account.signed_in', 'account.signed_up'],
    );
    assert.equal(acts[0].details.with, 'provider');
  });

  test('what the browser keeps meanwhile is hidden from scripts, and gone afterwards', async () => {
    const browser = newBrowser(app);
    const { setCookies, json } = await browser.post('/do/signInByProvider');

    assert.match(
      setCookies[0] ?? '',
      /^tocsin_at_provider=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    const asked = new URL(json.address).searchParams;
    assert.equal(asked.get('code_challenge_method'), 'S256');
    assert.ok(asked.get('nonce') && asked.get('state') && asked.get('code_challenge'));
    await comeBack(browser, await visitProvider(json.address, newPerson()));
    assert.equal(browser.cookies.has('tocsin_at_provider'), false);
  });

  test('a person is known by their subject, whatever address the provider names later', async () => {
    const person = newPerson();
    await signInByProvider(newBrowser(app), person);
    const browser = newBrowser(app);
    await signInByProvider(browser, { ...person, email: `new-${person.email}` });

    assert.equal((await browser.get('/read/signedIn')).json.account.email, person.email);
    const { identities } = (await browser.get('/read/identities')).json;
    assert.deepEqual(
      identities.map(({ issuer, email }: { issuer: string; email: string }) => ({ issuer, email })),
      [{ issuer: provider.issuer, email: `new-${person.email}` }],
    );
  });

  test('somebody else to whom the provider gives the address does not get the account', async () => {
    const person = newPerson();
    await signInByProvider(newBrowser(app), person);
    const browser = newBrowser(app);
    const reply = await signInByProvider(browser, { ...person, sub: 'somebody-else' });

    assert.equal(refusal(reply), '/accounts/login/?refused=identity_conflict');
    assert.equal((await browser.get('/read/signedIn')).status, 401);
  });

  test('two first sign-ins of a person at the same time make one account', async () => {
    const person = newPerson();
    const browsers = [newBrowser(app), newBrowser(app), newBrowser(app)];
    const replies = await Promise.all(browsers.map((browser) => signInByProvider(browser, person)));

    assert.deepEqual(
      replies.map(({ headers }) => headers.location),
      ['/', '/', '/'],
    );
    const uuids = await Promise.all(
      browsers.map(async (browser) => (await browser.get('/read/signedIn')).json.account.uuid),
    );
    assert.equal(new Set(uuids).size, 1);
  });

  test('an account that only its mailbox opens becomes that of the person, and others are signed out', async () => {
    const person = newPerson();
    const account = await givenAccount(app, { email: person.email, passwordHash: null });
    const reply = await signInByProvider(newBrowser(app), person);

    assert.equal(reply.headers.location, '/');
    const [identity] = await app.deps.store.identities.ofAccount(account.id);
    assert.equal(identity?.subject, person.sub);
    const sessions = await app.deps.store.sessions.ofAccount(account.id);
    assert.equal(sessions.length, 1);
  });

  test('an account with a password or a passkey is not given away because of its address', async () => {
    const withPassword = newPerson();
    const withPasskey = newPerson();
    await givenAccount(app, { email: withPassword.email });
    const { id } = await givenAccount(app, { email: withPasskey.email, passwordHash: null });
    await app.deps.store.transaction((tx) => tx.passkeys.insert(passkeyRecord(id)));

    for (const person of [withPassword, withPasskey]) {
      const browser = newBrowser(app);
      const reply = await signInByProvider(browser, person);
      assert.equal(refusal(reply), '/accounts/login/?refused=account_exists');
      assert.equal((await browser.get('/read/signedIn')).status, 401);
    }
  });

  test('an account with an app for codes is not given away either', async () => {
    const person = newPerson();
    const { id } = await givenAccount(app, { email: person.email, passwordHash: null });
    const authenticator = { accountId: id, sealedSecret: app.deps.vault.seal('secret'), createdAt: 0 };
    await app.deps.store.transaction((tx) => tx.secondFactors.addAuthenticator(authenticator, 1));

    const reply = await signInByProvider(newBrowser(app), person);

    assert.equal(refusal(reply), '/accounts/login/?refused=account_exists');
  });

  async function connect(browser: Browser, person: Person, next = '/account/') {
    const { json } = await browser.post('/do/connectIdentity', { next });
    return comeBack(browser, await visitProvider(json.address, person));
  }

  test('whoever is signed in connects the provider, signs in by it without a second factor, and disconnects it', async () => {
    const person = newPerson();
    const { email, id } = await givenAccount(app);
    const browser = newBrowser(app);
    await browser.signIn(email);
    assert.equal((await connect(browser, person)).headers.location, '/account/');
    const authenticator = { accountId: id, sealedSecret: app.deps.vault.seal('secret'), createdAt: 0 };
    await app.deps.store.transaction((tx) => tx.secondFactors.addAuthenticator(authenticator, 1));

    const other = newBrowser(app);
    await signInByProvider(other, person);
    assert.equal((await other.get('/read/signedIn')).json.account.email, email);

    const { identities } = (await browser.get('/read/identities')).json;
    assert.equal((await browser.post('/do/removeIdentity', { identity: identities[0].uuid })).status, 204);
    assert.equal((await browser.post('/do/removeIdentity', { identity: identities[0].uuid })).status, 404);
    await signInByProvider(other, person);
    assert.notEqual((await other.get('/read/signedIn')).json.account.email, email);
    const { acts } = (await browser.get('/account/export')).json;
    const actions = acts.map((act: { action: string }) => act.action);
    assert.ok(actions.includes('identity.connected') && actions.includes('identity.disconnected'));
  });

  test('connecting needs a recent proof, before and after the visit', async () => {
    const { email } = await givenAccount(app);
    const browser = newBrowser(app);
    await browser.signIn(email);
    app.clock.advance({ minutes: 25 });
    const { json } = await browser.post('/do/connectIdentity', { next: '/account/?a=b' });
    app.clock.advance({ minutes: 6 });
    const reply = await comeBack(browser, await visitProvider(json.address, newPerson()));

    assert.equal(refusal(reply), '/account/?a=b&refused=confirmation_required');
    assert.equal((await browser.post('/do/connectIdentity')).json.code, 'confirmation_required');
  });

  test('what one person has begun connects nothing with the account of another', async () => {
    const [alice, bob] = [await givenAccount(app), await givenAccount(app)];
    const browser = newBrowser(app);
    await browser.signIn(alice.email);
    const { json } = await browser.post('/do/connectIdentity');
    await browser.signIn(bob.email);
    const reply = await comeBack(browser, await visitProvider(json.address, newPerson()));

    assert.equal(refusal(reply), '/?refused=not_signed_in');
    assert.deepEqual((await browser.get('/read/identities')).json.identities, []);
  });

  test('a person belongs to one account, and an account to one person of the provider', async () => {
    const person = newPerson();
    const [alice, bob] = [newBrowser(app), newBrowser(app)];
    await alice.signIn((await givenAccount(app)).email);
    await bob.signIn((await givenAccount(app)).email);
    await connect(alice, person);

    assert.equal((await connect(alice, person)).headers.location, '/account/');
    assert.equal(refusal(await connect(alice, newPerson())), '/account/?refused=identity_conflict');
    assert.equal(refusal(await connect(bob, person)), '/account/?refused=identity_conflict');
  });

  test('nobody disconnects the only way in', async () => {
    await using mailless = await start({ hasMail: false });
    const browser = newBrowser(mailless);
    await signInByProvider(browser, newPerson());
    const { identities } = (await browser.get('/read/identities')).json;
    const reply = await browser.post('/do/removeIdentity', { identity: identities[0].uuid });

    assert.deepEqual([reply.status, reply.json.code], [409, 'last_way_in']);
  });

  test('a proof of identity by the provider allows what is dangerous', async () => {
    const person = newPerson();
    const browser = newBrowser(app);
    await signInByProvider(browser, person);
    app.clock.advance({ minutes: 31 });
    assert.equal((await browser.get('/account/export')).status, 403);
    const token = browser.cookies.get('tocsin_session');

    const { json } = await browser.post('/do/confirmByProvider', { next: '/account/' });
    assert.equal(new URL(json.address).searchParams.get('prompt'), 'login');
    const reply = await comeBack(browser, await visitProvider(json.address, person));

    assert.equal(reply.headers.location, '/account/');
    assert.equal((await browser.get('/account/export')).status, 200);
    assert.notEqual(browser.cookies.get('tocsin_session'), token);
  });

  test('the proof of somebody else allows nothing', async () => {
    const person = newPerson();
    const browser = newBrowser(app);
    await signInByProvider(browser, person);
    app.clock.advance({ minutes: 31 });
    const { json } = await browser.post('/do/confirmByProvider', { next: '/account/' });
    const other = await comeBack(browser, await visitProvider(json.address, newPerson()));

    assert.equal(refusal(other), '/account/?refused=identity_conflict');
    assert.equal((await browser.get('/account/export')).status, 403);
  });

  test('a proof from before the question allows nothing', async () => {
    const person = newPerson();
    const browser = newBrowser(app);
    await signInByProvider(browser, person);
    app.clock.advance({ minutes: 31 });
    const { json } = await browser.post('/do/confirmByProvider', { next: '/account/' });
    const address = new URL(json.address);
    address.searchParams.delete('prompt');
    address.searchParams.set('max_age', '10000');
    const old = { ...person, auth_time: Math.floor(Date.now() / 1_000) - 3_600 };
    const reply = await comeBack(browser, await visitProvider(address.href, old));

    assert.equal(refusal(reply), '/account/?refused=provider_refused');
    assert.equal((await browser.get('/account/export')).status, 403);
  });

  test('without a verified address nobody gets in', async () => {
    for (const email_verified of [false, undefined]) {
      const browser = newBrowser(app);
      const { email_verified: _, ...person } = newPerson();
      const said = email_verified === undefined ? person : { ...person, email_verified };
      const reply = await signInByProvider(browser, said);

      assert.equal(refusal(reply), '/accounts/login/?refused=email_unverified');
      assert.equal(await accountOf(person.email), null);
    }
    const { email: _, ...nameless } = newPerson();
    const reply = await signInByProvider(newBrowser(app), nameless);
    assert.equal(refusal(reply), '/accounts/login/?refused=provider_refused');
  });

  test('addresses of other domains are refused, even of people who are known', async () => {
    await using narrow = await start({ provider: { ...SETTINGS, domains: ['example.com'] } });
    const person = newPerson();
    const admitted = { ...person, email: `${person.sub}@example.com` };

    const reply = await signInByProvider(newBrowser(narrow), admitted);
    assert.equal(reply.headers.location, '/');
    for (const email of [
      person.email,
      `${person.sub}@example.com.example.org`,
      `${person.sub}@sub.example.com`,
    ]) {
      const refused = await signInByProvider(newBrowser(narrow), { ...person, email });
      assert.equal(refusal(refused), '/accounts/login/?refused=domain_not_admitted');
    }
  });

  test('where no mail can prove an address, nobody takes the one of a colleague', async () => {
    await using mute = await start({ hasMail: false });
    const browser = newBrowser(mute);
    const person = newPerson();
    await signInByProvider(browser, person);

    const reply = await browser.post('/do/changeEmail', { email: newPerson().email });

    assert.equal(reply.json.code, 'local_sign_in_off');
    assert.equal((await browser.get('/read/account')).json.email, person.email);
  });

  test('the address of the account that the first administrator takes over is nobody’s', async () => {
    const reply = await signInByProvider(newBrowser(app), newPerson({ email: 'admin@localhost' }));

    assert.equal(refusal(reply), '/accounts/login/?refused=provider_refused');
  });

  test('an account that an administrator has switched off stays off', async () => {
    const person = newPerson();
    await signInByProvider(newBrowser(app), person);
    const account = await accountOf(person.email);
    assert.ok(account);
    await app.deps.store.transaction((tx) => tx.accounts.save({ ...account, isActive: false }));
    const browser = newBrowser(app);
    const reply = await signInByProvider(browser, person);

    assert.equal(refusal(reply), '/accounts/login/?refused=wrong_credentials');
    assert.equal((await browser.get('/read/signedIn')).status, 401);
  });

  test('whoever refuses at the provider is back at the page for signing in', async () => {
    const reply = await signInByProvider(newBrowser(app), {});

    assert.equal(refusal(reply), '/accounts/login/?refused=provider_refused');
  });

  async function began(browser: Browser): Promise<URL> {
    return new URL((await browser.post('/do/signInByProvider')).json.address);
  }

  async function isRefused(browser: Browser, path: string, code: string): Promise<void> {
    const reply = await comeBack(browser, path);

    assert.equal(reply.status, 303);
    assert.equal(refusal(reply), `/accounts/login/?refused=${code}`);
    assert.equal((await browser.get('/read/signedIn')).status, 401);
  }

  test('an answer with another state is refused', async () => {
    const browser = newBrowser(app);
    const path = await visitProvider((await began(browser)).href, newPerson());

    await isRefused(browser, path.replace(/state=[^&]+/, 'state=other'), 'provider_refused');
  });

  test('an answer without a state is refused', async () => {
    const browser = newBrowser(app);
    const path = await visitProvider((await began(browser)).href, newPerson());

    await isRefused(browser, path.replace(/state=[^&]+/, ''), 'provider_refused');
  });

  test('the answer to one browser signs in no other one', async () => {
    const [victim, attacker] = [newBrowser(app), newBrowser(app)];
    const path = await visitProvider((await began(attacker)).href, newPerson());

    await isRefused(victim, path, 'sign_in_expired');
    await began(victim);
    await isRefused(victim, path, 'provider_refused');
  });

  test('a code that somebody else got is worth nothing with a state of one’s own', async () => {
    const [victim, attacker] = [newBrowser(app), newBrowser(app)];
    const stolen = await visitProvider((await began(victim)).href, newPerson());
    const own = (await began(attacker)).searchParams.get('state');

    await isRefused(attacker, stolen.replace(/state=[^&]+/, `state=${own}`), 'provider_refused');
  });

  test('an answer works once, even for the browser that keeps its cookie', async () => {
    const browser = newBrowser(app);
    const path = await visitProvider((await began(browser)).href, newPerson());
    const kept = browser.cookies.get('tocsin_at_provider') ?? '';
    assert.equal((await comeBack(browser, path)).headers.location, '/');
    await browser.post('/do/signOut');

    browser.cookies.set('tocsin_at_provider', kept);
    await isRefused(browser, path, 'too_many_attempts');
  });

  test('a token for another question is refused', async () => {
    const browser = newBrowser(app);
    const address = await began(browser);
    address.searchParams.set('nonce', 'another');

    await isRefused(browser, await visitProvider(address.href, newPerson()), 'provider_refused');
  });

  test('a code for another proof is refused', async () => {
    const browser = newBrowser(app);
    const address = await began(browser);
    address.searchParams.set('code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');

    await isRefused(browser, await visitProvider(address.href, newPerson()), 'provider_refused');
  });

  test('an answer that names another issuer is refused', async () => {
    const browser = newBrowser(app);
    const path = await visitProvider((await began(browser)).href, newPerson());

    const other = path.replace(/iss=[^&]+/, `iss=${encodeURIComponent('https://evil.example')}`);
    assert.notEqual(other, path);
    await isRefused(browser, other, 'provider_refused');
  });

  test('no answer makes the service fail', async () => {
    for (const answer of [
      '',
      'code=x',
      'code=x&code=y',
      'error=%00&error_description=%0d%0a',
      'error=server_error',
      'id_token=x',
      'response=x',
      `code=${'x'.repeat(4_000)}`,
      'code=%ff%00&iss=x',
    ]) {
      const browser = newBrowser(app);
      const state = (await began(browser)).searchParams.get('state');

      await isRefused(browser, `/sign-in/provider/callback?state=${state}&${answer}`, 'provider_refused');
    }
  });

  test('who stays away for longer than ten minutes begins anew', async () => {
    const browser = newBrowser(app);
    const path = await visitProvider((await began(browser)).href, newPerson());
    app.clock.advance({ minutes: 10 });

    await isRefused(browser, path, 'sign_in_expired');
  });

  test('nothing that a browser has made up is opened', async () => {
    const browser = newBrowser(app);
    const path = await visitProvider((await began(browser)).href, newPerson());
    for (const made of ['', 'x', 'e30', app.deps.vault.seal('{"purpose":"sign-in","at":1}')]) {
      browser.cookies.set('tocsin_at_provider', made);
      await isRefused(browser, path, 'sign_in_expired');
    }
  });

  test('after the sign-in nobody is sent to another site', async () => {
    const browser = newBrowser(app);
    for (const next of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example/',
      '/.//evil.example/',
      '/a/..//evil.example/',
      '/%2e//evil.example/',
      '\\\\evil.example',
      '/\t/evil.example/',
      '/a\r\nlocation: https://evil.example',
      'javascript:alert(1)',
      'evil',
      '',
      7,
      `/${'x'.repeat(500)}`,
    ]) {
      const reply = await browser.post('/do/signInByProvider', { next });
      assert.deepEqual([reply.status, reply.json.field], [400, 'next'], String(next));
    }
  });

  test('a page of another site starts no sign-in', async () => {
    const reply = await newBrowser(app).send(
      'POST',
      '/do/signInByProvider',
      {},
      { origin: 'https://evil.example' },
    );

    assert.equal(reply.json.code, 'cross_origin');
  });

  test('a network has so many sign-ins by the provider an hour', async () => {
    const browser = newBrowser(app);
    // Like after the last attempt.
    const { maxAttempts, regain } = ATTEMPT_RULES.providerSignInsPerNetwork;
    const key = app.deps.vault.sign('attempts providerSignInsPerNetwork', browser.address, 32);
    const fullAt = app.clock.now() + maxAttempts * regain;
    await app.deps.store.transaction(async (tx) => {
      await tx.attemptLimits.lock(key);
      await tx.attemptLimits.save(key, fullAt);
    });
    const path = await visitProvider((await began(browser)).href, newPerson());

    await isRefused(browser, path, 'too_many_attempts');
  });

  test('groups give roles and administration, and take back what they gave and nothing else', async () => {
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
    await using grouped = await start({
      groups: {
        admins: ['admins'],
        roles: [
          { group: 'dev', project: first, role: 'read_only' },
          { group: 'ops', project: first, role: 'manager' },
          { group: 'ops', project: third, role: 'member' },
          { group: 'ops', project: '00000000-0000-4000-8000-000000000000', role: 'member' },
        ],
      },
    });
    const { store } = grouped.deps;
    const boss = await givenAccount(grouped);
    const ids = await store.transaction(async (tx) => {
      const made = [];
      for (const uuid of [first, second, third])
        made.push(await tx.projects.insert(projectRecord(boss.id, { uuid })));
      return made.map(({ id }) => id);
    });
    const person = newPerson();
    const state = async (groups: readonly string[] | undefined) => {
      const browser = newBrowser(grouped);
      await signInByProvider(browser, groups === undefined ? person : { ...person, groups });
      const { account } = (await browser.get('/read/signedIn')).json;
      const roles = (await browser.get('/read/ownProjects')).json.projects.map(
        ({ uuid, role }: { uuid: string; role: string }) => [uuid, role],
      );
      return {
        isAdmin: account.isAdmin,
        roles: roles.filter(([uuid]: string[]) => uuid === first || uuid === second || uuid === third),
      };
    };

    assert.deepEqual(await state(['dev']), { isAdmin: false, roles: [[first, 'read_only']] });
    assert.deepEqual(await state(['ops', 'dev', 'admins']), {
      isAdmin: true,
      roles: [
        [first, 'manager'],
        [third, 'member'],
      ],
    });
    // A person gives one role, and chooses another themselves.
    const account = await store.accounts.byEmail(person.email);
    assert.ok(account);
    await store.transaction(async (tx) => {
      await tx.projects.addMember(ids[1] ?? 0, account.id, 'manager', 1);
      await tx.projects.setRole(ids[2] ?? 0, account.id, 'read_only');
    });
    assert.deepEqual(await state(['ops']), {
      isAdmin: false,
      roles: [
        [first, 'manager'],
        [second, 'manager'],
        [third, 'read_only'],
      ],
    });
    assert.deepEqual(await state(undefined), {
      isAdmin: false,
      roles: [
        [second, 'manager'],
        [third, 'read_only'],
      ],
    });
    // An operator makes them administrator. No group takes that back.
    await store.transaction(async (tx) => tx.accounts.save({ ...account, isAdmin: true }));
    assert.equal((await state([])).isAdmin, true);
  });

  test('a provider that is away is told clearly, hinders nothing else, and may come back', async () => {
    let isAway = true;
    const send: NodeProvider['send'] = async (request) =>
      isAway ? { error: 'Connection failed' } : provider.access.send(request);
    await using alone = await start({}, { ...accessOf(provider.access), send });
    const browser = newBrowser(alone);

    const reply = await browser.post('/do/signInByProvider');
    assert.deepEqual([reply.status, reply.json.code], [424, 'provider_unavailable']);
    const { email } = await givenAccount(alone);
    assert.equal((await newBrowser(alone).signIn(email)).status, 204);

    isAway = false;
    const { json } = await browser.post('/do/signInByProvider');
    const path = await visitProvider(json.address, newPerson());
    isAway = true;
    assert.equal(refusal(await comeBack(browser, path)), '/accounts/login/?refused=provider_unavailable');
  });

  test('a provider that answers nonsense is told like one that is away', async () => {
    const answers = [
      { status: 500, headers: {}, body: new Uint8Array() },
      { status: 204, headers: {}, body: new Uint8Array() },
      { status: 200, headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>') },
      { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"issuer":7}') },
      { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.alloc(65_536, '[') },
    ];
    for (const answer of answers) {
      await using broken = await start({}, { ...accessOf(provider.access), send: async () => answer });
      const reply = await newBrowser(broken).post('/do/signInByProvider');
      assert.deepEqual([reply.status, reply.json.code], [424, 'provider_unavailable']);
    }
  });

  test('a provider that names itself otherwise than the operator does is not believed', async () => {
    await using access = new ProviderAccess(provider.issuer.replace('127.0.0.1', 'localhost'));
    await using other = await start({}, access);

    assert.equal((await newBrowser(other).post('/do/signInByProvider')).status, 424);
  });

  test('a token that somebody has changed on its way is refused', async () => {
    const boss = { email: 'boss@example.org', email_verified: true, groups: [] };
    const send: NodeProvider['send'] = async (request) => {
      const result = await provider.access.send(request);
      if ('error' in result || !request.url.endsWith('/token')) return result;
      const answer = JSON.parse(Buffer.from(result.body).toString());
      const [head, , signature] = answer.id_token.split('.');
      const claims = JSON.parse(Buffer.from(answer.id_token.split('.')[1], 'base64url').toString());
      const changed = Buffer.from(JSON.stringify({ ...claims, ...boss })).toString('base64url');
      const body = Buffer.from(JSON.stringify({ ...answer, id_token: `${head}.${changed}.${signature}` }));
      return { ...result, body };
    };
    await using watched = await start({}, { ...accessOf(provider.access), send });
    const reply = await signInByProvider(newBrowser(watched), newPerson());

    assert.equal(refusal(reply), '/accounts/login/?refused=provider_refused');
  });

  test('the log says why a sign-in has failed, and has no secret of it', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    await using logged = await startTestApp(
      engine,
      {},
      {},
      null,
      { provider: SETTINGS },
      { provider: provider.access, log },
    );
    const browser = newBrowser(logged);
    const address = new URL((await browser.post('/do/signInByProvider')).json.address);
    address.searchParams.set('code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM');
    const path = await visitProvider(address.href, newPerson());
    const kept = browser.cookies.get('tocsin_at_provider') ?? '';
    await comeBack(browser, path);
    await signInByProvider(browser, newPerson());

    const failure = lines.map((line) => JSON.parse(line)).find(({ event }) => event === 'provider.failed');
    assert.deepEqual([failure.code, failure.level], ['provider_refused', 40]);
    assert.match(failure.reason, /invalid_grant/);
    const { searchParams } = new URL(path, 'http://testserver');
    const secrets = ['code', 'state'].map((name) => searchParams.get(name) ?? 'none');
    for (const secret of [...secrets, kept, provider.access.clientSecret ?? 'none'])
      assert.ok(!lines.join('').includes(secret), secret);
    assert.doesNotMatch(lines.join(''), /eyJ/);
  });

  test('what the provider says of itself is read once an hour, and its keys are kept', async () => {
    const asked: string[] = [];
    const send: NodeProvider['send'] = async (request) => {
      asked.push(new URL(request.url).pathname);
      return provider.access.send(request);
    };
    await using counted = await start({}, { ...accessOf(provider.access), send });
    const countOf = (path: string) => asked.filter((one) => one === path).length;
    await Promise.all([1, 2, 3].map(() => signInByProvider(newBrowser(counted), newPerson())));
    await signInByProvider(newBrowser(counted), newPerson());
    assert.equal(countOf('/.well-known/openid-configuration'), 1);
    const keys = countOf('/jwks');
    await signInByProvider(newBrowser(counted), newPerson());
    assert.equal(countOf('/jwks'), keys);

    counted.clock.advance({ hours: 1 });
    await signInByProvider(newBrowser(counted), newPerson());
    assert.equal(countOf('/.well-known/openid-configuration'), 2);
  });

  test('all that opens an account ends when the provider vouches for an address that nobody has proved', async () => {
    await using only = await start({ localSignIn: false, hasMail: false });
    await noteMail(only.deps, false);
    const person = newPerson();
    const { account, waysIn } = await givenStranger(only, person.email);
    assert.deepEqual(await waysIn(), EVERY_WAY_IN);

    await signInByProvider(newBrowser(only), person);

    assert.deepEqual(await waysIn(), []);
    const [identity] = await only.deps.store.identities.ofAccount(account.id);
    assert.equal(identity?.subject, person.sub);
  });

  test('with local sign-in switched off, the provider is the only way in', async () => {
    await using only = await start({ localSignIn: false, signUp: { isOpen: true, domains: null } });
    const person = newPerson();
    const { email } = await givenAccount(only, { email: person.email });
    const browser = newBrowser(only);
    const link = { token: 'x', password: 'a long enough one', name: '', tz: 'UTC' };
    for (const [path, body] of [
      ['/do/signInWithPassword', { email, password: 'x' }],
      ['/do/signInWithCode', { pending: 'x', code: '1' }],
      ['/do/mailSignIn', { email }],
      ['/do/signInByLink', link],
      ['/do/signInByMailedCode', { pending: 'x', code: '1' }],
      ['/do/mailPasswordLink', { email }],
      ['/do/setPasswordByLink', link],
      ['/do/beginSignInByPasskey', {}],
      ['/do/signInWithPasskey', { sealed: 'x', response: {} }],
      ['/do/mailSignUpLink', { email: 'new@example.org' }],
    ] as const) {
      const reply = await browser.post(path, body);
      assert.deepEqual([reply.status, reply.json.code], [403, 'local_sign_in_off'], path);
    }
    const { json } = await browser.get('/read/entrance');
    assert.deepEqual(json.signIn, { isLocal: false, provider: { name: 'Example ID' }, isByProxy: false });
    assert.deepEqual([json.signUp.isOpen, json.hasPasskeys], [false, false]);

    // The account with a password would be out of reach otherwise.
    await signInByProvider(browser, person);
    assert.equal((await browser.get('/read/signedIn')).json.account.email, email);
  });

  test('without a provider there is no such way', async () => {
    await using none = await startTestApp(engine);

    assert.equal((await newBrowser(none).post('/do/signInByProvider')).status, 404);
    assert.equal((await newBrowser(none).get('/read/entrance')).json.signIn.provider, null);
  });
});

/** The fields of the class, which a spread of an instance would lose. */
function accessOf({ issuer, clientId, clientSecret, scopes }: NodeProvider): Omit<NodeProvider, 'send'> {
  return { issuer, clientId, clientSecret, scopes };
}
