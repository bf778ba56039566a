/**
 * Which files of tests share a process. A process of its own takes a small file more time than its tests, because it loads
 * the whole service and runs it cold.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const TESTS = ['{src,scripts,test}/**/*.test.ts', 'web/**/*.test.tsx'];

/** The ending of the names of long forms. `npm test` leaves them out, and `npm run test:long` runs nothing else. */
const LONG = '.long.test.ts';

export type Form = 'short' | 'long';

export const formOf = (file: string): Form => (file.endsWith(LONG) ? 'long' : 'short');

/** They take long, so that they had better not begin last. */
const FIRST: Readonly<Record<Form, readonly string[]>> = {
  short: ['test/cli.test.ts', 'test/browser/list.test.ts', 'test/browser/check.test.ts'],
  long: [
    'test/simulation/mutations.long.test.ts',
    'test/import/kill.long.test.ts',
    'test/cli.long.test.ts',
    'test/upgrade/killed.long.test.ts',
    'test/companion/run.long.test.ts',
    'test/dashboard/postgres.long.test.ts',
    'test/package.long.test.ts',
    'test/browser/targets.long.test.ts',
    'test/browser/walk.long.test.ts',
    'test/attack/attack.long.test.ts',
    'test/simulation/simulation.long.test.ts',
    'test/crash/alert-kill.long.test.ts',
    'test/browser/check.long.test.ts',
    'test/browser/entrance.long.test.ts',
  ],
};

/** They look at their own process, start others or servers, or take as long as a process of many. */
export const ALONE: readonly string[] = [
  ...FIRST.short,
  'src/lib/thread-priority.test.ts',
  'src/storage/migrate.test.ts',
  'src/storage/postgres/driver.test.ts',
  'test/{browser,crash,faults,simulation}/**/*.test.ts',
  'test/{database-file,stop-with-parent}.test.ts',
  'test/objects/s3.test.ts',
];

/** A hook outside of all suites: it would hold for the other files of its process. */
const OPEN_HOOK = /^(before|after)(Each)?\(/m;

/**
 * The others, by the part of the service that they need. Each family is dealt out to this many processes. The last ones take
 * least, so that no process runs long when all others have ended.
 */
const FAMILIES: Readonly<Record<string, { readonly files: string; readonly processes: number }>> = {
  service: { files: 'test/*.test.ts', processes: 5 },
  api: { files: 'test/api/**/*.test.ts', processes: 4 },
  dashboard: { files: 'test/dashboard/**/*.test.ts', processes: 5 },
  storage: { files: 'src/{objects,provision,reading,services,smtp,storage}/**/*.test.ts', processes: 3 },
  rest: { files: '{scripts,test}/**/*.test.ts', processes: 2 },
  pure: { files: 'src/{domain,wire}/**/*.test.ts', processes: 2 },
  parts: { files: 'src/**/*.test.ts', processes: 3 },
  components: { files: 'web/**/*.test.tsx', processes: 1 },
};

/**
 * Writes a file into the folder for each process. Returns these files for Node's runner, which starts them in the order of
 * their names.
 */
export function prepareProcesses(root: string, folder: string, form: Form): string[] {
  const { together, alone } = testProcesses(root, form);
  const first = FIRST[form];
  const others = alone.filter((file) => !first.includes(file));
  const processes = takeTurns(
    [...first, ...others].map((file) => [file]),
    together,
  );
  return processes.map((files, index) => {
    const program = join(folder, `${String(index).padStart(3, '0')}.test.mjs`);
    // All at once: tests run as soon as they are declared, and what other files load is not to interrupt them.
    const imports = files.map((file) => `import ${JSON.stringify(pathToFileURL(join(root, file)).href)};\n`);
    writeFileSync(program, imports.join(''));
    return program;
  });
}

/**
 * Files that run alone mostly wait, for a browser or a process. The others compute: side by side they fill the machine.
 */
function takeTurns<T>(waiting: readonly T[], computing: readonly T[]): T[] {
  const length = Math.max(waiting.length, computing.length);
  return Array.from({ length }, (_, index) => [
    ...waiting.slice(index, index + 1),
    ...computing.slice(index, index + 1),
  ]).flat();
}

/** Every file of tests of this form, either with those it shares a process with or alone. Long ones are always alone. */
export function testProcesses(root: string, form: Form): { together: string[][]; alone: string[] } {
  const byName = (pattern: string | readonly string[]) => globSync(pattern, { cwd: root }).toSorted();
  const files = byName(TESTS).filter((file) => formOf(file) === form);
  if (form === 'long') return { together: [], alone: files };
  const set = new Set(byName(ALONE));
  const alone: string[] = [];
  const left = new Set<string>();
  for (const file of files) {
    const isAlone = set.has(file) || OPEN_HOOK.test(readFileSync(join(root, file), 'utf8'));
    if (isAlone) alone.push(file);
    else left.add(file);
  }
  const together = Object.values(FAMILIES).flatMap(({ files, processes }) => {
    const family = byName(files).filter((file) => left.delete(file));
    return Array.from({ length: processes }, (_, number) =>
      family.filter((_file, index) => index % processes === number),
    );
  });
  return { together, alone };
}
