import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { maskedKey } from '../../src/domain/people/api-key.ts';
import { readHealthchecks } from '../../src/import/healthchecks/import.ts';
import { openHealthchecks } from '../../src/import/healthchecks/open.ts';
import { printedMessage } from '../../src/integrations/every-kind.test-support.ts';
import { SCENARIOS } from '../../src/integrations/kind/alert-event.test-support.ts';
import { codeOf } from '../../src/integrations/lookup.ts';
import { type AlertEvent, isChannelKind, readSettings, settingsOf } from '../../src/integrations/registry.ts';
import { fromIso, type Instant, seconds } from '../../src/lib/instant.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { totpCode } from '../../src/lib/totp.ts';
import { createVault } from '../../src/lib/vault.ts';
import { flipOverdue } from '../../src/services/check/deadlines.ts';
import { importInstallation } from '../../src/services/importing/installation.ts';
import { oldPasswordCosts } from '../../src/services/people/old-passwords.ts';
import type { Engine } from '../../src/storage/dialect.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import { lease } from '../alerts.ts';
import { startTestApp, type TestApp } from '../app.ts';
import { counted } from '../counted-driver.ts';
import { givenAccount, newBrowser } from '../dashboard/browser.ts';
import { VirtualAuthenticator } from '../dashboard/virtual-authenticator.ts';
import { forEachEngine, forOneEngine, openTestDatabase } from '../engines.ts';
import { temporaryFolder } from '../process.ts';
import { type Facts, type Form, fixtureFacts, healthchecksFixture } from './healthchecks-fixture.ts';
import { writeLargeHealthchecks } from './large-healthchecks.ts';
import { APPLY } from './small-import.ts';

const facts: Facts = await fixtureFacts();
/** Five minutes after the last facts. */
const NOW: Instant = (fromIso(facts.clock) ?? 0) + seconds(300);
const OURS = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;
const [ALPHA = assert.fail(), , BETA = assert.fail()] = facts.projects;

/** Imports the fixture as the command does. */
async function importFixture(
  app: Pick<TestApp, 'deps' | 'clock'>,
  { secret = facts.secret_key as string | null, form = 'SQLite' as Form } = {},
) {
  await using fixture = await healthchecksFixture(form);
  return await importFrom(app, fixture.place, secret);
}

async function importFrom(
  { deps, clock }: Pick<TestApp, 'deps' | 'clock'>,
  place: string,
  secret: string | null,
) {
  await using source = await openHealthchecks(place);
  const options = {
    now: clock.now(),
    withAdmins: true,
    isSameHost: true,
    hasSecret: secret !== null,
    only: [],
  };
  const imported = await readHealthchecks(source, options);
  return await importInstallation(deps, imported, { ...APPLY, foreignSecret: secret });
}

async function startImported(
  engine: Engine,
  options: Parameters<typeof importFixture>[1] = {},
): Promise<TestApp> {
  const app = await startTestApp(engine);
  app.clock.set(NOW);
  await importFixture(app, options);
  return app;
}

function check(slug: string, project = ALPHA) {
  return facts.checks.find((one) => one.slug === slug && one.project === project.uuid) ?? assert.fail(slug);
}

function account(name: string) {
  return facts.accounts.find(({ email }) => email.startsWith(name)) ?? assert.fail(name);
}

const keyOf = ({ keys }: typeof ALPHA) => keys.read_write?.key ?? assert.fail();

interface ShownCheck {
  readonly n_pings: number;
  readonly status: string;
  readonly started: boolean;
  readonly last_duration?: number;
}

forEachEngine((engine) => {
  let started: TestApp | undefined;
  const app = () => started ?? assert.fail();
  before(async () => {
    started = await startImported(engine);
  });
  after(() => started?.[Symbol.asyncDispose]());

  /** A check as the API tells it, with a key of the old server. */
  async function shown(uuid: string, project = ALPHA) {
    const reply = await app().request('GET', `/api/v3/checks/${uuid}`, { key: keyOf(project) });
    assert.equal(reply.status, 200);
    return reply.json as ShownCheck;
  }

  test('jobs ping their old addresses, by UUID and by slug', async () => {
    const { uuid, n_pings: before } = check('never');
    assert.equal((await app().ping(`/${uuid}`)).status, 200);
    assert.equal((await app().ping(`/${ALPHA.ping_key}/never`)).status, 200);
    const { n_pings: count, status } = await shown(uuid);
    assert.deepEqual([count, status], [before + 2, 'up']);
  });

  test('API keys of the old server open their projects in every version, digested and plain', async () => {
    for (const project of [ALPHA, BETA])
      for (const version of [1, 2, 3])
        for (const kind of ['read_write', 'read_only'] as const) {
          const key = project.keys[kind]?.key ?? '';
          const reply = await app().request('GET', `/api/v${version}/checks/`, { key });
          assert.equal(reply.status, 200);
          const { checks } = reply.json as { checks: { unique_key?: string; name: string }[] };
          const expected = facts.checks.filter((one) => one.project === project.uuid);
          assert.equal(checks.length, expected.length);
          if (kind === 'read_only')
            assert.deepEqual(
              checks.map((one) => one.unique_key).toSorted(),
              expected.map((one) => one.unique_key).toSorted(),
            );
        }
  });

  test('API keys are listed by characters that they have', async () => {
    for (const project of [ALPHA, BETA]) {
      const known = await app().deps.store.projects.byUuid(project.uuid);
      const keys = await app().deps.store.apiKeys.ofProject(known?.id ?? 0);
      for (const kind of ['read_write', 'read_only'] as const) {
        const masked = maskedKey(keys.find((one) => one.kind === kind) ?? assert.fail());
        const [, characters = assert.fail(masked)] = /^(\w+)\W/.exec(masked) ?? [];
        const { key, stored } = project.keys[kind] ?? assert.fail();
        assert.ok(stored === 'plain' ? key.startsWith(characters) : key.includes(characters), masked);
      }
    }
  });

  test('integrations of every kind have the settings of those that are made by hand', async () => {
    for (const { uuid, here } of facts.channels) {
      const channel = await app().deps.store.channels.byUuid(uuid);
      assert.ok(channel !== null && isChannelKind(here.kind), uuid);
      const known = Object.entries(here.settings).filter(([, value]) => value !== null);
      const settings = readSettings(here.kind, Object.fromEntries(known));
      assert.equal(channel.kind, here.kind);
      // The members of a group have no order.
      const unordered = (of: unknown) =>
        JSON.parse(JSON.stringify(of), (_, value) => (Array.isArray(value) ? value.toSorted() : value));
      assert.deepEqual(unordered(settingsOf(channel, app().deps.vault)), unordered(settings), here.kind);
    }
  });

  test('integrations of every kind send what those send that are made by hand', async () => {
    const [down = assert.fail(), up = assert.fail()] = [
      SCENARIOS['down-timeout'],
      SCENARIOS['up-with-downtime'],
    ];
    for (const { uuid, here } of facts.channels) {
      const channel = (await app().deps.store.channels.byUuid(uuid)) ?? assert.fail(uuid);
      assert.ok(isChannelKind(here.kind));
      // The members of a group send, and it sends nothing itself.
      if (here.kind === 'group') continue;
      const known = Object.entries(here.settings).filter(([, value]) => value !== null);
      const code = codeOf(here.kind);
      const sent = (settings: unknown, event: AlertEvent) =>
        printedMessage({ code, settings: settings as Readonly<Record<string, unknown>> }, event);
      const byHand = readSettings(here.kind, Object.fromEntries(known));
      const imported = settingsOf(channel, app().deps.vault);
      for (const event of [down, up])
        assert.equal(await sent(imported, event), await sent(byHand, event), here.kind);
    }
  });

  test('badges of checks and of tags have their old addresses', async () => {
    assert.equal((await app().request('GET', `/b/2/${check('heartbeat').badge_key}.svg`)).status, 200);
    const foreign = createVault(facts.secret_key, systemRandom);
    const signature = foreign.badgeSignature(ALPHA.badge_key, 'prod');
    assert.equal((await app().request('GET', `/badge/${ALPHA.badge_key}/${signature}/prod.svg`)).status, 200);
  });

  test('pings go on with the next number, and as many are kept as the owner has chosen', async () => {
    const { uuid, n_pings: count } = check('pruned', BETA);
    const pings = async () => {
      const reply = await app().request('GET', `/api/v3/checks/${uuid}/pings/`, { key: keyOf(BETA) });
      return (reply.json as { pings: { n: number }[] }).pings.map(({ n }) => n);
    };
    assert.deepEqual([(await pings()).length, (await pings())[0]], [100, count]);
    assert.equal((await app().ping(`/${uuid}`)).status, 200);
    assert.equal((await pings())[0], count + 1);
  });

  test('bodies have their old bytes', async () => {
    for (const slug of ['bytes', 'long-output']) {
      const { uuid, pings } = check(slug);
      const [{ n, body_sha256: digest } = assert.fail()] = pings;
      const path = `/api/v3/checks/${uuid}/pings/${n}/body`;
      const { bytes } = await app().request('GET', path, { key: keyOf(ALPHA) });
      assert.equal(createHash('sha256').update(bytes).digest('hex'), digest);
    }
  });

  test('a run under way ends with its run id and has its duration', async () => {
    const { uuid, started_rid: rid, started } = check('running-id');
    assert.equal((await shown(uuid)).started, true);
    assert.equal((await app().ping(`/${uuid}?rid=${rid}`)).status, 200);
    const { started: isRunning, last_duration: duration } = await shown(uuid);
    assert.equal(isRunning, false);
    assert.equal(duration, Math.floor((NOW - (fromIso(started ?? '') ?? 0)) / seconds(1)));
  });

  test('a check that is down comes up by its first ping, and its integrations are told', async () => {
    const { uuid, channels_here: channels } = check('down-late');
    const sent = await lease(app().deps, 1000);
    assert.equal((await app().ping(`/${uuid}`)).status, 200);
    assert.equal((await shown(uuid)).status, 'up');
    const told = await lease(app().deps, 1000);
    assert.deepEqual([sent.length, told.length], [0, channels.length]);
  });

  test('a paused check that waits to be resumed by hand stays paused', async () => {
    const { uuid } = check('by-hand');
    assert.equal((await app().ping(`/${uuid}`)).status, 200);
    assert.equal((await shown(uuid)).status, 'paused');
  });

  test('a second import changes nothing', async () => {
    await using other = await startImported(engine);
    const before = await other.request('GET', '/api/v3/checks/', { key: keyOf(ALPHA) });
    const { changes, carried, kept } = await importFixture(other);
    assert.deepEqual([changes, kept], [[], []]);
    assert.deepEqual(
      Object.values(carried).filter((count) => count !== 0),
      [],
    );
    const after = await other.request('GET', '/api/v3/checks/', { key: keyOf(ALPHA) });
    assert.deepEqual(after.json, before.json);
  });

  test('without the old secret its digested keys open nothing', async () => {
    await using other = await startImported(engine, { secret: null });
    const status = async (key: string) => (await other.request('GET', '/api/v3/checks/', { key })).status;
    assert.deepEqual([await status(keyOf(ALPHA)), await status(keyOf(BETA))], [401, 200]);
  });
});

forOneEngine((engine) => {
  let started: TestApp | undefined;
  const app = () => started ?? assert.fail();
  before(async () => {
    started = await startImported(engine);
  });
  after(() => started?.[Symbol.asyncDispose]());

  test('people sign in with their old password and the code of their app, which works once', async () => {
    const { email, password, totp } = account('alice');
    const begin = async () => {
      const browser = newBrowser(app());
      const { json } = await browser.signIn(email, password ?? '');
      return { browser, pending: json.pending };
    };
    const code = totpCode(totp ?? '', app().clock.now());
    const { browser, pending } = await begin();
    assert.equal((await browser.post('/do/signInWithCode', { pending, code })).status, 204);
    assert.equal((await browser.get('/read/signedIn')).json.account.email, email);
    assert.match((await app().deps.store.accounts.byEmail(email))?.passwordHash ?? '', OURS);
    const second = await begin();
    assert.equal(
      (await second.browser.post('/do/signInWithCode', { pending: second.pending, code })).status,
      403,
    );
  });

  test('a security key of the old server completes a sign-in', async () => {
    const { email, password, security_keys: keys } = account('bob');
    const [{ credential_id: id, private_key: privateKey } = assert.fail()] = keys;
    const known = { credentialId: id, privateKey };
    const device = new VirtualAuthenticator('localhost', 'http://localhost:8000', known);
    device.verifies = false;
    const browser = newBrowser(app());
    const { pending } = (await browser.signIn(email, password ?? '')).json;
    const { options, sealed } = (await browser.post('/do/beginSignInByKey', { pending })).json;
    const reply = await browser.post('/do/signInWithKey', { pending, sealed, response: device.get(options) });
    assert.equal(reply.status, 204);
  });

  test('nobody signs in to an inactive account, or without a password', async () => {
    const dave = account('dave');
    assert.equal((await newBrowser(app()).signIn(dave.email, dave.password ?? '')).isDone, false);
    assert.equal((await newBrowser(app()).signIn(account('carol').email, '!')).isDone, false);
    const { passwordHash } = (await app().deps.store.accounts.byEmail(account('carol').email)) ?? {};
    assert.equal(passwordHash, null);
    // A wrong password takes the work of the costliest of each form.
    const costs = await oldPasswordCosts(app().deps.store);
    assert.deepEqual(costs.map(({ by }) => by).toSorted(), ['argon2id', 'pbkdf2_sha256']);
  });

  test('the same installation is there from lines and from PostgreSQL', async () => {
    const lists = [];
    for (const form of ['SQLite', 'PostgreSQL', 'JSON lines'] as const) {
      await using other = await startImported(engine, { form });
      const { text } = await other.request('GET', '/api/v3/checks/', { key: keyOf(ALPHA) });
      lists.push(text);
    }
    assert.equal(new Set(lists).size, 1);
  });

  test('an account that is here keeps all of its own, and has its old projects', async () => {
    await using other = await startTestApp(engine);
    other.clock.set(NOW);
    const { email } = account('alice');
    const own = await givenAccount(other, { email, limits: { checks: 1000, pings: 7 } });
    await importFixture(other);
    const kept = await other.deps.store.accounts.byEmail(email);
    assert.deepEqual(
      [kept?.passwordHash, kept?.limits, kept?.isAdmin],
      [own.passwordHash, own.limits, false],
    );
    const browser = newBrowser(other);
    assert.equal((await browser.signIn(email)).status, 204);
    const names = (await other.deps.store.projects.accessibleTo(own.id)).map(({ name }) => name);
    assert.deepEqual(names.toSorted(), ['Alpha', 'Beta', email]);
  });

  test('a project with too many members refuses the whole', async () => {
    await using fixture = await healthchecksFixture('SQLite');
    const database = new DatabaseSync(fixture.place);
    database.exec(
      `with recursive n (i) as (select 100 union all select i + 1 from n where i < 300)
       insert into auth_user select i, '', null, 0, 'u' || i, '', 'u' || i || '@example.org', 0, 1, '2026-01-01 00:00:00', '' from n;
       insert into accounts_member (user_id, project_id, role) select id, 2, 'w' from auth_user where id >= 100`,
    );
    database.close();
    await using other = await startTestApp(engine);
    await assert.rejects(importFrom(other, fixture.place, facts.secret_key), {
      reasons: ['the project alice@example.org has 201 members; 200 are possible'],
    });
  });

  test('two hundred checks more, with four hundred pings, cost less than fifty statements', async () => {
    await using folder = await temporaryFolder();
    const statementsFor = async (checks: number) => {
      const place = join(folder.path, `${checks}.sqlite`);
      writeLargeHealthchecks(place, checks, 2);
      await using other = await openTestDatabase(engine);
      const { driver, statements } = counted(other.driver);
      const deps = { ...app().deps, store: createSqlStore(driver) };
      await importFrom({ deps, clock: app().clock }, place, null);
      return statements.count;
    };

    const more = (await statementsFor(300)) - (await statementsFor(100));
    assert.ok(more < 50, `${more} statements`);
  });

  test('overdue checks are excused once before they go down', async () => {
    const flip = async () => {
      while (await flipOverdue({ ...app().deps, onPoison: () => undefined }));
      return (await lease(app().deps, 1000)).length;
    };
    assert.equal(await flip(), 0);
    app().clock.advance({ days: 3 });
    assert.ok((await flip()) > 0);
  });
});
