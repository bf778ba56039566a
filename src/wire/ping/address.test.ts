import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { parseAge, parsePingPath, parseRid } from './address.ts';

const UUID = '9f2a3a37-1f4d-1a3b-0a44-00000000000f';

suite('a path', () => {
  const byUuid = { target: { uuid: UUID }, signal: 'success', exitStatus: null, fault: null };
  const bySlug = { ...byUuid, target: { pingKey: 'Key_-1', slug: 'job' } };
  const tooHigh = { fault: 'invalid_exit_status' };
  for (const [path, expected] of [
    [UUID, byUuid],
    [`${UUID}/`, byUuid],
    [`${UUID}/start`, { ...byUuid, signal: 'start' }],
    [`${UUID}/fail`, { ...byUuid, signal: 'fail' }],
    [`${UUID}/log`, { ...byUuid, signal: 'log' }],
    [`${UUID}/0`, { ...byUuid, exitStatus: 0 }],
    [`${UUID}/000`, { ...byUuid, exitStatus: 0 }],
    [`${UUID}/255`, { ...byUuid, signal: 'fail', exitStatus: 255 }],
    [`${UUID}/0255`, { ...byUuid, signal: 'fail', exitStatus: 255 }],
    [`${UUID}/256`, { ...byUuid, ...tooHigh }],
    [`${UUID}/${'9'.repeat(400)}`, { ...byUuid, ...tooHigh }],
    [`${UUID}/foo`, { ...byUuid, target: { pingKey: UUID, slug: 'foo' } }],
    [`${UUID}/-1`, { ...byUuid, target: { pingKey: UUID, slug: '-1' } }],
    [`${UUID}/start/start`, { ...byUuid, target: { pingKey: UUID, slug: 'start' }, signal: 'start' }],
    [`${UUID.toUpperCase()}/start`, { ...byUuid, target: { pingKey: UUID.toUpperCase(), slug: 'start' } }],
    ['Key_-1/job', bySlug],
    ['Key_-1/job/start', { ...bySlug, signal: 'start' }],
    ['Key_-1/job/7', { ...bySlug, signal: 'fail', exitStatus: 7 }],
    ['Key_-1/job/256', { ...bySlug, ...tooHigh }],
    ['Key_-1/7', { ...bySlug, target: { pingKey: 'Key_-1', slug: '7' } }],
    [`k/${'a'.repeat(100)}`, { ...bySlug, target: { pingKey: 'k', slug: 'a'.repeat(100) } }],
    [`k/${'a'.repeat(101)}`, 'invalid_url'],
    ['k/Job', 'invalid_url'],
    ['k/JOB/256', 'invalid_url'],
    [`${UUID}/FAIL`, 'invalid_url'],
    ['k/JOB/nonsense', 'not_found'],
    ['', 'not_found'],
    ['/', 'not_found'],
    ['k', 'not_found'],
    ['k/', 'not_found'],
    ['/job', 'not_found'],
    ['k/job/', 'not_found'],
    ['k/job/START', 'not_found'],
    ['k/job/start/', 'not_found'],
    ['k/job/start/x', 'not_found'],
    ['k/jöb', 'not_found'],
    ['k/job\n', 'not_found'],
    ['k.y/job', 'not_found'],
    ['k/j.b', 'not_found'],
    [`${UUID}\n`, 'not_found'],
    [`${UUID}//`, 'not_found'],
    [`${UUID}/start/`, 'not_found'],
    [`${UUID}/1.5`, 'not_found'],
    [`${UUID}/+1`, 'not_found'],
    [`${UUID}/٣`, 'not_found'],
    [UUID.toUpperCase(), 'not_found'],
    [UUID.replaceAll('-', ''), 'not_found'],
  ] as const) {
    const shown = path.length > 60 ? `${path.slice(0, 50)}…` : path;
    test(`${JSON.stringify(shown)} is ${typeof expected === 'string' ? expected : 'an address'}`, () => {
      assert.deepEqual(parsePingPath(path), expected);
    });
  }

  test('of any kind is an address or a refusal, never an exception', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (path) => {
        const parsed = parsePingPath(path);
        if (typeof parsed === 'string') return;
        const { target } = parsed;
        if ('slug' in target) assert.match(target.slug, /^[a-z0-9_-]{1,100}$/);
      }),
      { seed: 20_240_301 },
    );
  });
});

suite('a run id', () => {
  for (const [query, expected] of [
    ['', null],
    ['x=1', null],
    [`rid=${UUID}`, UUID],
    [`rid=${UUID.toUpperCase()}`, UUID],
    [`rid=${UUID}&rid=`, 'invalid_rid'],
    [`rid=1&rid=${UUID}`, UUID],
    ['rid', 'invalid_rid'],
    ['rid=', 'invalid_rid'],
    [`rid={${UUID}}`, 'invalid_rid'],
    [`rid=+${UUID}`, 'invalid_rid'],
    [`rid=${UUID}%0A`, 'invalid_rid'],
    [`rid=${UUID.replaceAll('-', '')}`, 'invalid_rid'],
    [`RID=${UUID}`, null],
  ] as const) {
    test(`of ${query === '' ? 'no query' : query} is ${expected}`, () => {
      assert.equal(parseRid(new URLSearchParams(query)), expected);
    });
  }
});

suite('an age', () => {
  for (const [query, expected] of [
    ['', undefined],
    ['AGE=1', undefined],
    ['age=90', 90_000_000],
    ['age=0', 0],
    ['age=007', 7_000_000],
    ['age=0.4', 400_000],
    ['age=12.345678', 12_345_678],
    ['age=2592000', 2_592_000_000_000],
    ['age=2592000.000000', 2_592_000_000_000],
    ['age=abc&age=5', 5_000_000],
    ['age=5&age=', 'invalid_age'],
    ['age', 'invalid_age'],
    ['age=', 'invalid_age'],
    ['age=abc', 'invalid_age'],
    ['age=-1', 'invalid_age'],
    ['age=%2B1', 'invalid_age'],
    ['age=+1', 'invalid_age'],
    ['age=1e3', 'invalid_age'],
    ['age=0x10', 'invalid_age'],
    ['age=1.', 'invalid_age'],
    ['age=.5', 'invalid_age'],
    ['age=1.1234567', 'invalid_age'],
    ['age=1%0A', 'invalid_age'],
    ['age=2592001', 'invalid_age'],
    ['age=2592000.000001', 'invalid_age'],
    [`age=${'9'.repeat(400)}`, 'invalid_age'],
    ['age=NaN', 'invalid_age'],
    ['age=Infinity', 'invalid_age'],
  ] as const) {
    test(`of ${query === '' ? 'no query' : query.slice(0, 30)} is ${expected}`, () => {
      assert.equal(parseAge(new URLSearchParams(query)), expected);
    });
  }
});
