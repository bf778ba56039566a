import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { bytesOf, momentAt, pingOf, targetOf } from '../ping.test-support.ts';
import type { ServerLimits, Signal } from '../ping.ts';
import { bodyWith, lateForm } from './late.ts';
import { AWARE, DAY_MS, HOUR_MS, MINUTE_MS, NOON, UNAWARE } from './spool.test-support.ts';

const target = targetOf('https://h.example/ping');
const now = momentAt(NOON, DAY_MS);

function form(signal: Signal, ageMs: number, limits: ServerLimits | null, isNewestResult = true) {
  const head = { ...pingOf(target, signal, { at: momentAt(NOON - ageMs, DAY_MS - ageMs) }), bodyBytes: 0 };
  return lateForm(head, { now, limits, isNewestResult, lateAsFreshMs: 10 * MINUTE_MS });
}

suite('a late ping', () => {
  test('goes as it was, with its age, to a server that knows late pings', () => {
    for (const signal of ['start', 'success', 'fail', 'log', 3] as const) {
      assert.deepEqual(form(signal, 2 * HOUR_MS, AWARE, false), { signal, ageMs: 2 * HOUR_MS, line: null });
    }
  });

  test('goes as it was to other servers if it is the newest result and not older than ten minutes', () => {
    for (const limits of [UNAWARE, null]) {
      assert.deepEqual(form('success', 2 * MINUTE_MS, limits), {
        signal: 'success',
        ageMs: 2 * MINUTE_MS,
        line: null,
      });
      assert.equal(form(3, 10 * MINUTE_MS, limits).signal, 3);
      assert.equal(form(3, 10 * MINUTE_MS + 1, limits).signal, 'log');
      assert.equal(form('fail', 2 * MINUTE_MS, limits, false).signal, 'log');
      assert.equal(form('start', 1000, limits, false).signal, 'log');
    }
  });

  test('tells in the log what it was', () => {
    assert.equal(
      form('success', 2 * HOUR_MS + 41 * MINUTE_MS, UNAWARE).line,
      '[tocsin] success of 2026-11-15T09:19:00Z, delivered 2 h 41 min later',
    );
    assert.equal(
      form(3, HOUR_MS, UNAWARE).line,
      '[tocsin] exit status 3 of 2026-11-15T11:00:00Z, delivered 1 h later',
    );
  });

  test('of an unknown age is a log for every server', () => {
    const at = momentAt(5 * MINUTE_MS, 5 * MINUTE_MS, 'another boot');
    const head = { ...pingOf(target, 'success', { at }), bodyBytes: 0 };
    const late = lateForm(head, { now, limits: AWARE, isNewestResult: true, lateAsFreshMs: 1 });
    const line = '[tocsin] success of an unknown time; the clock showed 1970-01-01T00:05:00Z';
    assert.deepEqual(late, { signal: 'log', ageMs: null, line });
  });

  test('above the limit of its server is of an unknown age', () => {
    assert.equal(form('success', HOUR_MS + 1, { bodyBytes: null, ageSeconds: 3600 }).signal, 'log');
    assert.equal(form('success', HOUR_MS, { bodyBytes: null, ageSeconds: 3600 }).signal, 'success');
  });
});

suite('a body with lines of ours', () => {
  const text = (lines: readonly string[], body: string, limit: number | null) =>
    new TextDecoder('utf-8', { fatal: true }).decode(bodyWith(lines, bytesOf(body), limit));

  test('has them before what was there', () => {
    assert.equal(text([], 'out', 1), 'out');
    assert.equal(text(['one', 'two'], '', null), 'one\ntwo');
    assert.equal(text(['one'], 'out', null), 'one\nout');
  });

  test('keeps the end of what was there, and whole characters', () => {
    assert.equal(text(['one'], 'abcdef', 7), 'one\ndef');
    assert.equal(text(['one'], 'aäöü', 7), 'one\nü');
    assert.equal(text(['one'], 'abcdef', 2), 'one\n');
  });
});
