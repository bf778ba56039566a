import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLACEHOLDER_EMAIL } from '../../src/domain/people/account.ts';
import { THE_OPERATOR } from '../../src/services/people/account-actor.ts';
import { ATTEMPT_RULES } from '../../src/services/people/attempts.ts';
import { createAccount } from '../../src/services/sign-up/administration.ts';
import { FakeMailSender, mailPreferencesOf, post } from '../account-mails.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { storedChecks, unique } from '../records.ts';
import { givenAccount, newBrowser } from './browser.ts';

const PROFILE = { password: 'a horse of good temper', name: 'Alice', tz: 'Europe/Riga' };

forOneEngine((engine) => {
  const app = sharedTestApp(engine, {}, {}, { signUp: { isOpen: true, domains: null } });

  async function signUp(email: string): Promise<{ subject: string; token: string }> {
    const reply = await newBrowser(app()).post('/do/mailSignUpLink', { email });
    assert.equal(reply.status, 204);
    const sender = new FakeMailSender();
    await post(app(), sender);
    const [mail, ...others] = sender.sent;
    assert.deepEqual(others, []);
    assert.equal(mail?.to, email);
    const token = /\/accounts\/[\w-]+\/#([\w-]{43})$/m.exec(mail?.text ?? '')?.[1] ?? assert.fail();
    return { subject: mail?.subject ?? '', token };
  }

  test('a new address gets a link that makes an account with a project, a check and a channel', async () => {
    const email = `${unique()}@example.org`;
    const { subject, token } = await signUp(email);
    assert.equal(subject, 'Your new account on Tocsin');
    assert.equal(await app().deps.store.accounts.byEmail(email), null);
    const alice = newBrowser(app());

    const reply = await alice.post('/do/finishSignUp', { ...PROFILE, token });

    assert.equal(reply.status, 204);
    assert.equal((await alice.get('/read/signedIn')).json.account.name, 'Alice');
    const account = (await app().deps.store.accounts.byEmail(email)) ?? assert.fail();
    assert.equal(account.isAdmin, false);
    assert.equal((await mailPreferencesOf(app(), account.id)).tz, 'Europe/Riga');
    const [project] = await app().deps.store.projects.accessibleTo(account.id);
    const [check] = await storedChecks(app().deps.store, project ?? assert.fail());
    assert.equal(check?.name, 'My First Check');
    const [channel] = await app().deps.store.channels.ofProject(project?.id ?? 0);
    assert.deepEqual([channel?.kind, channel?.verified], ['email', true]);
    assert.equal((await newBrowser(app()).signIn(email, PROFILE.password)).status, 204);
    assert.equal((await newBrowser(app()).post('/do/finishSignUp', { ...PROFILE, token })).status, 403);
  });

  test('an address that has an account gets the same answer, and a link to sign in', async () => {
    const { email } = await givenAccount(app());

    const { subject, token } = await signUp(email);

    assert.equal(subject, 'Sign in to Tocsin');
    assert.equal((await newBrowser(app()).post('/do/signInByLink', { token })).status, 204);
  });

  test('without a password the person signs in by links, and an unknown zone is no hindrance', async () => {
    const email = `${unique()}@example.org`;
    const { token } = await signUp(email);

    const reply = await newBrowser(app()).post('/do/finishSignUp', { token, tz: 'Mars/Olympus' });

    assert.equal(reply.status, 204);
    assert.equal((await app().deps.store.accounts.byEmail(email))?.passwordHash, null);
  });

  test('the first of several links works, and makes the others void', async () => {
    const email = `${unique()}@example.org`;
    const [first, second] = [await signUp(email), await signUp(email)];
    const finish = ({ token }: { token: string }) =>
      newBrowser(app()).post('/do/finishSignUp', { ...PROFILE, token });

    assert.equal((await finish(first)).status, 204);

    assert.equal((await finish(second)).json.code, 'invalid_link');
  });

  test('of two that finish with the same link at the same moment, one gets the account', async () => {
    const { token } = await signUp(`${unique()}@example.org`);

    const replies = await Promise.all(
      [1, 2, 3].map(() => newBrowser(app()).post('/do/finishSignUp', { ...PROFILE, token })),
    );

    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [204, 403, 403]);
  });

  test('an address that got an account meanwhile is refused', async () => {
    const email = `${unique()}@example.org`;
    const { token } = await signUp(email);
    await givenAccount(app(), { email });

    const reply = await newBrowser(app()).post('/do/finishSignUp', { ...PROFILE, token });

    assert.equal(reply.status, 409);
    assert.equal(reply.json.code, 'email_taken');
  });

  test('an empty and a malformed address are refused, and nothing is sent', async () => {
    for (const email of ['', 'nonsense', `${'x'.repeat(250)}@example.org`]) {
      const reply = await newBrowser(app()).post('/do/mailSignUpLink', { email });

      assert.equal(reply.status, 400);
      assert.equal(reply.json.field, 'email');
    }
    assert.equal(await app().deps.store.mails.openCount(), 0);
  });

  test('a network signs up only so many mailboxes an hour', async () => {
    const browser = newBrowser(app());
    const ask = () => browser.post('/do/mailSignUpLink', { email: `${unique()}@example.org` });
    assert.equal(ATTEMPT_RULES.mailsPerNetwork.maxAttempts, 20);
    for (let n = 0; n < ATTEMPT_RULES.mailsPerNetwork.maxAttempts; n++)
      assert.equal((await ask()).status, 204);

    const refused = await ask();

    assert.equal(refused.status, 429);
    assert.equal(refused.json.error, 'Too many attempts, please try later.');
    await post(app(), new FakeMailSender());
  });

  test('where mail is sent, nobody signs up without one', async () => {
    const reply = await newBrowser(app()).post('/do/signUpWithoutMail', {
      ...PROFILE,
      email: `${unique()}@example.org`,
    });

    assert.equal(reply.status, 403);
    assert.equal(reply.json.code, 'sign_up_closed');
  });

  test('visitors are told what they can do', async () => {
    assert.deepEqual((await newBrowser(app()).get('/read/entrance')).json, {
      isSignedIn: false,
      needsSetup: true,
      signIn: { isLocal: true, provider: null, isByProxy: false },
      signUp: { isOpen: true, domains: null },
      hasMail: true,
      hasPasskeys: true,
      minPasswordLength: 8,
    });
  });
});

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('where sign-up is closed, it is, also with a link from before', async () => {
    const email = `${unique()}@example.org`;
    for (const [path, body] of [
      ['/do/mailSignUpLink', { email }],
      ['/do/signUpWithoutMail', { ...PROFILE, email }],
    ] as const) {
      const reply = await newBrowser(app()).post(path, body);

      assert.equal(reply.status, 403);
      assert.equal(reply.json.code, 'sign_up_closed');
    }
    assert.equal(await app().deps.store.mails.openCount(), 0);
  });
});

forOneEngine((engine) => {
  const app = sharedTestApp(engine, {}, {}, { signUp: { isOpen: true, domains: ['example.org'] } });

  test('an address of another domain is refused with a clear text', async () => {
    const reply = await newBrowser(app()).post('/do/mailSignUpLink', { email: 'eve@sub.example.org' });

    assert.equal(reply.status, 403);
    assert.deepEqual(reply.json, {
      error: 'Addresses of this domain cannot sign up here.',
      code: 'sign_up_closed',
      field: 'email',
    });
    assert.equal(
      (await newBrowser(app()).post('/do/mailSignUpLink', { email: 'a@EXAMPLE.org' })).status,
      204,
    );
  });
});

forOneEngine((engine) => {
  const app = sharedTestApp(engine, {}, {}, { signUp: { isOpen: true, domains: null }, hasMail: false });

  test('where no mail can be sent, a password makes an account at once', async () => {
    const email = `${unique()}@example.org`;
    const alice = newBrowser(app());

    assert.equal((await alice.post('/do/mailSignUpLink', { email })).json.code, 'no_mail');
    assert.equal((await alice.post('/do/signUpWithoutMail', { ...PROFILE, email })).status, 204);

    assert.equal((await alice.get('/read/signedIn')).json.account.email, email);
    const { id } = (await app().deps.store.accounts.byEmail(email)) ?? assert.fail();
    const [project] = await app().deps.store.projects.accessibleTo(id);
    const [channel] = await app().deps.store.channels.ofProject(project?.id ?? 0);
    assert.equal(channel?.verified, false);
    assert.equal((await alice.post('/do/signUpWithoutMail', { ...PROFILE, email })).status, 409);
  });

  test('nobody takes the address of the account that the first administrator takes over', async () => {
    const email = ' Admin@localhost';
    const eve = newBrowser(app());

    const refused = await eve.post('/do/signUpWithoutMail', { ...PROFILE, email });

    assert.equal(refused.status, 400);
    assert.equal(refused.json.field, 'email');
    assert.equal((await eve.get('/read/signedIn')).status, 401);
    const create = () =>
      createAccount(app().node.accounts, THE_OPERATOR, {
        email: PLACEHOLDER_EMAIL,
        name: '',
        isAdmin: false,
        password: null,
      });
    await assert.rejects(create, { code: 'email_taken' });
  });

  test('a network makes only so many accounts an hour', async () => {
    const browser = newBrowser(app());
    const make = (password: string) =>
      browser.post('/do/signUpWithoutMail', { ...PROFILE, password, email: `${unique()}@example.org` });
    for (let n = 0; n < ATTEMPT_RULES.accountsPerNetwork.maxAttempts; n++)
      assert.equal((await make('weak')).status, 400);

    assert.equal((await make(PROFILE.password)).status, 429);
  });
});
