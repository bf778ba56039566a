/** Tries the rules of deploy/ with Prometheus' own tool: `npm run verify:metrics`. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { DEPLOY } from './index.ts';
import { JOB_CASES, type RuleCase, SERVICE_CASES } from './rule-cases.ts';

const run = promisify(execFile);
const RULES = { 'service.rules.yaml': SERVICE_CASES, 'jobs.rules.yaml': JOB_CASES };
/** Which alerts fired at any time of the day. */
const FIRED = 'count by (alertname) (count_over_time(ALERTS{alertstate="firing"}[1d]))';

function testOf({ name, series, alerts }: RuleCase) {
  return {
    name,
    interval: '1m',
    input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
    promql_expr_test: [
      {
        expr: FIRED,
        eval_time: '1d',
        exp_samples: alerts.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      },
    ],
  };
}

async function isInstalled(): Promise<boolean> {
  return run('promtool', ['--version']).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}

async function verifyRules(folder: string): Promise<boolean> {
  let isRight = true;
  for (const [file, cases] of Object.entries(RULES)) {
    const rules = join(DEPLOY, 'prometheus', file);
    const tests = join(folder, `${file}.test.yaml`);
    const group = { rule_files: [rules], evaluation_interval: '1m', tests: cases.map(testOf) };
    await writeFile(tests, stringify(group, { lineWidth: 0 }));
    for (const args of [
      ['check', 'rules', rules],
      ['test', 'rules', tests],
    ]) {
      const failure = await run('promtool', args).then(
        () => null,
        (error: { stdout: string; stderr: string }) => `${error.stdout}${error.stderr}`,
      );
      isRight &&= failure === null;
      console.log(
        `${failure === null ? 'passed' : 'FAILED'}: promtool ${args[0]} rules, ${file}, ${cases.length} cases`,
      );
      if (failure !== null) console.log(failure);
    }
  }
  return isRight;
}

if (await isInstalled()) {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-rules-'));
  try {
    if (!(await verifyRules(folder))) process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true });
  }
} else {
  console.log(
    'skipped: the rules were not tried, because promtool is not installed (Debian: apt-get install prometheus).',
  );
}
