import { readFileSync } from 'node:fs';
import { sep } from 'node:path';
import type { Installation } from '../wire/start-report.ts';
import type { Command } from './command.ts';

/** The path is the same in a checkout (`src/cli`) and in the published package (`dist/cli`). */
const manifest: { version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

export const VERSION = manifest.version;

/** Where the image has the program (`scripts/image`). */
const IMAGE_FOLDER = '/app/';

/** How the program came to this machine, which its path tells. */
export function installedAs(program = import.meta.filename): Installation {
  if (program.startsWith(IMAGE_FOLDER)) return 'image';
  return program.includes(`${sep}node_modules${sep}`) ? 'package' : 'clone';
}

export const versionText = (node: string): string => `tocsin ${VERSION} (node ${node})\n`;

export const version: Command = {
  usage: '',
  summary: 'print the version',
  async run(_args, io) {
    io.stdout.write(versionText(process.versions.node));
    return 0;
  },
};
