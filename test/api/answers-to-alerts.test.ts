import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateApiKey } from '../../src/domain/people/api-key.ts';
import { seconds, toIsoSeconds } from '../../src/lib/instant.ts';
import { addApiKey } from '../../src/services/project/projects.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertStatus, checkOf, checksOf, pick } from './answers.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given() {
    const { project, key, readOnlyKey } = await app().givenProject();
    const check = await app().givenCheck(project, { status: 'up', name: 'db' });
    await app().assign(check, await app().givenChannel(project));
    const answer = (verb: string, body?: unknown, by = key) =>
      app().request('POST', `/api/v3/checks/${check.uuid}/${verb}`, {
        key: by,
        ...(body !== undefined && { body }),
      });
    /** Messages about the check, oldest first. */
    const told = async () => {
      const rows = await app().deps.store.deliveries.ofCheck(check.id, 100);
      return rows.map(({ status }) => status).toReversed();
    };
    return { project, key, readOnlyKey, check, answer, told };
  }

  test('an outage is acknowledged once, and its end is told as ever', async () => {
    const { check, answer, told, project } = await given();
    const otherKey = generateApiKey('read_write', app().deps.random.bytes);
    await app().deps.store.transaction((tx) =>
      addApiKey(app().deps, tx, project, { kind: 'read_write', name: 'another', key: otherKey }),
    );
    assertStatus(await answer('acknowledge'), 409);
    await app().receive(check, 'fail');

    const first = checkOf(await answer('acknowledge'));
    assert.equal(first.name, 'db');
    app().clock.advance({ minutes: 5 });
    const second = await answer('acknowledge', undefined, otherKey);
    assertStatus(second, 200);
    assert.deepEqual(checkOf(second).acknowledged, first.acknowledged);
    await app().receive(check, 'success');

    assert.deepEqual(await told(), ['down', 'up']);
    assertStatus(await answer('unacknowledge'), 409);
  });

  test('a check shows who has its outage, and until when it is snoozed, to readers of version 3 alone', async () => {
    const { check, answer, key, readOnlyKey } = await given();
    const shown = async (version: number, by = key) => {
      const read = await app().request('GET', `/api/v${version}/checks/${check.uuid}`, { key: by });
      const list = await app().request('GET', `/api/v${version}/checks/`, { key: by });
      const [first = {}] = checksOf(list);
      const keys = ['acknowledged', 'snoozed_until'];
      assert.deepEqual(pick(first, keys), pick(checkOf(read), keys));
      return keys.map((name) => checkOf(read)[name]);
    };
    await app().receive(check, 'fail');
    const now = toIsoSeconds(app().clock.now());
    const inAnHour = toIsoSeconds(app().clock.now() + seconds(3600));
    assert.deepEqual(await shown(3), [undefined, undefined]);

    const [acknowledged] = [checkOf(await answer('acknowledge')).acknowledged];
    await answer('snooze', { for: 3600 });

    const by = (acknowledged as { by: string }).by;
    assert.deepEqual(await shown(3), [{ at: now, by }, inAnHour]);
    assert.deepEqual(await shown(2), [undefined, undefined]);
    const list = await app().request('GET', '/api/v3/checks/', { key: readOnlyKey });
    assert.equal(checksOf(list)[0]?.snoozed_until, inAnHour);
    app().clock.advance({ seconds: 3600 });
    assert.deepEqual(await shown(3), [{ at: now, by }, undefined]);
    await app().receive(check, 'success');
    assert.deepEqual(await shown(3), [undefined, undefined]);
  });

  test('what begins in a snooze is told when that is ended', async () => {
    const { check, answer, told } = await given();
    assertStatus(await answer('snooze', { for: 3600 }), 200);
    await app().receive(check, 'fail');
    assert.deepEqual(await told(), []);

    assertStatus(await answer('unsnooze'), 200);

    assert.deepEqual(await told(), ['down']);
  });

  test('a snooze says for how long, and lasts 30 days at most', async () => {
    const { answer } = await given();
    for (const [body, fault] of [
      [{}, 'for or until is missing'],
      [{ for: 0 }, 'for is too small'],
      [{ for: '1h' }, 'for is not a number'],
      [{ for: 2_592_001 }, 'for is too large'],
      [{ until: 1 }, 'This time is over.'],
      [{ for: 60, untl: 1 }, 'json validation error: snooze has an unknown key "untl"'],
    ] as const) {
      const reply = await answer('snooze', body);
      assertStatus(reply, 400);
      assert.equal((reply.json as { error: string }).error, fault);
    }
  });

  test('keys that only read, and keys of other projects, answer nothing', async () => {
    const { check, answer, readOnlyKey } = await given();
    const other = await given();
    await app().receive(check, 'fail');
    for (const verb of ['acknowledge', 'unacknowledge', 'snooze', 'unsnooze']) {
      const body = verb === 'snooze' ? { for: 60 } : undefined;
      assertStatus(await answer(verb, body, readOnlyKey), 401);
      assertStatus(await answer(verb, body, other.key), 403);
    }
  });
});
