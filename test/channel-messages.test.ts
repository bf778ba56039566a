import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../src/domain/check/check.ts';
import { seconds } from '../src/lib/instant.ts';
import { acknowledgeCheck } from '../src/services/alert/answers.ts';
import { systemActor } from '../src/services/core/actor.ts';
import { sharedTestApp } from './app.ts';
import { messageNode, textOf } from './channel-messages.test-support.ts';
import { forEachEngine } from './engines.ts';
import { channelRecord } from './records.ts';

const WARNS = JSON.stringify({ exit_map: '24=warn', min_run_time: 60, on_short: 'fail' });
const ALL = ['down_timeout', 'down_fail', 'up', 'warned', 'answered'];

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given(open: object = { url: 'https://hooks.example/a', events: ALL }, kind = 'slack') {
    const { project } = await app().givenProject();
    const channel = await app().deps.store.transaction((tx) =>
      tx.channels.insert({ ...channelRecord(project.id), kind, settings: { open, sealed: null } }),
    );
    const check = await app().givenCheck(project, { name: 'Copy <b>', runRules: WARNS });
    await app().assign(check, channel);
    return { project, channel, check, ...messageNode(app()) };
  }

  const end = async ({ uuid }: Check, status: number) => {
    app().clock.advance({ seconds: 60 });
    await app().ping(`/${uuid}/${status}`);
  };

  test('a channel that wants it is told of the first of several runs with a remark, and again after one without', async () => {
    const { check, requests, drain } = await given();

    for (const status of [24, 24, 24]) await end(check, status);
    await drain();
    assert.equal(requests.length, 1);
    assert.match(
      textOf(requests[0] ?? assert.fail()),
      /Copy &lt;b&gt; ended with a warning.*Exit status 24\./s,
    );

    for (const status of [0, 24, 24]) await end(check, status);
    await drain();
    assert.equal(requests.length, 2);
  });

  test('by default no channel is told, and neither is one that is not assigned', async () => {
    const { check, requests, drain } = await given({ url: 'https://hooks.example/a' });
    const { drain: drainOther, requests: others } = await given();

    await end(check, 24);
    await drain();
    await drainOther();

    assert.deepEqual([requests.length, others.length], [0, 0]);
  });

  test('a failure is not a warning, and a rule that makes one of a success tells of the failure alone', async () => {
    const { check, requests, drain } = await given();

    await end(check, 1);
    await app().ping(`/${check.uuid}/start`);
    await app().ping(`/${check.uuid}`);
    await drain();

    assert.equal(requests.length, 0);
  });

  test('warnings that came together in one batch are told once', async () => {
    const { check, requests, drain } = await given();

    await Promise.all([24, 24, 24].map((status) => app().ping(`/${check.uuid}/${status}`)));
    await drain();

    assert.equal(requests.length, 1);
  });

  test('a message is tried again in the same words until the provider takes it, and its channel notes that', async () => {
    const { check, channel, requests, answers, drain } = await given();
    await end(check, 24);

    answers.status = 500;
    await drain();
    app().clock.advance({ seconds: 20 });
    answers.status = 200;
    await drain();
    app().clock.advance({ seconds: 86_400 });
    await drain();

    assert.equal(requests.length, 2);
    const noted = await app().deps.store.channels.byId(channel.id);
    assert.equal(noted?.lastAttempt?.error, '');
    const identity = requests.map((request) => textOf(request));
    assert.equal(new Set(identity).size, 1);
  });

  test('a lease of a node that died ends, and another node sends the message', async () => {
    const { check, requests, drain } = await given();
    await end(check, 24);
    const now = app().clock.now();
    const turns = [
      { accountId: (await app().deps.store.projects.byId(check.projectId))?.ownerId ?? 0, limit: 9 },
    ];
    const leased = await app().deps.store.transaction((tx) =>
      tx.channelMessages.lease({ now, until: now + seconds(15), turns, busyChannels: [] }),
    );
    assert.equal(leased.length, 1);

    await drain();
    assert.equal(requests.length, 0);
    app().clock.advance({ seconds: 16 });
    await drain();
    assert.equal(requests.length, 1);
  });

  test('a channel that was switched off, or that wants it no more, gets nothing', async () => {
    const one = await given();
    const two = await given();
    await end(one.check, 24);
    await end(two.check, 24);
    await app().deps.store.transaction(async (tx) => {
      await tx.channels.switchOff(one.channel, { reason: 'switched_off', error: '', at: app().clock.now() });
      await tx.channels.setSettings(two.channel, { open: { url: 'https://hooks.example/a' }, sealed: null });
    });

    await one.drain();
    await two.drain();

    assert.deepEqual([one.requests.length, two.requests.length], [0, 0]);
  });

  test('who has taken an outage on is told to channels that were told of it and want to know', async () => {
    const { project, channel, check, requests, drain } = await given();
    const quiet = await given({ url: 'https://hooks.example/b' });
    await app().assign(check, channel, quiet.channel);
    await end(check, 1);
    const by = { accountId: null, name: 'Anna\nin Ops', means: 'link', remoteAddr: null } as const;

    for (const _ of ['first', 'second'])
      await acknowledgeCheck(app().deps, systemActor(project.id, by), check.id);
    await drain();

    assert.deepEqual(
      requests.map(({ url }) => url),
      ['https://hooks.example/a'],
    );
    assert.match(textOf(requests[0] ?? assert.fail()), /Anna in Ops has Copy/);
  });

  test('a check that has gone takes its messages with it', async () => {
    const { check, requests, drain } = await given();
    await end(check, 24);
    await app().deps.store.transaction((tx) => tx.checks.delete(check));

    await drain();
    assert.equal(requests.length, 0);
  });
});
