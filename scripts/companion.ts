/**
 * Bundles the companion for packages. `main.js` is all that `tocsin run` loads before it starts a job: each file that Node has to
 * find and link keeps the job waiting. The network and the spool come later, in one file, and other commands in their own.
 */
import { dirname } from 'node:path';
import { rolldown } from 'rolldown';

const ROOT = dirname(import.meta.dirname);
/** Modules and, of each, those that it imports at once. The first group that has a module keeps it. */
const GROUPS = [
  { name: 'main', test: /\/companion\/(main|run\/command)\.ts$|rolldown\/runtime/, priority: 1 },
  { name: 'line', test: /\/companion\/(send|spool)\// },
];

/** The same sources give the same bytes. */
export async function bundleCompanion(folder: string): Promise<void> {
  await using bundle = await rolldown({
    cwd: ROOT,
    input: { main: 'src/companion/main.ts' },
    platform: 'node',
    transform: { target: 'node20' },
    // `main.js` also exports what the other files need of it, and is not a second file in front of that.
    preserveEntrySignatures: 'allow-extension',
    // Sources load later what is in `main.js` anyway.
    checks: { ineffectiveDynamicImport: false },
    onLog: (_level, { message }) => {
      throw new Error(message);
    },
  });
  await bundle.write({
    dir: folder,
    comments: false,
    chunkFileNames: '[name].js',
    codeSplitting: { groups: GROUPS },
  });
}
