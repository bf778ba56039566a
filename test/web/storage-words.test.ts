import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forecast, freeText, grownText } from '../../web/pages/admin/storage-words.ts';

const MIB = 2 ** 20;

test('the page of the instance says how fast the database grows, and when its disk is full', () => {
  const words = (bytesPerDay: number | null, fullInDays: number | null) =>
    forecast({ bytesPerDay, fullInDays });

  assert.equal(words(12 * MIB, 243), 'It grows by 12 MiB a day. The disk fills up in about 8 months.');
  assert.equal(words(12 * MIB, 0.4), 'It grows by 12 MiB a day. The disk fills up within a day.');
  assert.equal(words(12 * MIB, 1.2), 'It grows by 12 MiB a day. The disk fills up in about 1 day.');
  assert.equal(words(12 * MIB, 29.6), 'It grows by 12 MiB a day. The disk fills up in about 30 days.');
  assert.equal(words(12 * MIB, 1_100), 'It grows by 12 MiB a day. The disk fills up in about 3 years.');
  assert.equal(words(12 * MIB, null), 'It grows by 12 MiB a day.');
  assert.equal(words(-5, null), 'It does not grow.');
  assert.equal(words(null, null), 'How fast it grows is known after a day.');
  assert.equal(forecast(null), '');
});

test('growth has a sign, and the disk its free share', () => {
  assert.equal(grownText(1.5 * MIB), '+1.5 MiB');
  assert.equal(grownText(-300), '−300 B');
  assert.equal(grownText(null), 'not known yet');
  assert.equal(
    freeText({ freeBytes: 4 * 1024 * MIB, totalBytes: 40 * 1024 * MIB }),
    '4.0 GiB of 40 GiB (10 %)',
  );
});
