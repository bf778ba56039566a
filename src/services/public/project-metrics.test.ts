import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/fake-clock.ts';
import { ChangeMarks } from '../../domain/change-marks.ts';
import { ALWAYS } from '../../domain/check/status.ts';
import type { Store } from '../../storage/store.ts';
import { systemActor } from '../core/actor.ts';
import { METRICS_LIMITS, ProjectMetrics } from './project-metrics.ts';

const PIECE_BYTES = 1024 * 1024;

/** Texts of so many pieces, and how many were asked for and given up. */
function given(pieceCount: number) {
  const marks = new ChangeMarks();
  const counted = { asked: 0, ended: 0 };
  async function* pieces() {
    try {
      for (let n = 0; n < pieceCount; n++) yield new Uint8Array(PIECE_BYTES);
    } finally {
      counted.ended++;
    }
  }
  const ask = async () => {
    counted.asked++;
    return { head: { marks: marks.of(1), span: ALWAYS }, pieces: pieces() };
  };
  const store = { marks } as unknown as Store;
  const clock = new FakeClock(0);
  const metrics = new ProjectMetrics({ store, clock }, ask);
  const lengthFor = async (projectId: number) => {
    let length = 0;
    for await (const piece of (await metrics.textFor(systemActor(projectId))).pieces) length += piece.length;
    return length;
  };
  return { counted, clock, metrics, lengthFor };
}

test('a text of some megabytes is kept for a second', async () => {
  const { counted, clock, lengthFor } = given(8);

  for (let n = 0; n < 5; n++) assert.equal(await lengthFor(1), METRICS_LIMITS.maxKeptMetricsBytes);
  assert.equal(counted.asked, 1);
  clock.advance({ seconds: 1 });
  await lengthFor(1);

  assert.equal(counted.asked, 2);
});

test('a text that is too long to be kept is made for each who asks, and that is found out once a second', async () => {
  const { counted, clock, lengthFor } = given(9);

  for (let n = 0; n < 5; n++) assert.equal(await lengthFor(1), 9 * PIECE_BYTES);
  assert.equal(counted.asked, 6);
  clock.advance({ seconds: 1 });
  await lengthFor(1);

  assert.equal(counted.asked, 8);
  assert.equal(counted.ended, 8, 'none is left open');
});

test('texts of many projects are kept within the limit', async () => {
  const { counted, lengthFor } = given(8);
  const most = METRICS_LIMITS.maxAllKeptMetricsBytes / METRICS_LIMITS.maxKeptMetricsBytes - 1;

  for (let projectId = 1; projectId <= most; projectId++) await lengthFor(projectId);
  for (let projectId = 1; projectId <= most; projectId++) await lengthFor(projectId);
  assert.equal(counted.asked, most);
  await lengthFor(most + 1);
  await lengthFor(1);

  assert.equal(counted.asked, most + 2, 'the first was forgotten');
});

test('texts of many projects at once are made for each, rather than kept beyond the limit', async () => {
  const { counted, lengthFor } = given(8);
  const projects = Array.from({ length: 20 }, (_, index) => index + 1);

  const lengths = await Promise.all(projects.map(lengthFor));

  assert.ok(lengths.every((length) => length === 8 * PIECE_BYTES));
  assert.ok(counted.asked > projects.length);
});

test('the key decides who may see them, whatever is kept', async () => {
  const { metrics, lengthFor } = given(1);
  await lengthFor(1);
  const caller = { kind: 'api_key', keyId: 1, access: 'read_write' } as const;

  await assert.rejects(metrics.textFor({ ...systemActor(1), caller }), { code: 'wrong_api_key' });
});
