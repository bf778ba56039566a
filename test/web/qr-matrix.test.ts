import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { qrMatrix } from '../../web/ui/qr-matrix.ts';

const digest = (text: string) => {
  const rows = qrMatrix(text)?.map((row) => row.map((isDark) => (isDark ? '1' : '0')).join(''));
  return createHash('sha256')
    .update(rows?.join('\n') ?? '')
    .digest('hex')
    .slice(0, 16);
};

test('codes are those that other programs make of the same text', () => {
  // Compared with the Python package qrcode, with the same masks.
  assert.equal(qrMatrix('a')?.length, 21);
  assert.equal(digest('a'), '56bb324cb2e86a13');
  const uri =
    'otpauth://totp/Tocsin:alice%40example.org?issuer=Tocsin&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30';
  assert.equal(qrMatrix(uri)?.length, 41);
  assert.equal(digest(uri), '744e4ac24c0d7097');
  const long = 'Aé'.repeat(136);
  assert.equal(qrMatrix(long)?.length, 69);
  assert.equal(digest(long), '385af71b00450fa2');
});

test('a text that is too long has no code', () => {
  assert.notEqual(qrMatrix('x'.repeat(425)), null);
  assert.equal(qrMatrix('x'.repeat(426)), null);
});
