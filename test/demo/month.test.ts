import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { type Job, type Step, stepsOf } from '../../src/demo/jobs.ts';
import { Pinger } from '../../src/demo/pinger.ts';
import { Player } from '../../src/demo/player.ts';
import { MONTH_END, MONTH_START, PROJECTS } from '../../src/demo/world.ts';
import type { IncomingPing } from '../../src/domain/ping/incoming-ping.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { type Instant, seconds } from '../../src/lib/instant.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { verifyDatabase } from '../../src/storage/verify/database.ts';
import { FakeClock } from '../fake-clock.ts';
import {
  makePlace,
  makeTestMonth,
  refuseConnections,
  SECRET,
  SHORT_END,
} from './demonstration.test-support.ts';

const DAY = seconds(86_400);

test('the same seed makes the same month, to the byte, of which nothing leaves and which is sound', async () => {
  await using place = await makePlace();
  const [one, other] = [`${place.folder}/one.db`, `${place.folder}/other.db`];
  using connections = refuseConnections();

  await makeTestMonth(one, SHORT_END);
  await makeTestMonth(other, SHORT_END);

  assert.ok((await readFile(one)).equals(await readFile(other)));
  assert.deepEqual(connections.attempts, []);
  const world = { clock: systemClock, random: systemRandom };
  const secrets = { current: SECRET, fallbacks: [] };
  const { faults } = await verifyDatabase({ engine: 'sqlite', path: one }, secrets, world);
  assert.deepEqual(faults, []);
});

test('a job sends the same, whether one listens from the beginning or joins in the middle', () => {
  const [from, until] = [MONTH_START + 7 * DAY, MONTH_START + 8 * DAY];
  const jobs = PROJECTS.flatMap(({ checks }) => checks).filter(({ slug }) => slug !== 'vat-report');
  const sentAfter = (job: Job, after: Instant) => {
    const sent: Step[] = [];
    for (const step of stepsOf(job, 'seed', after)) {
      if (step.at > until) return sent;
      if (step.at > from) sent.push(step);
    }
    return sent;
  };

  for (const job of jobs) assert.deepEqual(sentAfter(job, from), sentAfter(job, from - DAY), job.slug);
});

test('the player sends what is due, once, and says when to come again', async () => {
  const clock = new FakeClock(MONTH_END);
  const sent: IncomingPing[] = [];
  const record = async (ping: IncomingPing) => {
    sent.push(ping);
    return 'recorded' as const;
  };
  const player = new Player({ record }, new Pinger('seed', MONTH_END), clock);

  assert.ok((await player.tick()) > 0);
  assert.deepEqual(sent, []);
  clock.set(MONTH_END + DAY / 4);
  await player.tick();
  const count = sent.length;
  await player.tick();

  assert.ok(count > 50, `${count} pings in six hours`);
  assert.equal(sent.length, count);
  assert.ok(sent.some(({ signal }) => signal === 'start'));
});
