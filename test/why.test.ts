import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Check } from '../src/domain/check/check.ts';
import { fromIso, type Instant, seconds, toIsoSeconds } from '../src/lib/instant.ts';
import { flipOverdue } from '../src/services/check/deadlines.ts';
import { beginQuietTimes, nextQuietTimeAt } from '../src/services/check/quiet-coverage.ts';
import { nextWakeAt, wakeOutages } from '../src/services/core/outages.ts';
import { ingestPings } from '../src/services/ping/ingest.ts';
import type { WhyJson } from '../src/wire/api/why-output.ts';
import { FakeSender, newNotifier } from './alerts.ts';
import { sharedTestApp } from './app.ts';
import { seeded } from './crash/seeded.ts';
import { forEachEngine } from './engines.ts';
import { form } from './form.ts';
import { incomingPing } from './records.ts';

type Json = Record<string, unknown>;

const MINUTE = seconds(60);
const HOUR = 60 * MINUTE;
/** A Wednesday. */
const MORNING = at('2027-03-03T05:30:00Z');
const SITUATIONS = form.isLong ? 30 : 5;

function at(text: string): Instant {
  return fromIso(text) ?? assert.fail(text);
}

const CALL = { method: 'POST', url: 'https://hooks.example/a', headers: {}, body: '' };
const WEBHOOK = { down: CALL, up: CALL };

/** A policy, a check, integrations and answers, by chance. */
function situation(random: () => number) {
  const below = (most: number) => Math.floor(random() * most);
  const one = <T>(...all: readonly T[]): T => all[below(all.length)] as T;
  const timing = one<Json>(
    { timeout: 1800, grace: 300 },
    { timeout: 7200, grace: 600 },
    { schedule: '*/20 * * * *', tz: 'UTC', grace: 120 },
    { schedule: '0 7 * * *', tz: 'Europe/Riga', grace: 3600 },
  );
  const policy: Json = {
    ...one<Json>({}, {}, { bad_runs: 2 }, { bad_runs: 3, counts: 'failed' }, { bad_runs: 4 }),
    ...one<Json>({}, {}, { wait: 900 }, { wait: 5400 }),
    ...one<Json>({}, {}, { hours: 'day' }, { hours: 'day', always_tags: 'db' }),
    ...one<Json>({}, { again: 1800 }, { again: 3600, again_most: 3 }, { again: 300, again_most: 40 }),
    ...one<Json>({}, {}, { each_failure: true }),
    ...one<Json>({}, {}, { good_runs: 2 }),
    ...one<Json>({}, {}, { ack_lasts: 3600 }),
    ...steps(one<Json[]>([], [], [{ after: 0, tell: ['Boss'] }], [{ after: 600, tell: ['Boss', 'Chat'] }])),
  };
  const settings = () => one<Json>({}, {}, { hours: 'day' }, { hours: 'day', outside_hours: 'drop' });
  return {
    timing,
    policy,
    tags: one('', 'db'),
    channels: [
      { name: 'Chat', settings: settings() },
      { name: 'Mail', settings: settings() },
      { name: 'Boss', settings: settings() },
    ],
    assigned: one('Chat', 'Chat,Mail'),
    begins: MORNING + below(24 * 60) * MINUTE,
    quiet: one(null, null, { after: below(300), minutes: 30 + below(200) }),
    before: one('up', 'up', 'fail', 'fail', 'fails', 'recovers', 'relapses'),
    answer: one<[string, Json?] | null>(null, null, ['acknowledge'], ['snooze', { for: 4000 }]),
    passes: below(200) * MINUTE,
    supposed: one('down_fail', 'down_timeout', 'up'),
    ahead: one(0, 7 * MINUTE, 12 * MINUTE),
  };
}

function steps(then: Json[]): Json {
  return then.length === 0 ? {} : Object.fromEntries([['then', then]]);
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  const onPoison = (_: unknown, error: unknown) => assert.fail(String(error));

  /** Lets time pass as the loops see it: at each time at which something is due. With a job that runs, no deadline is missed. */
  async function passUntil(end: Instant, check: Check, isRunning = false): Promise<void> {
    const { deps } = app();
    const notifier = newNotifier(app(), new FakeSender());
    for (;;) {
      await beginQuietTimes({ ...deps, onPoison });
      while (!isRunning && (await flipOverdue({ ...deps, onPoison })));
      while (await wakeOutages({ ...deps, onPoison }));
      while ((await notifier.tick()) === true) await notifier.settled();
      const now = deps.clock.now();
      if (now >= end) return;
      const { deadlineAt = null } = (await deps.store.checks.byId(check.id)) ?? {};
      const due = [await nextWakeAt(deps), await nextQuietTimeAt(deps), isRunning ? null : deadlineAt];
      const times = due.filter((time) => time !== null).filter((time) => time > now);
      app().clock.set(Math.min(end, ...times));
    }
  }

  async function play(seed: number): Promise<number> {
    const given = situation(seeded(seed));
    app().clock.set(Math.max(app().clock.now() + 100 * HOUR, given.begins));
    const { key } = await app().givenProject();
    const ask = async (method: string, path: string, body?: unknown) => {
      const reply = await app().request(method, `/api/v3/${path}`, { key, body });
      assert.ok(reply.status < 300, `${path}: ${reply.text}`);
      return reply.json as Json;
    };
    await ask('POST', 'calendars/', { name: 'day', schedule: '0 8 * * *', tz: 'UTC', duration: 36_000 });
    for (const { name, settings } of given.channels)
      await ask('POST', 'channels/', { kind: 'webhook', name, settings: { ...WEBHOOK, ...settings } });
    await ask('POST', 'policies/', { name: 'own', ...given.policy });
    const { timing, tags, assigned } = given;
    const made = await ask('POST', 'checks/', { ...timing, tags, policy: 'own', channels: assigned });
    const check = (await app().deps.store.checks.byUuid(String(made.uuid))) ?? assert.fail();
    const send = (signal: 'success' | 'fail') => ingestPings(app().deps, [incomingPing(check, { signal })]);
    const pass = (span: number) => passUntil(app().clock.now() + span, check);
    await send('success');
    if (given.quiet !== null)
      await ask('POST', 'quiet-times/', {
        ...{ name: 'later', from: Math.floor(app().clock.now() / seconds(1)) + given.quiet.after * 60 },
        duration: given.quiet.minutes * 60,
      });
    await pass(MINUTE);
    if (given.before !== 'up') {
      await send('fail');
      await pass(given.passes);
      if (given.before === 'fails') await send('fail');
      if (given.before === 'recovers' || given.before === 'relapses') await send('success');
      if (given.before === 'relapses') {
        await pass(MINUTE);
        await send('fail');
      }
      if (given.answer !== null && given.before !== 'recovers')
        await ask('POST', `checks/${check.uuid}/${given.answer[0]}`, given.answer[1]);
      await pass(MINUTE / 2);
    }

    const asked = app().clock.now();
    const rows = () => app().deps.store.deliveries.ofCheck(check.id, 1_000);
    const before = new Set((await rows()).map(({ id }) => id));
    const isMiss = given.supposed === 'down_timeout';
    const { deadlineAt } = (await app().deps.store.checks.byId(check.id)) ?? assert.fail();
    // Until then the job runs as it should.
    const ahead = deadlineAt !== null && deadlineAt <= asked + given.ahead ? 0 : given.ahead;
    const then = Math.floor((asked + ahead) / seconds(1));
    const query = isMiss ? '' : `&at=${then}`;
    const why = (await ask(
      'GET',
      `checks/${check.uuid}/why?if=${given.supposed}${query}`,
    )) as unknown as WhyJson;
    const happens = why.if?.at === undefined ? assert.fail() : at(why.if.at);
    if (!isMiss) await passUntil(Math.max(happens, asked), check);
    if (given.supposed === 'down_fail') await send('fail');
    if (given.supposed === 'up') await send('success');
    await passUntil(Math.max(happens, asked) + 48 * HOUR, check, given.supposed === 'up');

    const names = new Map(why.would_tell.map(({ channel }) => [channel.id, channel.name]));
    const told = (await rows())
      .filter(({ id, state }) => !before.has(id) && state !== 'skipped')
      .map(({ createdAt, channelUuid, channelName, status, why: because }) => {
        names.set(channelUuid, channelName);
        return `${toIsoSeconds(createdAt)} ${channelName} ${status} ${because}`;
      });
    const foretold = why.would_tell.map(
      ({ at, channel, status, because }) => `${at} ${channel.name} ${status} ${because.join(' ')}`,
    );
    assert.deepEqual(
      foretold.sort(),
      told.sort(),
      `seed ${seed}, asked ${toIsoSeconds(asked)}: ${JSON.stringify({ given, why, told })}`,
    );
    return told.length;
  }

  test('what is foretold is what is told then, whatever the policy, the hours and the answers', async () => {
    let told = 0;
    for (let seed = 1; seed <= SITUATIONS; seed++) told += await play(seed);
    assert.ok(told > SITUATIONS);
  });
});
