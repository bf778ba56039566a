import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesOf, pingOf, targetOf } from '../ping.test-support.ts';
import type { Delivery, Moment } from '../ping.ts';
import { MemoryFiles } from './files.test-support.ts';
import { AWARE, DAY_MS, FakeServer, HOUR_MS, NEVER, NOON, TestSpool } from './spool.test-support.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const SEED = 20261118;
const RUNS = 300;
const CHECKS = [0, 1].map((nth) => targetOf('https://h.example/ping', `check-${nth}`));

type Step =
  /** Two pings of a check; the younger is written first where the older was tried for longer. */
  | { readonly kind: 'put'; readonly check: number; readonly isSwapped: boolean; readonly diesAt: number }
  /** The server answers so many, and then is away; the process dies at a call after that, or not. */
  | { readonly kind: 'deliver'; readonly answers: number; readonly diesAt: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'set clock'; readonly byMs: number }
  | { readonly kind: 'restart' }
  | { readonly kind: 'lose power'; readonly kept: number };

const NOT_AT_ALL = 1000;
const diesAt = fc.oneof(fc.constant(NOT_AT_ALL), fc.integer({ min: 1, max: 25 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('put'),
      check: fc.nat({ max: 1 }),
      isSwapped: fc.boolean(),
      diesAt,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('deliver'), answers: fc.nat({ max: 5 }), diesAt }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.nat({ max: HOUR_MS }) }) },
  fc.record({ kind: fc.constant('set clock'), byMs: fc.integer({ min: -2 * DAY_MS, max: 2 * DAY_MS }) }),
  fc.record({ kind: fc.constant('restart') }),
  fc.record({ kind: fc.constant('lose power'), kept: fc.nat({ max: 255 }) }),
);

/** A ping that the spool has taken, or may have taken. */
interface Given {
  readonly nth: number;
  readonly check: number;
  readonly isKept: boolean;
  readonly bootId: string | null;
  /** By a clock that nobody sets. */
  readonly trueMs: number;
}

class World {
  readonly files = new MemoryFiles();
  readonly server = new FakeServer();
  readonly given: Given[] = [];
  test = new TestSpool(this.files);
  #boots = 0;
  #trueMs = 0;
  #count = 0;
  /** The number of each ping when it came in for the first time, by check. */
  readonly arrived = new Map<number, number[]>();

  constructor() {
    this.files.ownerId = process.getuid?.() ?? 0;
    this.server.answer = () => ({ kind: 'accepted', limits: AWARE });
  }

  async take(one: Step): Promise<void> {
    switch (one.kind) {
      case 'put':
        return await this.#put(one.check, one.isSwapped, one.diesAt);
      case 'deliver':
        return await this.deliver(one.answers, one.diesAt);
      case 'pass':
        this.#trueMs += one.ms;
        return this.test.pass(one.ms);
      case 'set clock':
        return this.test.setClock(NOON + one.byMs);
      case 'restart':
        this.#boots += 1;
        return this.test.restartMachine(`boot-${this.#boots}`);
      case 'lose power': {
        let turn = 0;
        this.files.losePower(() => ((one.kept >> (turn++ % 8)) & 1) === 1);
        this.#boots += 1;
        return this.test.restartMachine(`boot-${this.#boots}`);
      }
    }
  }

  async #put(check: number, isSwapped: boolean, diesAtCall: number): Promise<void> {
    const older = this.#event(check);
    this.#trueMs += 1000;
    this.test.pass(1000);
    const younger = this.#event(check);
    this.#dieAt(diesAtCall);
    for (const { ping, about } of isSwapped ? [younger, older] : [older, younger]) {
      this.given.push({ ...about, isKept: await this.test.spool.put(ping) });
    }
    await this.test.spool.makeRoom();
    this.#live();
  }

  #event(check: number) {
    const nth = this.#count++;
    const at: Moment = this.test.now;
    const target = CHECKS[check] ?? targetOf('');
    const about = { nth, check, bootId: at.bootId, trueMs: this.#trueMs };
    return { about, ping: pingOf(target, 'success', { at, body: bytesOf(String(nth)) }) };
  }

  async deliver(answers: number, diesAtCall: number): Promise<void> {
    let left = answers;
    this.server.answer = (): Delivery => {
      left -= 1;
      return left < 0
        ? { kind: 'failed', reason: 'connection refused', retryAfterMs: null }
        : { kind: 'accepted', limits: AWARE };
    };
    const before = this.server.sent.length;
    this.#dieAt(diesAtCall);
    await this.test.spool.deliverRound(this.server, NEVER);
    this.#live();
    const received = this.server.sent.slice(before).slice(0, answers);
    for (const { ping, ageMs } of received)
      this.#arrive(Number(new TextDecoder().decode(ping.body).split('\n').at(-1)), ageMs);
  }

  #arrive(nth: number, ageMs: number | null): void {
    const given = this.given.find((one) => one.nth === nth);
    assert.ok(given, `ping ${nth} was never put`);
    const arrived = this.arrived.get(given.check) ?? [];
    if (!arrived.includes(nth)) this.arrived.set(given.check, [...arrived, nth]);
    if (given.bootId !== this.test.now.bootId) return;
    assert.ok(
      ageMs !== null && Math.abs(ageMs - (this.#trueMs - given.trueMs)) <= 1000,
      `age of ${nth}: ${ageMs}`,
    );
  }

  #dieAt(call: number): void {
    let calls = 0;
    this.files.before = () => {
      calls += 1;
      if (calls >= call) throw new Error('the process is dead');
    };
  }

  #live(): void {
    this.files.before = () => undefined;
    // Another process goes on.
    const { now } = this.test;
    this.test = new TestSpool(this.files, { path: '/spool' });
    this.test.now = now;
  }
}

test('whatever happens, no ping is lost, those of a check arrive in order, and ages are right within one boot', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const world = new World();
      await world.test.spool.remember(targetOf('https://h.example/ping'), AWARE);
      for (const one of steps) await world.take(one);
      await world.deliver(Number.POSITIVE_INFINITY, NOT_AT_ALL);
      await world.deliver(Number.POSITIVE_INFINITY, NOT_AT_ALL);
      const arrived = new Set([...world.arrived.values()].flat());
      for (const { nth, isKept } of world.given)
        if (isKept) assert.ok(arrived.has(nth), `ping ${nth} is lost`);
      for (const order of world.arrived.values()) {
        assert.deepEqual(
          order,
          [...order].sort((one, two) => one - two),
        );
      }
      assert.deepEqual(await world.files.list('/spool/bad'), []);
    }),
    { seed: SEED, numRuns: RUNS },
  );
});
