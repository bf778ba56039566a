import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { drain, FakeSender, newNotifier } from '../alerts.ts';
import { SITE } from '../app.ts';
import { givenMember, givenTeam, type Person } from '../dashboard/team.ts';
import { becomes, until } from '../waiting.ts';
import { type Dashboard, isAccessible, isQuiet, startDashboard } from './dashboard.ts';

let dashboard: Dashboard;
/** The answer of the providers. */
let answer = { status: 200, text: 'thanks' };
/** The last request to them. */
let asked = '';

before(async () => {
  dashboard = await startDashboard('sqlite', {
    transports: {
      http: async ({ body }) => {
        asked = String(body);
        return { status: answer.status, headers: {}, body: Buffer.from(answer.text) };
      },
      mail: { send: async () => null, [Symbol.asyncDispose]: async () => undefined },
    },
  });
});

after(() => dashboard[Symbol.asyncDispose]());

type Team = Awaited<ReturnType<typeof givenTeam>>;

const WEBHOOK = {
  kind: 'webhook',
  name: 'Jobs',
  settings: {
    down: {
      method: 'POST',
      url: 'https://hooks.example.org/secret-path',
      headers: { Authorization: 'Bearer very-secret' },
      body: '$NAME',
    },
  },
};

async function openIntegrations(person: Pick<Person, 'browser'>, { path }: Team, rest = '') {
  const visit = await dashboard.visitAs(person);
  await visit.page.goto(`${SITE.root}${path}/integrations/${rest}`);
  return visit;
}

async function givenWebhook({ browser, path }: Team, body: object = WEBHOOK): Promise<string> {
  const { status, json, text } = await browser.post(`${path}/do/createChannel`, body);
  assert.equal(status, 200, text);
  return json.id;
}

test('the catalogue shows the kinds of a group by name', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await openIntegrations(team, team);
  const { page } = visit;
  const list = page.getByRole('list').filter({ has: page.getByText('PagerTree', { exact: true }) });
  await list.waitFor();

  const names = await list.locator('b').allTextContents();

  assert.ok(names.includes('PagerDuty') && names.includes('Jira Service Management'), names.join());
  assert.deepEqual(names, names.toSorted());
});

test('without integrations nobody is told, the navigation warns, and a webhook is added from the catalogue', async () => {
  const team = await givenTeam(dashboard.app);
  await dashboard.app.givenCheck(team.project, { name: 'nightly' });
  await using visit = await openIntegrations(team, team);
  const { page } = visit;
  await page.getByText('Nobody will be told about anything.').waitFor();
  const warning = page.getByRole('navigation').getByRole('img', { name: 'There is no integration' });
  await warning.waitFor();
  const first = page.getByRole('region', { name: 'Add one' }).locator('b').first();
  assert.equal(await first.textContent(), 'Email');
  await page.getByRole('searchbox', { name: 'Find a kind' }).fill('http');
  await page.getByRole('link', { name: /Slack/ }).waitFor({ state: 'detached' });

  await page.getByRole('link', { name: /Webhook/ }).click();
  await page.getByRole('heading', { name: 'Add Webhook' }).waitFor();
  await page.getByLabel('Name').fill('Jobs');
  await page.getByLabel('Address').fill('https://hooks.example.org/secret-path');
  await page.getByLabel('Body').fill('{"job": $NAME_JSON}');
  await page.getByText(/^\{"job": "nightly"\}/m).waitFor();
  await page.getByText('About “nightly”, a check of this project.').waitFor();
  const switches = page.getByRole('group', { name: 'Tells on' }).getByRole('switch', { checked: true });
  for (let left = await switches.count(); left > 0; left--) await switches.first().click();
  await page.getByRole('button', { name: 'Save integration' }).click();
  await page.getByText('Please select at least one.').waitFor();
  for (const cause of ['no ping came', 'its job reported'])
    await page.getByRole('switch', { name: new RegExp(cause) }).click();
  answer = { status: 403, text: 'no entry' };
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('403 Forbidden: no entry').waitFor();
  answer = { status: 200, text: 'thanks' };
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText('200 OK: thanks').waitFor();
  await page.getByText('Tested and working').waitFor();
  await isAccessible(visit);
  await page.getByRole('button', { name: 'Save integration' }).click();

  const row = page.getByRole('row', { name: /Jobs/ });
  await row.getByText('Waiting').waitFor();
  await row.getByText('POST hooks.example.org').waitFor();
  await row.getByText('1 of 1').waitFor();
  await warning.waitFor({ state: 'detached' });
  isQuiet(visit);
});

test('a test from the list shows what the provider answered', async () => {
  const team = await givenTeam(dashboard.app);
  await givenWebhook(team);
  await using visit = await openIntegrations(team, team);
  const { page } = visit;

  answer = { status: 500, text: 'out of order' };
  await page.getByRole('button', { name: 'Test Jobs' }).click();

  await page.getByText('The test message did not arrive.').waitFor();
  await page.getByText('500 Internal Server Error: out of order').waitFor();
  await isAccessible(visit);
  isQuiet(visit);
});

test('whoever only reads sees masked targets, and neither a test nor a catalogue', async () => {
  const team = await givenTeam(dashboard.app);
  await givenWebhook(team);
  const reader = await givenMember(dashboard.app, team.project, 'read_only');
  await using visit = await openIntegrations(reader, team);
  const { page } = visit;

  await page.getByRole('row', { name: /Jobs/ }).waitFor();

  assert.equal(await page.getByText('hooks.example.org').count(), 0);
  assert.equal(await page.getByRole('button', { name: /Test/ }).count(), 0);
  assert.equal(await page.getByRole('link', { name: 'Add integration' }).count(), 0);
  assert.equal(await page.getByRole('heading', { name: 'Add one' }).count(), 0);
  isQuiet(visit);
});

/** An integration that does not take the alert of the check `nightly`. */
async function givenRefusal(team: Team): Promise<void> {
  const { app } = dashboard;
  const id = await givenWebhook(team);
  const check = await app.givenCheck(team.project, {
    name: 'nightly',
    status: 'up',
    lastPingAt: app.clock.now(),
  });
  const channel = (await app.deps.store.channels.byUuid(id)) ?? assert.fail();
  await app.assign(check, channel);
  const sender = new FakeSender();
  sender.answer = () => ({ kind: 'refused', error: 'Received status code 403' });
  await app.receive(check, 'fail');
  await drain({ app, notifier: newNotifier(app, sender) });
}

test('in the list a short error stands on one line, however long other names are', async () => {
  const team = await givenTeam(dashboard.app);
  await givenRefusal(team);
  await givenWebhook(team, { ...WEBHOOK, name: 'long-name-'.repeat(10) });
  await using visit = await openIntegrations(team, team);

  const error = visit.page.getByRole('row', { name: /Jobs/ }).getByText('Received status code 403');
  await error.waitFor();

  const lines = await error.evaluate((element) => {
    const range = element.ownerDocument.createRange();
    range.selectNodeContents(element);
    return range.getClientRects().length;
  });
  assert.equal(lines, 1);
  isQuiet(visit);
});

test('without a check, the message of a set-up says that it is a sample', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await openIntegrations(team, team, 'new/webhook/');
  await visit.page.getByLabel('Address').fill('https://hooks.example.org/');

  await visit.page.getByText('A sample: this project has no check yet.').waitFor();
  isQuiet(visit);
});

test('the bar with the buttons of a set-up is as wide as the page', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await openIntegrations(team, team, 'new/webhook/');
  const save = visit.page.getByRole('button', { name: 'Save integration' });
  await save.waitFor();

  const [bar, main] = await Promise.all(
    [save.locator('..'), visit.page.getByRole('main')].map((part) =>
      part.evaluate((element) => ({ outer: element.offsetWidth, inner: element.clientWidth })),
    ),
  );

  assert.equal(bar?.outer, main?.inner);
  isQuiet(visit);
});

test('a delivery that was given up is tried again from the sheet of its integration', async () => {
  const team = await givenTeam(dashboard.app);
  await givenRefusal(team);
  await using visit = await openIntegrations(team, team);
  const { page } = visit;
  await page.getByText('One integration is failing.').waitFor();
  await page.getByRole('navigation').getByRole('img', { name: '1 integration failing' }).waitFor();

  await page.getByRole('link', { name: 'Jobs' }).click();
  const sheet = page.getByRole('dialog', { name: 'Jobs' });
  await sheet.getByText(/Given up · Received status code 403/).waitFor();
  await isAccessible(visit);
  await sheet.getByRole('button', { name: 'Retry nightly' }).click();

  await sheet.getByText(/^Waiting/).waitFor();
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  await page.waitForURL(`${SITE.root}${team.path}/integrations/`);
  isQuiet(visit);
});

test('an edit keeps the secrets that nobody replaces', async () => {
  const { app } = dashboard;
  const team = await givenTeam(app);
  const id = await givenWebhook(team);
  await using visit = await openIntegrations(team, team, `${id}/`);
  const { page } = visit;
  const sheet = page.getByRole('dialog', { name: 'Jobs' });

  await sheet.getByRole('tab', { name: 'Settings' }).click();
  const address = sheet.getByLabel('Address');
  await becomes(() => address.inputValue(), 'https://hooks.example.org/••••••••');
  assert.equal(await address.isEditable(), false);
  await sheet.getByLabel('Name').fill('Night jobs');
  await sheet.getByLabel('Body').fill('changed');
  await sheet.getByRole('button', { name: 'Save integration' }).click();

  await page.getByRole('dialog', { name: 'Night jobs' }).waitFor();
  const stored = await app.deps.store.channels.byUuid(id);
  const { down } = JSON.parse(app.deps.vault.unseal(stored?.settings.sealed ?? '') ?? '');
  assert.deepEqual(down, { ...WEBHOOK.settings.down, body: 'changed' });
  isQuiet(visit);
});

test('checks are assigned one by one, all, or none', async () => {
  const team = await givenTeam(dashboard.app);
  for (const name of ['nightly', 'hourly', 'weekly']) await dashboard.app.givenCheck(team.project, { name });
  const id = await givenWebhook(team);
  await using visit = await openIntegrations(team, team, `${id}/`);
  const { page } = visit;
  await page.getByRole('tab', { name: 'Checks' }).click();
  const row = page.getByRole('row', { name: /Jobs/, includeHidden: true });

  await page.getByRole('tabpanel').getByText('0 of 3 checks').waitFor();
  await page.getByRole('button', { name: 'Select all' }).click();
  await page.getByRole('tabpanel').getByText('3 of 3 checks').waitFor();
  await page.getByRole('checkbox', { name: 'weekly' }).uncheck();
  await page.getByRole('button', { name: 'Save checks' }).click();
  await row.getByText('2 of 3').waitFor();
  await page.getByRole('button', { name: 'Select none' }).click();
  await page.getByRole('tabpanel').getByText('0 of 3 checks').waitFor();
  await page.getByRole('button', { name: 'Save checks' }).click();
  await row.getByText('0 of 3').waitFor();
  isQuiet(visit);
});

test('an integration is switched off, keeps so under a new name, is switched on, and deleted after a question', async () => {
  const team = await givenTeam(dashboard.app);
  const id = await givenWebhook(team);
  await using visit = await openIntegrations(team, team, `${id}/`);
  const { page } = visit;
  const sheet = page.getByRole('dialog', { name: 'Jobs', exact: true });

  await sheet.getByRole('button', { name: 'Disable' }).click();
  await sheet.getByText('Disabled', { exact: true }).waitFor();
  await sheet.getByRole('tab', { name: 'Settings' }).click();
  await sheet.getByLabel('Name').fill('Jobs');
  await sheet.getByRole('button', { name: 'Save integration' }).click();
  await page.getByText('Integration saved').waitFor();
  await sheet.getByText('Disabled', { exact: true }).waitFor();
  await sheet.getByRole('button', { name: 'Enable' }).click();
  await sheet.getByText('Waiting', { exact: true }).waitFor();
  await sheet.getByRole('button', { name: 'Delete' }).click();
  const question = page.getByRole('dialog', { name: 'Delete Jobs?' });
  await question.getByText('Its settings and its deliveries are lost.').waitFor();
  await question.getByRole('button', { name: 'Delete' }).click();

  await page.getByText('Nobody will be told about anything.').waitFor();
  isQuiet(visit);
});

test('the owner of an address is asked for a confirmation again', async () => {
  const team = await givenTeam(dashboard.app);
  const id = await givenWebhook(team, { kind: 'email', settings: { email: 'carol@example.org' } });
  await using visit = await openIntegrations(team, team, `${id}/`);
  const { page } = visit;

  await page.getByRole('button', { name: 'Send another mail' }).click();

  await page.getByText('A mail with a new link is on its way').waitFor();
  isQuiet(visit);
});

test('a phone number is confirmed with the code that it got, before anything else is sent there', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await openIntegrations(team, team, 'new/sms/');
  const { page } = visit;
  answer = { status: 201, text: '{}' };
  const codeIn = (form: string) => new URLSearchParams(form).get('Body')?.slice(0, 6) ?? assert.fail();
  await page.getByText('Saving sends a code.').waitFor();
  await page.getByLabel('Phone number').fill('+1 555 010 0199');
  await page.getByRole('button', { name: 'Save integration' }).click();
  await page.getByText('SMS added. Enter the code that was sent.').waitFor();
  const sheet = page.getByRole('dialog', { name: 'SMS', exact: true });
  await sheet.getByText('A code was sent to +15550100199.').waitFor();
  await isAccessible(visit);

  await sheet.getByLabel('Code').fill('no code');
  await sheet.getByRole('button', { name: 'Confirm' }).click();
  await sheet.getByText('code is wrong, or has expired').waitFor();
  await sheet.getByRole('button', { name: 'Send another code' }).click();
  await page.getByText('Another code is on its way').waitFor();
  assert.match(codeIn(asked), /^\d{6}$/);
  await sheet.getByLabel('Code').fill(codeIn(asked));
  await sheet.getByRole('button', { name: 'Confirm' }).click();

  await page.getByText('SMS is confirmed').waitFor();
  await sheet.getByText('Delivering', { exact: true }).waitFor();
  await sheet.getByText('Not confirmed yet').waitFor({ state: 'hidden' });
  const others = visit.complaints.filter((one) => !one.includes('400 (Bad Request)'));
  assert.deepEqual(others, []);
});

/** The subscription of a push service, which tests cannot reach. Its first answer is an error. */
const SUBSCRIPTION = {
  endpoint: 'https://push.example.org/send/secret-address',
  keys: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
};

test('a browser becomes an integration once it allows notifications, with a worker that shows them', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await dashboard.visitAs(team);
  const { page } = visit;
  await page.addInitScript(`PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    if (window.subscribedTo === undefined) {
      window.subscribedTo = null;
      throw new DOMException('Registration failed - push service error', 'AbortError');
    }
    window.subscribedTo = applicationServerKey;
    return { toJSON: () => (${JSON.stringify(SUBSCRIPTION)}) };
  };`);
  await page.goto(`${SITE.root}${team.path}/integrations/`);
  await page.getByRole('link', { name: /^Browser notification/ }).click();
  await page.getByText('This browser has not been asked yet.').waitFor();
  const allow = page.getByRole('button', { name: 'Allow in this browser' });
  // Without a person who could be asked, the browser refuses.
  await allow.click();
  await page.getByText('The browser does not allow notifications.').waitFor();

  await page.context().grantPermissions(['notifications'], { origin: SITE.root });
  await allow.click();
  await page.getByText('could not subscribe: Registration failed - push service error.').waitFor();
  await allow.click();
  await page.getByText('This browser shows notifications. Save the integration.').waitFor();
  assert.match(await page.getByRole('textbox', { name: 'Name' }).inputValue(), /^Linux · /);
  await isAccessible(visit);
  await page.getByRole('button', { name: 'Save integration' }).click();
  await page.getByRole('row', { name: /push\.example\.org/ }).waitFor();

  const { json } = await team.browser.get(`${team.path}/read/channelKinds`);
  assert.equal(await page.evaluate('window.subscribedTo'), json.pushKey);
  const worker = await page.evaluate('navigator.serviceWorker.ready.then(({ active }) => active.scriptURL)');
  assert.equal(worker, `${SITE.root}/push-worker.js`);
  assert.deepEqual(await shownAfterPushes(page), [
    { title: 'Backup is UP', body: 'The downtime lasted 1 hour.', tag: 'a-check' },
  ]);
  isQuiet(visit);
});

/** So many looks after a message was handed over, it is handed over again. */
const LOOKS = 100;

/** The notifications after the push service has handed two messages about one check to the worker. */
async function shownAfterPushes(page: Page): Promise<unknown> {
  const devtools = await page.context().newCDPSession(page);
  const { promise: registered, resolve } = Promise.withResolvers<string>();
  devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const [{ registrationId } = { registrationId: '' }] = registrations;
    if (registrationId !== '') resolve(registrationId);
  });
  await devtools.send('ServiceWorker.enable');
  const registrationId = await registered;
  const url = `${SITE.root}/`;
  const shown = () =>
    page.evaluate<{ title: string }[]>(
      `navigator.serviceWorker.ready.then(async (worker) =>
        (await worker.getNotifications()).map(({ title, body, tag }) => ({ title, body, tag })))`,
    );
  for (const message of [
    { title: 'Backup is DOWN', body: 'No ping for 25 h.', url, tag: 'a-check', down: 3 },
    { title: 'Backup is UP', body: 'The downtime lasted 1 hour.', url, tag: 'a-check' },
  ]) {
    const data = JSON.stringify(message);
    // A push service, too, hands a message over again until the browser has taken it.
    let looks = 0;
    await until(`${message.title} is shown`, async () => {
      if (looks++ % LOOKS === 0)
        await devtools.send('ServiceWorker.deliverPushMessage', { origin: SITE.root, registrationId, data });
      return (await shown()).some((one) => one.title === message.title);
    });
  }
  return shown();
}
