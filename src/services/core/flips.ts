import { deliveriesOf, isTold } from '../../domain/alert/delivery.ts';
import type { Check } from '../../domain/check/check.ts';
import { type Flip, type FlipSpan, flipsListedFrom, type NewFlip } from '../../domain/check/flip.ts';
import type { Instant } from '../../lib/instant.ts';
import type { RecordedFlip, Writes } from '../../storage/store.ts';
import { type Actor, ownCheck, requirePermission } from './actor.ts';
import type { Deps } from './deps.ts';
import { type PlannedEvent, planEvents } from './outages.ts';

/** Flips held in memory at once while a list is sent. A check that flips all the time has very many. */
const MAX_PAGE_FLIPS = 1_000;

/** Yields the check's flips in the span, newest first, in pages. Older flips than the API lists are left out. */
export function listFlips(
  deps: Pick<Deps, 'store'> & { readonly clock: Pick<Deps['clock'], 'now'> },
  actor: Actor,
  check: Check,
  { from, before }: FlipSpan,
): AsyncGenerator<Flip[]> {
  requirePermission(actor, 'checks.view');
  ownCheck(actor, check);
  const listedFrom = flipsListedFrom(deps.clock.now());
  return flipPages(deps, check.id, { from: Math.max(from ?? listedFrom, listedFrom), before });
}

async function* flipPages(
  { store }: Pick<Deps, 'store'>,
  checkId: number,
  span: FlipSpan,
): AsyncGenerator<Flip[]> {
  let after: Flip | null = null;
  do {
    const page: Flip[] = await store.flips.ofCheck(checkId, span, { after, limit: MAX_PAGE_FLIPS });
    if (page.length > 0) yield page;
    after = page.length < MAX_PAGE_FLIPS ? null : (page.at(-1) ?? null);
  } while (after !== null);
}

/**
 * Records flips, queues their deliveries, and updates the dates of reminders. In a project that uses nothing of the kind, every
 * flip is told at once to all; else the plan says who is told when. All of it happens in the transaction that
 * changes the status, so a crash after the commit loses nothing.
 */
export async function recordFlips(
  deps: Pick<Deps, 'random'>,
  tx: Writes,
  flips: readonly NewFlip[],
  now: Instant,
): Promise<void> {
  await recordEvents(
    deps,
    tx,
    flips.map((flip) => ({ flip })),
    now,
  );
}

/** What pings have done to checks: a change of status, or the end of a run that changed none. */
export type CheckEvent =
  | { readonly flip: NewFlip; readonly badCount?: number }
  | { readonly end: EndedRun; readonly badCount: number };

export interface EndedRun {
  readonly checkId: number;
  readonly isBad: boolean;
  /** Whether the plan wants to know it. If not, it does if a flip of the check came before, and is planned. */
  readonly isHeard: boolean;
}

/** Does the same with ends of runs that the plan wants to know of, all in order of time. */
export async function recordEvents(
  deps: Pick<Deps, 'random'>,
  tx: Writes,
  events: readonly CheckEvent[],
  now: Instant,
): Promise<void> {
  if (events.length === 0) return;
  const flips = events.flatMap((event) => ('flip' in event ? [event.flip] : []));
  const recorded = flips.length === 0 ? [] : await tx.flips.insertMany(flips);
  await queueDeliveries(
    deps,
    tx,
    recorded.filter(({ isPlanned }) => !isPlanned),
    now,
  );
  await planEvents(deps, tx, plannedEvents(events, recorded), now);
  const concerned = flips.filter(({ oldStatus, newStatus }) => oldStatus === 'down' || newStatus === 'down');
  if (concerned.length > 0)
    await updateReminderDates(tx, [...new Set(concerned.map(({ checkId }) => checkId))], now);
}

function plannedEvents(events: readonly CheckEvent[], recorded: readonly RecordedFlip[]): PlannedEvent[] {
  const planned = new Set(recorded.filter(({ isPlanned }) => isPlanned).map(({ checkId }) => checkId));
  const flips = recorded.values();
  return events.flatMap((event): PlannedEvent[] => {
    const { badCount = null } = event;
    if ('end' in event) {
      const { checkId, isBad, isHeard } = event.end;
      return isHeard || planned.has(checkId) ? [{ checkId, badCount, cause: { kind: 'result', isBad } }] : [];
    }
    const flip = flips.next().value;
    if (flip?.isPlanned !== true) return [];
    return [{ checkId: flip.checkId, badCount, cause: { kind: 'flip', flip } }];
  });
}

async function queueDeliveries(
  deps: Pick<Deps, 'random'>,
  tx: Writes,
  recorded: readonly Flip[],
  now: Instant,
): Promise<void> {
  const told = recorded.filter(isTold);
  if (told.length === 0) return;
  const channels = await tx.channels.lockAssigned([...new Set(told.map(({ checkId }) => checkId))]);
  await tx.deliveries.insertMany(
    told.flatMap((flip) => deliveriesOf(flip, channels.get(flip.checkId) ?? [], deps.random.uuid, now)),
  );
}

/**
 * Updates the reminder dates of accounts that these checks concern, whose outage began or ended. An account with a check down gets a date, unless it
 * already has one. An account with nothing down loses its date. This happens in the transaction of the change, after all
 * its other locks: accounts are always locked last, and in the same order on every node.
 */
export async function updateReminderDates(
  tx: Writes,
  checkIds: readonly number[],
  now: Instant,
): Promise<void> {
  const reminded = await tx.mailPreferences.lockAccountsToRemind(checkIds);
  await tx.mailPreferences.updateReminderDates(reminded, now);
}
