import { Heartbeat, type HeartbeatOptions } from '../alerts/heartbeat.ts';
import { OutageLoop } from '../alerts/outage-loop.ts';
import { QuietTimeLoop } from '../alerts/quiet-time-loop.ts';
import type { LoopName } from '../domain/vitals.ts';
import type { HttpClient } from '../lib/http-client.ts';
import { seconds } from '../lib/instant.ts';
import { type Loop, withRests } from '../lib/loop.ts';
import { callEvery } from '../lib/timers.ts';
import { pruneMessages, releaseMessageLeases } from '../services/alert/channel-messages.ts';
import { queueChannelReports } from '../services/alert/channel-reports.ts';
import { queueFailingNotices } from '../services/alert/channel-trouble.ts';
import { releaseAllLeases } from '../services/alert/deliveries.ts';
import { pollBot } from '../services/alert/telegram-bot.ts';
import { checkDeletions } from '../services/check/check-deletion.ts';
import { fillLastResults } from '../services/check/last-results.ts';
import { AuditLogPruner } from '../services/core/audit.ts';
import type { Deps } from '../services/core/deps.ts';
import { type BackupRun, LEASE_EXTENDED_EVERY_MS, makeDueBackup } from '../services/instance/backups.ts';
import { keepDatabaseSize } from '../services/instance/database-sizes.ts';
import { queueBlindnessNotices } from '../services/mail/blind-spans.ts';
import { queueFlappingNotices } from '../services/mail/flapping.ts';
import { pruneMails, releaseMailLeases } from '../services/mail/mails.ts';
import { queueReminders } from '../services/mail/reminders.ts';
import { queueReports } from '../services/mail/reports.ts';
import { pruneAccountData } from '../services/people/pruning.ts';
import { deleteObjects, MAX_BODIES_TICK, moveBodies, type TickResult } from '../services/ping/bodies.ts';
import { Pruner } from '../services/ping/pruning.ts';
import { projectDeletions } from '../services/project/project-deletion.ts';
import type { Node } from './node.ts';

/** The rest after a failure, for example while the database is away. */
const REST_MS = 1_000;
/** The longest tick of the loops that alert. People are told within a minute that one has stopped. */
const MAX_ALERTING_TICK_MS = 45_000;
/** This is short because an excused check is known as such only until its next ping. */
const BLINDNESS_REST_MS = 1_000;
/** Reports need not be punctual to the second. */
const ACCOUNT_MAILS_REST_MS = 30_000;
const HOUSEKEEPING_REST_MS = 5_000;
/** Nobody waits for what is filled, and pings wait for it while it writes. */
const FILLING_RESTS = 50;
const KEY_USES_REST_MS = 5_000;
const BODIES_REST_MS = 1_000;
const CHECKPOINTS_REST_MS = 30_000;
const BOT_REST_MS = 5_000;
/** Changes within this time are sent together. */
const CHANGES_REST_MS = 100;
/** The rest after a failure. Otherwise the exchange says when it is due again. */
const EXCHANGE_REST_MS = 1_000;
const HOUR_MS = 3_600_000;
const BACKUPS_REST_MS = 30_000;
/** A backup of a large database takes hours. */
const MAX_BACKUP_TICK_MS = 24 * HOUR_MS;

/**
 * Starts all loops of a node except the deadline loop. They end with the node, which waits for messages that are being
 * sent.
 */
export async function startLoops(node: Node): Promise<void> {
  startChanges(node);
  startQuietTimes(node);
  startPruning(node);
  startFilling(node);
  startContracting(node);
  startAccountPruning(node);
  startKeyUses(node);
  startDatabaseSizes(node);
  startCheckpoints(node);
  startBodies(node);
  await startNotifier(node);
  await startAccountMails(node);
  startBot(node);
  startBackups(node);
}

/**
 * Starts the loops of deadlines and of outages. Start them when the node accepts pings, and end them before the node stops
 * accepting them: a deadline that passes while nobody can ping proves nothing.
 */
export function startWatching({ deps, loops, deadlineLoop, parts: { log } }: Node): AsyncDisposable {
  const outageLoop = new OutageLoop(deps, log, deadlineLoop);
  const waking = (tick: () => Promise<true | number>) => async () => {
    const found = await tick();
    if (found === true) loops.wake('notifier');
    return found;
  };
  const watching = new AsyncDisposableStack();
  watching.use(
    loops.start(
      'deadlines',
      'alerts.failed',
      REST_MS,
      waking(() => deadlineLoop.tick()),
      MAX_ALERTING_TICK_MS,
    ),
  );
  watching.use(
    loops.start(
      'outages',
      'outages.failed',
      REST_MS,
      waking(() => outageLoop.tick()),
      MAX_ALERTING_TICK_MS,
    ),
  );
  return watching;
}

/** Pings another monitor while the node is healthy. Start it when the node serves requests. */
export function startHeartbeat(
  { vitals, loops, parts }: Node,
  http: Pick<HttpClient, 'send'>,
  options: Omit<HeartbeatOptions, 'log'>,
): Loop {
  const heartbeat = new Heartbeat(vitals, http, { ...options, log: parts.log });
  return loops.start('heartbeat', 'heartbeat.failed', options.intervalSeconds * 1000, () => heartbeat.tick());
}

/** Sends changes to subscribers, to open pages and to other nodes. */
function startChanges({ loops, exchange, http: { live }, parts: { changes } }: Node): void {
  changes.publishThrough(
    async (changed) => exchange?.publish(changed),
    () => exchange?.isConnected ?? true,
  );
  if (exchange !== null)
    loops.start('change_exchange', 'changes.not_exchanged', EXCHANGE_REST_MS, () => exchange.tick());
  loops.start('changes', 'changes.failed', CHANGES_REST_MS, async () => {
    changes.tick();
    await live.tick();
    return false;
  });
}

function startQuietTimes({ deps, loops, parts: { log } }: Node): void {
  const loop = new QuietTimeLoop(deps, log);
  loops.start('quiet_times', 'quiet_times.not_applied', REST_MS, () => loop.tick(), MAX_ALERTING_TICK_MS);
}

function startPruning({ deps, loops, parts }: Node): void {
  const pruner = new Pruner(deps, 1, parts.settings.keepFailuresDays);
  const { writer } = parts.database;
  const prune = writer === null ? () => pruner.tick() : () => writer.prune();
  loops.start('housekeeping', 'housekeeping.failed', HOUSEKEEPING_REST_MS, withRests(prune, deps.clock));
}

function startFilling({ deps, loops }: Node): void {
  const fill = withRests(() => fillLastResults(deps), deps.clock, FILLING_RESTS);
  loops.start('filling', 'checks.not_filled', HOUR_MS, fill);
}

/** When the last step is made there is nothing left to do until the next upgrade. */
function startContracting({ loops, parts: { contract } }: Node): void {
  if (contract === null) return;
  let isWaiting = true;
  loops.start('contracting', 'migration.not_contracted', HOUR_MS, async () => {
    if (isWaiting) isWaiting = await contract();
    return false;
  });
}

function startAccountPruning({ accounts, loops }: Node): void {
  const projects = projectDeletions(accounts);
  const checks = checkDeletions(accounts);
  const auditLog = new AuditLogPruner(accounts, accounts.settings.auditLogDays);
  const prune = async () => {
    const found = [
      await pruneAccountData(accounts),
      await auditLog.tick(),
      await projects.tick(),
      await checks.tick(),
    ];
    return found.includes(true);
  };
  loops.start('account_pruning', 'accounts.not_pruned', HOUR_MS, withRests(prune, accounts.clock));
}

/** Key uses still in memory are written at shutdown. A failure is only logged. */
function startKeyUses({ keyUses, loops, parts: { log } }: Node): void {
  const event = 'key_uses.not_written';
  loops.defer(async () => {
    await keyUses.tick().catch((err: unknown) => log.warn({ event, err }));
  });
  loops.start('key_uses', event, KEY_USES_REST_MS, () => keyUses.tick());
}

function startDatabaseSizes({ deps, loops }: Node): void {
  loops.start('database_sizes', 'database_sizes.not_kept', HOUR_MS, () => keepDatabaseSize(deps));
}

/** Another thread makes the checkpoints, ten times a second. This loop only verifies that it does. */
function startCheckpoints({ loops, parts }: Node): void {
  const { writer } = parts.database;
  if (writer === null) return;
  loops.start('checkpoints', 'checkpoints.failed', CHECKPOINTS_REST_MS, async () => {
    writer.requireCheckpoints();
    return false;
  });
}

/** Failures of the storage are logged, and the work is tried again later. */
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
  // The storage closes before these two loops end, so that they end at once. It closes after the notifier, whose
  // messages quote bodies.
  loops.defer(() => objects.close());
}

async function startNotifier(node: Node): Promise<void> {
  const { deps, loops, notifier, channelMessages, deadlineLoop, parts } = node;
  // No other node uses the database, so every lease is from an earlier process.
  if (!parts.database.isShared) {
    await releaseAllLeases(deps);
    await releaseMessageLeases(deps);
  }
  // Leases are extended until the last message is sent.
  loops.start('notifier_leases', 'notifier.leases_not_extended', REST_MS, async () => {
    await channelMessages.extendLeases();
    return notifier.extendLeases();
  });
  loops.defer(() => notifier[Symbol.asyncDispose]());
  loops.defer(() => channelMessages[Symbol.asyncDispose]());
  // A report tells how checks are as it is sent: not while deadlines that nobody watched look as if they were missed.
  loops.start('channel_messages', 'channel_messages.failed', REST_MS, async () =>
    deadlineLoop.isWatching ? (await channelMessages.tick()) === true : false,
  );
  loops.start('notifier', 'notifier.failed', REST_MS, () => notifier.tick(), MAX_ALERTING_TICK_MS);
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
    start('failing_channels', 'channels.failure_not_told', () => queueFailingNotices(deps));
  }
  start('reports', 'reports.failed', async () => {
    const found = [await queueReports(deps, hasMail), await queueChannelReports(deps)];
    return found.some(Boolean);
  });
  start('reminders', 'reminders.failed', () => queueReminders(deps, hasMail));
  loops.start('blindness', 'blindness.not_told', BLINDNESS_REST_MS, () =>
    queueBlindnessNotices(deps, hasMail),
  );
  loops.start('mail_pruning', 'mails.not_pruned', HOUR_MS, async () => {
    const found = [await pruneMails(deps), await pruneMessages(deps)];
    return found.includes(true);
  });
}

/** If Telegram cannot reach this service, it is polled for messages to the bot. */
function startBot({ deps, loops, parts: { settings, transports } }: Node): void {
  const { integrations: server, site } = settings;
  if (server.TELEGRAM_TOKEN === null || !server.TELEGRAM_POLLING) return;
  const tools = { server, site, http: transports.http };
  loops.start('telegram_updates', 'telegram.not_polled', BOT_REST_MS, async () => {
    await pollBot(deps, tools);
    return false;
  });
}

/** One node of all makes them. Others look whether it is still there. */
function startBackups({ deps, loops, parts: { backups, timers, log } }: Node): void {
  if (backups === null) return;
  const event = 'backup.failed';
  const stopping = new AbortController();
  const run: BackupRun = {
    stopping: stopping.signal,
    extending: (extend) =>
      callEvery(timers, LEASE_EXTENDED_EVERY_MS, () => {
        extend().catch((err: unknown) => log.warn({ event, err }));
      }),
  };
  loops.start(
    'backups',
    event,
    BACKUPS_REST_MS,
    () => makeDueBackup(deps, backups, seconds(backups.everySeconds), run),
    MAX_BACKUP_TICK_MS,
  );
  // A backup may take longer than a stop may.
  loops.defer(() => stopping.abort());
}
