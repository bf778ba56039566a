import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Project } from '../src/domain/people/project.ts';
import { createHttpServer } from '../src/http/server.ts';
import type { Clock } from '../src/lib/clock.ts';
import { buildNode } from '../src/node/node.ts';
import { READER_LIMITS, startReaderThreads } from '../src/reader-thread.ts';
import { checkList } from '../src/reading/check-list.ts';
import { eventFile } from '../src/reading/log-files.ts';
import { statusPage } from '../src/reading/status-pages.ts';
import type { Actor } from '../src/services/core/actor.ts';
import type { Reads } from '../src/services/core/reads.ts';
import { givenToken } from './api/tokens.ts';
import { type GivenProject, startTestApp, type TestApp } from './app.ts';
import { givenMember, givenPerson, givenTeam, join } from './dashboard/team.ts';
import { forEachEngine } from './engines.ts';
import { injectInto } from './inject.ts';
import { MESSAGE_LIMITS, SITE, TEST_SECRET, testDatabase, testParts } from './node-parts.ts';
import { checkRecord, statusPageRecord, unique } from './records.ts';

/** The most reader threads that a node starts. */
const MAX_THREADS = 4;

forEachEngine((engine) => {
  describe('whose share a question takes from', () => {
    /** The owners of all questions that are asked while `work` is done. */
    async function ownersDuring(app: TestApp, work: () => Promise<unknown>): Promise<string[]> {
      const { reads } = app.deps;
      const ask = reads.ask.bind(reads);
      const owners = new Set<string>();
      reads.ask = (read, question) => {
        owners.add(read.owner(question));
        return ask(read, question);
      };
      try {
        await work();
        return [...owners];
      } finally {
        reads.ask = ask;
      }
    }

    test('whatever people, keys and strangers read of a project takes from the share of the account that owns it', async () => {
      await using app = await startTestApp(engine);
      const { account, browser, project, path } = await givenTeam(app);
      const { key, readOnlyKey } = await keysOf(app, project);
      const member = await givenMember(app, project, 'member');
      const { secret } = await givenToken(app, member.account.id);
      const check = await app.givenCheck(project, { tags: 'prod' });
      const channel = await app.givenChannel(project, {
        kind: 'email',
        settings: { email: 'alice@example.org' },
        verified: true,
      });
      const slug = await givenPage(app, project, ['prod']);
      const wall = (await browser.post(`${path}/do/createWall`, { name: 'Office' })).json.address
        .split('/')
        .at(-1);
      const badge = `${project.badgeKey}/${app.deps.vault.badgeSignature(project.badgeKey, 'prod')}/prod.svg`;
      const get = (url: string, headers = {}) => injectInto(app.server, { url, headers });
      const works: Record<string, () => Promise<{ status?: number; statusCode?: number }>> = {
        'a key': () => app.request('GET', '/api/v3/checks/', { key }),
        'a scrape': () => app.request('GET', `/projects/${project.uuid}/metrics/${readOnlyKey}`),
        'a token of a member': () =>
          app.request('GET', '/api/v3/checks/', { key: secret, headers: { 'x-project': project.uuid } }),
        'the owner': () => browser.get(`${path}/read/checkRows`),
        'a member': () => member.browser.get(`${path}/read/checkRows`),
        'a member, by the check': () => member.browser.get(`/checks/${check.uuid}/read/checkPage`),
        'a wall': () => browser.post('/read/wallView', { token: wall }),
        'a badge': () => get(`/badge/${badge}`),
        'a status page': () => get(`/status/${slug}/`),
        'its feed': () => get(`/status/${slug}/feed.xml`),
        'a test message': () => browser.post(`${path}/do/testChannel`, { channel: channel.uuid }),
        'a preview': () =>
          browser.post(`${path}/read/channelPreview`, {
            ...{ kind: 'email', settings: { email: 'alice@example.org' } },
          }),
      };

      for (const [who, work] of Object.entries(works)) {
        let status = 0;
        const owners = await ownersDuring(app, async () => {
          const reply = await work();
          status = reply.status ?? reply.statusCode ?? 0;
        });
        assert.ok(status >= 200 && status < 300, `${who}: ${status}`);
        assert.deepEqual(owners, [`account ${account.id}`], who);
      }
    });

    test('whoever reads all of their projects takes from their own share, and nobody but the program is urgent', async () => {
      await using app = await startTestApp(engine);
      const { account, browser } = await givenPerson(app);
      for (let n = 0; n < 2; n++) await join(app, (await givenTeam(app)).project, account, 'member');

      for (const path of ['/read/allCheckRows', '/read/allCheckHead', '/read/ownProjects']) {
        const owners = await ownersDuring(app, () => browser.get(path));
        assert.deepEqual(owners, [`account ${account.id}`], path);
      }
    });
  });

  describe('beside an account that asks very much', () => {
    /** A node with reader threads, as the program has them. */
    async function start() {
      await using started = new AsyncDisposableStack();
      const app = started.use(await startTestApp(engine));
      const options = {
        database: app.database,
        secretKeys: { current: TEST_SECRET, fallbacks: [] },
        site: SITE,
        defaultLimits: app.deps.defaultLimits,
        messageLimits: MESSAGE_LIMITS,
        marks: app.deps.store.marks.buffer,
      };
      const database = {
        ...testDatabase(app.deps.store, engine),
        startReads: (clock: Clock) => startReaderThreads(options, clock),
      };
      const node = started.use(await buildNode(testParts(database, app.clock)));
      const server = createHttpServer(node.deps, node.pings, node.http);
      started.defer(() => server.close());
      const attacker = await app.givenProject();
      const neighbour = await app.givenProject();
      await app.givenCheck(neighbour.project);
      const parts = started.move();
      return {
        ...{ app, attacker, neighbour, reads: node.deps.reads },
        get: async (url: string, key?: string) => {
          const reply = await injectInto(server, {
            url,
            headers: key === undefined ? {} : { 'x-api-key': key },
          });
          return reply.statusCode;
        },
        [Symbol.asyncDispose]: () => parts.disposeAsync(),
      };
    }

    test('a list is answered before any of many status pages over many checks', async () => {
      await using given = await start();
      const { app, attacker, neighbour, reads } = given;
      await givenChecks(app, attacker.project, 600);
      const pages = await Promise.all(
        Array.from({ length: 12 }, () => givenPage(app, attacker.project, ['one', 'two', 'three'])),
      );
      const answered: string[] = [];
      const finish = async (asked: ReturnType<Reads['ask']>, name: string) => {
        const { pieces } = await asked;
        answered.push(name);
        await Array.fromAsync(pieces);
      };
      const pageOf = (slug: string) =>
        reads.ask(statusPage, {
          ...{ slug, form: 'html', files: { style: '', script: '' } },
          ownerId: attacker.ownerId,
        });

      await Promise.all([
        ...[...pages, ...pages.slice(0, 3)].map((slug) => finish(pageOf(slug), 'page')),
        finish(reads.ask(checkList, listOf(neighbour)), 'list'),
      ]);

      assert.deepEqual(answered, ['list', ...Array(15).fill('page')]);
    });

    test('a list is answered while very many who read slowly keep exports open', async () => {
      await using given = await start();
      const { app, attacker, neighbour, get, reads } = given;
      const { id: checkId } = await app.givenCheck(attacker.project);
      const filter = { kinds: [], from: null, before: null, words: '', view: 'runs' } as const;
      const open = () => reads.ask(eventFile, { actor: actorOf(attacker), checkId, format: 'csv', filter });

      // Nobody reads on: a handler asks for the next piece when its client has read the one before.
      const most = MAX_THREADS * READER_LIMITS.maxOpenAnswers;
      const asked: PromiseSettledResult<Awaited<ReturnType<Reads['ask']>>>[] = [];
      while (asked.length < most) asked.push(...(await Promise.allSettled(Array.from({ length: 50 }, open))));

      assert.equal(await get('/api/v3/checks/', neighbour.key), 200);
      assert.equal(await get('/api/v3/checks/', attacker.key), 503);
      const openCount = asked.filter(({ status }) => status === 'fulfilled').length;
      assert.ok(
        openCount >= READER_LIMITS.maxOpenAnswers / 2 && openCount <= most / 2,
        `${openCount} are open`,
      );
      for (const one of asked) if (one.status === 'fulfilled') await one.value.pieces.return?.();
      assert.equal(await get('/api/v3/checks/', attacker.key), 200);
    });

    test('a list is answered at its turn, however many projects the other account asks in', async () => {
      await using given = await start();
      const { app, attacker, neighbour, reads } = given;
      const projects = await Promise.all(
        Array.from({ length: 11 }, () => app.givenProject({ ownerId: attacker.ownerId })),
      );
      await reads.ask(checkList, listOf(neighbour));
      let answered = 0;
      let refused = 0;

      const asked = Array.from({ length: 1_100 }, async (_, n) => {
        try {
          const { pieces } = await reads.ask(
            checkList,
            listOf(projects[n % projects.length] ?? assert.fail()),
          );
          await Array.fromAsync(pieces);
          answered++;
        } catch {
          refused++;
        }
      });
      const { pieces } = await reads.ask(checkList, listOf(neighbour));
      const before = answered;
      assert.ok(Buffer.concat(await Array.fromAsync(pieces)).length > 0);
      await Promise.all(asked);

      assert.ok(before <= 2 * MAX_THREADS, `${before} others were answered first`);
      assert.equal(answered + refused, 1_100);
      assert.ok(answered > 0);
    });
  });
});

/** Keys of a project that was made without. */
async function keysOf(app: TestApp, project: Project) {
  const { key, readOnlyKey, project: other } = await app.givenProject({ ownerId: project.ownerId });
  await app.deps.store.transaction(async (tx) => {
    for (const { id: _, ...record } of await tx.apiKeys.ofProject(other.id)) {
      await tx.apiKeys.delete(other.id, _);
      await tx.apiKeys.insert({ ...record, projectId: project.id });
    }
  });
  return { key, readOnlyKey };
}

/** A published page with a component for each tag. */
async function givenPage(app: TestApp, project: Project, tags: readonly string[]): Promise<string> {
  const components = tags.map((tag, n) => ({ id: `c${n}`, name: tag, group: '', covers: { tag } }));
  const slug = `s-${unique().slice(0, 12)}`;
  const record = statusPageRecord(project.id, { slug, components, isPublished: true });
  await app.deps.store.transaction((tx) => tx.statusPages.insert(record));
  return slug;
}

async function givenChecks(app: TestApp, { id }: Project, count: number): Promise<void> {
  await app.deps.store.transaction(async (tx) => {
    for (let n = 0; n < count; n++)
      await tx.checks.insert(
        checkRecord(id, { tags: 'one two three', kind: 'cron', schedule: '*/5 * * * *', tz: 'UTC' }),
      );
  });
}

function listOf(project: GivenProject): Parameters<typeof checkList.owner>[0] {
  return {
    ...{ actor: actorOf(project), filter: { slug: null, tags: [] } },
    ...{ view: { seesAddresses: true, version: 3 }, knownTags: undefined },
  };
}

function actorOf({ project, ownerId }: GivenProject): Actor {
  return {
    ...{ projectId: project.id, ownerId },
    caller: { kind: 'api_key', keyId: 1, access: 'read_write' },
    by: { accountId: null, name: '', means: 'api_key', remoteAddr: null },
  };
}
