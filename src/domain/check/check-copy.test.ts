import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyOf, nameOfCopy } from './check-copy.ts';
import { editConfig } from './check-edit.ts';
import { DEFAULT_CONFIG } from './settings.ts';

test('the name of a copy says so', () => {
  assert.equal(nameOfCopy('Backup'), 'Backup (copy)');
  assert.equal(nameOfCopy(''), ' (copy)'.trim());
});

test('a name that would become too long is cut, by characters', () => {
  assert.equal(nameOfCopy('x'.repeat(93)), `${'x'.repeat(93)} (copy)`);
  assert.equal(nameOfCopy('x'.repeat(94)), `${'x'.repeat(90)}... (copy)`);
  assert.equal(nameOfCopy('👩'.repeat(100)), `${'👩'.repeat(90)}... (copy)`);
});

test('a slug that would become too long is left out', () => {
  const slugOf = (slug: string) => copyOf({ ...DEFAULT_CONFIG, slug }).slug;
  assert.equal(slugOf('backup'), 'backup-copy');
  assert.equal(slugOf(''), '');
  assert.equal(slugOf('x'.repeat(95)), `${'x'.repeat(95)}-copy`);
  assert.equal(slugOf('x'.repeat(96)), '');
});

test('a copy has every other setting of its original', () => {
  const original = {
    ...DEFAULT_CONFIG,
    ...{ name: 'Backup', slug: 'backup', tags: 'db', description: 'Nightly', methods: 'POST' as const },
    ...{ kind: 'oncalendar' as const, schedule: 'daily', tz: 'Europe/Riga', graceSeconds: 60 },
    ...{
      filterBody: true,
      filterDefaultFail: true,
      startKeywords: 'a',
      successKeywords: 'b',
      failureKeywords: 'c',
    },
  };

  const copied = editConfig(DEFAULT_CONFIG, copyOf(original));

  assert.deepEqual({ ...copied, name: '', slug: '' }, { ...original, name: '', slug: '' });
  const simple = { ...DEFAULT_CONFIG, timeoutSeconds: 300 };
  assert.equal(editConfig(DEFAULT_CONFIG, copyOf(simple)).timeoutSeconds, 300);
});
