import { readFileSync } from 'node:fs';
import { isIP, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { GroupRole } from './domain/group-roles.ts';
import { MEMBER_ROLES } from './domain/permission.ts';
import { SERVER_SETTINGS, type ServerSettings } from './integrations/registry.ts';
import { MASK } from './integrations/setting.ts';
import {
  choice,
  type EffectiveSetting,
  type EnvSetting,
  type EnvSettingTable,
  type EnvValue,
  flag,
  line,
  orNone,
  type TextFormat,
  wholeNumber,
} from './lib/env-setting.ts';
import { seconds } from './lib/instant.ts';
import { MAX_TOKENS } from './lib/token-bucket.ts';
import { MIN_SECRET_LENGTH } from './lib/vault.ts';
import { DEFAULT_PATH } from './storage/sqlite/files.ts';
import { V3_FLIPS, type V3Flips } from './wire/api/flips.ts';

export type LogLevel = (typeof LOG_LEVELS)[number];

export type DatabaseConfig =
  | { readonly engine: 'sqlite'; readonly path: string }
  | {
      readonly engine: 'postgres';
      readonly url: string;
      readonly poolSize: number;
      readonly statementTimeoutSeconds: number;
    };

export interface ObjectsConfig {
  /** Host, with a port if it is not the default one. */
  readonly endpoint: string;
  readonly isSecure: boolean;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** Null means the longest time allowed. */
  readonly timeoutSeconds: number | null;
}

/** The mail server through which mails are sent. */
export interface MailConfig {
  readonly host: string;
  readonly port: number;
  readonly user: string | null;
  readonly password: string | null;
  /** Requires an upgrade to TLS before anything else is sent. */
  readonly requiresTls: boolean;
  /** Uses TLS from the first byte. */
  readonly isSecure: boolean;
  readonly from: string;
  /**
   * Template of the return addresses of mails, with `%s` for the signed part. Null: mails have no return address of
   * their own.
   */
  readonly returnTemplate: string | null;
}

/** Everything an operator can choose, parsed and frozen. */
export interface Config {
  readonly site: {
    /** Public base URL, without a slash at the end. */
    readonly root: string;
    readonly name: string;
    /** The text before a check's identifier in ping URLs, exactly as given. */
    readonly pingEndpoint: string;
    readonly masterBadgeLabel: string;
    readonly pingEmailDomain: string;
  };
  readonly listen: { readonly host: string; readonly port: number };
  /** The server for pings by mail; null when there is none. */
  readonly smtp: {
    readonly host: string;
    readonly port: number;
    /** Bytes of a message that are kept; null keeps all of them. */
    readonly bodyLimit: number | null;
  } | null;
  readonly database: DatabaseConfig;
  /** Storage for long bodies of pings. Null keeps them in the database. */
  readonly objects: ObjectsConfig | null;
  /** Null: a key is generated at the first start and stored with the database. */
  readonly secretKey: { readonly current: string; readonly fallbacks: readonly string[] } | null;
  readonly provisionFile: string | null;
  readonly mail: MailConfig | null;
  /** Settings of the instance that kinds of channel need, such as the token of a bot. */
  readonly integrations: ServerSettings;
  readonly outbound: {
    readonly allowPrivateAddresses: boolean;
    readonly proxies: { readonly http: string | null; readonly https: string | null };
  };
  readonly log: { readonly level: LogLevel };
  readonly http: {
    readonly requestTimeoutSeconds: number;
    readonly shutdownTimeoutSeconds: number;
    /** Addresses and CIDR ranges. Empty: no proxy is trusted. */
    readonly trustedProxies: readonly string[];
    /** Bytes of a ping's body that are kept. Null keeps as many as is safe. */
    readonly pingBodyLimit: number | null;
    readonly maxConnections: number;
    /** Null: only the limit for all addresses together applies. */
    readonly maxConnectionsPerAddress: number | null;
    /** 0 means no limit. */
    readonly publicRateLimitPerMinute: number;
  };
  /** The monitor that this node pings while it is healthy; null when there is none. */
  readonly heartbeat: { readonly url: string; readonly intervalSeconds: number } | null;
  readonly api: {
    /** 0 means no limit. */
    readonly rateLimitPerMinute: number;
    readonly rateBurst: number;
    readonly metricsKey: string | null;
    readonly prometheusEnabled: boolean;
    readonly v3Flips: V3Flips;
  };
  readonly limits: { readonly checks: number; readonly pings: number };
  readonly accounts: {
    readonly siteName: string;
    readonly passkeySite: { readonly id: string; readonly origin: string; readonly name: string } | null;
    /** How long people stay signed in, in microseconds: without a request, and at all. */
    readonly sessions: { readonly idle: number; readonly age: number };
    readonly signUp: { readonly isOpen: boolean; readonly domains: readonly string[] | null };
    readonly requiresSecondFactor: boolean;
    readonly hasMail: boolean;
    readonly localSignIn: boolean;
    readonly provider: {
      readonly name: string;
      readonly domains: readonly string[] | null;
      readonly groupsClaim: string;
    } | null;
    readonly remoteUser: {
      readonly header: string;
      readonly groupsHeader: string | null;
      readonly proxies: readonly string[];
    } | null;
    readonly groups: { readonly admins: readonly string[]; readonly roles: readonly GroupRole[] };
    readonly auditLogDays: number;
  };
  /** How this service is known to the provider that signs people in; null when there is none. */
  readonly openId: {
    readonly issuer: string;
    readonly clientId: string;
    readonly clientSecret: string | null;
    readonly scopes: string;
  } | null;
}

export type Environment = Record<string, string | undefined>;

/** Names every fault of the configuration, one in each line. No line holds a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
const BILLION = 1_000_000_000;
const DAY_SECONDS = 86_400;
/** Browsers keep no cookie for longer. */
const MAX_SESSION_SECONDS = 400 * DAY_SECONDS;
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i;

const hostName: TextFormat<string> = {
  accepts: 'a domain name',
  parse: (text) => (HOST_NAME.test(text) && isIP(text) === 0 ? text.toLowerCase() : undefined),
};

const domainNames: TextFormat<readonly string[]> = {
  accepts: 'domain names separated by commas, such as example.org',
  parse: (text) => {
    const names = text.split(',').map((name) => hostName.parse(name.trim()));
    return names.every((name) => name !== undefined) ? names : undefined;
  },
};

// The text that replaces `%s` has exactly the greatest length of a local part, so nothing may stand beside it.
const returnTemplate: TextFormat<string> = {
  accepts: '%s@ and a domain name',
  parse: (text) => (text.startsWith('%s@') && hostName.parse(text.slice(3)) !== undefined ? text : undefined),
};

const listenAddress: TextFormat<string> = {
  accepts: 'an IP address or a host name, without a port',
  parse: (text) => (isIP(text) !== 0 || HOST_NAME.test(text) ? text : undefined),
};

const hostAndPort: TextFormat<string> = {
  accepts: 'HOST or HOST:PORT, without http:// and without a path',
  parse: (text) => {
    const [, bracketed, plain = '', port = '1'] = /^(?:\[([^\]]*)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? [];
    const isHost = bracketed === undefined ? listenAddress.parse(plain) !== undefined : isIPv6(bracketed);
    return isHost && wholeNumber(1, 65_535).parse(port) !== undefined ? text : undefined;
  },
};

const bucketName: TextFormat<string> = {
  accepts: '3 to 63 letters, digits, dots, hyphens and underscores',
  parse: (text) => (/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(text) ? text : undefined),
};

const regionName: TextFormat<string> = {
  accepts: 'letters, digits and hyphens, such as us-east-1',
  parse: (text) => (/^[a-z0-9-]{1,64}$/i.test(text) ? text : undefined),
};

const storageKey: TextFormat<string> = {
  accepts: 'visible ASCII characters',
  parse: (text) => (/^[!-~]+$/.test(text) ? text : undefined),
};

const siteRoot: TextFormat<string> = {
  accepts: 'an http:// or https:// URL without user, query or fragment',
  parse: (text) => {
    const url = parseHttpUrl(text);
    if (url === undefined || url.username || url.password || url.search || url.hash) return undefined;
    return (url.origin + url.pathname).replace(/\/+$/, '');
  },
};

const urlPrefix: TextFormat<string> = {
  accepts: 'an http:// or https:// URL',
  parse: (text) => (parseHttpUrl(text) === undefined ? undefined : text),
};

/** Every wrong key or signature is compared under each fallback, so there may be only a few. */
const MAX_FALLBACKS = 5;

const secretKey: TextFormat<string> = {
  accepts: `at least ${MIN_SECRET_LENGTH} characters that nobody can guess`,
  parse: (text) => (text.trim().length >= MIN_SECRET_LENGTH ? text : undefined),
};

const secretKeys: TextFormat<readonly string[]> = {
  accepts: `keys of at least ${MIN_SECRET_LENGTH} characters, one a line and ${MAX_FALLBACKS} at the most`,
  parse: (text) => {
    const keys = text.split(/\r?\n/).filter((key) => key.trim() !== '');
    const isRight =
      keys.length <= MAX_FALLBACKS && keys.every((key) => key.trim().length >= MIN_SECRET_LENGTH);
    return isRight ? keys : undefined;
  },
};

// `sqlite://` is refused because elsewhere three slashes mean a relative path and four an absolute one:
// read either way, some operators would start on an empty database in the wrong place.
const databaseUrl: TextFormat<{ engine: 'sqlite'; path: string } | { engine: 'postgres'; url: string }> = {
  accepts:
    'sqlite:PATH (a plain path, no slashes added) or postgres://USER:PASSWORD@HOST:PORT/NAME with special characters percent-encoded',
  parse: (text) => {
    const path = /^sqlite:(?!\/\/)(.+)$/.exec(text)?.[1];
    if (path !== undefined) return { engine: 'sqlite', path };
    return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text)
      ? { engine: 'postgres', url: text }
      : undefined;
  },
};

const databaseEngine: TextFormat<'sqlite' | 'postgres'> = {
  ...choice(['sqlite', 'postgres']),
  accepts: 'sqlite or postgres; MySQL and MariaDB are not supported',
};

// A prefix of 0 would trust every address, and the proxy library refuses it.
const addressRanges: TextFormat<readonly string[]> = {
  accepts:
    'IP addresses and CIDR ranges separated by commas, such as 10.0.0.0/8 (prefix 1 or longer), or None',
  parse: (text) => {
    if (text.toLowerCase() === 'none') return [];
    const ranges = text
      .split(',')
      .map((range) => range.trim())
      .filter((range) => range !== '');
    return ranges.length > 0 && ranges.every(isAddressRange) ? ranges : undefined;
  },
};

const issuer: TextFormat<string> = {
  accepts: 'an http:// or https:// URL without user, query or fragment',
  parse: (text) => (siteRoot.parse(text) === undefined ? undefined : text),
};

/** Names of claims and of scopes, such as `groups` or `https://example.org/groups`. */
const token: TextFormat<string> = {
  accepts: 'visible ASCII characters without quotes and backslashes',
  parse: (text) => (/^[!#-[\]-~]{1,200}$/.test(text) ? text : undefined),
};

const scopeList: TextFormat<string> = {
  accepts: 'names separated by spaces, openid among them',
  parse: (text) => {
    const names = text.split(/\s+/);
    const isRight = names.includes('openid') && names.every((name) => token.parse(name) !== undefined);
    return isRight ? names.join(' ') : undefined;
  },
};

// As the reference has it, or as it stands in a request.
const headerName: TextFormat<string> = {
  accepts: 'the name of a header, such as X-Authenticated-User or HTTP_X_AUTHENTICATED_USER',
  parse: (text) => {
    const name = text
      .replace(/^HTTP_/, '')
      .replaceAll('_', '-')
      .toLowerCase();
    return /^[a-z0-9][a-z0-9-]{0,99}$/.test(name) ? name : undefined;
  },
};

const groupNames: TextFormat<readonly string[]> = {
  accepts: 'names of groups separated by commas',
  parse: (text) => {
    const names = text.split(',').map((name) => name.trim());
    return names.every((name) => name !== '' && line.parse(name) !== undefined) ? names : undefined;
  },
};

const GROUP_ROLE = new RegExp(
  `^(.+?)=([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}):(${MEMBER_ROLES.join('|')})(?:,\\s*|$)`,
);

// The name of a group may have commas and equal signs. The project and the role that follow end it.
const groupRoles: TextFormat<readonly GroupRole[]> = {
  accepts: `GROUP=PROJECT:ROLE separated by commas, with the UUID of a project and ${MEMBER_ROLES.join(', ')} as role`,
  parse: (text) => {
    const roles: GroupRole[] = [];
    for (let rest = text; rest !== ''; ) {
      const [entry = '', group = '', project = '', name = ''] = GROUP_ROLE.exec(rest) ?? [];
      const role = MEMBER_ROLES.find((one) => one === name);
      if (role === undefined) return undefined;
      roles.push({ group: group.trim(), project: project.toLowerCase(), role });
      rest = rest.slice(entry.length);
    }
    return roles;
  },
};

function parseHttpUrl(text: string): URL | undefined {
  if (!/^https?:\/\/[^\s]+$/i.test(text)) return undefined;
  return URL.parse(text) ?? undefined;
}

function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || wholeNumber(1, version === 4 ? 32 : 128).parse(prefix) !== undefined;
}

/**
 * Every environment variable that has an effect. The table drives parsing, and a test compares `docs/operating.md` with
 * it.
 */
export const SETTINGS = {
  SITE_ROOT: {
    kind: siteRoot,
    default: null,
    defaultNote: '`http://localhost:` + `PORT`',
    doc: 'Public base URL of the service, with a path prefix if it has one; a slash at the end is removed.',
  },
  SITE_NAME: { kind: line, default: 'Tocsin', doc: 'Name of the service, as people see it.' },
  PING_ENDPOINT: {
    kind: urlPrefix,
    default: null,
    defaultNote: '`SITE_ROOT` + `/ping/`',
    doc: 'Start of the ping URLs that are shown, used exactly as given, so end it with a slash; it does not change where pings are received.',
  },
  MASTER_BADGE_LABEL: {
    kind: line,
    default: null,
    defaultNote: '`SITE_NAME`',
    doc: 'Label of the badge that covers a whole project.',
  },
  PING_EMAIL_DOMAIN: { kind: hostName, default: 'localhost', doc: 'Domain of ping e-mail addresses.' },
  PING_BODY_LIMIT: {
    kind: orNone(wholeNumber(0, BILLION)),
    default: '10000',
    doc: 'How many bytes of a ping’s body are kept; with `None` the first 10 MiB are.',
  },
  PING_EMAIL_BODY_LIMIT: {
    kind: orNone(wholeNumber(0, BILLION)),
    default: '1048576',
    doc: 'How many bytes of a ping that came by e-mail are kept, header included; `None` keeps all.',
  },
  // 0.0.0.0 and not `::`, which fails to bind on hosts without IPv6. Clients that try ::1 first for
  // `localhost` fall back to 127.0.0.1.
  HOST: {
    kind: listenAddress,
    default: '0.0.0.0',
    doc: 'Address to listen on: `0.0.0.0` is every IPv4 address, `::` adds IPv6 where the host has it, `127.0.0.1` is this machine alone.',
  },
  PORT: { kind: wholeNumber(0, 65_535), default: '8000', doc: 'Port to listen on; `0` takes any free port.' },
  SMTPD_HOST: {
    kind: listenAddress,
    default: null,
    defaultNote: '`HOST`',
    doc: 'Address to receive e-mail on.',
  },
  SMTPD_PORT: {
    kind: wholeNumber(0, 65_535),
    default: null,
    doc: 'Port to receive e-mail on, `0` for any free one; if unset, none is received (see [Pings by e-mail](#pings-by-e-mail)).',
  },
  DATABASE_URL: {
    kind: databaseUrl,
    default: null,
    defaultNote: `\`sqlite:${DEFAULT_PATH}\``,
    secret: true,
    doc: 'Where the data is: `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/NAME`.',
  },
  DB: {
    kind: databaseEngine,
    default: 'sqlite',
    doc: 'Read when `DATABASE_URL` is unset: `sqlite` means the default file, `postgres` the server that the next six variables describe.',
  },
  DB_HOST: { kind: line, default: 'localhost', doc: 'PostgreSQL host, or the directory of its socket.' },
  DB_PORT: { kind: wholeNumber(1, 65_535), default: '5432', doc: 'PostgreSQL port.' },
  DB_NAME: { kind: line, default: 'hc', doc: 'PostgreSQL database.' },
  DB_USER: { kind: line, default: 'postgres', doc: 'PostgreSQL user.' },
  DB_PASSWORD: { kind: line, default: null, secret: true, doc: 'PostgreSQL password.' },
  DB_SSLMODE: {
    kind: choice(SSL_MODES),
    default: 'prefer',
    doc: '`require` encrypts the connection, `verify-full` and `verify-ca` also check certificate and host name; `disable`, `allow` and `prefer` connect without TLS.',
  },
  DB_POOL_SIZE: {
    kind: wholeNumber(1, 1000),
    default: '10',
    doc: 'Most PostgreSQL connections that one node opens for its work. Besides them, one tells other nodes what has changed, and up to four read lists, badges and metrics.',
  },
  DB_STATEMENT_TIMEOUT: {
    kind: wholeNumber(1, DAY_SECONDS),
    default: '10',
    doc: 'Seconds after which PostgreSQL gives up a statement.',
  },
  SECRET_KEY: {
    kind: secretKey,
    default: null,
    secret: true,
    doc: 'Key that protects API keys, badge URLs, secrets of integrations and logins, at least 16 characters; if unset, one is made and kept (see [The secret key](#the-secret-key)).',
  },
  SECRET_KEY_FALLBACKS: {
    kind: secretKeys,
    default: null,
    secret: true,
    doc: 'Other keys, one a line, that are accepted and not used: needed while `SECRET_KEY`, which must be set, is changed (see [Changing the key](#changing-the-key)).',
  },
  S3_BUCKET: {
    kind: bucketName,
    default: null,
    doc: 'Bucket for ping bodies of more than 100 bytes; setting it turns object storage on (see [Object storage](#object-storage)).',
  },
  S3_ENDPOINT: {
    kind: hostAndPort,
    default: null,
    doc: 'Host of the object storage, with `:PORT` if it is not the usual one; required with `S3_BUCKET`.',
  },
  S3_REGION: {
    kind: regionName,
    default: null,
    doc: 'Region of the bucket; required with `S3_BUCKET`, `us-east-1` where the storage knows none.',
  },
  S3_ACCESS_KEY: {
    kind: storageKey,
    default: null,
    secret: true,
    doc: 'Access key of the object storage; required with `S3_BUCKET`.',
  },
  S3_SECRET_KEY: {
    kind: storageKey,
    default: null,
    secret: true,
    doc: 'Secret key of the object storage; required with `S3_BUCKET`.',
  },
  S3_SECURE: { kind: flag, default: 'True', doc: 'Whether the object storage is reached by HTTPS.' },
  S3_TIMEOUT: {
    kind: orNone(wholeNumber(1, 600)),
    default: '60',
    doc: 'Seconds that one operation of the object storage may take; `None` means the most, 600.',
  },
  EMAIL_HOST: {
    kind: line,
    default: null,
    doc: 'Host of the mail server that sends for us; if unset, e-mail integrations fail and accounts get no reports or reminders.',
  },
  EMAIL_PORT: { kind: wholeNumber(1, 65_535), default: '587', doc: 'Port of the mail server.' },
  EMAIL_HOST_USER: { kind: line, default: null, doc: 'User of the mail server, if it wants one.' },
  EMAIL_HOST_PASSWORD: { kind: line, default: null, secret: true, doc: 'Password of that user.' },
  EMAIL_USE_TLS: {
    kind: flag,
    default: 'True',
    doc: 'Whether the connection must be upgraded to TLS (STARTTLS).',
  },
  EMAIL_USE_SSL: {
    kind: flag,
    default: 'False',
    doc: 'Whether the connection is TLS from the start (port 465).',
  },
  DEFAULT_FROM_EMAIL: { kind: line, default: 'tocsin@localhost', doc: 'Sender of all mail.' },
  EMAIL_MAIL_FROM_TMPL: {
    kind: returnTemplate,
    default: null,
    doc: 'Envelope sender of all mail, as `%s@DOMAIN`, to recognise mail that is returned (see [Returned mail](#returned-mail)).',
  },
  INTEGRATIONS_ALLOW_PRIVATE_IPS: {
    kind: flag,
    default: 'False',
    doc: "Whether integrations may reach private addresses, such as this machine's own.",
  },
  http_proxy: {
    kind: line,
    default: null,
    secret: true,
    doc: 'Proxy for outbound requests to http addresses, as a URL.',
  },
  https_proxy: {
    kind: line,
    default: null,
    secret: true,
    doc: 'Proxy for outbound requests to https addresses, as a URL.',
  },
  PROVISION_FILE: { kind: line, default: null, doc: 'Path of a provisioning file.' },
  LOG_LEVEL: {
    kind: choice(LOG_LEVELS),
    default: 'info',
    doc: 'Least serious event that is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace`, or `silent` for none.',
  },
  REQUEST_TIMEOUT: {
    kind: wholeNumber(1, DAY_SECONDS),
    default: '30',
    doc: 'Seconds that a request may take.',
  },
  SHUTDOWN_TIMEOUT: {
    kind: wholeNumber(0, DAY_SECONDS),
    default: '30',
    doc: 'Seconds that a stopping node waits for accepted requests.',
  },
  MAX_CONNECTIONS: {
    kind: wholeNumber(1, BILLION),
    default: '10000',
    doc: 'How many HTTP connections may be open at once; the system’s limit of open files may allow fewer.',
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    kind: wholeNumber(0, BILLION),
    default: '1000',
    doc: 'How many of them one IPv4 address or IPv6 /64 network may have, except this machine and `TRUSTED_PROXIES`; `0` turns the limit off.',
  },
  PUBLIC_RATE_LIMIT: {
    kind: wholeNumber(0, MAX_TOKENS),
    default: '6000',
    doc: 'Requests a minute without a valid key that one IPv4 address or IPv6 /64 network may send to one node, such as for badges, except this machine and `TRUSTED_PROXIES`; `0` turns the limit off (see [Limits](#limits)).',
  },
  TRUSTED_PROXIES: {
    kind: addressRanges,
    default: '127.0.0.0/8,::1/128,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7',
    doc: 'Addresses and CIDR ranges whose forwarded headers are believed, separated by commas; `None` believes nobody.',
  },
  API_RATE_LIMIT: {
    kind: wholeNumber(0, BILLION),
    default: '100',
    doc: 'Management API requests a minute that a project may send for as long as it likes, with all its keys and to all nodes together; `0` turns the limit off.',
  },
  API_RATE_BURST: {
    kind: wholeNumber(1, MAX_TOKENS),
    default: '5000',
    doc: 'Requests that a project, or an account by its tokens, may send before `API_RATE_LIMIT` bites (see [Limits](#limits)).',
  },
  API_V3_FLIPS: {
    kind: choice(V3_FLIPS),
    default: 'array',
    doc: 'What version 3 of the API answers where flips are listed: `array`, as its contract says, or `object`, as programs written for Healthchecks expect (see [Coming from Healthchecks](#coming-from-healthchecks)).',
  },
  METRICS_KEY: {
    kind: line,
    default: null,
    secret: true,
    doc: 'Key of the metrics of the instance (see [Watching the watcher](#watching-the-watcher)).',
  },
  HEARTBEAT_URL: {
    kind: urlPrefix,
    default: null,
    secret: true,
    doc: 'URL that is requested again and again as long as this node is well (see [Watching the watcher](#watching-the-watcher)).',
  },
  HEARTBEAT_INTERVAL: {
    kind: wholeNumber(1, DAY_SECONDS),
    default: '60',
    doc: 'Seconds between two requests to `HEARTBEAT_URL`.',
  },
  PROMETHEUS_ENABLED: { kind: flag, default: 'True', doc: 'Whether projects have a Prometheus endpoint.' },
  DEFAULT_CHECK_LIMIT: {
    kind: wholeNumber(0, BILLION),
    default: '10000',
    doc: 'How many checks a new account may have.',
  },
  DEFAULT_PING_LIMIT: {
    kind: wholeNumber(1, BILLION),
    default: '1000',
    doc: 'How many pings of each check a new account keeps.',
  },
  REGISTRATION_OPEN: {
    kind: flag,
    default: 'False',
    doc: 'Whether anybody may make an account. Invitations and `tocsin account create` work either way.',
  },
  REGISTRATION_DOMAINS: {
    kind: domainNames,
    default: null,
    doc: 'Domains of e-mail addresses that may make an account, separated by commas; if unset, all may.',
  },
  REQUIRE_SECOND_FACTOR: {
    kind: flag,
    default: 'False',
    doc: 'Whether everybody needs a second factor. People without one can sign in, and then only add one.',
  },
  SESSION_IDLE_TIMEOUT: {
    kind: wholeNumber(60, MAX_SESSION_SECONDS),
    default: '1209600',
    doc: 'Seconds after which people who do nothing are signed out.',
  },
  SESSION_MAX_AGE: {
    kind: wholeNumber(60, MAX_SESSION_SECONDS),
    default: '7776000',
    doc: 'Seconds after which people have to sign in again, whatever they do.',
  },
  LOCAL_SIGN_IN: {
    kind: flag,
    default: 'True',
    doc: 'Whether people may sign in and sign up with a password, a mailed link or a passkey; `False` leaves it to `OIDC_ISSUER` (see [Signing in with your company’s account](#signing-in-with-your-companys-account)).',
  },
  OIDC_ISSUER: {
    kind: issuer,
    default: null,
    doc: 'Address of the OpenID Connect provider that signs people in, exactly as it names itself, with or without a slash at the end.',
  },
  OIDC_CLIENT_ID: {
    kind: line,
    default: null,
    doc: 'Name of this service at the provider; required with `OIDC_ISSUER`.',
  },
  OIDC_CLIENT_SECRET: {
    kind: line,
    default: null,
    secret: true,
    doc: 'Secret of this service at the provider; if unset, it is a client without one.',
  },
  OIDC_NAME: {
    kind: line,
    default: 'your company’s account',
    doc: 'How the page for signing in names the provider.',
  },
  OIDC_DOMAINS: {
    kind: domainNames,
    default: null,
    doc: 'Domains of e-mail addresses that may sign in by the provider, separated by commas; if unset, everybody whom it admits may.',
  },
  OIDC_SCOPES: {
    kind: scopeList,
    default: 'openid email profile',
    doc: 'Scopes that are asked of the provider, separated by spaces.',
  },
  OIDC_GROUPS_CLAIM: {
    kind: token,
    default: 'groups',
    doc: 'Claim in which the provider lists the groups of a person.',
  },
  REMOTE_USER_HEADER: {
    kind: headerName,
    default: null,
    doc: 'Header in which a proxy names the person by their e-mail address; setting it leaves signing in to the proxy.',
  },
  REMOTE_USER_PROXIES: {
    kind: addressRanges,
    default: null,
    doc: 'Addresses and CIDR ranges of the proxies from which the header is believed, separated by commas; required with `REMOTE_USER_HEADER`.',
  },
  REMOTE_USER_GROUPS_HEADER: {
    kind: headerName,
    default: null,
    doc: 'Header in which the proxy lists the groups of the person, separated by commas or vertical bars.',
  },
  ADMIN_GROUPS: {
    kind: groupNames,
    default: null,
    doc: 'Groups of the provider or the proxy whose people administer the service, separated by commas.',
  },
  GROUP_ROLES: {
    kind: groupRoles,
    default: null,
    doc: 'Roles that groups of the provider or the proxy have in projects, as `GROUP=PROJECT:ROLE` separated by commas, with the UUID of the project and `read_only`, `member` or `manager`.',
  },
  AUDIT_LOG_DAYS: {
    kind: wholeNumber(1, 36_500),
    default: '365',
    doc: 'Days for which it is kept who did what.',
  },
  ...SERVER_SETTINGS,
} satisfies EnvSettingTable;

type SettingName = keyof typeof SETTINGS;
type Read = <N extends SettingName>(name: N) => EnvValue<(typeof SETTINGS)[N]>;
type ReadFile = (path: string) => string;

/** Reads the configuration and freezes it deeply. Throws one ConfigError with all faults. */
export function readConfig(env: Environment, readFile: ReadFile = readText): Config {
  const faults: string[] = [];
  const config = assemble(settingsReader(env, readFile, faults), faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return deepFreeze(config);
}

/** Every setting as it is in effect. No secret and no login within a URL is shown. */
export function effectiveSettings(env: Environment): EffectiveSetting[] {
  return Object.entries(SETTINGS as EnvSettingTable).map(([name, setting]) => {
    const isFile = setting.secret === true && (env[`${name}_FILE`]?.trim() ?? '') !== '';
    const given = isFile ? '' : givenText(setting, env[name]);
    const origin = isFile ? 'file' : given === null ? 'default' : 'environment';
    const isSecret = setting.secret === true && origin !== 'default';
    const value = isSecret ? MASK : (given ?? setting.default);
    return { name, value: value && withoutLogin(value), origin, doc: setting.doc };
  });
}

/** Merges the `.env` file of a directory, if there is one, with the given environment, which wins. */
export function loadEnvironment(directory: string, processEnv: Environment): Environment {
  const path = join(directory, '.env');
  let content = '';
  try {
    content = readText(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') {
      throw new ConfigError([
        `${show(path)} cannot be read (${errorCode(error)}): make it readable or remove it.`,
      ]);
    }
  }
  // Trimmed because a byte order mark would become part of the first name.
  const merged: Environment = { ...parseEnv(content.trim()) };
  for (const [name, value] of Object.entries(processEnv)) {
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}

function assembleSecretKey(read: Read, faults: string[]): Config['secretKey'] {
  const [current, fallbacks] = [read('SECRET_KEY'), read('SECRET_KEY_FALLBACKS')];
  if (current !== null) return { current, fallbacks: fallbacks ?? [] };
  if (fallbacks !== null) faults.push('SECRET_KEY is missing: SECRET_KEY_FALLBACKS needs it.');
  return null;
}

function assemble(read: Read, faults: string[]): Config {
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
    api: {
      rateLimitPerMinute: read('API_RATE_LIMIT'),
      rateBurst: read('API_RATE_BURST'),
      metricsKey: read('METRICS_KEY'),
      prometheusEnabled: read('PROMETHEUS_ENABLED'),
      v3Flips: read('API_V3_FLIPS'),
    },
    limits: { checks: read('DEFAULT_CHECK_LIMIT'), pings: read('DEFAULT_PING_LIMIT') },
    openId: signIn.openId,
    accounts: {
      siteName: name,
      passkeySite: passkeySiteOf(root, name),
      sessions: { idle: seconds(read('SESSION_IDLE_TIMEOUT')), age: seconds(read('SESSION_MAX_AGE')) },
      signUp: { isOpen: read('REGISTRATION_OPEN'), domains: read('REGISTRATION_DOMAINS') },
      requiresSecondFactor: read('REQUIRE_SECOND_FACTOR'),
      hasMail: read('EMAIL_HOST') !== null,
      ...signIn.accounts,
      auditLogDays: read('AUDIT_LOG_DAYS'),
    },
  };
}

/** Browsers offer passkeys on https sites and on this machine, for names and not for addresses. */
function passkeySiteOf(root: string, name: string): Config['accounts']['passkeySite'] {
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

type SignInConfig = Pick<Config['accounts'], 'localSignIn' | 'provider' | 'remoteUser' | 'groups'>;

/** By whose word people sign in. */
function assembleSignIn(
  read: Read,
  root: string,
  faults: string[],
): { accounts: SignInConfig; openId: Config['openId'] } {
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
  { domains }: Pick<NonNullable<SignInConfig['provider']>, 'domains'>,
  faults: string[],
): Config['openId'] {
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

function assembleRemoteUser(read: Read, faults: string[]): SignInConfig['remoteUser'] {
  const header = read('REMOTE_USER_HEADER');
  const proxies = read('REMOTE_USER_PROXIES') ?? [];
  const groupsHeader = read('REMOTE_USER_GROUPS_HEADER');
  if (header === null) return null;
  if (proxies.length === 0)
    faults.push('REMOTE_USER_PROXIES is missing: without it anybody could send REMOTE_USER_HEADER.');
  return { header, groupsHeader, proxies };
}

function assembleSmtp(read: Read, httpHost: string): Config['smtp'] {
  // All are read first, so that a fault is reported even while mail is not received.
  const host = read('SMTPD_HOST') ?? httpHost;
  const port = read('SMTPD_PORT');
  const bodyLimit = read('PING_EMAIL_BODY_LIMIT');
  return port === null ? null : { host, port, bodyLimit };
}

function assembleHeartbeat(read: Read): Config['heartbeat'] {
  const url = read('HEARTBEAT_URL');
  const intervalSeconds = read('HEARTBEAT_INTERVAL');
  return url === null ? null : { url, intervalSeconds };
}

function assembleMail(read: Read): MailConfig | null {
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

function assembleDatabase(read: Read): DatabaseConfig {
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

function assembleObjects(read: Read, faults: string[]): ObjectsConfig | null {
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

/**
 * Reads settings by name. For a faulty one it notes the fault and returns the default, so that all faults are found.
 */
function settingsReader(env: Environment, readFile: ReadFile, faults: string[]): Read {
  return (name) => {
    const setting: EnvSetting = SETTINGS[name];
    const path = setting.secret ? (env[`${name}_FILE`]?.trim() ?? '') : '';
    const text =
      path === '' ? givenText(setting, env[name]) : readSecretFile(`${name}_FILE`, path, readFile, faults);
    let value = text === null ? undefined : setting.kind.parse(text);
    if (text !== null && value === undefined) {
      const shown = setting.secret ? ' (value hidden)' : `=${show(text)}`;
      faults.push(`${name}${shown} is not accepted: give ${setting.kind.accepts}.`);
    }
    if (value === undefined) value = setting.default === null ? null : setting.kind.parse(setting.default);
    // The compiler cannot see that `value` was parsed by the kind of this name.
    return value as EnvValue<(typeof SETTINGS)[typeof name]>;
  };
}

function givenText(setting: EnvSetting, raw: string | undefined): string | null {
  if (raw === undefined) return null;
  const text = setting.secret ? raw : raw.trim();
  return text === '' && !setting.kind.takesEmpty ? null : text;
}

function readSecretFile(variable: string, path: string, readFile: ReadFile, faults: string[]): string | null {
  try {
    const content = readFile(path).trim();
    if (content !== '') return content;
    // Elsewhere an empty secret counts as unset. Here that would hide that the file was never filled.
    faults.push(`${variable}=${show(path)} names an empty file: write the secret into it.`);
  } catch (error) {
    faults.push(
      `${variable}=${show(path)} cannot be read (${errorCode(error)}): give the path of a readable file.`,
    );
  }
  return null;
}

function withoutLogin(text: string): string {
  return text.replace(/:\/\/.*@/s, '://***@');
}

/** Quotes the text on one line, and leaves out a login inside a URL. */
function show(text: string): string {
  const plain = withoutLogin(text);
  return JSON.stringify(plain.length > 200 ? `${plain.slice(0, 200)}…` : plain);
}

function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}
