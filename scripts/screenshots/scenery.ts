import assert from 'node:assert/strict';
import type { Check } from '../../src/domain/check/check.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { seconds } from '../../src/lib/instant.ts';
import type { TestApp } from '../../test/app.ts';
import { type Demo, makeDemo } from '../../test/browser/demo.ts';
import type { Browser } from '../../test/dashboard/browser.ts';
import { givenAccount } from '../../test/dashboard/browser.ts';
import { join, type Person, signedIn } from '../../test/dashboard/team.ts';
import { checkRecord, invitationRecord, projectRecord } from '../../test/records.ts';
import { addGlance } from './glance.ts';
import { addOutages, type Outages } from './outages.ts';

const MANY_CHECKS = 5_000;

/** Everything that pictures show, and everybody who looks at it. */
export interface Scenery extends Demo {
  /** Sees the demonstration and may not change it. */
  readonly reader: Person;
  /** Has nothing but an invitation. */
  readonly newcomer: Person;
  /** Has one project, without checks. */
  readonly beginner: Person;
  readonly emptyProject: Project;
  /** Has one project in which all is well. */
  readonly calm: Person;
  readonly calmProject: Project;
  /** Has one project with very many checks. */
  readonly busy: Person;
  readonly busyProject: Project;
  /** The check with long names. */
  readonly longCheck: Check;
  /** The channel that fails. */
  readonly failingChannel: string;
  /** A phone number that nobody has confirmed. */
  readonly unconfirmedChannel: string;
  readonly statusPage: string;
  readonly wall: string;
  readonly calmWall: string;
  readonly invitation: string;
  /** Has five projects in which different things go on. */
  readonly ivan: Person;
  readonly unknownProjects: readonly Project[];
  readonly outages: Outages;
}

const LONG =
  'reconcile-customer-invoices-with-the-ledger-of-the-subsidiary-in-Rotterdam-and-mail-the-differences';

export async function makeScenery(app: TestApp): Promise<Scenery> {
  let glance: Awaited<ReturnType<typeof addGlance>> | undefined;
  const demo = await makeDemo(app, async (now) => {
    glance = await addGlance(app, now);
    return glance.steps;
  });
  assert.ok(glance !== undefined);
  const { browser } = demo.owner;
  const path = `/projects/${demo.project.uuid}`;
  const { long, failingChannel, unconfirmedChannel } = await addHardCases(app, demo);
  await addKeys(browser, path);
  const reader = await givenOther(app, 'carol@example.org', 'Carol');
  await join(app, demo.project, reader.account, 'read_only');
  const [beginner, emptyProject] = await givenOwner(app, 'dave@example.org', 'Staging');
  const [calm, calmProject] = await givenOwner(app, 'erin@example.org', 'Website');
  await addFineChecks(app, calmProject);
  await join(app, calmProject, demo.owner.account, 'member');
  const [busy, busyProject] = await givenOwner(app, 'frank@example.org', 'Warehouse');
  await addManyChecks(app, busyProject);
  const newcomer = await givenOther(app, 'grace@example.org', 'Grace');
  await invite(app, demo.project, newcomer.account.email);
  return {
    ...demo,
    ivan: await signedIn(app, glance.account),
    unknownProjects: glance.projects,
    outages: await addOutages(app),
    ...{ reader, newcomer, beginner, emptyProject, calm, calmProject, busy, busyProject },
    ...{ longCheck: long, failingChannel, unconfirmedChannel },
    statusPage: await addStatusPage(browser, path),
    wall: (await made(browser, `${path}/do/createWall`, { name: 'Office' })).address,
    calmWall: (await made(calm.browser, `/projects/${calmProject.uuid}/do/createWall`, { name: 'Lobby' }))
      .address,
    invitation: (await made(browser, `${path}/do/invite`, { role: 'member' })).link,
  };
}

async function givenOther(app: TestApp, email: string, name: string): Promise<Person> {
  return signedIn(app, await givenAccount(app, { email, name }));
}

async function givenOwner(app: TestApp, email: string, name: string): Promise<[Person, Project]> {
  const person = await givenOther(app, email, email.split('@')[0] ?? '');
  const record = projectRecord(person.account.id, { name });
  return [person, await app.deps.store.transaction((tx) => tx.projects.insert(record))];
}

// biome-ignore lint/suspicious/noExplicitAny: what was made tells it by its own fields.
async function made(browser: Browser, path: string, body: unknown): Promise<any> {
  const reply = await browser.post(path, body);
  assert.ok(reply.status < 300, `${path}: ${reply.text}`);
  return reply.text === '' ? null : reply.json;
}

/** Names that do not fit, and a check that is running. */
async function addHardCases(app: TestApp, { project }: Demo) {
  const now = app.clock.now();
  const long = await app.givenCheck(project, {
    ...{ name: LONG, slug: LONG.toLowerCase(), status: 'up', lastPingAt: now - seconds(240), pingCount: 3 },
    ...{
      kind: 'cron',
      schedule: '7,37 5-22/3 * jan-jun,sep-dec mon-fri',
      tz: 'America/Argentina/Buenos_Aires',
    },
    tags: 'prod finance subsidiary-in-rotterdam invoices ledger',
    description: `Runbook: https://wiki.example.org/${LONG}/steps\n\n**Ask finance first.**`,
  });
  const channel = await app.givenChannel(project, {
    kind: 'email',
    name: `Mail to everybody who works on ${LONG}`,
    settings: { email: `${LONG.slice(0, 50)}@mailing-lists.internal.example.org` },
    verified: false,
  });
  await app.assign(long, channel);
  const phone = await app.givenChannel(project, {
    kind: 'sms',
    name: 'On-call phone',
    settings: { phone: '+4930901820' },
    verified: false,
  });
  const channels = await app.deps.store.channels.ofProject(project.id);
  const failingChannel = channels.find(({ kind }) => kind === 'webhook')?.uuid ?? '';
  return { long, failingChannel, unconfirmedChannel: phone.uuid };
}

async function addKeys(browser: Browser, path: string): Promise<void> {
  await made(browser, `${path}/do/createKey`, { name: 'Terraform', kind: 'read_write' });
  await made(browser, `${path}/do/createKey`, {
    name: 'Grafana, read by the dashboards of all teams',
    kind: 'read_only',
  });
  await made(browser, '/do/createToken', { name: 'Laptop', scopes: ['keys.edit'] });
  await made(browser, `${path}/do/saveView`, { name: 'Backups', query: 'tag=backup', isShared: true });
  await made(browser, `${path}/do/saveView`, {
    name: 'Production that is down',
    query: 'tag=prod',
    isShared: false,
  });
  await made(browser, `${path}/do/invite`, { email: 'heidi@example.org', role: 'manager' });
}

async function addFineChecks(app: TestApp, project: Project): Promise<void> {
  const names = ['sitemap', 'image-cache', 'newsletter', 'link-checker', 'search-index', 'backup'];
  const channel = await app.givenChannel(project, { kind: 'email', settings: { email: 'web@example.org' } });
  for (const name of names) {
    const check = await app.givenCheck(project, { name, slug: name, tags: 'web', timeoutSeconds: 3_600 });
    await app.assign(check, channel);
    await app.ping(`/${check.uuid}`);
  }
}

async function addManyChecks({ deps, clock }: TestApp, projectId: Project): Promise<void> {
  const now = clock.now();
  await deps.store.transaction(async (tx) => {
    for (let n = 1; n <= MANY_CHECKS; n++) {
      const isDown = n % 400 === 0;
      const known = { name: `shelf-${n}`, slug: `shelf-${n}`, tags: `aisle-${n % 20}`, pingCount: 1 };
      await tx.checks.insert(
        checkRecord(projectId.id, {
          ...known,
          status: isDown ? 'down' : 'up',
          lastPingAt: now - seconds(isDown ? 90_000 : n % 3_000),
          timeoutSeconds: 3_600,
        }),
      );
    }
  });
}

async function invite(app: TestApp, { id }: Project, email: string): Promise<void> {
  const expiresAt = app.clock.now() + seconds(5 * 86_400);
  await app.deps.store.transaction((tx) => tx.invitations.insert(invitationRecord(id, { email, expiresAt })));
}

/** A page that is published, with an incident. */
async function addStatusPage(browser: Browser, path: string): Promise<string> {
  const title = 'Example Org status';
  const slug = 'example-org';
  const { uuid: page } = await made(browser, `${path}/do/createStatusPage`, { title, slug });
  await made(browser, `${path}/do/editStatusPage`, {
    ...{ page, title, slug, about: 'Jobs that our customers rely on.', tz: 'Europe/Berlin' },
    components: [
      { id: 'a', name: 'Nightly backups', group: 'Data', tag: 'postgres' },
      { id: 'b', name: 'Exports to the warehouse', group: 'Data', tag: 'data' },
      { id: 'c', name: 'Search', group: '', tag: 'search' },
      { id: 'd', name: 'Invoices by mail', group: '', tag: 'mail' },
    ],
  });
  await made(browser, `${path}/do/publishStatusPage`, { page });
  await made(browser, `${path}/do/openIncident`, {
    ...{ page, title: 'Backups are delayed', components: ['a'], state: 'looking' },
    text: 'The last backup did not run. We are looking into it; no data is lost.',
  });
  return page;
}
