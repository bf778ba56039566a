import assert from 'node:assert/strict';
import type { Check, CheckState } from '../../src/domain/check/check.ts';
import type { Flip } from '../../src/domain/check/flip.ts';
import type { Project } from '../../src/domain/people/project.ts';
import type { Ping } from '../../src/domain/ping/ping.ts';
import { setPingKey } from '../../src/services/project/projects.ts';
import type { Reply, TestApp } from '../app.ts';

export const OK = [200, 'OK'] as const;
export const CREATED = [201, 'Created'] as const;
export const NOT_FOUND = [404, 'not found'] as const;
export const AMBIGUOUS = [409, 'ambiguous slug'] as const;
export const INVALID_URL = [400, 'invalid url format'] as const;
export const INVALID_RID = [400, 'invalid uuid format'] as const;
export const INVALID_AGE = [400, 'invalid age format'] as const;

/** The answer is this, to the byte, and says that it is never to be kept and may be read by anybody. */
export function assertAnswer(
  reply: Reply,
  [status, text]: readonly [number, string],
  about = 'the answer',
): void {
  const { headers } = reply;
  const seen = {
    status: reply.status,
    text: reply.text,
    type: headers['content-type'],
    length: headers['content-length'],
    origin: headers['access-control-allow-origin'],
    cache: headers['cache-control'],
    limit: headers['ping-body-limit'],
    ageLimit: headers['ping-age-limit'],
  };
  assert.deepEqual(
    seen,
    {
      status,
      text,
      type: 'text/plain; charset=utf-8',
      length: String(text.length),
      origin: '*',
      cache: 'max-age=0, no-cache, no-store, must-revalidate, private',
      limit: status < 300 ? '10000' : undefined,
      ageLimit: status < 300 ? '2592000' : undefined,
    },
    about,
  );
}

/** The check as it is stored now. */
export async function stored(app: TestApp, { uuid }: Check): Promise<Check> {
  const check = await app.deps.store.checks.byUuid(uuid);
  assert.ok(check !== null, 'the check is there');
  return check;
}

/** Some fields of the check as it is stored now. */
export async function state<K extends keyof CheckState>(
  app: TestApp,
  check: Check,
  ...keys: readonly K[]
): Promise<Partial<Check>> {
  const now = await stored(app, check);
  return Object.fromEntries(keys.map((key) => [key, now[key]]));
}

/** All its pings, oldest first. */
export async function pingsOf(app: TestApp, check: Check): Promise<Ping[]> {
  return (await app.deps.store.pings.latest(check.id, 10_000)).toReversed();
}

/** The newest ping. */
export async function lastPing(app: TestApp, check: Check): Promise<Ping> {
  const [ping] = await app.deps.store.pings.latest(check.id, 1);
  assert.ok(ping !== undefined, 'there is a ping');
  return ping;
}

export async function lastBody(app: TestApp, check: Check): Promise<Buffer | null> {
  const { n } = await lastPing(app, check);
  const body = await app.deps.store.pings.body(check.id, n);
  return body === null ? null : Buffer.from(body);
}

/** Signals of all its pings, oldest first. */
export async function signalsOf(app: TestApp, check: Check): Promise<string[]> {
  return (await pingsOf(app, check)).map(({ signal }) => signal);
}

/** All its flips, oldest first, in short: `new→down fail`. */
export async function flipsOf(app: TestApp, check: Check): Promise<string[]> {
  return (await allFlips(app, check)).map(({ oldStatus, newStatus, reason }) =>
    `${oldStatus}→${newStatus} ${reason}`.trim(),
  );
}

export async function allFlips(app: TestApp, check: Check): Promise<Flip[]> {
  const flips = await app.deps.store.flips.ofCheck(check.id, { from: null, before: null });
  return flips.toReversed();
}

/** The check has no trace of any ping. */
export async function assertUntouched(app: TestApp, ...checks: readonly Check[]): Promise<void> {
  for (const check of checks) {
    assert.deepEqual(await stored(app, check), check);
    assert.deepEqual(await pingsOf(app, check), []);
    assert.deepEqual(await allFlips(app, check), []);
  }
}

let keys = 0;

/** A ping key that no other project has. */
export async function givenPingKey(app: TestApp, project: Project, length = 22): Promise<string> {
  const random = app.deps.random.uuid().replaceAll('-', '').slice(0, 16);
  const key = `${++keys}_${random}-K`.padEnd(length, 'y').slice(-length);
  await app.deps.store.transaction((tx) => setPingKey(app.deps, tx, project, key));
  return key;
}
