import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import { anEvent, recordingPorts, SERVER, VAULT } from '../kind/alert-event.test-support.ts';
import { openChannel, readSettings } from '../registry.ts';
import { group } from './group.ts';

suite('a group', () => {
  test('passes on what it is told', async () => {
    const outcome = await group.deliver(anEvent(), { channels: ['a', 'b'] }, recordingPorts(), {});

    assert.deepEqual(outcome, { kind: 'passed_on', channels: ['a', 'b'] });
  });

  test('that has lost its members passes on to nobody, and does not fail', async () => {
    const lost = openChannel(
      { kind: 'group', settings: { open: { channels: [] }, sealed: null } },
      SERVER,
      VAULT,
    );

    assert.deepEqual(await lost.send(anEvent(), recordingPorts()), { kind: 'passed_on', channels: [] });
  });

  const refused: [channels: unknown, reason: string][] = [
    [undefined, 'channels is missing'],
    ['a', 'channels is not an array'],
    [[], 'channels is empty'],
    [[7], "an item in 'channels' is not a string"],
    [['x'.repeat(101)], "an item in 'channels' is too long"],
    [Array(101).fill('a'), 'channels has too many items'],
  ];
  for (const [channels, reason] of refused) {
    test(`has members: ${reason}`, () => {
      const fault = readSettings('group', channels === undefined ? {} : { channels });

      assert.ok(fault instanceof Fault);
      assert.equal(fault.reason, reason);
    });
  }
});
