import type { Check } from '../../domain/check/check.ts';
import { AppError } from '../../domain/errors.ts';
import { shownName } from '../../domain/people/audit.ts';
import { isAllowed } from '../../domain/people/permission.ts';
import { agentOfPerson } from '../../domain/ping/hand-ping.ts';
import { type IncomingPing, isFailure, type PingOutcome } from '../../domain/ping/incoming-ping.ts';
import { runDurations } from '../../domain/ping/open-runs.ts';
import { MAX_LISTED_PINGS, MAX_PING_USER_AGENT, MAX_RUN, type Ping } from '../../domain/ping/ping.ts';
import type { Micros } from '../../lib/instant.ts';
import { firstCharacters } from '../../lib/text/excerpt.ts';
import { recordOnCheck } from '../check/check-acts.ts';
import { type Actor, ownCheck, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { addressMask } from '../core/hidden-addresses.ts';
import { readBody } from './bodies.ts';

export interface PingWithDuration {
  readonly ping: Ping;
  /** The duration of the run that ended with this ping. */
  readonly duration: Micros | null;
}

/** The check's newest pings, newest first. The owner's limit says how many. */
export async function listPings(
  deps: Pick<Deps, 'store' | 'defaultLimits'>,
  actor: Actor,
  check: Check,
): Promise<PingWithDuration[]> {
  requirePermission(actor, 'pings.view');
  ownCheck(actor, check);
  const limit = Math.min(await pingLimitOf(deps, check), MAX_LISTED_PINGS);
  const pings = await deps.store.pings.latest(check.id, limit);
  const oldest = pings.at(-1);
  // A run may have begun before the oldest ping of the page.
  const earlier =
    oldest === undefined || oldest.n === 1
      ? []
      : await deps.store.pings.before(check.id, oldest.n, oldest.createdAt - MAX_RUN);
  const durations = runDurations(check, [...earlier, ...pings.toReversed()]);
  return pings.map((ping) => ({ ping, duration: durations.get(ping.n) ?? null }));
}

/** The body of ping `n`. A ping beyond the owner's limit counts as deleted even while it is still stored. */
export async function getPingBody(deps: Deps, actor: Actor, check: Check, n: number): Promise<Uint8Array> {
  requirePermission(actor, 'pings.view');
  ownCheck(actor, check);
  const body = (await isKept(deps, check, n)) ? await readBody(deps, check, n) : null;
  if (body === null || body.length === 0) throw new AppError('no_ping_body');
  return body;
}

/**
 * The body as somebody may see it who may not know the address of the check. A mail tells that address in any encoding, so
 * they do not get it at all.
 */
export async function getShownPingBody(
  deps: Deps,
  actor: Actor,
  check: Check,
  n: number,
): Promise<Uint8Array> {
  const body = await getPingBody(deps, actor, check, n);
  if (isAllowed(actor.caller, 'checks.view_addresses')) return body;
  const ping = await deps.store.pings.byNumber(check.id, n);
  if (ping?.scheme === 'email') requirePermission(actor, 'checks.view_addresses');
  const mask = addressMask(actor.caller, check);
  return Buffer.from(mask(Buffer.from(body).toString('latin1')), 'latin1');
}

/**
 * A ping by a person, from the page of the check. It counts like one of the job. It carries the name of the person itself, so
 * that none is ever there without it.
 */
export async function pingByHand(
  deps: Pick<Deps, 'store' | 'clock'>,
  actor: Actor,
  checkId: number,
  { scheme, remoteAddr }: Pick<IncomingPing, 'scheme' | 'remoteAddr'>,
  { signal, body }: Pick<IncomingPing, 'signal' | 'body'>,
  writer: { record(ping: IncomingPing): Promise<PingOutcome> },
): Promise<void> {
  requirePermission(actor, 'checks.view_addresses');
  const check = ownCheck(actor, await deps.store.checks.byId(checkId));
  const outcome = await writer.record({
    ...{ target: { uuid: check.uuid }, signal, exitStatus: null, fault: null, rid: null },
    ...{ scheme, method: 'POST', remoteAddr, body, mail: null },
    userAgent: firstCharacters(agentOfPerson(shownName(actor.by)), MAX_PING_USER_AGENT),
  });
  if (isFailure(outcome)) throw outcome.failure;
  // The check was deleted meanwhile.
  if (outcome !== 'recorded') throw new AppError('check_not_found');
  await deps.store.transaction((tx) =>
    recordOnCheck(deps, tx, actor, check, { action: 'check.pinged', details: { signal } }),
  );
}

/** Whether ping `n` is within the owner's limit. */
export async function isKept(
  deps: Pick<Deps, 'store' | 'defaultLimits'>,
  check: Check,
  n: number,
): Promise<boolean> {
  return n <= check.pingCount && n > check.pingCount - (await pingLimitOf(deps, check));
}

/** The number of the check's pings that are kept. */
export async function pingLimitOf(
  deps: Pick<Deps, 'store' | 'defaultLimits'>,
  check: Check,
): Promise<number> {
  const owner = await deps.store.accounts.ownerOf(check.projectId);
  return owner?.limits.pings ?? deps.defaultLimits.pings;
}
