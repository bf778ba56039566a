import assert from 'node:assert/strict';
import { test } from 'node:test';
import { totpCode } from '../../src/lib/totp.ts';
import { ATTEMPT_RULES } from '../../src/services/people/attempts.ts';
import { dueMails } from '../account-mails.ts';
import { sharedTestApp, startTestApp, type TestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { Browser, type BrowserReply, givenAccount, newBrowser, PASSWORD } from './browser.ts';
import { VirtualAuthenticator } from './virtual-authenticator.ts';

// Attacks of strangers on an account. Its owner still gets in.

const SECOND_FACTOR = '/do/signInWithCode';
const WRONG = 'wrong horse battery';

/** The owner's mails that are due now, the latest first. */
async function mailsTo(app: TestApp, email: string) {
  const mails = (await dueMails(app)).filter(({ to }) => to === email).toReversed();
  const found = (pattern: RegExp) => mails.flatMap(({ text }) => pattern.exec(text)?.[1] ?? []);
  return {
    subjects: mails.map(({ subject }) => subject),
    tokens: found(/\/accounts\/[\w-]+\/#([\w-]{43})$/m),
    codes: found(/: ([a-z2-9]{4}-[a-z2-9]{4})$/m),
  };
}

const useLink = (app: TestApp, token: string | undefined, path = '/do/signInByLink') =>
  newBrowser(app).post(path, { token, password: 'a horse of good temper' });

/** Strangers of many networks ask until nobody gets more. Returns how many mails were accepted. */
async function askUntilRefused(app: TestApp, path: string, email: string): Promise<number> {
  let accepted = 0;
  for (let refused = 0; refused < 3; ) {
    const { isDone } = await newBrowser(app).post(path, { email });
    if (isDone) accepted++;
    else refused++;
    assert.ok(accepted < 200, 'somebody can fill the mailbox');
  }
  return accepted;
}

interface Owner {
  readonly email: string;
  /** A browser that is signed in. */
  readonly known: Browser;
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** Somebody with a password, an app and recovery codes. */
async function givenOwner(app: TestApp): Promise<Owner> {
  const { email } = await givenAccount(app);
  const known = newBrowser(app);
  await known.signIn(email);
  const { secret, sealed } = (await known.post('/do/beginAuthenticator')).json;
  const code = totpCode(secret, app.clock.now());
  const added = await known.post('/do/addAuthenticator', { sealed, code });
  // The code that was just used does not work again.
  app.clock.advance({ seconds: 60 });
  await dueMails(app);
  return { email, known, secret, recoveryCodes: added.json.recoveryCodes };
}

/** Gives the right password, and returns how to go on with a code. */
async function passwordIn(browser: Browser, email: string) {
  const { status, json } = await browser.signIn(email);
  assert.equal(status, 200);
  return (code: string) => browser.post(SECOND_FACTOR, { pending: json.pending, code });
}

/** A code that the app does not show now. */
function wrongCode(app: TestApp, secret: string, n: number): string {
  const shown = [-30, 0, 30].map((off) => totpCode(secret, app.clock.now() + off * 1_000_000));
  const code = String(n).padStart(6, '0');
  return shown.includes(code) ? '999999' : code;
}

/** Tries codes until one is refused unseen. Returns how many were compared. */
async function guess(
  app: TestApp,
  secret: string,
  send: (code: string) => Promise<BrowserReply>,
): Promise<number> {
  for (let n = 0; ; n++) {
    const { status } = await send(wrongCode(app, secret, n));
    if (status === 429) return n;
    assert.equal(status, 403);
    assert.ok(n < 1_000, 'there is no limit');
  }
}

async function guessPasswords(app: TestApp, email: string): Promise<number> {
  for (let n = 0; ; n++) {
    const { status } = await newBrowser(app).signIn(email, WRONG);
    if (status === 429) return n;
    assert.equal(status, 403);
    assert.ok(n < 1_000, 'there is no limit');
  }
}

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('after many wrong passwords a new browser is told of other ways, and each of them signs in', async () => {
    const { email } = await givenAccount(app());
    const known = newBrowser(app());
    await known.signIn(email);
    const device = new VirtualAuthenticator('localhost', 'http://localhost:8000');
    // The right password counts as well.
    assert.equal(await guessPasswords(app(), email), 19);

    const refused = await newBrowser(app()).signIn(email);

    assert.equal(refused.status, 429);
    assert.equal(refused.json.code, 'other_way_needed');
    assert.equal(
      refused.json.error,
      'Too many wrong passwords were tried. Sign in by a link that is mailed to you, or with a passkey, or in a browser in which you were signed in before.',
    );
    await known.post('/do/signOut');
    assert.equal((await known.signIn(email)).status, 204, 'the password in a known browser');
    const asking = newBrowser(app());
    const { pending } = (await asking.post('/do/mailSignIn', { email })).json;
    const [code] = (await mailsTo(app(), email)).codes;
    assert.equal(
      (await asking.post('/do/signInByMailedCode', { pending, code })).status,
      204,
      'a mailed code',
    );
    await newBrowser(app()).post('/do/mailSignIn', { email });
    const [link] = (await mailsTo(app(), email)).tokens;
    assert.equal((await useLink(app(), link)).status, 204, 'a mailed link');
    await newBrowser(app()).post('/do/mailPasswordLink', { email });
    const [forgotten] = (await mailsTo(app(), email)).tokens;
    const owner = await useLink(app(), forgotten, '/do/setPasswordByLink');
    assert.equal(owner.status, 204, 'a new password by a mailed link');
    const adding = newBrowser(app());
    await adding.post('/do/mailSignIn', { email });
    const [last] = (await mailsTo(app(), email)).tokens;
    await adding.post('/do/signInByLink', { token: last });
    const { options, sealed } = (await adding.post('/do/beginPasskey', { kind: 'passkey' })).json;
    const response = device.create(options);
    assert.equal((await adding.post('/do/addPasskey', { sealed, name: 'Key', response })).status, 200);
    const alone = newBrowser(app());
    const challenge = (await alone.post('/do/beginSignInByPasskey')).json;
    const signed = { sealed: challenge.sealed, response: device.get(challenge.options) };
    assert.equal((await alone.post('/do/signInWithPasskey', signed)).status, 204, 'a passkey');
  });

  test('a network that has tried many passwords is told of other ways, too', async () => {
    const { email } = await givenAccount(app());
    const neighbour = newBrowser(app());
    const { passwords } = app().node.accounts;
    const verify = passwords.verify.bind(passwords);
    passwords.verify = async () => false;
    const { maxAttempts } = ATTEMPT_RULES.passwordsPerNetwork;
    for (let n = 0; n < maxAttempts; n++) await neighbour.signIn(`${engine}-many-${n}@example.org`);
    passwords.verify = verify;

    assert.equal((await neighbour.signIn(email)).json.code, 'other_way_needed');
    assert.equal((await neighbour.post('/do/mailSignIn', { email })).status, 200);
    assert.equal((await useLink(app(), (await mailsTo(app(), email)).tokens[0])).status, 204);
  });

  test('strangers who ask for links do not keep the owner from getting one', async () => {
    for (const [path, use] of [
      ['/do/mailSignIn', '/do/signInByLink'],
      ['/do/mailPasswordLink', '/do/setPasswordByLink'],
    ] as const) {
      const { email } = await givenAccount(app());
      const stranger = newBrowser(app());
      for (let n = 0; n < 30; n++) await stranger.post(path, { email });
      assert.equal((await stranger.post(path, { email })).status, 429);
      await mailsTo(app(), email);

      assert.ok((await newBrowser(app()).post(path, { email })).isDone);

      const { tokens } = await mailsTo(app(), email);
      assert.equal(tokens.length, 1);
      assert.equal((await useLink(app(), tokens[0], use)).status, 204);
    }
  });

  test('strangers of any number of networks can neither fill a mailbox nor keep links from it', async () => {
    const { email } = await givenAccount(app());
    const { mailsPerMailbox, mailsPerAddress } = ATTEMPT_RULES;
    const most = mailsPerMailbox.maxAttempts + mailsPerAddress.maxAttempts;
    assert.equal(await askUntilRefused(app(), '/do/mailSignIn', email), most);
    assert.equal((await mailsTo(app(), email)).tokens.length, most);
    for (let minutes = 0; minutes < 120; minutes += 5) {
      app().clock.advance({ minutes: 5 });
      await askUntilRefused(app(), '/do/mailSignIn', email);

      const owner = await newBrowser(app()).post('/do/mailSignIn', { email });

      assert.deepEqual(owner.json, {
        error:
          'If this address can sign in here, links were mailed to it in the last minutes. Open one of them: each works for an hour.',
        code: 'links_mailed',
      });
      assert.ok((await mailsTo(app(), email)).tokens.length > 0, 'a link of the last five minutes');
    }
    app().clock.advance({ minutes: 5 });
    await askUntilRefused(app(), '/do/mailSignIn', email);
    const { tokens } = await mailsTo(app(), email);
    assert.equal((await useLink(app(), tokens[0])).status, 204);
    const known = newBrowser(app());
    app().clock.advance({ hours: 24 });
    await known.signIn(email);
    await askUntilRefused(app(), '/do/mailSignIn', email);
    assert.equal((await known.post('/do/mailSignIn', { email })).status, 200, 'a known browser');
    await dueMails(app());
  });

  test('spellings that reach the mailbox and have no account do not use up the links of the owner', async () => {
    const { email } = await givenAccount(app());
    const [name, domain] = email.split('@');
    for (let n = 0; n < 60; n++)
      await newBrowser(app()).post('/do/mailSignIn', { email: `${name}+${n}@${domain}` });

    assert.equal((await newBrowser(app()).post('/do/mailSignIn', { email })).status, 200);

    assert.equal((await mailsTo(app(), email)).tokens.length, 1);
  });

  test('a link works although others were asked for later, until one of them is used', async () => {
    for (const [path, use] of [
      ['/do/mailSignIn', '/do/signInByLink'],
      ['/do/mailPasswordLink', '/do/setPasswordByLink'],
    ] as const) {
      const { email } = await givenAccount(app());
      for (let n = 0; n < 3; n++) await newBrowser(app()).post(path, { email });
      const [third, second, first] = (await mailsTo(app(), email)).tokens;

      assert.equal((await useLink(app(), first, use)).status, 204);

      for (const token of [second, third])
        assert.equal((await useLink(app(), token, use)).json.code, 'invalid_link');
    }
  });

  test('the code of a mail works although others were asked for later, and makes the links void', async () => {
    const { email } = await givenAccount(app());
    const owner = newBrowser(app());
    const { pending } = (await owner.post('/do/mailSignIn', { email })).json;
    const [code] = (await mailsTo(app(), email)).codes;
    await newBrowser(app()).post('/do/mailSignIn', { email });
    const [token] = (await mailsTo(app(), email)).tokens;

    assert.equal((await owner.post('/do/signInByMailedCode', { pending, code })).status, 204);

    assert.equal((await useLink(app(), token)).json.code, 'invalid_link');
  });

  test('links of one account that are used at the same moment let one in', async () => {
    const { email } = await givenAccount(app());
    for (let n = 0; n < 5; n++) await newBrowser(app()).post('/do/mailSignIn', { email });
    const { tokens } = await mailsTo(app(), email);

    const replies = await Promise.all(tokens.map((token) => useLink(app(), token)));

    assert.deepEqual(replies.map(({ status }) => status).toSorted(), [204, 403, 403, 403, 403]);
  });

  test('somebody who knows the password and tries codes keeps the owner from no way that is left', async () => {
    const { email, known, secret, recoveryCodes } = await givenOwner(app());
    const stranger = newBrowser(app());
    const send = await passwordIn(stranger, email);
    await guess(app(), secret, send);
    for (let n = 0; (await send(`wrong-${n}`)).status !== 429; n++)
      assert.ok(n < 1_000, 'recovery codes have no limit');
    const right = () => totpCode(secret, app().clock.now());
    assert.equal((await send(right())).status, 429);

    const confirmed = await known.post('/do/confirmByCode', { code: right() });
    assert.equal(confirmed.status, 204, 'a code of the app in a session');
    await known.post('/do/signOut');
    app().clock.advance({ seconds: 60 });
    const inKnown = await passwordIn(known, email);
    assert.equal((await inKnown(right())).status, 204, 'a code of the app in a known browser');
    await known.post('/do/signOut');
    const again = await passwordIn(known, email);
    assert.equal((await again(recoveryCodes[0] ?? '')).status, 204, 'a recovery code in a known browser');
    const inNew = await passwordIn(newBrowser(app()), email);
    assert.equal((await inNew(right())).status, 429);
    assert.equal((await inNew(recoveryCodes[1] ?? '')).status, 204, 'a recovery code in a new browser');
  });

  test('the owner is told of several wrong second factors, once a day', async () => {
    const { email, secret } = await givenOwner(app());
    const told = 'Wrong second factors were entered on Tocsin';
    const stranger = newBrowser(app());
    const send = await passwordIn(stranger, email);
    for (let n = 0; n < 4; n++) await send(wrongCode(app(), secret, n));
    assert.ok(!(await mailsTo(app(), email)).subjects.includes(told));

    for (let n = 0; n < 5; n++) await send(n % 2 === 0 ? 'wrong' : wrongCode(app(), secret, n));

    assert.deepEqual((await mailsTo(app(), email)).subjects, [told]);
    app().clock.advance({ hours: 24 });
    const later = await passwordIn(newBrowser(app()), email);
    for (let n = 0; n < 5; n++) await later(wrongCode(app(), secret, n));
    assert.deepEqual((await mailsTo(app(), email)).subjects, [told]);
  });

  test('a stranger has no more guesses in a day than twenty passwords and ninety-six codes, twice at first', async () => {
    await using own = await startTestApp(engine);
    const { email, secret } = await givenOwner(own);
    let [passwords, codes] = [0, 0];
    for (let step = 0; step < 20; step++) {
      // One of the passwords is the right one: without it nobody gets to try a code.
      const send = await passwordIn(newBrowser(own), email);
      passwords += 1 + (await guessPasswords(own, email));
      codes += await guess(own, secret, send);
      own.clock.advance({ minutes: 72 });
    }

    // So many at once, and as many again in the day. The owner used one password.
    assert.ok(passwords <= 20 + 20, `${passwords} passwords`);
    assert.ok(codes <= 96 + 96, `${codes} codes`);
    assert.deepEqual([passwords, codes], [38, 140]);
  });

  test('a stranger has no more tries of mailed codes than fifty an hour, however many mails there are', async () => {
    const { email } = await givenAccount(app());
    let tries = 0;
    let last: Browser | null = null;
    for (let n = 0; n < 22; n++) {
      last = newBrowser(app());
      const { pending } = (await last.post('/do/mailSignIn', { email })).json;
      for (let one = 0; one < 6; one++) {
        const { status } = await last.post('/do/signInByMailedCode', { pending, code: 'aaaa-aaaa' });
        if (status === 403) tries++;
      }
    }
    assert.equal(tries, 50);

    const { tokens } = await mailsTo(app(), email);
    assert.equal((await useLink(app(), tokens[0])).status, 204, 'the link in the same mail');
  });

  test('a /48 of IPv6 has a few shares of mails, and not one for each of its networks', async () => {
    const { maxAttempts } = ATTEMPT_RULES.mailsPerNetwork;
    const from = engine === 'sqlite' ? '2001:db8:a' : '2001:db8:b';
    const ask = async (subnet: number, n: number) => {
      const browser = new Browser(app(), { address: `${from}:${subnet.toString(16)}::1` });
      return (
        (await browser.post('/do/mailSignIn', { email: `v6-${engine}-${n}@example.org` })).status === 200
      );
    };
    let [of56, of48] = [0, 0];
    for (let n = 0; n < 3 * maxAttempts; n++) if (await ask(n, n)) of56++;
    for (let n = 0; n < 5 * maxAttempts; n++) if (await ask((n + 1) << 8, 1_000 + n)) of48++;

    assert.equal(of56, 2 * maxAttempts);
    assert.equal(of56 + of48, 4 * maxAttempts);
  });

  test('a network has a few mails for a mailbox, however its address is spelt', async () => {
    const { mailsPerMailbox, mailsPerMailboxAndNetwork } = ATTEMPT_RULES;
    const stranger = newBrowser(app());
    const name = `spelt${engine}`;
    const spellings = (n: number) =>
      [
        `${name}@example.org`,
        `${name}@example.org.`,
        `${name}@example。org`,
        `${name}@example．org`,
        `${name}@example｡org｡`,
        `${name.toUpperCase()}@EXAMPLE.ORG`,
        `s.pelt${engine}@ｅｘａｍｐｌｅ.org`,
        `${name}+${n}@example.org`,
      ][n % 8] ?? assert.fail();
    let accepted = 0;
    for (let n = 0; n < 20; n++)
      if ((await stranger.post('/do/mailSignIn', { email: spellings(n) })).status === 200) accepted++;

    assert.equal(accepted, mailsPerMailbox.maxAttempts + mailsPerMailboxAndNetwork.maxAttempts);
  });
});

forOneEngine((engine) => {
  const app = sharedTestApp(engine, {}, {}, { hasMail: false });

  test('where no mail can be sent, a new browser is not told of links', async () => {
    const { email } = await givenAccount(app());
    await guessPasswords(app(), email);

    const { error } = (await newBrowser(app()).signIn(email, PASSWORD)).json;

    assert.equal(
      error,
      'Too many wrong passwords were tried. Sign in with a passkey, or in a browser in which you were signed in before.',
    );
  });
});
