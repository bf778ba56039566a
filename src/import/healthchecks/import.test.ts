import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { Client } from 'pg';
import {
  type Facts,
  FORMS,
  type Form,
  fixtureFacts,
  healthchecksFixture,
  secretsIn,
} from '../../../test/import/healthchecks-fixture.ts';
import { type WholeImport, wholeImport } from '../../../test/import/whole-import.ts';
import { editConfig } from '../../domain/check/check-edit.ts';
import { DEFAULT_CONFIG } from '../../domain/check/settings.ts';
import { NO_RUN_FACTS } from '../../domain/ping/ping.ts';
import { isChannelKind, readSettings } from '../../integrations/registry.ts';
import { fromIso, type Instant, seconds } from '../../lib/instant.ts';
import type { ImportedPing } from '../../services/importing/import.ts';
import { namedSettings } from '../../wire/api/check-fields.ts';
import { type HealthchecksOptions, readHealthchecks } from './import.ts';
import { openHealthchecks } from './open.ts';

const NOW = fromIso('2026-11-18T08:00:00+00:00') ?? 0;
const OPTIONS: HealthchecksOptions = {
  now: NOW,
  withAdmins: true,
  isSameHost: true,
  hasSecret: true,
  only: [],
};
const ALPHA = '9e05ca7a-26f1-41a9-b683-13f7adc8cdd8';

for (const form of FORMS) {
  describe(`an installation of Healthchecks in ${form}`, () => {
    test('becomes what is known of it', async () => {
      await using read = await readFixture(form);
      const facts = await fixtureFacts();
      const { imported } = read;
      assert.deepEqual(imported.refusals, []);
      assert.deepEqual(accountsOf(imported), expectedAccounts(facts));
      assert.deepEqual(projectsOf(imported), expectedProjects(facts));
      assert.deepEqual(channelsOf(imported), expectedChannels(facts));
      assert.deepEqual(checksOf(imported, form), expectedChecks(facts, form));
      assert.deepEqual(await pingsOf(imported, form), expectedPings(facts, form));
    });

    test('has keys, second factors and hashes that no file can say', async () => {
      await using read = await readFixture(form);
      const { accounts, projects, origin } = read.imported;
      assert.match(
        accounts.get('alice@example.org')?.passwordHash ?? '',
        /^argon2\$argon2id\$v=19\$m=102400/,
      );
      assert.match(accounts.get('bob@example.org')?.passwordHash ?? '', /^pbkdf2_sha256\$1500000\$/);
      assert.equal(accounts.get('carol@example.org')?.passwordHash, null);
      assert.deepEqual(
        projects.get(ALPHA)?.digestedKeys.map(({ kind, lookup, digest }) => [kind, lookup, digest.length]),
        [
          ['read_write', '9NIYbFSt', 64],
          ['read_only', 'cw8wvYeL', 64],
        ],
      );
      assert.match(origin.identity, /^[0-9a-f]{64}$/);
      assert.equal(origin.version, form === 'JSON lines' ? 'of an unknown version' : 'migration 0123');
      assert.equal(atMost(origin.newestPingAt, form), time('2026-11-09T05:59:00.123456Z', form));
    });
  });
}

describe('an installation of Healthchecks', () => {
  test('has the same identity in every form', async () => {
    const identities = await Promise.all(
      FORMS.map(async (form) => {
        await using read = await readFixture(form);
        return read.imported.origin.identity;
      }),
    );
    assert.equal(new Set(identities).size, 1);
  });

  test('has pings from any place on', async () => {
    await using read = await readFixture('SQLite');
    const pings = await Array.fromAsync(read.imported.pings(428));
    assert.deepEqual(
      pings.map(({ place, n }) => [place, n]),
      [
        [429, 229],
        [430, 230],
      ],
    );
  });

  test('tells what stays behind, and no secret', async () => {
    await using read = await readFixture('SQLite', { hasSecret: false, isSameHost: false });
    const { remarks, needs } = read.imported;
    const left = remarks.notCarried.map(({ what, name, project }) => [what, name, project]);
    assert.deepEqual(left, [
      ['security key', 'bob@example.org: Blue key', null],
      ['second factor', 'bob@example.org', null],
      ['API key', 'read_write: 9NIYbFSt', 'Alpha'],
      ['API key', 'read_only: cw8wvYeL', 'Alpha'],
      ['transfer', 'alice@example.org', 'Beta'],
      ['alerts', '19', null],
      ['notifications', '2', null],
      ['orders of lists and limits of SMS and calls', '4', null],
    ]);
    assert.deepEqual(
      remarks.changed.map(({ entry, field }) => [entry, field]),
      [['account alice@example.org', 'admin']],
    );
    assert.ok(
      needs.some(({ setting, for: kind }) => setting === 'TELEGRAM_TOKEN' && kind === 'telegram (2)'),
    );
    const told = JSON.stringify([remarks, needs]);
    for (const secret of secretsIn(await fixtureFacts())) assert.ok(!told.includes(secret));
  });

  test('has no administrators if nobody wants them', async () => {
    await using read = await readFixture('SQLite', { withAdmins: false });
    assert.ok(read.imported.declaration.accounts.every(({ isAdmin }) => isAdmin === undefined));
    assert.deepEqual(read.imported.remarks.changed, []);
  });

  test('comes in part with the people of the named projects', async () => {
    await using read = await readFixture('SQLite', { only: ['Beta'] });
    const { declaration, checks, refusals } = read.imported;
    assert.deepEqual(refusals, []);
    assert.deepEqual(
      declaration.projects.map(({ name }) => name),
      ['Beta'],
    );
    assert.deepEqual(
      declaration.accounts.map(({ email }) => email),
      ['alice@example.org', 'bob@example.org', 'dave@example.org'],
    );
    assert.equal(checks.size, declaration.projects[0]?.checks.length);
    const pings = await Array.fromAsync(read.imported.pings(0));
    assert.ok(pings.every(({ checkUuid }) => checks.has(checkUuid)));
    await using other = await readFixture('SQLite', { only: ['Gamma'] });
    assert.deepEqual(other.imported.refusals, ['there is no project Gamma']);
  });

  test('on PostgreSQL is of one moment while others write', async () => {
    await using fixture = await healthchecksFixture('PostgreSQL');
    const client = new Client({ connectionString: fixture.place });
    await client.connect();
    try {
      await using source = await openHealthchecks(fixture.place);
      await client.query(`
        delete from api_channel_checks; delete from api_notification; delete from api_channel;
        update api_check set n_pings = n_pings + 1, project_id = 2;
        insert into api_ping (owner_id, n, created, scheme, method, ua) select id, n_pings, now(), 'http', 'GET', '' from api_check`);
      const imported = await wholeImport(await readHealthchecks(source, OPTIONS));
      assert.equal(imported.channels.size, 40);
      assert.deepEqual(checksOf(imported, 'PostgreSQL'), expectedChecks(await fixtureFacts(), 'PostgreSQL'));
      assert.equal((await Array.fromAsync(imported.pings(0))).length, 330);
    } finally {
      await client.end();
    }
  });

  test('in a SQLite file has no pings that came after its checks were read', async () => {
    await using fixture = await healthchecksFixture('SQLite');
    await using source = await openHealthchecks(fixture.place);
    const imported = await readHealthchecks(source, OPTIONS);
    const pings = imported.pings(0);
    // The program goes on meanwhile.
    const database = new DatabaseSync(fixture.place);
    database.exec(
      `update api_check set n_pings = n_pings + 1;
       insert into api_ping (owner_id, n, created, scheme, method, ua) select id, n_pings, '2026-11-18 00:00:00', 'http', 'GET', '' from api_check`,
    );
    database.close();
    assert.equal((await Array.fromAsync(pings)).length, 330);
  });

  test('has addresses in small letters, and is refused with two that differ in nothing else', async () => {
    await using read = await readAltered("update auth_user set email = 'Bob@Example.org' where id = 2");
    assert.ok(read.imported.accounts.has('bob@example.org'));
    assert.deepEqual(read.imported.remarks.changed.slice(1), [
      {
        entry: 'account bob@example.org',
        field: 'email',
        was: 'Bob@Example.org',
        became: 'bob@example.org',
        reason: 'in small letters',
      },
    ]);
    await using other = await readAltered("update auth_user set email = 'ALICE@example.org' where id = 3");
    assert.deepEqual(other.imported.refusals, [
      'the accounts alice@example.org and ALICE@example.org have the same address: unite them before',
    ]);
  });

  test('counts alerts that the old server had not sent yet', async () => {
    await using read = await readAltered(
      `update api_flip set processed = created;
       update api_flip set processed = null where new_status = 'down' and id in
         (select id from api_flip where new_status = 'down' limit 3);
       update api_flip set processed = null where old_status = 'new'`,
    );
    const alerts = read.imported.remarks.notCarried.filter(({ what }) => what === 'alerts');
    assert.deepEqual(
      alerts.map(({ name, reason }) => [name, reason]),
      [['3', 'the old server had not sent them yet, and nobody is told of them here']],
    );
  });

  test('has names of projects of at most 60 characters, and two of one name and owner', async () => {
    await using read = await readAltered(
      `update accounts_project set name = '${'n'.repeat(75)}', owner_id = 1 where id > 1`,
    );
    const { declaration, remarks } = read.imported;
    const name = 'n'.repeat(60);
    assert.deepEqual(
      declaration.projects.map((project) => project.name),
      ['Alpha', name, name],
    );
    assert.equal(
      remarks.changed.filter(({ field, became }) => field === 'name' && became === name).length,
      2,
    );
  });

  test('raises the limit of checks to the checks there are', async () => {
    await using read = await readAltered('update accounts_profile set check_limit = 20 where user_id = 1');
    const { declaration, remarks } = read.imported;
    assert.equal(declaration.accounts[0]?.limits?.checks, 26);
    assert.ok(
      remarks.changed.some(
        ({ field, was, became }) => field === 'limits.checks' && was === 20 && became === 26,
      ),
    );
  });

  test('has passwords of other forms left out', async () => {
    await using read = await readAltered(
      `update auth_user set password = 'bcrypt_sha256$$2b$12$abcdefghijklmnopqrstuv' where id = 1;
       update auth_user set password = 'pbkdf2_sha256$1000000000$salt$fOUThBiDt5rqZvL2S397+qkkUl62RiFFXbGlfaNvh4A=' where id = 2`,
    );
    const { accounts, remarks } = read.imported;
    assert.equal(accounts.get('alice@example.org')?.passwordHash, null);
    assert.equal(accounts.get('bob@example.org')?.passwordHash, null);
    const left = remarks.notCarried.filter(({ what }) => what === 'password').map(({ name }) => name);
    assert.deepEqual(left, ['alice@example.org', 'bob@example.org']);
  });

  test('has zones by their names of today, and UTC for unknown ones', async () => {
    await using read = await readAltered(
      `update api_check set tz = 'Europe/Kiev' where id = 1; update api_check set tz = 'Mars/Base' where id = 2`,
    );
    const [first, second] = checksIn(read.imported);
    assert.equal(first?.edit.tz, 'Europe/Kyiv');
    assert.equal(second?.edit.tz, 'UTC');
    assert.deepEqual(
      read.imported.remarks.changed.map(({ field }) => field),
      ['admin', 'tz', 'tz'],
    );
  });

  test('has a refused schedule as a paused check that keeps the expression', async () => {
    await using read = await readAltered("update api_check set schedule = '61 3 * * *' where id = 1");
    const [check] = checksIn(read.imported);
    assert.equal(check?.edit.timeoutSeconds, 86_400);
    assert.equal(check?.edit.description, 'Runs **pg_dump**.\n\nSee the runbook.\n61 3 * * *');
    assert.equal(read.imported.checks.get(check?.uuid ?? '')?.state.status, 'paused');
    assert.equal(read.imported.remarks.changed[1]?.field, 'schedule');
  });

  test('has integrations of kinds that are gone left out, and checks without them', async () => {
    await using read = await readAltered(
      `update api_channel set kind = 'msteams', value = 'https://outlook.example.org/webhook/secret' where kind = 'matrix';
       update api_channel set kind = 'linenotify', value = 'a-token-of-line' where kind = 'pushbullet';
       update api_channel set kind = 'of-tomorrow' where kind = 'spike'`,
    );
    const { remarks } = read.imported;
    const left = remarks.notCarried.filter(({ what }) => what === 'integration');
    assert.deepEqual(
      left.map(({ name, reason }) => [name, reason]),
      [
        ['msteams', 'Microsoft has ended connectors of Teams'],
        ['of-tomorrow', 'there is no such kind here'],
        ['linenotify', 'LINE Notify has ended'],
      ],
    );
    const quarters = checksIn(read.imported).find(({ slug }) => slug === 'quarters');
    assert.equal(quarters?.channels, '');
  });

  test('has unreadable and refused integrations left out, and the rest of a group', async () => {
    await using read = await readAltered(
      `update api_channel set value = '{"url_down": "", "url_up": ""}' where name = 'Both ways';
       update api_channel set value = '{"id": 1, "secret-part' where kind = 'telegram';
       update api_channel set value = '[1, 2]' where kind = 'opsgenie';
       update api_channel set value = '{"webhook": null}' where kind = 'discord';
       update api_channel set value = '{"value": "call me", "up": true, "down": true}' where kind = 'sms';
       update api_channel set value = '{"value": "+15550100123", "up": false, "down": false}' where kind = 'whatsapp';
       delete from api_channel where kind = 'po' and project_id = 1`,
    );
    const { remarks } = read.imported;
    const left = remarks.notCarried.filter(({ what }) => what === 'integration');
    assert.deepEqual(
      left.map(({ name, reason }) => [name, reason]),
      [
        ['Webhook Both ways', 'down and up are both missing'],
        ['Discord', 'its settings cannot be read'],
        ['Telegram', 'its settings cannot be read'],
        ['Telegram', 'its settings cannot be read'],
        ['Opsgenie', 'key does not match pattern'],
        ['SMS', 'phone is not a valid phone number with + and country code'],
        ['WhatsApp', 'events is empty'],
      ],
    );
    const group = read.imported.declaration.projects[0]?.channels.find(({ kind }) => kind === 'group');
    assert.deepEqual(group?.settings.channels, [
      '0e74f1b2-0cc5-4383-95f7-2c778cebcee4',
      'bfbcb3cc-2a1b-44dd-9343-4986270ab748',
    ]);
    assert.ok(
      remarks.changed.some(({ field, became }) => field === 'channels' && became === '2 integrations'),
    );
  });

  test('has older spellings of values in the form of today', async () => {
    const hook = 'https://chat.example.org/hooks/abc';
    await using read = await readAltered(
      `update api_channel set value = '{"incoming_webhook": {"url": "${hook}"}}' where kind = 'mattermost';
       update api_channel set value = '8098badb-d17c-44d1-aeaf-95b625980c72' where kind = 'opsgenie';
       update api_channel set value = 'usw93hu9ab5n64cd9y5gkyxus7pt3m' where kind = 'po'`,
    );
    const { channels = [] } = read.imported.declaration.projects[0] ?? {};
    const settingsOf = (kind: string) => channels.find((channel) => channel.kind === kind)?.settings;
    assert.deepEqual(settingsOf('mattermost'), { url: hook });
    assert.deepEqual(settingsOf('opsgenie'), {
      key: '8098badb-d17c-44d1-aeaf-95b625980c72',
      region: 'us',
    });
    assert.deepEqual(settingsOf('po'), {
      user_key: 'usw93hu9ab5n64cd9y5gkyxus7pt3m',
      priority_down: 0,
      priority_up: 0,
    });
  });

  test('has a disabled integration off with its error, and its last message', async () => {
    await using read = await readFixture('SQLite');
    const { channels } = read.imported;
    const at = fromIso('2026-11-06T06:00:00.123456Z');
    const error = 'Delivery failed, SMTP status 550';
    assert.deepEqual(channels.get('11aa61ff-9691-4332-bef7-53dd4ad0fb7c'), {
      lastAttempt: { startedAt: at, duration: 0, error },
      off: { reason: 'failed', error, at },
    });
    assert.deepEqual(channels.get('0e74f1b2-0cc5-4383-95f7-2c778cebcee4'), { lastAttempt: null, off: null });
  });

  test('of 3.0 has defaults for later columns, and bodies that are texts', async () => {
    await using read = await readAltered(
      `alter table api_check drop column filter_http_body;
       alter table api_check drop column filter_default_fail;
       alter table api_flip drop column reason;
       alter table api_ping add column body text;
       update api_ping set body_raw = null, body = 'dumped öß' where id = 2;
       delete from django_migrations where app = 'api' and name > '0101'`,
    );
    const [check] = checksIn(read.imported);
    assert.equal(check?.edit.filterHttpBody, false);
    const { flips = [] } = read.imported.checks.get(check?.uuid ?? '') ?? {};
    assert.ok(flips.length > 0 && flips.every(({ reason }) => reason === ''));
    for await (const { place, body } of read.imported.pings(1)) {
      assert.deepEqual([place, Buffer.from(body ?? []).toString()], [2, 'dumped öß']);
      break;
    }
  });

  test('of a later version is remarked on', async () => {
    await using read = await readAltered(
      "insert into django_migrations (app, name, applied) values ('api', '0199_later', '2027-01-01')",
    );
    assert.deepEqual(
      read.imported.remarks.changed.map(({ field, was }) => [field, was]),
      [
        ['admin', 'superuser'],
        ['version', '0199'],
      ],
    );
  });

  test('has bodies in object storage by their length', async () => {
    await using read = await readAltered(
      'update api_ping set body_raw = null, object_size = 5000 where id = 2',
    );
    const [, ping] = await Array.fromAsync(read.imported.pings(0));
    assert.deepEqual([ping?.body, ping?.longBodySize], [null, 5000]);
  });

  test('survives NUL, broken characters, a megabyte and other types in every column', async () => {
    const values = [
      "'a' || char(0) || 'b'",
      "cast(x'c328ff' as text)",
      `printf('%.*c', 1000000, 'x')`,
      "x'00ff'",
      '9223372036854775807',
      '-1.5',
    ];
    for (const value of values) {
      await using read = await readAltered('', { spoiledWith: value });
      const { imported } = read;
      await Array.fromAsync(imported.pings(0));
      const told = JSON.stringify([imported.remarks, imported.refusals]);
      assert.ok(imported.remarks.notCarried.length > 0);
      assert.ok(told.length < 200_000);
    }
  });

  test('in lines survives the same', async () => {
    await using fixture = await healthchecksFixture('JSON lines');
    const lines = await readFile(fixture.place, 'utf8');
    const text = JSON.stringify(`a\0b\uD800${'x'.repeat(1000)}`);
    await writeFile(
      fixture.place,
      lines.replace(/"(name|slug|desc|ua|tags|value|last_error)": "(?:[^"\\]|\\.)*"/g, `"$1": ${text}`),
    );
    await using source = await openHealthchecks(fixture.place);
    const imported = await wholeImport(await readHealthchecks(source, OPTIONS));
    assert.equal(imported.checks.size, 31);
    await Array.fromAsync(imported.pings(0));
  });
});

async function readFixture(form: Form, options: Partial<HealthchecksOptions> = {}) {
  await using opened = new AsyncDisposableStack();
  const { place } = opened.use(await healthchecksFixture(form));
  const source = opened.use(await openHealthchecks(place));
  const imported = await wholeImport(await readHealthchecks(source, { ...OPTIONS, ...options }));
  const parts = opened.move();
  return { imported, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** Reads the fixture after statements have changed it, or after all columns but ids have got another value. */
async function readAltered(sql: string, { spoiledWith = '' } = {}) {
  await using opened = new AsyncDisposableStack();
  const { place } = opened.use(await healthchecksFixture('SQLite'));
  const database = new DatabaseSync(place);
  database.exec('pragma ignore_check_constraints = on; pragma foreign_keys = off');
  database.exec(sql);
  if (spoiledWith !== '') spoil(database, spoiledWith);
  database.close();
  const source = opened.use(await openHealthchecks(place));
  const imported = await wholeImport(await readHealthchecks(source, OPTIONS));
  const parts = opened.move();
  return { imported, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** One row of each table changes, since some columns are unique. Ids stay, since they lead from row to row. */
function spoil(database: DatabaseSync, value: string): void {
  const columns = database
    .prepare(
      `select m.name as "table", c.name as "column" from sqlite_master m, pragma_table_info(m.name) c
        where m.type = 'table' and (m.name like 'api%' or m.name like 'accounts%' or m.name = 'auth_user')`,
    )
    .all();
  for (const { table, column } of columns) {
    if (/(^|_)id$/.test(String(column))) continue;
    database.exec(`update "${table}" set "${column}" = ${value} where id = (select min(id) from "${table}")`);
  }
}

function accountsOf({ declaration, accounts }: WholeImport) {
  return declaration.accounts.map(({ line: _line, ...declared }) => {
    const imported = accounts.get(declared.email);
    return {
      ...declared,
      isActive: imported?.isActive,
      totp: imported?.totpSecret,
      keys: imported?.securityKeys.map(({ name, credentialId }) => [name, credentialId]),
      addressForm: imported?.addressForm,
    };
  });
}

function expectedAccounts({ accounts }: Facts) {
  return accounts.map((account) => ({
    email: account.email,
    name: '',
    ...(account.admin && { isAdmin: true }),
    tz: account.tz_here,
    theme: account.theme_here,
    reports: account.reports,
    reminders: account.reminders,
    limits: account.limits,
    isActive: account.active,
    totp: account.totp,
    keys: account.security_keys.map(({ name, credential_id: id }) => [name, id]),
    // Beta shows slugs, and carol is not in it.
    addressForm: account.email === 'carol@example.org' ? 'uuid' : 'slug',
  }));
}

function projectsOf({ declaration, projects }: WholeImport) {
  return declaration.projects.map(({ uuid = '', name, owner, members, keys }) => {
    const digested = projects.get(uuid)?.digestedKeys.map(({ kind }) => kind);
    const people = members.map(({ email, role }) => ({ email, role }));
    return { uuid, name, owner, members: people, keys, digested, badgeKey: projects.get(uuid)?.badgeKey };
  });
}

function expectedProjects({ projects }: Facts) {
  return projects.map(
    ({ uuid, name_here: name, owner, members, keys, ping_key: ping, badge_key: badgeKey }) => {
      const plain = (key?: { readonly key: string; readonly stored: string }) =>
        key?.stored === 'plain' ? key.key : undefined;
      const [readWrite, readOnly] = [plain(keys.read_write), plain(keys.read_only)];
      const digested = (['read_write', 'read_only'] as const).filter(
        (kind) => keys[kind]?.stored === 'hashed',
      );
      return {
        ...{ uuid, name, owner, members, digested, badgeKey },
        keys: {
          ...(readWrite !== undefined && { readWrite }),
          ...(readOnly !== undefined && { readOnly }),
          ...(ping !== null && { ping }),
        },
      };
    },
  );
}

function channelsOf({ declaration, channels }: WholeImport) {
  const all = declaration.projects.flatMap(({ uuid: project, channels: own }) =>
    own.map(({ uuid = '', kind, name, settings, verified }) => {
      const isOff = channels.get(uuid)?.off != null;
      return { uuid, project, kind, name, settings, verified, off: isOff };
    }),
  );
  return sorted(all);
}

/** The settings of a group are a set. */
function expectedChannels({ channels }: Facts) {
  const all = channels.map(({ uuid, project, name, here, verified, off }) => {
    const { kind } = here;
    assert.ok(isChannelKind(kind));
    const settings = readSettings(kind, here.settings);
    return { uuid, project, kind, name, settings, verified, off };
  });
  return sorted(all);
}

function sorted<T extends { readonly uuid: string; readonly kind: string; readonly settings: object }>(
  all: T[],
) {
  const ordered = ({ settings }: T) =>
    'channels' in settings && Array.isArray(settings.channels)
      ? { channels: settings.channels.toSorted() }
      : settings;
  return all
    .map((one) => ({ ...one, settings: ordered(one) }))
    .toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1));
}

function checksIn({ declaration }: WholeImport) {
  return declaration.projects.flatMap(({ checks }) => checks);
}

function checksOf({ declaration, checks }: WholeImport, form: Form) {
  const all = declaration.projects.flatMap(({ uuid: project, checks: own }) =>
    own.map(({ uuid = '', slug, edit, channels }) => {
      const {
        kind,
        timeout,
        schedule,
        run_rules: _rules,
        policy: _policy,
        parents: _parents,
        done_channels: _doneChannels,
        ...settings
      } = namedSettings(editConfig(DEFAULT_CONFIG, edit));
      const more = checks.get(uuid);
      return {
        ...{ uuid, project, ...settings, slug, kind },
        ...(kind === 'simple' ? { timeout } : { schedule }),
        channels: channels?.split(',').filter(Boolean).toSorted(),
        badgeKey: more?.badgeKey,
        createdAt: atMost(more?.createdAt, form),
        ...{ ...more?.state, hasConfirmationLink: undefined },
        lastPingAt: atMost(more?.state.lastPingAt, form),
        lastStartAt: atMost(more?.state.lastStartAt, form),
        flips: more?.flips.map((flip) => ({ ...flip, createdAt: atMost(flip.createdAt, form) })),
      };
    }),
  );
  return all.toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1));
}

function expectedChecks({ checks }: Facts, form: Form) {
  const all = checks.map((check) => ({
    ...{ uuid: check.uuid, project: check.project, name: check.name, slug: check.slug, tags: check.tags },
    ...{ desc: check.desc, kind: check.kind, grace: check.grace, tz: check.tz_here ?? 'UTC' },
    ...(check.kind === 'simple' ? { timeout: check.timeout } : { schedule: check.schedule }),
    ...{ manual_resume: check.manual_resume, methods: check.methods, start_kw: check.start_kw },
    ...{ success_kw: check.success_kw, failure_kw: check.failure_kw, filter_subject: check.filter_subject },
    ...{ filter_body: check.filter_body, filter_http_body: check.filter_http_body },
    filter_default_fail: check.filter_default_fail,
    channels: check.channels_here.toSorted(),
    badgeKey: check.badge_key,
    createdAt: time(check.created, form),
    status: check.status,
    pingCount: check.n_pings,
    lastPingAt: time(check.last_ping, form),
    lastStartAt: time(check.started, form),
    lastStartRid: check.started_rid,
    lastDuration: check.last_duration === null ? null : seconds(check.last_duration),
    hasConfirmationLink: undefined,
    flips: check.flips.map(({ at, from, to, reason }) => ({
      ...{ createdAt: time(at, form), oldStatus: from, newStatus: to, reason },
    })),
  }));
  return all.toSorted((one, other) => (one.uuid < other.uuid ? -1 : 1));
}

/** The number of pings of each check, and its last five. */
async function pingsOf(imported: WholeImport, form: Form) {
  const byCheck = new Map<string, ImportedPing[]>();
  for await (const ping of imported.pings(0))
    byCheck.set(ping.checkUuid, [...(byCheck.get(ping.checkUuid) ?? []), ping]);
  return new Map(
    [...byCheck].map(([uuid, pings]) => [
      uuid,
      {
        stored: pings.length,
        last: pings.slice(-5).map(({ place: _place, checkUuid: _check, longBodySize, body, ...ping }) => ({
          ...ping,
          createdAt: atMost(ping.createdAt, form),
          bytes: body?.length ?? 0,
          digest: body === null ? null : createHash('sha256').update(body).digest('hex'),
          longBodySize,
        })),
      },
    ]),
  );
}

function expectedPings({ checks }: Facts, form: Form) {
  return new Map(
    checks
      .filter(({ pings_stored: stored }) => stored > 0)
      .map(({ uuid, pings, pings_stored: stored }) => [
        uuid,
        {
          stored,
          last: pings.map((ping) => ({
            ...{ n: ping.n, createdAt: time(ping.at, form), signal: ping.type, scheme: ping.scheme },
            ...{ method: ping.method, remoteAddr: ping.remote_addr, userAgent: ping.ua, rid: ping.rid },
            ...{ exitStatus: ping.exit_status, bytes: ping.body_bytes, digest: ping.body_sha256 },
            ...{ longBodySize: null, occurredAt: null, ...NO_RUN_FACTS },
          })),
        },
      ]),
  );
}

function time(written: string | null, form: Form): Instant | null {
  return atMost(written === null ? null : fromIso(written), form);
}

/** Lines of Django have milliseconds. */
function atMost(at: Instant | null | undefined, form: Form): Instant | null {
  if (at === null || at === undefined) return null;
  return form === 'JSON lines' ? Math.floor(at / 1000) * 1000 : at;
}
