import { isIP, isIPv6 } from 'node:net';
import { SERVER_SETTINGS, type ServerSettings } from '../integrations/registry.ts';
import { seconds } from '../lib/instant.ts';
import type { S3Options } from '../objects/s3.ts';
import type { Database } from '../storage/open.ts';
import { DEFAULT_PATH } from '../storage/sqlite/files.ts';
import { ConfigError, type Environment, readText } from './env-file.ts';
import { type Read, type ReadFile, settingsReader } from './environment.ts';
import { HOST_NAME } from './formats.ts';
import { DAY_SECONDS, SETTINGS, type SSL_MODES } from './settings.ts';

/** If a provider is the only way in, a person whom it locks out is out after this time. */
const PROVIDER_SESSION_SECONDS = DAY_SECONDS;

/** Everything an operator can choose, parsed and frozen. `settings.ts` says what each setting means. */
export type Config = Readonly<ReturnType<typeof assemble>>;

/** Reads the configuration and freezes it deeply. Throws one ConfigError with all faults. */
export function readConfig(env: Environment, readFile: ReadFile = readText): Config {
  const { config, faults } = inspectConfig(env, readFile);
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** Reads the configuration, with all its faults. Settings that are not accepted have their defaults. */
export function inspectConfig(
  env: Environment,
  readFile: ReadFile = readText,
): { readonly config: Config; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const config = assemble(settingsReader(env, readFile, faults), faults);
  if (letsAnybodyRunCommands(config))
    faults.push(
      'SHELL_ENABLED and REGISTRATION_OPEN exclude each other: anybody could make an account and run commands on this machine.',
    );
  return { config: deepFreeze(config), faults };
}

function letsAnybodyRunCommands({ integrations, accounts }: Config): boolean {
  return integrations.SHELL_ENABLED && accounts.signUp.isOpen && accounts.localSignIn;
}

function assembleSecretKey(read: Read, faults: string[]) {
  const [current, fallbacks] = [read('SECRET_KEY'), read('SECRET_KEY_FALLBACKS')];
  if (current !== null) return { current, fallbacks: fallbacks ?? [] };
  if (fallbacks !== null) faults.push('SECRET_KEY is missing: SECRET_KEY_FALLBACKS needs it.');
  return null;
}

function assemble(read: Read, faults: string[]) {
  const listen = { host: read('HOST'), port: read('PORT') };
  const root = read('SITE_ROOT') ?? `http://localhost:${listen.port}`;
  const name = read('SITE_NAME');
  const signIn = assembleSignIn(read, root, faults);
  return {
    site: {
      root,
      name,
      pingEndpoint: read('PING_ENDPOINT') ?? `${root}/ping/`,
      masterBadgeLabel: read('MASTER_BADGE_LABEL') ?? name,
      pingEmailDomain: read('PING_EMAIL_DOMAIN'),
    },
    listen,
    smtp: assembleSmtp(read, listen.host),
    database: assembleDatabase(read),
    allowNetworkFiles: read('ALLOW_NETWORK_FILES'),
    objects: assembleObjects(read, faults),
    secretKey: assembleSecretKey(read, faults),
    provisionFile: read('PROVISION_FILE'),
    mail: assembleMail(read),
    integrations: assembleIntegrations(read),
    outbound: {
      allowPrivateAddresses: read('INTEGRATIONS_ALLOW_PRIVATE_IPS'),
      proxies: { http: read('http_proxy'), https: read('https_proxy') },
    },
    log: { level: read('LOG_LEVEL') },
    http: {
      requestTimeoutSeconds: read('REQUEST_TIMEOUT'),
      shutdownTimeoutSeconds: read('SHUTDOWN_TIMEOUT'),
      trustedProxies: read('TRUSTED_PROXIES'),
      pingBodyLimit: read('PING_BODY_LIMIT'),
      maxConnections: read('MAX_CONNECTIONS'),
      maxConnectionsPerAddress: read('MAX_CONNECTIONS_PER_ADDRESS') || null,
      publicRateLimitPerMinute: read('PUBLIC_RATE_LIMIT'),
    },
    heartbeat: assembleHeartbeat(read),
    backups: assembleBackups(read),
    api: {
      rateLimitPerMinute: read('API_RATE_LIMIT'),
      rateBurst: read('API_RATE_BURST'),
      metricsKey: read('METRICS_KEY'),
      prometheusEnabled: read('PROMETHEUS_ENABLED'),
      v3Flips: read('API_V3_FLIPS'),
    },
    limits: { checks: read('DEFAULT_CHECK_LIMIT'), pings: read('DEFAULT_PING_LIMIT') },
    keepFailuresDays: read('KEEP_FAILURES_DAYS'),
    openId: signIn.openId,
    accounts: {
      siteName: name,
      passkeySite: passkeySiteOf(root, name),
      sessions: sessionLimits(read, signIn.openId !== null && !signIn.accounts.localSignIn),
      signUp: { isOpen: read('REGISTRATION_OPEN'), domains: read('REGISTRATION_DOMAINS') },
      requiresSecondFactor: read('REQUIRE_SECOND_FACTOR'),
      hasMail: read('EMAIL_HOST') !== null,
      ...signIn.accounts,
      auditLogDays: read('AUDIT_LOG_DAYS'),
      demonstration: null,
    },
  };
}

/** Time that people stay signed in, in microseconds: without a request, and at all. */
function sessionLimits(read: Read, isProviderOnly: boolean) {
  const age = read('SESSION_MAX_AGE');
  return {
    idle: seconds(read('SESSION_IDLE_TIMEOUT')),
    age: seconds(isProviderOnly ? Math.min(age, PROVIDER_SESSION_SECONDS) : age),
  };
}

/** Browsers offer passkeys on https sites and on this machine, for names and not for addresses. */
function passkeySiteOf(root: string, name: string) {
  const { protocol, hostname, origin } = new URL(root);
  const isOffered =
    hostname === 'localhost' || (protocol === 'https:' && HOST_NAME.test(hostname) && isIP(hostname) === 0);
  return isOffered ? { id: hostname, origin, name } : null;
}

/** Providers at which anybody can have an account. */
const PUBLIC_ISSUERS =
  /^https:\/\/(accounts\.google\.com|login\.microsoftonline\.com\/(common|consumers|organizations)\b)/;

function isOnThisMachine(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
}

/** By whose word people sign in. */
function assembleSignIn(read: Read, root: string, faults: string[]) {
  const provider = {
    name: read('OIDC_NAME'),
    domains: read('OIDC_DOMAINS'),
    groupsClaim: read('OIDC_GROUPS_CLAIM'),
  };
  const openId = assembleOpenId(read, root, provider, faults);
  const remoteUser = assembleRemoteUser(read, faults);
  const isLocal = read('LOCAL_SIGN_IN');
  if (openId !== null && remoteUser !== null)
    faults.push('OIDC_ISSUER and REMOTE_USER_HEADER exclude each other: remove one of them.');
  if (!isLocal && openId === null && remoteUser === null)
    faults.push('OIDC_ISSUER is missing: with LOCAL_SIGN_IN=False nobody could sign in.');
  const groups = { admins: read('ADMIN_GROUPS') ?? [], roles: read('GROUP_ROLES') ?? [] };
  const accounts = {
    localSignIn: isLocal && remoteUser === null,
    provider: openId && provider,
    remoteUser,
    groups,
  };
  return { accounts, openId };
}

function assembleOpenId(
  read: Read,
  root: string,
  { domains }: { domains: readonly string[] | null },
  faults: string[],
) {
  const issuer = read('OIDC_ISSUER');
  const clientId = read('OIDC_CLIENT_ID');
  const rest = { clientSecret: read('OIDC_CLIENT_SECRET'), scopes: read('OIDC_SCOPES') };
  if (issuer === null) return null;
  if (clientId === null) faults.push('OIDC_CLIENT_ID is missing: OIDC_ISSUER needs it.');
  if (root.startsWith('https:') && !issuer.startsWith('https:') && !isOnThisMachine(issuer))
    faults.push('OIDC_ISSUER must be https where SITE_ROOT is: otherwise anybody between could sign in.');
  if (PUBLIC_ISSUERS.test(issuer) && domains === null)
    faults.push('OIDC_DOMAINS is missing: anybody can have an account at this OIDC_ISSUER.');
  return { issuer, clientId: clientId ?? '', ...rest };
}

function assembleRemoteUser(read: Read, faults: string[]) {
  const header = read('REMOTE_USER_HEADER');
  const proxies = read('REMOTE_USER_PROXIES') ?? [];
  const groupsHeader = read('REMOTE_USER_GROUPS_HEADER');
  if (header === null) return null;
  if (proxies.length === 0)
    faults.push('REMOTE_USER_PROXIES is missing: without it anybody could send REMOTE_USER_HEADER.');
  return { header, groupsHeader, proxies };
}

function assembleSmtp(read: Read, httpHost: string | null) {
  // All are read first, so that a fault is reported even while mail is not received.
  const host = read('SMTPD_HOST') ?? httpHost;
  const port = read('SMTPD_PORT');
  const bodyLimit = read('PING_EMAIL_BODY_LIMIT');
  return port === null ? null : { host, port, bodyLimit };
}

/** Null if no backups are to be made. */
function assembleBackups(read: Read) {
  const folder = read('BACKUP_DIR');
  return folder === null
    ? null
    : {
        folder,
        everySeconds: read('BACKUP_EVERY'),
        keep: read('BACKUP_KEEP'),
        passphraseFile: read('BACKUP_PASSPHRASE_FILE'),
      };
}

function assembleHeartbeat(read: Read) {
  const url = read('HEARTBEAT_URL');
  const intervalSeconds = read('HEARTBEAT_INTERVAL');
  return url === null ? null : { url, intervalSeconds };
}

function assembleMail(read: Read) {
  const host = read('EMAIL_HOST');
  const settings = {
    port: read('EMAIL_PORT'),
    user: read('EMAIL_HOST_USER'),
    password: read('EMAIL_HOST_PASSWORD'),
    requiresTls: read('EMAIL_USE_TLS'),
    isSecure: read('EMAIL_USE_SSL'),
    from: read('DEFAULT_FROM_EMAIL'),
    returnTemplate: read('EMAIL_MAIL_FROM_TMPL'),
  };
  return host === null ? null : { host, ...settings };
}

function assembleIntegrations(read: Read): ServerSettings {
  // The type of the table guarantees that these are its keys.
  const names = Object.keys(SERVER_SETTINGS) as (keyof ServerSettings)[];
  return Object.fromEntries(names.map((name) => [name, read(name)])) as ServerSettings;
}

function assembleDatabase(read: Read): Database {
  const pool = {
    poolSize: read('DB_POOL_SIZE'),
    statementTimeoutSeconds: read('DB_STATEMENT_TIMEOUT'),
  };
  const given = read('DATABASE_URL');
  if (given !== null) return given.engine === 'postgres' ? { ...given, ...pool } : given;
  if (read('DB') === 'postgres') return { engine: 'postgres', url: composePostgresUrl(read), ...pool };
  // DB_NAME is not used here: an environment made for the reference names the reference's own file.
  return { engine: 'sqlite', path: DEFAULT_PATH };
}

function assembleObjects(read: Read, faults: string[]): Omit<S3Options, 'clock'> | null {
  const bucket = read('S3_BUCKET');
  if (bucket === null) return null;
  const companion = (name: 'S3_ENDPOINT' | 'S3_REGION' | 'S3_ACCESS_KEY' | 'S3_SECRET_KEY'): string => {
    const value = read(name);
    // A value that was given and refused has its fault already.
    if (value === null && !faults.some((fault) => fault.startsWith(name))) {
      faults.push(`${name} is missing: S3_BUCKET needs it, give ${SETTINGS[name].kind.accepts}.`);
    }
    return value ?? '';
  };
  return {
    bucket,
    endpoint: companion('S3_ENDPOINT'),
    region: companion('S3_REGION'),
    accessKey: companion('S3_ACCESS_KEY'),
    secretKey: companion('S3_SECRET_KEY'),
    isSecure: read('S3_SECURE'),
    timeoutSeconds: read('S3_TIMEOUT'),
  };
}

function composePostgresUrl(read: Read): string {
  const password = read('DB_PASSWORD');
  const login = [read('DB_USER'), ...(password === null ? [] : [password])].map(encodeURIComponent).join(':');
  const host = read('DB_HOST');
  const server = isIPv6(host) ? `[${host}]` : encodeURIComponent(host);
  // The driver decodes the name with decodeURI, so the name is encoded by its inverse.
  const name = encodeURI(read('DB_NAME')).replace(/[?#]/g, encodeURIComponent);
  return `postgres://${login}@${server}:${read('DB_PORT')}/${name}?${tlsParameters(read('DB_SSLMODE'))}`;
}

/**
 * The driver cannot fall back from TLS to plain text, so `prefer` has to mean one of the two. The reference's sample
 * file sets it, and the databases used with that file speak only plain text. So `prefer` means plain text.
 */
function tlsParameters(mode: (typeof SSL_MODES)[number]): string {
  switch (mode) {
    case 'disable':
    case 'allow':
    case 'prefer':
      return 'sslmode=disable';
    case 'require':
      // Without this parameter the driver would also verify the certificate, which libpq does not do for `require`.
      return 'sslmode=require&uselibpqcompat=true';
    case 'verify-ca':
    case 'verify-full':
      return 'sslmode=verify-full';
    default:
      return mode satisfies never;
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}
