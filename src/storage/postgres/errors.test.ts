import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../domain/errors.ts';
import { StorageError } from '../driver.ts';
import { endsSession, isDeadlock, isReadOnly, translate } from './errors.ts';

function errorOf(code: string, message = 'of the server'): Error {
  return Object.assign(new Error(message), { code });
}

function kindOf(error: unknown): string {
  if (error instanceof AppError) return error.code;
  return error instanceof StorageError ? error.kind : 'bug';
}

const meanings: [code: string, kind: string, isSessionOver: boolean, name: string][] = [
  ['08000', 'storage_unavailable', true, 'connection_exception'],
  ['08006', 'storage_unavailable', true, 'connection_failure'],
  ['08P01', 'storage_unavailable', true, 'protocol_violation'],
  ['22001', 'fault', false, 'string_data_right_truncation'],
  ['23503', 'fault', false, 'foreign_key_violation'],
  ['23505', 'conflict', false, 'unique_violation'],
  ['25006', 'storage_unavailable', true, 'read_only_sql_transaction'],
  ['25P02', 'fault', false, 'in_failed_sql_transaction'],
  ['25P03', 'storage_unavailable', true, 'idle_in_transaction_session_timeout'],
  ['25P04', 'storage_unavailable', true, 'transaction_timeout'],
  ['26000', 'storage_unavailable', true, 'invalid_sql_statement_name'],
  ['40001', 'storage_unavailable', false, 'serialization_failure'],
  ['40003', 'storage_unavailable', true, 'statement_completion_unknown'],
  ['40P01', 'storage_unavailable', false, 'deadlock_detected'],
  ['42501', 'fault', false, 'insufficient_privilege'],
  ['42P01', 'fault', false, 'undefined_table'],
  ['53000', 'storage_unavailable', true, 'insufficient_resources'],
  ['53100', 'storage_unavailable', true, 'disk_full'],
  ['53200', 'storage_unavailable', true, 'out_of_memory'],
  ['53300', 'storage_unavailable', false, 'too_many_connections'],
  ['54000', 'fault', false, 'program_limit_exceeded'],
  ['55P03', 'storage_unavailable', false, 'lock_not_available'],
  ['57014', 'storage_unavailable', false, 'query_canceled'],
  ['57P01', 'storage_unavailable', true, 'admin_shutdown'],
  ['57P03', 'storage_unavailable', true, 'cannot_connect_now'],
  ['57P04', 'storage_unavailable', true, 'database_dropped'],
  ['57P05', 'storage_unavailable', true, 'idle_session_timeout'],
  ['58000', 'storage_unavailable', true, 'system_error'],
  ['58030', 'storage_unavailable', true, 'io_error'],
  ['58P01', 'storage_unavailable', true, 'undefined_file'],
  ['72000', 'storage_unavailable', false, 'snapshot_too_old'],
  ['XX000', 'fault', false, 'internal_error'],
  ['XX001', 'fault', false, 'data_corrupted'],
];
for (const [code, kind, isSessionOver, name] of meanings) {
  test(`${code}, ${name}, is ${kind} and ${isSessionOver ? 'ends' : 'leaves'} the session`, () => {
    const error = errorOf(code);

    assert.equal(kindOf(translate(error)), kind);
    assert.equal(endsSession(error), isSessionOver);
    assert.equal(endsSession(translate(error)), isSessionOver);
    assert.equal(isDeadlock(translate(error)), ['40001', '40P01'].includes(code));
    assert.equal(isReadOnly(translate(error)), code === '25006');
  });
}

test('a connection that breaks is an outage and ends the session, whatever the system calls it', () => {
  const broken = [
    ...['EPIPE', 'ECONNRESET', 'EHOSTUNREACH', 'ENETDOWN', 'ETIMEDOUT'].map((code) =>
      Object.assign(errorOf(code), { syscall: 'write' }),
    ),
    errorOf('ERR_SSL_BAD_RECORD_TYPE'),
    errorOf('ERR_STREAM_DESTROYED'),
    new Error('Connection terminated unexpectedly'),
    new Error('Client was closed and is not queryable'),
    new Error('Query read timeout'),
  ];

  for (const error of broken) {
    assert.equal(kindOf(translate(error)), 'storage_unavailable', error.message);
    assert.equal(endsSession(error), true);
  }
});

test('an error of our own code stays what it is', () => {
  const bug = new TypeError('undefined is not a function');

  assert.equal(translate(bug), bug);
  assert.equal(endsSession(bug), false);
});
