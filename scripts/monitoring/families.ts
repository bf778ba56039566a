/** All metrics that the service and a project offer, as Prometheus reads them. */
import { aCheck, NOW } from '../../src/domain/check/check.test-support.ts';
import { seeChecks } from '../../src/domain/public/kept-text.ts';
import { AILMENTS, type Measurements } from '../../src/domain/vitals.ts';
import { Histogram } from '../../src/lib/histogram.ts';
import { instanceText } from '../../src/wire/metrics/instance.ts';
import { prometheusText } from '../../src/wire/metrics/prometheus.ts';
import { type Family, parseExposition } from '../../test/exposition.ts';

const histogram = new Histogram([1]);

/** A node of which everything is known. */
const NODE: Measurements = {
  version: '1.2.3',
  ailments: AILMENTS,
  lateness: { deadline: 0, outage: 0, delivery: 0 },
  sinceWrite: 0,
  refusals: null,
  loops: { deadlines: { ticks: 1, failures: 0, sinceSuccess: 0, bound: 1 } },
  clockAhead: 0,
  pings: { recorded: 1 },
  batchSizes: histogram,
  commitSeconds: histogram,
  pingSeconds: histogram,
  alertDelays: histogram,
  queueLength: 0,
  attempts: { delivered: 0, failed: 0 },
  backlog: {
    checks: 1,
    openDeliveries: 0,
    openMails: 0,
    bodyMoves: 0,
    blindSpans: 0,
    backupAge: 3_600_000_000,
    filled: 1,
  },
  databaseBytes: 1,
  disk: { freeBytes: 1, totalBytes: 2 },
  eventLoopLagSeconds: 0,
  residentBytes: 1,
};

const CHECK = aCheck({
  tags: 'a',
  status: 'up',
  lastPingAt: NOW,
  lastSuccessAt: NOW,
  lastResult: 'success',
  lastDuration: 1,
});

/** By name. */
export const FAMILIES: ReadonlyMap<string, Family> = new Map([
  ...parseExposition(instanceText(NODE)),
  ...parseExposition([...prometheusText(seeChecks([CHECK], NOW).seen)].join('')),
]);
