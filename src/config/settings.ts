import { SERVER_SETTINGS } from '../integrations/registry.ts';
import { choice, type EnvSettingTable, flag, line, orNone, wholeNumber } from '../lib/env-setting.ts';
import { MAX_TOKENS } from '../lib/token-bucket.ts';
import { DEFAULT_PATH } from '../storage/sqlite/files.ts';
import { V3_FLIPS } from '../wire/api/flips.ts';
import {
  addressRanges,
  bucketName,
  databaseEngine,
  databaseUrl,
  domainNames,
  groupNames,
  groupRoles,
  headerName,
  hostAndPort,
  hostName,
  issuer,
  listenAddress,
  regionName,
  returnTemplate,
  scopeList,
  secretKey,
  secretKeys,
  siteRoot,
  storageKey,
  token,
  urlPrefix,
} from './formats.ts';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
const BILLION = 1_000_000_000;
export const DAY_SECONDS = 86_400;
/** Browsers keep no cookie for longer. */
const MAX_SESSION_SECONDS = 400 * DAY_SECONDS;

/**
 * Every environment variable that has an effect. The table drives parsing, and `npm run settings` writes it into
 * `docs/operating.md`.
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
  HOST: {
    kind: listenAddress,
    default: null,
    defaultNote: 'every address',
    doc: 'Address to listen on; without it every address, of IPv6 too where the machine has it. `0.0.0.0` is every IPv4 address, `127.0.0.1` is this machine alone.',
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
  ALLOW_NETWORK_FILES: {
    kind: flag,
    default: 'False',
    doc: 'Whether an SQLite database may be on a file system of the network, such as NFS or SMB, where it can be damaged.',
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
  BACKUP_DIR: {
    kind: line,
    default: null,
    doc: 'Folder for backups, which one node makes and verifies by itself; if unset, none are made (see [Backups](#backups)).',
  },
  BACKUP_EVERY: {
    kind: wholeNumber(60, 366 * DAY_SECONDS),
    default: '86400',
    doc: 'Seconds from one backup to the next.',
  },
  BACKUP_KEEP: { kind: wholeNumber(1, 10_000), default: '14', doc: 'Number of backups that are kept.' },
  BACKUP_PASSPHRASE_FILE: {
    kind: line,
    default: null,
    doc: 'File with a passphrase: backups are archives then, and have the secret key in them under it.',
  },
  PROVISION_FILE: { kind: line, default: null, doc: 'Path of a provisioning file, or of a folder of them.' },
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
    doc: 'How many of them one IPv4 address or IPv6 /64 network may have, a /56 twice and a /48 four times as many, except this machine and `TRUSTED_PROXIES`; `0` turns the limit off.',
  },
  PUBLIC_RATE_LIMIT: {
    kind: wholeNumber(0, MAX_TOKENS),
    default: '6000',
    doc: 'Requests a minute without a valid key that one IPv4 address or IPv6 /64 network may send to one node, such as for badges, a /56 twice and a /48 four times as many, except this machine and `TRUSTED_PROXIES`; `0` turns the limit off (see [Limits](#limits)).',
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
    doc: 'Seconds after which people have to sign in again, whatever they do; a day at the most where `OIDC_ISSUER` is the only way in.',
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
  KEEP_FAILURES_DAYS: {
    kind: wholeNumber(1, 1_100),
    default: '93',
    doc: 'Days for which failed and warned runs are kept after their pings are gone.',
  },
  AUDIT_LOG_DAYS: {
    kind: wholeNumber(1, 36_500),
    default: '365',
    doc: 'Days for which it is kept who did what.',
  },
  ...SERVER_SETTINGS,
} satisfies EnvSettingTable;
