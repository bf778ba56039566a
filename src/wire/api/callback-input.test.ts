import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { CALLBACK_FORM_BYTES, parseLateVerdict } from './callback-input.ts';

suite('what a provider tells of a message it took', () => {
  const rows: [form: string, error: string | null, disableChannel?: boolean][] = [
    ['', null],
    ['error=', null],
    ['error=%00', null],
    ['error=Mailbox+full', 'Mailbox full'],
    ['error=%00Mailbox%20full', 'Mailbox full'],
    ['error=gone&mark_disabled=1', 'gone', true],
    ['error=gone&mark_disabled=', 'gone'],
    ['mark_disabled=1', null],
    ['MessageStatus=failed', 'Delivery failed (status=failed).'],
    ['MessageStatus=undelivered', 'Delivery failed (status=undelivered).'],
    ['MessageStatus=delivered', null],
    ['MessageStatus=Failed', null],
    ['CallStatus=failed', 'Delivery failed (status=failed).'],
    ['CallStatus=busy', null],
    ['MessageStatus=sent&CallStatus=failed', 'Delivery failed (status=failed).'],
    ['error=first&MessageStatus=failed', 'first'],
    ['{"error":"json"}', null],
  ];
  for (const [form, error, disableChannel = false] of rows) {
    test(`${form || 'an empty form'} means ${error ?? 'nothing'}`, () => {
      assert.deepEqual(
        parseLateVerdict(Buffer.from(form)),
        error === null ? null : { error, disableChannel },
      );
    });
  }

  test('what comes after the first 64 kB of a form is not read', () => {
    const filler = 'a='.padEnd(CALLBACK_FORM_BYTES, 'x');

    assert.equal(parseLateVerdict(Buffer.from(`${filler}&error=late`)), null);
    assert.deepEqual(parseLateVerdict(Buffer.from(`error=soon&${filler}`)), {
      error: 'soon',
      disableChannel: false,
    });
  });
});
