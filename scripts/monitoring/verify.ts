/** Tries the rules of deploy/ with Prometheus' own tool, and with Prometheus itself on a real service: `npm run verify:metrics`. */
import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { DEPLOY } from './index.ts';
import { verifyScrapes } from './real-prometheus.ts';
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

async function isInstalled(program: string): Promise<boolean> {
  return run(program, ['--version']).then(
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

/** What is tried with each program of the Debian package. */
const TRIALS: Readonly<Record<string, { what: string; verify(folder: string): Promise<boolean> }>> = {
  promtool: { what: 'the rules were not tried', verify: verifyRules },
  prometheus: { what: 'no faults were made while Prometheus scrapes', verify: verifyScrapes },
};

for (const [program, { what, verify }] of Object.entries(TRIALS)) {
  if (await isInstalled(program)) {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'tocsin-rules-'));
    if (!(await verify(folder.path))) process.exitCode = 1;
  } else {
    console.log(
      `skipped: ${what}, because ${program} is not installed (Debian: apt-get install prometheus).`,
    );
  }
}
