import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import type { Project } from '../../src/domain/people/project.ts';
import {
  type Dialects,
  encodeDialects,
  formsAccepting,
  NO_DIALECTS,
  type PingDialect,
} from '../../src/domain/ping/dialect.ts';
import { seconds } from '../../src/lib/instant.ts';
import { uuidOfName } from '../../src/lib/uuid-of-name.ts';
import { removeCheck, restoreCheck } from '../../src/services/check/check-deletion.ts';
import { moveCheck } from '../../src/services/check/check-moves.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import {
  addCheckAlias,
  addProjectAlias,
  listCheckAliases,
  listProjectAliases,
  removeProjectAlias,
  setDialects,
} from '../../src/services/ping/aliases.ts';
import { type Reply, sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import {
  assertAnswer,
  assertUntouched,
  CREATED,
  givenPingKey,
  lastBody,
  lastPing,
  NOT_FOUND,
  OK,
  pingsOf,
  signalsOf,
} from './answers.ts';

interface RecordedAnswer {
  readonly token: 'known' | 'unknown' | 'paused';
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** What Uptime Kuma itself answered. */
const RECORDED: Record<string, RecordedAnswer[]> = JSON.parse(
  readFileSync(new URL('../fixtures/kuma-answers.json', import.meta.url), 'utf8'),
);

/** Where we mean to answer otherwise than Uptime Kuma. */
function isOtherwise({ token, method, path, query, status }: RecordedAnswer): boolean {
  const isMethod =
    !['GET', 'HEAD'].includes(method) && (status !== 200 || ['DELETE', 'OPTIONS'].includes(method));
  const isPath = path === '/api/push/<token>/' || path.startsWith('/API/');
  return token === 'paused' || isMethod || isPath || (query.startsWith('?ping=') && status === 404);
}

const KUMA: Dialects = { ...NO_DIALECTS, kuma: true };
const CRONITOR: Dialects = { ...NO_DIALECTS, cronitor: { create: false } };
const TAKEN = '{"ok":true}';
const MISSING = '{"ok":false,"msg":"Monitor not found or not active."}';
const SERIES = '9f2a3a37-1f4d-4a3b-8a44-00000000000a';

test('every stored form of what projects accept is looked for', () => {
  for (const kuma of [false, true])
    for (const cronitor of [null, { create: false }, { create: true }]) {
      const form = encodeDialects({ kuma, cronitor });
      assert.equal(formsAccepting('kuma').includes(form ?? ''), kuma, String(form));
      assert.equal(formsAccepting('cronitor').includes(form ?? ''), cronitor !== null, String(form));
    }
});

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  const send = (path: string, method = 'GET', options = {}): Promise<Reply> =>
    app().ping(path, { method, door: '', ...options });

  const accept = (project: Project, dialects: Dialects) =>
    setDialects(app().deps, systemActor(project.id), dialects);

  const addAlias = (check: Check, dialect: PingDialect, token: string) =>
    addCheckAlias(app().deps, systemActor(check.projectId), check.id, { dialect, token });

  async function givenKuma(dialects = KUMA, overrides: Partial<Check> = {}) {
    const { project } = await app().givenProject();
    const check = await app().givenCheck(project, overrides);
    const token = app().deps.random.uuid().replaceAll('-', '');
    await accept(project, dialects);
    await addAlias(check, 'kuma', token);
    return { project, check, token, push: `/api/push/${token}` };
  }

  async function givenCronitor(dialects = CRONITOR) {
    const { project } = await app().givenProject();
    const check = await app().givenCheck(project, { slug: 'nightly' });
    await accept(project, dialects);
    return { project, check, key: await givenPingKey(app(), project) };
  }

  const bodyOf = async (check: Check) => (await lastBody(app(), check))?.toString() ?? null;

  for (const [version, answers] of Object.entries(RECORDED)) {
    test(`pushes are answered as ${version} answers them`, async () => {
      const { token } = await givenKuma();
      const tokens = { known: token, unknown: 'nobody-has-this-one', paused: token };

      for (const answer of answers.filter((one) => !isOtherwise(one))) {
        const path = answer.path.replace('<token>', tokens[answer.token]) + answer.query;
        const { status, headers, text } = await send(path, answer.method);
        const seen = { status, type: headers['content-type'], body: text };
        assert.deepEqual(
          seen,
          { status: answer.status, type: answer.type, body: answer.body },
          `${answer.method} ${path}`,
        );
      }
    });
  }

  test('a push that Uptime Kuma would not count is a ping', async () => {
    const { check, push } = await givenKuma();

    for (const [path, method] of [
      [`${push}/`, 'GET'],
      [`${push}?ping=-1`, 'GET'],
      [`${push}?ping=100000000001`, 'GET'],
      [push, 'PATCH'],
    ] as const)
      assert.equal((await send(path, method)).text, TAKEN, path);

    assert.deepEqual(await signalsOf(app(), check), ['success', 'success', 'success', 'success']);
    assert.equal(await bodyOf(check), null);
  });

  test('other methods and the preflight of a browser are no pushes', async () => {
    const { check, push } = await givenKuma();

    const deleted = await send(push, 'DELETE');
    const asked = await send(push, 'OPTIONS');

    assert.deepEqual([deleted.status, deleted.text], [405, '{"ok":false,"msg":"method not allowed"}']);
    assert.equal(asked.status, 204);
    assert.equal((await send(push.toUpperCase())).status, 404);
    await assertUntouched(app(), check);
  });

  test('a push is refused in the form of Uptime Kuma while its project does not accept it', async () => {
    await givenKuma();
    const { project, check, push } = await givenKuma(NO_DIALECTS);

    const refused = await send(push);
    await accept(project, KUMA);
    const taken = await send(push);

    assert.deepEqual([refused.status, refused.text], [404, MISSING]);
    assert.deepEqual([taken.status, taken.text], [200, TAKEN]);
    assert.equal((await pingsOf(app(), check)).length, 1);
  });

  test('a status other than up is a failure with the message', async () => {
    const { check, push } = await givenKuma();

    const seen: unknown[] = [];
    for (const query of [
      'status=down&msg=disk+full',
      'status=UP',
      'status=up&status=up',
      'status=&msg=OK',
      'msg=fine&ping=12.5',
    ]) {
      await send(`${push}?${query}`);
      seen.push([(await lastPing(app(), check)).signal, await bodyOf(check)]);
    }

    assert.deepEqual(seen, [
      ['fail', 'disk full'],
      ['fail', null],
      ['fail', null],
      ['success', null],
      ['success', 'fine\nping=12.5'],
    ]);
  });

  test('the message comes before the body of the request, and both are cut at the limit', async () => {
    const { check, push } = await givenKuma();

    await send(`${push}?msg=first`, 'POST', { body: 'second' });
    const short = await bodyOf(check);
    await send(`${push}?msg=first`, 'POST', { body: 'x'.repeat(200_000) });
    const long = await bodyOf(check);

    assert.equal(short, 'first\nsecond');
    assert.equal(long, `first\n${'x'.repeat(10_000 - 6)}`);
  });

  test('a message of any bytes is taken', async () => {
    const { check, push } = await givenKuma();

    for (const message of ['%', '%zz', '%00', '%ff%fe', '%ED%A0%80', 'm'.repeat(15_000)]) {
      assert.equal((await send(`${push}?msg=${message}`)).status, 200, message);
    }
    assert.equal((await send('/api/push/%zz')).status, 404);
    assert.equal((await send('/api/push/%00%00%00%00%00%00%00%00')).status, 404);

    assert.equal((await pingsOf(app(), check)).length, 6);
  });

  test('filters, methods and the pause of a check hold for pushes', async () => {
    const posted = await givenKuma(KUMA, { methods: 'POST' });
    const filtered = await givenKuma(KUMA, { filterHttpBody: true, failureKeywords: 'error' });
    const paused = await givenKuma(KUMA, { status: 'paused', manualResume: true });

    await send(posted.push);
    await send(`${filtered.push}?msg=error+7`);
    const answer = await send(paused.push);

    assert.deepEqual(await signalsOf(app(), posted.check), ['ign']);
    assert.deepEqual(await signalsOf(app(), filtered.check), ['fail']);
    assert.equal(answer.text, TAKEN);
    assert.equal((await app().deps.store.checks.byUuid(paused.check.uuid))?.status, 'paused');
  });

  test('a token goes with its check into the bin, back, and to another project', async () => {
    const { project, check, token, push } = await givenKuma();
    const { project: other } = await app().givenProject({ ownerId: project.ownerId });
    const actor = systemActor(project.id);
    const statusOf = async () => (await send(push)).status;

    const seen: number[] = [];
    await removeCheck(app().deps, actor, check.id, 'given');
    seen.push(await statusOf());
    await restoreCheck(app().deps, actor, check.uuid);
    seen.push(await statusOf());
    await moveCheck(app().deps, actor, check.id, systemActor(other.id));
    seen.push(await statusOf());
    await accept(other, KUMA);
    seen.push(await statusOf());

    assert.deepEqual(seen, [404, 200, 404, 200]);
    const [alias] = await listCheckAliases(app().deps, systemActor(other.id), check.id);
    assert.equal(alias?.token, token);
  });

  test('a token is taken once in each dialect, is no shorter than eight characters, and a check has ten at most', async () => {
    const { project, check, token } = await givenKuma();
    const second = await app().givenCheck(project);

    await assert.rejects(addAlias(second, 'kuma', token), { code: 'token_taken' });
    await addAlias(second, 'cronitor', token);
    for (const bad of ['short-7', 'a'.repeat(65), 'with space', '']) {
      await assert.rejects(addAlias(second, 'kuma', bad), { code: 'invalid_field' });
    }
    for (let n = 1; n < 10; n++) await addAlias(check, 'kuma', `${token}-${n}`);
    await assert.rejects(addAlias(check, 'kuma', `${token}-10`), { code: 'alias_limit_reached' });
  });

  test('the last use of a token is noted once a minute', async () => {
    const { check, push } = await givenKuma();
    const lastUse = async () =>
      (await listCheckAliases(app().deps, systemActor(check.projectId), check.id))[0]?.lastUsedAt;
    const start = app().clock.now();

    const seen = [await lastUse()];
    for (const wait of [0, 59, 1]) {
      app().clock.advance({ seconds: wait });
      await send(push);
      seen.push(await lastUse());
    }

    assert.deepEqual(seen, [null, start, start, start + seconds(60)]);
  });

  test('a ping of Cronitor names its check by slug, its signal by state, and its run by series', async () => {
    const { check, key } = await givenCronitor();

    for (const query of [
      `state=run&series=${SERIES}`,
      'state=run&series=two',
      `state=complete&series=${SERIES.toUpperCase()}`,
    ]) {
      assertAnswer(await send(`/p/${key}/nightly?${query}`), OK);
      app().clock.advance({ seconds: 5 });
    }
    await send(`/p/${key}/nightly?state=ok&series=three`);
    await send(`/p/${key}/nightly`);
    await send(`/p/${key}/Nightly?state=fail&series=two&message=disk+full`);

    const pings = await pingsOf(app(), check);
    assert.deepEqual(
      pings.map(({ signal, rid }) => [signal, rid]),
      [
        ['start', SERIES],
        ['start', uuidOfName('two')],
        ['success', SERIES],
        ['success', null],
        ['success', null],
        ['fail', uuidOfName('two')],
      ],
    );
    assert.equal(await bodyOf(check), 'disk full');
  });

  test('an exit status that contradicts the state is a line of the body', async () => {
    const { check, key } = await givenCronitor();

    const seen: unknown[] = [];
    for (const query of [
      'state=fail&status_code=3',
      'state=complete&status_code=3',
      'state=complete&status_code=0',
      'state=fail&status_code=999&msg=why',
    ]) {
      await send(`/p/${key}/nightly?${query}`);
      const { signal, exitStatus } = await lastPing(app(), check);
      seen.push([signal, exitStatus, await bodyOf(check)]);
    }

    assert.deepEqual(seen, [
      ['fail', 3, null],
      ['success', null, 'status_code=3'],
      ['success', 0, null],
      ['fail', null, 'why\nstatus_code=999'],
    ]);
  });

  test('metrics, duration and host are lines that filters read', async () => {
    const { project, key } = await givenCronitor();
    const check = await app().givenCheck(project, {
      slug: 'counted',
      filterHttpBody: true,
      failureKeywords: 'error_count=5',
    });

    await send(`/p/${key}/counted?msg=done&metric=count:100&metric=error_count:5&duration=1.5&host=db1`);

    assert.equal(await bodyOf(check), 'done\ncount=100\nerror_count=5\nduration=1.5\nhost=db1');
    assert.deepEqual(await signalsOf(app(), check), ['fail']);
  });

  test('an unknown state is refused', async () => {
    const { check, key } = await givenCronitor();

    assertAnswer(await send(`/p/${key}/nightly?state=sleeping`), [400, 'unknown state']);
    assertAnswer(await send(`/ping/${key}/nightly?state=sleeping`), [400, 'unknown state']);
    await assertUntouched(app(), check);
  });

  test('an old stamp makes a late ping; one of now, of the future or of long ago none', async () => {
    const { check, key } = await givenCronitor();
    const now = app().clock.now() / seconds(1);
    for (const [stamp, age] of [
      [now - 7_200, 7_200],
      [now - 7_200.25, 7_200.25],
      [now - 540, null],
      [now + 60, null],
      [12, null],
      ['yesterday', null],
    ] as const) {
      assertAnswer(await send(`/p/${key}/nightly?stamp=${stamp}`), OK);
      const { createdAt, occurredAt } = await lastPing(app(), check);
      assert.deepEqual(
        [createdAt, occurredAt],
        [app().clock.now(), age === null ? null : createdAt - seconds(age)],
      );
    }
  });

  test('a stamp means nothing where the dialect is not accepted', async () => {
    const { check, key } = await givenCronitor(NO_DIALECTS);
    const old = app().clock.now() / seconds(1) - 7_200;

    assertAnswer(await send(`/ping/${key}/nightly?stamp=${old}`), OK);
    assert.equal((await lastPing(app(), check)).occurredAt, null);
    assertAnswer(await send(`/ping/${key}/nightly?stamp=${old}&age=60`), OK);
    assert.equal((await lastPing(app(), check)).occurredAt, app().clock.now() - seconds(60));
  });

  test('each environment is a check of its own, made only where that is allowed', async () => {
    const { project, check, key } = await givenCronitor();
    const paths = ['', '?env=staging', '?env=production'].map((query) => `/p/${key}/nightly${query}`);

    const strict = await Promise.all(paths.map(async (path) => (await send(path)).status));
    const asked = await send(`${paths[1]}&create=1`);
    await accept(project, { ...NO_DIALECTS, cronitor: { create: true } });
    const loose = await send(`${paths[2]}&state=run`);
    const again = await send(`${paths[2]}`);

    assert.deepEqual(strict, [200, 404, 404]);
    assertAnswer(asked, CREATED);
    assertAnswer(loose, CREATED);
    assertAnswer(again, OK);
    assert.deepEqual(await signalsOf(app(), check), ['success']);
    const slugs = (await app().deps.store.checks.ofProject(project.id)).map(({ slug }) => slug).toSorted();
    assert.deepEqual(slugs, ['nightly', 'nightly-production', 'nightly-staging']);
    assert.equal((await send(`/p/${key}/${'n'.repeat(101)}`)).status, 404);
  });

  test('a state in an address of ours counts only in projects that accept it', async () => {
    const foreign = await givenCronitor();
    const ours = await givenCronitor(NO_DIALECTS);

    assertAnswer(await send(`/ping/${foreign.key}/nightly?state=fail&msg=why`), OK);
    assertAnswer(await send(`/ping/${ours.key}/nightly?state=fail&msg=why`, 'POST', { body: 'log' }), OK);

    assert.deepEqual(await signalsOf(app(), foreign.check), ['fail']);
    assert.equal(await bodyOf(foreign.check), 'why');
    assert.deepEqual(await signalsOf(app(), ours.check), ['success']);
    assert.equal(await bodyOf(ours.check), 'log');
    assertAnswer(await send(`/ping/${ours.key}/Nightly?state=fail`), [400, 'invalid url format']);
    assertAnswer(await send(`/ping/${ours.key}/nightly/start/more?state=fail`), NOT_FOUND);
    assertAnswer(await send(`/ping/${foreign.check.uuid}/start?state=fail`), OK);
    assert.deepEqual(await signalsOf(app(), foreign.check), ['fail', 'start']);
  });

  test('the key of another program stands for the ping key until it is removed', async () => {
    const { project } = await app().givenProject();
    const check = await app().givenCheck(project, { slug: 'nightly' });
    const actor = systemActor(project.id);
    const token = app().deps.random.uuid();
    await accept(project, CRONITOR);
    await addProjectAlias(app().deps, actor, { dialect: 'cronitor', token });

    assertAnswer(await send(`/p/${token}/nightly`), OK);
    assertAnswer(await send(`/ping/${token}/nightly?state=run`), OK);
    const [alias] = await listProjectAliases(app().deps, actor);
    assert.equal(alias?.lastUsedAt, app().clock.now());
    await removeProjectAlias(app().deps, actor, alias?.uuid ?? '');
    assertAnswer(await send(`/p/${token}/nightly`), NOT_FOUND);

    assert.deepEqual(await signalsOf(app(), check), ['success', 'start']);
  });

  test('the key of a monitor stands for a check of the same project only', async () => {
    const { check, key } = await givenCronitor();
    const other = await givenCronitor();
    const token = app().deps.random.uuid();
    await addAlias(check, 'cronitor', token);

    assertAnswer(await send(`/p/${key}/${token}?state=fail`), OK);
    assertAnswer(await send(`/p/${other.key}/${token}?state=fail`), NOT_FOUND);

    assert.deepEqual(await signalsOf(app(), check), ['fail']);
    await assertUntouched(app(), other.check);
  });
});

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  test('while no project accepts a dialect, its addresses are like any other unknown one', async () => {
    const { project } = await app().givenProject();
    const ask = (path: string) => app().ping(path, { door: '', body: 'log' });
    const unlike = (reply: Reply) => ({
      ...reply,
      headers: { ...reply.headers, 'x-request-id': '', date: '' },
    });

    const [known, push, ping] = await Promise.all(
      ['/nothing/here', '/api/push/nobody-has-it', '/p/key/job'].map(ask),
    );
    assert.ok(known !== undefined && push !== undefined && ping !== undefined);
    await setDialects(app().deps, systemActor(project.id), KUMA);
    const accepted = await ask('/api/push/nobody-has-it');
    await setDialects(app().deps, systemActor(project.id), NO_DIALECTS);
    app().clock.advance({ seconds: 1 });

    assert.deepEqual(unlike(push), unlike(known));
    assert.deepEqual(unlike(ping), unlike(known));
    assert.equal(accepted.text, MISSING);
    assert.deepEqual(unlike(await ask('/api/push/nobody-has-it')), unlike(known));
  });
});
