/**
 * What people build on, and what only grows within a major version: `npm run promises` writes `release/promises.txt`. A test fails
 * where something of it is gone.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COMMANDS } from '../../src/cli/commands.ts';
import { helpOf } from '../../src/cli/help.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { containerConfig } from '../image/index.ts';
import { FAMILIES } from '../monitoring/families.ts';
import { ROOT, readLock } from '../package/lock.ts';

const FILE = join(ROOT, 'release/promises.txt');
/** One line for each operation of the API, with a digest. */
const OPERATIONS = join(ROOT, 'test/api/openapi-document.golden');

export interface Promises {
  readonly major: number;
  readonly lines: readonly string[];
}

export async function promisesNow(): Promise<Promises> {
  const { version } = await readLock();
  const lines = [
    ...Object.keys(SETTINGS).map((name) => `setting ${name}`),
    ...(await Promise.all(Object.entries(COMMANDS).map(commandLines))).flat(),
    ...Array.from(FAMILIES.keys(), (name) => `metric ${name}`),
    ...(await readFile(OPERATIONS, 'utf8'))
      .matchAll(/^(?:GET|POST|PUT|DELETE|HEAD|OPTIONS) \S+/gm)
      .map(String),
    ...imageLines(),
  ];
  return { major: Number.parseInt(version, 10), lines: [...new Set(lines)].toSorted() };
}

async function commandLines([name, load]: [string, () => Promise<Parameters<typeof helpOf>[1]>]) {
  const options = new Set(helpOf(name, await load()).match(/--[a-z][a-z-]*/g));
  return [`command ${name}`, ...Array.from(options, (option) => `command ${name} ${option}`)];
}

function imageLines(): string[] {
  const { User, Entrypoint, Volumes, ExposedPorts, Healthcheck } = containerConfig('', 0);
  const programs = [...Entrypoint, ...Healthcheck.Test].filter((word) => word.startsWith('/'));
  return [User, ...programs, ...Object.keys(Volumes), ...Object.keys(ExposedPorts)].map(
    (one) => `image ${one}`,
  );
}

export function formatPromises({ major, lines }: Promises): string {
  return `${[`major ${major}`, ...lines].join('\n')}\n`;
}

export async function keptPromises(): Promise<Promises> {
  const [first = '', ...lines] = (await readFile(FILE, 'utf8')).trimEnd().split('\n');
  return { major: Number(first.replace('major ', '')), lines };
}

/** What was promised for this major version, and is gone. */
export function brokenPromises(kept: Promises, now: Promises): string[] {
  if (now.major > kept.major) return [];
  return kept.lines.filter((line) => !now.lines.includes(line));
}

if (import.meta.main) await writeFile(FILE, formatPromises(await promisesNow()));
