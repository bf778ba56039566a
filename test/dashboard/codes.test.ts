import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ATTEMPT_RULES } from '../../src/services/people/attempts.ts';
import { FakeMailSender, post } from '../account-mails.ts';
import { sharedTestApp, type TestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { type Browser, type BrowserReply, givenAccount, newBrowser } from './browser.ts';

const CODE = /: ([a-z2-9]{4}-[a-z2-9]{4})$/m;

interface Asked {
  readonly browser: Browser;
  readonly pending: string;
  readonly code: string;
  readonly text: string;
}

/** Somebody asks for a code, and reads it in the mail. */
async function ask(app: TestApp, email: string, browser = newBrowser(app)): Promise<Asked> {
  const { pending } = (await browser.post('/do/mailSignIn', { email })).json;
  return { browser, pending, ...(await mailedCode(app, email)) };
}

async function mailedCode(app: TestApp, email: string): Promise<{ code: string; text: string }> {
  const sender = new FakeMailSender();
  await post(app, sender);
  const text = sender.sent.findLast(({ to, text: one }) => to === email && CODE.test(one))?.text ?? '';
  return { text, code: CODE.exec(text)?.[1] ?? assert.fail('no code was mailed') };
}

function use({ browser, pending, code }: Omit<Asked, 'text'>): Promise<BrowserReply> {
  return browser.post('/do/signInByMailedCode', { pending, code });
}

/** Somebody without a password who is signed in, and whose last proof was long ago. */
async function signedInByCode(app: TestApp): Promise<{ email: string; browser: Browser }> {
  const { email } = await givenAccount(app, { passwordHash: null });
  const asked = await ask(app, email);
  assert.equal((await use(asked)).status, 204);
  app.clock.advance({ minutes: 31 });
  return { email, browser: asked.browser };
}

async function askToConfirm(app: TestApp, email: string, browser: Browser) {
  const reply = await browser.post('/do/mailConfirmationCode');
  assert.equal(reply.status, 200);
  return { pending: reply.json.pending, code: (await mailedCode(app, email)).code };
}

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('the code in the mail signs in, however it is typed, and once', async () => {
    const { email } = await givenAccount(app(), { passwordHash: null });
    const asked = await ask(app(), email);

    const reply = await use({ ...asked, code: asked.code.toUpperCase().replace('-', ' ') });

    assert.equal(reply.status, 204);
    assert.equal((await asked.browser.get('/read/signedIn')).json.account.email, email);
    assert.equal((await asked.browser.get('/read/lastSignIns')).json[0].with, 'mailed_code');
    assert.equal((await use(asked)).json.code, 'invalid_link');
  });

  test('links and codes of all mails for the same are used up together', async () => {
    const { email } = await givenAccount(app());
    const [first, second] = [await ask(app(), email), await ask(app(), email)];
    const token = /#([\w-]{43})$/m.exec(second.text)?.[1];

    assert.equal((await newBrowser(app()).post('/do/signInByLink', { token })).status, 204);

    assert.equal((await use(first)).json.code, 'invalid_link');
    assert.equal((await use(second)).json.code, 'invalid_link');
  });

  test('a code works only with what the browser got that has asked', async () => {
    const [alice, eve] = [await givenAccount(app()), await givenAccount(app())];
    const asked = await ask(app(), alice.email);
    const foreign = await ask(app(), eve.email);

    assert.equal((await use({ ...foreign, code: asked.code })).json.field, 'code');
    assert.equal((await use({ ...asked, pending: 'nonsense' })).json.code, 'sign_in_expired');
    assert.equal((await use(asked)).status, 204);
  });

  test('a code has a few tries, and then not even the right one works', async () => {
    const { email } = await givenAccount(app());
    const asked = await ask(app(), email);
    for (let n = 0; n < ATTEMPT_RULES.triesPerMailedCode.maxAttempts; n++) {
      const wrong = await use({ ...asked, code: 'aaaa-aaaa' });
      assert.equal(wrong.status, 403);
      assert.deepEqual(wrong.json, {
        error: 'The code you entered was incorrect.',
        code: 'wrong_credentials',
        field: 'code',
      });
    }

    assert.equal((await use(asked)).status, 429);
    assert.equal((await use(await ask(app(), email))).status, 204);
  });

  test('a code expires with its link, and is worth nothing after a change of the address', async () => {
    const late = await ask(app(), (await givenAccount(app())).email);
    app().clock.advance({ hours: 1 });
    assert.equal((await use(late)).json.code, 'sign_in_expired');
    const account = await givenAccount(app());
    const before = await ask(app(), account.email);
    const email = `new-${account.email}`;
    await app().deps.store.transaction((tx) => tx.accounts.save({ ...account, email }));

    assert.equal((await use(before)).json.code, 'invalid_link');
  });

  test('for an unknown address every code is wrong', async () => {
    const browser = newBrowser(app());
    const { pending } = (await browser.post('/do/mailSignIn', { email: `no-${engine}@example.org` })).json;

    assert.equal((await use({ browser, pending, code: 'abcd-efgh' })).json.code, 'wrong_credentials');
  });

  test('somebody without any other proof confirms with a code in a mail', async () => {
    const { email, browser } = await signedInByCode(app());
    assert.equal((await browser.get('/account/export')).json.code, 'confirmation_required');
    const { pending, code } = await askToConfirm(app(), email, browser);
    const before = new Map(browser.cookies);

    const wrong = await browser.post('/do/confirmByMailedCode', { pending, code: 'aaaa-aaaa' });
    assert.equal(wrong.json.field, 'code');
    assert.equal((await browser.post('/do/confirmByMailedCode', { pending, code })).status, 204);

    assert.notDeepEqual(browser.cookies, before);
    assert.equal((await browser.get('/account/export')).status, 200);
    const again = await browser.post('/do/confirmByMailedCode', { pending, code });
    assert.equal(again.json.code, 'invalid_link');
  });

  test('a code to confirm works in its own session, for a quarter of an hour', async () => {
    const { email, browser } = await signedInByCode(app());
    const other = await ask(app(), email);
    assert.equal((await use(other)).status, 204);
    const asked = await askToConfirm(app(), email, browser);

    const foreign = await other.browser.post('/do/confirmByMailedCode', asked);
    assert.equal(foreign.json.code, 'sign_in_expired');
    app().clock.advance({ minutes: 15 });
    const late = await browser.post('/do/confirmByMailedCode', asked);
    assert.equal(late.json.code, 'sign_in_expired');
  });

  test('a code to confirm signs nobody in, and one to sign in confirms nothing', async () => {
    const { email, browser } = await signedInByCode(app());
    const confirming = await askToConfirm(app(), email, browser);
    const signingIn = await ask(app(), email);

    assert.equal((await use({ browser, ...confirming })).json.code, 'sign_in_expired');
    const { pending, code } = signingIn;
    const reply = await browser.post('/do/confirmByMailedCode', { pending, code });
    assert.equal(reply.json.code, 'sign_in_expired');
  });

  test('somebody with a password confirms with that', async () => {
    const { email } = await givenAccount(app());
    const browser = newBrowser(app());
    await browser.signIn(email);

    const reply = await browser.post('/do/mailConfirmationCode');

    assert.equal(reply.status, 403);
    assert.deepEqual(reply.json, {
      error: 'Confirm with your password.',
      code: 'stronger_proof_exists',
    });
  });

  test('there are only so many mails with codes to confirm an hour', async () => {
    const { browser } = await signedInByCode(app());
    for (let n = 0; n < ATTEMPT_RULES.mailsPerDevice.maxAttempts; n++)
      assert.equal((await browser.post('/do/mailConfirmationCode')).status, 200);

    assert.equal((await browser.post('/do/mailConfirmationCode')).status, 429);
  });
});

forOneEngine((engine) => {
  const app = sharedTestApp(engine, {}, {}, { hasMail: false });

  test('where no mail can be sent, nobody is asked for a code', async () => {
    const { email } = await givenAccount(app());
    const browser = newBrowser(app());
    await browser.signIn(email);

    assert.equal((await browser.post('/do/mailConfirmationCode')).json.code, 'no_mail');
    assert.equal((await browser.post('/do/mailSignIn', { email })).json.code, 'no_mail');
  });
});
