import type { Page } from 'playwright-core';
import { SITE } from '../../test/app.ts';
import type { Person } from '../../test/dashboard/team.ts';
import type { Scenery } from './scenery.ts';

/** One picture: a page, who looks at it, and what they have done there. */
export interface Scene {
  readonly name: string;
  /** Null: nobody is signed in. */
  readonly as: Person | null;
  readonly path: string;
  readonly act?: (page: Page) => Promise<unknown>;
  /** Only what fits the screen, for what lies over the page, or is very long. */
  readonly isScreen?: boolean;
  /** Phones have no such thing. */
  readonly isForDesktops?: boolean;
}

const button = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();
const key = (keys: string) => (page: Page) => page.keyboard.press(keys);

export function scenesOf(scenery: Scenery): Scene[] {
  return [
    ...checkScenes(scenery),
    ...glanceScenes(scenery),
    ...outageScenes(scenery),
    ...projectScenes(scenery),
    ...ownScenes(scenery),
    ...publicScenes(scenery),
  ];
}

/** Five projects of which nobody knows anything. */
function glanceScenes({ ivan, unknownProjects }: Scenery): Scene[] {
  return unknownProjects.map(({ name, uuid }) => ({
    ...{ name: `glance-${name.toLowerCase()}`, as: ivan, path: `/projects/${uuid}/checks/` },
    isScreen: true,
  }));
}

/** Ways to tell, as their names begin. */
const WAYS = ['Tell at once', 'Twice', 'Patient', 'Working hours', 'Keep reminding', 'Then tell'];

/** Headlines of answered and held outages, each way to tell in the form of a check, and the pages of buttons. */
function outageScenes({ outages: { judy, headlines, formOf, buttons } }: Scenery): Scene[] {
  return [
    ...[...headlines].map(([what, { uuid }]) => ({
      ...{ name: `headline-${what}`, as: judy, path: `/projects/${uuid}/checks/` },
    })),
    ...WAYS.map((way) => ({
      ...{
        name: `way-${way.toLowerCase().replaceAll(' ', '-')}`,
        as: judy,
        path: `/checks/${formOf.uuid}/edit/`,
      },
      act: chooseWay(way),
      isScreen: true,
    })),
    ...[...buttons].map(([state, path]) => ({
      ...{ name: `button-${state}`, as: null, path },
      ...(state.startsWith('press-') && { act: (page: Page) => page.getByRole('button').click() }),
    })),
  ];
}

const chooseWay = (way: string) => async (page: Page) => {
  const radio = page.getByRole('radio', { name: new RegExp(`^${way}`) });
  await radio.check();
  await radio.evaluate((element: { scrollIntoView(options: object): void }) =>
    element.scrollIntoView({ block: 'center' }),
  );
};

function checkScenes(scenery: Scenery): Scene[] {
  const { owner, reader, calm, busy, beginner, project, checks, longCheck } = scenery;
  const list = (of = project) => `/projects/${of.uuid}/checks/`;
  const page = (name: string, part = 'details') => `/checks/${checks.get(name)?.uuid}/${part}/`;
  const long = `/checks/${longCheck.uuid}`;
  const log = page('nightly-etl', 'log');
  const cron = `${page('invoice-mailer', 'edit')}`;
  return [
    { name: 'list', as: owner, path: list() },
    { name: 'list-calm', as: calm, path: list(scenery.calmProject) },
    { name: 'list-5000', as: busy, path: list(scenery.busyProject), isScreen: true },
    { name: 'list-read-only', as: reader, path: list() },
    { name: 'list-no-match', as: owner, path: `${list()}?q=nothing-like-this` },
    { name: 'list-selected', as: owner, path: list(), act: selectTwo, isScreen: true, isForDesktops: true },
    { name: 'list-row-menu', as: owner, path: list(), act: openRowMenu, isScreen: true, isForDesktops: true },
    { name: 'first-run', as: beginner, path: list(scenery.emptyProject) },
    { name: 'palette', as: owner, path: list(), act: key('Control+k'), isScreen: true },
    { name: 'palette-found', as: owner, path: list(), act: searchPalette, isScreen: true },
    { name: 'keyboard-help', as: owner, path: list(), act: key('?'), isScreen: true },
    { name: 'check-down', as: owner, path: page('db-backup') },
    {
      name: 'check-why',
      as: owner,
      path: page('db-backup'),
      act: button('Why? Who is told when'),
      isScreen: true,
    },
    {
      name: 'check-why-if',
      as: owner,
      path: page('invoice-mailer'),
      act: button('Why? Who is told when'),
      isScreen: true,
    },
    { name: 'check-failed', as: owner, path: page('nightly-etl') },
    { name: 'check-late', as: owner, path: page('cert-renewal') },
    { name: 'check-running', as: owner, path: page('search-reindex') },
    { name: 'check-up', as: owner, path: page('wal-archive') },
    { name: 'check-paused', as: owner, path: page('tape-rotation') },
    { name: 'check-new', as: owner, path: page('gdpr-export') },
    { name: 'check-long', as: owner, path: `${long}/details/` },
    { name: 'check-read-only', as: reader, path: page('db-backup') },
    {
      name: 'check-menu',
      as: owner,
      path: page('db-backup'),
      act: button(/^(More|Actions)/),
      isScreen: true,
    },
    { name: 'events', as: owner, path: log },
    { name: 'events-ping', as: owner, path: `${log}#ping-60`, isScreen: true },
    { name: 'check-edit', as: owner, path: cron },
    { name: 'check-edit-simple', as: owner, path: page('db-backup', 'edit') },
    { name: 'check-edit-long', as: owner, path: `${long}/edit/` },
    { name: 'check-edit-error', as: owner, path: cron, act: mistype },
    { name: 'check-edit-leave', as: owner, path: cron, act: leave, isScreen: true },
    { name: 'check-add', as: owner, path: `${list()}new/` },
  ];
}

/** The list can be empty for a moment. */
async function selectTwo(page: Page): Promise<void> {
  for (const name of ['db-backup', 'nightly-etl']) {
    await page
      .getByRole('checkbox', { name: new RegExp(name) })
      .first()
      .check({ force: true });
  }
}

const openRowMenu = (page: Page) => page.locator('.row-menu').first().click({ timeout: 3_000 });

async function searchPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('etl');
}

const mistype = (page: Page) =>
  page
    .getByLabel(/^(Cron )?expression/i)
    .first()
    .fill('61 4 1 * *');

async function leave(page: Page): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill('invoices');
  await page
    .getByRole('navigation')
    .getByRole('link', { name: 'Timeline' })
    .filter({ visible: true })
    .click();
}

function projectScenes({ owner, reader, beginner, ...scenery }: Scenery): Scene[] {
  const base = `/projects/${scenery.project.uuid}`;
  const empty = `/projects/${scenery.emptyProject.uuid}`;
  const of = (section: string) => ({ as: owner, path: `${base}/settings/${section}` });
  return [
    { name: 'timeline', as: owner, path: `${base}/timeline/` },
    { name: 'timeline-empty', as: beginner, path: `${empty}/timeline/` },
    { name: 'integrations', as: owner, path: `${base}/integrations/` },
    { name: 'integrations-empty', as: beginner, path: `${empty}/integrations/` },
    { name: 'integrations-read-only', as: reader, path: `${base}/integrations/` },
    {
      name: 'integration',
      as: owner,
      path: `${base}/integrations/${scenery.failingChannel}/`,
      isScreen: true,
    },
    {
      name: 'integration-unconfirmed',
      as: owner,
      path: `${base}/integrations/${scenery.unconfirmedChannel}/`,
      isScreen: true,
    },
    ...['Checks', 'Settings'].map((tab) => ({
      name: `integration-${tab.toLowerCase()}`,
      as: owner,
      path: `${base}/integrations/${scenery.failingChannel}/`,
      act: (page: Page) => page.getByRole('tab', { name: tab }).click(),
      isScreen: true,
    })),
    { name: 'integration-webhook', as: owner, path: `${base}/integrations/new/webhook/` },
    { name: 'integration-email', as: owner, path: `${base}/integrations/new/email/` },
    { name: 'integration-ntfy', as: owner, path: `${base}/integrations/new/ntfy/` },
    { name: 'integration-slack', as: owner, path: `${base}/integrations/new/slack/` },
    {
      name: 'integration-advanced',
      as: owner,
      path: `${base}/integrations/new/slack/`,
      act: async (page: Page) => {
        await page.getByText('Advanced', { exact: false }).first().click();
        await page.getByRole('checkbox', { name: /one message/i }).check();
        await page.getByLabel('Report of the project').selectOption({ label: 'Every Monday' });
      },
    },
    { name: 'integration-telegram', as: owner, path: `${base}/integrations/new/telegram/` },
    { name: 'integration-github', as: owner, path: `${base}/integrations/new/github/` },
    { name: 'integration-sms', as: owner, path: `${base}/integrations/new/sms/` },
    { name: 'integration-push', as: owner, path: `${base}/integrations/new/webpush/` },
    { name: 'integration-refused', as: owner, path: '/integrations/add_slack_btn/?error=access_denied' },
    { name: 'status-pages', as: owner, path: `${base}/status-pages/` },
    { name: 'status-pages-empty', as: beginner, path: `${empty}/status-pages/` },
    { name: 'status-edit', as: owner, path: `${base}/status-pages/${scenery.statusPage}/` },
    { name: 'badges', as: owner, path: `${base}/badges/` },
    { name: 'badges-empty', as: beginner, path: `${empty}/badges/` },
    { name: 'settings', ...of('') },
    { name: 'settings-alerts', ...of('alerts/') },
    { name: 'settings-own-way', ...of('alerts/'), act: button('New own way'), isScreen: true },
    { name: 'settings-hours', ...of('alerts/'), act: button('New working hours'), isScreen: true },
    { name: 'settings-keys', ...of('keys/') },
    { name: 'settings-key-shown', ...of('keys/'), act: makeKey },
    { name: 'settings-team', ...of('team/') },
    { name: 'settings-invite', ...of('team/'), act: button(/^Invite/), isScreen: true },
    { name: 'settings-audit', ...of('audit-log/') },
    { name: 'settings-danger', ...of('danger/') },
    { name: 'settings-delete', ...of('danger/'), act: button(/^Delete/), isScreen: true },
    { name: 'no-permission', as: reader, path: `${base}/settings/keys/` },
  ];
}

async function makeKey(page: Page): Promise<void> {
  await button(/^(Add|Make|New).*key/)(page);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Backup scripts');
  await dialog.locator('button[type="submit"]').click();
}

function ownScenes({ owner, newcomer, calm }: Scenery): Scene[] {
  const sections = ['', 'sessions', 'tokens', 'look', 'reports', 'log', 'close'];
  const pages = ['', 'settings', 'accounts', 'projects'];
  const below = (path: string, part: string) => (part === '' ? path : `${path}${part}/`);
  return [
    { name: 'projects', as: owner, path: '/' },
    { name: 'projects-none', as: newcomer, path: '/' },
    { name: 'all-checks', as: owner, path: '/all-checks/' },
    ...sections.map((section) => ({
      name: `account-${section || 'security'}`,
      as: owner,
      path: below('/accounts/profile/', section),
    })),
    ...pages.map((part) => ({ name: `admin-${part || 'health'}`, as: owner, path: below('/admin/', part) })),
    { name: 'not-found', as: calm, path: '/projects/00000000-0000-4000-8000-000000000000/checks/' },
  ];
}

function publicScenes({ wall, calmWall, invitation }: Scenery): Scene[] {
  const below = (address: string) => address.replace(SITE.root, '').replace(/\/?$/, '/');
  const open = (name: string, path: string, act?: Scene['act']): Scene => ({
    ...{ name, path, as: null },
    ...(act !== undefined && { act }),
  });
  return [
    open('status', '/status/example-org/'),
    open('wall', below(wall)),
    open('wall-light', `${below(wall)}?theme=light`),
    open('wall-calm', below(calmWall)),
    open('sign-in', '/accounts/login/'),
    open('sign-in-wrong', '/accounts/login/', signInWrongly),
    open('sign-in-other-way', '/accounts/login/', signInTooOften),
    open('sign-up', '/accounts/sign-up/'),
    open('password', '/accounts/password/'),
    open('link', '/accounts/sign-in/#abc'),
    open('setup', '/accounts/setup/#abc'),
    open('confirm-email', '/accounts/email/#abc'),
    open('invitation', invitation.replace(SITE.root, '')),
    open('docs', '/docs/'),
    open('docs-page', '/docs/pinging/'),
    open('docs-kind', '/docs/integrations/webhook/'),
    open('docs-search', '/docs/search/?q=grace'),
    open('docs-cron', '/docs/cron/?schedule=*/15+9-17+*+*+mon-fri'),
    open('nowhere', '/nowhere/'),
  ];
}

async function signInWrongly(page: Page): Promise<void> {
  await page.getByLabel('E-mail').fill('alice@example.org');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('alert').first().waitFor();
}

/** The page says so when too many wrong passwords were tried. */
async function signInTooOften(page: Page): Promise<void> {
  await page.getByLabel('E-mail').fill('carol@example.org');
  await page.getByLabel('Password').fill('wrong');
  const submit = page.getByRole('button', { name: 'Sign in', exact: true });
  const otherWay = page.getByRole('heading', { name: 'Sign in another way' });
  while (!(await otherWay.isVisible())) {
    const answered = page.waitForResponse('**/dashboard/api/do/signInWithPassword');
    await submit.click();
    await answered;
    await page.getByRole('alert').first().waitFor();
  }
}
