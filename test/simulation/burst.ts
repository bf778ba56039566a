import type { Chance } from '../../src/lib/chance.ts';
import { type Micros, seconds } from '../../src/lib/instant.ts';
import { incomingPing } from '../records.ts';
import { type JobWorld, markOf, type Sent } from './jobs.ts';
import type { SimulatedNode } from './node.ts';
import { partsOf, type Report } from './report.ts';

const MAX_CHECKS = 6;
/** So many pings wait while a small wave is being written that a second batch is written beside it. */
const WAVES = [5, 60, 5, 60, 5, 60];
/** Shorter than a batch may take. */
const MAX_WAVE_GAP: Micros = seconds(0.002);

/**
 * A machine that was cut off sends what it has kept: pings of some checks, through one connection to one node, in waves,
 * without waiting for the answers.
 */
export async function sendBurst(world: JobWorld, uuids: readonly string[], chance: Chance): Promise<void> {
  const { timeline, installation, trace, sent } = world;
  const [node] = chance.shuffled(installation.open);
  const checks = chance.shuffled(uuids).slice(0, MAX_CHECKS);
  if (node === undefined || checks.length === 0) return;
  // Batches that take longer than a moment count as stuck, and others are written past them.
  if (chance.happens(0.2)) installation.slowDown(seconds(1), seconds(10));
  const id = sent.length;
  trace.tell(timeline.now, `a burst from try-${id} on to ${node.name}`);
  for (const size of WAVES) {
    const [first, ...others] = chance.shuffled(checks);
    const targets = [first ?? '', ...chance.some(others, 0.3)];
    for (let count = 0; count < size; count++) {
      const signal = chance.happens(0.9) ? 'log' : 'success';
      const report: Report = { signal, rid: null };
      send(world, node, { checkUuid: chance.pick(targets), report, burst: { id, place: sent.length } });
    }
    await timeline.sleep(chance.between(0, MAX_WAVE_GAP));
  }
}

function send(
  { timeline, sent, hasOutput, onSent }: JobWorld,
  node: SimulatedNode,
  fields: Pick<Sent, 'checkUuid' | 'burst' | 'report'>,
): void {
  const mark = markOf(sent.length);
  const entry: Sent = { mark, ...fields, at: timeline.now, acknowledgedAt: null };
  sent.push(entry);
  const { checkUuid: uuid, report } = fields;
  node.receive(incomingPing({ uuid }, partsOf(report, mark, hasOutput))).then(
    (outcome) => {
      if (outcome === 'recorded') entry.acknowledgedAt = timeline.now;
      onSent(uuid);
    },
    () => undefined,
  );
}
