import type { DeadlineLoop } from './alerts/deadline-loop.ts';
import type { LoopName } from './domain/vitals.ts';
import type { OutboundRequest } from './integrations/kind.ts';
import type { ServerSettings } from './integrations/registry.ts';
import type { HttpResult } from './lib/http-client.ts';
import type { MailSender } from './lib/mail-sender.ts';
import type { Loops } from './loops.ts';
import { AccountMailSender } from './notifier/account-mail-sender.ts';
import { createChannelSender } from './notifier/channel-sender.ts';
import type { NamedSite } from './notifier/event.ts';
import { Notifier } from './notifier/notifier.ts';
import { createTestSender } from './notifier/test-sender.ts';
import { queueBlindnessNotices } from './services/blind-spans.ts';
import { bounceAddress } from './services/bounces.ts';
import { unsubscribeToken } from './services/channels.ts';
import { releaseAllLeases } from './services/deliveries.ts';
import type { Deps } from './services/deps.ts';
import { queueFlappingNotices } from './services/flapping.ts';
import { pruneMails, releaseMailLeases } from './services/mails.ts';
import { queueReminders } from './services/reminders.ts';
import { queueReports } from './services/reports.ts';
import type { SendTest } from './services/test-message.ts';

/** Messages under way at once, in all and to one destination. */
export const MESSAGE_LIMITS = { maxConcurrent: 512, maxConcurrentPerDestination: 64 };
/** After a failure, such as a database that is away. */
const REST_MS = 1_000;
/** Soon, since checks that were excused are known only until their next ping. */
const BLINDNESS_REST_MS = 1_000;
/** Nobody counts the seconds until a report. */
const ACCOUNT_MAILS_REST_MS = 30_000;
const HOUR_MS = 3_600_000;

export interface AlertingOptions {
  readonly site: NamedSite;
  /** No other node works on the same database: what is leased there was leased by an earlier process. */
  readonly isOnlyNode: boolean;
  http(request: OutboundRequest): Promise<HttpResult>;
  /** Null where no mail server is configured. */
  readonly mail: MailSender | null;
  /** What the operator has set for the kinds of channel. */
  readonly server: ServerSettings;
  /** What the addresses look like that mail is returned to; null: it is returned to whoever it is from. */
  readonly returnTemplate: string | null;
}

export interface Alerting {
  readonly sendTest: SendTest;
  /** Channels whose destination has too much to do. */
  busyChannels(): readonly number[];
}

/** Deadlines are watched and messages sent; a stop waits for the messages that are under way. */
export async function startAlerting(
  deps: Deps,
  options: AlertingOptions,
  deadlineLoop: DeadlineLoop,
  loops: Loops,
  started: AsyncDisposableStack,
): Promise<Alerting> {
  const { site, isOnlyNode, http, mail, server, returnTemplate } = options;
  if (isOnlyNode) await releaseAllLeases(deps);
  const sender = createChannelSender({
    http,
    mail,
    server,
    unsubscribeUrl: (channel) =>
      `${site.root}/integrations/${channel.uuid}/unsub/${unsubscribeToken(deps, channel)}/`,
    returnAddress: (uuid) =>
      returnTemplate && bounceAddress(deps, returnTemplate, { kind: 'delivery', uuid }),
  });
  const { log, telemetry } = loops;
  const notifier = new Notifier(deps, sender, {
    site,
    log,
    ...MESSAGE_LIMITS,
    onFree: () => sending.wake(),
    onTried: (isDelivered) => telemetry.countAttempt(isDelivered),
  });
  // Leases are extended until the last message has ended.
  loops.start('notifier_leases', 'notifier.leases_not_extended', REST_MS, () => notifier.extendLeases());
  started.use(notifier);
  const sending = loops.start('notifier', 'notifier.failed', REST_MS, () => notifier.tick());
  await startAccountMails(deps, options, loops, started);
  await deadlineLoop.ensureBeat();
  loops.start('deadlines', 'alerts.failed', REST_MS, async () => {
    const found = await deadlineLoop.tick();
    if (found === true) sending.wake();
    return found;
  });
  return {
    sendTest: createTestSender(deps, sender, site),
    busyChannels: () => notifier.busyChannels(),
  };
}

/** Mails to accounts are queued when they are due, and sent; where there is no mail server, only dates move on. */
async function startAccountMails(
  deps: Deps,
  { site, isOnlyNode, mail, returnTemplate }: AlertingOptions,
  loops: Loops,
  started: AsyncDisposableStack,
): Promise<void> {
  const hasMail = mail !== null;
  const start = (name: LoopName, event: string, tick: () => Promise<boolean | number>) =>
    loops.start(name, event, ACCOUNT_MAILS_REST_MS, tick);
  if (hasMail) {
    if (isOnlyNode) await releaseMailLeases(deps);
    const mailSender = new AccountMailSender(deps, mail, {
      site,
      log: loops.log,
      returnAddress: (uuid) =>
        returnTemplate && bounceAddress(deps, returnTemplate, { kind: 'account', uuid }),
      onFree: () => sending.wake(),
    });
    loops.start('account_mail_leases', 'account_mails.leases_not_extended', REST_MS, () =>
      mailSender.extendLeases(),
    );
    started.use(mailSender);
    const sending = loops.start('account_mails', 'account_mails.failed', REST_MS, () => mailSender.tick());
    start('flapping', 'flapping.not_told', () => queueFlappingNotices(deps));
  }
  start('reports', 'reports.failed', () => queueReports(deps, hasMail));
  start('reminders', 'reminders.failed', () => queueReminders(deps, hasMail));
  loops.start('blindness', 'blindness.not_told', BLINDNESS_REST_MS, () =>
    queueBlindnessNotices(deps, hasMail),
  );
  loops.start('mail_pruning', 'mails.not_pruned', HOUR_MS, () => pruneMails(deps));
}
