import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SERVER_SETTINGS } from '../integrations/registry.ts';
import type { EnvSettingTable } from '../lib/env-setting.ts';
import { ConfigError, type Environment, loadEnvironment } from './env-file.ts';
import { effectiveSettings } from './environment.ts';
import { readConfig } from './read-config.ts';
import { SETTINGS } from './settings.ts';

const settings: EnvSettingTable = SETTINGS;
const kindSettings: EnvSettingTable = SERVER_SETTINGS;

/** The defaults of the settings of all kinds. */
const KINDS_BY_DEFAULT = Object.fromEntries(
  Object.entries(kindSettings).map(([name, { kind, default: preset }]) => [
    name,
    preset === null ? null : kind.parse(preset),
  ]),
);

function faultsOf(env: Environment, readFile?: (path: string) => string): readonly string[] {
  try {
    readConfig(env, readFile);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    assert.equal(error.message, error.faults.join('\n'));
    return error.faults;
  }
  return [];
}

function temporaryDirectory(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'tocsin-config-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

test('an empty environment gives the documented defaults', () => {
  assert.deepEqual(readConfig({}), {
    site: {
      root: 'http://localhost:8000',
      name: 'Tocsin',
      pingEndpoint: 'http://localhost:8000/ping/',
      masterBadgeLabel: 'Tocsin',
      pingEmailDomain: 'localhost',
    },
    listen: { host: null, port: 8000 },
    smtp: null,
    database: { engine: 'sqlite', path: './data/tocsin.db' },
    allowNetworkFiles: false,
    objects: null,
    secretKey: null,
    provisionFile: null,
    mail: null,
    integrations: KINDS_BY_DEFAULT,
    outbound: { allowPrivateAddresses: false, proxies: { http: null, https: null } },
    log: { level: 'info' },
    http: {
      requestTimeoutSeconds: 30,
      shutdownTimeoutSeconds: 30,
      maxConnections: 10_000,
      maxConnectionsPerAddress: 1_000,
      publicRateLimitPerMinute: 6_000,
      trustedProxies: ['127.0.0.0/8', '::1/128', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
      pingBodyLimit: 10000,
    },
    heartbeat: null,
    backups: null,
    api: {
      rateLimitPerMinute: 100,
      rateBurst: 5000,
      metricsKey: null,
      prometheusEnabled: true,
      v3Flips: 'array',
    },
    limits: { checks: 10000, pings: 1000 },
    keepFailuresDays: 93,
    accounts: {
      siteName: 'Tocsin',
      passkeySite: { id: 'localhost', origin: 'http://localhost:8000', name: 'Tocsin' },
      sessions: { idle: 1_209_600_000_000, age: 7_776_000_000_000 },
      signUp: { isOpen: false, domains: null },
      requiresSecondFactor: false,
      hasMail: false,
      localSignIn: true,
      provider: null,
      remoteUser: null,
      groups: { admins: [], roles: [] },
      auditLogDays: 365,
      demonstration: null,
    },
    openId: null,
  });
});

test('every default is accepted by its own kind', () => {
  for (const [name, setting] of Object.entries(settings)) {
    if (setting.default !== null) assert.notEqual(setting.kind.parse(setting.default), undefined, name);
  }
});

test('the configuration is frozen to its leaves', () => {
  const config = readConfig({});

  assert.ok(Object.isFrozen(config));
  assert.ok(Object.isFrozen(config.site));
  assert.ok(Object.isFrozen(config.http.trustedProxies));
});

test('each variable reaches its place', () => {
  const config = readConfig({
    SITE_ROOT: 'https://tocsin.example/watch/',
    SITE_NAME: 'Night watch',
    PING_ENDPOINT: 'https://ping.example',
    MASTER_BADGE_LABEL: 'all',
    PING_EMAIL_DOMAIN: 'Ping.Example',
    PING_BODY_LIMIT: '20',
    PING_EMAIL_BODY_LIMIT: '30',
    HOST: '::',
    PORT: '0',
    SMTPD_HOST: '127.0.0.1',
    SMTPD_PORT: '25',
    DATABASE_URL: 'postgresql://me:pw@db/tocsin',
    DB_POOL_SIZE: '3',
    DB_STATEMENT_TIMEOUT: '4',
    ALLOW_NETWORK_FILES: 'True',
    S3_BUCKET: 'ping-bodies',
    S3_ENDPOINT: 's3.example:9000',
    S3_REGION: 'eu-west-1',
    S3_ACCESS_KEY: 'AKIA',
    S3_SECRET_KEY: 'sesame',
    S3_SECURE: 'False',
    S3_TIMEOUT: '7',
    SECRET_KEY: 'a key of some length',
    PROVISION_FILE: '/etc/tocsin.yaml',
    EMAIL_HOST: 'mail.example',
    EMAIL_PORT: '465',
    EMAIL_HOST_USER: 'sender',
    EMAIL_HOST_PASSWORD: 'knock',
    EMAIL_USE_TLS: 'False',
    EMAIL_USE_SSL: 'True',
    DEFAULT_FROM_EMAIL: 'alarm@example.org',
    EMAIL_MAIL_FROM_TMPL: '%s@bounces.example.org',
    PUSHOVER_API_TOKEN: 'push',
    PUSHOVER_EMERGENCY_RETRY_DELAY: '60',
    PUSHOVER_EMERGENCY_EXPIRATION: '3600',
    SLACK_ENABLED: 'False',
    TELEGRAM_TOKEN: '1:bot',
    WEBHOOKS_ENABLED: 'False',
    INTEGRATIONS_ALLOW_PRIVATE_IPS: 'True',
    http_proxy: 'http://proxy.example:3128',
    https_proxy: 'http://proxy.example:3129',
    LOG_LEVEL: 'debug',
    REQUEST_TIMEOUT: '5',
    SHUTDOWN_TIMEOUT: '0',
    TRUSTED_PROXIES: '203.0.113.7',
    MAX_CONNECTIONS: '50',
    MAX_CONNECTIONS_PER_ADDRESS: '0',
    PUBLIC_RATE_LIMIT: '9',
    API_RATE_LIMIT: '0',
    API_RATE_BURST: '7',
    API_V3_FLIPS: 'object',
    METRICS_KEY: 'metrics',
    HEARTBEAT_URL: 'https://monitor.example/ping/secret',
    BACKUP_DIR: '/backups',
    BACKUP_EVERY: '3600',
    BACKUP_KEEP: '3',
    BACKUP_PASSPHRASE_FILE: '/run/passphrase',
    HEARTBEAT_INTERVAL: '15',
    PROMETHEUS_ENABLED: 'False',
    DEFAULT_CHECK_LIMIT: '20',
    DEFAULT_PING_LIMIT: '100',
    KEEP_FAILURES_DAYS: '14',
    REGISTRATION_OPEN: 'True',
    REQUIRE_SECOND_FACTOR: 'True',
    REGISTRATION_DOMAINS: 'Example.org, example.com',
    SESSION_IDLE_TIMEOUT: '60',
    SESSION_MAX_AGE: '61',
    AUDIT_LOG_DAYS: '7',
    LOCAL_SIGN_IN: 'False',
    OIDC_ISSUER: 'https://id.example/application/o/tocsin/',
    OIDC_CLIENT_ID: 'watch',
    OIDC_CLIENT_SECRET: 'whisper',
    OIDC_NAME: 'Example ID',
    OIDC_DOMAINS: 'Example.org',
    OIDC_SCOPES: 'openid  email groups',
    OIDC_GROUPS_CLAIM: 'https://id.example/groups',
    ADMIN_GROUPS: 'boss, chief',
    GROUP_ROLES: 'ops=5C7E2A10-93b4-4d6f-8a21-0f1e2d3c4b5a:manager',
  });

  assert.deepEqual(config, {
    site: {
      root: 'https://tocsin.example/watch',
      name: 'Night watch',
      pingEndpoint: 'https://ping.example',
      masterBadgeLabel: 'all',
      pingEmailDomain: 'ping.example',
    },
    listen: { host: '::', port: 0 },
    smtp: { host: '127.0.0.1', port: 25, bodyLimit: 30 },
    database: {
      engine: 'postgres',
      url: 'postgresql://me:pw@db/tocsin',
      poolSize: 3,
      statementTimeoutSeconds: 4,
    },
    allowNetworkFiles: true,
    objects: {
      bucket: 'ping-bodies',
      endpoint: 's3.example:9000',
      region: 'eu-west-1',
      accessKey: 'AKIA',
      secretKey: 'sesame',
      isSecure: false,
      timeoutSeconds: 7,
    },
    secretKey: { current: 'a key of some length', fallbacks: [] },
    provisionFile: '/etc/tocsin.yaml',
    mail: {
      host: 'mail.example',
      port: 465,
      user: 'sender',
      password: 'knock',
      requiresTls: false,
      isSecure: true,
      from: 'alarm@example.org',
      returnTemplate: '%s@bounces.example.org',
    },
    integrations: {
      ...KINDS_BY_DEFAULT,
      PUSHOVER_API_TOKEN: 'push',
      PUSHOVER_EMERGENCY_RETRY_DELAY: 60,
      PUSHOVER_EMERGENCY_EXPIRATION: 3600,
      SLACK_ENABLED: false,
      TELEGRAM_TOKEN: '1:bot',
      WEBHOOKS_ENABLED: false,
    },
    outbound: {
      allowPrivateAddresses: true,
      proxies: { http: 'http://proxy.example:3128', https: 'http://proxy.example:3129' },
    },
    log: { level: 'debug' },
    http: {
      requestTimeoutSeconds: 5,
      shutdownTimeoutSeconds: 0,
      trustedProxies: ['203.0.113.7'],
      pingBodyLimit: 20,
      maxConnections: 50,
      maxConnectionsPerAddress: null,
      publicRateLimitPerMinute: 9,
    },
    heartbeat: { url: 'https://monitor.example/ping/secret', intervalSeconds: 15 },
    backups: { folder: '/backups', everySeconds: 3600, keep: 3, passphraseFile: '/run/passphrase' },
    api: {
      rateLimitPerMinute: 0,
      rateBurst: 7,
      metricsKey: 'metrics',
      prometheusEnabled: false,
      v3Flips: 'object',
    },
    limits: { checks: 20, pings: 100 },
    keepFailuresDays: 14,
    accounts: {
      siteName: 'Night watch',
      passkeySite: { id: 'tocsin.example', origin: 'https://tocsin.example', name: 'Night watch' },
      sessions: { idle: 60_000_000, age: 61_000_000 },
      signUp: { isOpen: true, domains: ['example.org', 'example.com'] },
      requiresSecondFactor: true,
      hasMail: true,
      localSignIn: false,
      provider: {
        name: 'Example ID',
        domains: ['example.org'],
        groupsClaim: 'https://id.example/groups',
      },
      remoteUser: null,
      groups: {
        admins: ['boss', 'chief'],
        roles: [{ group: 'ops', project: '5c7e2a10-93b4-4d6f-8a21-0f1e2d3c4b5a', role: 'manager' }],
      },
      auditLogDays: 7,
      demonstration: null,
    },
    openId: {
      issuer: 'https://id.example/application/o/tocsin/',
      clientId: 'watch',
      clientSecret: 'whisper',
      scopes: 'openid email groups',
    },
  });
});

test('the site root follows the port when only the port is set', () => {
  const { site } = readConfig({ PORT: '9000' });

  assert.equal(site.root, 'http://localhost:9000');
  assert.equal(site.pingEndpoint, 'http://localhost:9000/ping/');
});

test('the ping endpoint and the badge label follow site root and site name', () => {
  const { site } = readConfig({ SITE_ROOT: 'https://a.example/x', SITE_NAME: 'Bells', PORT: '9000' });

  assert.equal(site.root, 'https://a.example/x');
  assert.equal(site.pingEndpoint, 'https://a.example/x/ping/');
  assert.equal(site.masterBadgeLabel, 'Bells');
});

test('a site root must be an http URL without user, query or fragment', () => {
  for (const bad of [
    'example.org',
    'ftp://a.example',
    'http://',
    'http:a.example',
    'http://a b',
    'http://a.example/?x=1',
    'http://a.example/#x',
  ]) {
    assert.deepEqual(faultsOf({ SITE_ROOT: bad }), [
      `SITE_ROOT="${bad}" is not accepted: give an http:// or https:// URL without user, query or fragment.`,
    ]);
  }
});

test('an empty or blank variable counts as unset', () => {
  const flags = Object.keys(settings).filter((name) => settings[name]?.default === 'True');
  const switchedOn = Object.fromEntries(flags.map((name) => [name, 'True']));
  const blank = Object.fromEntries(
    Object.keys(settings).flatMap((name) => [
      [name, ''],
      [`${name}_FILE`, ' '],
    ]),
  );

  assert.deepEqual(readConfig({ ...blank, ...switchedOn, PORT: '  ' }), readConfig({}));
});

test('a boolean is True, False, true, false, 1, 0 or empty, which means False', () => {
  const read = (text: string) => readConfig({ PROMETHEUS_ENABLED: text }).api.prometheusEnabled;

  assert.deepEqual(['True', 'true', '1'].map(read), [true, true, true]);
  assert.deepEqual(['False', 'false', '0', ''].map(read), [false, false, false, false]);
  assert.deepEqual(faultsOf({ PROMETHEUS_ENABLED: 'yes' }), [
    'PROMETHEUS_ENABLED="yes" is not accepted: give True or False.',
  ]);
});

test('a number is whole and within its range', () => {
  for (const bad of ['-1', '65536', '1.5', '1e3', '0x10', 'eight', '99999999999999999999']) {
    assert.deepEqual(faultsOf({ PORT: bad }), [
      `PORT="${bad}" is not accepted: give a whole number from 0 to 65535.`,
    ]);
  }
});

test('None lifts the limit of ping bodies', () => {
  assert.equal(readConfig({ PING_BODY_LIMIT: 'None' }).http.pingBodyLimit, null);
  assert.equal(readConfig({ PING_BODY_LIMIT: '0' }).http.pingBodyLimit, 0);
  assert.deepEqual(faultsOf({ PING_BODY_LIMIT: 'lots' }), [
    'PING_BODY_LIMIT="lots" is not accepted: give a whole number from 0 to 1000000000, or None.',
  ]);
});

test('a choice names the accepted words and ignores case', () => {
  assert.equal(readConfig({ LOG_LEVEL: 'WARN' }).log.level, 'warn');
  assert.deepEqual(faultsOf({ LOG_LEVEL: 'loud' }), [
    'LOG_LEVEL="loud" is not accepted: give one of fatal, error, warn, info, debug, trace, silent.',
  ]);
});

test('trusted proxies are addresses and ranges, or None for nobody', () => {
  const read = (text: string) => readConfig({ TRUSTED_PROXIES: text }).http.trustedProxies;

  assert.deepEqual(read(' 10.1.2.3 , 2001:db8::/32, '), ['10.1.2.3', '2001:db8::/32']);
  assert.deepEqual(read('None'), []);
  for (const bad of [
    'proxy.example',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '::/129',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    'fe80::1%eth0',
    ',',
  ]) {
    assert.equal(faultsOf({ TRUSTED_PROXIES: bad }).length, 1, bad);
  }
});

test('a listen address is an IP address or a host name', () => {
  assert.equal(readConfig({ HOST: 'localhost' }).listen.host, 'localhost');
  assert.equal(readConfig({}).listen.host, null, 'every address');
  for (const bad of ['[::]', 'localhost:80', 'http://localhost', 'a b']) {
    assert.equal(faultsOf({ HOST: bad }).length, 1, bad);
  }
});

test('mail is received only where a port is given, by default at the address of everything else', () => {
  assert.equal(readConfig({ SMTPD_HOST: '127.0.0.1' }).smtp, null);
  assert.deepEqual(readConfig({ SMTPD_PORT: '2525', HOST: '::', PING_EMAIL_BODY_LIMIT: 'None' }).smtp, {
    host: '::',
    port: 2525,
    bodyLimit: null,
  });
  assert.equal(faultsOf({ SMTPD_HOST: 'a b', SMTPD_PORT: 'x', PING_EMAIL_BODY_LIMIT: '-1' }).length, 3);
});

test('a ping e-mail domain is a domain name', () => {
  assert.deepEqual(faultsOf({ PING_EMAIL_DOMAIN: 'me@example.org' }), [
    'PING_EMAIL_DOMAIN="me@example.org" is not accepted: give a domain name.',
  ]);
});

test('a template for returned mail puts the signed text before a domain', () => {
  const mail = { EMAIL_HOST: 'mail.example' };

  assert.equal(readConfig(mail).mail?.returnTemplate, null);
  for (const bad of ['bounces@example.org', '%s', '%s@', 'x%s@example.org', '%s@%s', '%s@a b', '%s@[::1]']) {
    assert.deepEqual(faultsOf({ ...mail, EMAIL_MAIL_FROM_TMPL: bad }), [
      `EMAIL_MAIL_FROM_TMPL="${bad}" is not accepted: give %s@ and a domain name.`,
    ]);
  }
});

test('a database URL names an SQLite path or a PostgreSQL server', () => {
  const read = (text: string) => readConfig({ DATABASE_URL: text }).database;
  const pool = { poolSize: 10, statementTimeoutSeconds: 10 };

  assert.deepEqual(read('sqlite:/var/lib/tocsin/a b.db'), {
    engine: 'sqlite',
    path: '/var/lib/tocsin/a b.db',
  });
  assert.deepEqual(read('postgres:///tocsin?host=/run/postgresql'), {
    engine: 'postgres',
    url: 'postgres:///tocsin?host=/run/postgresql',
    ...pool,
  });
  for (const bad of [
    'sqlite:',
    'sqlite:///data.db',
    'tocsin.db',
    'mysql://u:hunter2@h/d',
    'postgres://u:hun#ter2@h/d',
  ]) {
    const faults = faultsOf({ DATABASE_URL: bad });
    assert.equal(faults.length, 1, bad);
    assert.match(faults[0] ?? '', /^DATABASE_URL \(value hidden\) is not accepted: give sqlite:PATH/);
  }
});

test('the DB variables of the reference become a PostgreSQL URL, each part percent-encoded', () => {
  const { database } = readConfig({
    DB: 'postgres',
    DB_HOST: 'db.example',
    DB_PORT: '6432',
    DB_NAME: 'my checks',
    DB_USER: 'us:er',
    DB_PASSWORD: 'p@ss/w?rd#%',
    DB_SSLMODE: 'verify-full',
  });

  assert.deepEqual(database, {
    engine: 'postgres',
    url: 'postgres://us%3Aer:p%40ss%2Fw%3Frd%23%25@db.example:6432/my%20checks?sslmode=verify-full',
    poolSize: 10,
    statementTimeoutSeconds: 10,
  });
});

test('the DB variables have the defaults of the reference, and take IPv6 hosts and socket directories', () => {
  const read = (env: Environment) => {
    const { database } = readConfig({ DB: 'postgres', ...env });
    return database.engine === 'postgres' ? database.url : null;
  };

  assert.equal(read({}), 'postgres://postgres@localhost:5432/hc?sslmode=disable');
  assert.equal(read({ DB_HOST: '::1' }), 'postgres://postgres@[::1]:5432/hc?sslmode=disable');
  assert.equal(
    read({ DB_HOST: '/run/postgresql' }),
    'postgres://postgres@%2Frun%2Fpostgresql:5432/hc?sslmode=disable',
  );
});

test('DB_SSLMODE encrypts only from require on, and verifies only from verify-ca on', () => {
  const read = (mode: string) => {
    const { database } = readConfig({ DB: 'postgres', DB_SSLMODE: mode });
    return database.engine === 'postgres' ? new URL(database.url).search : null;
  };

  assert.deepEqual(['disable', 'allow', 'prefer'].map(read), Array(3).fill('?sslmode=disable'));
  assert.equal(read('require'), '?sslmode=require&uselibpqcompat=true');
  assert.deepEqual(['verify-ca', 'verify-full'].map(read), Array(2).fill('?sslmode=verify-full'));
});

test('DATABASE_URL makes the DB variables void', () => {
  const { database } = readConfig({ DATABASE_URL: 'sqlite:a.db', DB: 'mysql', DB_PORT: 'x' });

  assert.deepEqual(database, { engine: 'sqlite', path: 'a.db' });
});

test('DB=sqlite means the default file and not the file of the reference', () => {
  const { database } = readConfig({ DB: 'sqlite', DB_NAME: '/data/hc.sqlite' });

  assert.deepEqual(database, { engine: 'sqlite', path: './data/tocsin.db' });
});

test('MySQL and MariaDB are refused in plain words', () => {
  for (const engine of ['mysql', 'mariadb']) {
    assert.deepEqual(faultsOf({ DB: engine }), [
      `DB="${engine}" is not accepted: give sqlite or postgres; MySQL and MariaDB are not supported.`,
    ]);
  }
});

const S3 = {
  S3_BUCKET: 'bodies',
  S3_ENDPOINT: 's3.example',
  S3_REGION: 'us-east-1',
  S3_ACCESS_KEY: 'AKIA',
  S3_SECRET_KEY: 'hunter2',
};

test('object storage is on when it has a bucket, and is reached by HTTPS within a minute', () => {
  const { S3_BUCKET: _, ...rest } = S3;

  assert.equal(readConfig({ ...rest, S3_TIMEOUT: 'never' }).objects, null);
  assert.deepEqual(readConfig(S3).objects, {
    bucket: 'bodies',
    endpoint: 's3.example',
    region: 'us-east-1',
    accessKey: 'AKIA',
    secretKey: 'hunter2',
    isSecure: true,
    timeoutSeconds: 60,
  });
  assert.equal(readConfig({ ...S3, S3_TIMEOUT: 'None' }).objects?.timeoutSeconds, null);
  assert.equal(readConfig({ ...S3, S3_SECURE: '' }).objects?.isSecure, false);
});

test('a bucket without what it takes to reach it is refused, each missing variable by name', () => {
  assert.deepEqual(faultsOf({ S3_BUCKET: 'bodies', S3_REGION: ' ' }), [
    'S3_ENDPOINT is missing: S3_BUCKET needs it, give HOST or HOST:PORT, without http:// and without a path.',
    'S3_REGION is missing: S3_BUCKET needs it, give letters, digits and hyphens, such as us-east-1.',
    'S3_ACCESS_KEY is missing: S3_BUCKET needs it, give visible ASCII characters.',
    'S3_SECRET_KEY is missing: S3_BUCKET needs it, give visible ASCII characters.',
  ]);
});

test('the keys of object storage can be given as files, are never shown, and have one fault at a time', () => {
  const files: Record<string, string> = { '/run/access': 'AKIA\n', '/run/secret': 'sesame\n' };
  const { objects } = readConfig(
    { ...S3, S3_ACCESS_KEY_FILE: '/run/access', S3_SECRET_KEY_FILE: '/run/secret' },
    (path) => files[path] ?? '',
  );
  assert.deepEqual([objects?.accessKey, objects?.secretKey], ['AKIA', 'sesame']);

  assert.deepEqual(
    faultsOf({ ...S3, S3_SECRET_KEY: 'hunter 2', S3_ACCESS_KEY_FILE: '/gone' }, () => ''),
    [
      'S3_ACCESS_KEY_FILE="/gone" names an empty file: write the secret into it.',
      'S3_SECRET_KEY (value hidden) is not accepted: give visible ASCII characters.',
    ],
  );
});

test('the endpoint of object storage is a host, with a port or without', () => {
  const read = (endpoint: string) => readConfig({ ...S3, S3_ENDPOINT: endpoint }).objects?.endpoint;
  for (const good of ['s3.eu-west-1.amazonaws.com', 'minio:9000', '127.0.0.1:9000', '[::1]:9000', '[::1]'])
    assert.equal(read(good), good);

  for (const bad of [
    'https://s3.example',
    's3.example/',
    's3.example:',
    's3.example:0',
    'a b',
    '::1',
    '[x]:1',
  ])
    assert.deepEqual(faultsOf({ ...S3, S3_ENDPOINT: bad }), [
      `S3_ENDPOINT="${bad}" is not accepted: give HOST or HOST:PORT, without http:// and without a path.`,
    ]);
});

test('bucket, region and time-out of object storage are checked', () => {
  for (const bad of ['ab', '../etc', 'a/b', 'a b c', '-abc', 'x'.repeat(64)])
    assert.match(faultsOf({ ...S3, S3_BUCKET: bad })[0] ?? '', /^S3_BUCKET=.* give 3 to 63 letters/);
  assert.match(faultsOf({ ...S3, S3_REGION: 'us/east' })[0] ?? '', /^S3_REGION=/);
  for (const bad of ['0', '601', 'x'])
    assert.match(faultsOf({ ...S3, S3_TIMEOUT: bad })[0] ?? '', /^S3_TIMEOUT=/);
});

test('a secret key of fewer than 16 characters, such as the placeholder of the reference, is refused', () => {
  assert.equal(readConfig({ SECRET_KEY: '0123456789abcdef' }).secretKey?.current, '0123456789abcdef');
  for (const bad of ['---', '0123456789abcde', ' '.repeat(20)]) {
    assert.deepEqual(faultsOf({ SECRET_KEY: bad }), [
      'SECRET_KEY (value hidden) is not accepted: give at least 16 characters that nobody can guess.',
    ]);
  }
});

test('a secret file is stripped and wins over the plain variable', () => {
  const files: Record<string, string> = {
    '/run/secrets/key': '\n the key from the file \n',
    '/run/secrets/metrics': 'm\n',
    '/run/secrets/db': 'pw\n',
  };
  const config = readConfig(
    {
      SECRET_KEY: '---',
      SECRET_KEY_FILE: '/run/secrets/key',
      METRICS_KEY_FILE: '/run/secrets/metrics',
      DB: 'postgres',
      DB_PASSWORD_FILE: '/run/secrets/db',
    },
    (path) => files[path] ?? '',
  );

  assert.equal(config.secretKey?.current, 'the key from the file');
  assert.equal(config.api.metricsKey, 'm');
  assert.equal(
    config.database.engine === 'postgres' && config.database.url,
    'postgres://postgres:pw@localhost:5432/hc?sslmode=disable',
  );
});

test('a secret file that cannot be read, or is empty, is a fault even beside a good plain variable', () => {
  using directory = temporaryDirectory();
  const missing = join(directory.path, 'missing');
  const empty = join(directory.path, 'empty');
  writeFileSync(empty, '\n');

  assert.deepEqual(faultsOf({ SECRET_KEY: '0123456789abcdef', SECRET_KEY_FILE: missing }), [
    `SECRET_KEY_FILE=${JSON.stringify(missing)} cannot be read (ENOENT): give the path of a readable file.`,
  ]);
  assert.deepEqual(faultsOf({ DATABASE_URL_FILE: empty }), [
    `DATABASE_URL_FILE=${JSON.stringify(empty)} names an empty file: write the secret into it.`,
  ]);
});

test('only secrets can be given as files', () => {
  const config = readConfig({ SITE_NAME_FILE: '/etc/name' }, () => assert.fail('no file is read'));

  assert.equal(config.site.name, 'Tocsin');
});

test('one error names every fault, a line for each', () => {
  assert.deepEqual(
    faultsOf({
      SITE_ROOT: 'nowhere',
      PORT: 'x\ny',
      DB: 'mysql',
      DB_POOL_SIZE: '0',
      SECRET_KEY: '---',
      LOG_LEVEL: 'loud',
      TRUSTED_PROXIES: '10.0.0.0/99',
      DEFAULT_PING_LIMIT: '0',
      REGISTRATION_OPEN: 'perhaps',
    })
      .map((fault) => fault.split(' ')[0])
      .sort(),
    [
      'DB="mysql"',
      'DB_POOL_SIZE="0"',
      'DEFAULT_PING_LIMIT="0"',
      'LOG_LEVEL="loud"',
      'PORT="x\\ny"',
      'REGISTRATION_OPEN="perhaps"',
      'SECRET_KEY',
      'SITE_ROOT="nowhere"',
      'TRUSTED_PROXIES="10.0.0.0/99"',
    ],
  );
});

test('fallbacks of the secret key stand one a line, beside the key itself', () => {
  const SECRET_KEY = '0123456789abcdef';
  const [one, two] = ['a key with spaces in it', 'another, with a comma'];

  const { secretKey } = readConfig({ SECRET_KEY, SECRET_KEY_FALLBACKS: `${one}\n${two}\n` });

  assert.deepEqual(secretKey, { current: SECRET_KEY, fallbacks: [one, two] });
  const refusal =
    'SECRET_KEY_FALLBACKS (value hidden) is not accepted: give keys of at least 16 characters, one a line and 5 at the most.';
  for (const bad of ['short', `${one}\nshort`, Array(6).fill(one).join('\n')])
    assert.deepEqual(faultsOf({ SECRET_KEY, SECRET_KEY_FALLBACKS: bad }), [refusal]);
  assert.deepEqual(faultsOf({ SECRET_KEY_FALLBACKS: one }), [
    'SECRET_KEY is missing: SECRET_KEY_FALLBACKS needs it.',
  ]);
});

test('no message holds a secret', () => {
  const secret = 'hunter2\n';
  const env: Environment = { SITE_ROOT: 'https://me:hunter2@a.example', DB: 'postgres' };
  for (const [name, setting] of Object.entries(settings)) {
    if (setting.secret) env[name] = secret;
  }

  const secretsOfKinds = Object.keys(kindSettings).filter((name) => kindSettings[name]?.secret);
  const fromVariables = faultsOf(env);
  const { DATABASE_URL: _, ...withoutUrl } = env;
  const fromFamily = faultsOf(withoutUrl);
  const fromFiles = faultsOf({ SECRET_KEY_FILE: '/run/key', DATABASE_URL_FILE: '/run/url' }, () => secret);

  assert.deepEqual(
    fromVariables.map((fault) => fault.split(/[ =]/)[0]),
    [
      'SITE_ROOT',
      'OIDC_CLIENT_SECRET',
      'DATABASE_URL',
      'DB_PASSWORD',
      'SECRET_KEY',
      'SECRET_KEY_FALLBACKS',
      'EMAIL_HOST_PASSWORD',
      ...secretsOfKinds,
      'http_proxy',
      'https_proxy',
      'HEARTBEAT_URL',
      'METRICS_KEY',
    ],
  );
  assert.equal(fromFamily.length, 10 + secretsOfKinds.length);
  assert.equal(fromFiles.length, 2);
  assert.doesNotMatch([...fromVariables, ...fromFamily, ...fromFiles].join('\n'), /hunter2/);
});

test('settings of the reference that have no use here are ignored', () => {
  const config = readConfig({ DEBUG: 'maybe', ALLOWED_HOSTS: '*', UWSGI_PROCESSES: 'many' });

  assert.deepEqual(config, readConfig({}));
});

test('a provider needs the name of this service, and https where the site has it', () => {
  const faults = (env: Record<string, string>) => faultsOf({ OIDC_ISSUER: 'https://id.example', ...env });

  assert.deepEqual(faults({ OIDC_CLIENT_ID: 'watch' }), []);
  assert.deepEqual(faults({}), ['OIDC_CLIENT_ID is missing: OIDC_ISSUER needs it.']);
  const insecure = { OIDC_ISSUER: 'http://id.example', OIDC_CLIENT_ID: 'watch' };
  assert.deepEqual(faults(insecure), []);
  assert.deepEqual(faults({ ...insecure, SITE_ROOT: 'https://tocsin.example' }), [
    'OIDC_ISSUER must be https where SITE_ROOT is: otherwise anybody between could sign in.',
  ]);
  for (const host of ['localhost:1', '127.0.0.1', '[::1]'])
    assert.deepEqual(
      faults({ ...insecure, SITE_ROOT: 'https://tocsin.example', OIDC_ISSUER: `http://${host}` }),
      [],
    );
  assert.match(faults({ OIDC_ISSUER: 'id.example' })[0] ?? '', /^OIDC_ISSUER="id.example" is not accepted/);
  assert.equal(faults({ OIDC_ISSUER: 'id.example' }).length, 1);
  assert.match(faults({ OIDC_CLIENT_ID: 'watch', OIDC_SCOPES: 'email' })[0] ?? '', /^OIDC_SCOPES/);
});

test('a provider at which anybody has an account needs a list of domains', () => {
  for (const issuer of ['https://accounts.google.com', 'https://login.microsoftonline.com/common/v2.0']) {
    const env = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'watch' };
    assert.deepEqual(faultsOf(env), [
      'OIDC_DOMAINS is missing: anybody can have an account at this OIDC_ISSUER.',
    ]);
    assert.deepEqual(faultsOf({ ...env, OIDC_DOMAINS: 'example.org' }), []);
  }
});

test('somebody can always sign in', () => {
  assert.deepEqual(faultsOf({ LOCAL_SIGN_IN: 'False' }), [
    'OIDC_ISSUER is missing: with LOCAL_SIGN_IN=False nobody could sign in.',
  ]);
});

test('a header that names people is believed from listed proxies only', () => {
  const read = (header: string) =>
    readConfig({ REMOTE_USER_HEADER: header, REMOTE_USER_PROXIES: '10.0.0.2, fd00::/8' }).accounts;

  for (const spelling of ['X-Authenticated-User', 'HTTP_X_AUTHENTICATED_USER', 'x_authenticated_user'])
    assert.deepEqual(read(spelling).remoteUser, {
      header: 'x-authenticated-user',
      groupsHeader: null,
      proxies: ['10.0.0.2', 'fd00::/8'],
    });
  assert.equal(read('Remote-User').localSignIn, false);
  for (const proxies of ['', 'None'])
    assert.deepEqual(faultsOf({ REMOTE_USER_HEADER: 'Remote-User', REMOTE_USER_PROXIES: proxies }), [
      'REMOTE_USER_PROXIES is missing: without it anybody could send REMOTE_USER_HEADER.',
    ]);
  assert.deepEqual(
    faultsOf({
      REMOTE_USER_HEADER: 'Remote-User',
      REMOTE_USER_PROXIES: '10.0.0.2',
      OIDC_ISSUER: 'https://id.example',
      OIDC_CLIENT_ID: 'watch',
    }),
    ['OIDC_ISSUER and REMOTE_USER_HEADER exclude each other: remove one of them.'],
  );
  assert.equal(faultsOf({ REMOTE_USER_HEADER: 'a b', REMOTE_USER_PROXIES: '10.0.0.2' }).length, 1);
});

test('commands and accounts for everybody exclude each other', () => {
  const open = { SHELL_ENABLED: 'True', REGISTRATION_OPEN: 'True' };
  const fault =
    'SHELL_ENABLED and REGISTRATION_OPEN exclude each other: anybody could make an account and run commands on this machine.';

  assert.deepEqual(faultsOf(open), [fault]);
  assert.deepEqual(faultsOf({ ...open, REGISTRATION_DOMAINS: 'example.org' }), [fault]);
  // Nobody makes an account here where a proxy says who people are.
  const proxy = { REMOTE_USER_HEADER: 'Remote-User', REMOTE_USER_PROXIES: '10.0.0.2' };
  assert.equal(readConfig({ ...open, ...proxy }).integrations.SHELL_ENABLED, true);
  assert.equal(readConfig({ SHELL_ENABLED: 'True' }).integrations.SHELL_USER, null);
  assert.equal(
    readConfig({ SHELL_ENABLED: 'True', SHELL_USER: '65534:65534' }).integrations.SHELL_USER,
    '65534:65534',
  );
  for (const wrong of ['0', 'a b', '-x', '1:', 'root;id'])
    assert.equal(faultsOf({ SHELL_USER: wrong }).length, 1, wrong);
});

test('names of groups may have commas and equal signs', () => {
  const uuid = '5c7e2a10-93b4-4d6f-8a21-0f1e2d3c4b5a';
  const read = (text: string) => readConfig({ GROUP_ROLES: text }).accounts.groups.roles;

  assert.deepEqual(read(`/ops=${uuid}:member, cn=dev,ou=x=${uuid}:read_only`), [
    { group: '/ops', project: uuid, role: 'member' },
    { group: 'cn=dev,ou=x', project: uuid, role: 'read_only' },
  ]);
  for (const wrong of ['ops', `ops=${uuid}`, `ops=${uuid}:owner`, `=${uuid}:member`, `ops=${uuid}:member;x`])
    assert.equal(faultsOf({ GROUP_ROLES: wrong }).length, 1, wrong);
});

test('the .env file adds to the environment, which wins', () => {
  using directory = temporaryDirectory();
  writeFileSync(
    join(directory.path, '.env'),
    '\uFEFFSITE_NAME=file\nPORT="9000" # comment\nLOG_LEVEL=warn\nHOST=::\n',
  );

  const env = loadEnvironment(directory.path, { SITE_NAME: 'real', LOG_LEVEL: '', HOST: undefined, X: '1' });

  assert.deepEqual(env, { SITE_NAME: 'real', PORT: '9000', LOG_LEVEL: '', HOST: '::', X: '1' });
});

test('a missing .env file is fine and an unreadable one is a fault', () => {
  using directory = temporaryDirectory();
  const path = join(directory.path, '.env');

  assert.deepEqual(loadEnvironment(directory.path, { A: 'b' }), { A: 'b' });
  mkdirSync(path);
  assert.throws(() => loadEnvironment(directory.path, {}), {
    name: 'ConfigError',
    message: `${JSON.stringify(path)} cannot be read (EISDIR): make it readable or remove it.`,
  });
});

test('settings are shown with their origin, and no secret is', () => {
  const secret = 'sesame-open-sesame-open';
  const given = Object.entries(settings).map(([name, { secret: isSecret = false }]) => [
    name,
    isSecret ? `https://alice:${secret}@example.org/${secret}` : `https://alice:${secret}@example.org`,
  ]);

  const shown = effectiveSettings(Object.fromEntries(given));

  assert.deepEqual(
    shown.map(({ name }) => name),
    Object.keys(SETTINGS),
  );
  for (const { name, value, origin } of shown) {
    assert.equal(origin, 'environment', name);
    assert.ok(!value?.includes(secret), name);
  }
  const byDefault = effectiveSettings({ DB_PASSWORD_FILE: '/run/secrets/password' });
  const find = (wanted: string) => byDefault.find(({ name }) => name === wanted);
  assert.deepEqual([find('PORT')?.value, find('PORT')?.origin], ['8000', 'default']);
  assert.deepEqual([find('DB_PASSWORD')?.value, find('DB_PASSWORD')?.origin], ['••••••••', 'file']);
  assert.deepEqual([find('SECRET_KEY')?.value, find('SECRET_KEY')?.origin], [null, 'default']);
});

test('where a provider is the only way in, nobody stays for longer than a day', () => {
  const provider = {
    OIDC_ISSUER: 'https://id.example',
    OIDC_CLIENT_ID: 'watch',
    OIDC_DOMAINS: 'example.org',
  };
  const ageOf = (env: Record<string, string>) => readConfig(env).accounts.sessions.age / 1_000_000;

  assert.equal(ageOf({ ...provider, LOCAL_SIGN_IN: 'False' }), 86_400);
  assert.equal(ageOf({ ...provider, LOCAL_SIGN_IN: 'False', SESSION_MAX_AGE: '3600' }), 3_600);
  assert.equal(ageOf(provider), 7_776_000);
});
