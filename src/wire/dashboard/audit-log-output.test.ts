import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoggedAct } from '../../domain/people/audit.ts';
import { logHeader, logLines } from './audit-log-output.ts';

const ACT: LoggedAct = {
  ...{ id: 1, createdAt: 0, accountId: 1, accountUuid: 'uuid', actor: 'a@example.org', means: 'session' },
  ...{ remoteAddr: null, projectId: 1, action: 'check.updated' },
  subject: { kind: 'check', id: 'key', name: 'Nightly' },
  details: { before: { name: 'a "b"' } },
};

test('a line of CSV has all columns, each in quotes', () => {
  assert.equal(
    logHeader('csv') + logLines([ACT], 'csv'),
    '"time","actor","account","means","address","action","subject_kind","subject_id","subject_name","details"\r\n' +
      '"1970-01-01T00:00:00+00:00","a@example.org","uuid","session","","check.updated","check","key","Nightly",' +
      '"{""before"":{""name"":""a \\""b\\""""}}"\r\n',
  );
});

test('no cell of CSV is a formula', () => {
  for (const name of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '\r\n=1', '＝1', '|calc', '%0A=1']) {
    const line = logLines([{ ...ACT, subject: { ...ACT.subject, name } }], 'csv');
    assert.ok(line.includes(`"'${name}"`), JSON.stringify(line));
  }
});

test('a line of JSON is the entry as the page gets it', () => {
  assert.deepEqual(JSON.parse(logLines([ACT], 'jsonl')), {
    ...{ at: '1970-01-01T00:00:00+00:00', actor: 'a@example.org', account: 'uuid', means: 'session' },
    ...{ address: null, action: 'check.updated', subject: ACT.subject, details: ACT.details },
  });
  assert.equal(logLines([ACT, ACT], 'jsonl').split('\n').length, 3);
});
