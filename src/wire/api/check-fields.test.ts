import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError } from '../../domain/errors.ts';
import { Fault } from '../../lib/fields.ts';
import { CHECK_FIELDS, matchOf, parseCheckInput, scheduleFault, toCheckEdit } from './check-fields.ts';

test('fields are examined in the order of the contract', () => {
  assert.deepEqual(Object.keys(CHECK_FIELDS), [
    'channels',
    'desc',
    'done_channels',
    'failure_kw',
    'filter_subject',
    'filter_body',
    'filter_http_body',
    'filter_default_fail',
    'grace',
    'manual_resume',
    'methods',
    'name',
    'parents',
    'policy',
    'run_rules',
    'schedule',
    'slug',
    'start_kw',
    'subject',
    'subject_fail',
    'success_kw',
    'tags',
    'timeout',
    'tz',
    'unique',
  ]);
});

test('the first fault in that order is told, wherever it stands in the request', () => {
  const parse = () => parseCheckInput({ tz: 'bad', unique: 5, timeout: 1, grace: 1 });

  assert.throws(parse, (error: unknown) => {
    assert.ok(error instanceof AppError);
    assert.deepEqual(
      [error.code, error.message],
      ['invalid_field', 'json validation error: grace is too small'],
    );
    return true;
  });
});

test('every field has a description for the reference', () => {
  for (const [name, { schema }] of Object.entries(CHECK_FIELDS)) {
    assert.equal(typeof schema.description, 'string', name);
  }
});

test('a request becomes an edit of the fields that it has, and of no others', () => {
  const input = parseCheckInput({ desc: '', timeout: 60, filter_body: false, unknown: 1 });

  assert.deepEqual(toCheckEdit(input, 3), { description: '', timeoutSeconds: 60, filterBody: false });
});

test('every field but channels and criteria becomes part of the edit', () => {
  const input = parseCheckInput({
    channels: '*',
    desc: 'd',
    failure_kw: 'f',
    filter_subject: true,
    filter_body: true,
    filter_http_body: true,
    filter_default_fail: true,
    grace: 61,
    manual_resume: true,
    methods: 'POST',
    name: 'n',
    schedule: 'daily',
    slug: 's',
    start_kw: 'st',
    subject: 'sub',
    subject_fail: 'subf',
    success_kw: 'su',
    tags: 't',
    timeout: 62,
    tz: 'Europe/Kiev',
    unique: ['name'],
  });

  assert.deepEqual(toCheckEdit(input, 3), {
    description: 'd',
    failureKeywords: 'f',
    filterSubject: true,
    filterBody: true,
    filterHttpBody: true,
    filterDefaultFail: true,
    graceSeconds: 61,
    manualResume: true,
    methods: 'POST',
    name: 'n',
    schedule: { kind: 'oncalendar', expression: 'daily' },
    slug: 's',
    startKeywords: 'st',
    subjectKeywords: 'sub',
    subjectFailureKeywords: 'subf',
    successKeywords: 'su',
    tags: 't',
    timeoutSeconds: 62,
    tz: 'Europe/Kiev',
  });
});

test('before version 3 the slug follows from the name unless it is sent', () => {
  assert.equal(toCheckEdit({ name: 'Foo Bar' }, 1).slug, 'foo-bar');
  assert.equal(toCheckEdit({ name: 'Foo Bar' }, 2).slug, 'foo-bar');
  assert.equal(toCheckEdit({ name: '' }, 2).slug, '');
  assert.equal(toCheckEdit({ name: 'Foo', slug: '' }, 1).slug, '');
  assert.equal('slug' in toCheckEdit({ name: 'Foo' }, 3), false);
  assert.equal('slug' in toCheckEdit({ tags: 't' }, 1), false);
});

test('a schedule tells its kind', () => {
  const kindOf = (schedule: string) => parseCheckInput({ schedule }).schedule?.kind;

  assert.equal(kindOf('5 4 * * *'), 'cron');
  assert.equal(kindOf('12:34'), 'oncalendar');
});

test('criteria compare what was sent, all of it', () => {
  const sent = { name: '', slug: 's', tags: 't', timeout: 60, grace: 61 };

  assert.deepEqual(matchOf({ ...sent, unique: ['name', 'slug', 'tags', 'timeout', 'grace'] }), {
    name: '',
    slug: 's',
    tags: 't',
    timeoutSeconds: 60,
    graceSeconds: 61,
  });
  assert.deepEqual(matchOf({ ...sent, unique: ['grace', 'grace'] }), { graceSeconds: 61 });
});

test('without criteria, or without the value of one of them, there is nothing to compare', () => {
  assert.equal(matchOf({ name: 'n' }), null);
  assert.equal(matchOf({ name: 'n', unique: [] }), null);
  assert.equal(matchOf({ unique: ['name'] }), null);
  assert.equal(matchOf({ name: 'n', unique: ['name', 'slug'] }), null);
});

test('people are told why an expression is no schedule', () => {
  assert.equal(scheduleFault('5 4 * * *'), null);
  assert.match(scheduleFault('0 0 31 2 *') ?? '', /has a day 31/);
  assert.match(scheduleFault('1999-01-01') ?? '', /never runs/);
});

describe('texts', () => {
  const texts = Object.entries(CHECK_FIELDS).filter(
    ([, { schema }]) => schema.type === 'string' && !('enum' in schema),
  );

  for (const [name, { schema }] of texts) {
    // A time zone is one of a list, and a list is limit enough.
    if (name === 'tz') continue;
    test(`${name} has a limit, which is documented and tested for in code points`, () => {
      const { maxLength } = schema;
      assert.ok(typeof maxLength === 'number');
      const field = CHECK_FIELDS[name as keyof typeof CHECK_FIELDS];

      assert.deepEqual(field.read('😀'.repeat(maxLength + 1), name), new Fault(`${name} is too long`));
      const read = field.read('😀'.repeat(maxLength), name);
      assert.ok(!(read instanceof Fault) || !read.reason.includes('too long'));
    });
  }

  test('a time zone of any length is no time zone', () => {
    assert.deepEqual(
      CHECK_FIELDS.tz.read('x'.repeat(1_000_000), 'tz'),
      new Fault('tz is not a valid timezone'),
    );
  });
});
