import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { freePort } from '../free-port.ts';
import { type MailSink, startMailSink } from '../mail-sink.ts';
import { listening, startCli, temporaryFolder } from '../process.ts';
import { until } from '../waiting.ts';
import { launchBrowser } from './chromium.ts';
import { isAccessible, isQuiet } from './dashboard.ts';
import { barriers, look, type Visit, visit } from './visit.ts';

const PASSWORD = 'correct horse battery';
const ALICE = 'alice@example.org';

const parts = new AsyncDisposableStack();
let browser: Browser;
let root: string;
let mails: MailSink;
let setupLink: string;

before(async () => {
  const { path } = parts.use(await temporaryFolder());
  const port = await freePort();
  root = `http://127.0.0.1:${port}`;
  mails = parts.use(await startMailSink());
  const env = {
    PORT: String(port),
    SITE_ROOT: root,
    REGISTRATION_OPEN: 'True',
    EMAIL_HOST: '127.0.0.1',
    EMAIL_PORT: String(mails.port),
    EMAIL_USE_TLS: 'False',
    INTEGRATIONS_ALLOW_PRIVATE_IPS: 'True',
  };
  const service = parts.use(startCli(['serve'], { cwd: path, env }));
  await listening(service);
  [, setupLink = ''] = await service.output(/(http\S+\/accounts\/setup\/#\S+)/);
  browser = parts.use(await launchBrowser());
  await setUp();
});

after(() => parts.disposeAsync());

/** The first account, as the person makes it who started the service. */
async function setUp(): Promise<void> {
  await using first = await visit(browser, root);
  const { page } = first;
  await page.goto(root);
  await page.getByText('Nobody administers this service yet.').waitFor();
  await page.getByText('tocsin account create EMAIL --admin').waitFor();
  await page.goto(setupLink);
  await page.getByLabel('Name').fill('Alice');
  await page.getByLabel('E-mail').fill(ALICE);
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Make the account' }).click();
  await isIn(page);
  isQuiet(first);
}

/** The page is one for people who are signed in. */
async function isIn(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}

/** A person with one project begins with its checks. */
async function seesOnlyProject(page: Page): Promise<void> {
  await page.waitForURL(/\/projects\/[\w-]+\/checks\/$/);
  await isIn(page);
}

/** The projects of the person who is signed in, each with the role in it. */
async function projectsOf(page: Page): Promise<string[]> {
  const projects = await page.evaluate<{ name: string; role: string }[]>(
    "fetch('/dashboard/api/read/ownProjects').then((r) => r.json()).then((all) => all.projects)",
  );
  return projects.map(({ name, role }) => `${name}: ${role}`).toSorted();
}

async function signIn(page: Page, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail').fill(ALICE);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** The mail to the address after it was asked for. Other mails may come meanwhile. */
async function mailed(email: string, pattern: RegExp, ask: () => Promise<void>): Promise<string> {
  const found = () =>
    mails.mails
      .filter(({ to }) => to.includes(email))
      .flatMap((mail) => pattern.exec(readable(mail))?.[1] ?? []);
  const before = found().length;
  await ask();
  await until(`${email} got ${pattern}`, () => found().length > before);
  return found().at(-1) ?? assert.fail();
}

const mailedLink = (email: string, path: string, ask: () => Promise<void>): Promise<string> =>
  mailed(email, new RegExp(`(${root}${path}#[\\w.-]+)`), ask);

async function mailMeALink(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Mail me a link' }).click();
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
}

/** Undoes what mail does with long lines. */
function readable({ text }: { readonly text: string }): string {
  return text.replaceAll('=\n', '').replaceAll('=3D', '=');
}

test('the link of the first start works once', async () => {
  await using visitor = await visit(browser, root);
  const { page } = visitor;
  await page.goto(setupLink);
  await page.getByLabel('E-mail').fill('mallory@example.org');
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Make the account' }).click();

  await page.getByText('The link is incorrect or has expired.').waitFor();
  isQuiet(visitor);
});

test('somebody who is not signed in is asked to, and then sees what they came for', async () => {
  await using visitor = await visit(browser, root);
  const { page } = visitor;
  await page.goto(`${root}/`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();

  await signIn(page, 'a wrong password');
  await page.getByText('Incorrect email or password.').waitFor();
  assert.equal(await page.getByLabel('E-mail').inputValue(), ALICE);
  await signIn(page);

  await seesOnlyProject(page);
  isQuiet(visitor);
});

test('a sign-in leads to no other site', async () => {
  await using visitor = await visit(browser, root);
  const { page } = visitor;
  await page.goto(`${root}/accounts/login/?next=${encodeURIComponent('/\t/evil.example/')}`);
  await signIn(page);
  await seesOnlyProject(page);
  assert.equal(new URL(page.url()).origin, root);
  isQuiet(visitor);
});

test('after signing out nothing is to be seen any more, not even by going back', async () => {
  await using visitor = await visit(browser, root);
  const { page } = visitor;
  await page.goto(`${root}/accounts/login/`);
  await signIn(page);
  await page.getByRole('button', { name: ALICE }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();

  await page.goBack();

  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.equal(await page.getByText(ALICE).count(), 0);
  isQuiet(visitor);
});

test('a mailed link signs in when the person says so, once', async () => {
  await using visitor = await visit(browser, root);
  const { page } = visitor;
  await page.goto(`${root}/accounts/login/`);
  await page.getByRole('button', { name: 'Mail me a link' }).click();
  await page.getByText('Enter your e-mail address first.').waitFor();
  await page.getByLabel('E-mail').fill(ALICE);
  const link = await mailedLink(ALICE, '/accounts/sign-in/', () => mailMeALink(page));

  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await isIn(page);
  isQuiet(visitor);

  await using second = await visit(browser, root);
  await second.page.goto(link);
  await second.page.getByRole('button', { name: 'Sign in' }).click();
  await second.page.getByText('The link is incorrect or has expired.').waitFor();
});

test('a mailed link leads to the page that the person wanted, also after an expired one', async () => {
  await using visitor = await visit(browser, root);
  const { page } = visitor;
  const wanted = `${root}/accounts/profile/reports/`;
  await page.goto(wanted);
  await page.getByLabel('E-mail').fill(ALICE);
  const link = await mailedLink(ALICE, '/accounts/sign-in/', () => mailMeALink(page));

  await using elsewhere = await visit(browser, root);
  await elsewhere.page.goto(link.replace(/#.{43}/, `#${'x'.repeat(43)}`));
  await elsewhere.page.getByRole('button', { name: 'Sign in' }).click();
  await elsewhere.page.getByRole('link', { name: 'Back to sign in' }).click();
  await elsewhere.page.getByLabel('Password').waitFor();
  await elsewhere.page.goto(link);
  await elsewhere.page.getByRole('button', { name: 'Sign in' }).click();
  await elsewhere.page.waitForURL(wanted);
  await isIn(elsewhere.page);

  await page.getByRole('link', { name: 'Back to sign in' }).click();
  await page.getByRole('link', { name: 'Forgot it?' }).click();
  await page.getByRole('heading', { name: 'Forgot your password' }).waitFor();
  await page.getByLabel('E-mail').fill(ALICE);
  await page.goto(await mailedLink(ALICE, '/accounts/password/', () => mailMeALink(page)));
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Save and sign in' }).click();

  await page.waitForURL(wanted);
  await isIn(page);
});

test('a link leads to no other site, whatever it says', async () => {
  await using visitor = await visit(browser, root);
  const { page } = visitor;
  await page.goto(`${root}/accounts/login/`);
  await page.getByLabel('E-mail').fill(ALICE);
  const link = await mailedLink(ALICE, '/accounts/sign-in/', () => mailMeALink(page));

  await page.goto(`${link}.${Buffer.from('//evil.example/').toString('base64url')}`);
  await page.getByRole('button', { name: 'Sign in' }).click();

  await seesOnlyProject(page);
  isQuiet(visitor);
});

test('after many wrong passwords of others the page says so, and offers what is left', async () => {
  const email = 'dora@example.org';
  await using owner = await visit(browser, root);
  await owner.page.goto(`${root}/accounts/sign-up/`);
  await owner.page.getByLabel('E-mail').fill(email);
  await owner.page.goto(await mailedLink(email, '/accounts/sign-up/', () => mailMeALink(owner.page)));
  await owner.page.getByRole('button', { name: 'Make the account' }).click();
  await isIn(owner.page);

  await using visitor = await visit(browser, root);
  const { page } = visitor;
  await page.route('**/dashboard/api/read/entrance', async (route) => {
    const reply = await route.fetch();
    await route.fulfill({ json: { ...(await reply.json()), hasPasskeys: true } });
  });
  await page.goto(`${root}/accounts/login/`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill('a wrong password');
  await page.evaluate<void>(`(async () => {
    const body = JSON.stringify({ email: '${email}', password: 'a wrong password' });
    for (let n = 0; n < 20; n++) await fetch('/dashboard/api/do/signInWithPassword', { method: 'POST', body });
  })()`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();

  await page.getByRole('heading', { name: 'Sign in another way' }).waitFor();
  await page.getByRole('alert').getByText('Too many wrong passwords were tried').waitFor();
  await page.getByRole('button', { name: 'Continue with a passkey' }).waitFor();
  assert.equal(await page.getByRole('textbox').count(), 0);
  await isAccessible(visitor);
  const link = await mailedLink(email, '/accounts/sign-in/', async () => {
    await page.getByRole('button', { name: `Mail a link to ${email}` }).click();
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  });
  await page.getByRole('link', { name: 'Back to sign in' }).click();
  await page.getByLabel('Password').waitFor();
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();

  await isIn(page);
});

test('a new person signs up by mail and lands in a project of their own', async () => {
  await using visitor = await visit(browser, root, { timezoneId: 'Europe/Riga' });
  const { page } = visitor;
  await page.goto(`${root}/accounts/login/`);
  await page.getByRole('link', { name: 'Sign up' }).click();
  // The page that is left has the same field and the same button. So has the next one.
  await page.getByRole('heading', { name: 'Sign up' }).waitFor();
  await page.getByLabel('E-mail').fill('no address');
  await page.getByRole('button', { name: 'Mail me a link' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('E-mail').fill('bob@example.org');

  await page.goto(await mailedLink('bob@example.org', '/accounts/sign-up/', () => mailMeALink(page)));
  await page.getByLabel('New password').fill('password');
  await page.getByRole('button', { name: 'Make the account' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Make the account' }).click();

  await seesOnlyProject(page);
  assert.deepEqual(await projectsOf(page), ['My project: owner']);
  const account = await page.evaluate<{ tz: string }>(
    "fetch('/dashboard/api/read/account').then((r) => r.json())",
  );
  assert.equal(account.tz, 'Europe/Riga');
  isQuiet(visitor);
});

test('a forgotten password is replaced by a mailed link', async () => {
  await using visitor = await visit(browser, root);
  const { page } = visitor;
  await page.goto(`${root}/accounts/login/`);
  await page.getByRole('link', { name: 'Forgot it?' }).click();
  await page.getByRole('heading', { name: 'Forgot your password' }).waitFor();
  await page.getByLabel('E-mail').fill(ALICE);

  await page.goto(await mailedLink(ALICE, '/accounts/password/', () => mailMeALink(page)));
  await page.getByLabel('New password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Save and sign in' }).click();

  await isIn(page);
  isQuiet(visitor);
});

test('the code of the mail signs in where it was asked for', async () => {
  await using visitor = await visit(browser, root);
  const { page } = visitor;
  await page.goto(`${root}/accounts/login/`);
  await page.getByLabel('E-mail').fill(ALICE);
  const code = await mailed(ALICE, /page of Tocsin: ([a-z0-9]+-[a-z0-9]+)/, () => mailMeALink(page));

  await page.getByLabel('Code of the mail').fill('aaaa-aaaa');
  await page.getByRole('button', { name: 'Sign in with the code' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Code of the mail').fill(code);
  await page.getByRole('button', { name: 'Sign in with the code' }).click();

  await isIn(page);
  isQuiet(visitor);
});

test('an invitation by mail makes an account that is in the team', async () => {
  await using owner = await visit(browser, root);
  await owner.page.goto(`${root}/accounts/login/`);
  await signIn(owner.page);
  await isIn(owner.page);
  const invite = () =>
    owner.page.evaluate<void>(`(async () => {
      const { projects } = await (await fetch('/dashboard/api/read/ownProjects')).json();
      const path = '/dashboard/api/projects/' + projects[0].uuid;
      await fetch(path + '/do/invite', {
        method: 'POST',
        body: JSON.stringify({ email: 'carol@example.org', role: 'read_only' }),
      });
    })()`);

  await using visitor = await visit(browser, root);
  const { page } = visitor;
  await page.goto(await mailedLink('carol@example.org', '/accounts/invitation/', invite));
  await page.getByText(`${ALICE} invites you to the project My project, as read-only.`).waitFor();
  assert.deepEqual(await barriers(page), []);
  await page.getByRole('button', { name: 'Make an account and join' }).click();

  await isIn(page);
  assert.deepEqual(await projectsOf(page), ['My project: read_only']);
  isQuiet(visitor);
  isQuiet(owner);
});

test('the secret of an invitation reaches no server while somebody signs in first', async () => {
  await using owner = await visit(browser, root);
  await owner.page.goto(`${root}/accounts/login/`);
  await signIn(owner.page);
  await isIn(owner.page);
  const link = await owner.page.evaluate<string>(`(async () => {
    const { projects } = await (await fetch('/dashboard/api/read/ownProjects')).json();
    const path = '/dashboard/api/projects/' + projects[0].uuid;
    const made = await fetch(path + '/do/invite', { method: 'POST', body: JSON.stringify({ role: 'member' }) });
    return (await made.json()).link;
  })()`);
  const secret = link.split('#')[1] ?? assert.fail();

  await using visitor = await visit(browser, root);
  const { page } = visitor;
  const seen: string[] = [];
  page.on('request', (request) =>
    seen.push(request.url().split('#')[0] ?? '', request.headers().referer ?? ''),
  );
  await page.goto(link);
  await page.getByRole('link', { name: 'Sign in to join' }).click();
  // Both pages have a field of this name.
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByLabel('E-mail').fill('bob@example.org');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Join as bob@example.org' }).click();

  await isIn(page);
  assert.deepEqual(await projectsOf(page), ['My project: member', 'My project: owner']);
  assert.ok(seen.length > 10);
  assert.deepEqual(
    seen.filter((address) => decodeURIComponent(address).includes(secret)),
    [],
  );
  isQuiet(visitor);
});

const PAGES = [
  '/accounts/login/',
  '/accounts/sign-up/',
  '/accounts/password/',
  '/accounts/setup/#token',
  '/accounts/sign-in/#token',
  '/accounts/email/#token',
  '/accounts/invitation/#token',
  '/accounts/sign-in/',
];

suite('everybody can use all pages for people who are not signed in, in both themes, on all screens', () => {
  let visitor: Visit;
  before(async () => {
    visitor = await visit(browser, root);
  });
  after(() => visitor[Symbol.asyncDispose]());

  for (const path of PAGES) {
    test(path, async () => {
      await visitor.page.goto(root + path);
      await visitor.page.getByRole('heading', { level: 1 }).waitFor();

      await isAccessible(visitor);

      isQuiet(visitor);
    });
  }
});

test('an address at which there is nothing has a page that says so, also to programs', async () => {
  await using visitor = await visit(browser, root);
  const reply = await visitor.page.goto(`${root}/accounts/nowhere/`);
  assert.equal(reply?.status(), 404);
  await visitor.page.getByRole('heading', { level: 1 }).waitFor();
  await isAccessible(visitor);
  assert.deepEqual(visitor.foreign, []);
});

test('the sign-in offers what the instance can do, and nothing else', async () => {
  await using visitor = await visit(browser, root);
  const { page } = visitor;
  const instanceWith = async (differences: object) => {
    await page.unroute('**/dashboard/api/read/entrance');
    await page.route('**/dashboard/api/read/entrance', async (route) => {
      const reply = await route.fetch();
      await route.fulfill({ json: { ...(await reply.json()), ...differences } });
    });
  };
  const buttons = (name: string) => page.getByRole('button', { name, exact: true }).count();
  const links = (name: string) => page.getByRole('link', { name }).count();

  await instanceWith({ signUp: { isOpen: false, domains: null }, hasMail: false });
  await page.goto(`${root}/accounts/login/`);
  await page.getByLabel('Password').waitFor();
  assert.deepEqual([await buttons('Sign in'), await buttons('Mail me a link')], [1, 0]);
  assert.deepEqual([await links('Sign up'), await links('Forgot it?')], [0, 0]);
  await page.goto(`${root}/accounts/sign-up/`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  assert.equal(await page.getByRole('textbox').count(), 0);

  const byProxy = { isLocal: false, provider: null, isByProxy: true };
  await instanceWith({ signIn: byProxy, signUp: { isOpen: false, domains: null }, hasPasskeys: false });
  await page.goto(`${root}/accounts/login/`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  assert.equal(await page.getByRole('textbox').count(), 0);
  isQuiet(visitor);
});

test('the page follows the theme of the system while it is open', async () => {
  await using visitor = await visit(browser, root, { colorScheme: 'light' });
  const { page } = visitor;
  await page.goto(`${root}/accounts/login/`);
  await page.getByRole('heading', { level: 1 }).waitFor();

  await page.emulateMedia({ colorScheme: 'dark' });

  await until('the page is dark', async () => (await look(page)).brightness < 128);
});

test('the whole sign-in can be done with the keyboard', async () => {
  await using visitor = await visit(browser, root);
  const { page } = visitor;
  await page.goto(`${root}/accounts/login/`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const isAtAddress = () => page.evaluate<boolean>("document.activeElement?.type === 'email'");
  for (let n = 0; n < 10 && !(await isAtAddress()); n++) await page.keyboard.press('Tab');
  assert.ok(await isAtAddress());
  await page.keyboard.type(ALICE);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');

  await isIn(page);
});
