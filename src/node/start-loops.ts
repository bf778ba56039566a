import { Heartbeat, type HeartbeatOptions } from '../alerts/heartbeat.ts';
import type { LoopName } from '../domain/vitals.ts';
import type { HttpClient } from '../lib/http-client.ts';
import { type Loop, withEqualRests } from '../lib/loop.ts';
import { queueBlindnessNotices } from '../services/blind-spans.ts';
import { deleteObjects, MAX_BODIES_TICK, moveBodies, type TickResult } from '../services/bodies.ts';
import { releaseAllLeases } from '../services/deliveries.ts';
import type { Deps } from '../services/deps.ts';
import { queueFlappingNotices } from '../services/flapping.ts';
import { pruneMails, releaseMailLeases } from '../services/mails.ts';
import { Pruner } from '../services/pruning.ts';
import { queueReminders } from '../services/reminders.ts';
import { queueReports } from '../services/reports.ts';
import type { Node } from './node.ts';

/** After a failure, such as a database that is away. */
const REST_MS = 1_000;
/** Soon, since checks that were excused are known only until their next ping. */
const BLINDNESS_REST_MS = 1_000;
/** Nobody counts the seconds until a report. */
const ACCOUNT_MAILS_REST_MS = 30_000;
const HOUSEKEEPING_REST_MS = 5_000;
const BODIES_REST_MS = 1_000;
const CHECKPOINTS_REST_MS = 30_000;
/** Changes of this long are told together. */
const CHANGES_REST_MS = 100;
/** After a failure; else the exchange says when it is to be looked after. */
const EXCHANGE_REST_MS = 1_000;
const HOUR_MS = 3_600_000;

/**
 * Starts the loops of a node but for the one that watches deadlines. They end with the node, which waits for messages under
 * way.
 */
export async function startLoops(node: Node): Promise<void> {
  startChanges(node);
  startPruning(node);
  startCheckpoints(node);
  startBodies(node);
  await startNotifier(node);
  await startAccountMails(node);
}

/**
 * Watches deadlines. To be started when the node receives pings, and ended before it stops to: a deadline that passes while
 * nobody can ping proves nothing.
 */
export function startWatching({ loops, deadlineLoop }: Node): Loop {
  return loops.start('deadlines', 'alerts.failed', REST_MS, async () => {
    const found = await deadlineLoop.tick();
    if (found === true) loops.wake('notifier');
    return found;
  });
}

/** Tells another monitor that the node is well; to be started when it serves. */
export function startHeartbeat(
  { vitals, loops, parts }: Node,
  http: Pick<HttpClient, 'send'>,
  options: Omit<HeartbeatOptions, 'log'>,
): Loop {
  const heartbeat = new Heartbeat(vitals, http, { ...options, log: parts.log });
  return loops.start('heartbeat', 'heartbeat.failed', options.intervalSeconds * 1000, () => heartbeat.tick());
}

/** Tells subscribers and other nodes what has changed. */
function startChanges({ loops, exchange, parts: { changes } }: Node): void {
  changes.publishThrough(
    async (changed) => exchange?.publish(changed),
    () => exchange?.isConnected ?? true,
  );
  if (exchange !== null)
    loops.start('change_exchange', 'changes.not_exchanged', EXCHANGE_REST_MS, () => exchange.tick());
  loops.start('changes', 'changes.failed', CHANGES_REST_MS, async () => {
    changes.tick();
    return false;
  });
}

function startPruning({ deps, loops, parts }: Node): void {
  const pruner = new Pruner(deps, 1);
  const { writer } = parts.database;
  const prune = writer === null ? () => pruner.tick() : () => writer.prune();
  loops.start('housekeeping', 'housekeeping.failed', HOUSEKEEPING_REST_MS, withEqualRests(prune, deps.clock));
}

/** Another thread copies the log, ten times a second; here it is only looked after. */
function startCheckpoints({ loops, parts }: Node): void {
  const { writer } = parts.database;
  if (writer === null) return;
  loops.start('checkpoints', 'checkpoints.failed', CHECKPOINTS_REST_MS, async () => {
    writer.requireCheckpoints();
    return false;
  });
}

/** What the storage refuses is told and waits for its next turn. */
function startBodies({ deps, loops, parts: { objects, log } }: Node): void {
  if (objects === null) return;
  const start = (name: LoopName, event: string, work: (deps: Deps) => Promise<TickResult>) => {
    const tick = async () => {
      const { done, failures } = await work(deps);
      if (failures.length > 0) log.warn({ event, count: failures.length, err: failures[0] });
      return done > 0 && failures.length === 0;
    };
    loops.start(name, event, BODIES_REST_MS, tick, MAX_BODIES_TICK / 1000);
  };
  start('body_moves', 'bodies.move_failed', moveBodies);
  start('body_deletions', 'bodies.delete_failed', deleteObjects);
  // Before the two loops end, which then end at once, and after the notifier, whose messages quote bodies.
  loops.defer(() => objects.close());
}

async function startNotifier({ deps, loops, notifier, parts }: Node): Promise<void> {
  // No other node works on the database: what is leased there was leased by an earlier process.
  if (!parts.database.isShared) await releaseAllLeases(deps);
  // Leases are extended until the last message has ended.
  loops.start('notifier_leases', 'notifier.leases_not_extended', REST_MS, () => notifier.extendLeases());
  loops.defer(() => notifier[Symbol.asyncDispose]());
  loops.start('notifier', 'notifier.failed', REST_MS, () => notifier.tick());
}

/** Mails to accounts are queued when they are due, and sent; where there is no mail server, only dates move on. */
async function startAccountMails({ deps, loops, accountMails, deadlineLoop, parts }: Node): Promise<void> {
  const hasMail = accountMails !== null;
  const start = (name: LoopName, event: string, tick: () => Promise<boolean | number>) =>
    loops.start(name, event, ACCOUNT_MAILS_REST_MS, tick);
  if (hasMail) {
    if (!parts.database.isShared) await releaseMailLeases(deps);
    loops.start('account_mail_leases', 'account_mails.leases_not_extended', REST_MS, () =>
      accountMails.extendLeases(),
    );
    loops.defer(() => accountMails[Symbol.asyncDispose]());
    // Mails tell how checks are as they are sent: not while deadlines that nobody watched look as if they were missed.
    loops.start('account_mails', 'account_mails.failed', REST_MS, async () =>
      deadlineLoop.isWatching ? accountMails.tick() : false,
    );
    start('flapping', 'flapping.not_told', () => queueFlappingNotices(deps));
  }
  start('reports', 'reports.failed', () => queueReports(deps, hasMail));
  start('reminders', 'reminders.failed', () => queueReminders(deps, hasMail));
  loops.start('blindness', 'blindness.not_told', BLINDNESS_REST_MS, () =>
    queueBlindnessNotices(deps, hasMail),
  );
  loops.start('mail_pruning', 'mails.not_pruned', HOUR_MS, () => pruneMails(deps));
}
