import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import { updateCheck } from '../../src/services/check/checks.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import {
  AMBIGUOUS,
  assertAnswer,
  assertUntouched,
  givenPingKey,
  INVALID_URL,
  lastPing,
  NOT_FOUND,
  OK,
  pingsOf,
  signalsOf,
  state,
  stored,
} from './answers.ts';

const UNKNOWN = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function givenCheck(overrides: Partial<Check> = {}) {
    const { project, ...keys } = await app().givenProject();
    return { ...keys, project, check: await app().givenCheck(project, overrides) };
  }

  /** A project with a ping key and a check that has the slug. */
  async function givenSlug(slug = 'nightly') {
    const given = await givenCheck({ slug });
    return { ...given, key: await givenPingKey(app(), given.project) };
  }

  test('a GET of the UUID is a success, answered OK', async () => {
    const { check } = await givenCheck();

    const reply = await app().ping(`/${check.uuid}`);

    assertAnswer(reply, OK);
    assert.deepEqual(reply.bytes, Buffer.from('OK'));
    assert.deepEqual(await pingsOf(app(), check), [
      {
        checkId: check.id,
        n: 1,
        createdAt: app().clock.now(),
        occurredAt: null,
        signal: 'success',
        scheme: 'http',
        method: 'GET',
        remoteAddr: '127.0.0.1',
        userAgent: '',
        rid: null,
        exitStatus: null,
        runStartedAt: null,
        runFlags: null,
        runNumbers: null,
        bodySize: 0,
      },
    ]);
    assert.equal((await stored(app(), check)).lastReceivedAt, app().clock.now());
  });

  test('the UUID may end in a slash', async () => {
    const { check } = await givenCheck();

    assertAnswer(await app().ping(`/${check.uuid}/`), OK);

    assert.deepEqual(await signalsOf(app(), check), ['success']);
  });

  test('a HEAD is a whole ping, answered without a body', async () => {
    const { check } = await givenCheck();

    const reply = await app().ping(`/${check.uuid}`, { method: 'HEAD' });

    assert.equal(reply.status, 200);
    assert.equal(reply.text, '');
    assert.equal(reply.headers['content-length'], '2');
    assert.equal(reply.headers['ping-body-limit'], '10000');
    const { method, signal } = await lastPing(app(), check);
    assert.deepEqual([method, signal], ['HEAD', 'success']);
  });

  test('the body of a POST is stored as it is', async () => {
    const { check } = await givenCheck();

    assertAnswer(await app().ping(`/${check.uuid}`, { body: 'hello world' }), OK);

    const { method, bodySize } = await lastPing(app(), check);
    assert.deepEqual([method, bodySize], ['POST', 11]);
    const body = await app().deps.store.pings.body(check.id, 1);
    assert.deepEqual(Buffer.from(body ?? []), Buffer.from('hello world'));
  });

  test('a POST needs neither cookies nor a token, from whatever origin', async () => {
    const { check } = await givenCheck();

    const headers = { origin: 'https://example.org', referer: 'https://example.org/' };
    const reply = await app().ping(`/${check.uuid}`, { method: 'POST', headers });

    assertAnswer(reply, OK);
    assert.equal(reply.headers['set-cookie'], undefined);
    assert.deepEqual(await signalsOf(app(), check), ['success']);
  });

  for (const [name, path, signal, exitStatus] of [
    ['/start is a start', 'start', 'start', null],
    ['/fail is a failure', 'fail', 'fail', null],
    ['/log is a log message', 'log', 'log', null],
    ['exit status 0 is a success', '0', 'success', 0],
    ['exit status 1 is a failure', '1', 'fail', 1],
    ['exit status 255 is a failure', '255', 'fail', 255],
    ['an exit status may have zeros in front', '007', 'fail', 7],
    ['two zeros are exit status 0', '00', 'success', 0],
  ] as const) {
    test(name, async () => {
      const { check } = await givenCheck();

      assertAnswer(await app().ping(`/${check.uuid}/${path}`), OK);

      const ping = await lastPing(app(), check);
      assert.deepEqual([ping.n, ping.signal, ping.exitStatus], [1, signal, exitStatus]);
    });
  }

  for (const [name, path, answer] of [
    ['an exit status above 255 is refused, and nothing is recorded', '/256', INVALID_URL],
    ['an exit status of twenty digits is refused', '/99999999999999999999', INVALID_URL],
    ['/start takes no slash at its end', '/start/', NOT_FOUND],
    ['/fail takes no slash at its end', '/fail/', NOT_FOUND],
    ['neither does /log', '/log/', NOT_FOUND],
    ['nor does an exit status', '/1/', NOT_FOUND],
    ['an unknown word after the UUID is not found', '/foo', NOT_FOUND],
    ['an action in upper case is refused', '/FAIL', INVALID_URL],
    ['an action with one capital letter is refused, too', '/Start', INVALID_URL],
    ['a negative number is no exit status', '/-1', NOT_FOUND],
    ['a number with a point is no exit status', '/1.5', NOT_FOUND],
    ['nothing may follow an action', '/fail/extra', NOT_FOUND],
    ['two slashes are no end', '//', NOT_FOUND],
    ['an encoded NUL is not found', '/%00', NOT_FOUND],
    ['an encoded newline is not found', '%0A', NOT_FOUND],
    ['half an escape is not found', '/%f', NOT_FOUND],
    ['bytes that are no UTF-8 are not found', '/%ff%fe', NOT_FOUND],
    ['digits of another script are no exit status', '/%D9%A1', NOT_FOUND],
  ] as const) {
    test(name, async () => {
      const { check } = await givenCheck();

      assertAnswer(await app().ping(`/${check.uuid}${path}`), answer);

      await assertUntouched(app(), check);
    });
  }

  test('an unknown UUID is not found', async () => {
    assertAnswer(await app().ping(`/${UNKNOWN}`), NOT_FOUND);
    assertAnswer(await app().ping(`/${UNKNOWN}/`), NOT_FOUND);
    assertAnswer(await app().ping(`/${UNKNOWN}/start`, { body: 'x' }), NOT_FOUND);
  });

  test('whether there is such a check matters more than its exit status', async () => {
    assertAnswer(await app().ping(`/${UNKNOWN}/256`), NOT_FOUND);
  });

  for (const [name, spell] of [
    ['a UUID in upper case is not found', (uuid: string) => `/${uuid.toUpperCase()}`],
    ['a UUID in upper case is not found with an action, either', (uuid) => `/${uuid.toUpperCase()}/start`],
    ['a UUID without dashes is not found', (uuid) => `/${uuid.replaceAll('-', '')}`],
    ['a UUID in braces is not found', (uuid) => `/{${uuid}}`],
    ['a UUID with one digit too many is not found', (uuid) => `/${uuid}0`],
  ] as const satisfies readonly [string, (uuid: string) => string][]) {
    test(name, async () => {
      const { check } = await givenCheck({ uuid: app().deps.random.uuid().replace(/^./, 'a') });

      assertAnswer(await app().ping(spell(check.uuid)), NOT_FOUND);

      await assertUntouched(app(), check);
    });
  }

  test('what is no UUID is not found', async () => {
    for (const path of ['/not-uuid/', '/not-uuid', '/', '//', '/not-uuid/a/b/c'])
      assertAnswer(await app().ping(path), NOT_FOUND, path);
  });

  test('a percent-encoded path means what it decodes to', async () => {
    const { check } = await givenCheck();

    const path = `/${check.uuid.replaceAll('-', '%2d')}%2F%73tart`;
    assertAnswer(await app().ping(path), OK);

    assert.deepEqual(await signalsOf(app(), check), ['start']);
  });

  test('a ping key and a slug reach the check', async () => {
    const { key, check } = await givenSlug();

    assertAnswer(await app().ping(`/${key}/nightly`), OK);

    const { signal, exitStatus } = await lastPing(app(), check);
    assert.deepEqual([signal, exitStatus], ['success', null]);
  });

  test('actions and exit statuses follow the slug', async () => {
    const { key, check } = await givenSlug();

    for (const path of ['start', 'fail', 'log', '0', '123'])
      assertAnswer(await app().ping(`/${key}/nightly/${path}`), OK, path);

    const seen = (await pingsOf(app(), check)).map(({ signal, exitStatus }) => [signal, exitStatus]);
    assert.deepEqual(seen, [
      ['start', null],
      ['fail', null],
      ['log', null],
      ['success', 0],
      ['fail', 123],
    ]);
  });

  for (const [name, path, answer] of [
    ['a slug takes no slash at its end', '/nightly/', NOT_FOUND],
    ['nor does an action after it', '/nightly/start/', NOT_FOUND],
    ['an action in upper case after a slug is not found', '/nightly/FAIL', NOT_FOUND],
    ['nothing may follow the action', '/nightly/fail/extra', NOT_FOUND],
    ['a key alone is not found', '', NOT_FOUND],
    ['a key and a slash is not found', '/', NOT_FOUND],
    ['an exit status above 255 is refused by slug, too', '/nightly/256', INVALID_URL],
  ] as const) {
    test(name, async () => {
      const { key, check } = await givenSlug();

      assertAnswer(await app().ping(`/${key}${path}`), answer);

      await assertUntouched(app(), check);
    });
  }

  test('a slug in upper case is refused, whether the key is known or not', async () => {
    const { key, check } = await givenSlug('foo');

    assertAnswer(await app().ping(`/${key}/FOO`), INVALID_URL);
    assertAnswer(await app().ping(`/${key}/fOo/start`), INVALID_URL);
    assertAnswer(await app().ping('/nobody-has-this-key/FOO'), INVALID_URL);

    await assertUntouched(app(), check);
  });

  test('with a wrong key the slug is not found', async () => {
    const { key, check } = await givenSlug();

    assertAnswer(await app().ping(`/${key}x/nightly`), NOT_FOUND);
    assertAnswer(await app().ping(`/${check.uuid}/nightly`), NOT_FOUND);

    await assertUntouched(app(), check);
  });

  test('a slug that two checks have is ambiguous, and reaches neither', async () => {
    const { key, project, check } = await givenSlug();
    const other = await app().givenCheck(project, { slug: 'nightly' });

    assertAnswer(await app().ping(`/${key}/nightly`), AMBIGUOUS);
    assertAnswer(await app().ping(`/${key}/nightly/fail`, { body: 'x' }), AMBIGUOUS);

    await assertUntouched(app(), check, other);
    assertAnswer(await app().ping(`/${check.uuid}`), OK);
    assertAnswer(await app().ping(`/${other.uuid}`), OK);
  });

  test('a slug in two projects is told apart by the key', async () => {
    const one = await givenSlug();
    const two = await givenSlug();

    assertAnswer(await app().ping(`/${one.key}/nightly`), OK);
    assertAnswer(await app().ping(`/${two.key}/nightly/fail`), OK);

    assert.deepEqual(await signalsOf(app(), one.check), ['success']);
    assert.deepEqual(await signalsOf(app(), two.check), ['fail']);
  });

  test('a slug may be the name of an action', async () => {
    const { key, check } = await givenSlug('start');

    assertAnswer(await app().ping(`/${key}/start`), OK);
    assertAnswer(await app().ping(`/${key}/start/start`), OK);

    assert.deepEqual(await signalsOf(app(), check), ['success', 'start']);
  });

  test('a slug may be a number, which is then no exit status', async () => {
    const { key, check } = await givenSlug('123');

    assertAnswer(await app().ping(`/${key}/123`), OK);

    const { signal, exitStatus } = await lastPing(app(), check);
    assert.deepEqual([signal, exitStatus], ['success', null]);
  });

  test('the case of a ping key matters', async () => {
    const { key, check } = await givenSlug();

    assertAnswer(await app().ping(`/${key.toLowerCase()}/nightly`), NOT_FOUND);
    assertAnswer(await app().ping(`/${key.toUpperCase()}/nightly`), NOT_FOUND);

    await assertUntouched(app(), check);
  });

  test('a slug may have underscores and dashes', async () => {
    const { key, check } = await givenSlug('-db_backup--2_');

    assertAnswer(await app().ping(`/${key}/-db_backup--2_`), OK);

    assert.deepEqual(await signalsOf(app(), check), ['success']);
  });

  test('the checks of a project without a ping key cannot be reached by slug', async () => {
    const { check, project } = await givenCheck({ slug: 'nightly' });

    for (const key of ['null', 'undefined', '-', project.uuid])
      assertAnswer(await app().ping(`/${key}/nightly`), NOT_FOUND, key);

    await assertUntouched(app(), check);
  });

  test('a changed slug is found, the old one is not', async () => {
    const { key, project, check } = await givenSlug('old');
    const actor = systemActor(project.id);
    await updateCheck(app().deps, actor, check.id, { edit: { slug: 'new' } });

    assertAnswer(await app().ping(`/${key}/old`), NOT_FOUND);
    assertAnswer(await app().ping(`/${key}/new`), OK);

    assert.deepEqual(await state(app(), check, 'pingCount'), { pingCount: 1 });
  });
});
