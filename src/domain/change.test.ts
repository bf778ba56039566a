import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ChangeCollector, MAX_NAMED_IDS, MAX_NAMED_PROJECTS, wholeProject } from './change.ts';

function ids(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

describe('collected changes', () => {
  test('name each row once, by project', () => {
    const collector = new ChangeCollector();

    collector.addCheck({ id: 1, projectId: 7 });
    collector.addCheck({ id: 1, projectId: 7 });
    collector.addCheck({ id: 2, projectId: 8 });
    collector.addChannel({ id: 3, projectId: 7 });
    collector.add([{ projectId: 7, checkIds: [1, 4], channelIds: [], touchesStatus: true }]);

    assert.deepEqual(collector.take(), [
      { projectId: 7, checkIds: [1, 4], channelIds: [3], touchesStatus: true },
      { projectId: 8, checkIds: [2], channelIds: [], touchesStatus: true },
    ]);
  });

  test('tell whether a check may have another status', () => {
    const collector = new ChangeCollector();

    collector.addCheck({ id: 1, projectId: 7 }, false);
    collector.addChannel({ id: 3, projectId: 8 });
    collector.addCheck({ id: 4, projectId: 9 }, false);
    collector.add([{ projectId: 9, checkIds: [4], channelIds: [], touchesStatus: true }]);
    collector.add([{ projectId: 9, checkIds: [4], channelIds: [], touchesStatus: false }]);

    assert.deepEqual(collector.take(), [
      { projectId: 7, checkIds: [1], channelIds: [], touchesStatus: false },
      { projectId: 8, checkIds: [], channelIds: [3], touchesStatus: false },
      { projectId: 9, checkIds: [4], channelIds: [], touchesStatus: true },
    ]);
  });

  test('are gone once they are taken', () => {
    const collector = new ChangeCollector();
    assert.equal(collector.isEmpty, true);
    collector.addCheck({ id: 1, projectId: 7 });
    assert.equal(collector.isEmpty, false);

    collector.take();

    assert.deepEqual([collector.isEmpty, collector.take()], [true, []]);
  });

  test('of more rows than can be named are of all rows of that kind in the project', () => {
    const collector = new ChangeCollector();
    const add = (id: number) => collector.addCheck({ id, projectId: 7 });

    ids(MAX_NAMED_IDS).forEach(add);
    assert.deepEqual(collector.take(), [
      { projectId: 7, checkIds: ids(MAX_NAMED_IDS), channelIds: [], touchesStatus: true },
    ]);
    ids(MAX_NAMED_IDS + 1).forEach(add);
    add(9_999);
    collector.add([{ projectId: 7, checkIds: [5], channelIds: [6], touchesStatus: true }]);

    assert.deepEqual(collector.take(), [
      { projectId: 7, checkIds: 'all', channelIds: [6], touchesStatus: true },
    ]);
  });

  test('of all rows stay so, whatever comes after', () => {
    const collector = new ChangeCollector();

    collector.add([wholeProject(7)]);
    collector.addChannel({ id: 1, projectId: 7 });

    assert.deepEqual(collector.take(), [
      { projectId: 7, checkIds: 'all', channelIds: 'all', touchesStatus: true },
    ]);
  });

  test('of more projects than can be named are everything', () => {
    const collector = new ChangeCollector();
    const add = (projectId: number) => collector.addCheck({ id: 1, projectId });

    ids(MAX_NAMED_PROJECTS).forEach(add);
    add(1);
    assert.equal(collector.take().length, MAX_NAMED_PROJECTS);
    ids(MAX_NAMED_PROJECTS + 1).forEach(add);

    assert.equal(collector.isEmpty, false);
    assert.equal(collector.take(), 'everything');
  });

  test('are everything when anything among them is', () => {
    const collector = new ChangeCollector();

    collector.addCheck({ id: 1, projectId: 7 });
    collector.add('everything');
    collector.addCheck({ id: 2, projectId: 7 });

    assert.equal(collector.take(), 'everything');
  });
});
