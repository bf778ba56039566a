import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import pino from 'pino';
import type { Project } from '../../src/domain/people/project.ts';
import { type Dialects, NO_DIALECTS } from '../../src/domain/ping/dialect.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { buildNode } from '../../src/node/node.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import {
  addCheckAlias,
  addProjectAlias,
  listCheckAliases,
  removeCheckAlias,
  setDialects,
} from '../../src/services/ping/aliases.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import { drain, fixture, told } from '../alerts.ts';
import { listen, sharedTestApp, startTestApp, type TestApp } from '../app.ts';
import { forEachEngine, openTestDriver } from '../engines.ts';
import { testDatabase, testParts } from '../node-parts.ts';
import { storedChecks } from '../records.ts';
import { givenPingKey, lastBody, pingsOf, signalsOf } from './answers.ts';

/** Requests that the libraries of Cronitor have sent, with another host. */
const RECORDED: readonly { readonly client: string; readonly url: string }[] = JSON.parse(
  readFileSync(new URL('../fixtures/cronitor-requests.json', import.meta.url), 'utf8'),
);

// As the source of Cronitor's command line writes them.
const COMMAND_LINE = [
  '/ping/<key>/nightly?state=run&try=1&stamp=1794987937.562&host=db1&series=1794987937.562',
  '/ping/<key>/nightly?state=complete&try=1&stamp=1794987939.062&msg=12+files%2C+3+MB+%26+more&host=db1&duration=1.500&series=1794987937.562&status_code=0',
  '/ping/<key>/nightly?state=run&try=1&stamp=1794987940.000&host=db1&series=1794987940.000',
  '/ping/<key>/nightly?state=fail&try=2&stamp=1794987941.000&msg=disk+full%3A+100%25&host=db1&duration=1.000&series=1794987940.000&status_code=3',
  '/ping/<key>/nightly?state=tick&try=1&stamp=1794987942.000&host=db1&metric=count%3A100&metric=error_count%3A5',
  '/ping/<key>/nightly?state=ok&try=1&stamp=1794987943.000',
  '/ping/<key>/nightly?state=complete&try=1&stamp=1794987944.000&env=staging',
];

const CLIENTS = {
  'JavaScript library': requestsOf('JavaScript 2.6.1'),
  'Python library': requestsOf('Python 4.9.0'),
  'command line': COMMAND_LINE,
};

function requestsOf(client: string): string[] {
  return RECORDED.filter((one) => one.client === client).map(({ url }) => url);
}

const KUMA: Dialects = { ...NO_DIALECTS, kuma: true };

function accept(app: TestApp, project: Pick<Project, 'id'>, dialects: Dialects): Promise<void> {
  return setDialects(app.deps, systemActor(project.id), dialects);
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  for (const [client, urls] of Object.entries(CLIENTS)) {
    test(`runs, failures, messages, metrics and environments come from the ${client} of Cronitor`, async () => {
      const { project } = await app().givenProject();
      const check = await app().givenCheck(project, { slug: 'nightly' });
      const key = app().deps.random.uuid().replaceAll('-', '');
      await accept(app(), project, { ...NO_DIALECTS, cronitor: { create: true } });
      await addProjectAlias(app().deps, systemActor(project.id), { dialect: 'cronitor', token: key });
      assert.equal(urls.length, 7);

      const bodies: string[] = [];
      for (const url of urls) {
        const isStaging = url.includes('env=staging');
        const reply = await app().ping(url.replace('<key>', key), { door: '' });
        assert.equal(reply.status, isStaging ? 201 : 200, url);
        app().clock.advance({ seconds: 1 });
        if (!isStaging) bodies.push((await lastBody(app(), check))?.toString() ?? '');
      }

      const signals = await signalsOf(app(), check);
      assert.deepEqual(signals, ['start', 'success', 'start', 'fail', 'success', 'success']);
      const [first, end, second, failure] = await pingsOf(app(), check);
      assert.ok(first?.rid && first.rid === end?.rid && second?.rid && second.rid === failure?.rid);
      assert.notEqual(first.rid, second.rid);
      if (client !== 'Python library') assert.match(bodies[1] ?? '', /^12 files, 3 MB & more/);
      assert.match(bodies[3] ?? '', /disk full: 100%/);
      assert.match(bodies[4] ?? '', /^count=100\nerror_count=5\nhost=db1$/);
      const slugs = (await storedChecks(app().deps.store, project)).map(({ slug }) => slug);
      assert.deepEqual(slugs.toSorted(), ['nightly', 'nightly-staging']);
    });
  }

  test('when a request was sent does not make an address of ours one of Cronitor', async () => {
    const { project } = await app().givenProject();
    const check = await app().givenCheck(project, { slug: 'nightly' });
    const key = await givenPingKey(app(), project);

    const reply = await app().ping(`/${key}/nightly?stamp=1&msg=hello`);

    assert.equal(reply.status, 200);
    assert.equal(await lastBody(app(), check), null);
  });

  test('the message of a push that reports a failure is in the alert', async () => {
    const f = await fixture(app());
    const token = app().deps.random.uuid();
    await accept(app(), { id: f.check.projectId }, KUMA);
    await addCheckAlias(app().deps, systemActor(f.check.projectId), f.check.id, { dialect: 'kuma', token });

    const reply = await app().ping(`/api/push/${token}?status=down&msg=disk+full&ping=`, { door: '' });
    await drain(f);

    assert.equal(reply.text, '{"ok":true}');
    assert.deepEqual(told(f), ['down']);
    const event = f.sender.sent.find((one) => one.event.check.uuid === f.check.uuid)?.event;
    assert.equal(Buffer.from(event?.body ?? []).toString(), 'disk full');
  });

  test('a token is in no log, answer, metric or entry of the audit log', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line) => lines.push(line) });
    await using own = await startTestApp(engine, { metricsKey: 'sesame' }, {}, null, {}, { log });
    const { project, key: apiKey } = await own.givenProject();
    const check = await own.givenCheck(project);
    const [monitor, key] = ['tokenofacheck0123456789', 'tokenofaproject012345678'];
    const actor = systemActor(project.id, {
      ...{ accountId: null, name: 'alice', means: 'session', remoteAddr: null },
    });
    await accept(own, project, { kuma: true, cronitor: { create: false } });
    await addCheckAlias(own.deps, actor, check.id, { dialect: 'kuma', token: monitor });
    await addProjectAlias(own.deps, actor, { dialect: 'cronitor', token: key });
    const answers: string[] = [];
    const send = async (path: string, method = 'GET') => {
      const { text, headers } = await own.ping(path, { door: '', method });
      answers.push(text, JSON.stringify(headers));
    };

    await send(`/api/push/${monitor}?status=up`);
    await send(`/api/push/${monitor}?status=down&msg=x`);
    await send(`/api/push/${monitor}x`);
    await send(`/api/push/${monitor}`, 'DELETE');
    await send(`/api/push/${monitor}/%zz`);
    await send(`/p/${key}/nowhere?state=run`);
    await send(`/p/${key}/nowhere?state=${monitor}`);
    const { record } = own.pings;
    own.pings.record = () => Promise.reject(new Error('the database is gone'));
    await send(`/api/push/${monitor}`);
    own.pings.record = record;
    const [alias] = await listCheckAliases(own.deps, actor, check.id);
    await removeCheckAlias(own.deps, actor, check.id, alias?.uuid ?? '');
    const metrics = await own.request('GET', '/metrics', { headers: { 'X-Metrics-Key': 'sesame' } });
    assert.equal(metrics.status, 200);
    const shown = await own.request('GET', `/api/v3/checks/${check.uuid}`, { key: apiKey });
    const entries = await own.deps.store.auditLog.page(
      { projectId: project.id },
      { after: null, from: null, before: null, most: 100 },
    );

    assert.ok(lines.some((line) => line.includes('ping.failed')));
    assert.deepEqual(entries.map(({ action }) => action).toSorted(), [
      'check.alias_added',
      'check.alias_removed',
      'project.alias_added',
      'project.dialects_changed',
    ]);
    const everything = [...lines, ...answers, metrics.text, shown.text, JSON.stringify(entries)].join('\n');
    for (const token of [monitor, key]) assert.ok(!everything.includes(token), token);
  });

  test('another node takes pushes from the next request on, and refuses them likewise', async () => {
    const { project } = await app().givenProject();
    const check = await app().givenCheck(project);
    const token = app().deps.random.uuid();
    await addCheckAlias(app().deps, systemActor(project.id), check.id, { dialect: 'kuma', token });
    await using driver = await openTestDriver(app().database);
    const store = createSqlStore(driver);
    const { clock } = app();
    await using other = await buildNode(testParts(testDatabase(store, engine), clock));
    await using server = new AsyncDisposableStack();
    const http = createHttpServer(other.deps, other.pings, other.http);
    server.defer(() => http.close());
    const port = await listen(http);
    const push = async () => (await fetch(`http://127.0.0.1:${port}/api/push/${token}`)).status;

    assert.equal(await push(), 404);
    await accept(app(), project, KUMA);
    assert.equal(await push(), 200);
    await accept(app(), project, NO_DIALECTS);
    assert.equal(await push(), 404);
    assert.deepEqual(await signalsOf(app(), check), ['success']);
  });
});
