/**
 * Renders the chart with Helm, and holds it against the schemas of Kubernetes: `npm run verify:helm`. Without Helm it is built, which needs
 * Go and a quarter of an hour. The schemas come with the Python package `kubernetes-validate`. What a machine lacks is skipped, with
 * the reason.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { promisify } from 'node:util';
import { unless } from '../../test/process.ts';
import { CHART, findHelm, KUBERNETES, render, renderedOf, SETS, valuesOf } from './chart.ts';

const run = promisify(execFile);

const found = await findHelm();
const skip = 'missing' in found && found.missing;
const helm = 'path' in found ? found.path : '';
const withoutSchemas = unless(
  ['python3', '-c', 'import kubernetes_validate'],
  'the Python package kubernetes-validate is not installed',
);

/** Prints the kinds for which Kubernetes itself has no schema. Fails on the first fault. */
const VALIDATE = `
import sys, yaml, kubernetes_validate
for document in yaml.safe_load_all(open(sys.argv[1])):
    if document is None: continue
    try: kubernetes_validate.validate(document, sys.argv[2], strict=True)
    except kubernetes_validate.SchemaNotFoundError: print(document['kind'])
`;
/** Their schemas belong to other projects. */
const OF_OTHERS: Readonly<Record<string, readonly string[]>> = {
  gateway: ['HTTPRoute'],
  monitoring: ['PrometheusRule', 'ServiceMonitor'],
};

suite('the chart in Helm', { skip }, () => {
  for (const set of SETS) {
    test(`is rendered as it was committed, with the values of ${set}: npm run helm renders it anew`, async () => {
      await run(helm, ['lint', CHART, '--strict', '--values', valuesOf(set)]);
      assert.equal(await render(helm, ['--values', valuesOf(set)]), await readFile(renderedOf(set), 'utf8'));
    });
  }

  test('refuses mistakes with a sentence', async () => {
    const site = ['--set', 'siteRoot=https://tocsin.example.org'];
    const cases: [string[], RegExp][] = [
      [[], /set siteRoot to the address/],
      [[...site, '--set', 'replicas=2'], /several replicas need PostgreSQL/],
      [[...site, '--set', 'replica=2'], /'replica' not allowed/],
      [
        [...site, '--set', 'ingress.enabled=true,gateway.enabled=true,gateway.name=a'],
        /enable ingress or gateway, not both/,
      ],
    ];
    for (const [flags, sentence] of cases) await assert.rejects(render(helm, flags), sentence);
  });
});

suite('what the chart renders', { skip: withoutSchemas }, () => {
  for (const set of SETS)
    test(`is known to Kubernetes, with the values of ${set}`, async () => {
      const { stdout } = await run('python3', ['-W', 'ignore', '-c', VALIDATE, renderedOf(set), KUBERNETES]);
      assert.deepEqual(stdout.split('\n').filter(Boolean).toSorted(), OF_OTHERS[set] ?? []);
    });
});
