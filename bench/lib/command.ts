import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import type { BenchDatabase } from './database.ts';

const CLI = join(dirname(import.meta.dirname), '../bin/sources.js');

/** Prints the time of the processor in microseconds, and the most memory in kilobytes. */
const TELL_USE = `data:text/javascript,process.on('exit',()=>{const used=process.resourceUsage();process.stderr.write('\\nused '+(used.userCPUTime+used.systemCPUTime)+' '+used.maxRSS)})`;

export interface CommandUse {
  readonly code: number;
  readonly seconds: number;
  /** Seconds of the processor. */
  readonly processor: number;
  /** The most memory that the process has had. */
  readonly megabytes: number;
}

/** Runs a command of Tocsin on the database, as `npm run tocsin` does. */
export async function runCommand(
  { folder, url }: BenchDatabase,
  args: readonly string[],
  expected: readonly number[] = [0],
): Promise<CommandUse> {
  const begin = performance.now();
  const command = spawn(process.execPath, [...process.execArgv, '--import', TELL_USE, CLI, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, DATABASE_URL: url, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  command.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = await once(command, 'close');
  const used = /\nused (\d+) (\d+)$/.exec(said);
  if (used === null || !expected.includes(code)) throw new Error(said);
  return {
    code,
    seconds: (performance.now() - begin) / 1_000,
    processor: Number(used[1]) / 1e6,
    megabytes: Number(used[2]) / 1_024,
  };
}
