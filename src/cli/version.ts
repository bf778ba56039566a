import { readFileSync } from 'node:fs';
import type { Command } from './command.ts';

/** The path is the same in a checkout (`src/cli`) and in the published package (`dist/cli`). */
const manifest: { version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

export const VERSION = manifest.version;

export const version: Command = {
  usage: '',
  summary: 'print the version',
  async run(_args, io) {
    io.stdout.write(`tocsin ${VERSION} (node ${process.versions.node})\n`);
    return 0;
  },
};
