import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { aReply, SERVER } from '../../src/integrations/kind/alert-event.test-support.ts';
import type { OutboundRequest } from '../../src/integrations/registry.ts';
import { SITE } from '../app.ts';
import { givenTeam } from '../dashboard/team.ts';
import { linkIn, tellBot } from '../dashboard/telegram.ts';
import { type Dashboard, isAccessible, isQuiet, startDashboard } from './dashboard.ts';
import { lookTest, test } from './tests.ts';
import type { Visit } from './visit.ts';

/** A provider at whose page people consent. */
interface Provider {
  readonly label: string;
  /** The host of its page. */
  readonly host: string;
  /** The target of its page after consent. */
  accepted(asked: URL): string;
  /** The target after a refusal, if it differs from the provider before. */
  refused?(asked: URL): string;
  /** Its answers to the service, by host and path. */
  readonly answers?: Readonly<Record<string, unknown>>;
  /** The list afterwards. */
  readonly added: readonly string[];
}

const CODE = 'a-code';

/** https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2 */
function wayBack({ searchParams }: URL, answer: Record<string, string>): string {
  const given = new URLSearchParams({ ...answer, state: searchParams.get('state') ?? '' });
  return `${searchParams.get('redirect_uri')}?${given}`;
}

const withCode = (asked: URL) => wayBack(asked, { code: CODE });

const parameter = (asked: URL, name: string) => asked.searchParams.get(name) ?? assert.fail(asked.href);

/** The page of an app of GitHub: the first visit asks for consent, the second installs the app. */
const isInstallation = ({ pathname }: URL) => pathname.endsWith('/installations/new');

let isInstalled = false;

const PROVIDERS: readonly Provider[] = [
  {
    label: 'Slack',
    host: 'slack.com',
    accepted: withCode,
    refused: (asked) => wayBack(asked, { error: 'access_denied' }),
    answers: {
      'slack.com/api/oauth.v2.access': {
        ok: true,
        incoming_webhook: { channel: '#alerts', url: 'https://hooks.slack.com/services/x' },
      },
    },
    added: ['#alerts'],
  },
  {
    label: 'Discord',
    host: 'discord.com',
    accepted: withCode,
    answers: {
      'discord.com/api/oauth2/token': {
        access_token: 'a-token',
        webhook: { name: 'Pager of the team', url: 'https://discord.com/api/webhooks/1/a-token' },
      },
    },
    added: ['Pager of the team'],
  },
  {
    label: 'Pushbullet',
    host: 'www.pushbullet.com',
    accepted: withCode,
    // https://docs.pushbullet.com/#oauth2: a refusal comes without the state.
    refused: (asked) => `${parameter(asked, 'redirect_uri')}?error=access_denied`,
    answers: { 'api.pushbullet.com/oauth2/token': { access_token: 'o.a-token' } },
    added: ['Pushbullet'],
  },
  {
    label: 'PagerDuty',
    host: 'app.pagerduty.com',
    accepted: (asked) => {
      const keys = ['Database', 'Web'].map((name, n) => ({ integration_key: `${n}`.repeat(32), name }));
      const config = JSON.stringify({ integration_keys: keys, account: { name: 'Acme' } });
      return `${parameter(asked, 'redirect_url')}&${new URLSearchParams({ config })}`;
    },
    added: ['Database', 'Web'],
  },
  {
    label: 'Pushover',
    host: 'pushover.net',
    accepted: (asked) => `${parameter(asked, 'success')}&pushover_user_key=uQiRzpo4DXghDmr9QzzfQu27cmVRsG`,
    refused: (asked) => parameter(asked, 'failure'),
    added: ['Pushover'],
  },
  {
    label: 'GitHub',
    host: 'github.com',
    accepted: (asked) => {
      if (!isInstallation(asked)) return withCode(asked);
      isInstalled = true;
      const state = parameter(asked, 'state');
      const answer = new URLSearchParams({ installation_id: '12', setup_action: 'install', state });
      return `${SITE.root}/integrations/add_github/?${answer}`;
    },
    answers: {
      'github.com/login/oauth/access_token': { access_token: 'ghu_a-token' },
      'api.github.com/user/installations/12/repositories': {
        repositories: [{ full_name: 'acme/web' }, { full_name: 'acme/api' }],
      },
    },
    added: ['acme/web'],
  },
  {
    label: 'Trello',
    host: 'trello.com',
    accepted: (asked) => `${parameter(asked, 'return_url')}#token=a-token`,
    refused: (asked) => `${parameter(asked, 'return_url')}#error=Token%20request%20rejected`,
    answers: {
      'api.trello.com/1/members/me/boards': [
        { id: 'b1', name: 'Operations', lists: [{ id: '5abbe4b7ddc1b351ef961414', name: 'To do' }] },
        {
          id: 'b2',
          name: 'Web',
          lists: [
            { id: '5abbe4b7ddc1b351ef961415', name: 'New' },
            { id: '5abbe4b7ddc1b351ef961416', name: 'Done' },
          ],
        },
      ],
    },
    added: ['New'],
  },
];

const ANSWERS = new Map(PROVIDERS.flatMap(({ answers = {} }) => Object.entries(answers)));

/** The test answers the service's requests to Matrix and Telegram that it expects. */
let answerChat: (request: OutboundRequest) => ReturnType<typeof aReply> = () => assert.fail();

async function http(request: OutboundRequest) {
  const { hostname, pathname } = new URL(request.url);
  if (hostname === 'api.telegram.org' || hostname === 'matrix.example.org') return answerChat(request);
  if (pathname === '/user/installations')
    return aReply(200, { installations: isInstalled ? [{ id: 12 }] : [] });
  const isExchange = request.method === 'POST';
  if (isExchange && new URLSearchParams(String(request.body)).get('code') !== CODE)
    return aReply(400, { error: 'invalid_grant' });
  return aReply(200, ANSWERS.get(hostname + pathname) ?? assert.fail(request.url));
}

let dashboard: Dashboard;

before(async () => {
  const mail = { send: async () => null, [Symbol.asyncDispose]: async () => undefined };
  dashboard = await startDashboard('sqlite', { transports: { http, mail } });
});

after(() => dashboard[Symbol.asyncDispose]());

/** The pages of all providers, each with two links. */
async function openProviders(page: Page): Promise<void> {
  await page.route(
    ({ origin }) => origin !== SITE.root,
    async (route) => {
      const asked = new URL(route.request().url());
      const provider = PROVIDERS.find(({ host }) => host === asked.hostname) ?? assert.fail(asked.href);
      const link = (text: string, address = '') =>
        `<a href="${address.replaceAll('&', '&amp;')}">${text}</a>`;
      const links = link('Allow', provider.accepted(asked)) + link('Deny', provider.refused?.(asked));
      await route.fulfill({ contentType: 'text/html', body: `<h1>${provider.label}</h1>${links}` });
    },
  );
}

async function chooseKind(page: Page, label: string): Promise<void> {
  const kind = page.getByRole('region', { name: 'Add one' }).getByRole('link', { name: `${label} ` });
  await kind.filter({ has: page.getByText(label, { exact: true }) }).click();
  await page.getByRole('heading', { name: `Add ${label}`, exact: true }).waitFor();
}

async function answerAt(page: Page, label: string, answer: 'Allow' | 'Deny'): Promise<void> {
  await page.getByRole('heading', { name: label, exact: true }).waitFor();
  await page.getByRole('link', { name: answer }).click();
}

async function connect(page: Page, label: string, answer: 'Allow' | 'Deny'): Promise<void> {
  await chooseKind(page, label);
  await page.getByRole('button', { name: `Connect ${label}` }).click();
  await answerAt(page, label, answer);
}

/** The list is open, and shows these. */
async function areListed(page: Page, label: string, names: readonly string[]): Promise<void> {
  await page.getByText(`${label} added`).first().waitFor();
  for (const name of names) {
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
    await row.filter({ hasText: label }).waitFor();
  }
}

/** The choices after a person has come back from some providers. */
const CHOICES: Readonly<Record<string, (visit: Visit) => Promise<void>>> = {
  async GitHub({ page }) {
    await answerAt(page, 'GitHub', 'Allow');
    await choose(page, 'Where in GitHub?', 'Destination', 'acme/web');
  },
  async Trello(visit) {
    await visit.page.getByLabel('Destination').waitFor();
    await isAccessible(visit);
    await choose(visit.page, 'Where in Trello?', 'Destination', 'New');
  },
};

async function choose(page: Page, title: string, field: string, choice: string): Promise<void> {
  await page.getByRole('heading', { name: title }).waitFor();
  await page.getByLabel(field).selectOption({ label: choice });
  await page.getByRole('button', { name: 'Add integration' }).click();
}

lookTest('people connect integrations at their provider, or change their mind there', async (t) => {
  const team = await givenTeam(dashboard.app);
  await using visit = await dashboard.visitAs(team);
  const { page } = visit;
  await openProviders(page);
  await page.goto(`${SITE.root}${team.path}/integrations/`);
  for (const { label, added, refused } of PROVIDERS) {
    await t.test(label, async () => {
      if (refused !== undefined) {
        await connect(page, label, 'Deny');
        await page.getByText(`${label} setup was cancelled.`).waitFor();
        await page.getByRole('link', { name: 'To the integrations' }).click();
      }
      await connect(page, label, 'Allow');
      await CHOICES[label]?.(visit);
      await areListed(page, label, added);
    });
  }
  assert.deepEqual(visit.complaints, []);
});

test('a chat of Telegram is added by the link that the bot answers with', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await dashboard.visitAs(team);
  const { page } = visit;
  let said = '';
  answerChat = ({ body }) => {
    ({ text: said } = JSON.parse(String(body)));
    return aReply(200, { ok: true });
  };
  await page.goto(`${SITE.root}${team.path}/integrations/`);
  await chooseKind(page, 'Telegram');
  await page.getByText(`add @${SERVER.TELEGRAM_BOT_NAME} to the chat and send /start there`).waitFor();
  const chat = { id: -100_123, type: 'supergroup', title: 'Operations' };
  assert.equal(await tellBot(dashboard.app, { message: { text: '/start', chat } }), 200);

  await page.goto(linkIn(said).href);
  await choose(page, 'Alerts in Telegram, “Operations”', 'Project', team.project.name);

  await areListed(page, 'Telegram', ['Operations']);
  isQuiet(visit);
});

test('a room of Matrix is added once the account is invited to it', async () => {
  const team = await givenTeam(dashboard.app);
  await using visit = await dashboard.visitAs(team);
  const { page } = visit;
  let isInvited = false;
  // https://spec.matrix.org/v1.11/client-server-api/#post_matrixclientv3joinroomidoralias
  answerChat = () =>
    isInvited ? aReply(200, { room_id: '!ops:example.org' }) : aReply(403, { errcode: 'M_FORBIDDEN' });
  await page.goto(`${SITE.root}${team.path}/integrations/`);
  await chooseKind(page, 'Matrix');
  await page.getByText(`invite ${SERVER.MATRIX_USER_ID} to the room`).waitFor();
  await page.getByLabel('Room').fill('#operations:example.org');
  const save = page.getByRole('button', { name: 'Save integration' });
  await save.click();
  await page.getByText(`does not let this service in: invite ${SERVER.MATRIX_USER_ID} to it`).waitFor();

  isInvited = true;
  await save.click();

  await areListed(page, 'Matrix', ['#operations:example.org']);
  isQuiet(visit);
});
