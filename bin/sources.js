// Runs a checkout: `npm start` and `npm run tocsin`. JavaScript, so that it needs no preparation itself.
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';
import { runCompanion } from './companion.cjs';
import { run } from './runtime.js';

// The runtime may be installed but not linked: npm 10 without install scripts.
run(async () => {
  const compiled = keepCompiled();
  const companion = runCompanion(() => import('../src/companion/main.ts'));
  if (companion !== null) return companion;
  // Threads look for it here. Where the folder cannot be written there is none, and the program works as well.
  if (compiled !== undefined) process.env.NODE_COMPILE_CACHE ??= compiled;
  // In development Vite serves them.
  if (process.argv[2] === 'serve' && process.env.NODE_ENV !== 'development') await bringPages();
  return import('../src/cli/index.ts');
});

/**
 * The sources as they are without their types, compiled, are kept from one start to the next: what strips the types
 * takes some forty megabytes as long as the process lives. They are kept among the dependencies, where only those can
 * write who can change the program itself, and not where Node would by default, in the folder for everybody's temporary
 * files.
 */
function keepCompiled() {
  const folder = fileURLToPath(new URL('../node_modules/.cache/tocsin', import.meta.url));
  return module.enableCompileCache({ directory: folder }).directory === undefined ? undefined : folder;
}

/** Builds the pages of the dashboard if they have changed. The service runs without them, too: pings do not wait for pages. */
async function bringPages() {
  const { buildPages } = await import('../scripts/pages.ts');
  try {
    if (await buildPages()) console.log('Built the pages of the dashboard.');
  } catch (error) {
    console.error(
      `The pages of the dashboard could not be built: ${error instanceof Error ? error.message : error}`,
    );
  }
}
