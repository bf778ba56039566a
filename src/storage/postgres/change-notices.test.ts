import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Changes, MAX_NAMED_IDS, MAX_NAMED_PROJECTS, type ProjectChange } from '../../domain/change.ts';
import { ChangeNotices, decodeNotice, encodeNotices } from './change-notices.ts';

const NODE = '6f1c6e1e-97a6-4e0c-9a53-0f2a8fd5c0de';
const LARGEST = Number.MAX_SAFE_INTEGER;

/** The longest that a change of one project can be. */
function longest(projectId: number): ProjectChange {
  const all = Array.from({ length: MAX_NAMED_IDS }, (_, index) => LARGEST - index);
  return { projectId, checkIds: all, channelIds: all, touchesStatus: true };
}

function decoded(payloads: readonly string[]): Changes {
  return payloads.flatMap((payload) => {
    const { node, changes } = decodeNotice(payload);
    assert.equal(node, NODE);
    assert.ok(changes !== 'everything');
    return changes;
  });
}

describe('a notification', () => {
  test('tells what has changed, and who says so', () => {
    const changes: Changes = [
      { projectId: 7, checkIds: [1, 2], channelIds: 'all', touchesStatus: true },
      { projectId: 8, checkIds: 'all', channelIds: [], touchesStatus: false },
    ];

    assert.deepEqual(encodeNotices(NODE, changes).map(decodeNotice), [{ node: NODE, changes }]);
    assert.deepEqual(encodeNotices(NODE, 'everything').map(decodeNotice), [
      { node: NODE, changes: 'everything' },
    ]);
    assert.deepEqual(encodeNotices(NODE, []), []);
  });

  test('of an older version, which does not tell whether a status is touched, counts as if one were', () => {
    assert.deepEqual(decodeNotice('{"node":"old","changes":[[7,[1],[]]]}').changes, [
      { projectId: 7, checkIds: [1], channelIds: [], touchesStatus: true },
    ]);
  });

  test('is shorter than PostgreSQL allows: what is longer takes several', () => {
    const changes = Array.from({ length: 9 }, (_, index) => longest(LARGEST - index));

    const payloads = encodeNotices(NODE, changes);

    assert.ok(payloads.every((payload) => Buffer.byteLength(payload) < 8_000));
    assert.deepEqual([payloads.length, decoded(payloads)], [9, changes]);
  });

  test('names only projects where too many would be needed to name the rows', () => {
    const changes = Array.from({ length: MAX_NAMED_PROJECTS }, (_, index) => longest(LARGEST - index));

    const payloads = encodeNotices(NODE, changes);

    assert.ok(payloads.every((payload) => Buffer.byteLength(payload) < 8_000));
    assert.ok(payloads.length <= 10, `${payloads.length} notifications`);
    assert.deepEqual(
      decoded(payloads),
      changes.map(({ projectId }) => ({
        projectId,
        checkIds: 'all',
        channelIds: 'all',
        touchesStatus: true,
      })),
    );
  });

  for (const payload of [
    '',
    'hello',
    'null',
    '{}',
    '{"node":"x"}',
    '{"node":"x","changes":7}',
    '{"node":"x","changes":[7]}',
    '{"node":"x","changes":[["7",[],[]]]}',
    '{"node":"x","changes":[[7,[1.5],[]]]}',
    '{"node":"x","changes":[[7,[],"some"]]}',
  ]) {
    test(`that cannot be read means that anything may have changed: ${payload || 'an empty one'}`, () => {
      assert.equal(decodeNotice(payload).changes, 'everything');
    });
  }
});

describe('a connection for notifications that cannot be had', () => {
  /** Nobody listens at this port, which only root may open. */
  const NOWHERE = 'postgres://tocsin@127.0.0.1:1/tocsin';

  test('is tried again after pauses that grow to a bound, and that is told once', async () => {
    const lost: unknown[] = [];
    await using notices = new ChangeNotices({
      url: NOWHERE,
      node: NODE,
      onChanges: () => assert.fail(),
      onLost: (error) => lost.push(error),
    });

    const pauses: number[] = [];
    for (let n = 0; n < 8; n++) pauses.push(await notices.tick());

    assert.deepEqual(pauses, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
    assert.equal(lost.length, 1);
    await assert.rejects(notices.publish('everything'), /there is no connection/);
  });
});
