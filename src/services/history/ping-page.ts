import type { Check } from '../../domain/check/check.ts';
import type { Flip } from '../../domain/check/flip.ts';
import { AppError } from '../../domain/errors.ts';
import { usualDuration } from '../../domain/history/run.ts';
import type { JoinedRun } from '../../domain/history/run-signals.ts';
import { happenedAt, type Ping } from '../../domain/ping/ping.ts';
import type { MovedBody } from '../../domain/ping/ping-body.ts';
import type { Micros } from '../../lib/instant.ts';
import { objectKey } from '../../objects/object-key.ts';
import { type Actor, ownCheck, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { isKept } from '../ping/pings.ts';
import { joinWithFlips, MAX_RUN_SIGNALS } from './event-log.ts';

export interface PingPage {
  readonly check: Check;
  readonly ping: Ping;
  /** Null if it was not sent, or is gone. */
  readonly body: MovedBody;
  /** The run that it belongs to, with its other signals. */
  readonly joined: JoinedRun;
  /** The change of status that it caused. */
  readonly flip: Flip | null;
  readonly usual: Micros | null;
  /** The numbers of its neighbours. */
  readonly older: number | null;
  readonly newer: number | null;
  /** The last success before it that has a body, to compare with. */
  readonly lastGood: number | null;
}

/** Reads the body of a ping that has moved to object storage. */
export async function readMovedBody(
  { store, objects }: Pick<Deps, 'store' | 'objects'>,
  actor: Actor,
  checkId: number,
  n: number,
): Promise<MovedBody> {
  requirePermission(actor, 'pings.view');
  const check = ownCheck(actor, await store.checks.byId(checkId));
  if (objects === null || n > check.pingCount) return null;
  const object = await store.pings.objectOf(check.id, n);
  if (object === null) return null;
  try {
    return await objects.get(objectKey(object.checkUuid, n), object.size);
  } catch (error) {
    if (error instanceof AppError && error.code === 'body_unavailable') return 'unavailable';
    throw error;
  }
}

type PageDeps = Pick<Deps, 'store' | 'defaultLimits'> & { readonly clock: Pick<Deps['clock'], 'now'> };

/** `moved` is what `readMovedBody` found. */
export async function readPingPage(
  deps: PageDeps,
  actor: Actor,
  checkId: number,
  n: number,
  moved: MovedBody,
): Promise<PingPage> {
  requirePermission(actor, 'pings.view');
  const { pings, flips } = deps.store;
  const check = ownCheck(actor, await deps.store.checks.byId(checkId));
  const ping = (await isKept(deps, check, n)) ? await pings.byNumber(check.id, n) : null;
  if (ping === null) throw new AppError('ping_not_found');
  const earlier = await pings.inSpan(check.id, { above: 0, below: n }, 'newest', MAX_RUN_SIGNALS);
  const later = await pings.inSpan(check.id, { above: n, below: LATEST }, 'oldest', MAX_RUN_SIGNALS);
  const joined = await joinWithFlips(deps, check, [...earlier, ping, ...later]);
  const at = { from: ping.createdAt, before: ping.createdAt + 1 };
  const [flip] = await flips.ofCheck(check.id, at, { after: null, limit: 1 });
  const before = joined.flatMap(({ run }) => (run !== null && run.at < happenedAt(ping) ? [run] : []));
  const older = earlier.at(-1)?.n ?? null;
  return {
    check,
    ping,
    body: moved ?? (ping.bodySize === 0 ? null : await pings.body(check.id, n)),
    joined: joined.find(({ signals }) => signals.some((one) => one.n === n)) ?? {
      run: null,
      signals: [ping],
    },
    flip: flip ?? null,
    usual: usualDuration(before),
    older: older !== null && (await isKept(deps, check, older)) ? older : null,
    newer: later[0]?.n ?? null,
    lastGood: earlier.findLast(({ signal, bodySize }) => signal === 'success' && bodySize > 0)?.n ?? null,
  };
}

const LATEST = Number.MAX_SAFE_INTEGER;
