/**
 * Writes the dashboards of Grafana and the rules of Prometheus into deploy/: `npm run monitoring`. A test fails where they differ from
 * the code.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { dashboardText, JOBS, SERVICE } from './dashboards.ts';
import { JOB_RULES, rulesText, SERVICE_RULES } from './rules.ts';

export const DEPLOY = join(dirname(dirname(import.meta.dirname)), 'deploy');

export const FILES: Readonly<Record<string, string>> = {
  'grafana/jobs.json': dashboardText(JOBS),
  'grafana/service.json': dashboardText(SERVICE),
  'prometheus/jobs.rules.yaml': rulesText('tocsin-jobs', '2m', JOB_RULES),
  'prometheus/service.rules.yaml': rulesText('tocsin-service', '30s', SERVICE_RULES),
};

/** A chart has all its files in its own folder. */
const IN_CHART: Readonly<Record<string, string>> = {
  'helm/tocsin/files/jobs.json': 'grafana/jobs.json',
  'helm/tocsin/files/service.json': 'grafana/service.json',
  'helm/tocsin/files/service.rules.yaml': 'prometheus/service.rules.yaml',
};

export async function readDeployed(name: string): Promise<string> {
  return readFile(join(DEPLOY, name), 'utf8');
}

if (import.meta.main) {
  const copies = Object.entries(IN_CHART).map(([name, of]): [string, string] => [name, FILES[of] ?? '']);
  for (const [name, text] of [...Object.entries(FILES), ...copies]) {
    await mkdir(dirname(join(DEPLOY, name)), { recursive: true });
    await writeFile(join(DEPLOY, name), text);
  }
}
