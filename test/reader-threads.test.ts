import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Channel } from '../src/domain/alert/channel.ts';
import type { Check } from '../src/domain/check/check.ts';
import { REMINDER_SECONDS } from '../src/domain/people/account.ts';
import { dashboardRoutes } from '../src/http/dashboard/routes.ts';
import type { Route } from '../src/http/route.ts';
import { createHttpServer } from '../src/http/server.ts';
import { type Clock, systemClock } from '../src/lib/clock.ts';
import type { Mail } from '../src/lib/mail-sender.ts';
import { buildNode, type Node, type NodeParts } from '../src/node/node.ts';
import { startLoops, startWatching } from '../src/node/start-loops.ts';
import { startReaderThreads } from '../src/reader-thread.ts';
import { projectMetrics } from '../src/reading/lists.ts';
import { view } from '../src/reading/view-read.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { recordBeat } from '../src/services/core/liveness.ts';
import { queueReports } from '../src/services/mail/reports.ts';
import { operatorOn } from '../src/services/people/account-actor.ts';
import { setReminders } from '../src/services/people/mail-preferences.ts';
import type { Reads, Store } from '../src/storage/store.ts';
import { setReports } from './account-mails.ts';
import { sharedTestApp, startTestApp } from './app.ts';
import { givenAccount, newBrowser } from './dashboard/browser.ts';
import { projectEndpointsOf } from './dashboard/endpoints.ts';
import { forEachEngine } from './engines.ts';
import { injectInto } from './inject.ts';
import { MESSAGE_LIMITS, SITE, TEST_SECRET, testDatabase, testParts } from './node-parts.ts';
import { deliveryRecord, flipRecord, pingRecord } from './records.ts';
import { until } from './waiting.ts';

/**
 * The duration of each read of the store. A short read finds a few rows by an index, however much is stored. All others
 * are long: the thread that answers pings must leave them to a reader thread, or to a transaction of the writer's.
 */
const READS: { [Noun in keyof Reads]: Record<keyof Reads[Noun], 'short' | 'long'> } = {
  accounts: {
    addressForm: 'short',
    byEmail: 'short',
    byId: 'short',
    byUuid: 'short',
    usageOf: 'long',
    ownerOf: 'short',
    checkCount: 'short',
    checkTotal: 'long',
    hasAdmin: 'short',
    page: 'long',
  },
  sessions: { byDigest: 'short', ofAccount: 'short' },
  links: { find: 'short' },
  // Open invitations of a project have a limit, and so have those that a person is shown.
  invitations: { find: 'short', ofProject: 'short', ofEmail: 'short' },
  secondFactors: { authenticatorOf: 'short', recoveryCodeCount: 'short', authenticators: 'long' },
  passkeys: { isAny: 'short', byCredentialId: 'short', ofAccount: 'short' },
  identities: { bySubject: 'short', ofAccount: 'short' },
  groupMembers: { ofAccount: 'short' },
  auditLog: { ofAccount: 'long', page: 'long', signInsOf: 'short' },
  mailPreferences: {
    ofAccount: 'short',
    byUuid: 'short',
    withoutReportDate: 'short',
    dueReports: 'short',
    dueReminders: 'short',
    hasDown: 'long',
    wasPinged: 'long',
    readersOf: 'long',
    afterBlindness: 'long',
  },
  projects: {
    declarationMode: 'short',
    byId: 'short',
    binOf: 'short',
    accessibleTo: 'long',
    withRoles: 'short',
    accessOf: 'short',
    byUuid: 'short',
    visitedIn: 'short',
    usageOf: 'long',
    membersOf: 'short',
    // A team has a limit.
    teamOf: 'short',
    roleOf: 'short',
    isInOtherProject: 'short',
    acquaintancesOf: 'long',
    byOwnerAndName: 'long',
    memberCount: 'long',
    byPingKey: 'short',
    byBadgeKey: 'short',
    count: 'long',
    page: 'long',
    // At most the limit of one account.
    ownedBy: 'short',
    restorableOf: 'short',
    overviewsOf: 'long',
  },
  transfers: { ofProject: 'short' },
  apiKeys: {
    byLookup: 'short',
    anyByLookup: 'short',
    ofProject: 'long',
    // At most the limit of one project.
    listOf: 'short',
    countOfOtherSecrets: 'long',
    ofForeignSecrets: 'long',
  },
  accountTokens: { byDigest: 'short', ofAccount: 'short' },
  channels: {
    ofProject: 'long',
    ofProjects: 'long',
    plannedOf: 'long',
    namedOf: 'long',
    byId: 'short',
    byUuid: 'short',
    assignedCounts: 'long',
    withoutReportDate: 'short',
    dueReports: 'short',
    assignableChecks: 'long',
    // One row for each channel of a project, and three columns.
    health: 'short',
    // By their ids, a few hundred at the most.
    uuidsOf: 'short',
    leftBehind: 'long',
    keptCode: 'short',
    page: 'long',
  },
  checks: {
    ofPolicy: 'long',
    // The checks that quiet times name.
    uuidsOf: 'short',
    ofProject: 'long',
    pageOfProject: 'long',
    timedPage: 'long',
    timedByIds: 'long',
    idsTagged: 'long',
    countByPolicy: 'long',
    countTagged: 'long',
    tagsOfProject: 'long',
    downOfProject: 'long',
    recoveredSince: 'long',
    othersDown: 'long',
    // A hundred rows of two indexes.
    exampleOfProject: 'short',
    outlinesOf: 'long',
    byUuid: 'short',
    mailed: 'short',
    byUniqueKey: 'short',
    byBadgeKey: 'short',
    accessOf: 'short',
    visitedIn: 'short',
    namesOfProject: 'long',
    labelsOfProject: 'long',
    zonesOfProject: 'long',
    namedBySlug: 'short',
    channelsOfProject: 'long',
    channelsOfMany: 'long',
    sourcedIn: 'long',
    channelsOf: 'short',
    revisionByUuid: 'short',
    revisionByUniqueKey: 'short',
    byId: 'short',
    // A few hundred at the most.
    keysOf: 'short',
    byIds: 'long',
    revisedById: 'short',
    revisedByIds: 'long',
    pageOfAll: 'long',
    nextDeadlineAt: 'short',
    oldestOverdueAt: 'long',
    // It reads an index alone: a fraction of a millisecond for thousands of checks.
    countOfProject: 'short',
    count: 'long',
    pingTotal: 'long',
    lastId: 'short',
  },
  checkParents: { ofChecks: 'short', ofProject: 'long' },
  checkNotes: { of: 'short' },
  pingAliases: {
    isDialectUsed: 'short',
    dialectsOf: 'short',
    ofCheck: 'short',
    ofProject: 'short',
    page: 'short',
  },
  pings: {
    latest: 'long',
    before: 'long',
    lastUntil: 'short',
    lateInto: 'long',
    byNumber: 'short',
    inSpan: 'long',
    countBySignal: 'long',
    bodies: 'long',
    oldestAt: 'short',
    activity: 'long',
    longRuns: 'long',
    lastDurations: 'long',
    body: 'short',
    objectOf: 'short',
  },
  bodies: { moveCount: 'long', dueMoves: 'short', dueDeletion: 'short' },
  flips: {
    ofCheck: 'long',
    byId: 'short',
    ofChecks: 'long',
    lastBefore: 'long',
    flapping: 'long',
    before: 'short',
    openingOf: 'short',
    after: 'long',
    countOf: 'long',
  },
  deletedChecks: { ofProject: 'long' },
  deliveries: {
    collectedIn: 'long',
    openOutagesIn: 'long',
    ofCheck: 'long',
    lastReached: 'long',
    ofFlips: 'long',
    delivered: 'short',
    byUuid: 'short',
    keptStory: 'short',
    ofChannel: 'long',
    recentOfProject: 'long',
    nextAttemptAt: 'short',
    oldestDueAt: 'long',
    openCount: 'long',
    progress: 'long',
  },
  outages: {
    ...{ nextWakeAt: 'short', openOf: 'long', checksToTell: 'long', ofFlips: 'long', ofFlip: 'short' },
    ...{ toldOf: 'long', waitsOf: 'long', unsettledOf: 'short' },
  },
  mails: { nextAttemptAt: 'short', openCount: 'long', hasOpen: 'short', lastSentAt: 'long' },
  channelMessages: { nextAttemptAt: 'short', byUuid: 'short' },
  keptRuns: { before: 'short', troubles: 'short', countTroubles: 'long' },
  pruning: { next: 'short' },
  liveness: { untoldSpan: 'short', lastBeatAt: 'short', blindSpansSince: 'long', blindSpanCount: 'long' },
  jobs: { dueAt: 'short' },
  messageCounts: { ofAccount: 'short' },
  instance: {
    get: 'short',
    databaseBytes: 'short',
    databaseVersion: 'short',
    estimatedRows: 'short',
    schemaVersions: 'short',
  },
  // At most the limit of one project.
  statusPages: { published: 'short', ofProject: 'short', byUuid: 'short', notices: 'long' },
  // A project has a limit of quiet times.
  quietTimes: {
    inForce: 'short',
    accountsDue: 'short',
    dueOf: 'short',
    nextAccount: 'short',
    ofProject: 'short',
    byUuid: 'short',
    nextAt: 'short',
    spansSince: 'long',
  },
  walls: { byDigest: 'short', ofProject: 'short' },
  calendars: { ofProject: 'short', ofProjects: 'short' },
  policies: { ofProject: 'short', tagsOf: 'short', ofProjects: 'short', tagsAsOne: 'short' },
  savedViews: { seenBy: 'short' },
};

/** A key as the API, Prometheus and the metrics of the instance take it. */
function headersOf(key?: string): Record<string, string> {
  return key === undefined ? {} : { 'x-api-key': key, authorization: `Bearer ${key}`, 'x-metrics-key': key };
}

/** Paths below `/dashboard/api` that are read, and name nothing. Live ones have ids of their own in each node. */
function readsOf(routes: readonly Route[]): string[] {
  return routes.flatMap(({ path, operations }) =>
    operations.GET?.auth !== 'session' || path.includes(':') || path.endsWith('/live')
      ? []
      : [path.replace('/dashboard/api', '')],
  );
}

/** A store whose long reads fail. */
function withoutLongReads(store: Store): Store {
  const guarded = (Object.keys(READS) as (keyof Reads)[]).map((noun) => {
    const spans: Readonly<Record<string, string>> = READS[noun];
    const reads = new Proxy(store[noun], {
      get(target, name) {
        if (typeof name === 'string' && spans[name] === 'long')
          return () => assert.fail(`${noun}.${name} was read on the thread that answers pings`);
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    return [noun, { value: reads }];
  });
  return Object.create(store, Object.fromEntries(guarded));
}

const METRICS_KEY = 'a key for metrics';

forEachEngine((engine) => {
  const app = sharedTestApp(engine, { metricsKey: METRICS_KEY });

  const threadOptions = () => ({
    database: app().database,
    secretKeys: { current: TEST_SECRET, fallbacks: [] },
    site: SITE,
    defaultLimits: app().deps.defaultLimits,
    messageLimits: MESSAGE_LIMITS,
    marks: app().deps.store.marks.buffer,
  });

  /** A node on the same database. Whatever it does on this thread fails if it reads long. */
  async function buildGuardedNode(overrides: Partial<NodeParts> = {}): Promise<Node> {
    const database = {
      ...testDatabase(withoutLongReads(app().deps.store), engine),
      startReads: (clock: Clock) => startReaderThreads(threadOptions(), clock),
    };
    return buildNode(testParts(database, app().clock, overrides));
  }

  async function startServer() {
    await using started = new AsyncDisposableStack();
    const { deps, pings, http } = started.use(await buildGuardedNode());
    const server = createHttpServer(deps, pings, { ...http, api: app().node.http.api });
    started.defer(() => server.close());
    const parts = started.move();
    return {
      get: async (url: string, key?: string, headers: Readonly<Record<string, string>> = {}) => {
        const reply = await injectInto(server, { url, headers: { ...headersOf(key), ...headers } });
        return { status: reply.statusCode, type: reply.headers['content-type'], text: reply.body };
      },
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    };
  }

  /** More flips than are read at once, pings, and a delivery. */
  async function givenHistory({ id: checkId }: Check, channel: Channel): Promise<void> {
    const now = app().clock.now();
    const flips = Array.from({ length: 2_500 }, (_, n) =>
      flipRecord(checkId, {
        createdAt: now - n * 1_000_000,
        newStatus: (['up', 'down', 'paused'] as const)[n % 3] ?? 'up',
      }),
    );
    const pings = Array.from({ length: 300 }, (_, index) =>
      pingRecord(checkId, {
        n: index + 1,
        userAgent: 'ü'.repeat(100),
        signal: index % 2 === 0 ? 'start' : 'success',
      }),
    );
    await app().deps.store.transaction(async (tx) => {
      const [flip] = await tx.flips.insertMany(flips);
      assert.ok(flip);
      await tx.pings.insertMany(pings);
      await tx.deliveries.insertMany([deliveryRecord(flip, channel.id)]);
    });
  }

  test('every read of the store is known as a short or a long one', () => {
    const { store } = app().deps;
    for (const noun of Object.keys(READS) as (keyof Reads)[]) {
      const names = Object.getOwnPropertyNames(Object.getPrototypeOf(store[noun]));
      assert.deepEqual(
        names.filter((name) => name !== 'constructor').sort(),
        Object.keys(READS[noun]).sort(),
        noun,
      );
    }
  });

  test('lists, badges of tags and metrics are made away from the thread that answers pings, byte by byte the same', async () => {
    const { project, key, readOnlyKey } = await app().givenProject({
      limits: { checks: 1_000, pings: 250 },
    });
    const channel = await app().givenChannel(project);
    for (let n = 0; n < 250; n++) {
      const check = await app().givenCheck(project, {
        name: `Check ${n} ✓`,
        tags: n % 2 === 0 ? 'even prod' : 'odd',
        status: n % 50 === 0 ? 'down' : 'up',
        lastPingAt: app().clock.now(),
        description: 'd'.repeat(1_000),
      });
      if (n % 3 === 0) await app().assign(check, channel);
    }
    const check = await app().givenCheck(project, { pingCount: 300 });
    await givenHistory(check, channel);
    const badge = app().deps.vault.badgeSignature(project.badgeKey, 'even');
    const asked: [url: string, key?: string][] = [
      ['/api/v3/checks/', key],
      ['/api/v1/checks/', readOnlyKey],
      ['/api/v3/checks/?tag=even&tag=prod', key],
      ['/api/v3/checks/?tag=nobody', key],
      ['/api/v3/checks/?slug=nobody%00', key],
      ['/api/v3/badges/', readOnlyKey],
      [`/badge/${project.badgeKey}/${badge}/even.json`],
      [`/projects/${project.uuid}/metrics/`, readOnlyKey],
      ['/api/v3/channels/', key],
      ['/api/v3/channels/?details=1', key],
      [`/api/v3/checks/${check.uuid}/pings/`, key],
      [`/api/v1/checks/${check.uuid}/pings/`, key],
      [`/api/v3/checks/${check.uuid}/flips/`, key],
      [`/api/v2/checks/${check.uniqueKey}/flips/?seconds=1200&end=1709294000`, readOnlyKey],
      [`/api/v3/checks/${check.uuid}/runs/?limit=1`, key],
      [`/api/v2/checks/${check.uniqueKey}/runs/?result=failed`, readOnlyKey],
      [`/api/v3/checks/${check.uuid}/deliveries/`, key],
      ['/api/v3/metrics/', METRICS_KEY],
    ];
    await using server = await startServer();

    for (const [url, asker] of asked) {
      const fresh = await app().request('GET', url, { headers: headersOf(asker) });
      assert.equal(fresh.status, 200, url);
      assert.deepEqual(await server.get(url, asker), {
        status: 200,
        type: fresh.headers['content-type'],
        text: fresh.text,
      });
    }
    assert.equal((await server.get(`/badge/${project.badgeKey}/AAAAAAAA/even.json`)).status, 404);
    const refused: [url: string, status: number][] = [
      [`/api/v3/checks/${project.uuid}/pings/`, 404],
      [`/api/v3/checks/${project.uuid}/flips/?start=x`, 404],
      [`/api/v3/checks/${check.uuid}/flips/?start=x`, 400],
      [`/api/v3/checks/${check.uuid}/runs/?limit=x`, 400],
      [`/api/v3/checks/${project.uuid}/deliveries/`, 404],
    ];
    for (const [url, status] of refused) {
      const fresh = await app().request('GET', url, { key });
      const { status: answered, text } = await server.get(url, key);
      assert.deepEqual([answered, text], [status, fresh.text], url);
    }
  });

  test('what people read of their account, and administrators of the installation, is read away from the thread that answers pings', async () => {
    const { id, email } = await givenAccount(app(), { isAdmin: true });
    const { project } = await app().givenProject({ ownerId: id });
    await app().givenCheck(project);
    const alice = newBrowser(app());
    await alice.signIn(email);
    const cookie = [...alice.cookies].map((pair) => pair.join('=')).join('; ');
    await using server = await startServer();

    for (const read of readsOf(dashboardRoutes(app().node.accounts, SITE, app().node.http))) {
      // Details have to be asked for by their keys.
      const path = read.endsWith('/details') ? `${read}?checks=` : read;
      const fresh = await alice.get(path);
      const reply = await server.get(`/dashboard/api${path}`, undefined, { cookie });

      assert.equal(reply.status, 200, path);
      assert.equal(reply.text, fresh.text);
    }
  });

  test('what people read of a check is read away from the thread that answers pings', async () => {
    const { id, email } = await givenAccount(app());
    const { project } = await app().givenProject({ ownerId: id });
    const check = await app().givenCheck(project, { status: 'up', lastPingAt: app().clock.now() });
    await app().receive(check, 'start');
    await app().receive(check, 'fail');
    await app().givenPing(check, { body: Buffer.from('Subject: x\n\n<p>words'), scheme: 'email' });
    const alice = newBrowser(app());
    await alice.signIn(email);
    const cookie = [...alice.cookies].map((pair) => pair.join('=')).join('; ');
    await using server = await startServer();

    for (const { method, of, names, path } of projectEndpointsOf(app())) {
      if (method !== 'GET' || names !== 'check') continue;
      const url = of(check.uuid).replace('/pings/1', '/pings/3');
      const fresh = await alice.get(url);
      const reply = await server.get(`/dashboard/api${url}`, undefined, { cookie });

      assert.ok(fresh.status < 300 || fresh.status === 404, path);
      assert.deepEqual([reply.status, reply.text], [fresh.status, fresh.text]);
    }
  });

  test("the list of a person's projects is made away from the thread that answers pings", async () => {
    const { project, ownerId } = await app().givenProject();
    await app().givenCheck(project, { status: 'down' });
    const { project: other } = await app().givenProject();
    await app().givenCheck(other);
    const person = operatorOn({ id: ownerId });
    await using node = await buildGuardedNode();

    const texts = await Promise.all(
      [app().deps.reads, node.deps.reads].map(async (reads) => {
        const { pieces } = await reads.ask(view, {
          name: 'ownProjects',
          person,
          input: {},
          prepared: null,
        });
        return Buffer.concat(await Array.fromAsync(pieces)).toString();
      }),
    );

    assert.equal(texts[0], texts[1]);
    const { projects } = JSON.parse(texts[1] ?? '');
    assert.deepEqual(
      projects.map(({ uuid, status }: { uuid: string; status: string }) => [uuid, status]),
      [[project.uuid, 'down']],
    );
  });

  test('what monitors of the instance ask is read away from the thread that answers pings', async () => {
    const { project } = await app().givenProject();
    const channel = await app().givenChannel(project);
    const check = await app().givenCheck(project, { status: 'up', lastPingAt: app().clock.now() });
    await app().assign(check, channel);
    await app().receive(check, 'fail');
    await app().givenCheck(project, { status: 'up', lastPingAt: app().clock.now() });
    app().clock.advance({ hours: 48 });
    await using server = await startServer();

    const { text } = await server.get('/metrics', METRICS_KEY);
    assert.match(text, /^tocsin_deliveries_open [1-9]/m);
    const ready = await server.get('/api/v3/ready/');
    assert.match(ready.text, /"deadlines_late","deliveries_late"/);
  });

  test('loops leave what takes long to the reader threads', async () => {
    await using alone = await startTestApp(engine);
    const { deps, clock } = alone;
    const { project, ownerId } = await alone.givenProject();
    const lastPingAt = clock.now();
    const restless = await alone.givenCheck(project, {
      status: 'up',
      lastPingAt,
      lastReceivedAt: lastPingAt,
    });
    await alone.assign(restless, await alone.givenChannel(project));
    await alone.receive(restless, 'fail');
    await setReports(alone, ownerId, 'monthly');
    await deps.store.transaction((tx) => setReminders(tx, ownerId, REMINDER_SECONDS.hourly, clock.now()));
    await queueReports(deps, true);
    await alone.node.deadlineLoop.ensureBeat();
    clock.advance({ hours: 40 * 24 });
    await deps.store.transaction(async (tx) => {
      const flips = Array.from({ length: 300 }, (_, n) =>
        flipRecord(restless.id, { createdAt: clock.now() - n * 1_000_000 }),
      );
      await tx.flips.insertMany(flips);
    });
    const sent: string[] = [];
    const mail = {
      async send({ subject }: Mail) {
        sent.push(subject);
        return null;
      },
      [Symbol.asyncDispose]: async () => undefined,
    };
    const { http } = testParts(testDatabase(deps.store, engine), clock).transports;
    const database = {
      ...testDatabase(withoutLongReads(deps.store), engine),
      startReads: (nodeClock: Clock) =>
        startReaderThreads({ ...threadOptions(), database: alone.database }, nodeClock),
    };
    await using node = await buildNode(testParts(database, clock, { transports: { http, mail } }));

    await startLoops(node);
    startWatching(node);

    const subjects = ['Down: ', 'March: ', 'Still down: ', 'flapping', 'was not watching'];
    await until('every loop has done its work', () => {
      assert.deepEqual(
        Object.entries(node.telemetry.loops).filter(([, { failures }]) => failures > 0),
        [],
      );
      return subjects.every((part) => sent.some((subject) => subject.includes(part)));
    });
    // Beats of the future make a node look at all checks.
    const later = clock.now() + 86_400_000_000;
    await deps.store.transaction((tx) => tx.liveness.beat('another', later, 0));
    assert.equal((await recordBeat(node.deps, 'this', true)).wasAhead, true);
  });

  test('a database that is away fails the question, not the process', async () => {
    const unreachable = { ...app().database, ...(engine === 'sqlite' ? { path: '/nowhere/at.all' } : {}) };
    if (unreachable.engine === 'postgres') Object.assign(unreachable, { url: 'postgres://localhost:1/none' });
    await using reads = startReaderThreads({ ...threadOptions(), database: unreachable }, systemClock);

    const { project } = await app().givenProject();
    const actor = systemActor(project.id);
    await assert.rejects(reads.ask(projectMetrics, { actor }));
  });
});
