/**
 * Every limit that somebody outside may meet; `npm run limits` makes the table in docs/security.md of them.
 * A limit is one line: what is limited, the constant or setting by its name, its unit, and what happens beyond it.
 */
import { SETTINGS } from '../src/config.ts';
import { LONGEST_EXPRESSION } from '../src/domain/schedule/schedule.ts';
import { SLUG_MAX_LENGTH } from '../src/domain/slug.ts';
import { API_BODY_LIMIT } from '../src/http/server.ts';
import * as httpClient from '../src/lib/http-client.ts';
import * as mailSender from '../src/lib/mail-sender.ts';
import { LONGEST_LISTING } from '../src/objects/s3.ts';
import { PING_WRITER_DEFAULTS } from '../src/services/ping-writer.ts';
import { SMTP_LIMITS } from '../src/smtp/server.ts';

export type Unit = 'bytes' | 'ms' | 'seconds' | 'characters' | '';

export interface Limit {
  readonly what: string;
  readonly value: number;
  readonly unit: Unit;
  /** Of a constant, or of a setting. */
  readonly name: string;
  /** The file that owns the constant; null for a setting. */
  readonly file: string | null;
  readonly beyond: string;
}

type Row<T> = readonly [what: string, limit: T, unit: Unit, beyond: string];

const { DEFAULT_TIMEOUT_MS, MAX_BODY_BYTES, MAX_REDIRECTS, DEFAULT_CONNECTIONS_PER_HOST } = httpClient;
const { TIMEOUT_MS, MOST_CONNECTIONS } = mailSender;
const { mostWaiting, mostWaitingBytes, mostInBatch } = PING_WRITER_DEFAULTS;
const { sizeLimit, roomBytes, mostConnections, idleMs, stayMs } = SMTP_LIMITS;

export const LIMITS: Readonly<Record<string, readonly Limit[]>> = {
  'Requests to the service': [
    ...settings([
      ['A request, from its first byte to its last', 'REQUEST_TIMEOUT', 'seconds', '408'],
      ['API requests a minute with one key', 'API_RATE_LIMIT', '', '429, after as many again in a burst'],
    ]),
    ...constants('src/http/server.ts', [['The body of an API request', { API_BODY_LIMIT }, 'bytes', '400']]),
    ...constants('src/domain/slug.ts', [
      ['A slug in the address of a ping', { SLUG_MAX_LENGTH }, 'characters', '400'],
    ]),
    ...constants('src/domain/schedule/schedule.ts', [
      ['A schedule that is read at all', { LONGEST_EXPRESSION }, 'characters', '400'],
    ]),
  ],

  Pings: [
    ...settings([
      ['What is kept of a body', 'PING_BODY_LIMIT', 'bytes', 'the ping counts, the rest is dropped'],
    ]),
    ...constants('src/services/ping-writer.ts', [
      ['Pings that wait to be written', { mostWaiting }, '', '503 with `Retry-After`'],
      ['Their bodies together', { mostWaitingBytes }, 'bytes', '503 with `Retry-After`'],
      ['Pings in one transaction', { mostInBatch }, '', 'the others are in the next one'],
    ]),
  ],

  'Mail that is received': [
    ...settings([
      ['What is kept of a mail', 'PING_EMAIL_BODY_LIMIT', 'bytes', 'the ping counts, the rest is dropped'],
    ]),
    ...constants('src/smtp/server.ts', [
      ['A mail', { sizeLimit }, 'bytes', '552'],
      ['All mails that are arriving', { roomBytes }, 'bytes', '452'],
      ['Connections', { mostConnections }, '', '421'],
      ['The silence of a client', { idleMs }, 'ms', '421'],
      ['A connection, from its beginning to its end', { stayMs }, 'ms', '421'],
    ]),
  ],

  'What the service sends and fetches': [
    ...constants('src/lib/http-client.ts', [
      ['A request with all its redirects', { DEFAULT_TIMEOUT_MS }, 'ms', 'the attempt has failed'],
      ['What is read of the answer', { MAX_BODY_BYTES }, 'bytes', 'the rest is not read'],
      ['Redirects', { MAX_REDIRECTS }, '', 'the attempt has failed'],
      ['Connections to one host', { DEFAULT_CONNECTIONS_PER_HOST }, '', 'the others wait'],
    ]),
    ...constants('src/lib/mail-sender.ts', [
      ['An answer of the mail server', { TIMEOUT_MS }, 'ms', 'the attempt has failed'],
      ['Connections to the mail server', { MOST_CONNECTIONS }, '', 'the others wait'],
    ]),
    ...settings([['An operation of the object storage', 'S3_TIMEOUT', 'seconds', 'it is tried again later']]),
    ...constants('src/objects/s3.ts', [
      ['A listing of the object storage', { LONGEST_LISTING }, 'bytes', 'it is tried again later'],
    ]),
  ],

  'Data and the database': settings([
    ['Checks of a new account', 'DEFAULT_CHECK_LIMIT', '', '403'],
    ['Pings that are kept of each of them', 'DEFAULT_PING_LIMIT', '', 'the oldest are removed'],
    ['Connections to PostgreSQL', 'DB_POOL_SIZE', '', 'the others wait'],
    ['A statement on PostgreSQL', 'DB_STATEMENT_TIMEOUT', 'seconds', '503'],
    ['Requests that are accepted before a stop', 'SHUTDOWN_TIMEOUT', 'seconds', 'they are cut off'],
  ]),
};

/** Limits that operators can set; the table shows the defaults. */
function settings(rows: readonly Row<keyof typeof SETTINGS>[]): Limit[] {
  return rows.map(([what, name, unit, beyond]) => ({
    ...{ what, unit, name, beyond },
    value: Number(SETTINGS[name].default),
    file: null,
  }));
}

function constants(file: string, rows: readonly Row<Readonly<Record<string, number>>>[]): Limit[] {
  return rows.flatMap(([what, named, unit, beyond]) =>
    Object.entries(named).map(([name, value]) => ({ what, value, unit, name, file, beyond })),
  );
}
