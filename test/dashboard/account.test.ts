import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseProvisionFile } from '../../src/provision/parse.ts';
import { operatorOn } from '../../src/services/people/account-actor.ts';
import { ATTEMPT_RULES } from '../../src/services/people/attempts.ts';
import { closeAccount } from '../../src/services/people/closing.ts';
import { provision } from '../../src/services/provisioning/provision.ts';
import type { Store } from '../../src/storage/store.ts';
import { addMember, dueMails, FakeMailSender, mailPreferencesOf, post } from '../account-mails.ts';
import { sharedTestApp, startTestApp, type TestApp } from '../app.ts';
import { forOneEngine, openTestDriver } from '../engines.ts';
import { someoneWaits } from '../postgres-locks.ts';
import { ALPHA_OF_A_FILE, accountTokenRecord, passkeyRecord, unique } from '../records.ts';
import { until } from '../waiting.ts';
import { type Browser, givenAccount, newBrowser, PASSWORD } from './browser.ts';

interface Mailed {
  readonly to: string;
  readonly subject: string;
  readonly token: string;
}

async function mailed(app: TestApp): Promise<Mailed[]> {
  const sender = new FakeMailSender();
  await post(app, sender);
  return sender.sent.map(({ to, subject, text }) => ({
    to,
    subject,
    token: /\/accounts\/[\w-]+\/#([\w-]{43})$/m.exec(text)?.[1] ?? '',
  }));
}

async function signedIn(app: TestApp, email: string): Promise<Browser> {
  const browser = newBrowser(app);
  assert.equal((await browser.signIn(email)).status, 204);
  return browser;
}

const newEmail = () => `${unique()}@example.org`;

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('the account shows its settings, and nothing of its password', async () => {
    const account = await givenAccount(app());
    const alice = await signedIn(app(), account.email);

    const reply = await alice.get('/read/account');

    assert.equal(reply.status, 200);
    assert.deepEqual(reply.json, {
      email: account.email,
      name: '',
      theme: 'system',
      tz: 'UTC',
      reports: 'monthly',
      reminders: 'off',
      language: '',
      dateFormat: 'text',
      nextReport: null,
      nextReminder: null,
      clock: '24h',
      hasPassword: true,
    });
  });

  test('settings change one by one, and what changed is recorded', async () => {
    const account = await givenAccount(app());
    const alice = await signedIn(app(), account.email);
    const edit = {
      name: ' Alice  ',
      theme: 'dark',
      tz: 'Europe/Riga',
      reports: 'weekly',
      reminders: 'hourly',
      language: 'DE-at',
      dateFormat: 'iso',
      clock: '12h',
    };

    assert.equal((await alice.post('/do/editAccount', edit)).status, 204);
    await alice.post('/do/editAccount', { theme: 'light' });

    const { name, theme, tz, reports, reminders, language, dateFormat, clock } = (
      await alice.get('/read/account')
    ).json;
    assert.deepEqual(
      { name, theme, tz, reports, reminders, language, dateFormat, clock },
      { ...edit, name: 'Alice', theme: 'light', language: 'de-AT' },
    );
    const [last, first] = await app().deps.store.auditLog.ofAccount(account.id, 1e15, 2);
    assert.deepEqual(last?.details, { before: { theme: 'dark' }, after: { theme: 'light' } });
    assert.deepEqual(first?.details, {
      before: {
        ...{ name: '', theme: 'system', tz: 'UTC', reports: 'monthly', reminder_seconds: 0 },
        ...{ language: '', date_format: 'text', clock: '24h' },
      },
      after: {
        ...{ name: 'Alice', theme: 'dark', tz: 'Europe/Riga', reports: 'weekly', reminder_seconds: 3600 },
        ...{ language: 'de-AT', date_format: 'iso', clock: '12h' },
      },
    });
    assert.equal((await mailPreferencesOf(app(), account.id)).tz, 'Europe/Riga');
  });

  test('wrong settings are refused with their field, and nothing changes', async () => {
    const account = await givenAccount(app());
    const alice = await signedIn(app(), account.email);
    for (const [field, value] of [
      ['name', 7],
      ['name', 'x'.repeat(101)],
      ['theme', 'pink'],
      ['tz', 'Mars/Olympus'],
      ['reports', 'yearly'],
      ['reminders', 3600],
      ['language', 'zz'],
      ['language', 'x\u0000'],
      ['dateFormat', 'us'],
      ['clock', 12],
    ] as const) {
      const reply = await alice.post('/do/editAccount', { name: 'Eve', [field]: value });

      assert.equal(reply.status, 400, field);
      assert.equal(reply.json.field, field);
    }
    assert.equal((await alice.get('/read/account')).json.name, '');
  });

  test('a new password needs a recent proof, ends other sessions, and is told by mail', async () => {
    const { email } = await givenAccount(app());
    const [alice, other] = [await signedIn(app(), email), await signedIn(app(), email)];
    const change = (password: string) => alice.post('/do/changePassword', { password });
    app().clock.advance({ minutes: 31 });

    const refused = await change('a horse of good temper');
    assert.equal(refused.status, 403);
    assert.deepEqual(refused.json, { error: 'confirm that it is you', code: 'confirmation_required' });
    await alice.post('/do/confirmByPassword', { password: PASSWORD });
    assert.equal((await change('seven77')).json.code, 'weak_password');
    assert.equal((await change('a horse of good temper')).status, 204);

    assert.equal((await alice.get('/read/signedIn')).status, 200);
    assert.equal((await other.get('/read/signedIn')).status, 401);
    assert.equal((await newBrowser(app()).signIn(email, PASSWORD)).status, 403);
    assert.deepEqual(
      (await mailed(app())).map(({ subject }) => subject),
      ['Your password was changed on Tocsin'],
    );
  });

  test('dates in mails are written as the person wants them', async () => {
    const { email } = await givenAccount(app());
    const alice = await signedIn(app(), email);
    await alice.post('/do/editAccount', { tz: 'Europe/Riga', language: 'de', clock: '12h' });
    await alice.post('/do/changePassword', { password: 'a horse of good temper' });

    const sender = new FakeMailSender();
    await post(app(), sender);

    assert.match(sender.sent[0]?.text ?? '', /^When\s+Fr\., 1\. März 2024, 2:00:00\sPM GMT\+2$/m);
  });

  test('the address changes when both mailboxes have confirmed it, and the old one is told', async () => {
    const { id, email: old } = await givenAccount(app());
    const alice = await signedIn(app(), old);
    const email = newEmail();

    const asked = await alice.post('/do/changeEmail', { email: email.toUpperCase() });

    assert.equal(asked.status, 200);
    const mails = await mailed(app());
    assert.deepEqual(
      mails.map(({ to }) => to),
      [old, email],
    );
    const confirm = (to: string) =>
      newBrowser(app()).post('/do/confirmEmail', {
        token: mails.find((mail) => mail.to === to)?.token,
      });
    assert.deepEqual((await confirm(email)).json, { state: 'old_left' });
    assert.equal((await app().deps.store.accounts.byId(id))?.email, old);
    assert.equal((await confirm(email)).status, 403);
    assert.deepEqual((await confirm(old)).json, { state: 'changed' });
    assert.equal((await alice.get('/read/account')).json.email, email);
    assert.deepEqual(
      (await mailed(app())).map(({ to, subject }) => ({ to, subject })),
      [{ to: old, subject: 'Your address was changed on Tocsin' }],
    );
    assert.equal((await newBrowser(app()).signIn(email)).status, 204);
  });

  test('an address that has an account is found out by the reader of its mail alone', async () => {
    const { email } = await givenAccount(app());
    const taken = await givenAccount(app());
    const alice = await signedIn(app(), email);

    assert.equal((await alice.post('/do/changeEmail', { email: taken.email })).status, 200);
    const mails = await mailed(app());
    const confirm = ({ token }: Mailed) => newBrowser(app()).post('/do/confirmEmail', { token });
    const replies = [];
    for (const mail of mails) replies.push(await confirm(mail));

    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 409],
    );
    assert.equal((await alice.get('/read/account')).json.email, email);
  });

  test('a second wish for another address makes the links of the first one void', async () => {
    const { email } = await givenAccount(app());
    const alice = await signedIn(app(), email);
    await alice.post('/do/changeEmail', { email: newEmail() });
    const first = await mailed(app());
    const wish = newEmail();
    await alice.post('/do/changeEmail', { email: wish });
    const second = await mailed(app());
    const confirm = ({ token }: Mailed) => newBrowser(app()).post('/do/confirmEmail', { token });

    for (const mail of first) assert.equal((await confirm(mail)).status, 403);
    for (const mail of second) assert.equal((await confirm(mail)).status, 200);
    assert.equal((await alice.get('/read/account')).json.email, wish);
  });

  test('links to the new address expire', async () => {
    const { email } = await givenAccount(app());
    const alice = await signedIn(app(), email);
    await alice.post('/do/changeEmail', { email: newEmail() });
    const mails = await mailed(app());

    app().clock.advance({ hours: 1 });

    for (const { token } of mails)
      assert.equal((await newBrowser(app()).post('/do/confirmEmail', { token })).status, 403);
  });

  test('an address that a file names as the owner is not asked to change, nor changed by an earlier link', async () => {
    const account = await givenAccount(app());
    const alice = await signedIn(app(), account.email);
    assert.equal((await alice.post('/do/changeEmail', { email: newEmail() })).status, 200);
    const [one, other] = (await mailed(app())).filter(({ token }) => token !== '');
    const { project } = await app().givenProject({ ownerId: account.id });
    await app().deps.store.transaction((tx) =>
      tx.declarations.declare('project', account.id, project.id, ALPHA_OF_A_FILE),
    );
    const confirm = ({ token }: Mailed) => newBrowser(app()).post('/do/confirmEmail', { token });

    assert.equal((await confirm(one ?? assert.fail())).status, 200);
    assert.equal((await confirm(other ?? assert.fail())).json.code, 'project_declared');
    const again = await alice.post('/do/changeEmail', { email: newEmail() });

    assert.deepEqual([again.status, again.json.code], [409, 'project_declared']);
    assert.equal((await app().deps.store.accounts.byId(account.id))?.email, account.email);
  });

  test('the page tells when the next report and the next reminder come', async () => {
    const account = await givenAccount(app());
    const alice = await signedIn(app(), account.email);

    const edited = async (edit: object) => {
      assert.equal((await alice.post('/do/editAccount', edit)).status, 204);
      return (await alice.get('/read/account')).json;
    };

    const weekly = await edited({ reports: 'weekly', tz: 'Europe/Riga' });

    // The Monday after Friday, the first of March, between 9 and 11 o'clock in Riga.
    assert.match(weekly.nextReport, /^2024-03-04T0[78]:\d\d:00\+00:00$/);
    assert.equal((await edited({ reports: 'off' })).nextReport, null);
    assert.equal((await edited({ reminders: 'hourly' })).nextReminder, null);
    const { project } = await app().givenProject({ ownerId: account.id });
    await app().givenCheck(project, { status: 'down' });
    await alice.post('/do/editAccount', { reminders: 'off' });
    const { nextReminder } = await edited({ reminders: 'hourly' });
    assert.equal(nextReminder, '2024-03-01T13:00:00+00:00');
  });

  test('the own address is no other address', async () => {
    const { email } = await givenAccount(app());
    const alice = await signedIn(app(), email);

    const reply = await alice.post('/do/changeEmail', { email: email.toUpperCase() });

    assert.equal(reply.status, 400);
    assert.deepEqual(reply.json, {
      error: 'This is the address of the account already.',
      code: 'invalid_field',
      field: 'email',
    });
    assert.deepEqual(await mailed(app()), []);
  });

  test('an account sends only so many such mails an hour', async () => {
    const { email } = await givenAccount(app());
    const alice = await signedIn(app(), email);
    for (let n = 0; n < ATTEMPT_RULES.mailsPerDevice.maxAttempts; n++)
      assert.equal((await alice.post('/do/changeEmail', { email: newEmail() })).status, 200);

    assert.equal((await alice.post('/do/changeEmail', { email: newEmail() })).status, 429);
    await mailed(app());
  });

  test('people get all their own data, and no secret of it', async () => {
    const account = await givenAccount(app(), { name: 'Alice' });
    const { project } = await app().givenProject({ ownerId: account.id });
    const alice = await signedIn(app(), account.email);
    const passkey = passkeyRecord(account.id, { name: 'Phone', publicKey: 'bytes of a key' });
    const token = accountTokenRecord(account.id, { name: 'Terraform' });
    await app().deps.store.transaction(async (tx) => {
      await tx.passkeys.insert(passkey);
      await tx.accountTokens.insert(token);
    });
    await alice.post('/do/editAccount', { theme: 'dark' });

    const reply = await alice.get('/account/export');

    assert.equal(reply.status, 200);
    const { account: own, sessions, second_factors, tokens, projects, acts } = reply.json;
    assert.equal(own.name, 'Alice');
    assert.equal(sessions.length, 1);
    assert.deepEqual(
      second_factors.keys.map(({ name }: { name: string }) => name),
      ['Phone'],
    );
    assert.deepEqual(
      projects.map(({ uuid, is_owner }: { uuid: string; is_owner: boolean }) => ({ uuid, is_owner })),
      [{ uuid: project.uuid, is_owner: true }],
    );
    assert.deepEqual(
      acts.map(({ action }: { action: string }) => action),
      ['account.edited', 'account.signed_in'],
    );
    assert.doesNotMatch(reply.text, /argon2|digest|badge/i);
    assert.deepEqual(
      tokens.map(({ name }: { name: string }) => name),
      ['Terraform'],
    );
    assert.ok(!reply.text.includes(passkey.publicKey) && !reply.text.includes(token.digest));
    app().clock.advance({ minutes: 31 });
    assert.equal((await alice.get('/account/export')).json.code, 'confirmation_required');
  });

  test('closing says first what would be lost, and wants the address typed', async () => {
    const account = await givenAccount(app());
    const { project, key } = await app().givenProject({ ownerId: account.id });
    await app().givenCheck(project);
    const member = await addMember(app(), project);
    const alice = await signedIn(app(), account.email);

    assert.deepEqual((await alice.get('/read/accountClosing')).json, {
      projects: [{ uuid: project.uuid, name: 'Alpha', checks: 1, members: 1 }],
    });
    const wrong = await alice.post('/do/closeAccount', { email: newEmail() });
    assert.equal(wrong.status, 400);
    assert.equal(wrong.json.field, 'email');
    const closed = await alice.post('/do/closeAccount', { email: account.email });

    assert.equal(closed.status, 204);
    assert.match(closed.setCookies[0] ?? '', /^tocsin_session=; Max-Age=0/);
    assert.equal((await alice.get('/read/signedIn')).status, 401);
    assert.equal((await newBrowser(app()).signIn(account.email)).status, 403);
    assert.equal(await app().deps.store.projects.byId(project.id), null);
    assert.equal((await app().request('GET', '/api/v3/checks/', { key })).status, 401);
    assert.deepEqual(
      (await app().deps.store.projects.accessibleTo(member)).map(({ id }) => id === project.id),
      [false],
    );
  });

  test('a mail tells the address of a closed account that it is closed, and from where', async () => {
    const account = await givenAccount(app());
    const alice = await signedIn(app(), account.email);
    await dueMails(app());

    await alice.post('/do/closeAccount', { email: account.email });

    const mails = (await dueMails(app())).filter(({ to }) => to === account.email);
    assert.deepEqual(
      mails.map(({ subject }) => subject),
      ['Your account was closed on Tocsin'],
    );
    assert.ok(mails[0]?.text.includes(alice.address));
  });

  test('a project that is made while the account is closed goes with it', async () => {
    const account = await givenAccount(app());
    await app().givenProject({ ownerId: account.id });
    const { accounts } = app().node;
    const made: number[] = [];
    // A browser of the same person makes it, when the close has looked for projects.
    const store = Object.create(accounts.store, {
      transaction: {
        value: async (work: Parameters<Store['transaction']>[0]) => {
          const result = await accounts.store.transaction(work);
          if (made.length === 0) made.push((await app().givenProject({ ownerId: account.id })).project.id);
          return result;
        },
      },
    });

    await closeAccount({ ...accounts, store }, operatorOn(account), account.email);

    assert.equal(await app().deps.store.accounts.byId(account.id), null);
    assert.equal(await app().deps.store.projects.byId(made[0] ?? 0), null);
  });
});

forOneEngine((engine) => {
  const app = sharedTestApp(engine, {}, {}, { hasMail: false });

  test('where no mail can be sent, the address changes at once', async () => {
    const { email } = await givenAccount(app());
    const taken = await givenAccount(app());
    const alice = await signedIn(app(), email);
    const wish = newEmail();

    const reply = await alice.post('/do/changeEmail', { email: wish });

    assert.equal(reply.status, 200);
    assert.deepEqual(reply.json, { state: 'changed' });
    assert.equal((await alice.get('/read/account')).json.email, wish);
    assert.equal((await alice.post('/do/changeEmail', { email: taken.email })).status, 409);
    assert.equal((await alice.post('/do/changeEmail', { email: wish })).json.field, 'email');
  });

  test('the owner of a project that a file declares keeps the address by which the file names them', async () => {
    const { email } = await givenAccount(app());
    const alice = await signedIn(app(), email);
    const key = app().deps.random.uuid().replaceAll('-', '').slice(0, 28);
    const file = `accounts: [{ email: ${email} }]
projects: [{ name: Alpha, owner: ${email}, keys: { read_write: hcw_${key} } }]`;
    const apply = () => provision(app().deps, parseProvisionFile('tocsin.yaml', file));
    await apply();

    const reply = await alice.post('/do/changeEmail', { email: newEmail() });

    assert.deepEqual([reply.status, reply.json.code], [409, 'project_declared']);
    assert.match(reply.json.error, /file .*this address/);
    assert.deepEqual(await apply(), [], 'the service starts with the same file');
  });
});

test('a project that is being made when the account is closed goes with it', async () => {
  await using app = await startTestApp('postgres');
  await using driver = await openTestDriver(app.database);
  const account = await givenAccount(app);
  const { project } = await app.givenProject();

  const { closing } = await app.deps.store.transaction(async (tx) => {
    const { id, ...copy } = project;
    const secrets = { pingKeyDigest: null, pingKeySealed: null };
    await tx.projects.insert({
      ...copy,
      ...secrets,
      uuid: unique(),
      badgeKey: unique(),
      ownerId: account.id,
    });
    const started = closeAccount(app.node.accounts, operatorOn(account), account.email);
    await until('the close waits', () => someoneWaits(driver));
    return { closing: started };
  });
  await closing;

  assert.equal(await app.deps.store.accounts.byId(account.id), null);
});
