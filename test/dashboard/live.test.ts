import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../../src/config/read-config.ts';
import type { ProjectChange } from '../../src/domain/change.ts';
import type { Check } from '../../src/domain/check/check.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { startApp } from '../../src/main.ts';
import { startSession } from '../../src/services/people/sessions.ts';
import type { Database } from '../../src/storage/open.ts';
import { announcingStore } from '../announcing-store.ts';
import { sharedTestApp, startTestApp, type TestApp } from '../app.ts';
import { createMigratedPlace, forOneEngine, openTestDriver } from '../engines.ts';
import { testDatabase, testParts } from '../node-parts.ts';
import { accountRecord, checkRecord, projectRecord } from '../records.ts';
import { until } from '../waiting.ts';
import type { Browser } from './browser.ts';
import { type EventStream, openStream, type StreamOptions } from './event-stream.ts';
import { givenMember, givenTeam } from './team.ts';

const cookieOf = ({ cookies }: Browser) => [...cookies].map((pair) => pair.join('=')).join('; ');

async function open(
  app: TestApp,
  browser: Browser,
  options: Partial<StreamOptions> = {},
): Promise<EventStream> {
  return openStream({ port: await app.port(), cookie: cookieOf(browser), ...options });
}

/** Tells the node that these checks were touched, as a commit does. */
function touch(app: TestApp, projectId: number, ...checks: readonly Pick<Check, 'id'>[]): void {
  app.node.parts.changes.announce([
    changeOf(
      projectId,
      checks.map(({ id }) => id),
    ),
  ]);
}

function changeOf(projectId: number, checkIds: ProjectChange['checkIds']): ProjectChange {
  return { projectId, checkIds, channelIds: [], touchesStatus: false };
}

/** Time passes, and the loop does its work. */
async function tick(app: TestApp, seconds = 1): Promise<void> {
  app.clock.advance({ seconds });
  app.node.parts.changes.tick();
  await app.node.http.live.tick();
  await app.node.http.live.settled();
}

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('a stream begins by saying what it knows, and that somebody watches', async () => {
    const { browser } = await givenTeam(app());
    using stream = await open(app(), browser);
    await stream.until('watch');

    assert.equal(stream.status, 200);
    assert.equal(stream.headers['content-type'], 'text/event-stream');
    assert.equal(stream.headers['x-accel-buffering'], 'no');
    assert.equal(stream.headers['cache-control'], 'no-store, no-transform');
    assert.equal(stream.headers.connection, 'close');
    assert.deepEqual(stream.all('hello'), [{ kind: 'hello', missed: 'nothing' }]);
    assert.deepEqual(Object.keys(stream.all('watch')[0] ?? {}), [
      'kind',
      'swept_seconds_ago',
      'alerts_stopped_since',
    ]);
  });

  test('nobody gets a stream without a session', async () => {
    const reply = await openStream({ port: await app().port(), cookie: '' });

    assert.equal(reply.status, 401);
  });

  test('a stream names the checks of own projects that changed, and nothing of others', async () => {
    const { browser, project } = await givenTeam(app());
    const other = await givenTeam(app());
    const [one, two] = [await app().givenCheck(project), await app().givenCheck(project)];
    const foreign = await app().givenCheck(other.project);
    using stream = await open(app(), browser);
    using theirs = await open(app(), other.browser);
    await theirs.until('hello');

    touch(app(), project.id, one);
    touch(app(), project.id, two, one);
    touch(app(), other.project.id, foreign);
    await tick(app());
    await Promise.all([stream.until('change'), theirs.until('change')]);

    assert.deepEqual(stream.all('change'), [
      {
        kind: 'change',
        project: project.uuid,
        checks: [one.uniqueKey, two.uniqueKey],
        channels: [],
        statuses: false,
        marks: app().node.http.live.marksOf(project.id),
      },
    ]);
    assert.deepEqual(
      theirs.all('change').map(({ checks }) => checks),
      [[foreign.uniqueKey]],
    );
  });

  test('integrations are named, what is gone is not, and a whole project is told as such', async () => {
    const { browser, project } = await givenTeam(app());
    const channel = await app().givenChannel(project);
    using stream = await open(app(), browser);

    app().node.parts.changes.announce([
      { projectId: project.id, checkIds: [], channelIds: [channel.id], touchesStatus: false },
    ]);
    await tick(app());
    touch(app(), project.id, { id: 999_999_999 });
    await tick(app());
    app().node.parts.changes.receive('everything');
    await tick(app());
    await stream.until('change', 3);

    assert.deepEqual(
      stream.all('change').map(({ checks, channels, statuses }) => ({ checks, channels, statuses })),
      [
        { checks: [], channels: [channel.uuid], statuses: false },
        { checks: 'all', channels: [], statuses: false },
        { checks: 'all', channels: 'all', statuses: true },
      ],
    );
  });

  test('whoever comes back is told what they have missed', async () => {
    const { browser, project } = await givenTeam(app());
    const check = await app().givenCheck(project);
    const first = await open(app(), browser);
    await first.until('hello');
    const lastEventId = first.lastEventId ?? assert.fail();
    first[Symbol.dispose]();
    await until('the stream is gone', () => app().node.http.live.count === 0);

    touch(app(), project.id, check);
    await tick(app());
    using again = await open(app(), browser, { lastEventId });
    await again.until('change');
    using newest = await open(app(), browser, { query: `?last_event_id=${again.lastEventId}` });
    await newest.until('hello');

    assert.deepEqual(again.all('hello'), [{ kind: 'hello', missed: 'nothing' }]);
    assert.deepEqual(again.all('change')[0]?.checks, [check.uniqueKey]);
    assert.deepEqual([newest.all('hello')[0]?.missed, newest.all('change')], ['nothing', []]);
  });

  test('whoever was away for too long, or was elsewhere, is told that everything may have changed', async () => {
    const { browser } = await givenTeam(app());
    const first = await open(app(), browser);
    await first.until('hello');
    const lastEventId = first.lastEventId ?? assert.fail();
    first[Symbol.dispose]();
    await until('the stream is gone', () => app().node.http.live.count === 0);
    await tick(app(), 121);

    for (const id of [lastEventId, 'elsewhere.0', `${lastEventId}9`, 'nonsense', '.', `${lastEventId}.1`]) {
      using stream = await open(app(), browser, { lastEventId: id });
      await stream.until('hello');
      assert.equal(stream.all('hello')[0]?.missed, 'everything', id);
    }
  });

  test('a page that cannot keep a stream open asks what has changed since it last asked', async () => {
    const { browser, project } = await givenTeam(app());
    const check = await app().givenCheck(project);

    const first = await browser.get('/live');
    touch(app(), project.id, check);
    await tick(app());
    const second = await browser.get(`/live?last_event_id=${first.json.last_event_id}`);
    const third = await browser.get(`/live?last_event_id=${second.json.last_event_id}`);

    assert.equal(first.json.changes, 'everything');
    assert.deepEqual(
      second.json.changes.map(({ checks }: { checks: unknown }) => checks),
      [[check.uniqueKey]],
    );
    assert.deepEqual(third.json.changes, []);
    assert.deepEqual(Object.keys(third.json.watch), ['swept_seconds_ago', 'alerts_stopped_since']);
  });

  test('a stream of named projects tells of these alone', async () => {
    const { browser, account, project } = await givenTeam(app());
    const second = await app().deps.store.transaction((tx) => tx.projects.insert(projectRecord(account.id)));
    const [one, two] = [await app().givenCheck(project), await app().givenCheck(second)];
    using stream = await open(app(), browser, { query: `?project=${second.uuid}` });

    touch(app(), project.id, one);
    touch(app(), second.id, two);
    await tick(app());
    await stream.until('change');

    assert.deepEqual(
      stream.all('change').map(({ project: uuid }) => uuid),
      [second.uuid],
    );
  });

  test('projects of others, and names that are none, are refused', async () => {
    const { browser } = await givenTeam(app());
    const { project } = await givenTeam(app());

    using foreign = await open(app(), browser, { query: `?project=${project.uuid}` });
    using wrong = await open(app(), browser, { query: '?project=%00' });

    assert.deepEqual([foreign.status, wrong.status], [404, 400]);
    assert.equal((await browser.get('/live?project=x')).json.field, 'project');
  });

  test('the stream of a session that has ended says so and ends', async () => {
    const { browser } = await givenTeam(app());
    using stream = await open(app(), browser);
    await stream.until('hello');

    await browser.post('/do/signOut');
    await tick(app(), 5);
    await until('the stream is over', () => stream.isOver);

    assert.deepEqual(stream.all('end'), [{ kind: 'end', reason: 'not_signed_in' }]);
  });

  test('whoever is no longer a member is told nothing more, and a stream of that project ends', async () => {
    const { project } = await givenTeam(app());
    const check = await app().givenCheck(project);
    const { browser, account } = await givenMember(app(), project, 'read_only');
    using all = await open(app(), browser);
    using named = await open(app(), browser, { query: `?project=${project.uuid}` });
    await Promise.all([all.until('hello'), named.until('hello')]);

    await app().deps.store.transaction((tx) => tx.projects.removeMember(project.id, account.id));
    await tick(app(), 5);
    touch(app(), project.id, check);
    await tick(app(), 5);
    await until('the stream of the project is over', () => named.isOver);
    await all.until('watch', 3);

    assert.deepEqual(named.all('end'), [{ kind: 'end', reason: 'no_access' }]);
    assert.deepEqual([all.all('everything').length, all.all('change')], [1, []]);
  });

  test('a project that somebody joins is followed, and the page is told to look', async () => {
    const { project } = await givenTeam(app());
    const check = await app().givenCheck(project);
    const { browser, account } = await givenTeam(app());
    using stream = await open(app(), browser);
    await stream.until('hello');

    await app().deps.store.transaction((tx) =>
      tx.projects.addMember(project.id, account.id, 'member', app().clock.now()),
    );
    await tick(app(), 5);
    touch(app(), project.id, check);
    await tick(app());
    await stream.until('change');

    assert.equal(stream.all('everything').length, 1);
    assert.deepEqual(stream.all('change')[0]?.checks, [check.uniqueKey]);
  });

  test('a database that is away ends no stream', async () => {
    const { browser } = await givenTeam(app());
    using stream = await open(app(), browser);
    await stream.until('hello');
    const { sessions } = app().deps.store;
    const { byDigest } = sessions;
    sessions.byDigest = async () => {
      throw new Error('the database is away');
    };
    try {
      await tick(app(), 5);
    } finally {
      sessions.byDigest = byDigest;
    }
    await stream.until('watch', 2);

    assert.deepEqual([stream.isOver, stream.all('end')], [false, []]);
  });

  test('an account may have so many streams, and all accounts together', async () => {
    const given = testParts(testDatabase(app().deps.store, engine), app().clock);
    const limits = { maxStreams: 3, maxStreamsPerAccount: 2 };
    const settings = { ...given.settings, http: { ...given.settings.http, limits } };
    await using bounded = await startTestApp(engine, {}, {}, null, {}, { settings });
    const [alice, bob] = [await givenTeam(bounded), await givenTeam(bounded)];
    const opened = await Promise.all([
      ...[1, 2].map(() => open(bounded, alice.browser)),
      open(bounded, bob.browser),
    ]);
    assert.deepEqual(
      opened.map(({ status }) => status),
      [200, 200, 200],
    );

    const full = await open(bounded, bob.browser);
    assert.deepEqual([full.status, full.headers['retry-after']], [503, '30']);
    opened[2]?.[Symbol.dispose]();
    await until('there is room', () => bounded.node.http.live.count === 2);
    const tooMany = await open(bounded, alice.browser);
    assert.deepEqual([tooMany.status, tooMany.headers['retry-after']], [429, '30']);
    using again = await open(bounded, bob.browser);
    assert.equal(again.status, 200);
  });

  test('a server that stops ends its streams', async () => {
    const closing = await startTestApp(engine);
    const { browser } = await givenTeam(closing);
    using stream = await open(closing, browser);
    await stream.until('hello');

    await closing[Symbol.asyncDispose]();

    await until('the stream is over', () => stream.isOver);
  });
});

const WORLD = { clock: systemClock, random: systemRandom, log: pino({ level: 'silent' }) };

/** Whether the page was told to read the check again. A node that has just begun to listen tells of all checks at once. */
const isTold = (stream: EventStream, { uniqueKey }: Check) =>
  stream.all('change').some(({ checks }) => checks === 'all' || checks.includes(uniqueKey));

/** A person who is signed in, and a check of theirs. */
async function plant(database: Database): Promise<{ cookie: string; check: Check }> {
  await using driver = await openTestDriver(database);
  return await announcingStore(driver).transaction(async (tx) => {
    const account = await tx.accounts.insert(accountRecord());
    const project = await tx.projects.insert(projectRecord(account.id));
    const check = await tx.checks.insert(checkRecord(project.id));
    const client = { address: '127.0.0.1', userAgent: 'Firefox', device: null };
    const { token } = await startSession(WORLD, tx, account, client, null);
    return { cookie: `tocsin_session=${token}`, check };
  });
}

function configOf(database: Database) {
  return {
    ...readConfig({ SECRET_KEY: 'a secret for tests only, and a long one' }),
    database,
    listen: { host: '127.0.0.1', port: 0 },
  };
}

forOneEngine((engine) => {
  test('a ping reaches an open page', async () => {
    await using place = await createMigratedPlace(engine);
    const { cookie, check } = await plant(place.database);
    await using app = await startApp(configOf(place.database), WORLD);
    using stream = await openStream({ port: app.port, cookie });
    await stream.until('hello');

    await fetch(`http://127.0.0.1:${app.port}/ping/${check.uuid}`);

    await until('the ping is told', () => isTold(stream, check));
  });
});

describe('two nodes on postgres', () => {
  test('a ping to one reaches a page that is open at the other', async () => {
    await using place = await createMigratedPlace('postgres');
    const { cookie, check } = await plant(place.database);
    await using one = await startApp(configOf(place.database), WORLD);
    await using two = await startApp(configOf(place.database), WORLD);
    using stream = await openStream({ port: two.port, cookie });
    await stream.until('hello');

    await until('the ping is told', async () => {
      await fetch(`http://127.0.0.1:${one.port}/ping/${check.uuid}`);
      return isTold(stream, check);
    });
  });
});
