/**
 * Bundles the companion and the client for packages. `companion/main.js` is all that `tocsin run` loads before it starts a job: each
 * file that Node has to find and link keeps the job waiting. The rest comes beside the job, in one file, and other commands in their own.
 */
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type OutputOptions, type RolldownOptions, rolldown } from 'rolldown';

const ROOT = dirname(import.meta.dirname);
const COMPANION = join(ROOT, 'src/companion/main.ts');
const SECOND_PROCESS = join(ROOT, 'src/companion/second-process.ts');
/** In `dist`: the text of `--help`, which `bin/tocsin.cjs` prints. */
export const HELP_FILE = 'help.txt';
/** Likewise the text of `version`, where the Node that is there runs all commands. That Node puts its own number into it. */
export const VERSION_FILE = { name: 'version.txt', node: 'NODE_VERSION' };
/** Modules and, of each, those that it imports at once. The first group that has a module keeps it. */
const GROUPS = [
  { name: 'main', test: /\/companion\/(main|run\/command)\.ts$|rolldown\/runtime/, priority: 1 },
  // Also what a run needs at its end: an upgrade may replace the other files while the job goes on.
  { name: 'beside-job', test: /\/companion\/(run\/(beside-job\.ts$|expected\/)|send\/(?!secure)|spool\/)/ },
];

/** The same sources give the same bytes. */
export async function bundleCompanion(folder: string): Promise<void> {
  await bundle(
    {
      input: { main: COMPANION, 'second-process': SECOND_PROCESS },
      // `main.js` also exports what the other files need of it, and is not a second file in front of that.
      preserveEntrySignatures: 'allow-extension',
      // Sources load later what is in `main.js` anyway.
      checks: { ineffectiveDynamicImport: false },
    },
    // CommonJS starts a job sooner than ES modules do.
    { dir: folder, format: 'cjs', codeSplitting: { groups: GROUPS } },
  );
  await writeFile(join(folder, 'package.json'), `${JSON.stringify({ type: 'commonjs' })}\n`);
}

/**
 * Bundles the commands that need no service, with the packages that they use. The companion is in the folder beside it. Returns the
 * names of these packages.
 */
export async function bundleClient(folder: string): Promise<string[]> {
  const modules = await bundle(
    {
      input: { client: 'src/cli/client.ts', 'parse-thread': 'src/cli/client-parse-thread.ts' },
      external: [COMPANION],
      checks: { ineffectiveDynamicImport: false },
    },
    { dir: folder, paths: { [COMPANION]: '../companion/main.js' } },
  );
  const names = modules.map((id) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].toSorted();
}

/** Returns the paths of the modules. */
async function bundle(input: RolldownOptions, output: OutputOptions): Promise<string[]> {
  await using bundle = await rolldown({
    ...input,
    cwd: ROOT,
    platform: 'node',
    transform: { target: 'node20' },
    onLog: (_level, { message }) => {
      throw new Error(message);
    },
  });
  const written = await bundle.write({
    ...output,
    comments: false,
    chunkFileNames: '[name].js',
    // With short names, a file of another version could find something else by the same name.
    minifyInternalExports: false,
  });
  return written.output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}
