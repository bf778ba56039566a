import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import type { Family } from '../../test/exposition.ts';
import { JOBS, SERVICE } from './dashboards.ts';
import { FAMILIES } from './families.ts';
import { DEPLOY, FILES, readDeployed } from './index.ts';
import { missingFrom, usesIn } from './metrics-in-use.ts';
import { JOB_RULES, SERVICE_RULES } from './rules.ts';

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
    assert.deepEqual(missingFrom(FAMILIES, recorded, expressions), []);
  });

  test('legends name labels that there are', () => {
    for (const { expr, legend = '' } of targets) {
      const labels = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => `${label}=~".+"`);
      const [use] = usesIn(expr);
      const asked = `${use?.metric}{${labels.join(',')}}`;
      assert.deepEqual(missingFrom(FAMILIES, recorded, labels.length === 0 ? [] : [asked]), [], legend);
    }
  });

  test('would miss each metric that they use, and each label', () => {
    const used = new Set(expressions.flatMap(usesIn).map(({ metric }) => metric));
    for (const metric of used) {
      const fewer = new Map([...FAMILIES].filter(([name]) => name !== metric));
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
      [...FAMILIES.keys()].filter((name) => !used.has(name)),
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
      [...FAMILIES.keys()].filter((name) => !named.has(name)),
      [],
    );
    assert.deepEqual(
      [...named].filter((name) => !FAMILIES.has(name) && !notMetrics.includes(name)),
      [],
    );
  });
});
