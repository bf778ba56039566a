import { AppError } from '../../domain/errors.ts';
import { StorageError, storageUnavailable } from '../driver.ts';

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const UNIQUE_VIOLATION = '23505';
const DEADLOCKS = new Set(['40001', '40P01']);
// Waiting too long for a statement or a lock, or too many connections: overload, which passes.
const OVERLOAD = new Set(['57014', '55P03', '53300', '53400']);
// Shutdown, crash, start-up, a terminated or idle session: the connection is gone. So, for us, is one whose server does
// not know the statements that we prepared there.
const GONE = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '25P03',
  '08000',
  '08003',
  '08006',
  '08001',
  '08004',
  '26000',
]);

/** The error in our terms, once. */
export function translate(error: unknown): unknown {
  if (isOurs(error) || !(error instanceof Error)) return error;
  const code = codeOf(error);
  if (code === UNIQUE_VIOLATION) return new StorageError('conflict', error.message, { cause: error });
  if (OVERLOAD.has(code) || DEADLOCKS.has(code) || isLostConnection(error)) {
    return storageUnavailable(error.message, error);
  }
  if (isServerError(error)) return new StorageError('fault', error.message, { cause: error });
  return error;
}

export function isDeadlock(error: unknown): boolean {
  return DEADLOCKS.has(codeOf(origin(error)));
}

/** The server is there and does not want us: a wrong password, or a database that does not exist. */
export function isRefusal(error: unknown): boolean {
  return /^(28...|3D000)$/.test(codeOf(error));
}

/** Not even the server's own time-out came back: it has vanished, or the way to it has. */
export function isSilence(error: unknown): boolean {
  const cause = origin(error);
  return cause instanceof Error && cause.message === 'Query read timeout';
}

export function isLostConnection(error: unknown): boolean {
  const cause = origin(error);
  if (!(cause instanceof Error)) return false;
  const code = codeOf(cause);
  return (
    GONE.has(code) ||
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'].includes(code) ||
    // The client library gives these no code.
    /^(Connection terminated|Client has encountered a connection error|Query read timeout)/.test(
      cause.message,
    )
  );
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

/** Five characters of SQLSTATE tell a server's error from one of our own code. */
function isServerError(error: Error): boolean {
  return /^[0-9A-Z]{5}$/.test(codeOf(error));
}
