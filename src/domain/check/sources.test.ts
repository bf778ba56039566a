import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCheck } from './check.test-support.ts';
import { DEFAULT_CONFIG, SETTING_NAMES } from './settings.ts';
import {
  changedFields,
  decodeSources,
  FIELD_WRITERS,
  type FieldWriter,
  fieldsOf,
  markBy,
  mayOverwrite,
  SOURCED_FIELDS,
  setFields,
  settingsOfFiles,
  withMark,
  withoutKept,
  withoutMarks,
} from './sources.ts';

const ALICE = { by: 'person', at: 2, name: 'alice@example.org' } as const;
const CI = { by: 'api', at: 1, name: 'CI "key", [1]' } as const;

test('the stored form names each writer once, and is read as it was written', () => {
  const stored = withMark(withMark(null, ['timing', 'grace', 'tags'], CI), ['grace'], ALICE);

  assert.deepEqual(decodeSources(stored), { timing: CI, tags: CI, grace: ALICE });
  assert.equal(stored?.split('alice').length, 2);
  assert.equal(stored?.split('CI').length, 2);
});

test('what nobody has set is stored as nothing', () => {
  assert.equal(withMark(null, [], ALICE), null);
  assert.equal(withMark(null, ['grace'], null), null);
  assert.equal(withoutMarks(withMark(null, ['grace'], ALICE), ['grace']), null);
  assert.deepEqual(decodeSources(null), {});
});

test('imports and jobs leave alone what others have set after them', () => {
  const allowed: Record<FieldWriter, FieldWriter[]> = {
    import: ['import'],
    job: ['import', 'job'],
    file: [...FIELD_WRITERS],
    api: [...FIELD_WRITERS],
    person: [...FIELD_WRITERS],
  };

  for (const by of FIELD_WRITERS) {
    const may = (owner: FieldWriter) => mayOverwrite({ by }, { grace: { ...ALICE, by: owner } }, 'grace');
    assert.deepEqual(FIELD_WRITERS.filter(may), allowed[by], by);
    assert.equal(mayOverwrite({ by }, { tags: ALICE }, 'grace'), true, by);
  }
});

test('a file that keeps edits leaves alone what people and clients have set', () => {
  const may = (owner: FieldWriter) =>
    mayOverwrite({ by: 'file', keepsEdits: true }, { grace: { ...ALICE, by: owner } }, 'grace');

  assert.deepEqual(FIELD_WRITERS.filter(may), ['import', 'job', 'file']);
});

test('each setting but the slug belongs to a field', () => {
  const changed = SETTING_NAMES.filter(
    (name) => changedFields(DEFAULT_CONFIG, { ...DEFAULT_CONFIG, [name]: 'other' }).length === 0,
  );

  assert.deepEqual(changed, ['slug']);
  assert.deepEqual(fieldsOf({ subjectKeywords: 'OK', slug: 'a', filterBody: true }), ['filters']);
  assert.ok(fieldsOf({ timeoutSeconds: 60 }).every((field) => SOURCED_FIELDS.includes(field)));
});

test('a request sets what it names, a form of a page what it changes', () => {
  const edit = { graceSeconds: DEFAULT_CONFIG.graceSeconds, tags: 'db' };

  assert.deepEqual(setFields(CI, DEFAULT_CONFIG, edit), ['grace', 'tags']);
  assert.deepEqual(setFields(ALICE, DEFAULT_CONFIG, edit), ['tags']);
});

test('kept fields are taken out of an edit, and told if they would change', () => {
  const check = aCheck({ sources: withMark(null, ['grace', 'timing'], ALICE), graceSeconds: 60, tags: 'a' });

  const { edit, kept } = withoutKept(
    check,
    { graceSeconds: 120, timeoutSeconds: check.timeoutSeconds, tags: 'b', slug: 's' },
    { by: 'job' },
  );

  assert.deepEqual(edit, { tags: 'b', slug: 's' });
  assert.deepEqual(kept, ['grace']);
});

test('the program itself leaves no mark', () => {
  assert.equal(markBy({ means: 'program', name: 'tocsin' }, 1), null);
  assert.deepEqual(markBy({ means: 'session', name: ALICE.name }, 2), ALICE);
});

test('settings of files are told with their sources', () => {
  const file = { by: 'file', at: 1, name: 'infra' } as const;
  const sources = decodeSources(withMark(withMark(null, ['timing', 'tags'], file), ['tags'], ALICE));
  assert.deepEqual(
    settingsOfFiles(sources).map(({ setting, source }) => `${setting} ${source}`),
    ['kind infra', 'timeoutSeconds infra', 'schedule infra'],
  );
});
