import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  createServer as createPlainServer,
  type Server as HttpServer,
  type RequestListener,
  request,
} from 'node:http';
import { createServer, type Server as HttpsServer } from 'node:https';
import { join } from 'node:path';
import tls from 'node:tls';
import { inspect } from 'node:util';
import pino from 'pino';
import { readConfig } from '../../src/config/read-config.ts';
import { createDoctor } from '../../src/doctor/doctor.ts';
import { type DoctorWorld, thisMachine } from '../../src/doctor/installation.ts';
import type { Names } from '../../src/doctor/names.ts';
import { ROWS } from '../../src/doctor/rows.ts';
import type { Finding, Verdict } from '../../src/domain/finding.ts';
import { CERTIFICATE, KEY } from '../../src/lib/certificate.test-support.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { startApp } from '../../src/main.ts';
import { schemaOf } from '../../src/storage/schema.test-support.ts';
import { openReading } from '../../src/storage/verify/database.ts';
import { freePort } from '../free-port.ts';
import { type MailSink, startMailSink } from '../mail-sink.ts';
import { startS3Server } from '../objects/s3-server.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { temporaryFolder } from '../process.ts';
import { until } from '../waiting.ts';

export type Settings = Readonly<Record<string, string>>;

/** A service with everything that an operator can set up, and all of it right. */
export interface WholeInstallation extends AsyncDisposable {
  readonly settings: Settings;
  readonly folder: string;
  readonly mail: MailSink;
  /** Replaces the proxy in front of the service until the result is disposed of. */
  proxyBy(forward: Forward): Disposable;
  /** Replaces the certificate of the proxy, which is trusted all the same. */
  certify(certificate: string): Disposable;
  /** Looks at the rows, with other settings or another world. */
  examine(
    changes?: Partial<Settings>,
    world?: Partial<DoctorWorld>,
    only?: readonly string[],
  ): Promise<Finding[]>;
  /** The rows of all tables, but for those that the service itself writes again and again. */
  rows(): Promise<Record<string, string[]>>;
  /** Looks with a fault, of which only this row may tell. Rows that need the faulty part may be skipped. */
  onlyOf(
    name: string,
    verdict: Verdict,
    changes?: Partial<Settings>,
    world?: Partial<DoctorWorld>,
  ): Promise<Finding>;
}

/** Headers of a request as the proxy sends them on. */
export type Forward = RequestListener;

export const NAMES: Names = {
  addresses: async () => ['127.0.0.1'],
  texts: async () => ['v=spf1 mx -all'],
  mailHosts: async () => ['mx.tls.test'],
};

/** Tests run where temporary files are in memory, too. */
export const MACHINE: DoctorWorld['machine'] = {
  ...thisMachine,
  fileSystem: async (folder) => ({ ...(await thisMachine.fileSystem(folder)), kind: 'ext4', sort: 'disk' }),
};

/** Beats of the node, and when it has what to do next. */
const WRITTEN_BY_SERVICE: readonly string[] = ['watch', 'jobs', 'accounts'];

export async function startWholeInstallation(database: Settings = {}): Promise<WholeInstallation> {
  await using made = new AsyncDisposableStack();
  made.use(trust(CERTIFICATE));
  const folder = made.use(await temporaryFolder()).path;
  const mail = made.use(await startMailSink());
  const { config: bucket } = made.use(await startS3Server());
  const [port, mailPort] = [await freePort(), await freePort()];
  let forward = passOnTo(port);
  const proxy = createServer({ cert: CERTIFICATE, key: KEY }, (incoming, response) =>
    forward(incoming, response),
  );
  const { port: proxyPort } = made.use(await open(proxy));
  const { port: monitorPort } = made.use(await startMonitor());
  const settings: Settings = {
    SITE_ROOT: `https://tls.test:${proxyPort}`,
    HOST: '127.0.0.1',
    PORT: String(port),
    DATABASE_URL: `sqlite:${join(folder, 'db', 'tocsin.db')}`,
    SECRET_KEY: 'a secret for tests only, and a long one',
    BACKUP_DIR: join(folder, 'backups'),
    HEARTBEAT_URL: `http://127.0.0.1:${monitorPort}/`,
    METRICS_KEY: 'a key for metrics',
    EMAIL_HOST: 'tls.test',
    EMAIL_PORT: String(mail.port),
    EMAIL_USE_TLS: 'False',
    DEFAULT_FROM_EMAIL: 'Tocsin <tocsin@tls.test>',
    SMTPD_PORT: String(mailPort),
    PING_EMAIL_DOMAIN: 'ping.tls.test',
    MATRIX_HOMESERVER: `http://127.0.0.1:${monitorPort}`,
    MATRIX_USER_ID: '@tocsin:tls.test',
    MATRIX_ACCESS_TOKEN: 'a token',
    S3_ENDPOINT: bucket.endpoint,
    S3_BUCKET: bucket.bucket,
    S3_REGION: bucket.region,
    S3_ACCESS_KEY: bucket.accessKey,
    S3_SECRET_KEY: bucket.secretKey,
    S3_SECURE: 'False',
    ...database,
  };
  const config = readConfig(settings);
  const app = await startApp(config, {
    clock: systemClock,
    random: systemRandom,
    log: pino({ level: 'silent' }),
    databaseTime: (store) => store.time(),
    version: '0.0.0',
  });
  made.use(app);
  const examine: WholeInstallation['examine'] = (changes = {}, world = {}, only) =>
    createDoctor(
      { ...settings, ...changes },
      { names: NAMES, machine: MACHINE, mailPort, rest: async () => undefined, ...world },
    ).examine(ROWS.filter(({ name }) => only === undefined || only.includes(name)));
  await until('the first backup is made', async () => {
    const [care] = await examine({}, {}, ['care']);
    return care?.verdict === 'ok';
  });
  const all = made.move();
  return {
    settings,
    folder,
    mail,
    examine,
    async rows() {
      await using driver = await openReading(config.database, systemClock);
      const rows: Record<string, string[]> = {};
      for (const table of Object.keys(await schemaOf(driver))) {
        if (WRITTEN_BY_SERVICE.includes(table)) continue;
        rows[table] = (await driver.all(`select * from ${table}`)).map((row) => inspect(row)).sort();
      }
      return rows;
    },
    async onlyOf(name, verdict, changes, world) {
      const looked = await examine(changes, world);
      const others = looked.filter((finding) => finding.name !== name);
      assert.deepEqual(
        others.filter((finding) => !['ok', 'skip'].includes(finding.verdict)),
        [],
      );
      const found = looked.find((finding) => finding.name === name);
      if (found === undefined) throw new Error(`no row is called ${name}`);
      assert.equal(found.verdict, verdict, found.sentence);
      return found;
    },
    certify(certificate) {
      const trusted = trust(certificate);
      proxy.setSecureContext({ cert: certificate, key: KEY });
      return {
        [Symbol.dispose]: () => {
          proxy.setSecureContext({ cert: CERTIFICATE, key: KEY });
          trusted[Symbol.dispose]();
        },
      };
    },
    proxyBy(other) {
      const before = forward;
      forward = other;
      return {
        [Symbol.dispose]: () => {
          forward = before;
        },
      };
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

const ROOTS = tls.getCACertificates('default');

/** Only the last one is trusted, since all have the same name. */
function trust(certificate: string): Disposable {
  const before = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...ROOTS, certificate]);
  return { [Symbol.dispose]: () => tls.setDefaultCACertificates(before) };
}

/** The server of tests, as safe as one in earnest. */
export async function startSafePostgres(): Promise<PostgresServer> {
  const server = await startPostgres();
  await server.query('alter system set fsync = on');
  await server.query('alter system set autovacuum = on');
  await server.query('select pg_reload_conf()');
  const settings = `select from pg_settings where name in ('fsync', 'autovacuum') and setting = 'on'`;
  await until('the server is safe', async () => (await server.query(settings)).length === 2);
  return server;
}

export interface OpenServer extends AsyncDisposable {
  readonly port: number;
}

/** Lets a server listen on this machine. */
export async function open(server: HttpServer | HttpsServer): Promise<OpenServer> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: Object(server.address()).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Somebody who takes every request, such as the heartbeats of a service. */
export function startMonitor(): Promise<OpenServer> {
  return open(createPlainServer((_request, response) => response.end()));
}

/** A proxy that does everything right. `change` may change the headers that it sends on, and some bodies may be dropped. */
export function passOnTo(
  port: number,
  change: (headers: Record<string, string | string[] | undefined>, client: string) => void = tellClient,
  dropsBodyOf: (method: string | undefined) => boolean = () => false,
): Forward {
  return (incoming, response) => {
    const headers = { ...incoming.headers };
    change(headers, incoming.socket.remoteAddress ?? '');
    const { method, url: path } = incoming;
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      response.once('close', () => outgoing.destroy());
    });
    outgoing.once('error', () => response.destroy());
    if (!dropsBodyOf(method)) incoming.pipe(outgoing);
    else {
      outgoing.removeHeader('content-length');
      outgoing.end();
    }
  };
}

function tellClient(headers: Record<string, string | string[] | undefined>, client: string): void {
  headers['x-forwarded-for'] = client;
}

export function verdictsOf(findings: readonly Finding[]): Record<string, Verdict> {
  return Object.fromEntries(findings.map(({ name, verdict }) => [name, verdict]));
}
