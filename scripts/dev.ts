/** Runs the service from the sources, and starts it again when one changes: `npm run dev`. */
import { runNode } from './run-node.ts';

const { code } = await runNode(['--watch', '--watch-path=src', 'bin/sources.js', 'serve']);
process.exitCode = code ?? 1;
