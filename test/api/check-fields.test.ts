import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHECK_FIELDS } from '../../src/wire/api/check-fields.ts';
import { sharedTestApp, type TestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { storedChecks } from '../records.ts';
import { assertError, assertStatus, type CheckAnswer, checkOf, pick } from './answers.ts';

const CHECKS = '/api/v3/checks/';

const TEXTS = [
  'channels',
  'desc',
  'failure_kw',
  'name',
  'schedule',
  'slug',
  'start_kw',
  'subject',
  'subject_fail',
  'success_kw',
  'tags',
  'tz',
];
const FLAGS = Object.entries(CHECK_FIELDS).flatMap(([name, { schema }]) =>
  schema.type === 'boolean' ? name : [],
);
const KEYWORDS = ['start_kw', 'success_kw', 'failure_kw', 'subject', 'subject_fail'];
const NO_SCHEDULE = 'schedule is not a valid cron or OnCalendar expression';
const NO_TIMEZONE = 'tz is not a valid timezone';
const NO_ITEM = "an item in 'unique' has unexpected value";

type Body = Readonly<Record<string, unknown>>;

/** One value of one field each, all refused for the same reason. */
function refusals(field: string, reason: string, values: readonly unknown[]): [Body, string][] {
  return values.map((value) => [{ [field]: value }, reason]);
}

function durations(field: string): [Body, string][] {
  return [
    ...refusals(field, `${field} is too small`, [59, 0, -5, -1e300]),
    ...refusals(field, `${field} is too large`, [31_536_001, 1e15, 1e300]),
    ...refusals(field, `${field} is not a number`, ['60', 'P1D', 60.5, [], {}, [60], true, false, '']),
  ];
}

/** Bodies that create and update refuse alike, with the reason that follows `json validation error: `. */
const REFUSED: [name: string, rows: [Body, string][]][] = [
  ['a name that is no text', refusals('name', 'name is not a string', [false, null, 0, [], {}])],
  [
    'a name of more than 100 characters',
    refusals('name', 'name is too long', ['n'.repeat(101), '😀'.repeat(101), 'n'.repeat(100_000)]),
  ],
  ['null for a text', TEXTS.flatMap((field) => refusals(field, `${field} is not a string`, [null]))],
  [
    'null for a number',
    ['timeout', 'grace'].flatMap((field) => refusals(field, `${field} is not a number`, [null])),
  ],
  [
    'a flag that is no boolean',
    FLAGS.flatMap((flag) =>
      refusals(flag, `${flag} is not a boolean`, [null, 'surprise', 1, 0, '', [], 'true']),
    ),
  ],
  [
    'criteria that are no list',
    refusals('unique', 'unique is not an array', [
      null,
      'not a list',
      {},
      'name',
      5,
      { length: 1, 0: 'name' },
    ]),
  ],
  [
    'methods other than all or POST alone',
    refusals('methods', 'methods has unexpected value', [
      null,
      'GET',
      'post',
      5,
      ' ',
      'POST ',
      ['POST'],
      [],
      false,
    ]),
  ],
  ['a timeout out of bounds, or no whole number', durations('timeout')],
  ['a grace out of bounds, or no whole number', durations('grace')],
  [
    'a slug with other characters',
    refusals('slug', 'slug does not match pattern', [
      'Uppercase',
      'special!',
      'look spaces',
      'é',
      'abc\n',
      '\nabc',
      'a.b',
      'a/b',
      ' ',
      '٣',
    ]),
  ],
  [
    'a slug of more than 100 characters, whatever they are',
    refusals('slug', 'slug is too long', ['a'.repeat(101), 'A'.repeat(101), '!'.repeat(101)]),
  ],
  ['a description that is no text', refusals('desc', 'desc is not a string', [123, [], {}])],
  [
    'a description of more than 100,000 characters',
    refusals('desc', 'desc is too long', ['d'.repeat(100_001), '😀'.repeat(100_001), 'd'.repeat(2_000_000)]),
  ],
  [
    'a list of integrations of more than 100,000 characters',
    refusals('channels', 'channels is too long', [','.repeat(100_001)]),
  ],
  ['tags that are no text', refusals('tags', 'tags is not a string', [5, ['a', 'b']])],
  ['tags of more than 500 characters', refusals('tags', 'tags is too long', ['t'.repeat(501)])],
  [
    'keywords of more than 200 characters',
    KEYWORDS.flatMap((field) => refusals(field, `${field} is too long`, ['A'.repeat(201)])),
  ],
  ['channels that are no text', refusals('channels', 'channels is not a string', [123, [], ['*']])],
  [
    'criteria that no check is found by',
    refusals('unique', NO_ITEM, [
      ['status'],
      [1],
      [null],
      ['name', 'status'],
      ['name', null],
      [['name']],
      ['Name'],
      [''],
      ['uuid'],
      ['__proto__'],
    ]),
  ],
  [
    'several faults, of which the first in a fixed order is told',
    [
      [{ timeout: 'x', channels: 5, name: 7 }, 'channels is not a string'],
      [{ tz: 'bad', schedule: 'bad', timeout: 1 }, NO_SCHEDULE],
      [{ unique: 'x', tz: 'bad', timeout: 1 }, 'timeout is too small'],
      [{ unique: 'x', tz: 'bad' }, NO_TIMEZONE],
      [{ slug: 'A', name: 5 }, 'name is not a string'],
      [{ filter_body: 1, filter_subject: 1 }, 'filter_subject is not a boolean'],
      [{ filter_default_fail: 1, filter_http_body: 1 }, 'filter_http_body is not a boolean'],
      [{ filter_http_body: 1, filter_body: 1 }, 'filter_body is not a boolean'],
      [{ filter_subject: 1, failure_kw: 1 }, 'failure_kw is not a string'],
      [{ failure_kw: 1, desc: 1 }, 'desc is not a string'],
      [{ methods: 1, manual_resume: 1, grace: 1 }, 'grace is too small'],
      [{ methods: 1, manual_resume: 1 }, 'manual_resume is not a boolean'],
      [{ name: 1, methods: 1 }, 'methods has unexpected value'],
      [{ tags: 1, success_kw: 1, subject_fail: 1, subject: 1, start_kw: 1 }, 'start_kw is not a string'],
      [{ tags: 1, success_kw: 1, subject_fail: 1, subject: 1 }, 'subject is not a string'],
      [{ tags: 1, success_kw: 1, subject_fail: 1 }, 'subject_fail is not a string'],
      [{ timeout: 1, tags: 1, success_kw: 1 }, 'success_kw is not a string'],
      [{ timeout: 1, tags: 1 }, 'tags is not a string'],
    ],
  ],
  [
    'an expression that is no schedule',
    refusals('schedule', NO_SCHEDULE, [
      'bad-expression',
      '* * * * * *',
      '* invalid *',
      '1,2 61 * * *',
      '0 0 31 2 *',
      '@daily',
      '',
      ' ',
      '   \n ',
      '* * * *',
      '60 * * * *',
    ]),
  ],
  [
    'an OnCalendar expression that is none, or all of it before 2000',
    refusals('schedule', NO_SCHEDULE, [
      'Surprise 12:34',
      '12:34 Europe/surprise',
      '12:34\nsurprise',
      '1999-01-01',
      '25:00',
    ]),
  ],
  [
    'a schedule of more than 100 characters',
    refusals('schedule', 'schedule is too long', [
      `* * * * *${' '.repeat(92)}`,
      'x'.repeat(101),
      ' '.repeat(101),
    ]),
  ],
  [
    'a time zone that is none',
    refusals('tz', NO_TIMEZONE, [
      'not-a-timezone',
      '',
      'europe/riga',
      'Europe/riga',
      ' Europe/Riga',
      'Factory',
      'localtime',
      'posixrules',
      'right/UTC',
      'posix/Europe/Riga',
      '+02:00',
      '__proto__',
      'x'.repeat(10_000),
    ]),
  ],
  ['a time zone that is no text', refusals('tz', 'tz is not a string', [5, ['UTC']])],
  ['a bad timeout beside a schedule', [[{ schedule: '0 0 * * *', timeout: 1 }, 'timeout is too small']]],
];

/** Bodies that create and update take; what is shown for them, where it is not just what was sent. */
const ACCEPTED: [name: string, rows: [Body, shown?: Body][]][] = [
  ['a name of 100 letters', [[{ name: 'n'.repeat(100) }], [{ name: '' }], [{ name: ' <b>\t\n' }]]],
  ['a name of 100 emoji', [[{ name: '😀'.repeat(100) }]]],
  ['the least and the greatest timeout', [[{ timeout: 60 }], [{ timeout: 31_536_000 }]]],
  ['the least and the greatest grace', [[{ grace: 60 }], [{ grace: 31_536_000 }]]],
  [
    'a slug of letters, digits, hyphens and underscores',
    [[{ slug: 'a-b_c9' }], [{ slug: '' }], [{ slug: '-_' }]],
  ],
  ['a slug of 100 characters', [[{ slug: 's'.repeat(100) }]]],
  [
    'a description of 100,000 characters',
    [[{ desc: 'd'.repeat(100_000) }], [{ desc: '😀'.repeat(100_000) }], [{ desc: '日本\r\n' }]],
  ],
  ['tags just as they are', [[{ tags: ' a  b ' }], [{ tags: 'a,b\tc' }], [{ tags: 't'.repeat(500) }]]],
  [
    'flags, on and off',
    FLAGS.flatMap((flag) => [[{ [flag]: true }], [{ [flag]: false }]] satisfies [Body][]),
  ],
  ['methods, all or POST alone', [[{ methods: 'POST' }], [{ methods: '' }]]],
  ['keywords of 200 characters', KEYWORDS.map((field) => [{ [field]: 'A'.repeat(200) }])],
  ['keywords of 200 emoji', KEYWORDS.map((field) => [{ [field]: '😀'.repeat(200) }])],
  ['a schedule with its time zone', [[{ schedule: '5 * * * *', tz: 'Europe/Riga', grace: 60 }]]],
  [
    'OnCalendar expressions, also of several lines, with a zone, and in the past since 2000',
    [
      '12:34',
      'daily',
      'Mon..Fri 10:00',
      '12:34\n13:45',
      '12:34 Europe/Riga',
      '*-*~1 12:00',
      '2019-01-01',
    ].map((schedule) => [{ schedule }, { schedule, tz: 'UTC' }]),
  ],
  [
    'a schedule with blanks around it, just as it is',
    ['* * * * *\n', ' * * * * * ', '*  *\t* * *', `* * * * *${' '.repeat(91)}`].map((schedule) => [
      { schedule },
    ]),
  ],
  [
    'a time zone by the name that was given, also by an older one',
    [
      ...['Europe/Kiev', 'US/Eastern', 'UCT', 'CET', 'GMT', 'UTC', 'Asia/Calcutta'],
      'America/Argentina/Buenos_Aires',
    ].map((tz) => [{ schedule: '0 0 * * *', tz }]),
  ],
  ['an empty list of criteria', [[{ name: 'n', unique: [] }, { name: 'n' }]]],
];

/** The check that a create and an update with this body answer with. */
async function createAndUpdate(app: TestApp, key: string, body: Body): Promise<[CheckAnswer, CheckAnswer]> {
  const about = JSON.stringify(body).slice(0, 120);
  const base = await app.request('POST', CHECKS, { key });
  const created = await app.request('POST', CHECKS, { key, body });
  const updated = await app.request('POST', CHECKS + checkOf(base).uuid, { key, body });
  assertStatus(created, 201, `create ${about}`);
  assertStatus(updated, 200, `update ${about}`);
  return [checkOf(created), checkOf(updated)];
}

const ROOMY = { checks: 1000, pings: 100 };

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  for (const [name, rows] of REFUSED) {
    test(`${name} is refused on create and on update`, async () => {
      const { key, project } = await app().givenProject();
      const check = await app().givenCheck(project);

      for (const [body, reason] of rows) {
        const about = JSON.stringify(body).slice(0, 120);
        const error = `json validation error: ${reason}`;
        assertError(await app().request('POST', CHECKS, { key, body }), 400, error, `create ${about}`);
        const updated = await app().request('POST', CHECKS + check.uuid, { key, body });
        assertError(updated, 400, error, `update ${about}`);
      }

      assert.deepEqual(await storedChecks(app().deps.store, project), [check]);
    });
  }

  for (const [name, rows] of ACCEPTED) {
    test(`${name}: taken on create and on update`, async () => {
      const { key } = await app().givenProject({ limits: ROOMY });

      for (const [body, shown = body] of rows) {
        const keys = Object.keys(shown);
        for (const check of await createAndUpdate(app(), key, body)) {
          assert.deepEqual(pick(check, keys), shown);
          const stored = checkOf(await app().request('GET', CHECKS + check.uuid, { key }));
          assert.deepEqual(stored, check, 'what is read later is what was answered');
        }
      }
    });
  }

  test('an older name of a time zone means the zone of today', async () => {
    const { key, project } = await app().givenProject();
    const check = await app().givenCheck(project, { status: 'up', lastPingAt: app().clock.now() });
    const nextPing = async (tz: string) => {
      const body = { schedule: '0 3 * * *', tz };
      return checkOf(await app().request('POST', CHECKS + check.uuid, { key, body })).next_ping;
    };

    assert.equal(await nextPing('US/Eastern'), '2024-03-02T08:00:00+00:00');
    assert.equal(await nextPing('America/New_York'), '2024-03-02T08:00:00+00:00');
  });

  test('a whole number of any size is too large or too small', async () => {
    const { key, project } = await app().givenProject();
    const { uuid } = await app().givenCheck(project);
    const rows: [number: string, reason: string][] = [
      ['1000000000000000000000000000000', 'too large'],
      ['9007199254740993', 'too large'],
      [`1${'0'.repeat(400)}`, 'too large'],
      ['-1000000000000000000000000000000', 'too small'],
      [`-1${'0'.repeat(400)}`, 'too small'],
    ];

    for (const field of ['timeout', 'grace']) {
      for (const [number, reason] of rows) {
        const body = `{"${field}":${number}}`;
        const error = `json validation error: ${field} is ${reason}`;
        assertError(await app().request('POST', CHECKS, { key, body }), 400, error, body);
        assertError(await app().request('POST', CHECKS + uuid, { key, body }), 400, error, body);
      }
    }
  });

  test('a whole number may be written with a point or an exponent', async () => {
    const { key } = await app().givenProject();

    for (const [body, timeout] of [
      ['{"timeout":60.0}', 60],
      ['{"timeout":1e2}', 100],
    ]) {
      const reply = await app().request('POST', CHECKS, { key, body });
      assert.equal(checkOf(reply).timeout, timeout, String(body));
    }
  });

  test('checks may share a slug', async () => {
    const { key } = await app().givenProject();

    const first = await createAndUpdate(app(), key, { slug: 'same' });
    const second = await createAndUpdate(app(), key, { slug: 'same' });

    assert.deepEqual(
      [...first, ...second].map((check) => check.slug),
      ['same', 'same', 'same', 'same'],
    );
  });

  test('a check with a schedule shows no timeout', async () => {
    const { key } = await app().givenProject();

    for (const schedule of ['5 * * * *', 'daily']) {
      for (const check of await createAndUpdate(app(), key, { schedule, tz: 'Europe/Riga' })) {
        assert.deepEqual(Object.keys(check).slice(-3), ['schedule', 'tz', 'sources'], schedule);
        assert.equal('timeout' in check, false, schedule);
      }
    }
  });

  test('a schedule wins over a timeout sent with it, which is not kept', async () => {
    const { key } = await app().givenProject();

    for (const check of await createAndUpdate(app(), key, { schedule: '0 0 * * *', timeout: 300 })) {
      assert.equal(check.schedule, '0 0 * * *');
      assert.equal('timeout' in check, false);
      const stored = await app().deps.store.checks.byUuid(String(check.uuid));
      assert.equal(stored?.timeoutSeconds, 86_400);
    }
  });

  test('a time zone without a schedule is kept for later', async () => {
    const { key } = await app().givenProject();

    for (const check of await createAndUpdate(app(), key, { tz: 'Europe/Riga' })) {
      assert.equal('tz' in check, false);
      assert.equal(check.timeout, 86_400);
      const body = { schedule: '0 0 * * *' };
      const later = checkOf(await app().request('POST', CHECKS + check.uuid, { key, body }));
      assert.equal(later.tz, 'Europe/Riga');
      assert.equal(later.schedule, '0 0 * * *');
    }
  });
});
