import { AppError } from '../../domain/errors.ts';
import { StorageError, storageUnavailable } from '../driver.ts';

/** The consequence of a server's error for the request and for the session. */
type Meaning =
  /** A unique value is taken. */
  | 'conflict'
  /** The transaction is worth another try on the same session. */
  | 'deadlock'
  /** An outage that passes: a wait took too long, or too many requests wait. The session is kept. */
  | 'overload'
  /** An outage that passes: the session is gone, or its server does not work properly. The session is discarded. */
  | 'lost'
  /** An outage that passes, for all sessions: the server accepts no writes. */
  | 'read_only'
  /** A bug of ours, or damaged data. */
  | 'fault';

/** https://www.postgresql.org/docs/current/errcodes-appendix.html: by code, and below by class. */
const CODES: Readonly<Record<string, Meaning>> = {
  // unique_violation
  '23505': 'conflict',
  // read_only_sql_transaction: a standby, a primary that was demoted, or one that an operator has closed.
  '25006': 'read_only',
  // idle_in_transaction_session_timeout, transaction_timeout: the server has ended the session.
  '25P03': 'lost',
  '25P04': 'lost',
  // invalid_sql_statement_name: another server has taken over the session, without our prepared statements.
  '26000': 'lost',
  // serialization_failure, deadlock_detected
  '40001': 'deadlock',
  '40P01': 'deadlock',
  // statement_completion_unknown
  '40003': 'lost',
  // too_many_connections, configuration_limit_exceeded
  '53300': 'overload',
  '53400': 'overload',
  // lock_not_available
  '55P03': 'overload',
  // query_canceled, by its time-out
  '57014': 'overload',
  // snapshot_too_old
  '72000': 'overload',
};

const CLASSES: Readonly<Record<string, Meaning>> = {
  // Connection exception. Proxies use it as well.
  '08': 'lost',
  // Insufficient resources: disk full, out of memory.
  '53': 'lost',
  // Operator intervention: shutdown, crash, start, a dropped database, a session that was idle too long.
  '57': 'lost',
  // System error: I/O error, missing file.
  '58': 'lost',
};

const TOO_MANY_CONNECTIONS = '53300';
const LOCK_NOT_AVAILABLE = '55P03';

/** Messages of the client library without a code. */
const BROKEN =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|Received unexpected )/;
const SILENCE = 'Query read timeout';
/** The connection cannot be encrypted, or the client library lacks the password or the method to prove it. */
const UNUSABLE = /^(The server does not support SSL connections|SASL: )/;
/** https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const CERTIFICATE =
  /^(ERR_TLS_CERT_|CERT_|UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|HOSTNAME_MISMATCH)/;

/** Translates an error of PostgreSQL into one of ours. An error that is already ours stays as it is. */
export function translate(error: unknown): unknown {
  if (isOurs(error) || !(error instanceof Error)) return error;
  switch (meaningOf(error)) {
    case null:
      return error;
    case 'conflict':
      return new StorageError('conflict', error.message, { cause: error });
    case 'fault':
      return new StorageError('fault', error.message, { cause: error });
    default:
      return storageUnavailable(error.message, error);
  }
}

export function isDeadlock(error: unknown): boolean {
  return meaningOf(origin(error)) === 'deadlock';
}

export function isLockTimeout(error: unknown): boolean {
  return codeOf(origin(error)) === LOCK_NOT_AVAILABLE;
}

/**
 * The server answers, and no connection comes about until somebody changes a setting: the password is wrong, the database
 * does not exist, or one side insists on TLS that the other does not offer or accept.
 */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return meaningOf(error) === 'fault' || CERTIFICATE.test(codeOf(error)) || UNUSABLE.test(error.message);
}

export function hasTooManyConnections(error: unknown): boolean {
  return codeOf(error) === TOO_MANY_CONNECTIONS;
}

/** Our own time-out ended the wait: not even the server's time-out arrived. The server or the network is gone. */
export function isSilence(error: unknown): boolean {
  const cause = origin(error);
  return cause instanceof Error && cause.message === SILENCE;
}

export function isReadOnly(error: unknown): boolean {
  return meaningOf(origin(error)) === 'read_only';
}

/** Whether the session cannot be used any more. */
export function endsSession(error: unknown): boolean {
  const meaning = meaningOf(origin(error));
  return meaning === 'lost' || meaning === 'read_only';
}

/** Null if neither the server nor the connection caused the error. */
function meaningOf(error: unknown): Meaning | null {
  if (!(error instanceof Error)) return null;
  const code = codeOf(error);
  // An error of the server has a code of five characters, the SQLSTATE.
  if (/^[0-9A-Z]{5}$/.test(code) && !isOfTheSystem(error)) {
    return CODES[code] ?? CLASSES[code.slice(0, 2)] ?? 'fault';
  }
  const isBroken =
    isOfTheSystem(error) || /^ERR_(SSL|TLS|STREAM|SOCKET)_/.test(code) || BROKEN.test(error.message);
  return isBroken ? 'lost' : null;
}

/** Whether it is an error of the operating system. Its code, such as `EPIPE`, may look like an SQLSTATE. */
function isOfTheSystem(error: Error): boolean {
  return 'syscall' in error;
}

function origin(error: unknown): unknown {
  return isOurs(error) ? error.cause : error;
}

function isOurs(error: unknown): error is StorageError | AppError {
  return error instanceof StorageError || error instanceof AppError;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
