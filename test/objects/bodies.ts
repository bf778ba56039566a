import assert from 'node:assert/strict';
import type { Check } from '../../src/domain/check/check.ts';
import type { IncomingPing } from '../../src/domain/ping/incoming-ping.ts';
import type { Deps } from '../../src/services/core/deps.ts';
import { deleteObjects, moveBodies } from '../../src/services/ping/bodies.ts';
import { ingestPings } from '../../src/services/ping/ingest.ts';
import { Pruner } from '../../src/services/ping/pruning.ts';
import type { GivenProject, Reply, TestApp } from '../app.ts';

/** A check that can be pinged and asked for its bodies. */
export interface PingedCheck {
  readonly check: Check;
  readonly given: GivenProject;
  /** Records pings with these bodies, in one transaction. */
  ping(...bodies: readonly (string | Uint8Array | null)[]): Promise<void>;
  body(n: number): Promise<Reply>;
}

export async function givenPingedCheck(
  app: TestApp,
  limits = { checks: 5, pings: 100 },
): Promise<PingedCheck> {
  const given = await app.givenProject({ limits });
  const check = await app.givenCheck(given.project);
  return {
    check,
    given,
    async ping(...bodies) {
      const outcomes = await ingestPings(
        app.deps,
        bodies.map((body) => incoming(check, body === null ? null : Buffer.from(body))),
      );
      assert.deepEqual(new Set(outcomes), new Set(['recorded']));
    },
    body: (n) => app.request('GET', `/api/v3/checks/${check.uuid}/pings/${n}/body`, { key: given.key }),
  };
}

function incoming({ uuid }: Check, body: Uint8Array | null): IncomingPing {
  return {
    target: { uuid },
    fault: null,
    signal: 'log',
    exitStatus: null,
    rid: null,
    scheme: 'http',
    method: 'POST',
    remoteAddr: null,
    userAgent: '',
    body,
    mail: null,
  };
}

/** Ticks until there is nothing to do, or the storage refuses; tells what it refused. */
export async function moveAll(deps: Deps): Promise<unknown[]> {
  return drain(() => moveBodies(deps));
}

export async function deleteAll(deps: Deps): Promise<unknown[]> {
  return drain(() => deleteObjects(deps));
}

export async function pruneAll(deps: Deps): Promise<void> {
  const pruner = new Pruner(deps, 10, 93);
  while (await pruner.tick());
}

async function drain(tick: () => ReturnType<typeof moveBodies>): Promise<unknown[]> {
  for (;;) {
    const { done, failures } = await tick();
    if (done === 0 || failures.length > 0) return [...failures];
  }
}

/** A body that is long enough to move. */
export function longBody(n: number): string {
  return `body ${n} `.padEnd(150, '.');
}

/** The app's dependencies with this storage. */
export function withObjects(app: TestApp, objects: Deps['objects']): Deps {
  return { ...app.deps, objects };
}
