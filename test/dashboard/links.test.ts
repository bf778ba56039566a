import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLACEHOLDER_EMAIL } from '../../src/domain/people/account.ts';
import { readLinkFragment } from '../../src/domain/people/link-fragment.ts';
import { ATTEMPT_RULES } from '../../src/services/people/attempts.ts';
import { FakeMailSender, post } from '../account-mails.ts';
import { sharedTestApp, type TestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { Browser, givenAccount, newBrowser, PASSWORD } from './browser.ts';

/** The mails that are due now, by recipient, with the secret part of their links. */
async function mailed(app: TestApp): Promise<{ to: string; subject: string; token: string | null }[]> {
  const sender = new FakeMailSender();
  await post(app, sender);
  return sender.sent.map(({ to, subject, text }) => ({
    to,
    subject,
    token: /^http:\/\/testserver\/accounts\/[\w-]+\/#([\w-]{43})$/m.exec(text)?.[1] ?? null,
  }));
}

async function tokenFor(app: TestApp, path: string, email: string): Promise<string> {
  assert.ok((await newBrowser(app).post(path, { email })).isDone);
  const mail = (await mailed(app)).find(({ to, token }) => to === email && token !== null);
  return mail?.token ?? assert.fail('no link was mailed');
}

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('a link in a mail signs in, once', async () => {
    const { email } = await givenAccount(app(), { passwordHash: null });
    const alice = newBrowser(app());

    const reply = await alice.post('/do/mailSignIn', { email });

    assert.equal(reply.status, 200);
    assert.deepEqual(Object.keys(reply.json), ['pending']);
    const [mail, ...others] = await mailed(app());
    assert.deepEqual(others, []);
    assert.equal(mail?.to, email);
    assert.equal(mail?.subject, 'Sign in to Tocsin');
    assert.equal((await alice.post('/do/signInByLink', { token: mail?.token })).status, 204);
    assert.equal((await alice.get('/read/signedIn')).json.account.email, email);
    const again = await newBrowser(app()).post('/do/signInByLink', { token: mail?.token });
    assert.equal(again.status, 403);
    assert.deepEqual(again.json, { error: 'The link is incorrect or has expired.', code: 'invalid_link' });
  });

  test('whoever asks for a link of an unknown address gets the same answer, and no mail goes out', async () => {
    const { email } = await givenAccount(app());
    for (const path of ['/do/mailSignIn', '/do/mailPasswordLink']) {
      const reply = await newBrowser(app()).post(path, { email: `nobody-${engine}@example.org` });

      assert.ok(reply.isDone);
      // The answer to somebody who has an account is as long.
      const known = await newBrowser(app()).post(path, { email });
      assert.deepEqual([reply.status, reply.text.length], [known.status, known.text.length]);
    }
    assert.deepEqual(
      (await mailed(app())).map(({ to }) => to),
      [email, email],
    );
  });

  test('the account that nobody has taken over gets no link', async () => {
    await givenAccount(app(), { email: PLACEHOLDER_EMAIL, passwordHash: null });
    for (const path of ['/do/mailSignIn', '/do/mailPasswordLink'])
      assert.equal((await newBrowser(app()).post(path, { email: PLACEHOLDER_EMAIL })).status, 400);

    assert.deepEqual(await mailed(app()), []);
  });

  test('asking for a link takes the same statements whether there is an account or not', async () => {
    const { email } = await givenAccount(app());
    const written: string[] = [];
    const { store } = app().deps;
    const transaction = store.transaction;
    Object.assign(store, {
      transaction: (run: Parameters<typeof transaction>[0]) =>
        transaction((tx) => {
          const noting = (group: object, name: string) =>
            new Proxy(group, {
              get: (target, method) => {
                const member = Reflect.get(target, method, target);
                if (typeof member !== 'function') return member;
                return (...args: unknown[]) => {
                  written.push(`${name}.${String(method).replace(/Of(Email|Account)$/, '')}`);
                  return Reflect.apply(member, target, args);
                };
              },
            });
          const groups = Object.entries(tx).map(([name, group]) => [name, noting(group, name)]);
          return run(Object.fromEntries(groups));
        }),
    });
    try {
      await newBrowser(app()).post('/do/mailSignIn', { email });
      const known = written.splice(0);
      await newBrowser(app()).post('/do/mailSignIn', { email: `nobody2-${engine}@example.org` });

      assert.ok(known.length > 2);
      assert.deepEqual(written, known);
    } finally {
      Object.assign(store, { transaction });
    }
    await mailed(app());
  });

  test('the secret of a link is neither in its row nor, in clear, in that of its mail', async () => {
    const { email } = await givenAccount(app());
    await newBrowser(app()).post('/do/mailSignIn', { email });
    const rows: unknown[] = [];
    await app().deps.store.transaction(async (tx) => {
      const now = app().clock.now();
      const waiting = await tx.mails.waitingAccounts({
        above: -1,
        upTo: Number.MAX_SAFE_INTEGER,
        limit: 100,
      });
      const turns = waiting.map(({ id }) => ({ accountId: id, limit: 100 }));
      rows.push(await tx.mails.lease({ now, until: now, turns }));
    });
    app().clock.advance({ seconds: 1 });

    const [mail] = await mailed(app());

    assert.ok(mail?.token);
    assert.ok(!JSON.stringify(rows).includes(mail.token));
  });

  test('a link expires after an hour, and is not mailed any more then', async () => {
    const { email } = await givenAccount(app());
    const token = await tokenFor(app(), '/do/mailSignIn', email);
    await newBrowser(app()).post('/do/mailPasswordLink', { email });

    app().clock.advance({ hours: 1 });

    const refused = await newBrowser(app()).post('/do/signInByLink', { token });
    assert.equal(refused.status, 403);
    assert.deepEqual(refused.json, { error: 'The link is incorrect or has expired.', code: 'invalid_link' });
    assert.deepEqual(await mailed(app()), []);
  });

  test('a link is good for its own purpose alone', async () => {
    const { email } = await givenAccount(app());
    const token = await tokenFor(app(), '/do/mailSignIn', email);

    const reply = await newBrowser(app()).post('/do/setPasswordByLink', {
      token,
      password: 'a horse of good temper',
    });

    assert.equal(reply.status, 403);
  });

  test('a forgotten password is set anew: other sessions and links end, and the owner is told', async () => {
    const account = await givenAccount(app());
    const { email } = account;
    const thief = newBrowser(app());
    await thief.signIn(email);
    const signInToken = await tokenFor(app(), '/do/mailSignIn', email);
    const token = await tokenFor(app(), '/do/mailPasswordLink', email);
    const alice = newBrowser(app());

    const reply = await alice.post('/do/setPasswordByLink', { token, password: 'a horse of good temper' });

    assert.equal(reply.status, 204);
    assert.equal((await alice.get('/read/signedIn')).status, 200);
    assert.equal((await thief.get('/read/signedIn')).status, 401);
    assert.equal((await newBrowser(app()).post('/do/signInByLink', { token: signInToken })).status, 403);
    assert.equal((await newBrowser(app()).signIn(email, PASSWORD)).status, 403);
    assert.equal((await newBrowser(app()).signIn(email, 'a horse of good temper')).status, 204);
    assert.deepEqual(
      (await mailed(app())).map(({ to, subject }) => ({ to, subject })),
      [{ to: email, subject: 'Your password was changed on Tocsin' }],
    );
  });

  test('a weak password leaves the link as it is', async () => {
    const { email } = await givenAccount(app());
    const token = await tokenFor(app(), '/do/mailPasswordLink', email);
    const set = (password: string) => newBrowser(app()).post('/do/setPasswordByLink', { token, password });

    const refused = await set('12345678');
    assert.equal(refused.status, 400);
    assert.equal(refused.json.field, 'password');

    assert.equal((await set('a horse of good temper')).status, 204);
  });

  test('a network asks for only so many mails an hour', async () => {
    const { maxAttempts } = ATTEMPT_RULES.mailsPerNetwork;
    const browser = newBrowser(app());
    for (let n = 0; n < maxAttempts; n++)
      await browser.post('/do/mailPasswordLink', { email: `${engine}${n}@example.org` });

    assert.equal((await browser.post('/do/mailSignIn', { email: 'x@example.org' })).status, 429);
  });

  test('a sign-in with a browser that the account does not know is told by mail', async () => {
    const account = await givenAccount(app(), { createdAt: app().clock.now() - 7_200_000_000 });
    const alice = newBrowser(app());

    await alice.signIn(account.email);
    await alice.post('/do/signOut');
    await alice.signIn(account.email);

    assert.deepEqual(
      (await mailed(app())).filter(({ to }) => to === account.email),
      [{ to: account.email, subject: 'A new browser has signed in on Tocsin', token: null }],
    );
  });
});

forOneEngine((engine) => {
  const app = sharedTestApp(engine, {}, {}, { hasMail: false });

  test('where no mail can be sent, nobody waits for one', async () => {
    const { email } = await givenAccount(app(), { createdAt: 0 });
    for (const path of ['/do/mailSignIn', '/do/mailPasswordLink']) {
      const reply = await new Browser(app()).post(path, { email });

      assert.equal(reply.status, 403);
      assert.deepEqual(reply.json, { error: 'This service sends no mail.', code: 'no_mail' });
    }
    assert.equal((await new Browser(app()).signIn(email)).status, 204);
    assert.equal(await app().deps.store.mails.openCount(), 0);
  });
});

forOneEngine((engine) => {
  const app = sharedTestApp(engine, {}, {}, { signUp: { isOpen: true, domains: null } });
  const page = '/projects/7d0c/checks/?tag=db';

  for (const [path, use, values] of [
    ['/do/mailSignIn', '/do/signInByLink', {}],
    ['/do/mailPasswordLink', '/do/setPasswordByLink', { password: PASSWORD }],
    ['/do/mailSignUpLink', '/do/finishSignUp', { name: 'Alice', tz: 'UTC' }],
  ] as const)
    test(`a link of ${path} leads to the page that the person wanted`, async () => {
      const isNew = path === '/do/mailSignUpLink';
      const email = isNew
        ? `new-${crypto.randomUUID()}@example.org`
        : (await givenAccount(app(), { passwordHash: null })).email;

      assert.ok((await newBrowser(app()).post(path, { email, next: page })).isDone);

      const sender = new FakeMailSender();
      await post(app(), sender);
      const text = sender.sent.find(({ to }) => to === email)?.text ?? assert.fail('no link was mailed');
      const link = readLinkFragment(/\/#([\w.-]+)$/m.exec(text)?.[1] ?? '');
      assert.equal(link.next, page);
      assert.ok(!text.includes('7d0c'));
      assert.ok((await newBrowser(app()).post(use, { token: link.token, ...values })).isDone);
    });

  test('a link leads to no other site', async () => {
    const { email } = await givenAccount(app());
    for (const next of ['https://evil.example/', '//evil.example/', '/\\evil.example/', '/.//evil.example/'])
      assert.equal((await newBrowser(app()).post('/do/mailSignIn', { email, next })).status, 400);
  });
});
