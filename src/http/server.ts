import type { RequestListener, Server } from 'node:http';
import { ByteBudget } from '../lib/byte-budget.ts';
import type { Random } from '../lib/random.ts';
import { MAX_TOKENS, type TokenRule } from '../lib/token-bucket.ts';
import type { ChannelTools } from '../services/alert/channel-tools.ts';
import type { CheckWriter } from '../services/check/check-writer.ts';
import type { Deps } from '../services/core/deps.ts';
import type { KeyUses } from '../services/core/key-uses.ts';
import { type BucketOwner, drawTokens } from '../services/core/rate-buckets.ts';
import type { Reads } from '../services/core/reads.ts';
import type { Instance } from '../services/instance/instance.ts';
import type { Vitals } from '../services/instance/vitals.ts';
import type { AccountDeps } from '../services/people/deps.ts';
import { AcceptedDialects } from '../services/ping/dialects.ts';
import type { PingWriter } from '../services/ping/ping-writer.ts';
import { Cookies } from '../wire/dashboard/cookies.ts';
import { type Site, sitePath } from '../wire/site.ts';
import { AddressLimit } from './address-limit.ts';
import { accountProjectRoutes } from './api/account-projects.ts';
import { doctorRoute } from './api/doctor.ts';
import { type ApiOptions, apiRoutes } from './api/routes.ts';
import { Callers } from './authentication.ts';
import { badgeRoutes } from './badge/routes.ts';
import { BrowserCallers } from './browser-callers.ts';
import { buttonRoutes } from './buttons/routes.ts';
import { clientAddresses } from './client-address.ts';
import { ConnectionOrder } from './connection-order.ts';
import { dashboardRoutes } from './dashboard/routes.ts';
import { Dispatcher } from './dispatcher.ts';
import { guideRoutes } from './docs/guide.ts';
import { docsRoutes } from './docs/openapi.ts';
import { EarlyRefusals } from './early-refusals.ts';
import { BUSY_PROJECTS_PER_ACCOUNT } from './limits.ts';
import { HttpListener, type ListenerOptions } from './listener.ts';
import type { LiveStreams } from './live/live-streams.ts';
import type { PageFiles } from './pages/page-files.ts';
import { documentAnswer, pageRoutes } from './pages/routes.ts';
import { PingHandler, type PingOptions } from './ping/handler.ts';
import { drainLimitsWithin } from './ping/request-body.ts';
import { prometheusRoutes } from './prometheus/routes.ts';
import { RateLimit, tokensInMemory } from './rate-limit.ts';
import { receiver } from './receiver.ts';
import type { Answer } from './replies.ts';
import type { HttpRequest } from './request.ts';
import type { Route } from './route.ts';
import { securityHeaders } from './security-headers.ts';
import { statusRoutes } from './status/routes.ts';
import { telegramBotRoute } from './telegram-bot.ts';
import { Turns } from './turns.ts';
import { unsubscribeRoutes } from './unsubscribe/routes.ts';

export interface HttpOptions extends ChannelTools, ListenerOptions {
  readonly site: Site;
  readonly api: ApiOptions;
  readonly reads: Reads;
  readonly checkWriter: Pick<CheckWriter, 'perform'>;
  /** Takes the pings that people send by a button. */
  readonly pings: Pick<PingWriter, 'record'>;
  /** Receives the time from each ping's request to its answer. */
  readonly pingSeconds: PingOptions['seconds'];
  readonly vitals: Vitals;
  /** The version of the program. */
  readonly version: string;
  readonly accounts: AccountDeps;
  /** The pages of the dashboard; null or absent where there are none. */
  readonly pages?: PageFiles | null;
  /** Remembers when keys and tokens were used. */
  readonly keyUses: Pick<KeyUses, 'note'>;
  readonly instance: Instance;
  /** Open streams of live events. They end when the server closes. */
  readonly live: LiveStreams;
  /** Requests a minute without a valid key for each address; 0 for no limit. */
  readonly publicRateLimitPerMinute: number;
  /** The number of bytes of a ping's body that are kept. Null: the first 10 MiB. */
  readonly pingBodyLimit: number | null;
  /** Requests wait for it, except pings, which see to it themselves: when it is known whether anybody has watched. */
  readonly firstLook?: Promise<void>;
  /** Listens already, and somebody else answers until now. Absent means that a new one is made. */
  readonly listener?: HttpListener;
  /** No other node works on the database, so that rates are counted in memory. */
  readonly isOnlyNode?: boolean;
}

/** The HTTP edge of the service. */
export interface HttpServer extends AsyncDisposable {
  readonly server: Server;
  /** Answers a request that the listener has received. */
  readonly receive: RequestListener;
  /** Answers a request other than a ping, on any connection. */
  readonly handle: RequestListener;
  /** Shared by all bodies that are being received or processed, except pings'. */
  readonly bodyBudget: ByteBudget;
  /** The part of it for bodies of callers without a known key. */
  readonly keylessBodyBudget: ByteBudget;
  listen(address: { readonly host: string; readonly port: number }): Promise<void>;
  /** Ends streams and answers nothing more. The listener stays open, for somebody else to answer. */
  retire(): void;
  /** Resolves when the last request is answered. */
  close(): Promise<void>;
}

/** Creates the HTTP server. It does not listen yet. */
export function createHttpServer(deps: Deps, pings: PingWriter, options: HttpOptions): HttpServer {
  const prefix = sitePath(options.site.root);
  const listener = options.listener ?? new HttpListener(options);
  const { limits, refusals, isExempt } = listener;
  const order = new ConnectionOrder();
  const pingHandler = new PingHandler(pings, deps.clock, {
    prefix,
    dialects: new AcceptedDialects(deps),
    others: (request, response) => dispatcher.handle(request, response),
    bodyLimit: options.pingBodyLimit,
    drainLimits: drainLimitsWithin(options.requestTimeoutSeconds),
    bodyBudget: new ByteBudget(limits.maxPingBodyBytes),
    order,
    trustedProxies: options.trustedProxies,
    seconds: options.pingSeconds,
    log: options.log,
  });
  const addressLimit = new AddressLimit(options.publicRateLimitPerMinute, isExempt, deps.clock);
  const apiRule = { perMinute: options.api.rateLimitPerMinute, capacity: options.api.rateBurst };
  const keys = new Callers(
    { ...deps, keyUses: options.keyUses },
    {
      address: addressLimit,
      project: rateLimitOf(deps, options, 'project', apiRule),
      owner: ownerLimit(deps, options, apiRule),
      tokens: rateLimitOf(deps, options, 'tokens', apiRule),
    },
  );
  const sessionRule = {
    perMinute: limits.maxSessionRequestsPerMinute,
    capacity: limits.maxSessionRequestBurst,
  };
  const browsers = new BrowserCallers(options.accounts, options.site, {
    address: addressLimit,
    account: rateLimitOf(deps, options, 'account', sessionRule),
  });
  const routes = routesOf(deps, options, prefix);
  const newRequestId = requestIds(deps.random);
  const addressOf = clientAddresses(options.trustedProxies);
  const { store, clock, vault } = deps;
  const everyHeader = securityHeaders(options.site);
  const { deviceName: deviceCookie } = new Cookies(options.site);
  const earlyOptions = { prefix, clock, vault, deviceCookie, addressOf, newRequestId, everyHeader };
  const earlyRefusals = new EarlyRefusals(routes, earlyOptions);
  const bodyBudget = new ByteBudget(limits.maxApiBodyBytes);
  const keylessBodyBudget = new ByteBudget(limits.maxApiBodyBytes / 2, bodyBudget);
  const turns = new Turns(() => store.shareState());
  const dispatcher = new Dispatcher(routes, {
    prefix,
    context: { newRequestId, addressOf, log: options.log, bodyBudget, keylessBodyBudget },
    callers: { keys, browsers, earlyRefusals },
    everyHeader,
    refusals,
    turns,
    answerNotFound: notFoundAnswer(prefix, options.pages ?? null),
    firstLook: options.firstLook,
  });
  const handle: RequestListener = (request, response) => dispatcher.handle(request, response);
  const receive = receiver({ pings: pingHandler, earlyRefusals, others: handle }, turns, order);
  if (options.listener === undefined) listener.answerBy(receive);
  let closing: Promise<void> | undefined;
  const retire = () => {
    dispatcher.close();
    pingHandler.stop();
    options.live.close();
  };
  const close = async () => {
    retire();
    await listener.close();
  };
  const closeOnce = () => (closing ??= close());
  return {
    server: listener.server,
    handle,
    bodyBudget,
    keylessBodyBudget,
    receive,
    listen: async (address) => void (await listener.listen(address)),
    retire,
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

/** Each node counts alone: the limits of the projects hold for all nodes together. */
function ownerLimit(deps: Deps, options: HttpOptions, { perMinute, capacity }: TokenRule): RateLimit {
  const rule = {
    perMinute: BUSY_PROJECTS_PER_ACCOUNT * perMinute,
    capacity: Math.min(MAX_TOKENS, BUSY_PROJECTS_PER_ACCOUNT * capacity),
  };
  return rateLimitOf(deps, { ...options, isOnlyNode: true }, 'account', rule);
}

function rateLimitOf(
  deps: Deps,
  { isOnlyNode = false, log }: HttpOptions,
  kind: BucketOwner['kind'],
  rule: TokenRule,
): RateLimit {
  const draw = isOnlyNode
    ? tokensInMemory(rule, deps.clock)
    : (id: number, needed: number) => drawTokens(deps, { kind, id }, rule, needed);
  return new RateLimit(rule, deps.clock, draw, (error) =>
    log.warn({ event: 'rate_limit.unavailable', err: error }),
  );
}

/** All routes except pings, which have a handler of their own. */
export function routesOf(deps: Deps, options: HttpOptions, prefix: string): Route[] {
  const { site, api, vitals, reads, checkWriter, accounts, offer, pages = null } = options;
  const messageSite = { root: site.root, name: accounts.settings.siteName };
  const isDemonstration = accounts.settings.demonstration !== null;
  const routes = [
    ...apiRoutes(deps, site, { ...api, accounts, channelTools: options, vitals, reads, checkWriter }),
    doctorRoute(deps, site, {
      version: options.version,
      drainLimits: drainLimitsWithin(options.requestTimeoutSeconds),
    }),
    ...accountProjectRoutes(accounts, site),
    ...badgeRoutes(deps, site, reads),
    ...(api.prometheusEnabled ? prometheusRoutes(deps, reads) : []),
    ...unsubscribeRoutes(deps),
    ...buttonRoutes(deps, messageSite),
    ...statusRoutes(deps),
    telegramBotRoute(deps, { server: offer.server, site: messageSite, http: options.askProvider }),
    ...dashboardRoutes(accounts, site, options),
    ...(pages === null ? [] : pageRoutes(pages)),
    ...guideRoutes({ reads, offer, prefix, pages, isDemonstration }),
  ];
  const limits = { accountLimits: deps.defaultLimits, pingBodyLimit: options.pingBodyLimit };
  return [...routes, ...docsRoutes(site, { ...api, ...limits }, routes, isDemonstration)];
}

/** Makes ids that are unique over all nodes and restarts, at the cost of a counter: a random prefix, then a count. */
function requestIds(random: Random): () => string {
  const process = Buffer.from(random.bytes(6)).toString('base64url');
  let count = 0;
  return () => `${process}-${(++count).toString(36)}`;
}

/** Programs read these as JSON, with any Accept header. */
const FOR_PROGRAMS = /^\/(?:api|ping|badge|b|dashboard\/api)(?:\/|$)/;

/** The page for people who open an unknown address. Null for programs, and without built pages. */
function notFoundAnswer(prefix: string, pages: PageFiles | null): (request: HttpRequest) => Answer | null {
  const answer = pages && documentAnswer(pages, 404);
  return ({ method, headers, raw }) => {
    const isRead = method === 'GET' || method === 'HEAD';
    const isBrowser = (headers.accept ?? '').includes('text/html');
    const path = (raw.url ?? '').slice(prefix.length);
    return isRead && isBrowser && !FOR_PROGRAMS.test(path) ? answer : null;
  };
}
