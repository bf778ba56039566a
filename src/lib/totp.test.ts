import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from './instant.ts';
import { newTotpSecret, totpCode, totpStep, totpUri } from './totp.ts';

/** The key of RFC 6238, appendix B: "12345678901234567890". */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

suite('codes of an app', () => {
  test('are those of RFC 6238, cut to six digits', () => {
    assert.equal(totpCode(SECRET, seconds(59)), '287082');
    assert.equal(totpCode(SECRET, seconds(1_111_111_109)), '081804');
    assert.equal(totpCode(SECRET, seconds(20_000_000_000)), '353130');
  });

  test('are accepted one step early and one step late, and name their step', () => {
    const now = seconds(1_709_294_400);
    const codes = [-60, -30, 0, 30, 60].map((offset) => totpCode(SECRET, now + seconds(offset)));

    assert.deepEqual(
      codes.map((code) => totpStep(code, SECRET, now)),
      [null, 56_976_479, 56_976_480, 56_976_481, null],
    );
  });

  test('of another form are wrong', () => {
    for (const code of ['', '12345', '1234567', 'abcdef', ' 287082', '２８７０８２'])
      assert.equal(totpStep(code, SECRET, seconds(59)), null, code);
  });

  test('come from a secret of twenty random bytes', () => {
    assert.equal(newTotpSecret({ bytes: () => Buffer.from('12345678901234567890') }), SECRET);
    assert.equal(
      totpUri(SECRET, 'Tocsin & Co', 'a@example.org'),
      `otpauth://totp/Tocsin%20%26%20Co:a%40example.org?issuer=Tocsin%20%26%20Co&secret=${SECRET}&algorithm=SHA1&digits=6&period=30`,
    );
  });
});
