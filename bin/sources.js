// Runs a checkout: `npm start` and `npm run tocsin`. JavaScript, so that it needs no preparation itself.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// The sources as they are without their types, compiled, are kept from one start to the next: what strips the types
// takes some forty megabytes as long as the process lives. They are kept among the dependencies, where only those can
// write who can change the program itself, and not where Node would by default, in the folder for everybody's temporary
// files.
const folder = fileURLToPath(new URL('../node_modules/.cache/tocsin', import.meta.url));
const { directory } = enableCompileCache({ directory: folder });
// Threads look for it here. Where the folder cannot be written there is none, and the program works as well.
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= folder;

await import('../src/cli/index.ts');
