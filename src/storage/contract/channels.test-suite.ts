import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addChannel, addCheck, assignChannels, channelRecord, givenProject } from '../../../test/records.ts';
import type { Store } from '../store.ts';
import { furnishedProject, MICROSECOND } from './records.test-support.ts';

export function channels(store: () => Store): void {
  test('keep every field', async () => {
    const { project } = await givenProject(store());
    const record = channelRecord(project.id, {
      kind: 'webhook',
      name: 'Ünïcode "✉️"',
      settings: {
        open: { url: 'https://example.org/?a=1&b=\'"', headers: { 'X-Ünï': '🙂' }, list: [1, null, true] },
        sealed: 'c2VhbGVk',
      },
      verified: false,
      off: { reason: 'bounced', error: '550 no "such" user', at: MICROSECOND },
      createdAt: MICROSECOND,
    });

    const inserted = await addChannel(store(), project, record);

    const untried = { lastAttempt: null, failingSince: null, pausedUntilAt: null };
    assert.deepEqual(inserted, { ...record, id: inserted.id, ...untried });
    assert.deepEqual(await store().channels.ofProject(project.id), [inserted]);
  });

  test('are listed in order of creation, for their project alone', async () => {
    const { project } = await givenProject(store());
    const { project: other } = await givenProject(store());
    const names = ['z', 'a', 'm'];

    for (const name of names) {
      await addChannel(store(), project, { name });
      await addChannel(store(), other);
    }

    const found = await store().channels.ofProject(project.id);
    assert.deepEqual(
      found.map((channel) => channel.name),
      names,
    );
  });

  test('save what people may change, through their own project alone', async () => {
    const { project } = await givenProject(store());
    const { project: other } = await givenProject(store());
    const channel = await addChannel(store(), project, { verified: false });
    const changed = {
      ...channel,
      name: 'Bob',
      settings: { open: { email: 'bob@example.org' }, sealed: 'c2VhbGVk' },
      verified: true,
      off: { reason: 'switched_off', error: '', at: MICROSECOND } as const,
    };

    await store().transaction((tx) => tx.channels.update({ ...changed, projectId: other.id }));
    assert.deepEqual(await store().channels.ofProject(project.id), [channel]);

    await store().transaction((tx) => tx.channels.update(changed));
    assert.deepEqual(await store().channels.ofProject(project.id), [changed]);
  });
}

export function channelsOfChecks(store: () => Store): void {
  test('are replaced as a whole, and listed sorted by UUID', async () => {
    const { project } = await givenProject(store());
    const check = await addCheck(store(), project);
    const [one, two, three] = [
      await addChannel(store(), project),
      await addChannel(store(), project),
      await addChannel(store(), project),
    ];

    await assignChannels(store(), check, [one, two]);
    assert.deepEqual(await store().checks.channelsOf(check.id), [one.uuid, two.uuid].sort());

    await assignChannels(store(), check, [three, two]);
    assert.deepEqual(await store().checks.channelsOf(check.id), [two.uuid, three.uuid].sort());

    await assignChannels(store(), check, []);
    assert.deepEqual(await store().checks.channelsOf(check.id), []);
  });

  test('are listed for each check of the project, and for no other project', async () => {
    const mine = await furnishedProject(store());
    await furnishedProject(store());
    const second = await addChannel(store(), mine.project);
    await assignChannels(store(), mine.check, [second, mine.channel]);
    const bare = await addCheck(store(), mine.project);
    const other = await addCheck(store(), mine.project);
    await assignChannels(store(), other, [second]);

    const byCheck = await store().checks.channelsOfProject(mine.project.id);

    assert.deepEqual(
      byCheck,
      new Map([
        [mine.check.id, [mine.channel.uuid, second.uuid].sort()],
        [other.id, [second.uuid]],
      ]),
    );
    assert.equal(byCheck.has(bare.id), false);
    assert.deepEqual(await store().checks.channelsOfMany([mine.check.id, bare.id, other.id]), byCheck);
    assert.deepEqual(await store().checks.channelsOfMany([other.id]), new Map([[other.id, [second.uuid]]]));
  });

  test('leave those of another check alone', async () => {
    const { project, check, channel } = await furnishedProject(store());
    const other = await addCheck(store(), project);

    await assignChannels(store(), other, [channel]);
    await assignChannels(store(), other, []);

    assert.deepEqual(await store().checks.channelsOf(check.id), [channel.uuid]);
  });
}
