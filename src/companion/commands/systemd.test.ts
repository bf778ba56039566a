import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { invocationOf, serviceEnd } from './systemd.ts';

suite('the end of a service of systemd', () => {
  const ends: readonly [
    result: string,
    code: string,
    status: string,
    signal: string | number,
    word: string | null,
  ][] = [
    ['success', 'exited', '0', 'success', null],
    // A status that the unit counts as a success.
    ['success', 'exited', '24', 'success', null],
    ['exit-code', 'exited', '3', 3, null],
    ['signal', 'killed', 'KILL', 137, null],
    ['signal', 'killed', 'TERM', 143, null],
    ['core-dump', 'dumped', 'SEGV', 139, null],
    ['timeout', 'killed', 'TERM', 'fail', 'timeout'],
    ['watchdog', 'dumped', 'ABRT', 'fail', 'watchdog'],
    ['oom-kill', 'killed', 'KILL', 'fail', 'oom-kill'],
    ['start-limit-hit', '', '', 'fail', 'start-limit-hit'],
    ['signal', 'killed', 'RTMIN+3', 'fail', 'signal'],
    ['exit-code', 'exited', 'NOPERMISSION', 'fail', 'exit-code'],
  ];
  for (const [result, code, status, signal, word] of ends) {
    test(`${result} by ${code} ${status} is ${signal}`, () => {
      const environment = { SERVICE_RESULT: result, EXIT_CODE: code, EXIT_STATUS: status };
      assert.deepEqual(serviceEnd(environment), { signal, word });
    });
  }

  test('is not known elsewhere', () => {
    assert.equal(serviceEnd({ EXIT_STATUS: '3' }), null);
  });
});

suite('the run of a service of systemd', () => {
  const INVOCATION_ID = '0b2c5c0e6f3b4b869d5e2f4c4a3f1c11';
  const RID = '0b2c5c0e-6f3b-4b86-9d5e-2f4c4a3f1c11';

  test('is ours if systemd has started us, or if we are told', () => {
    assert.equal(invocationOf({ INVOCATION_ID, SYSTEMD_EXEC_PID: '42' }, false, 42), RID);
    assert.equal(invocationOf({ INVOCATION_ID }, true, 42), RID);
  });

  test('is not ours in a job of a cron service', () => {
    assert.equal(invocationOf({ INVOCATION_ID, SYSTEMD_EXEC_PID: '7' }, false, 42), null);
    assert.equal(invocationOf({ INVOCATION_ID: 'x' }, true, 42), null);
  });
});
