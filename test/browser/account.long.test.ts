import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { totpCode } from '../../src/lib/totp.ts';
import { FakeMailSender, post } from '../account-mails.ts';
import { SITE } from '../app.ts';
import { newBrowser, PASSWORD } from '../dashboard/browser.ts';
import { givenPerson, givenTeam, type Person, signedIn } from '../dashboard/team.ts';
import { accountTokenRecord } from '../records.ts';
import { becomes } from '../waiting.ts';
import { type Dashboard, isAccessible, isQuiet, openSection, startDashboard } from './dashboard.ts';
import { barriers, look, SCREENS, type Visit } from './visit.ts';

const PROFILE = `${SITE.root}/accounts/profile/`;

let dashboard: Dashboard;

before(async () => {
  dashboard = await startDashboard();
});

after(() => dashboard[Symbol.asyncDispose]());

/** A page of the account of somebody who has signed in just now. */
async function openAccount(section = '', person?: Person): Promise<Visit & { person: Person }> {
  const whose = person ?? (await givenPerson(dashboard.app));
  const visit = await dashboard.visitAs(whose);
  await visit.page.goto(PROFILE + section);
  await visit.page.getByRole('heading', { name: 'Your account' }).waitFor();
  return Object.assign(visit, { person: whose });
}

/** A device in the browser that holds keys and verifies the person. */
async function addDevice(page: Page): Promise<void> {
  const debug = await page.context().newCDPSession(page);
  await debug.send('WebAuthn.enable');
  await debug.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    },
  });
}

function hasTheme(page: Page, theme: string): Promise<void> {
  return page.locator(`html[data-theme="${theme}"]`).waitFor({ state: 'attached' });
}

async function said(page: Page, text: string | RegExp): Promise<void> {
  await page.getByRole('status').getByText(text).first().waitFor();
}

test('all pages of the account can be used by everybody', async () => {
  await using visit = await openAccount();
  const { page } = visit;
  await isAccessible(visit);
  await openSection(visit, 'Sign-ins');
  await page.getByText('this one').waitFor();
  await isAccessible(visit);

  // The others are made of the same parts, so that one look at each is enough.
  for (const section of ['Tokens', 'Time and look', 'Reports', 'Your log', 'Data and closing']) {
    await openSection(visit, section);
    assert.deepEqual(await barriers(page), [], section);
    await page.setViewportSize(SCREENS.narrow);
    assert.equal((await look(page)).overflow, 0, section);
    await page.setViewportSize(SCREENS.desktop);
  }
  isQuiet(visit);
});

test('a passkey is added with a name, gives recovery codes once, signs in, is renamed and removed', async () => {
  await using visit = await openAccount();
  const { page } = visit;
  await addDevice(page);
  await page.getByText('You sign in with a password alone.').waitFor();
  await page.getByRole('button', { name: 'Add passkey' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Laptop');
  await page.getByRole('button', { name: 'Go on' }).click();

  const codes = page.getByRole('region', { name: 'Your recovery codes. Store them now.' });
  await codes.waitFor();
  await becomes(() => codes.getByRole('listitem').count(), 10);
  const saving = page.waitForEvent('download');
  await codes.getByRole('button', { name: 'Download' }).click();
  assert.equal((await saving).suggestedFilename(), 'tocsin-recovery-codes.txt');
  await codes.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByText('You sign in with a passkey. 10 recovery codes are left.').waitFor();
  await page.getByText('You have one second factor.').waitFor();

  await page.getByRole('button', { name: 'Rename Laptop' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Work laptop');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Work laptop').waitFor();

  await page.context().clearCookies();
  await page.goto(`${SITE.root}/accounts/login/`);
  await page.getByRole('button', { name: 'Continue with a passkey' }).click();
  await page.waitForURL(`${SITE.root}/`);
  await page.goto(PROFILE);
  await page.getByRole('button', { name: 'Remove Work laptop' }).click();
  await page.getByRole('dialog').getByText('It is your only second factor.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();

  await page.getByText('You have no passkey yet.').waitFor();
  await page.getByText('You sign in with a password alone.').waitFor();
  isQuiet(visit);
});

test('an authenticator app is set up after a wrong code, and asks for nothing that was not typed', async () => {
  const team = await givenTeam(dashboard.app);
  const check = await dashboard.app.givenCheck(team.project, { name: 'nightly' });
  await using visit = await openAccount('', team);
  const { page, person } = visit;
  await page.getByRole('button', { name: 'Set up…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('img', { name: `Code for ${person.account.email} in the app` }).waitFor();
  const secret = (await dialog.getByRole('region', { name: 'Secret' }).textContent()) ?? '';
  await dialog.getByLabel('Code that the app shows').fill('000000');
  await dialog.getByRole('button', { name: 'Turn it on' }).click();
  await dialog.getByRole('alert').waitFor();

  await dialog.getByLabel('Code that the app shows').fill(totpCode(secret, dashboard.app.clock.now()));
  await dialog.getByRole('button', { name: 'Turn it on' }).click();

  await page.getByRole('region', { name: /Your recovery codes/ }).waitFor();
  await page.getByText('An authenticator app guards your password and mailed links.').waitFor();
  await page.getByText(/^Six digits, asked for after a password or a mailed link. On since .*\d/).waitFor();
  isQuiet(visit);

  // The sixth digit signs in.
  dashboard.app.clock.advance({ minutes: 2 });
  await using other = await dashboard.visitAs({ browser: newBrowser(dashboard.app) });
  const address = `${SITE.root}/checks/${check.uuid}/details/`;
  const code = other.page.getByLabel('Code', { exact: true });
  await other.page.goto(address);
  for (const isSlow of [true, false]) {
    await other.page.getByLabel('E-mail').fill(person.account.email);
    await other.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await other.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await code.waitFor();
    if (isSlow) dashboard.app.clock.advance({ minutes: 5 });
    await code.fill(totpCode(secret, dashboard.app.clock.now()));
    if (isSlow) await other.page.getByText('That took too long. Please sign in again.').waitFor();
    if (isSlow) await other.page.getByLabel('E-mail').waitFor();
  }
  await other.page.waitForURL(address);
  await other.page.getByRole('heading', { name: 'nightly' }).waitFor();
  isQuiet(other);
});

test('whoever has an app proves it with the app, and the password is not offered', async () => {
  await using visit = await openAccount();
  const { page, person } = visit;
  const { secret, sealed } = (await person.browser.post('/do/beginAuthenticator')).json;
  const code = totpCode(secret, dashboard.app.clock.now());
  assert.equal((await person.browser.post('/do/addAuthenticator', { sealed, code })).status, 200);
  dashboard.app.clock.advance({ minutes: 31 });
  await page.reload();
  await page.getByRole('button', { name: 'Change…' }).last().click();
  await page.getByLabel('New password').fill('a horse of good temper');
  await page.getByRole('button', { name: 'Save password' }).click();

  const proof = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await proof.getByLabel('Code of your authenticator app').waitFor();
  assert.equal(await proof.getByLabel('Password', { exact: true }).count(), 0);
  await proof.getByLabel('Code of your authenticator app').fill(totpCode(secret, dashboard.app.clock.now()));
  await proof.getByRole('button', { name: 'Confirm' }).click();

  await proof.waitFor({ state: 'detached' });
  await said(page, 'All other browsers are signed out.');
});

test('what is dangerous asks for a proof once, and then goes on with what was typed', async () => {
  await using visit = await openAccount();
  const { page } = visit;
  dashboard.app.clock.advance({ minutes: 31 });
  await page.getByRole('button', { name: 'Change…' }).last().click();
  await page.getByLabel('New password').fill('short');
  await page.getByRole('button', { name: 'Save password' }).click();

  const proof = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await proof.getByLabel('Password', { exact: true }).fill('wrong horse battery');
  await proof.getByRole('button', { name: 'Confirm' }).click();
  await proof.getByText('Incorrect password.').waitFor();
  await proof.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await proof.getByRole('button', { name: 'Confirm' }).click();

  await proof.waitFor({ state: 'detached' });
  assert.equal(await page.getByLabel('New password').inputValue(), 'short');
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await page.getByLabel('New password').fill('a horse of good temper');
  await page.getByRole('button', { name: 'Save password' }).click();
  await said(page, 'All other browsers are signed out.');
  isQuiet(visit);
});

test('a new password asks whether the tokens of the account end with it', async () => {
  await using visit = await openAccount();
  const { page, person } = visit;
  const { store } = dashboard.app.deps;
  await store.transaction((tx) => tx.accountTokens.insert(accountTokenRecord(person.account.id)));

  await page.getByRole('button', { name: 'Change…' }).last().click();
  await page.getByLabel('New password').fill('a horse of good temper');
  await page.getByLabel('Revoke 1 token of this account as well').check();
  await page.getByRole('button', { name: 'Save password' }).click();
  await said(page, 'All other browsers are signed out.');

  assert.deepEqual(await store.accountTokens.ofAccount(person.account.id), []);
  isQuiet(visit);
});

test('somebody whose sign-in has ended signs in over the form that they fill in', async () => {
  await using visit = await openAccount();
  const { page, person } = visit;
  await page.getByRole('button', { name: 'Change…' }).first().click();
  await page.getByLabel('New address').fill('other@example.org');
  await dashboard.app.deps.store.transaction((tx) => tx.sessions.endOthers(person.account.id, null));
  await page.getByRole('button', { name: 'Mail the links' }).click();

  const dialog = page.getByRole('dialog', { name: 'Sign in to go on' });
  await dialog.getByLabel(`Password of ${person.account.email}`).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();

  await said(page, 'Links were mailed to other@example.org and to your present address.');
  await post(dashboard.app, new FakeMailSender());
  isQuiet(visit);
});

test('sessions are listed and ended, one or all others', async () => {
  const person = await givenPerson(dashboard.app);
  const others = [
    await signedIn(dashboard.app, person.account),
    await signedIn(dashboard.app, person.account),
  ];
  await using visit = await openAccount('sessions/', person);
  const { page } = visit;
  await page.getByText('3 browsers are signed in.').waitFor();
  await page.getByText('this one').waitFor();

  await page.getByRole('button', { name: 'Sign out Firefox' }).first().click();
  await page.getByText('2 browsers are signed in.').waitFor();
  await page.getByRole('button', { name: 'Sign out the other one' }).click();
  await page.getByText('1 browser is signed in.').waitFor();

  for (const other of others) assert.equal((await other.browser.get('/read/signedIn')).status, 401);
  await page.getByRole('listitem').getByText('password').first().waitFor();
  isQuiet(visit);
});

test('a token is shown once, works, and is revoked', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await openAccount('tokens/', team);
  const { page } = visit;
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByLabel('Name', { exact: true }).fill('laptop shell');
  await page.getByRole('button', { name: 'Make the token' }).click();

  const shown = page.getByRole('region', { name: '“laptop shell” is ready. Copy it now.' });
  const secret = (await shown.getByRole('code').textContent()) ?? '';
  const headers = { authorization: `Bearer ${secret}` };
  assert.equal((await dashboard.app.request('GET', '/api/v3/projects/', { headers })).status, 200);
  await shown.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByText(secret).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Revoke laptop shell' }).click();
  await page.getByRole('button', { name: 'Revoke token' }).click();

  await page.getByText('You have no tokens.').waitFor();
  assert.equal((await dashboard.app.request('GET', '/api/v3/projects/', { headers })).status, 401);
  isQuiet(visit);
});

test('the theme changes at once, stays after a reload, and can be taken back', async () => {
  await using visit = await openAccount('look/');
  const { page } = visit;
  await page.emulateMedia({ colorScheme: 'light' });
  await hasTheme(page, 'light');
  assert.ok((await look(page)).brightness > 200);
  await page.getByRole('button', { name: 'Dark' }).click();
  await said(page, 'Theme saved');
  await hasTheme(page, 'dark');
  await page.reload();
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  assert.ok((await look(page)).brightness < 60);

  await page.getByRole('button', { name: 'Light' }).click();
  await hasTheme(page, 'light');
  await page.getByRole('button', { name: 'Undo' }).click();

  await hasTheme(page, 'dark');
  await page.getByRole('button', { name: 'System' }).click();
  await hasTheme(page, 'light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await hasTheme(page, 'dark');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or run a command' }).fill('>light');
  await page.getByRole('option', { name: 'Light colours', selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await hasTheme(page, 'light');
  await page.reload();
  await page.getByRole('button', { name: 'Light', pressed: true }).waitFor();
  await hasTheme(page, 'light');
  isQuiet(visit);
});

test('the zone of the browser is offered, and times follow it', async () => {
  const person = await givenPerson(dashboard.app);
  await using visit = await dashboard.visitAs(person, { timezoneId: 'Asia/Tokyo' });
  const { page } = visit;
  await page.goto(`${PROFILE}look/`);
  await page.getByText('This browser is in Asia/Tokyo.').waitFor();

  await page.getByRole('button', { name: 'Use Asia/Tokyo' }).click();

  await page.getByText('This browser is in the same zone.').waitFor();
  await becomes(() => page.getByLabel('Time zone').inputValue(), 'Asia/Tokyo');
  await page.getByLabel('Language of dates').selectOption('de');
  await said(page, 'Language of dates saved');
  await openSection(visit, 'Reports');
  await page.getByRole('button', { name: 'Weekly' }).click();
  await page.getByText(/The next one: Mo/).waitFor();
  await page.getByRole('button', { name: 'Off' }).first().click();
  await page.getByText('None comes.').waitFor();
  isQuiet(visit);
});

test('the log shows what was done, and a copy of all data can be saved', async () => {
  await using visit = await openAccount('log/');
  const { page } = visit;
  await page.getByText('Signed in as').first().waitFor();
  await openSection(visit, 'Data and closing');
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download your data' }).click();

  assert.equal((await saving).suggestedFilename(), 'tocsin-account.json');
  isQuiet(visit);
});

test('an account closes when its address is typed', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await openAccount('close/', team);
  const { page } = visit;
  await page.getByText('You own 1 project with 0 checks').waitFor();
  await page.getByRole('button', { name: 'Close account…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(team.project.name).waitFor();
  const submit = dialog.getByRole('button', { name: 'Close account' });
  assert.ok(await submit.isDisabled());
  await dialog.getByLabel(`Type ${team.account.email}`).fill(team.account.email);
  await submit.click();

  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.equal(await dashboard.app.deps.store.accounts.byEmail(team.account.email), null);
  isQuiet(visit);
});

test('on a phone the sections of the account are tabs', async () => {
  const person = await givenPerson(dashboard.app);
  await using visit = await dashboard.visitAs(person, { viewport: SCREENS.phone });
  const { page } = visit;
  await page.goto(PROFILE);
  const section = (name: string) => page.getByRole('link', { name, exact: true });
  assert.equal(await section('Sign-in and security').getAttribute('aria-current'), 'page');

  await section('Time and look').click();

  await page.getByRole('button', { name: '24 h' }).waitFor();
  isQuiet(visit);
});
