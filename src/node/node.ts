import type { Logger } from 'pino';
import { DeadlineLoop } from '../alerts/deadline-loop.ts';
import type { AccountLimits } from '../domain/people/account.ts';
import type { ApiOptions } from '../http/api/routes.ts';
import { HTTP_LIMITS } from '../http/limits.ts';
import { LiveStreams } from '../http/live/live-streams.ts';
import type { HttpOptions } from '../http/server.ts';
import { createPreparer, messageLimits, type ServerSettings } from '../integrations/registry.ts';
import type { Clock } from '../lib/clock.ts';
import type { EffectiveSetting } from '../lib/env-setting.ts';
import type { HttpRequest, HttpResult } from '../lib/http-client.ts';
import { type Instant, MICROS_PER_SECOND } from '../lib/instant.ts';
import { OpenIdClient, type OpenIdSettings } from '../lib/openid.ts';
import type { Random } from '../lib/random.ts';
import type { Timers } from '../lib/timers.ts';
import type { Vault } from '../lib/vault.ts';
import { WatchedClock } from '../lib/watched-clock.ts';
import { AccountMailSender } from '../notifier/account-mail-sender.ts';
import { ChannelMessageSender } from '../notifier/channel-message-sender.ts';
import {
  type ChannelPreviewer,
  type ChannelSender,
  type CodeSender,
  createChannelSender,
  type Transports,
} from '../notifier/channel-sender.ts';
import { createCodeSender } from '../notifier/code-sender.ts';
import type { NamedSite } from '../notifier/event.ts';
import { buttonTrouble } from '../notifier/message-buttons.ts';
import { Notifier } from '../notifier/notifier.ts';
import { createPreviewRenderer } from '../notifier/preview-renderer.ts';
import { createTestSender } from '../notifier/test-sender.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { guardReads } from '../objects/read-breaker.ts';
import { alertMail } from '../reading/alert-mail.ts';
import { LocalReads } from '../reading/local-reads.ts';
import { bounceAddress } from '../services/alert/bounces.ts';
import { unsubscribeToken } from '../services/alert/channel-links.ts';
import { PushKeys } from '../services/alert/push-keys.ts';
import { HeardTaps } from '../services/alert/telegram-registration.ts';
import { askForCaptcha, returnQuota, takeQuota } from '../services/alert/undelivered.ts';
import { performCommands } from '../services/check/check-commands.ts';
import { CHECK_WRITER_DEFAULTS, CheckWriter } from '../services/check/check-writer.ts';
import type { ChangeExchange, ChangeExchangeHandlers, ChangeFeed } from '../services/core/changes.ts';
import type { Deps } from '../services/core/deps.ts';
import { KeyUses } from '../services/core/key-uses.ts';
import type { Reads } from '../services/core/reads.ts';
import type { BackupMaker } from '../services/instance/backups.ts';
import type { Instance } from '../services/instance/instance.ts';
import { LiveFeed } from '../services/instance/live-feed.ts';
import { Telemetry } from '../services/instance/telemetry.ts';
import { Vitals, type Parts as VitalsParts } from '../services/instance/vitals.ts';
import { Attempts } from '../services/people/attempts.ts';
import type { AccountDeps, AccountSettings } from '../services/people/deps.ts';
import { oldPasswordCosts } from '../services/people/old-passwords.ts';
import { PasswordWork } from '../services/people/password-work.ts';
import { ingestPings } from '../services/ping/ingest.ts';
import { PING_WRITER_DEFAULTS, PingWriter } from '../services/ping/ping-writer.ts';
import type { Store } from '../storage/store.ts';
import { providerCallbackAddress } from '../wire/dashboard/addresses.ts';
import type { WriterThread } from '../writer-thread.ts';
import { Loops } from './loops.ts';

/** Messages sent at the same time: in all, and to one destination. One account has half of both at the most. */
export const MESSAGE_LIMITS = { maxConcurrent: 1024, maxConcurrentPerDestination: 128 };
/** Alerts come first: messages that tell of no change of status get less room. */
const MAX_CONCURRENT_NOTICES = 64;

/** A node's environment. Only this differs between the program, the tests and the simulator. */
export interface NodeParts {
  readonly database: NodeDatabase;
  /** Receives what commits to the database have touched. */
  readonly changes: ChangeFeed;
  /** The clock of the machine. */
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly vault: Vault;
  /** Storage for long bodies of pings. Null keeps them in the database. */
  readonly objects: NodeObjects | null;
  readonly transports: Pick<Transports, 'http' | 'mail' | 'shell' | 'converse'>;
  /** The provider that signs people in; null when there is none. */
  readonly provider: NodeProvider | null;
  readonly process: Pick<VitalsParts, 'disk' | 'eventLoopLagSeconds' | 'residentBytes' | 'version'>;
  readonly log: Logger;
  /** Makes backups, and how often. Null: none are made. */
  readonly backups: (BackupMaker & { readonly everySeconds: number }) | null;
  /** Makes contract steps that may be made now, and returns whether others wait. Null: none waits. */
  readonly contract: (() => Promise<boolean>) | null;
  /** Looks at the installation, for administrators. Null: the environment is not known. */
  readonly examine: Instance['examine'];
  readonly settings: NodeSettings;
}

export interface NodeDatabase {
  readonly store: Store;
  /**
   * Reads the clock of the database, which the node then follows. Returns null when the database has none of its own.
   */
  readTime(): Promise<Instant | null>;
  /** Whether other nodes may use the same database, as on PostgreSQL. */
  readonly isShared: boolean;
  /** Transactions that this node can run at the same time. */
  readonly poolSize: number;
  /** Starts threads for long reads. Null: they run on this thread. */
  readonly startReads: ((clock: Clock) => Reads) | null;
  /** The thread that writes pings and checks, and prunes. Null: this thread does. */
  readonly writer: Pick<WriterThread, 'ingest' | 'perform' | 'prune' | 'requireCheckpoints'> | null;
  /** Exchanges changes with other nodes; null when there are none. */
  readonly openExchange: ((handlers: ChangeExchangeHandlers) => ChangeExchange) | null;
}

export interface NodeObjects {
  readonly store: ObjectStore;
  /** Ends the requests that are open: a stop does not wait for the storage. */
  close(): void;
}

export interface NodeProvider extends Omit<OpenIdSettings, 'redirectUri'> {
  /** Sends requests to it. The operator has chosen it, so its address may be private. */
  send(request: HttpRequest): Promise<HttpResult>;
}

export interface NodeSettings {
  readonly site: NamedSite;
  readonly api: ApiOptions;
  readonly http: Pick<
    HttpOptions,
    'requestTimeoutSeconds' | 'trustedProxies' | 'publicRateLimitPerMinute' | 'pingBodyLimit' | 'limits'
  >;
  /** The operator's settings for the kinds of channel. */
  readonly integrations: ServerSettings;
  /** Template of the return addresses of mails. Null: mails are returned to their sender address. */
  readonly returnTemplate: string | null;
  /** Limits of accounts that have none of their own. */
  readonly limits: AccountLimits;
  /** Days for which failures are kept after their pings. */
  readonly keepFailuresDays: number;
  readonly accounts: AccountSettings;
  /** The operator's settings, for administrators to see. */
  readonly effective: readonly EffectiveSetting[];
}

/**
 * One process of the service, between its database and its servers. Disposing ends its loops and writes the pings and
 * commands that were accepted.
 */
export interface Node extends AsyncDisposable {
  readonly parts: NodeParts;
  readonly deps: Deps;
  /** Extends `deps` for the verbs about accounts. */
  readonly accounts: AccountDeps;
  readonly telemetry: Telemetry;
  readonly loops: Loops;
  readonly deadlineLoop: DeadlineLoop;
  readonly pings: PingWriter;
  readonly checkWriter: CheckWriter;
  readonly keyUses: KeyUses;
  readonly notifier: Notifier;
  readonly channelMessages: ChannelMessageSender;
  /** Null when no mail server is configured. */
  readonly accountMails: AccountMailSender | null;
  /** Null when there are no other nodes. */
  readonly exchange: ChangeExchange | null;
  readonly vitals: Vitals;
  /** The options of its HTTP server. */
  readonly http: HttpOptions;
}

/** Connects the parts of a node. Its loops begin with `startLoops`. */
export async function buildNode(parts: NodeParts): Promise<Node> {
  const { database, log, settings, transports } = parts;
  const clock = new WatchedClock(parts.clock, () => database.readTime());
  await clock.look();
  const reads = buildReads(parts, clock);
  const deps = buildDeps(parts, clock, reads);
  const accounts = { ...accountDeps(deps, settings.accounts), openId: buildOpenId(parts, clock) };
  const telemetry = new Telemetry(clock);
  const loops = new Loops(telemetry, log, parts.timers.rest);
  const version = parts.process.version || null;
  const deadlineLoop = new DeadlineLoop(deps, log, clock, () => telemetry.noteWrite(), version);
  const pings = buildPingWriter(parts, deps, deadlineLoop, telemetry);
  const pushKeys = new PushKeys(deps, settings.site.root);
  const sender = buildChannelSender(parts, deps, pushKeys);
  const taps = new HeardTaps(deps, settings.integrations, settings.site.root);
  const buttonTools = { root: settings.site.root, hearsTaps: () => taps.areHeard() };
  const notifier = new Notifier(deps, sender, {
    site: settings.site,
    hearsTaps: buttonTools.hearsTaps,
    log,
    ...MESSAGE_LIMITS,
    onFree: () => loops.wake('notifier'),
    onTried: (isDelivered) => telemetry.countAttempt(isDelivered),
    onFirstTry: (delay) => telemetry.alertDelays.add(delay / MICROS_PER_SECOND),
  });
  const channelMessages = new ChannelMessageSender(deps, sender, notifier.paths, {
    site: settings.site,
    hearsTaps: buttonTools.hearsTaps,
    log,
    maxConcurrent: MAX_CONCURRENT_NOTICES,
    onFree: () => loops.wake('notifier'),
    onTried: (isDelivered) => telemetry.countAttempt(isDelivered),
  });
  const accountMails = transports.mail && buildAccountMails(parts, deps, transports.mail, loops);
  const vitals = new Vitals(deps, telemetry, {
    ...parts.process,
    pings,
    heldBack: () => notifier.heldBack(),
    clockAhead: () => clock.ahead,
  });
  const exchange =
    database.openExchange?.({
      onChanges: (changes) => {
        database.store.marks.note(changes);
        parts.changes.receive(changes);
      },
      onLost: (err) => {
        log.warn({ event: 'changes.connection_lost', err });
        loops.wake('change_exchange');
      },
    }) ?? null;
  const { site, api } = settings;
  const channelTools = {
    sendTest: createTestSender(deps, sender, site, buttonTools),
    sendCode: createCodeSender(deps, sender, site),
    renderPreview: createPreviewRenderer(deps, sender, site, buttonTools.hearsTaps),
    buttonTrouble: (kind: string) => buttonTrouble(kind, buttonTools),
    askProvider: transports.http,
    offer: { server: settings.integrations, hasMail: transports.mail !== null },
    pushKey: () => pushKeys.publicKey(),
    prepareSettings: createPreparer((request) => transports.http(request), settings.integrations),
  };
  const isOnlyNode = !database.isShared;
  const checkWriter = buildCheckWriter(database, deps);
  const keyUses = new KeyUses(deps);
  const live = new LiveStreams({
    feed: new LiveFeed(deps, parts.changes, deps.random.uuid()),
    vitals,
    clock,
    limits: { ...HTTP_LIMITS, ...settings.http.limits },
  });
  const http = {
    live,
    site,
    api,
    isOnlyNode,
    ...channelTools,
    reads,
    checkWriter,
    pings,
    pingSeconds: telemetry.pingSeconds,
    vitals,
    version: parts.process.version,
    accounts,
    keyUses,
    instance: {
      vitals,
      settings: settings.effective,
      mail: transports.mail,
      examine: parts.examine,
    },
    log,
    ...settings.http,
  };
  return {
    ...{ parts, deps, accounts, telemetry, loops, deadlineLoop, pings, checkWriter, keyUses },
    ...{ notifier, channelMessages, accountMails, exchange, vitals, http },
    async [Symbol.asyncDispose]() {
      await loops[Symbol.asyncDispose]();
      await reads[Symbol.asyncDispose]();
      await pings[Symbol.asyncDispose]();
      await checkWriter[Symbol.asyncDispose]();
      // This comes last because the last pings and commands make changes too.
      await parts.changes.finish();
      await exchange?.[Symbol.asyncDispose]();
    },
  };
}

function buildReads({ database, vault, settings }: NodeParts, clock: Clock): Reads {
  const { store, startReads, isShared } = database;
  const { site, limits: defaultLimits, integrations } = settings;
  const allowed = { defaultLimits, messageLimits: messageLimits(integrations) };
  return (
    startReads?.(clock) ?? new LocalReads({ store, vault, site, ...allowed, isOnlyNode: !isShared }, clock)
  );
}

function buildDeps(
  { database, random, vault, objects, settings }: NodeParts,
  clock: Clock,
  reads: Reads,
): Deps {
  return {
    store: database.store,
    reads,
    clock,
    random,
    vault,
    objects: objects && guardReads(objects.store, clock),
    defaultLimits: settings.limits,
  };
}

/** Dependencies of the verbs about accounts, for a node or a command. */
export function accountDeps(deps: Deps, settings: AccountSettings): AccountDeps {
  const [passwords, attempts] = [
    new PasswordWork(deps.random, () => oldPasswordCosts(deps.store)),
    new Attempts(deps),
  ];
  return { ...deps, settings, passwords, attempts, openId: null };
}

function buildOpenId({ provider, settings }: NodeParts, clock: Clock): OpenIdClient | null {
  if (provider === null) return null;
  const redirectUri = providerCallbackAddress(settings.site.root);
  return new OpenIdClient({ ...provider, redirectUri }, (request) => provider.send(request), clock);
}

/**
 * The next batch is handed over while one is being committed. The writer thread commits them in order; PostgreSQL
 * commits them at the same time.
 */
function buildPingWriter(
  { database, timers }: NodeParts,
  deps: Deps,
  deadlineLoop: DeadlineLoop,
  telemetry: Telemetry,
): PingWriter {
  const { writer, poolSize } = database;
  const ingest = telemetry.countPings(async (batch) => {
    await deadlineLoop.beforePings();
    return writer === null ? ingestPings(deps, batch) : writer.ingest(batch);
  });
  const options = {
    ...PING_WRITER_DEFAULTS,
    keepsOrder: writer !== null,
    maxStuckBatches: maxStuckBatchesOf(poolSize),
  };
  return new PingWriter(ingest, options, timers);
}

/**
 * On PostgreSQL each command has a transaction of its own: the server writes concurrent commits to the disk together.
 * Commands that wait for a lock leave connections to pings.
 */
function buildCheckWriter({ writer, isShared, poolSize }: NodeDatabase, deps: Deps): CheckWriter {
  return new CheckWriter(writer?.perform ?? ((batch) => performCommands(deps, batch)), {
    ...CHECK_WRITER_DEFAULTS,
    ...(isShared && {
      maxBatchSize: 1,
      minBatchWhileBusy: 1,
      maxConcurrentBatches: maxConcurrentCommandsOf(poolSize),
    }),
  });
}

/** Leaves at least half of the connections to other work, if there are several. */
function maxConcurrentCommandsOf(poolSize: number): number {
  return Math.max(1, Math.floor(poolSize / 2));
}

/** Leaves at least half of the connections to other work. */
function maxStuckBatchesOf(poolSize: number): number {
  return Math.max(0, Math.min(3, Math.floor(poolSize / 2) - 2));
}

function buildChannelSender(
  { transports, settings, log }: NodeParts,
  deps: Deps,
  pushKeys: PushKeys,
): ChannelSender & ChannelPreviewer & CodeSender {
  const { site, integrations, returnTemplate } = settings;
  const limits = messageLimits(integrations);
  return createChannelSender({
    ...transports,
    server: integrations,
    vault: deps.vault,
    writeMail: async (event, to, unsubscribeUrl) =>
      (await deps.reads.ask(alertMail, { event, to, unsubscribeUrl })).head,
    onUnreadable: ({ id }) => log.error({ event: 'channels.secrets_unreadable', channelId: id }),
    unsubscribeUrl: (channel) =>
      `${site.root}/integrations/${channel.uuid}/unsub/${unsubscribeToken(deps, channel)}/`,
    returnAddress: (uuid) =>
      returnTemplate && bounceAddress(deps, returnTemplate, { kind: 'delivery', uuid }),
    randomBytes: (count) => deps.random.bytes(count),
    pushAuthorization: (origin) => pushKeys.authorization(origin),
    askForCaptcha: ({ projectId }, challenge, message) => askForCaptcha(deps, projectId, challenge, message),
    quotas: {
      take: ({ projectId }, quota, message) => takeQuota(deps, projectId, quota, limits, message),
      giveBack: ({ projectId }, quota) => returnQuota(deps, projectId, quota),
    },
  });
}

function buildAccountMails(
  { log, settings: { returnTemplate } }: NodeParts,
  deps: Deps,
  mail: NonNullable<Transports['mail']>,
  loops: Loops,
): AccountMailSender {
  return new AccountMailSender(deps, mail, {
    log,
    returnAddress: (uuid) => returnTemplate && bounceAddress(deps, returnTemplate, { kind: 'account', uuid }),
    onFree: () => loops.wake('account_mails'),
  });
}
