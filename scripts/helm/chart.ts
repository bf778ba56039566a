/**
 * What the chart renders for six sets of values: `npm run helm` writes it, and tests compare. Helm is taken from the path, or built
 * where there is Go.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { glob, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../package/lock.ts';

const run = promisify(execFile);

export const CHART = join(ROOT, 'deploy/helm/tocsin');
export const SETS: readonly string[] = ['sqlite', 'postgres', 'nodes', 'ingress', 'gateway', 'monitoring'];
const HELM_VERSION = 'v3.22.0';
/** The newest whose schemas are known to the validator. */
export const KUBERNETES = '1.34';

export const valuesOf = (set: string) => join(import.meta.dirname, 'values', `${set}.yaml`);
export const renderedOf = (set: string) => join(import.meta.dirname, 'rendered', `${set}.yaml`);
export const SUM = join(import.meta.dirname, 'rendered/chart.sha256');

/** Of all that the renderings depend on. */
export async function chartSum(): Promise<string> {
  const sum = createHash('sha256');
  const files = await Array.fromAsync(glob('**/*.*', { cwd: CHART }));
  for (const file of files.toSorted()) sum.update(`${file}\0${await readFile(join(CHART, file), 'utf8')}\0`);
  for (const set of SETS) sum.update(await readFile(valuesOf(set), 'utf8'));
  return `${sum.digest('hex')}\n`;
}

/** The program, or why there is none. It is built once: that takes a quarter of an hour. */
export async function findHelm(): Promise<{ readonly path: string } | { readonly missing: string }> {
  const built = join(ROOT, 'dist-helm/helm');
  for (const path of ['helm', built]) {
    const version = await run(path, ['version', '--short']).catch(() => null);
    if (version?.stdout.startsWith('v3')) return { path };
  }
  try {
    const env = { ...process.env, GOBIN: join(ROOT, 'dist-helm') };
    await run('go', ['install', `helm.sh/helm/v3/cmd/helm@${HELM_VERSION}`], { env, maxBuffer: 2 ** 26 });
    return { path: built };
  } catch (error) {
    const reason =
      error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'nor is Go' : String(error);
    return { missing: `Helm 3 is not installed, ${reason}` };
  }
}

export async function render(helm: string, flags: readonly string[]): Promise<string> {
  const given = [
    'template',
    'tocsin',
    CHART,
    '--namespace',
    'tocsin',
    '--kube-version',
    KUBERNETES,
    ...flags,
  ];
  return (await run(helm, given, { maxBuffer: 2 ** 26 })).stdout;
}

if (import.meta.main) {
  const helm = await findHelm();
  if ('missing' in helm) {
    console.error(`${basename(import.meta.filename)}: ${helm.missing}.`);
    process.exitCode = 1;
  } else {
    for (const set of SETS)
      await writeFile(renderedOf(set), await render(helm.path, ['--values', valuesOf(set)]));
    await writeFile(SUM, await chartSum());
  }
}
