import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Channel } from '../src/domain/alert/channel.ts';
import type { Outcome } from '../src/domain/alert/delivery.ts';
import type { Check } from '../src/domain/check/check.ts';
import type { AlertEvent } from '../src/integrations/kind/alert-event.ts';
import { Notifier } from '../src/notifier/notifier.ts';
import { FakeSender, failure, log, OK } from './alerts.ts';
import { SITE, START, sharedTestApp, type TestApp } from './app.ts';
import { forEachEngine } from './engines.ts';
import { channelRecord } from './records.ts';

const TIMED_OUT = failure('Connection timed out');
const LIMITS = { maxConcurrent: 80, maxConcurrentPerDestination: 40 };

/** Sends to several destinations, and some of them never answer: each message ends when the test lets it. */
class PartlySilentSender extends FakeSender {
  readonly #silent = new Set<number>();
  readonly #hanging: ((outcome: Outcome) => void)[] = [];
  readonly #destinations = new Map<number, string>();

  /** Messages to these channels hang. */
  silence(channels: readonly Channel[], destination: (index: number) => string): void {
    for (const [index, { id }] of channels.entries()) {
      this.#silent.add(id);
      this.#destinations.set(id, destination(index));
    }
  }

  silentNoMore(): void {
    this.#silent.clear();
  }

  /** Messages that hang. */
  get hanging(): number {
    return this.#hanging.length;
  }

  endHanging(outcome: Outcome): void {
    for (const end of this.#hanging.splice(0)) end(outcome);
  }

  override destination(channel?: Channel): string {
    return this.#destinations.get(channel?.id ?? 0) ?? 'elsewhere';
  }

  override async send(channel: Channel, event: AlertEvent): Promise<Outcome> {
    if (!this.#silent.has(channel.id)) return super.send(channel, event);
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#hanging.push(resolve);
    return promise;
  }
}

/** A check of a project of its own, and of an account of its own, that is told to so many channels. */
async function givenTenant(app: TestApp, name: string, count: number, checks = 1) {
  const { project } = await app.givenProject();
  const channels = await app.deps.store.transaction((tx) =>
    Promise.all(Array.from({ length: count }, () => tx.channels.insert(channelRecord(project.id)))),
  );
  const own: Check[] = [];
  for (let n = 0; n < checks; n++) {
    const check = await app.givenCheck(project, { name, status: 'up', lastPingAt: START });
    await app.assign(check, ...channels);
    own.push(check);
  }
  return { project, channels, checks: own, check: own[0] ?? assert.fail() };
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given() {
    const sender = new PartlySilentSender();
    const notifier = new Notifier(app().deps, sender, {
      site: { ...SITE, name: 'Tocsin' },
      log,
      ...LIMITS,
    });
    /** Lets the notifier work until it finds nothing, without waiting for messages that hang. */
    const work = async () => {
      let ticks = 0;
      while ((await notifier.tick()) === true) ticks++;
      return ticks;
    };
    const told = () => sender.sent.map(({ event }) => event.check.name);
    /** Messages begin in turns of the event loop, after the notifier has found them. */
    const hangs = (count: number) => turnsUntil(() => sender.hanging >= count);
    /** Lets all messages end, so that none of them is left for the next test. */
    const finish = async () => {
      sender.silentNoMore();
      sender.endHanging(OK);
      await notifier.settled();
      app().clock.advance({ hours: 1 });
      while ((await notifier.tick()) === true) await notifier.settled();
      assert.equal(await app().deps.store.deliveries.openCount(), 0);
    };
    return { sender, notifier, work, told, hangs, finish };
  }

  test('an account whose webhooks never answer does not delay the alerts of others', async () => {
    const { sender, notifier, work, told, hangs, finish } = await given();
    const attacker = await givenTenant(app(), 'attacker', 60, 2);
    sender.silence(attacker.channels, (index) => `port ${index % 10}`);
    const neighbour = await givenTenant(app(), 'neighbour', 1);
    for (const check of attacker.checks) await app().receive(check, 'fail');
    await work();
    // Half of all messages under way are those of the attacker.
    const hanging = LIMITS.maxConcurrent / 2;
    await hangs(hanging);

    await app().receive(neighbour.check, 'fail');
    await notifier.tick();
    await notifier.tick();

    await untilTold(told, 'neighbour');
    assert.equal(sender.hanging, hanging, 'nothing of the attacker had to end before');
    await finish();
  });

  test('destinations that time out again and again have one try at a time, and the others wait in the outbox', async () => {
    const { sender, notifier, work, hangs, finish } = await given();
    const attacker = await givenTenant(app(), 'attacker', 40);
    sender.silence(attacker.channels, (index) => `port ${index % 2}`);
    await app().receive(attacker.check, 'fail');
    await work();
    await hangs(40);
    app().clock.advance({ seconds: 30 });
    sender.endHanging(TIMED_OUT);
    await notifier.settled();

    app().clock.advance({ seconds: 30 });
    await work();

    await hangs(2);
    assert.equal(sender.hanging, 2, 'one for each destination');
    const { store, clock } = app().deps;
    const held = notifier.heldBack();
    assert.equal(await store.deliveries.oldestDueAt(clock.now(), held), null, 'nothing is late');
    assert.ok((await work()) < 3, 'nobody looks at the others again and again');

    sender.endHanging(OK);
    await notifier.settled();
    app().clock.advance({ seconds: 30 });
    await work();
    await hangs(38);
    await finish();
  });

  test('a destination that is silent for one account is as ever for another', async () => {
    const { sender, notifier, work, told, hangs, finish } = await given();
    const attacker = await givenTenant(app(), 'attacker', 8);
    const neighbour = await givenTenant(app(), 'neighbour', 3);
    sender.silence(attacker.channels, () => 'elsewhere');
    await app().receive(attacker.check, 'fail');
    await work();
    await hangs(8);
    app().clock.advance({ seconds: 30 });
    sender.endHanging(TIMED_OUT);
    await notifier.settled();
    app().clock.advance({ seconds: 30 });
    await work();

    await app().receive(neighbour.check, 'fail');
    await work();
    await untilTold(told, 'neighbour', 3);

    assert.equal(sender.hanging, 1);
    await finish();
  });

  test('accounts take turns, however many messages one of them has', async () => {
    const { sender, notifier, told } = await given();
    await app().receive((await givenTenant(app(), 'first', 200)).check, 'fail');
    await app().receive((await givenTenant(app(), 'second', 3)).check, 'fail');

    while (!told().includes('second')) {
      assert.equal(await notifier.tick(), true);
      await notifier.settled();
    }

    assert.equal(told().filter((name) => name === 'second').length, 3);
    assert.ok(sender.sent.length <= 128, `${sender.sent.length} were sent before`);
    while ((await notifier.tick()) === true) await notifier.settled();
  });

  test('a pause that a provider asks for holds for its channel, whichever check it is about', async () => {
    const { sender, notifier, told } = await given();
    const { project, channels, check } = await givenTenant(app(), 'first', 1);
    const second = await app().givenCheck(project, { name: 'second', status: 'up', lastPingAt: START });
    const third = await app().givenCheck(project, { name: 'third', status: 'up', lastPingAt: START });
    await app().assign(second, ...channels);
    await app().assign(third, ...channels);
    const neighbour = await givenTenant(app(), 'neighbour', 1);
    const work = async () => {
      while ((await notifier.tick()) === true) await notifier.settled();
    };
    sender.answer = () => failure('Received status code 429', false, 600);
    await app().receive(check, 'fail');
    await work();
    assert.deepEqual(told(), ['first']);
    sender.answer = () => OK;

    await app().receive(second, 'fail');
    await app().receive(neighbour.check, 'fail');
    await work();
    app().clock.advance({ seconds: 300 });
    await app().receive(third, 'fail');
    await work();
    assert.deepEqual(told(), ['first', 'neighbour'], 'the pause is not over');

    app().clock.advance({ seconds: 300 });
    await work();
    assert.deepEqual(told().slice(2).toSorted(), ['first', 'second', 'third']);
  });
});

async function untilTold(told: () => string[], name: string, times = 1): Promise<void> {
  await turnsUntil(() => told().filter((each) => each === name).length >= times);
}

async function turnsUntil(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise<void>((resolve) => setImmediate(resolve));
}
