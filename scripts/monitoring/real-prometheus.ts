/**
 * Lets a real Prometheus scrape a real service on PostgreSQL while faults are made, and compares the alerts that fire. Only the times for
 * which something must last are shorter than in the rules of deploy/.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { seconds } from '../../src/lib/instant.ts';
import { type ListedCheck, READ_KEY, type Service, startService } from '../../test/crash/service.ts';
import { startSink } from '../../test/crash/sink.ts';
import { postgresAt } from '../../test/engines.ts';
import { freePort } from '../../test/free-port.ts';
import { type PostgresServer, startPostgres } from '../../test/postgres.ts';
import { startProcess } from '../../test/process.ts';
import { until } from '../../test/waiting.ts';
import { JOB_RULES, type Rule, rulesText, SERVICE_RULES } from './rules.ts';

const METRICS_KEY = 'a key for the metrics of this service';
const INTERVAL = '2s';
/** Nodes are blind after half a minute without a beat. */
const BLIND_MS = 40_000;
const REFUSED_PINGS = 50;
const DAY = seconds(86_400);

/** What is not made here: the machine would have to be changed. `promtool` tries these rules. */
const NOT_MADE = ['TocsinDiskShort', 'TocsinClockOff'];

interface World {
  readonly postgres: PostgresServer;
  readonly service: Service;
  readonly checks: readonly [slow: ListedCheck, missing: ListedCheck, late: ListedCheck];
}

/** A fault, and the alerts that fire from then on beside those before. */
interface Fault {
  readonly name: string;
  make(world: World): Promise<void>;
  mend?(world: World): Promise<void>;
  readonly alerts: readonly string[];
}

/** As if the check had last been pinged ten days ago. */
const forget = ({ uuid }: ListedCheck) =>
  `update checks set ${['last_ping_at', 'last_success_at', 'deadline_at', 'alarm_at']
    .map((column) => `${column} = ${column} - ${10 * DAY}`)
    .join(', ')} where uuid = '${uuid}'`;

const FAULTS: readonly Fault[] = [
  {
    name: 'nothing is wrong',
    async make({ service, checks: [slow, ...others] }) {
      for (const { uuid } of others) await service.ping(uuid);
      await service.ping(slow.uuid, '/start');
      await service.ping(slow.uuid);
      await sleep(10_000);
    },
    alerts: [],
  },
  {
    name: 'a run takes long',
    async make({ service, checks: [slow] }) {
      await service.ping(slow.uuid, '/start');
      await sleep(2_000);
      await service.ping(slow.uuid);
    },
    alerts: ['TocsinJobSlow'],
  },
  {
    name: 'a job has not run for days, and its alert came as late',
    make: async ({ postgres, checks: [, missing] }) => void (await postgres.query(forget(missing))),
    alerts: ['TocsinAlertsDelayed', 'TocsinJobWithoutSuccess'],
  },
  {
    name: 'nobody can record that a check is down',
    async make({ postgres, checks: [, , late] }) {
      await postgres.query('alter table flips rename to hidden_flips');
      await postgres.query(forget(late));
    },
    mend: async ({ postgres }) => void (await postgres.query('alter table hidden_flips rename to flips')),
    alerts: ['TocsinAlertsLate', 'TocsinNotReady'],
  },
  {
    name: 'the database is away for a while',
    async make({ postgres, service, checks: [{ uuid }] }) {
      await postgres.stop();
      for (let count = 0; count < REFUSED_PINGS; count++) await service.ping(uuid);
      await sleep(BLIND_MS);
      await postgres.start();
    },
    alerts: ['TocsinNobodyWatched', 'TocsinPingsRefused'],
  },
  {
    name: 'no backup was made for days',
    make: async ({ postgres }) =>
      void (await postgres.query(
        `insert into instance (key, value) values ('last_backup_at', '${Date.now() * 1_000 - 3 * DAY}')
         on conflict (key) do update set value = excluded.value`,
      )),
    alerts: ['TocsinBackupOld'],
  },
];

/** The same rule, for which something need not last for minutes or be measured for days. */
function hastened(rule: Rule): Rule {
  const expr = rule.expr.replace('[7d:1h]', `[1m:${INTERVAL}]`);
  return 'alert' in rule && rule.for !== undefined ? { ...rule, expr, for: '2s' } : { ...rule, expr };
}

/** Starts Prometheus, and returns a function that tells which alerts have fired until now. */
async function startPrometheus(folder: string, { url, get }: Service, opened: AsyncDisposableStack) {
  const project: { prometheus_url: string } = Object(await (await get('/api/v3/project/')).json());
  const rules = { 'service.yaml': SERVICE_RULES, 'jobs.yaml': JOB_RULES };
  for (const [file, all] of Object.entries(rules))
    await writeFile(join(folder, file), rulesText(file, INTERVAL, all.map(hastened)));
  const targets = [{ targets: [new URL(url).host] }];
  const credentials = { service: METRICS_KEY, jobs: READ_KEY };
  const scrapes = Object.entries(credentials).map(([name, key]) => ({
    job_name: name,
    metrics_path: name === 'jobs' ? new URL(project.prometheus_url).pathname : '/metrics',
    authorization: { credentials: key },
    static_configs: targets,
  }));
  await writeFile(
    join(folder, 'prometheus.yaml'),
    stringify({
      global: { scrape_interval: INTERVAL, scrape_timeout: INTERVAL, evaluation_interval: INTERVAL },
      rule_files: Object.keys(rules),
      scrape_configs: scrapes,
    }),
  );
  const port = await freePort();
  const prometheus = startProcess(
    'prometheus',
    [
      '--config.file=prometheus.yaml',
      '--storage.tsdb.path=metrics',
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { cwd: folder },
  );
  opened.use(prometheus);
  await prometheus.output(/Server is ready to receive web requests/);
  const ask = async (query: string): Promise<{ metric: Record<string, string> }[]> => {
    const address = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`;
    return Object(await (await fetch(address)).json()).data.result;
  };
  await until('both are scraped', async () => (await ask('up == 1')).length === scrapes.length);
  return async () => {
    const fired = await ask('count by (alertname) (count_over_time(ALERTS{alertstate="firing"}[1h]))');
    return fired.map(({ metric }) => metric.alertname ?? '').toSorted();
  };
}

/** Tells of each fault whether just the alerts have fired that are meant. */
export async function verifyScrapes(folder: string): Promise<boolean> {
  await using opened = new AsyncDisposableStack();
  const postgres = opened.use(await startPostgres());
  const sink = opened.use(await startSink());
  const service = opened.use(
    await startService(folder, postgresAt(postgres.url), {
      webhook: sink.url,
      env: { METRICS_KEY, DB_STATEMENT_TIMEOUT: '10' },
    }),
  );
  const made = [];
  for (const name of ['slow', 'missing', 'late']) made.push(await service.createCheck(name));
  const [slow, missing, late] = made;
  if (slow === undefined || missing === undefined || late === undefined) throw new Error('checks are made');
  const world: World = { postgres, service, checks: [slow, missing, late] };
  const firedAlerts = await startPrometheus(folder, service, opened);
  const expected: string[] = [];
  let isRight = true;
  for (const { name, make, mend, alerts } of FAULTS) {
    await make(world);
    expected.push(...alerts);
    expected.sort();
    let fired = await firedAlerts();
    const isSo = async () => {
      fired = await firedAlerts();
      return isDeepStrictEqual(fired, expected) || fired.some((alert) => !expected.includes(alert));
    };
    await until(`alerts fire when ${name}`, isSo).catch(() => undefined);
    await mend?.(world);
    const isMeant = isDeepStrictEqual(fired, expected);
    isRight &&= isMeant;
    console.log(`${isMeant ? 'passed' : 'FAILED'}: Prometheus scrapes while ${name}`);
    if (!isMeant) console.log(`  fired: ${fired.join(', ')}\n  meant: ${expected.join(', ')}`);
  }
  console.log(
    `not made for Prometheus, because the machine would have to be changed: ${NOT_MADE.join(', ')}`,
  );
  return isRight;
}
