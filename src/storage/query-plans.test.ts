import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { forEachEngine, openTestDatabase, type TestStore } from '../../test/engines.ts';
import {
  accountRecord,
  accountTokenRecord,
  actRecord,
  addChannel,
  addCheck,
  aliasRecord,
  apiKeyRecord,
  assignChannels,
  calendarRecord,
  channelMessageRecord,
  channelRecord,
  checkRecord,
  deliveryRecord,
  flipRecord,
  givenProject,
  identityRecord,
  invitationRecord,
  linkRecord,
  mailRecord,
  noticeRecord,
  noticeUpdateRecord,
  passkeyRecord,
  pingRecord,
  policyRecord,
  projectRecord,
  quietTimeRecord,
  savedViewRecord,
  sessionRecord,
  statusPageRecord,
  unique,
  wallRecord,
} from '../../test/records.ts';
import type { Channel } from '../domain/alert/channel.ts';
import { NO_EXCHANGE } from '../domain/alert/delivery.ts';
import { type Check, type CheckMatch, FRESH_STATE } from '../domain/check/check.ts';
import { BEFORE_ALL_FLIPS } from '../domain/check/flip.ts';
import { outageOf } from '../domain/policy/outage.ts';
import type { Driver, Reader, Value, Writer } from './driver.ts';
import { Statements } from './sql/statements.ts';
import { createSqlStore } from './sql/store.ts';
import type { Reads, Store, Writes } from './store.ts';

const sha256Hex = (text: string) => createHash('sha256').update(text).digest('hex');

/** Tables that grow with the number of checks; the others grow with the number of people. */
const GROWING = [
  'checks',
  'check_channels',
  'check_parents',
  'deleted_checks',
  'pings',
  'ping_bodies',
  'body_moves',
  'object_deletions',
  'flips',
  'deliveries',
  'attempts',
  'mails',
  'channel_messages',
  'channels',
  'api_keys',
  'sessions',
  'attempt_limits',
  'audit_log',
  'links',
  'invitations',
  'status_pages',
  'status_notices',
  'status_updates',
  'walls',
  'calendars',
  'policies',
  'tag_policies',
  'quiet_times',
  'quiet_spans',
  'saved_views',
  'ping_aliases',
  'imported',
];

/** No id is that. */
const NOBODY = 0;
const MANY = Number.MAX_SAFE_INTEGER;
const SOME_ACCOUNTS = { above: -1, upTo: MANY, limit: 10 };

/** Queries for a total of the whole installation: seldom, and by its operator. */
const TOTALS = [
  'checks.count',
  'checks.pingTotal',
  'projects.count',
  'bodies.moveCount',
  'deliveries.openCount',
  'deliveries.progress',
  'mails.openCount',
  'apiKeys.countOfOtherSecrets',
  'apiKeys.ofForeignSecrets',
  // After the clock was set back, beside looking at all checks.
  'checks.shortenSnoozes',
  'quietTimes.beginAnew',
];

interface Statement {
  readonly method: string;
  readonly sql: string;
  readonly params: readonly Value[];
}

/** The part of a plan that says where an index is entered. */
const ENTERED_AT_PLACE = {
  sqlite: /flips USING COVERING INDEX flips_created \(\(created_at,check_id\)>/,
  postgres: /"Index Name":"flips_created".*"Index Cond":"[^"]*ROW\(created_at, check_id/,
};

forEachEngine((engine) => {
  const resources = new AsyncDisposableStack();
  let driver: Driver;
  let statements: Statement[];
  let uncalled: string[];
  before(async () => {
    const opened = resources.use(await openTestDatabase(engine));
    driver = opened.driver;
    const known = await fill(opened);
    ({ statements, uncalled } = await recordAll(driver, known));
  });
  after(() => resources.disposeAsync());

  test('no look-up of the store scans a table that grows with the number of checks', async () => {
    assert.deepEqual(uncalled, [], 'every method of the store is called here');

    const wanted = statements.filter(
      ({ method, sql }) => !TOTALS.includes(method) && !/^\s*insert/.test(sql),
    );
    const scans: string[] = [];
    for (const statement of wanted) {
      const plan = await (engine === 'sqlite' ? sqliteScans : postgresScans)(driver, statement);
      scans.push(...plan.map((scan) => `${statement.method}: ${scan}\n${statement.sql}`));
    }

    assert.ok(wanted.length > 30, 'the statements were recorded');
    assert.deepEqual(scans, []);
  });

  test('no text of a statement changes unnoticed', (t) => {
    const texts = Map.groupBy(statements, ({ method }) => method)
      .entries()
      .map(([method, made]) => {
        const distinct = new Set(made.map(({ sql, params }) => `${params.length} ${sql}`));
        return `${method} ${distinct.size} ${sha256Hex([...distinct].join('\n')).slice(0, 12)}`;
      });

    // A digest, because the texts themselves are in the sources.
    t.assert.fileSnapshot(
      [...texts].toSorted().join('\n'),
      join(import.meta.dirname, `statements-${engine}.golden`),
      { serializers: [String] },
    );
  });

  test('a piece of old flips is entered at its place, not at the first flip that is kept', async () => {
    const found = statements.find(
      ({ method, sql }) => method === 'flips.prune' && sql.startsWith('select created_at'),
    );
    assert.ok(found);

    const explain = engine === 'sqlite' ? 'explain query plan' : 'explain (format json)';
    const plan = await driver.transaction(async (tx) => {
      if (engine === 'postgres') await tx.script(NO_GUESSES);
      return tx.all(`${explain} ${found.sql}`, found.params);
    });

    assert.match(JSON.stringify(plan), ENTERED_AT_PLACE[engine]);
  });
});

interface Known {
  readonly email: string;
  readonly accountId: number;
  readonly projectId: number;
  readonly check: Check;
  readonly channel: Channel;
}

/** Some thousand checks in some hundred projects, with what belongs to them. */
async function fill({ driver, store }: TestStore): Promise<Known> {
  const { account, project } = await givenProject(store, { project: { pingKeyDigest: 'digest' } });
  const channel = await addChannel(store, project);
  const check = await addCheck(store, project, { slug: 'slug', deadlineAt: 1 });
  await assignChannels(store, check, [channel]);
  const flip = await store.transaction(async (tx) => {
    await tx.apiKeys.insert(apiKeyRecord(project.id, { lookup: 'lookup' }));
    await tx.pings.insertMany([pingRecord(check.id, { body: new Uint8Array(101) })]);
    await tx.bodies.queueMoves([{ checkId: check.id, n: 1 }], 1);
    return only(await tx.flips.insertMany([flipRecord(check.id)]));
  });
  await driver.transaction(async (tx) => {
    await tx.run(
      `insert into deliveries (uuid, check_id, channel_id, flip_id, status, state, created_at)
       values ($1, $2, $3, $4, 'down', 'sent', 0)`,
      [unique(), check.id, channel.id, flip.id],
    );
    await tx.run('insert into object_deletions (check_uuid, up_to, next_attempt_at) values ($1, 1, 1)', [
      check.uuid,
    ]);
    const isPostgres = driver.dialect.engine === 'postgres';
    const uuid = `${isPostgres ? 'cast(' : ''}'00000000-0000-4000-8000-' || (100000000000 + i)${isPostgres ? ' as uuid)' : ''}`;
    const text = (column: string) => `${column} || i`;
    const project = 'project_id + i % 300';
    await multiply(tx, 'accounts', 100, { uuid, email: text('email') });
    await multiply(tx, 'projects', 300, {
      uuid,
      owner_id: 'owner_id + i % 100',
      badge_key: text('badge_key'),
      ping_key_digest: text('ping_key_digest'),
    });
    await multiply(tx, 'api_keys', 3_000, {
      uuid,
      project_id: project,
      name: text('name'),
      lookup: text('lookup'),
      digest: text('digest'),
    });
    await multiply(tx, 'channels', 3_000, { uuid, project_id: project });
    await multiply(tx, 'checks', 6_000, {
      uuid,
      project_id: project,
      badge_key: text('badge_key'),
      unique_key: text('unique_key'),
      name: text('name'),
      slug: text('slug'),
      deadline_at: 'i + 1',
      alarm_at: 'i',
    });
    await tx.run(
      `insert into deleted_checks (check_id, project_id, uuid, channel_ids, deletes_at)
       select id, project_id, uuid, '[]', id from checks`,
    );
    // Enough for PostgreSQL to find an index worth its while.
    await multiply(tx, 'check_channels', 29_000, {
      check_id: 'check_id + i % 6000',
      channel_id: 'channel_id + i / 6000 * 37 + i % 2500',
    });
    await tx.run(
      `insert into check_parents (check_id, parent_id) select id, (select max(id) from checks where id < child.id)
         from checks as child where id > (select min(id) from checks)`,
    );
    await multiply(tx, 'pings', 6_000, { check_id: 'check_id + i % 3000', n: 'n + i' });
    await multiply(tx, 'ping_bodies', 6_000, { check_id: 'check_id + i % 3000', n: 'n + i' });
    await multiply(tx, 'body_moves', 6_000, {
      check_id: 'check_id + i % 3000',
      n: 'n + i',
      next_attempt_at: 'i',
    });
    await multiply(tx, 'object_deletions', 6_000, { check_uuid: uuid, next_attempt_at: 'i' });
    await multiply(tx, 'flips', 6_000, { check_id: 'check_id + i % 3000', created_at: 'created_at + i' });
    await multiply(tx, 'deliveries', 6_000, {
      uuid,
      check_id: 'check_id + i % 3000',
      channel_id: 'channel_id + i % 3000',
      flip_id: 'flip_id + i',
    });
    await tx.run(`update deliveries set state = 'open', next_attempt_at = id where id % 4 = 0`);
    await tx.run('update deliveries set leased_until_at = id where id % 400 = 0');
    await tx.run('insert into attempts (delivery_id, n, started_at) select min(id), 1, 0 from deliveries');
    await multiply(tx, 'attempts', 6_000, { delivery_id: 'delivery_id + i % 3000', n: 'n + i' });
    await tx.run(
      `insert into mails (uuid, account_id, kind, parameters, state, created_at, finished_at)
       values ($1, $2, 'report', '{}', 'delivered', 0, 0)`,
      [unique(), account.id],
    );
    await multiply(tx, 'mails', 6_000, { uuid, account_id: 'account_id + i % 100', finished_at: 'i' });
    await tx.run(
      `update mails set state = 'open', finished_at = null, next_attempt_at = id where id % 4 = 0`,
    );
    await tx.run(
      `insert into channel_messages (uuid, channel_id, check_id, kind, parameters, state, created_at, finished_at, account_id)
       select $1, channel_id, check_id, 'warned', '{}', 'delivered', 0, 0, 1 from deliveries order by id limit 1`,
      [unique()],
    );
    await multiply(tx, 'channel_messages', 6_000, {
      uuid,
      check_id: 'check_id + i % 3000',
      channel_id: 'channel_id + i % 3000',
      account_id: 'account_id + i % 100',
      finished_at: 'i',
    });
    await tx.run(
      `update channel_messages set state = 'open', finished_at = null, next_attempt_at = id where id % 4 = 0`,
    );
    await tx.run('update channel_messages set leased_until_at = id where id % 400 = 0');
    await tx.run(
      `insert into sessions (uuid, account_id, token_digest, created_at, last_seen_at, user_agent)
       values ($1, $2, 'digest', 0, 0, '')`,
      [unique(), account.id],
    );
    await multiply(tx, 'sessions', 6_000, {
      uuid,
      account_id: 'account_id + i % 100',
      token_digest: text('token_digest'),
      created_at: 'i',
      last_seen_at: 'i',
    });
    await tx.run(`insert into attempt_limits (key, full_at) values ('key', 0)`);
    await multiply(tx, 'attempt_limits', 6_000, { key: text('key'), full_at: 'i' });
    await tx.run(
      `insert into audit_log (created_at, account_id, actor, means, project_id, action,
         subject_kind, subject_id, subject_name, details)
       values (0, $1, '', 'session', $2, '', '', '', '', '{}')`,
      [account.id, check.projectId],
    );
    await multiply(tx, 'audit_log', 6_000, {
      created_at: 'i',
      account_id: 'account_id + i % 100',
      project_id: project,
    });
    await tx.run(
      `insert into links (digest, purpose, account_id, email, created_at, expires_at)
       values ('digest', 'sign_in', $1, 'email', 0, 0)`,
      [account.id],
    );
    await multiply(tx, 'links', 6_000, {
      digest: text('digest'),
      purpose: 'purpose || i % 50',
      account_id: 'account_id + i % 100',
      email: text('email'),
      expires_at: 'i',
    });
    await tx.run(
      `insert into invitations (uuid, project_id, digest, email, role, invited_by, created_at, expires_at)
       values ($1, $2, 'digest', 'email', 'member', $3, 0, 0)`,
      [unique(), check.projectId, account.id],
    );
    await multiply(tx, 'invitations', 6_000, {
      uuid,
      project_id: project,
      digest: text('digest'),
      email: text('email'),
      invited_by: 'invited_by + i % 100',
      expires_at: 'i',
    });
    await tx.run(
      `insert into status_pages (uuid, project_id, slug, title, about, tz, is_published, components, revision, created_at)
       values ($1, $2, 'slug', '', '', 'UTC', $3, '[]', 1, 0)`,
      [unique(), check.projectId, isPostgres ? true : 1],
    );
    await multiply(tx, 'status_pages', 6_000, { uuid, project_id: project, slug: text('slug') });
    await tx.run(
      `insert into status_notices (uuid, page_id, kind, title, component_ids, starts_at, created_at)
       select $1, min(id), 'incident', '', '[]', 0, 0 from status_pages`,
      [unique()],
    );
    await multiply(tx, 'status_notices', 6_000, {
      uuid,
      page_id: 'page_id + i % 3000',
      starts_at: 'i',
      ends_at: 'i + 1',
    });
    await tx.run(
      `insert into status_updates (uuid, notice_id, state, text, created_at, author)
       select $1, min(id), 'looking', '', 0, '' from status_notices`,
      [unique()],
    );
    await multiply(tx, 'status_updates', 6_000, { uuid, notice_id: 'notice_id + i % 3000' });
    await tx.run(
      `insert into walls (uuid, project_id, name, lookup, digest, created_at)
       values ($1, $2, '', '', 'digest', 0)`,
      [unique(), check.projectId],
    );
    await tx.run(
      `insert into policies (uuid, project_id, name, rules, created_at) values ($1, $2, 'own', '{}', 0)`,
      [unique(), check.projectId],
    );
    await multiply(tx, 'policies', 6_000, { uuid, project_id: project, name: text('name') });
    await tx.run(`insert into tag_policies (project_id, position, tag, policy) values ($1, 0, 'db', 'own')`, [
      check.projectId,
    ]);
    await multiply(tx, 'tag_policies', 6_000, {
      project_id: project,
      position: 'i',
      policy: text('policy'),
    });
    await tx.run(
      `insert into calendars (uuid, project_id, name, schedule, tz, duration_seconds, created_at)
       values ($1, $2, 'own', '08:00', 'UTC', 3600, 0)`,
      [unique(), check.projectId],
    );
    await multiply(tx, 'calendars', 6_000, { uuid, project_id: project, name: text('name') });
    await tx.run(
      `insert into quiet_times (uuid, project_id, name, reason, made_by, check_ids, tags, from_at, schedule, tz,
                                duration_seconds, next_at, created_at)
       values ($1, $2, '', '', '', '[]', '', 0, '* * * * *', 'UTC', 60, 0, 0)`,
      [unique(), check.projectId],
    );
    await multiply(tx, 'quiet_times', 6_000, { uuid, project_id: project, next_at: 'i' });
    await tx.run("insert into quiet_spans (check_id, from_at, until_at, name) values ($1, 0, 1, '')", [
      check.id,
    ]);
    await multiply(tx, 'quiet_spans', 6_000, { from_at: 'i + 1', until_at: 'i + 2' });
    await multiply(tx, 'walls', 6_000, { uuid, project_id: project, digest: text('digest') });
    await tx.run(
      `insert into ping_aliases (uuid, dialect, token_digest, token_sealed, check_id, created_at)
       values ($1, 'kuma', 'digest', '', $2, 0)`,
      [unique(), check.id],
    );
    await multiply(tx, 'ping_aliases', 6_000, {
      uuid,
      check_id: 'check_id + i % 3000',
      token_digest: text('token_digest'),
    });
    await tx.run(
      `insert into saved_views (uuid, project_id, account_id, name, query, is_shared, created_at)
       values ($1, $2, $3, '', '', $4, 0)`,
      [unique(), check.projectId, account.id, true],
    );
    await multiply(tx, 'saved_views', 6_000, { uuid, project_id: project });
    await tx.script('analyze');
  });
  return { email: account.email, accountId: account.id, projectId: project.id, check, channel };
}

/** Copies the table's only row so many times, with other values in these columns. */
async function multiply(
  tx: Writer,
  table: string,
  count: number,
  overrides: Readonly<Record<string, string>>,
): Promise<void> {
  const [row] = await tx.all<object>(`select * from ${table}`);
  const columns = Object.keys(row ?? {}).filter((column) => column !== 'id');
  assert.ok(columns.length > 0);
  await tx.script(`
    insert into ${table} (${columns.join(', ')})
    with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${count})
    select ${columns.map((column) => overrides[column] ?? column).join(', ')}
      from numbers cross join (select * from ${table} limit 1) as original`);
}

/** Calls every method of the store, and returns what each one asked of the database. */
async function recordAll(
  driver: Driver,
  known: Known,
): Promise<{ statements: Statement[]; uncalled: string[] }> {
  const statements: Statement[] = [];
  const called = new Set<string>();
  const all = new Set<string>();
  let method = '';
  const record = <T extends Reader>(db: T): T =>
    spy(db, (name, args) => {
      const [sql, params = []] = args as [string, (readonly Value[])?];
      // A script of several statements looks nothing up.
      if (['all', 'run'].includes(name)) statements.push({ method, sql, params });
      // Sent once for each set; which one says nothing about the plan.
      if (name === 'send')
        statements.push({ method, sql, params: (params as readonly (readonly Value[])[])[0] ?? [] });
    });
  const store = createSqlStore({
    dialect: driver.dialect,
    all: (sql, params) => record(driver).all(sql, params),
    transaction: (work) => driver.transaction((tx) => work(record(tx))),
    probe: () => driver.probe(),
    [Symbol.asyncDispose]: async () => undefined,
  });
  const note = <T extends Reads>(reads: T): T => {
    const groups = Object.entries(reads).filter(([, group]) => typeof group === 'object');
    const spied = groups.map(([name, group]) => {
      for (const member of methodsOf(group)) all.add(`${name}.${member}`);
      const enter = (member: string) => {
        method = `${name}.${member}`;
        called.add(method);
      };
      return [name, spy(group, enter)];
    });
    return { ...reads, ...Object.fromEntries(spied) };
  };

  // Marks are no part of the database.
  const { marks: _marks, ...reads } = store;
  await callReads(note<Reads>(reads), known);
  await callWrites(store, note<Writes>, known);

  return { statements, uncalled: [...all].filter((name) => !called.has(name)) };
}

async function callReads(
  reads: Reads,
  { email, accountId, projectId, check, channel }: Known,
): Promise<void> {
  await reads.accounts.byId(accountId);
  await reads.accounts.byEmail(email);
  await reads.accounts.hasAdmin();
  await reads.accounts.page(0, 10);
  await reads.links.find('digest', 'sign_in', 0);
  await reads.invitations.find('digest', 0);
  await reads.invitations.ofProject(projectId, 0);
  await reads.invitations.ofEmail('email', 0, 10);
  await reads.passkeys.isAny();
  await reads.passkeys.byCredentialId('id');
  await reads.identities.bySubject('issuer', 'subject');
  await reads.identities.ofAccount(accountId);
  await reads.groupMembers.ofAccount(accountId);
  await reads.passkeys.ofAccount(accountId);
  await reads.secondFactors.authenticatorOf(accountId);
  await reads.secondFactors.recoveryCodeCount(accountId);
  await reads.secondFactors.authenticators(0, 10);
  await reads.sessions.byDigest('digest');
  await reads.sessions.ofAccount(accountId);
  await reads.accounts.byUuid(check.uuid);
  await reads.accounts.usageOf([accountId]);
  await reads.accounts.addressForm(accountId);
  await reads.projects.byUuid(check.uuid);
  await reads.projects.visitedIn(1, check.uuid, 0);
  await reads.projects.usageOf([projectId]);
  await reads.instance.databaseBytes();
  await reads.instance.databaseVersion();
  await reads.instance.schemaVersions();
  await reads.instance.estimatedRows('checks');
  await reads.auditLog.ofAccount(accountId, MANY, 10);
  await reads.auditLog.signInsOf(accountId, 10);
  const page = { after: null, from: 1, before: MANY, most: 10 };
  await reads.auditLog.page({ accountId }, page);
  await reads.auditLog.page({ projectId }, { ...page, after: { createdAt: MANY, id: 1 } });
  await reads.accounts.ownerOf(projectId);
  await reads.accounts.checkCount(accountId);
  await reads.accounts.checkTotal();
  await reads.mailPreferences.ofAccount(accountId);
  await reads.mailPreferences.byUuid(check.uuid);
  await reads.mailPreferences.withoutReportDate(MANY, 10);
  await reads.mailPreferences.dueReports(MANY, 10);
  await reads.mailPreferences.dueReminders(MANY, MANY, 10);
  await reads.mailPreferences.hasDown(accountId, 0);
  await reads.mailPreferences.readersOf([check.id]);
  await reads.mailPreferences.afterBlindness(0, 10, 0);
  await reads.mailPreferences.wasPinged(accountId, 0);
  await reads.projects.byId(projectId);
  await reads.projects.accessibleTo(accountId);
  await reads.projects.withRoles(accountId);
  await reads.projects.accessOf(accountId, unique());
  for (const ref of [{ uuid: check.uuid }, { uniqueKey: check.uniqueKey }]) {
    await reads.checks.accessOf(accountId, ref);
    await reads.checks.visitedIn(1, ref, 0);
  }
  await reads.projects.membersOf(projectId);
  await reads.projects.teamOf(projectId);
  await reads.projects.roleOf(projectId, accountId);
  await reads.projects.isInOtherProject(projectId, accountId);
  await reads.projects.acquaintancesOf(projectId, accountId, 10);
  await reads.projects.acquaintancesOf(projectId, null, 10);
  await reads.projects.binOf(projectId);
  await reads.deletedChecks.ofProject(projectId, 0, 10);
  await reads.projects.byOwnerAndName(accountId, 'Backups');
  await reads.projects.ownedBy(accountId);
  await reads.projects.restorableOf(accountId, 0);
  await reads.projects.overviewsOf(accountId);
  await reads.transfers.ofProject(projectId);
  await reads.projects.byPingKey('digest');
  await reads.projects.byBadgeKey('key');
  await reads.projects.count(1_000);
  await reads.projects.memberCount(projectId);
  await reads.projects.page(projectId, 100);
  await reads.apiKeys.byLookup('lookup');
  await reads.apiKeys.anyByLookup('lookup');
  await reads.apiKeys.ofProject(projectId);
  await reads.apiKeys.listOf(projectId);
  await reads.accountTokens.byDigest('digest');
  await reads.accountTokens.ofAccount(accountId);
  await reads.apiKeys.countOfOtherSecrets('secret');
  await reads.apiKeys.ofForeignSecrets();
  await reads.channels.ofProject(projectId);
  await reads.channels.byId(channel.id);
  await reads.channels.byUuid(channel.uuid);
  await reads.channels.uuidsOf([channel.id]);
  await reads.channels.page(channel.id, 100);
  await reads.checks.ofProject(projectId);
  await reads.checks.pageOfProject(projectId, 0, 100);
  await reads.checks.downOfProject(projectId, 0);
  await reads.checks.recoveredSince(projectId, 0, 1);
  await reads.checks.exampleOfProject(projectId);
  await reads.checks.othersDown(projectId, check.id, 0, 1);
  await reads.checks.outlinesOf(projectId);
  await reads.checks.outlinesOf(projectId, { slug: 'slug', tags: [] });
  await reads.checks.outlinesOf(projectId, { slug: null, tags: ['one', 'two'] });
  await reads.checks.timedPage(projectId, 0, 100, null);
  await reads.checks.timedPage(projectId, 0, 100, 'one');
  await reads.checks.timedByIds([check.id]);
  await reads.checks.idsTagged(projectId, 'one', 0, 100);
  await reads.checks.tagsOfProject(projectId);
  await reads.checks.ofPolicy(projectId, 'own');
  await reads.checks.countByPolicy(projectId);
  await reads.checks.namesOfProject(projectId);
  await reads.checks.zonesOfProject(projectId);
  await reads.checks.namedBySlug(projectId, 'slug');
  await reads.checks.keysOf([check.id]);
  await reads.checks.byUuid(check.uuid);
  await reads.checks.mailed([check.uuid], [{ pingKeyDigest: 'digest', slug: 'slug' }]);
  await reads.checks.byUniqueKey(projectId, check.uniqueKey);
  await reads.checks.byBadgeKey(check.badgeKey);
  await reads.checks.channelsOfProject(projectId);
  await reads.checks.channelsOfMany([check.id]);
  await reads.checks.channelsOf(check.id);
  await reads.checks.sourcedIn(projectId, [check.uuid]);
  await reads.checks.revisionByUuid(check.uuid);
  await reads.checks.revisionByUniqueKey(projectId, check.uniqueKey);
  await reads.checks.countOfProject(projectId);
  await reads.checks.count(1_000);
  await reads.checks.pingTotal();
  await reads.checks.lastId();
  await reads.pings.latest(check.id, 10);
  await reads.pings.before(check.id, 10, 0);
  await reads.pings.oldestAt(check.id);
  await reads.pings.activity([check.id], 0, 150, 600_000_000);
  await reads.pings.longRuns([check.id], { from: 0, until: 1 }, 60_000_000, 1_000);
  await reads.pings.lastDurations(check.id, 0, 20);
  await reads.pings.lastUntil(check.id, Number.MAX_SAFE_INTEGER);
  await reads.pings.lateInto(check.id, 0, { from: 0, until: 1 }, 10);
  await reads.pings.byNumber(check.id, 1);
  for (const which of ['newest', 'oldest'] as const) {
    await reads.pings.inSpan(check.id, { above: 0, below: MANY }, which, 10);
  }
  await reads.pings.countBySignal(check.id, { above: 0, below: MANY });
  for (const end of ['first', 'last'] as const) await reads.pings.bodies(check.id, [1, 2], { end, most: 10 });
  await reads.pings.body(check.id, 1);
  await reads.pings.objectOf(check.id, 1);
  await reads.bodies.dueMoves(0, 10);
  await reads.bodies.dueDeletion(0);
  await reads.flips.ofCheck(check.id, { from: null, before: null }, { after: null, limit: 10 });
  await reads.flips.ofChecks([check.id], 0);
  await reads.flips.ofChecks([check.id], 0, 100);
  await reads.channels.leftBehind(0, 10);
  await reads.flips.flapping({ since: 0, until: MANY, moreThan: 200, notToldSince: 0, limit: 10 });
  await reads.flips.after(check.id, { createdAt: 0, id: 0 }, MANY, 10);
  await reads.flips.countOf(check.id, { from: null, before: null });
  await reads.flips.byId(1);
  await reads.flips.before({ ...flipRecord(check.id), id: 1 });
  await reads.flips.openingOf({ checkId: check.id, id: 1 });
  await reads.checks.byId(check.id);
  await reads.checks.byIds([check.id]);
  await reads.checks.revisedById(check.id);
  await reads.checks.revisedByIds([check.id]);
  await reads.checks.nextDeadlineAt();
  await reads.deliveries.ofCheck(check.id, 10);
  await reads.deliveries.ofFlips([1, 2]);
  await reads.outages.nextWakeAt();
  await reads.outages.openOf([1, 2]);
  await reads.outages.ofFlips([1, 2]);
  await reads.outages.ofFlip(1);
  await reads.outages.unsettledOf(1);
  await reads.deliveries.lastReached(check);
  await reads.deliveries.delivered(1, 1);
  await reads.deliveries.keptStory(1);
  await reads.deliveries.byUuid(check.uuid);
  await reads.deliveries.ofChannel(channel.id, 10);
  await reads.deliveries.recentOfProject(projectId, 10);
  await reads.channels.assignedCounts(projectId);
  await reads.channels.assignableChecks(channel);
  await reads.channels.health(projectId);
  await reads.channels.keptCode(channel.id);
  await reads.channels.withoutReportDate(MANY, 10);
  await reads.channels.dueReports(MANY, 10);
  await reads.deliveries.nextAttemptAt();
  await reads.liveness.lastBeatAt();
  await reads.liveness.blindSpansSince(0);
  await reads.liveness.untoldSpan();
  await reads.jobs.dueAt('job');
  await reads.messageCounts.ofAccount(accountId);
  await reads.liveness.blindSpanCount();
  await reads.checks.pageOfAll(0, 10);
  await reads.checks.oldestOverdueAt(MANY);
  await reads.bodies.moveCount();
  await reads.deliveries.oldestDueAt(MANY, { channels: [0], accounts: [-1] });
  await reads.deliveries.openCount();
  await reads.mails.openCount();
  await reads.mails.nextAttemptAt();
  await reads.channelMessages.nextAttemptAt();
  await reads.channelMessages.byUuid(channel.uuid);
  await reads.deliveries.openOutagesIn(1);
  await reads.mails.hasOpen(accountId, 'report');
  await reads.mails.lastSentAt(accountId, 'report');
  await reads.deliveries.progress();
  await reads.keptRuns.before(1, { results: ['failed'], from: 0, until: 1 }, { at: 1, n: 1 }, 10);
  await reads.keptRuns.troubles(1, 10, { from: 0, until: 1 }, { above: 0, upTo: 5 }, 10);
  await reads.keptRuns.countTroubles(1, { from: 0, until: 1 }, 5);
  await reads.pruning.next(0, 10);
  await reads.instance.get('key');
  await reads.flips.lastBefore([check.id], 1);
  await reads.statusPages.published('slug');
  await reads.statusPages.ofProject(projectId, 0);
  await reads.statusPages.byUuid(projectId, unique());
  await reads.statusPages.notices(1, { now: 1, endedAfter: 0, mostNotices: 10, mostUpdates: 10 });
  await reads.walls.byDigest('digest');
  await reads.walls.ofProject(projectId);
  await reads.channels.ofProjects([projectId]);
  await reads.channels.plannedOf([check.id]);
  await reads.channels.namedOf([NOBODY]);
  await reads.calendars.ofProject(projectId);
  await reads.calendars.ofProjects([projectId]);
  await reads.policies.ofProject(projectId);
  await reads.policies.tagsOf(projectId);
  await reads.policies.tagsAsOne([projectId]);
  await reads.policies.ofProjects([projectId]);
  await reads.checkParents.ofChecks([NOBODY]);
  await reads.deliveries.collectedIn(NOBODY);
  await reads.checks.countTagged(projectId, 'db');
  await reads.checkParents.ofProject(projectId);
  await reads.checks.labelsOfProject(projectId, 100);
  await reads.checks.uuidsOf(projectId, [check.id]);
  await reads.quietTimes.inForce(projectId, 1);
  await reads.quietTimes.ofProject(projectId);
  await reads.quietTimes.byUuid(projectId, check.uuid);
  await reads.quietTimes.nextAt();
  await reads.quietTimes.nextAccount(1, 1);
  await reads.quietTimes.dueOf(1, 1);
  await reads.quietTimes.accountsDue(1);
  await reads.quietTimes.spansSince([check.id], 0);
  await reads.checkNotes.of(NOBODY);
  await reads.projects.declarationMode(projectId);
  await reads.pingAliases.isDialectUsed('kuma');
  await reads.pingAliases.dialectsOf(projectId);
  await reads.pingAliases.ofCheck(NOBODY);
  await reads.pingAliases.ofProject(projectId);
  await reads.pingAliases.page(0, 10);
  await reads.savedViews.seenBy(projectId, NOBODY);
}

async function callWrites(store: Store, note: (tx: Writes) => Writes, known: Known): Promise<void> {
  const { email, accountId, projectId, check, channel } = known;
  const matches: CheckMatch[] = [
    { name: 'name' },
    { slug: 'slug' },
    { tags: 'tags' },
    { timeoutSeconds: 60 },
    { graceSeconds: 60 },
    { name: '', tags: '' },
    { name: '', slug: '', tags: '', timeoutSeconds: 60, graceSeconds: 60 },
  ];
  await store.transaction(async (real) => {
    const tx = note(real);
    const account = await tx.accounts.insert(accountRecord());
    await tx.accounts.setPassword(accountId, 'hash');
    await tx.accounts.hasPasswordForm('scrypt');
    await tx.accounts.setLimits(accountId, { checks: 1, pings: 1 });
    await tx.accounts.lock(accountId);
    await tx.accounts.lockToDelete(accountId);
    await tx.accounts.lockAdmins();
    await tx.accounts.save(account);
    await tx.accounts.delete(NOBODY);
    await tx.links.insert(linkRecord(accountId));
    await tx.links.take('digest', 'sign_in', 0);
    await tx.links.removeOfAccount(accountId);
    await tx.links.removeOfAccount(accountId, 'sign_in');
    await tx.links.removeOfEmail('email', 'sign_in');
    await tx.links.removeAll('setup');
    await tx.links.prune(1, 10);
    const invitation = invitationRecord(projectId, { invitedBy: accountId });
    await tx.invitations.insert(invitation);
    await tx.invitations.renew({ ...invitation, id: NOBODY });
    await tx.invitations.remove(NOBODY);
    await tx.invitations.removeOfEmail(projectId, 'email');
    await tx.invitations.prune(1, 10);
    const session = await tx.sessions.insert(sessionRecord(accountId));
    await tx.projects.beginVisit(session.id, projectId, 1);
    await tx.projects.endVisit(session.id, projectId);
    await tx.sessions.rotate(session.id, { tokenDigest: unique(), sudoUntilAt: null });
    await tx.sessions.noteSeen(session.id, { at: 1, remoteAddr: null });
    await tx.sessions.endByUuid(accountId, session.uuid);
    await tx.sessions.end(NOBODY);
    await tx.sessions.endOthers(NOBODY, 1);
    await tx.sessions.endOldest(accountId, 1);
    await tx.sessions.prune({ seenAt: 1, createdAt: 1 }, 10);
    const identity = await tx.identities.insert(identityRecord(accountId));
    await tx.identities.noteUse(identity.id, { email: 'a@b', at: 1 });
    await tx.identities.remove(accountId, identity.uuid);
    await tx.accounts.setAdminByGroup(accountId, true);
    await tx.accounts.setAdminByGroup(accountId, false);
    await tx.groupMembers.give(account.id, (await tx.projects.byId(projectId))?.uuid ?? '', 'member', {
      maxMembers: 9,
      at: 0,
    });
    await tx.groupMembers.take(account.id, projectId);
    const passkey = await tx.passkeys.insert(passkeyRecord(accountId));
    await tx.passkeys.noteUse(passkey.id, { counter: 1, at: 1 });
    await tx.passkeys.rename(accountId, passkey.uuid, 'name');
    await tx.passkeys.remove(accountId, passkey.uuid);
    await tx.passkeys.removeAll(accountId);
    const authenticator = { accountId, sealedSecret: 'sealed', createdAt: 0 };
    await tx.secondFactors.addAuthenticator(authenticator, 1);
    await tx.secondFactors.useStep(accountId, 2);
    await tx.secondFactors.reseal(authenticator, 'other');
    await tx.secondFactors.removeAuthenticator(accountId);
    await tx.secondFactors.setRecoveryCodes(accountId, ['one', 'two']);
    await tx.secondFactors.useRecoveryCode(accountId, 'one');
    await tx.emailChanges.lock(accountId, 0);
    await tx.emailChanges.save({
      accountId,
      newEmail: 'new',
      isOldConfirmed: false,
      isNewConfirmed: false,
      expiresAt: 1,
    });
    await tx.emailChanges.prune(1, 10);
    await tx.emailChanges.remove(accountId);
    await tx.attemptLimits.lock('key');
    await tx.attemptLimits.save('key', 1);
    await tx.attemptLimits.prune(1, 10);
    await tx.auditLog.insert(actRecord(accountId));
    await tx.auditLog.insert(actRecord(accountId), actRecord(accountId));
    await tx.auditLog.prune({ before: 1, now: 2, after: 0, most: 10 });
    await tx.auditLog.forgetProject(projectId, 10);
    await tx.auditLog.forgetAccount(NOBODY, 10);
    await tx.accounts.claimCheckSlot(accountId);
    await tx.accounts.releaseCheckSlot(accountId);
    await tx.accounts.moveCheckSlots(accountId, account.id, 0);
    await tx.accounts.byEmail(email);
    await tx.projects.insert(projectRecord(account.id));
    const mailPreferences = (await tx.mailPreferences.ofAccount(accountId)) ?? assert.fail();
    await tx.mailPreferences.moveReport(mailPreferences, 1);
    await tx.mailPreferences.setReports(accountId, 'daily', 'UTC');
    await tx.mailPreferences.setDateStyle(accountId, { language: 'de', dateFormat: 'iso', clock: '12h' });
    await tx.mailPreferences.setReminders(accountId, 3600);
    await tx.mailPreferences.moveReminder(mailPreferences, 1);
    await tx.mailPreferences.lockAccountsToRemind([check.id]);
    await tx.mailPreferences.lockProjectAccountsToRemind(projectId);
    await tx.mailPreferences.updateReminderDates([accountId], 1);
    const page = await tx.statusPages.insert(statusPageRecord(projectId));
    await tx.statusPages.lock(projectId, page.uuid);
    await tx.statusPages.countOf(projectId);
    await tx.statusPages.isTaken('slug');
    await tx.statusPages.save(page.id, page);
    await tx.statusPages.setPublished(page.id, true);
    await tx.statusPages.touch(page.id);
    const notice = await tx.statusPages.insertNotice(noticeRecord(page.id));
    await tx.statusPages.noticeByUuid(page.id, notice.uuid);
    await tx.statusPages.countNotices(page.id);
    await tx.statusPages.saveNotice(notice);
    await tx.statusPages.forgetNotices(page.id, 1);
    const update = await tx.statusPages.insertUpdate(noticeUpdateRecord(notice.id));
    await tx.statusPages.saveUpdateText(update.id, 'text');
    await tx.statusPages.deleteNotice(notice.id);
    await tx.statusPages.delete(page.id);
    const calendar = await tx.calendars.insert(calendarRecord(projectId, { name: unique() }));
    await tx.calendars.update(calendar);
    await tx.calendars.delete(projectId, calendar.id);
    const policy = await tx.policies.insert(policyRecord(projectId, { name: unique() }));
    await tx.policies.update(policy);
    await tx.policies.setDefault(projectId, policy.id);
    await tx.policies.setTags(projectId, [{ tag: 'db', policy: policy.name, asOne: true }]);
    await tx.policies.renameInTags(projectId, policy.name, 'other');
    await tx.policies.renameInTags(projectId, 'other', '');
    await tx.policies.wakeOutages(projectId, 1);
    await tx.policies.delete(projectId, policy.id);
    await tx.channels.lockNamed([NOBODY]);
    const wall = await tx.walls.insert(wallRecord(projectId));
    await tx.walls.update(wall);
    await tx.walls.delete(projectId, wall.id);
    await tx.walls.deleteOfMaker(account.id);
    const quietTime = await tx.quietTimes.insert(quietTimeRecord(projectId));
    await tx.quietTimes.update(quietTime);
    await tx.quietTimes.deleteOver(projectId, 0);
    await tx.quietTimes.moveOn(quietTime, 2);
    await tx.quietTimes.lookAgain(new Map([[quietTime, 2]]));
    await tx.quietTimes.beginAnew(1);
    await tx.quietTimes.saveSpans([{ checkId: check.id, name: '', from: 1, until: 2 }]);
    await tx.quietTimes.deleteSpansFrom([check.id], 2);
    await tx.quietTimes.pruneSpans(1, 10);
    await tx.quietTimes.delete(projectId, quietTime.id);
    for (const tags of ['', 'web'])
      for (const span of [null, { from: 1, until: 2 }])
        await tx.checks.lockCovered({ projectId, checkIds: [], tags }, span, 0, 10);
    const alias = await tx.pingAliases.insert(aliasRecord({ projectId }));
    await tx.pingAliases.byDigests([alias.tokenDigest]);
    for (const areDeclared of [false, true])
      await tx.checks.lockWithAliases([check.uuid], [alias.tokenDigest], areDeclared);
    await tx.pingAliases.projectsByPingKeys(['digest']);
    await tx.pingAliases.noteUses([alias.id], 1);
    await tx.pingAliases.noteUses([alias.id, NOBODY], 1);
    await tx.pingAliases.reseal(alias, 'sealed');
    await tx.pingAliases.delete(alias.id);
    await tx.pingAliases.setDialects(projectId, { kuma: true, cronitor: null });
    const view = await tx.savedViews.insert(savedViewRecord(projectId, account.id));
    await tx.savedViews.update({ ...view, isShared: true });
    await tx.savedViews.ofProject(projectId);
    await tx.savedViews.delete(projectId, view.id);
    await tx.projects.setBadgeKey(projectId, unique());
    await tx.projects.setPingKey(projectId, unique(), 'sealed');
    const project = await tx.projects.byId(projectId);
    if (project !== null) await tx.projects.resealPingKey(project, 'sealed');
    await tx.projects.delete(NOBODY);
    await tx.projects.addMember(projectId, account.id, 'member', 0);
    await tx.projects.setRole(projectId, account.id, 'manager');
    await tx.transfers.save({ projectId, accountId: account.id, createdAt: 0 });
    await tx.transfers.remove(projectId);
    await tx.projects.removeMember(projectId, account.id);
    await tx.projects.lock(projectId);
    await tx.projects.lockByUuid(unique());
    await tx.projects.lockOwner(projectId);
    await tx.projects.lockDueDeletion(1);
    await tx.projects.isDeclared(projectId);
    await tx.projects.rename(projectId, 'Backups');
    await tx.accounts.setAddressForm(accountId, 'slug');
    await tx.projects.setDeletion(projectId, null);
    await tx.projects.setOwner(projectId, accountId);
    await tx.projects.dropNames(NOBODY);
    await tx.projects.lockByPingKey('digest');
    const key = await tx.apiKeys.insert(apiKeyRecord(projectId));
    await tx.apiKeys.setDigest(key, { digest: unique(), secretId: 'secret' });
    await tx.apiKeys.setExpiry(key.id, 1);
    await tx.apiKeys.noteUses([{ id: key.id, at: 1, remoteAddr: null }]);
    await tx.apiKeys.noteUses([1, 2].map((id) => ({ id, at: 1, remoteAddr: null })));
    await tx.apiKeys.deleteExpired(projectId, 1);
    await tx.apiKeys.delete(projectId, key.id);
    await tx.apiKeys.deleteOfMaker(account.id);
    const token = await tx.accountTokens.insert(accountTokenRecord(accountId));
    await tx.accountTokens.update(token);
    await tx.accountTokens.noteUses([{ id: token.id, at: 1, remoteAddr: null }]);
    await tx.accountTokens.noteUses([1, 2].map((id) => ({ id, at: 1, remoteAddr: null })));
    await tx.accountTokens.removeExpired(accountId, 1);
    await tx.accountTokens.remove(accountId, token.uuid);
    await tx.accountTokens.removeAll(accountId);
    await tx.channels.insert(channelRecord(projectId));
    await tx.channels.update(channel);
    await tx.channels.lockAssigned([check.id]);
    await tx.channels.lockPlanned([check.id]);
    await tx.channels.lockListeners([channel.id]);
    await tx.channels.lock(channel.id);
    await tx.channels.forgetReportDates(1);
    await tx.channels.moveReport({ id: channel.id, period: 'daily', nextReportAt: 0, tz: 'UTC' }, 1);
    await tx.channels.setSettings(channel, channel.settings);
    await tx.channels.assign(channel, [check.uuid]);
    await tx.channels.assign({ ...channel, projectId: NOBODY }, 'all');
    await tx.channels.switchOff(channel, { reason: 'bounced', error: '', at: 0 });
    await tx.channels.noteAttempt(channel, { startedAt: 0, duration: 0, error: '' });
    await tx.channels.noteEarlierAttempt(channel, { startedAt: 0, duration: 0, error: '' });
    await tx.channels.noteLateError(channel, '');
    await tx.channels.noteFailingTold(channel, 0);
    await tx.deliveries.deleteOfChannel(NOBODY, 1_000);
    await tx.deliveries.deleteOfCheck(NOBODY, 1_000);
    await tx.flips.deleteOfCheck(NOBODY, 1_000);
    await tx.keptRuns.deleteOfCheck(NOBODY, 1_000);
    await tx.channels.deleteOfProject(NOBODY, 1_000);
    await tx.channels.delete({ id: NOBODY, projectId });
    const inserted = await tx.checks.insert(checkRecord(projectId));
    const tagged = { tags: 'a b' };
    await tx.checks.insertAll([checkRecord(projectId, tagged), checkRecord(projectId, tagged)]);
    await tx.checks.knownUuids([inserted.uuid]);
    await tx.checks.lock(check.id);
    await tx.checks.lockByIds([check.id, inserted.id]);
    await tx.checks.namesIn(projectId, { uuids: [check.uuid], slugs: [check.slug] });
    const held = await tx.checks.lockMany([check.uuid, inserted.uuid]);
    await tx.checks.excuseOverdue(0, 1, 1);
    await tx.liveness.lock();
    await tx.liveness.beat('node', 1, 0);
    await tx.liveness.forgetAfter(1);
    await tx.liveness.addBlindSpan({ from: 0, until: 1 });
    await tx.liveness.cutBlindSpans(1);
    await tx.checks.putOffAlarms(1, 10);
    await tx.checks.fillLastResults(0, MANY);
    await tx.liveness.moveTold(1, 0, 1);
    await tx.jobs.claim('job', 0, 1, 1);
    await tx.jobs.postpone('job', 1);
    const count = { month: '2026-11', used: 0, toldAt: null };
    await tx.messageCounts.lock(accountId, 'sms', count);
    await tx.messageCounts.save(accountId, 'sms', count);
    await tx.messageCounts.lockInstance('sms', count);
    await tx.messageCounts.saveInstance('sms', count);
    await tx.channels.keepCode(channel, { digest: 'd', expiresAt: 1 });
    await tx.channels.dropCode(channel);
    await tx.rateBuckets.lock(projectId, { credit: 1, filledAt: 0 });
    await tx.rateBuckets.save(projectId, { credit: 0, filledAt: 0 });
    await tx.accountRateBuckets.lock(accountId, { credit: 1, filledAt: 0 });
    await tx.accountRateBuckets.save(accountId, { credit: 0, filledAt: 0 });
    await tx.tokenRateBuckets.lock(accountId, { credit: 1, filledAt: 0 });
    await tx.tokenRateBuckets.save(accountId, { credit: 0, filledAt: 0 });
    await tx.flips.noteFlapping([check.id], 1, 0);
    await tx.checks.lockOverdue(Number.MAX_SAFE_INTEGER, 10);
    await tx.checks.uuidsBySlug([{ pingKeyDigest: 'digest', slug: 'slug' }]);
    for (const match of matches) await tx.checks.lockMatching(projectId, match);
    await tx.checks.saveConfig(check);
    await tx.checks.lockMany([check.uuid], true);
    await tx.checks.noteDeclaration(check, 'follow digest same');
    await tx.checks.namesByKey(projectId, ['0']);
    await tx.checkParents.save({ ...check, parents: '0' });
    await tx.checkParents.forget(check);
    await tx.checkParents.rename(check, '1');
    await tx.checkParents.noteChildren([check.id]);
    await tx.checkParents.wakeChildren([check.id], 1);
    await tx.checkNotes.saveDeclaration(check, '{}');
    await tx.checkNotes.acceptTiming(check, 'simple');
    await tx.projects.setDeclarationMode(projectId, 'off');
    await tx.checks.saveState(check);
    await tx.checks.saveStates([check, inserted]);
    const after = { status: 'down', deadlineAt: 1 } as const;
    await tx.checks.saveChanges(held.map((before) => ({ before, after: { ...before, ...after } })));
    await tx.checks.saveChanges(held.map((before) => ({ before, after: before })));
    await tx.checks.setChannels(check, [channel.id]);
    await tx.checks.assignNew(
      [inserted.id, inserted.id + 1].map((id) => ({ check: { id, projectId }, channelIds: [channel.id] })),
    );
    await tx.projects.addBin(projectId, { uuid: unique(), badgeKey: unique(), createdAt: 0 });
    await tx.checks.saveIdentity(inserted, { ...inserted, uuid: unique() });
    const deleted = { id: inserted.id, projectId, uuid: inserted.uuid, channelIds: [], deletesAt: 1 };
    await tx.deletedChecks.insert({ ...deleted, declaration: null });
    await tx.deletedChecks.lock(projectId, inserted.uuid, 0);
    await tx.deletedChecks.lockDue(1);
    await tx.deletedChecks.expireBeyond(projectId, 10, 0);
    await tx.deletedChecks.delete(inserted.id);
    await tx.deliveries.withholdOfCheck(NOBODY, '', 0);
    await tx.checks.delete(inserted);
    await tx.pings.insertMany([pingRecord(check.id, { n: 9_000_001 })]);
    await tx.pings.insertMany([9_000_002, 9_000_003].map((n) => pingRecord(check.id, { n })));
    const move = { checkId: check.id, checkUuid: check.uuid, n: 9_000_001, attempts: 0 };
    await tx.bodies.queueMoves([move], 0);
    await tx.bodies.claimMove(move, 0);
    await tx.bodies.postponeMove(move, 0);
    await tx.bodies.finishMove(move);
    const deletion = { checkUuid: check.uuid, upTo: 1, attempts: 0 };
    await tx.bodies.claimDeletion(deletion, 0);
    await tx.bodies.postponeDeletion(deletion, 0);
    await tx.bodies.finishDeletion(deletion);
    await tx.pauses.save(check.id, 1, FRESH_STATE);
    await tx.pauses.remove(check.id, 1);
    const flip = only(await tx.flips.insertMany([flipRecord(check.id)]));
    await tx.flips.insertMany([flipRecord(check.id), flipRecord(check.id)]);
    await tx.projects.usePolicies(projectId);
    const opening = flipRecord(check.id, { newStatus: 'down', reason: 'fail' });
    const outage = only(await tx.outages.insertMany([outageOf({ ...flip, ...opening })]));
    await tx.outages.checksToTell([check.id]);
    await tx.outages.lockOpen([check.id]);
    await tx.outages.lockUnsettled([check.id]);
    await tx.outages.lockAround([check.id]);
    await tx.outages.lockDue(0, 1);
    await tx.outages.toldOf([flip.id]);
    await tx.outages.waitsOf([outage.id]);
    const wait = {
      outageId: outage.id,
      channelId: channel.id,
      status: 'down',
      reason: 'channel_hours',
    } as const;
    await tx.outages.saveWaits([outage.id], [wait]);
    await tx.outages.addWaits(outage, [wait], 1);
    for (const status of ['down', 'up'] as const)
      await tx.outages.lockOfFlip({ checkId: check.id, flipId: flip.id, status });
    await tx.outages.save([outage, outage]);
    await tx.outages.wake([check.id], 1);
    await tx.outages.bringBack(1, 0, 1);
    await tx.outages.endOf(check.id, 1);
    await tx.outages.reopen(check.id, 1, 2);
    await tx.outages.deleteOf(check.id);
    await tx.checks.snooze(check, { until: 1, by: 'Anna' });
    await tx.checks.setPolicies([{ ...check, policy: 'own' }]);
    await tx.checks.replacePolicy(check.projectId, 'own', '');
    await tx.checks.noteChanges([check]);
    await tx.checks.shortenSnoozes(1);
    await tx.deliveries.insertMany([deliveryRecord(flip, channel.id), deliveryRecord(flip, channel.id)]);
    const turns = [
      { accountId: 0, limit: 1 },
      { accountId: 1, limit: 1 },
    ];
    await tx.deliveries.endLapsed(0);
    await tx.deliveries.waitingAccounts(SOME_ACCOUNTS);
    await tx.deliveries.lease({ now: 0, until: MANY, turns, busyChannels: [0] });
    const [claimed] = await tx.deliveries.lease({
      now: MANY,
      until: MANY,
      turns: turns.slice(0, 1),
      busyChannels: [0],
    });
    if (claimed === undefined) throw new Error('nothing was claimed');
    await tx.deliveries.keepStories([{ id: claimed.id, story: '{}' }]);
    await tx.deliveries.keepProviderIds([{ id: claimed.id, providerId: '1' }]);
    await tx.deliveries.forgetStories([claimed.id]);
    await tx.deliveries.extend([claimed], 0);
    await tx.deliveries.release([claimed], 0);
    await tx.deliveries.releaseAll();
    await tx.deliveries.bringForward(1);
    await tx.deliveries.holdBack(MANY, [0, 1]);
    await tx.channels.pause(channel, 0);
    await tx.channels.endPause(channel);
    await tx.deliveries.postponeTo(channel.id, 0);
    await tx.deliveries.releaseNext([claimed], 0);
    await tx.deliveries.releaseNext([claimed, claimed], 0);
    await tx.deliveries.settle([claimed]);
    await tx.deliveries.settle([claimed, claimed]);
    const attempt = { deliveryId: claimed.id, n: 1, startedAt: 0, duration: 0, error: '', ...NO_EXCHANGE };
    await tx.deliveries.addAttempts([attempt]);
    await tx.deliveries.addAttempts([attempt, { ...attempt, n: 2 }]);
    await tx.deliveries.reopen(channel.id, unique(), 0);
    for (const ref of [{ uuid: unique() }, { id: 0 }]) await tx.deliveries.amend(ref, 0, '');
    await tx.mails.insertMany([mailRecord(accountId), mailRecord(accountId)]);
    await tx.mails.endLapsed(0);
    await tx.mails.waitingAccounts(SOME_ACCOUNTS);
    await tx.mails.lease({ now: 0, until: MANY, turns });
    const claimedMails = await tx.mails.lease({
      now: MANY,
      until: MANY,
      turns: [{ accountId, limit: 2 }],
    });
    await tx.mails.extend(claimedMails, 0);
    await tx.mails.releaseAll();
    await tx.mails.bringForward(1);
    await tx.mails.settle(claimedMails.slice(1));
    await tx.mails.settle(claimedMails);
    await tx.mails.prune(0, 10);
    const noted = [channelMessageRecord(channel.id, check.id), channelMessageRecord(channel.id, check.id)];
    await tx.channelMessages.insertMany(noted);
    await tx.channelMessages.insertMany(noted.slice(0, 1).map((row) => ({ ...row, uuid: unique() })));
    const newer = () => ({ ...channelMessageRecord(channel.id, check.id), uuid: unique() });
    const together = await tx.channelMessages.insert({ ...newer(), checkId: null });
    await tx.channelMessages.together(channel.id, 20);
    await tx.channelMessages.lockUntried([1, 2]);
    await tx.deliveries.queuedAt(channel.id, 5);
    await tx.deliveries.messagesOf(channel.id, [together], [check.id]);
    await tx.deliveries.openCountIn(together);
    await tx.deliveries.blockedIn(together);
    await tx.deliveries.moveTo(together, [NOBODY]);
    await tx.deliveries.leaveOut(together, [NOBODY], 0);
    await tx.deliveries.tellSingly(together, 0);
    await tx.deliveries.settleTogether(together, { ...newer(), state: 'delivered' });
    await tx.channelMessages.takePlaces([newer()]);
    await tx.channelMessages.takePlaces([newer(), newer()]);
    await tx.channelMessages.endLapsed(0);
    await tx.channelMessages.waitingAccounts(SOME_ACCOUNTS);
    await tx.channelMessages.lease({ now: 0, until: MANY, turns, busyChannels: [0] });
    const [leasedMessage] = await tx.channelMessages.lease({
      ...{ now: MANY, until: MANY, busyChannels: [] },
      turns: [{ accountId: noted[0]?.accountId ?? 0, limit: 1 }],
    });
    assert.ok(leasedMessage);
    await tx.channelMessages.extend([leasedMessage], 0);
    await tx.channelMessages.release([leasedMessage], 0);
    await tx.channelMessages.releaseAll();
    await tx.channelMessages.bringForward(1);
    await tx.channelMessages.settle([leasedMessage]);
    await tx.channelMessages.settle([leasedMessage, leasedMessage]);
    await tx.channelMessages.keepExchanges([{ id: leasedMessage.id, ...NO_EXCHANGE }]);
    await tx.channelMessages.prune(0, 10);
    await tx.pings.prune(check.id, 0, 10);
    const [place] = await tx.flips.ofCheck(check.id, { from: null, before: null });
    assert.ok(place);
    await tx.flips.prune({ before: MANY, after: place, most: 10 });
    await tx.flips.prune({ before: MANY, after: BEFORE_ALL_FLIPS, most: 10 });
    await tx.deliveries.hurry(check.id, unique(), 0);
    await tx.deliveries.hurryAll(NOBODY, 0, 1);
    await tx.deliveries.prune(check.id, 0, 10);
    await tx.liveness.pruneBlindSpans(MANY, 10);
    await tx.keptRuns.prune(0, 10);
    await tx.pruning.addMany([check.id]);
    await tx.pruning.addMany([check.id, check.id]);
    await tx.pruning.done(check.id);
    await tx.instance.setOnce('key', 'value');
    await tx.instance.set('key', 'value');
    await tx.instance.lock('key');
    await tx.instance.delete('key');
    const row = await tx.imports.insert('kuma', 'installation', 0);
    await tx.imports.byIdentity('installation');
    const fields = { kind: 'check', entry: check.uuid, rowId: check.id, fields: {}, pingCount: 0 } as const;
    await tx.imports.save(row.id, [fields]);
    await tx.imports.entriesOf(row.id);
    await tx.imports.checksAmong(row.id, [check.uuid]);
    await tx.imports.checksHere(row.id, '', 10);
    await tx.imports.startAgain(row);
    await tx.imports.pingTargets(row.id, '', 10);
    await tx.imports.oldestPings(row.id);
    await tx.imports.movePlace(row, 1);
    await tx.declarations.lock();
    await tx.declarations.projectsOf('infra');
    await tx.declarations.hasOthers(projectId, 'infra');
    await tx.declarations.ofCheck(check.id);
    await tx.declarations.checksAmong(projectId, { names: ['name'], ids: [check.id] });
    await tx.declarations.declareNewChecks(projectId, 'infra', [{ id: check.id, name: 'name' }]);
    await tx.pingAliases.ofChecksIn(projectId);
    await tx.declarations.tokensOf('infra');
    await tx.declarations.aliasesOf('infra');
    await tx.declarations.declareAlias({ dialect: 'kuma', digest: 'digest' }, 'infra');
    for (const kind of [
      'project',
      'channel',
      'check',
      'status_page',
      'wall',
      'view',
      'policy',
      'calendar',
      'quiet_time',
      'account_token',
    ] as const) {
      await tx.declarations.entriesOf(kind, projectId);
      const declaration = { name: 'name', source: 'infra', isMade: true };
      await tx.declarations.declare(kind, projectId, check.id, declaration);
      await tx.declarations.release(kind, check.id);
    }
  });
}

async function sqliteScans(driver: Driver, { sql, params }: Statement): Promise<string[]> {
  const steps = await driver.transaction((tx) =>
    tx.all<{ detail: string }>(`explain query plan ${sql}`, params),
  );
  return steps
    .map(({ detail }) => detail)
    .filter((detail) => GROWING.includes(/^SCAN (\w+)/.exec(detail)?.[1] ?? ''));
}

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Filter?: string;
  'Index Cond'?: string;
  Plans?: Plan[];
}

/**
 * PostgreSQL reads a whole table only where no index leads to the rows. Otherwise that would depend on what it guesses of
 * tables that are small here.
 */
const NO_GUESSES = 'set local enable_seqscan = off';

/** Both as planned for these values, and as planned once for all. */
async function postgresScans(driver: Driver, { sql, params }: Statement): Promise<string[]> {
  type Explained = { 'QUERY PLAN': { Plan: Plan }[] };
  const plans = await driver.transaction(async (tx) => {
    await tx.script(NO_GUESSES);
    const custom = await tx.all<Explained>(`explain (format json) ${sql}`, params);
    await tx.script(`set local plan_cache_mode = force_generic_plan; prepare statement as ${sql}`);
    const nulls = params.length === 0 ? '' : `(${params.map(() => 'null').join(', ')})`;
    const generic = await tx.all<Explained>(`explain (format json) execute statement${nulls}`);
    await tx.script('deallocate statement');
    return [...custom, ...generic].flatMap((row) => row['QUERY PLAN'].map(({ Plan }) => Plan));
  });
  return plans
    .flatMap(nodesOf)
    .filter(isScan)
    .map((node) => JSON.stringify(node));
}

/** A part that names no table is about the table of the part around it, as an index that only gives places. */
function nodesOf(plan: Plan): Plan[] {
  const table = plan['Relation Name'];
  const inner = (plan.Plans ?? []).filter((part) => !isFirstOfIndex(plan, part));
  return [plan, ...inner.flatMap((part) => nodesOf({ ...(table && { 'Relation Name': table }), ...part }))];
}

/** The first entry of an index costs the same however many follow. */
function isFirstOfIndex(outer: Plan, inner: Plan): boolean {
  return outer['Node Type'] === 'Limit' && /^Index (Only )?Scan$/.test(inner['Node Type']) && !inner.Filter;
}

/** An index that is read from one end to the other is a scan, too. */
function isScan(node: Plan): boolean {
  if (!GROWING.includes(node['Relation Name'] ?? '')) return false;
  const isIndex = /^(Bitmap )?Index (Only )?Scan$/.test(node['Node Type']);
  return node['Node Type'] === 'Seq Scan' || (isIndex && node['Index Cond'] === undefined);
}

/** Tells each call of a method before it is made. */
function spy<T extends object>(target: T, told: (method: string, args: unknown[]) => void): T {
  return new Proxy(target, {
    get(object, name) {
      const member: unknown = Reflect.get(object, name, object);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        told(String(name), args);
        return Reflect.apply(member, object, args);
      };
    },
  });
}

function only<T>([first]: readonly T[]): T {
  assert.ok(first !== undefined);
  return first;
}

function methodsOf(group: object): string[] {
  const names = new Set<string>();
  for (
    let level = Object.getPrototypeOf(group);
    level !== Statements.prototype;
    level = Object.getPrototypeOf(level)
  ) {
    for (const name of Object.getOwnPropertyNames(level)) names.add(name);
  }
  names.delete('constructor');
  return [...names];
}
