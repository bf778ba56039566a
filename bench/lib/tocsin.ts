import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BenchDatabase } from './database.ts';
import { type Program, startProgram } from './program.ts';

const REPOSITORY = dirname(dirname(import.meta.dirname));

/**
 * The service as `npm start` runs it, with what a provisioning file declares. BENCH_PROFILE names a folder for
 * processor profiles of its threads. `repository` is another checkout, to start that version.
 */
export async function startTocsin(
  { folder, url }: BenchDatabase,
  declaration: object,
  env: Readonly<Record<string, string>> = {},
  repository: string = REPOSITORY,
): Promise<Program> {
  const file = join(folder, 'provision.yaml');
  // JSON is YAML, too.
  await writeFile(file, JSON.stringify(declaration));
  const profile = process.env.BENCH_PROFILE;
  const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
  return startProgram([...process.execArgv, ...flags, ...(await startArguments(repository))], {
    cwd: folder,
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: url,
      PROVISION_FILE: file,
      LOG_LEVEL: 'warn',
      ...env,
    },
  });
}

/** The arguments of `node` there. */
async function startArguments(repository: string): Promise<string[]> {
  const { scripts } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
  const words = String(scripts.start).split(' ');
  return words
    .slice(words.indexOf('node') + 1)
    .map((word) => (word.startsWith('bin/') ? join(repository, word) : word));
}
