import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/fake-clock.ts';
import { incomingPing } from '../../../test/records.ts';
import { seconds } from '../../lib/instant.ts';
import { Telemetry } from './telemetry.ts';

function givenRefusingNode() {
  const clock = new FakeClock(0);
  const telemetry = new Telemetry(clock);
  const ingest = telemetry.countPings(async () => {
    throw new Error('refused');
  });
  const refuse = () => assert.rejects(ingest([incomingPing({ uuid: 'uuid' })]));
  return { clock, telemetry, refuse };
}

test('refusals that follow each other within a minute are told of since the first one', async () => {
  const { clock, telemetry, refuse } = givenRefusingNode();

  for (let n = 0; n < 3; n++) {
    await refuse();
    clock.advance({ seconds: 60 });
  }

  assert.deepEqual(telemetry.refusals, { first: seconds(180), last: seconds(60) });
});

test('a refusal more than a minute after the last one is told of as the first', async () => {
  const { clock, telemetry, refuse } = givenRefusingNode();

  await refuse();
  clock.advance({ seconds: 61 });
  await refuse();
  clock.advance({ seconds: 20 });

  assert.deepEqual(telemetry.refusals, { first: seconds(20), last: seconds(20) });
});
