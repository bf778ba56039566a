import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SITE } from '../app.ts';
import { givenMember, givenTeam, type Person } from '../dashboard/team.ts';
import { LAUNCH_TIMEOUT } from './chromium.ts';
import { type Dashboard, isAccessible, isQuiet, startDashboard } from './dashboard.ts';

let dashboard: Dashboard;
/** What the providers answer. */
let answer = { status: 200, text: 'thanks' };

before(async () => {
  dashboard = await startDashboard('sqlite', {
    transports: {
      http: async () => ({ status: answer.status, headers: {}, body: Buffer.from(answer.text) }),
      mail: { send: async () => null, [Symbol.asyncDispose]: async () => undefined },
    },
  });
}, LAUNCH_TIMEOUT);

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
  const { status, json, text } = await browser.post(`${path}/channels`, body);
  assert.equal(status, 201, text);
  return json.id;
}

test('without integrations nobody is told, the navigation warns, and a webhook is added from the catalogue', async () => {
  const team = await givenTeam(dashboard.app);
  await dashboard.app.givenCheck(team.project, { name: 'nightly' });
  await using visit = await openIntegrations(team, team);
  const { page } = visit;
  await page.getByText('Nobody will be told about anything.').waitFor();
  const warning = page.getByRole('navigation').getByRole('img', { name: 'There is no integration' });
  await warning.waitFor();
  await page.getByRole('searchbox', { name: 'Find a kind' }).fill('http');
  assert.equal(await page.getByRole('link', { name: /Slack/ }).count(), 0);

  await page.getByRole('link', { name: /Webhook/ }).click();
  await page.getByRole('heading', { name: 'Add Webhook' }).waitFor();
  await page.getByLabel('Name').fill('Jobs');
  await page.getByLabel('Address').fill('https://hooks.example.org/secret-path');
  await page.getByLabel('Body').fill('{"job": $NAME_JSON}');
  await page.getByText(/^\{"job": "/m).waitFor();
  await page.getByRole('switch', { name: 'A check is up again' }).click();
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
  await row.getByText('Delivering').waitFor();
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
