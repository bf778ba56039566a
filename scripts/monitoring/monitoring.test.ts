import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { aCheck, NOW } from '../../src/domain/check/check.test-support.ts';
import { seeChecks } from '../../src/domain/public/kept-text.ts';
import { AILMENTS, type Measurements } from '../../src/domain/vitals.ts';
import { Histogram } from '../../src/lib/histogram.ts';
import { instanceText } from '../../src/wire/metrics/instance.ts';
import { prometheusText } from '../../src/wire/metrics/prometheus.ts';
import { type Family, parseExposition } from '../../test/exposition.ts';
import { JOBS, SERVICE } from './dashboards.ts';
import { DEPLOY, FILES, readDeployed } from './index.ts';
import { missingFrom, usesIn } from './metrics-in-use.ts';
import { JOB_RULES, SERVICE_RULES } from './rules.ts';

const histogram = new Histogram([1]);

/** A node of which everything is known. */
const NODE: Measurements = {
  version: '1.2.3',
  ailments: AILMENTS,
  lateness: { deadline: 0, delivery: 0 },
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

const families = new Map([
  ...parseExposition(instanceText(NODE)),
  ...parseExposition([...prometheusText(seeChecks([CHECK], NOW).seen)].join('')),
]);

const rules = [...SERVICE_RULES, ...JOB_RULES];
const recorded = new Set(rules.flatMap((rule) => ('record' in rule ? [rule.record] : [])));
const targets = [...SERVICE.panels, ...JOBS.panels].flatMap((panel) => panel.targets);
const expressions = [...rules, ...targets].map(({ expr }) => expr);

const documented = async () =>
  (
    await Promise.all(
      ['operating.md', 'guide/automation.md'].map((page) => readFile(join(DEPLOY, '../docs', page), 'utf8')),
    )
  ).join('\n');

suite('dashboards and rules', () => {
  for (const [name, text] of Object.entries(FILES)) {
    test(`${name} is what the code says; \`npm run monitoring\` writes it`, async () => {
      assert.equal(await readDeployed(name), text);
    });
  }

  test('ask only for metrics and labels that there are', () => {
    assert.deepEqual(missingFrom(families, recorded, expressions), []);
  });

  test('legends name labels that there are', () => {
    for (const { expr, legend = '' } of targets) {
      const labels = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => `${label}=~".+"`);
      const [use] = usesIn(expr);
      const asked = `${use?.metric}{${labels.join(',')}}`;
      assert.deepEqual(missingFrom(families, recorded, labels.length === 0 ? [] : [asked]), [], legend);
    }
  });

  test('would miss each metric that they use, and each label', () => {
    const used = new Set(expressions.flatMap(usesIn).map(({ metric }) => metric));
    for (const metric of used) {
      const fewer = new Map([...families].filter(([name]) => name !== metric));
      const records = new Set([...recorded].filter((name) => name !== metric));
      assert.ok(missingFrom(fewer, records, expressions).includes(metric), metric);
    }
    const bare: Family = { type: 'counter', help: '', samples: new Map([['tocsin_pings_total', 1]]) };
    assert.deepEqual(
      missingFrom(new Map([['tocsin_pings_total', bare]]), new Set(), ['tocsin_pings_total{outcome="x"}']),
      ['tocsin_pings_total{outcome}'],
    );
  });

  test('show every metric of the service and of jobs', () => {
    const used = new Set(expressions.flatMap(usesIn).map(({ metric }) => metric));
    assert.deepEqual(
      [...families.keys()].filter((name) => !used.has(name)),
      [],
    );
  });
});

suite('the documentation of metrics', () => {
  test('names each, and none that is gone', async () => {
    const pages = await documented();
    const named = new Set(
      [...pages.matchAll(/`((?:tocsin_|hc_|process_)[a-z_]+)`/g)].map(([, name = '']) => name),
    );
    const notMetrics = ['tocsin_bot'];

    assert.deepEqual(
      [...families.keys()].filter((name) => !named.has(name)),
      [],
    );
    assert.deepEqual(
      [...named].filter((name) => !families.has(name) && !notMetrics.includes(name)),
      [],
    );
  });
});
