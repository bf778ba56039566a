import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MASK } from '../../src/integrations/kind/setting.ts';
import { dueMails } from '../account-mails.ts';
import { type GivenProject, sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { assertError } from './answers.ts';

const SLACK = { kind: 'slack', name: 'Ops', settings: { url: 'https://hooks.slack.example/services/T0/B0' } };

interface Details {
  readonly id: string;
  readonly health: string;
  readonly events: readonly string[];
  readonly buttons: string;
  readonly settings: Record<string, unknown>;
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);
  const call = async ({ key }: Pick<GivenProject, 'key'>, method: string, path: string, body?: unknown) => {
    const reply = await app().request(method, `/api/v3/channels/${path}`, {
      key,
      ...(body !== undefined && { body }),
    });
    return { ...reply, details: reply.json as unknown as Details };
  };

  test('each kind has a schema of its settings and an example', async () => {
    const project = await app().givenProject();

    const { status, json } = await call(project, 'GET', 'kinds/');

    assert.equal(status, 200);
    const { kinds } = json as unknown as { kinds: Record<string, unknown>[] };
    const slack = kinds.find(({ kind }) => kind === 'slack');
    assert.equal(slack?.offered, true);
    assert.deepEqual(slack?.secrets, ['url']);
    assert.match(JSON.stringify(slack?.settings), /"required":\["url"\]/);
  });

  test('the life of an integration', async () => {
    const project = await app().givenProject();
    const check = await app().givenCheck(project.project);

    const made = await call(project, 'POST', '', { ...SLACK, events: ['up'], checks: [check.uuid] });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(made.details.settings, { url: `https://hooks.slack.example/${MASK}` });
    const { id } = made.details;
    assert.deepEqual(await app().deps.store.checks.channelsOf(check.id), [id]);

    const kept = await call(project, 'POST', id, {
      name: 'Operations',
      settings: made.details.settings,
      events: ['down_fail'],
      checks: '',
    });
    assert.equal(kept.status, 200, kept.text);
    assert.deepEqual(kept.details.events, ['down_fail']);
    const stored = await app().deps.store.channels.byUuid(id);
    assert.equal(app().deps.vault.unseal(stored?.settings.sealed ?? ''), JSON.stringify(SLACK.settings));
    assert.deepEqual(await app().deps.store.checks.channelsOf(check.id), []);

    assert.equal((await call(project, 'POST', `${id}/disable`)).status, 200);
    assert.equal((await call(project, 'GET', id)).details.health, 'disabled');
    const preview = await call(project, 'POST', `${id}/preview`, { event: 'up' });
    assert.match(preview.text, /"url":"https:\/\/hooks\.slack\.example\/••••••••"/);
    assert.equal((await call(project, 'DELETE', id)).status, 200);
    assert.equal((await call(project, 'GET', id)).status, 404);
  });

  test('$JSON in the preview of a webhook is what the API answers about the check, without who has set its fields', async () => {
    const project = await app().givenProject();
    const { uuid } = await app().givenCheck(project.project, { status: 'up', lastPingAt: app().clock.now() });
    const settings = { down: { method: 'POST', url: 'https://hooks.example.org/', body: '$JSON' } };
    const { id } = (await call(project, 'POST', '', { kind: 'webhook', settings, checks: [uuid] })).details;

    const { json } = await call(project, 'POST', `${id}/preview`, { check: uuid });

    const { requests } = json as unknown as { requests: readonly { readonly body: string }[] };
    const shown = await app().request('GET', `/api/v3/checks/${uuid}`, { key: project.key });
    const { sources, ...told } = shown.json as unknown as { sources: unknown; channels: string };
    assert.deepEqual([JSON.parse(requests[0]?.body ?? ''), sources], [told, {}]);
    assert.equal(told.channels, id);
  });

  test('the buttons of its messages can be chosen, and only where messages have some', async () => {
    const project = await app().givenProject();
    const made = await call(project, 'POST', '', SLACK);
    const { id } = made.details;
    assert.deepEqual([made.details.buttons, made.details.settings.buttons], ['answer', undefined]);

    const edited = await call(project, 'POST', id, { buttons: 'pause' });
    const renamed = await call(project, 'POST', id, { name: 'Operations' });
    const wrong = await call(project, 'POST', id, { buttons: 'all' });
    const group = await call(project, 'POST', '', {
      ...{ kind: 'group', settings: { channels: [id] }, buttons: 'answer' },
    });

    assert.deepEqual([edited.details.buttons, renamed.details.buttons], ['pause', 'pause']);
    assert.equal(wrong.status, 400);
    assert.equal((await call(project, 'GET', id)).details.buttons, 'pause');
    assertError(group, 400, 'buttons cannot be set: Group has none');
    assert.equal((await call(project, 'GET', '')).text.includes('buttons'), false);
  });

  test('an edit is saved as a whole or not at all', async () => {
    const project = await app().givenProject();
    const check = await app().givenCheck(project.project);
    const { details } = await call(project, 'POST', '', { ...SLACK, checks: [check.uuid] });

    const wrongSettings = await call(project, 'POST', details.id, {
      settings: { nonsense: 1 },
      checks: '',
    });
    const foreignCheck = await call(project, 'POST', details.id, { name: 'New', checks: [details.id] });

    assert.deepEqual([wrongSettings.status, foreignCheck.status], [400, 400]);
    assert.deepEqual(await app().deps.store.checks.channelsOf(check.id), [details.id]);
    assert.equal((await app().deps.store.channels.byUuid(details.id))?.name, 'Ops');
  });

  test('an address of e-mail says that it has to be confirmed, and one mail asks its owner', async () => {
    const project = await app().givenProject();
    await dueMails(app());

    const { json } = await call(project, 'POST', '', { kind: 'email', settings: { email: 'a@example.org' } });
    const mails = await dueMails(app());

    assert.equal((json as unknown as { verified: boolean }).verified, false);
    assert.deepEqual(
      mails.map(({ to }) => to),
      ['a@example.org'],
    );
  });

  test('what a provider has to name cannot be given, neither for a new integration nor for another one', async () => {
    const project = await app().givenProject();
    const repository = { installation_id: 77, repo: 'acme/backups', labels: 'night' };
    const cases: [kind: string, stored: object, others: readonly object[], free: object][] = [
      ['telegram', { id: -100 }, [{ id: -101 }, { thread_id: 7 }, { type: 'group' }], { text: 'x' }],
      ['github', repository, [{ installation_id: 78 }, { repo: 'acme/secrets' }], { labels: 'day' }],
    ];
    for (const [kind, stored, others, free] of cases) {
      const { uuid } = await app().givenChannel(project.project, { kind, settings: { ...stored } });
      const before = await app().deps.store.channels.byUuid(uuid);

      assertError(
        await call(project, 'POST', '', { kind, settings: stored }),
        400,
        `${Object.keys(stored)[0]} cannot be given: connect ${before?.kind === 'github' ? 'GitHub' : 'Telegram'} in the dashboard`,
      );
      for (const other of others) {
        const reply = await call(project, 'POST', uuid, { settings: other });
        assert.equal(reply.status, 400, JSON.stringify(other));
        assert.match(reply.text, /cannot be given/);
      }
      assert.deepEqual(await app().deps.store.channels.byUuid(uuid), before);

      const kept = await call(project, 'POST', uuid, { settings: { ...stored, ...free } });
      assert.equal(kept.status, 200, kept.text);
      assert.deepEqual({ ...kept.details.settings, ...stored, ...free }, kept.details.settings);
    }
    const { json } = await call(project, 'GET', 'kinds/');
    const { kinds } = json as unknown as { kinds: { kind: string; connected_only: string[] }[] };
    const named = kinds.filter(({ connected_only: names }) => names.length > 0);
    assert.deepEqual(named.map(({ kind, connected_only: names }) => [kind, names]).toSorted(), [
      ['github', ['installation_id', 'repo']],
      ['telegram', ['id', 'thread_id', 'type', 'name']],
    ]);
  });

  test('wrong keys, foreign integrations and other methods are refused', async () => {
    const [project, other] = [await app().givenProject(), await app().givenProject()];
    const { details } = await call(project, 'POST', '', SLACK);
    const reader = { key: project.readOnlyKey };

    for (const method of ['GET', 'POST', 'DELETE'])
      assert.equal((await call(other, method, details.id, method === 'POST' ? {} : undefined)).status, 403);
    assert.equal((await call(reader, 'GET', details.id)).status, 401);
    assert.equal((await call(reader, 'POST', '', SLACK)).status, 401);
    assert.equal((await call(project, 'DELETE', 'kinds/')).status, 405);
  });
});
