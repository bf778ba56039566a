import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHANNEL_KINDS } from '../../src/integrations/registry.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertError } from './answers.ts';

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** A project with three channels, and the list of them with and without how they are. */
  async function givenChannels() {
    const { project, key } = await app().givenProject();
    const other = await app().givenProject();
    const mail = await app().givenChannel(project, { name: 'Alice mail' });
    await app().givenChannel(other.project, { name: 'foreign' });
    const hook = await app().givenChannel(project, {
      kind: 'webhook',
      name: '',
      settings: { down: { url: 'https://example.org/secret-token' } },
      isOff: true,
    });
    const unverified = await app().givenChannel(project, { name: 'Bob "mail"', verified: false });
    const state = {
      ...{ verified: true, disabled: false, disabled_reason: null, disabled_error: '' },
      ...{ disabled_since: null, last_attempt: null, last_error: '' },
    };
    const off = {
      disabled: true,
      disabled_reason: 'switched_off',
      disabled_since: '2024-03-01T12:00:00.000000+00:00',
    };
    const refs = [
      { id: mail.uuid, name: 'Alice mail', kind: 'email' },
      { id: hook.uuid, name: '', kind: 'webhook' },
      { id: unverified.uuid, name: 'Bob "mail"', kind: 'email' },
    ];
    const states = [state, { ...state, ...off }, { ...state, verified: false }];
    return {
      key,
      brief: JSON.stringify({ channels: refs }),
      detailed: JSON.stringify({ channels: refs.map((ref, index) => ({ ...ref, ...states[index] })) }),
    };
  }

  test('the channels of the own project are listed, oldest first, with id, name and kind and nothing else', async () => {
    const { key, brief } = await givenChannels();
    const paths = [1, 2, 3].map((version) => `/api/v${version}/channels/`);
    // Only version 3 knows details, and asks for them in one way.
    const others = ['/api/v1/channels/?details=1', '/api/v2/channels/?details=1'];
    const unsaid = ['', '=', '=0', '=true', '=1&details=0'].map((rest) => `/api/v3/channels/?details${rest}`);

    for (const path of [...paths, ...others, ...unsaid]) {
      const { status, headers, text } = await app().request('GET', path, { key });
      assert.deepEqual([status, headers['content-type'], text], [200, 'application/json', brief], path);
    }
  });

  test('on request the list tells how the channels are, and nothing of their settings', async () => {
    const { key, detailed } = await givenChannels();

    const { status, text } = await app().request('GET', '/api/v3/channels/?details=1', { key });

    assert.deepEqual([status, text], [200, detailed]);
  });

  test('a channel of any kind is listed and shown, also of a kind that this program does not know', async () => {
    const { project, key } = await app().givenProject();
    const kinds = [...CHANNEL_KINDS, 'carrier-pigeon'];
    for (const kind of kinds) await app().givenChannel(project, { kind, settings: {} });

    const { json } = await app().request('GET', '/api/v3/channels/', { key });

    const { channels } = json as unknown as { channels: readonly { id: string; kind: string }[] };
    assert.deepEqual(
      channels.map(({ kind }) => kind),
      kinds,
    );
    for (const { id, kind } of channels) {
      const shown = await app().request('GET', `/api/v3/channels/${id}`, { key });
      assert.deepEqual([shown.status, (shown.json as Record<string, unknown>).kind], [200, kind]);
    }
  });

  test('a channel is switched off and on, and says so', async () => {
    const { project, key } = await app().givenProject();
    const { uuid } = await app().givenChannel(project);
    const post = (verb: string) => app().request('POST', `/api/v3/channels/${uuid}/${verb}`, { key });

    const off = await post('disable');
    const on = await post('enable');

    assert.deepEqual([off.status, on.status], [200, 200]);
    assert.deepEqual(
      [off.json, on.json].map((json) => {
        const { id, disabled, disabled_reason: reason, verified } = json as Record<string, unknown>;
        return [id, disabled, reason, verified];
      }),
      [
        [uuid, true, 'switched_off', true],
        [uuid, false, null, true],
      ],
    );
  });

  test('a channel is switched with a read-write key of its own project alone', async () => {
    const { project, readOnlyKey } = await app().givenProject();
    const other = await app().givenProject();
    const { uuid } = await app().givenChannel(project);
    for (const verb of ['disable', 'enable']) {
      const path = `/api/v3/channels/${uuid}/${verb}`;

      assertError(await app().request('POST', path, { key: readOnlyKey }), 401, 'wrong api key');
      assertError(await app().request('POST', path, { key: other.key }), 403, 'access denied');
      assertError(await app().request('POST', path), 401, 'missing api key');
      assert.equal((await app().request('GET', path, { key: other.key })).status, 405);
    }
    assert.equal((await app().deps.store.channels.byUuid(uuid))?.off, null);
  });

  test('a channel of a kind that only a newer version knows is listed', async () => {
    const { project, key } = await app().givenProject();
    const { uuid } = await app().givenChannel(project, { kind: 'pigeon', name: 'Coop', settings: {} });

    const { json } = await app().request('GET', '/api/v3/channels/', { key });

    const [{ id, name, kind } = assert.fail()] = (json as { channels: Record<string, unknown>[] }).channels;
    assert.deepEqual([id, name, kind], [uuid, 'Coop', 'pigeon']);
  });

  test('a project without channels has an empty list', async () => {
    const { key } = await app().givenProject();

    assert.equal((await app().request('GET', '/api/v3/channels/', { key })).text, '{"channels":[]}');
  });

  test('nobody sees them with a read-only key, a key of no project, a short key, or none', async () => {
    const { key, readOnlyKey } = await app().givenProject();
    const list = (given?: string) =>
      app().request('GET', '/api/v3/channels/', given === undefined ? {} : { key: given });

    assertError(await list(readOnlyKey), 401, 'wrong api key');
    assertError(await list('x'.repeat(key.length)), 401, 'wrong api key');
    assertError(await list(), 401, 'missing api key');
    for (const short of ['', 'x', key.slice(0, -1), `${key}x`])
      assertError(await list(short), 401, 'missing api key');
  });
});
