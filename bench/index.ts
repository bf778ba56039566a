/** Runs the benchmarks: all of them, or those named on the command line: `npm run bench schedule`. */
import { readdir } from 'node:fs/promises';
import { parse } from 'node:path';

const NOT_BENCHMARKS = ['index', 'lib'];

interface Benchmark {
  /** Prints what it finds; may be asynchronous. */
  default(): unknown;
}

async function listBenchmarks(): Promise<string[]> {
  const files = (await readdir(import.meta.dirname)).map((file) => parse(file));
  return files
    .filter(({ name, ext }) => ext === '.ts' && !NOT_BENCHMARKS.includes(name) && !name.endsWith('.test'))
    .map(({ name }) => name)
    .sort();
}

const known = await listBenchmarks();
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. There is: ${known.join(', ') || 'none yet'}.`);
  process.exit(2);
}
if (asked.length === 0) console.log(`Benchmarks: ${known.join(', ') || 'none yet'}.`);
for (const name of asked.length > 0 ? asked : known) {
  console.log(`\n${name}`);
  const benchmark: Benchmark = await import(`./${name}.ts`);
  await benchmark.default();
}
