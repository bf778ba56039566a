import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../src/domain/check/check.ts';
import { deleteChannel } from '../src/services/alert/channels.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { sharedTestApp } from './app.ts';
import { messageNode, textOf } from './channel-messages.test-support.ts';
import { forEachEngine } from './engines.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A check with two channels, of which the first is told of each success. */
  async function given() {
    const { project, key } = await app().givenProject();
    const [told, other] = [
      await app().givenChannel(project, {
        kind: 'slack',
        name: 'Chat',
        settings: { url: 'https://hooks.example/a' },
      }),
      await app().givenChannel(project, {
        kind: 'slack',
        name: 'Ops',
        settings: { url: 'https://hooks.example/b' },
      }),
    ];
    const check = await app().givenCheck(project, { name: 'backup' });
    await app().assign(check, told, other);
    const edit = async (body: object) => {
      const { json, status } = await app().request('POST', `/api/v3/checks/${check.uuid}`, { key, body });
      return { status, ...(json as { done_channels?: string; error?: string }) };
    };
    await edit({ done_channels: 'Chat' });
    return { project, key, told, other, check, edit, ...messageNode(app()) };
  }

  const ping = async ({ uuid }: Check, rest = '') => {
    app().clock.advance({ seconds: 60 });
    await app().ping(`/${uuid}${rest}`);
  };

  test('each success is told to the channel that wants it, with its time, and to no other', async () => {
    const { check, requests, drain } = await given();

    for (const _ of ['first', 'second']) {
      await ping(check, '/start');
      await ping(check);
      await drain();
    }

    assert.deepEqual(
      requests.map(({ url }) => url),
      ['https://hooks.example/a', 'https://hooks.example/a'],
    );
    assert.match(textOf(requests[0] ?? assert.fail()), /backup has succeeded.*after 1 min/s);
  });

  test('the success that ends an outage is told as that alone, and a failure is none', async () => {
    const { check, requests, drain } = await given();
    await ping(check, '/fail');
    await ping(check);
    await drain();
    assert.equal(requests.length, 0);
    const { store } = app().deps;
    const told = (await store.deliveries.ofCheck(check.id, 10)).filter(({ status }) => status === 'up');
    assert.deepEqual(told.map(({ channelName }) => channelName).toSorted(), ['Chat', 'Ops']);

    await ping(check);
    await drain();
    assert.equal(requests.length, 1);
  });

  test('a message that was not taken yet gives its place and its pauses to a newer one', async () => {
    const { check, requests, answers, drain } = await given();
    answers.status = 500;
    await ping(check);
    await drain();
    await ping(check);
    await ping(check);
    await drain();
    const refused = requests.length;

    answers.status = 200;
    app().clock.advance({ hours: 1 });
    await drain();
    app().clock.advance({ hours: 1 });
    await drain();

    assert.ok(refused <= 2, `${refused} tries`);
    assert.equal(requests.length, refused + 1);
    assert.match(textOf(requests.at(-1) ?? assert.fail()), /It ended at .*12:03/);
  });

  test('successes that came in one batch are told once', async () => {
    const { check, requests, drain } = await given();
    app().clock.advance({ seconds: 60 });

    await Promise.all(['', '', ''].map(() => app().ping(`/${check.uuid}`)));
    await drain();

    assert.equal(requests.length, 1);
  });

  test('a channel hears of a remark instead, if it wants to, and of nothing once it is taken away', async () => {
    const { check, edit, requests, drain } = await given();
    await edit({ run_rules: { exit_map: '24=warn' } });
    await ping(check, '/24');
    await drain();
    assert.match(textOf(requests[0] ?? assert.fail()), /Exit status 24/);

    await ping(check);
    await edit({ done_channels: '' });
    await drain();
    assert.equal(requests.length, 1);
  });

  test('the API shows who is told, and refuses integrations that cannot be', async () => {
    const { project, check, told, edit, key } = await given();
    await app().givenChannel(project, { kind: 'webhook', name: 'Hook', settings: {} });

    assert.equal((await edit({})).done_channels, told.uuid);
    for (const [name, reason] of [
      ['Hook', /Hook cannot be told of each success/],
      ['Nobody', /invalid channel identifier: Nobody/],
    ] as const) {
      const { status, error = '' } = await edit({ done_channels: name });
      assert.equal(status, 400);
      assert.match(error, reason);
    }
    const older = await app().request('GET', `/api/v2/checks/${check.uuid}`, { key });
    assert.ok(!('done_channels' in (older.json as object)));
    await edit({ channels: 'Ops' });
    assert.equal((await edit({})).done_channels, undefined);
  });

  test('an integration that is deleted is named no longer', async () => {
    const { project, check, told, other, edit } = await given();
    await edit({ done_channels: 'Chat,Ops' });

    await deleteChannel(app().deps, systemActor(project.id), told.uuid);

    assert.equal((await app().deps.store.checks.byId(check.id))?.doneChannels, other.uuid);
  });
});
