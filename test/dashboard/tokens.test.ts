import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_ACCOUNT_TOKENS, MAX_TOKEN_PROJECTS } from '../../src/domain/people/account-token.ts';
import { SCOPES } from '../../src/domain/people/permission.ts';
import { operatorOn, THE_OPERATOR } from '../../src/services/people/account-actor.ts';
import {
  findAccount,
  offerPassword,
  removeSecondFactors,
  replacePassword,
  setActive,
} from '../../src/services/sign-up/administration.ts';
import { removeIdentities } from '../../src/services/sign-up/identities.ts';
import { dueMails } from '../account-mails.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { accountTokenRecord, identityRecord, projectRecord } from '../records.ts';
import { type Browser, givenAccount, newBrowser } from './browser.ts';

const VALID = { name: 'Terraform', scopes: ['checks.view', 'checks.edit'] };

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  async function givenPerson() {
    const account = await givenAccount(app());
    const project = await app().deps.store.transaction((tx) => tx.projects.insert(projectRecord(account.id)));
    const browser = newBrowser(app());
    await browser.signIn(account.email);
    return { account, project, browser };
  }

  async function makeToken(browser: Browser, body: object = {}) {
    const reply = await browser.post('/do/createToken', { ...VALID, ...body });
    assert.equal(reply.status, 200, reply.text);
    const [{ uuid }] = (await tokensOf(browser)).tokens.toReversed();
    return { uuid: String(uuid), secret: String(reply.json.secret) };
  }

  const tokensOf = async (browser: Browser) => (await browser.get('/read/accountTokens')).json;
  const revoke = (browser: Browser, token: string) => browser.post('/do/revokeToken', { token });

  const statusOf = async (key: string, { uuid }: { uuid: string }) =>
    (await app().request('GET', '/api/v3/checks/', { key, headers: { 'x-project': uuid } })).status;

  test('a token is shown once, and afterwards its first characters alone', async () => {
    const { browser, project } = await givenPerson();

    const { uuid, secret } = await makeToken(browser, {
      projects: [project.uuid],
      expires: '2024-06-01T00:00:00Z',
    });

    assert.match(secret, /^hct_[A-Za-z0-9]{28}$/);
    const listed = {
      uuid,
      name: 'Terraform',
      token: `${secret.slice(0, 12)}********************`,
      scopes: VALID.scopes,
      projects: [project.uuid],
      created: '2024-03-01T12:00:00+00:00',
      expires: '2024-06-01T00:00:00+00:00',
      isExpired: false,
      lastUsed: null,
      lastUsedAddress: null,
    };
    assert.deepEqual(await tokensOf(browser), { tokens: [listed], scopes: SCOPES });
  });

  test('making a token needs a recent proof of identity, seeing and revoking none', async () => {
    const { browser, project } = await givenPerson();
    const { uuid, secret } = await makeToken(browser);
    app().clock.advance({ minutes: 31 });

    const refused = await browser.post('/do/createToken', VALID);

    assert.deepEqual([refused.status, refused.json.code], [403, 'confirmation_required']);
    assert.equal((await tokensOf(browser)).tokens.length, 1);
    assert.equal(await statusOf(secret, project), 200);
    assert.equal((await revoke(browser, uuid)).status, 204);
    assert.equal(await statusOf(secret, project), 401);
    assert.equal((await revoke(browser, uuid)).json.code, 'token_not_found');
  });

  test('nobody sees or revokes tokens of others', async () => {
    const [alice, bob] = [await givenPerson(), await givenPerson()];
    const { uuid, secret } = await makeToken(alice.browser);

    assert.deepEqual((await tokensOf(bob.browser)).tokens, []);
    assert.equal((await revoke(bob.browser, uuid)).status, 404);
    assert.equal(await statusOf(secret, alice.project), 200);
    assert.equal(await statusOf(secret, bob.project), 404);
  });

  test('an account has so many tokens, and those that expired long ago make room', async () => {
    const { account, browser } = await givenPerson();
    await makeToken(browser, { expires: '2024-03-01T12:01:00Z' });
    await app().deps.store.transaction(async (tx) => {
      for (let n = 1; n < MAX_ACCOUNT_TOKENS; n++)
        await tx.accountTokens.insert(accountTokenRecord(account.id));
    });

    const refused = await browser.post('/do/createToken', VALID);

    assert.deepEqual([refused.status, refused.json.code], [403, 'token_limit_reached']);
    app().clock.advance({ days: 30, minutes: 2 });
    await browser.signIn(account.email);
    assert.equal((await browser.post('/do/createToken', VALID)).status, 200);
  });

  test('hostile bodies are refused with the field that is wrong', async () => {
    const { browser, project } = await givenPerson();
    const foreign = (await givenPerson()).project;
    const rows: [field: string, body: object][] = [
      ['name', { name: '' }],
      ['name', { name: 5 }],
      ['scopes', { scopes: [] }],
      ['scopes', { scopes: 'checks.view' }],
      ['scopes', { scopes: ['checks.view', 'everything'] }],
      ['scopes', { scopes: ['account.secure'] }],
      ['scopes', { scopes: ['tokens.edit'] }],
      ['scopes', { scopes: [null] }],
      ['scopes', { scopes: ['projects.edit'], projects: [project.uuid] }],
      ['projects', { projects: [] }],
      ['projects', { projects: 'all' }],
      ['projects', { projects: [foreign.uuid] }],
      ['projects', { projects: [project.uuid, 'nonsense'] }],
      ['projects', { projects: [{}] }],
      ['projects', { projects: Array.from({ length: MAX_TOKEN_PROJECTS + 1 }, () => crypto.randomUUID()) }],
      ['expires', { expires: '2024-01-01T00:00:00Z' }],
      ['expires', { expires: {} }],
    ];
    for (const [field, body] of rows) {
      const reply = await browser.post('/do/createToken', { ...VALID, ...body });
      assert.deepEqual([reply.status, reply.json.field], [400, field], JSON.stringify(body).slice(0, 80));
    }
  });

  test('a password that was reset revokes all tokens, one that the person changes does not', async () => {
    const deps = app().node.accounts;
    const resets: Record<string, (email: string, browser: Browser) => Promise<unknown>> = {
      'by an operator': async (email) =>
        replacePassword(deps, THE_OPERATOR, await findAccount(deps, email), 'a horse of good temper'),
      'by a link': async (email) => {
        const token = await offerPassword(deps, THE_OPERATOR, await findAccount(deps, email));
        return newBrowser(app()).post('/do/setPasswordByLink', { token, password: 'a horse of good temper' });
      },
      'with the second factors': async (email) =>
        removeSecondFactors(deps, THE_OPERATOR, await findAccount(deps, email)),
      'by switching the account off': async (email) =>
        setActive(deps, THE_OPERATOR, await findAccount(deps, email), false),
      'with the identities': async (email) => {
        const account = await findAccount(deps, email);
        return removeIdentities(deps, operatorOn(account));
      },
      'by closing the account': async (email, browser) => browser.post('/do/closeAccount', { email }),
    };
    for (const [how, reset] of Object.entries(resets)) {
      const { account, browser, project } = await givenPerson();
      const { secret } = await makeToken(browser);
      await browser.post('/do/changePassword', { password: 'a horse of better temper' });
      assert.equal(await statusOf(secret, project), 200, how);

      await reset(account.email, browser);

      assert.equal(await statusOf(secret, project), 401, how);
    }
  });

  test('whoever sets a new password says whether tokens end with it', async () => {
    const { account, browser, project } = await givenPerson();
    const [one, two] = [await makeToken(browser), await makeToken(browser)];
    const deps = app().node.accounts;
    const password = 'a horse of good temper';

    const link = await offerPassword(deps, THE_OPERATOR, await findAccount(deps, account.email));
    await browser.post('/do/setPasswordByLink', { token: link, password, revokeTokens: false });
    assert.deepEqual([await statusOf(one.secret, project), await statusOf(two.secret, project)], [200, 200]);

    assert.equal(
      (await browser.post('/do/changePassword', { password, revokeTokens: 'yes' })).json.field,
      'revokeTokens',
    );
    assert.equal((await browser.post('/do/changePassword', { password, revokeTokens: true })).status, 204);
    assert.deepEqual([await statusOf(one.secret, project), await statusOf(two.secret, project)], [401, 401]);
    const { acts } = (await browser.get('/account/export')).json;
    const changed = acts.find(({ action }: { action: string }) => action === 'account.password_changed');
    assert.deepEqual(changed.details, { revoked_tokens: 2 });
  });

  test('a mail tells of what an operator resets', async () => {
    const deps = app().node.accounts;
    const { account } = await givenPerson();
    await app().deps.store.transaction((tx) => tx.identities.insert(identityRecord(account.id)));
    await dueMails(app());

    await replacePassword(deps, THE_OPERATOR, account, 'a horse of good temper');
    await removeSecondFactors(deps, THE_OPERATOR, account);
    await removeIdentities(deps, operatorOn(account));

    const mails = (await dueMails(app())).filter(({ to }) => to === account.email);
    assert.deepEqual(mails.map(({ subject }) => subject).toSorted(), [
      'How you sign in was changed on Tocsin',
      'Your password was changed on Tocsin',
      'Your second factor was changed on Tocsin',
    ]);
  });

  test('a mail tells of a new token, and names no part of it', async () => {
    const { account, browser } = await givenPerson();
    await dueMails(app());

    const { secret } = await makeToken(browser);

    const mails = (await dueMails(app())).filter(({ to }) => to === account.email);
    assert.deepEqual(
      mails.map(({ subject }) => subject),
      ['A token of your account was made on Tocsin'],
    );
    assert.match(mails[0]?.text ?? '', new RegExp(browser.address.replaceAll('.', '\\.')));
    assert.ok(!JSON.stringify(mails).includes(secret.slice(0, 12)));
  });

  test('a token works while its account is active', async () => {
    const { account, browser, project } = await givenPerson();
    const { secret } = await makeToken(browser);
    const { accounts: deps } = app().node;
    const setTo = (isActive: boolean) => setActive(deps, operatorOn(account), account, isActive);

    await setTo(false);
    assert.equal(await statusOf(secret, project), 401);
    await setTo(true);
    assert.equal(await statusOf(secret, project), 200);
  });

  test('the audit log has both acts with the masked token, and no secret', async () => {
    const { account, browser } = await givenPerson();
    const { uuid, secret } = await makeToken(browser);
    await revoke(browser, uuid);

    const acts = await app().deps.store.auditLog.ofAccount(account.id, Number.MAX_SAFE_INTEGER, 10);

    const [revoked, created] = acts;
    assert.deepEqual([created?.action, revoked?.action], ['token.created', 'token.revoked']);
    assert.deepEqual(created?.details, {
      token: `${secret.slice(0, 12)}********************`,
      scopes: VALID.scopes,
      projects: null,
      expires: null,
    });
    assert.equal(JSON.stringify(acts).includes(secret.slice(12)), false);
  });
});
