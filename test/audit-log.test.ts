import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ActedBy, MAX_LOGGED_TEXT } from '../src/domain/people/audit.ts';
import { MASK } from '../src/integrations/kind/setting.ts';
import { parseProvisionFile } from '../src/provision/parse.ts';
import { confirmationToken, unsubscribe, verifyChannel } from '../src/services/alert/channel-links.ts';
import {
  createChannel,
  deleteChannel,
  editChannel,
  renameChannel,
  switchChannelOff,
  switchChannelOn,
} from '../src/services/alert/channels.ts';
import { sendTestMessage } from '../src/services/alert/test-message.ts';
import { createCheck, deleteCheck, pauseCheck, updateCheck } from '../src/services/check/checks.ts';
import { PROGRAM_ITSELF, systemActor } from '../src/services/core/actor.ts';
import { AuditLogPruner } from '../src/services/core/audit.ts';
import { Attempts } from '../src/services/people/attempts.ts';
import {
  type Subscription,
  setReminders,
  subscriptionToken,
} from '../src/services/people/mail-preferences.ts';
import { listKeys, rotateKey } from '../src/services/project/keys.ts';
import { renameProject } from '../src/services/project/projects.ts';
import { provision } from '../src/services/provisioning/provision.ts';
import type { ActPage, Store } from '../src/storage/store.ts';
import { sharedTestApp } from './app.ts';
import { forEachEngine } from './engines.ts';
import { actRecord } from './records.ts';

const PERSON: ActedBy = {
  accountId: null,
  name: 'alice@example.org',
  means: 'session',
  remoteAddr: '192.0.2.7',
};
const ALL: ActPage = { after: null, from: null, before: null, most: 100 };

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  /** The log of the project, the earliest entry first. */
  async function logOf(projectId: number) {
    return (await app().deps.store.auditLog.page({ projectId }, ALL)).toReversed();
  }

  async function actionsOf(projectId: number) {
    return (await logOf(projectId)).map(({ action }) => action);
  }

  test('the log names the key, the check and the settings that were chosen', async () => {
    const { project, key } = await app().givenProject();
    const body = { name: 'Nightly', timeout: 300, desc: 'x'.repeat(1_000) };
    const reply = await app().request('POST', '/api/v3/checks/', { key, body });

    const [act, ...others] = await logOf(project.id);

    assert.deepEqual(others, []);
    assert.deepEqual(
      { ...act, id: 0, createdAt: 0 },
      {
        ...{ id: 0, createdAt: 0, accountId: null, accountUuid: null, projectId: project.id },
        ...{ actor: 'test', means: 'api_key', remoteAddr: '127.0.0.1', action: 'check.created' },
        subject: { kind: 'check', id: act?.subject.id, name: 'Nightly' },
        details: {
          after: {
            name: 'Nightly',
            description: `${'x'.repeat(MAX_LOGGED_TEXT - 1)}…`,
            timeout_seconds: 300,
          },
        },
      },
    );
    const { ping_url } = reply.json as { ping_url: string };
    assert.ok(!JSON.stringify(act).includes(ping_url.split('/').at(-1) ?? ''), 'no address to ping');
  });

  test('an update tells what it changed, before and after, and nothing else', async () => {
    const { project, key } = await app().givenProject();
    const check = await app().givenCheck(project, { name: 'Old', timeoutSeconds: 60 });
    const channel = await app().givenChannel(project);
    const post = (body: object) => app().request('POST', `/api/v3/checks/${check.uuid}`, { key, body });
    await post({ name: 'New', timeout: 60, channels: channel.uuid });

    const [act] = await logOf(project.id);

    assert.equal(act?.action, 'check.updated');
    assert.deepEqual(act?.details, {
      before: { channels: [], name: 'Old' },
      after: { channels: [channel.uuid], name: 'New' },
    });
    await post({ name: 'New', timeout: 60, channels: channel.uuid });
    assert.equal((await logOf(project.id)).length, 1, 'an update that changes nothing is no act');
  });

  test('pausing, resuming and deleting a check are in the log, pings are not', async () => {
    const { project, key } = await app().givenProject();
    const check = await app().givenCheck(project, { status: 'up', name: 'Nightly', tags: 'prod' });
    const path = `/api/v3/checks/${check.uuid}`;
    await app().ping(`/${check.uuid}`);
    for (const verb of ['pause', 'pause', 'resume'])
      await app().request('POST', `${path}/${verb}`, { key, body: {} });
    await app().request('DELETE', path, { key });

    const log = await logOf(project.id);

    assert.deepEqual(
      log.map(({ action, details }) => [action, details]),
      [
        ['check.paused', { before: { status: 'up' }, after: { status: 'paused' } }],
        ['check.resumed', { before: { status: 'paused' }, after: { status: 'new' } }],
        ['check.deleted', { before: { name: 'Nightly', tags: 'prod' } }],
      ],
    );
  });

  test('an upsert that finds its check is an update, and one that fails leaves nothing', async () => {
    const { project, key } = await app().givenProject({ limits: { checks: 1, pings: 100 } });
    const create = (body: object) => app().request('POST', '/api/v3/checks/', { key, body });
    await create({ name: 'One', timeout: 60 });
    await create({ name: 'One', timeout: 90, unique: ['name'] });
    assert.equal((await create({ name: 'Two' })).status, 403);

    assert.deepEqual(await actionsOf(project.id), ['check.created', 'check.updated']);
  });

  test('what the program does by itself has no entry of its own', async () => {
    const { project } = await app().givenProject();
    const { deps } = app();
    const { check } = await createCheck(deps, systemActor(project.id, PROGRAM_ITSELF), {
      edit: { name: 'x' },
      match: null,
    });
    await pauseCheck(deps, systemActor(project.id), check.id);
    await deleteCheck(deps, systemActor(project.id), check.id);

    assert.deepEqual(await logOf(project.id), []);
  });

  test('every verb on a channel is in the log, and secrets are masked', async () => {
    const { project } = await app().givenProject();
    const { deps } = app();
    const actor = systemActor(project.id, PERSON);
    const settings = { down: { url: 'https://a.example/sesame' }, up: { url: 'https://a.example/up' } };
    const { uuid } = await createChannel(deps, actor, { kind: 'webhook', name: 'Hook', settings });
    const edited = { down: { url: 'https://a.example/other' } };
    await editChannel(deps, actor, uuid, { settings: edited });
    await editChannel(deps, actor, uuid, { settings: edited });
    await renameChannel(deps, actor, uuid, 'Door');
    await switchChannelOff(deps, actor, uuid);
    await switchChannelOff(deps, actor, uuid);
    await switchChannelOn(deps, actor, uuid);
    await sendTestMessage({ ...deps, attempts: new Attempts(deps) }, actor, uuid, async () => ({
      kind: 'delivered',
    }));
    const group = await createChannel(deps, actor, {
      kind: 'group',
      name: 'All',
      settings: { channels: [uuid] },
    });
    await deleteChannel(deps, actor, uuid);

    const log = await logOf(project.id);

    assert.deepEqual(
      log.map(({ action, details }) => [action, details]),
      [
        [
          'channel.created',
          { after: { kind: 'webhook', name: 'Hook', verified: true, settings: { down: MASK, up: MASK } } },
        ],
        ['channel.edited', { before: { settings: { down: MASK } }, after: { settings: { down: MASK } } }],
        ['channel.renamed', { before: { name: 'Hook' }, after: { name: 'Door' } }],
        ['channel.switched_off', { before: { off: null }, after: { off: 'switched_off' } }],
        ['channel.switched_on', { before: { off: 'switched_off' }, after: { off: null } }],
        ['channel.tested', { error: null }],
        [
          'channel.created',
          { after: { kind: 'group', name: 'All', verified: true, settings: { channels: [uuid] } } },
        ],
        ['channel.switched_off', { before: { off: null }, after: { off: 'switched_off' } }],
        [
          'channel.deleted',
          {
            before: { kind: 'webhook', name: 'Door', verified: true, settings: { down: MASK, up: MASK } },
            groups: [group.uuid],
          },
        ],
      ],
    );
    assert.ok(!JSON.stringify(log).includes('sesame'));
    assert.deepEqual(
      [log[0]?.actor, log[0]?.means, log[0]?.remoteAddr, log[0]?.subject],
      ['alice@example.org', 'session', '192.0.2.7', { kind: 'channel', id: uuid, name: 'Hook' }],
    );
  });

  test('a recipient who confirms or unsubscribes by a link is in the log by their address', async () => {
    const { project } = await app().givenProject();
    const { deps } = app();
    const channel = await app().givenChannel(project, {
      verified: false,
      settings: { email: 'bob@example.org' },
    });
    const token = confirmationToken(deps, channel, 'bob@example.org');
    await verifyChannel(deps, channel.uuid, token, '192.0.2.1');
    await verifyChannel(deps, channel.uuid, token, '192.0.2.1');
    await unsubscribe(deps, channel, '192.0.2.1');

    const log = await logOf(project.id);

    assert.deepEqual(
      log.map(({ action, actor, means, remoteAddr }) => [action, actor, means, remoteAddr]),
      [
        ['channel.verified', 'bob@example.org', 'link', '192.0.2.1'],
        ['channel.unsubscribed', 'bob@example.org', 'link', '192.0.2.1'],
      ],
    );
  });

  test('every change that a file makes is in the log, without its keys', async () => {
    const { deps } = app();
    const id = deps.random.uuid();
    const [email, member] = [`${id}@example.org`, `m-${id}@example.org`];
    const [key, pingKey] = [`hcw_${id.replaceAll('-', '').slice(4)}`, id.replaceAll('-', '').slice(10)];
    const apply = (timeout: number, url: string) =>
      provision(
        deps,
        parseProvisionFile(
          'tocsin.yaml',
          `accounts:
  - { email: ${email} }
  - { email: ${member}, limits: { checks: 7 } }
projects:
  - name: Alpha
    owner: ${email}
    members: [${member}]
    keys: { read_write: ${key}, ping: ${pingKey} }
    integrations: [{ kind: webhook, name: Sink, down: { url: "${url}" } }]
    checks: [{ slug: heartbeat, timeout: ${timeout}, integrations: Sink }]
`,
        ),
      );
    await apply(300, 'https://a.example/one');
    const { id: ownerId } = (await deps.store.accounts.byEmail(email)) ?? assert.fail();
    const [project] = await deps.store.projects.byOwnerAndName(ownerId, 'Alpha');
    assert.ok(project);
    await apply(300, 'https://a.example/one');
    await apply(600, 'https://a.example/two');

    const log = await logOf(project.id);

    assert.deepEqual(
      log.map(({ action }) => action),
      [
        ...['project.created', 'member.added', 'api_key.created', 'ping_key.replaced'],
        ...['channel.created', 'check.created', 'channel.edited', 'check.updated'],
      ],
    );
    assert.ok(log.every(({ means, actor }) => means === 'file' && actor === 'provisioning file'));
    assert.deepEqual(log.at(-1)?.details, {
      before: { timeout_seconds: 300 },
      after: { timeout_seconds: 600 },
    });
    const text = JSON.stringify(log);
    for (const secret of [key, pingKey, 'a.example']) assert.ok(!text.includes(secret), secret);
  });

  test('the name and the key that a file puts back are in the log', async () => {
    const { deps } = app();
    const id = deps.random.uuid();
    const email = `${id}@example.org`;
    const key = `hcw_${id.replaceAll('-', '').slice(4)}`;
    const file = `accounts: [{ email: ${email} }]
projects: [{ name: Beta, owner: ${email}, keys: { read_write: ${key} } }]`;
    const apply = () => provision(deps, parseProvisionFile('tocsin.yaml', file));
    await apply();
    const { id: ownerId } = (await deps.store.accounts.byEmail(email)) ?? assert.fail();
    const [project] = await deps.store.projects.byOwnerAndName(ownerId, 'Beta');
    assert.ok(project);
    const person = systemActor(project.id, PERSON);
    await renameProject(deps, person, 'Gamma');
    const [old] = await listKeys(deps, person);
    assert.ok(old);
    await rotateKey(deps, person, old.uuid, { overlapHours: 1, expiresAt: null });
    const before = await logOf(project.id);
    await apply();

    const [renamed, restored, ...others] = (await logOf(project.id)).slice(before.length);

    assert.deepEqual(others, []);
    assert.deepEqual(
      [renamed?.action, renamed?.means, renamed?.details],
      ['project.renamed', 'file', { before: { name: 'Gamma' }, after: { name: 'Beta' } }],
    );
    assert.deepEqual([restored?.action, restored?.means], ['api_key.restored', 'file']);
    const expires = before.find(({ action }) => action === 'key.rotated')?.details.after;
    assert.deepEqual(restored?.details, { kind: 'read_write', before: expires, after: { expires: null } });
    await apply();
    assert.equal((await logOf(project.id)).length, before.length + 2, 'what is right is not put back again');
  });

  test('a reader who stops reports or reminders by a link is in the log by their address', async () => {
    const { deps } = app();
    const { ownerId } = await app().givenProject();
    const { email, uuid } = (await deps.store.accounts.byId(ownerId)) ?? assert.fail();
    await deps.store.transaction((tx) => setReminders(tx, ownerId, 3600, deps.clock.now()));
    const stop = async (subscription: Subscription) => {
      const token = subscriptionToken(deps, subscription, { uuid });
      const path = `/accounts/${uuid}/unsubscribe/${subscription}/${token}/`;
      assert.equal((await app().request('POST', path)).status, 200);
    };
    for (const subscription of ['reports', 'reports', 'reminders', 'reminders'] as const)
      await stop(subscription);

    const acts = (await deps.store.auditLog.ofAccount(ownerId, Number.MAX_SAFE_INTEGER, 10)).toReversed();

    const by = { accountId: ownerId, actor: email, means: 'link', remoteAddr: '127.0.0.1' };
    const subject = { kind: 'account', id: uuid, name: email };
    assert.deepEqual(
      acts.map(({ id: _id, createdAt: _createdAt, projectId: _projectId, ...act }) => act),
      [
        {
          ...by,
          action: 'account.edited',
          subject,
          details: { before: { reports: 'monthly' }, after: { reports: 'off' } },
        },
        {
          ...by,
          action: 'account.edited',
          subject,
          details: { before: { reminder_seconds: 3600 }, after: { reminder_seconds: 0 } },
        },
      ],
      'a second use of the link changes nothing',
    );
  });

  test('of two deletions of a channel at once one is in the log', async () => {
    const { project } = await app().givenProject();
    const { deps } = app();
    const channel = await app().givenChannel(project);
    const actor = systemActor(project.id, PERSON);
    let isDeleted = false;
    // The other deletion runs to its end before the last transaction of this one.
    const deleteOfOther = async () => {
      if (isDeleted) return;
      isDeleted = true;
      await deleteChannel(deps, actor, channel.uuid);
    };
    let begun = 0;
    const transaction: Store['transaction'] = async (work, options) => {
      begun += 1;
      if (begun === 3) await deleteOfOther();
      return deps.store.transaction(work, options);
    };
    const store: Store = Object.assign(Object.create(deps.store), { transaction });

    await deleteChannel({ ...deps, store }, actor, channel.uuid);

    assert.ok(isDeleted);
    const deletions = (await actionsOf(project.id)).filter((action) => action === 'channel.deleted');
    assert.equal(deletions.length, 1);
  });

  test('the log is in order of time, and is read from any place', async () => {
    const { project } = await app().givenProject();
    const other = await app().givenProject();
    const { store } = app().deps;
    await store.transaction(async (tx) => {
      for (const createdAt of [5, 3, 4, 4, 9])
        await tx.auditLog.insert(actRecord(null, { createdAt, projectId: project.id }));
      await tx.auditLog.insert(actRecord(null, { createdAt: 6, projectId: other.project.id }));
    });
    const timesOf = async (page: Partial<ActPage>) =>
      (await store.auditLog.page({ projectId: project.id }, { ...ALL, ...page })).map((act) => act.createdAt);

    assert.deepEqual(await timesOf({}), [9, 5, 4, 4, 3]);
    assert.deepEqual(await timesOf({ from: 4, before: 9 }), [5, 4, 4]);
    const [, , four] = await store.auditLog.page({ projectId: project.id }, ALL);
    assert.ok(four);
    assert.deepEqual(await timesOf({ after: four, most: 1 }), [4]);
    assert.deepEqual(await timesOf({ after: four, before: 4 }), [3]);
  });

  test('entries older than the setting are pruned, a bounded number at once', async () => {
    const { project } = await app().givenProject();
    const { deps, clock } = app();
    const day = 86_400_000_000;
    await deps.store.transaction(async (tx) => {
      for (const age of [8, 6])
        await tx.auditLog.insert(
          actRecord(null, { createdAt: clock.now() - age * day, projectId: project.id, action: `x.${age}` }),
        );
    });

    assert.equal(await new AuditLogPruner(deps, 7).tick(), false);

    assert.deepEqual(await actionsOf(project.id), ['x.6']);
  });

  test('entries with dates in the future do not keep old ones behind them from being pruned', async () => {
    const { project } = await app().givenProject();
    const { deps, clock } = app();
    const day = 86_400_000_000;
    const act = (days: number, action: string) =>
      actRecord(null, { createdAt: clock.now() + days * day, projectId: project.id, action });
    await deps.store.transaction(async (tx) => {
      for (let count = 0; count < 501; count += 1) await tx.auditLog.insert(act(3_650, 'x.future'));
      for (const action of ['x.old', 'x.new'])
        await tx.auditLog.insert(act(action === 'x.old' ? -8 : -6, action));
    });

    const pruner = new AuditLogPruner(deps, 7);
    while (await pruner.tick());

    const page = { ...ALL, before: clock.now() };
    const left = await deps.store.auditLog.page({ projectId: project.id }, page);
    assert.deepEqual(
      left.map(({ action }) => action),
      ['x.new'],
    );
    const all = await deps.store.auditLog.page({ projectId: project.id }, { ...ALL, most: 1_000 });
    assert.equal(all.length, 502, 'nothing that is not old is deleted');
  });

  test('an act and its entry are committed together or not at all', async () => {
    const { project } = await app().givenProject();
    const check = await app().givenCheck(project, { name: 'Old' });
    const { deps } = app();
    const failing = {
      ...deps,
      store: Object.create(deps.store, {
        transaction: {
          value: (work: Parameters<typeof deps.store.transaction>[0]) =>
            deps.store.transaction(async (tx) => {
              await work(tx);
              throw new Error('killed before the commit');
            }),
        },
      }),
    };
    const update = updateCheck(failing, systemActor(project.id, PERSON), check.id, { edit: { name: 'New' } });

    await assert.rejects(update, /killed/);

    assert.equal((await deps.store.checks.byId(check.id))?.name, 'Old');
    assert.deepEqual(await logOf(project.id), []);
  });
});
