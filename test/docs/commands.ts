import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Exit, REPOSITORY, startProcess } from '../process.ts';

/** A block of commands on a page for operators. */
export interface PageCommands {
  /** The nearest heading before them. */
  readonly section: string;
  /** What a reader copies. */
  readonly script: string;
}

/** The blocks that are marked as `sh`, in the order of the page. */
export function commandsIn(markdown: string): PageCommands[] {
  const found: PageCommands[] = [];
  let section = '';
  for (const [, heading, script] of markdown.matchAll(/^#+ (.+)$|^```sh\n([\s\S]*?)^```$/gm)) {
    if (heading !== undefined) section = heading;
    if (script !== undefined) found.push({ section, script });
  }
  return found;
}

/** The commands of a page in `docs`. */
export async function commandsOf(page: string): Promise<PageCommands[]> {
  return commandsIn(await readFile(join(REPOSITORY, 'docs', page), 'utf8'));
}

export interface RunOptions {
  /** The working folder. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Shell scripts that take the place of programs, by name. `$@` are the arguments. */
  readonly programs?: Readonly<Record<string, string>>;
}

/** Runs the commands to their end, as a reader would who copies them. The first that fails ends them. */
export async function runCommands(script: string, { cwd, env, programs = {} }: RunOptions): Promise<Exit> {
  await mkdir(join(cwd, '.programs'), { recursive: true });
  const folder = await mkdtemp(join(cwd, '.programs', 'run-'));
  for (const [name, body] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${body}\n`);
    await chmod(join(folder, name), 0o755);
  }
  const PATH = [folder, process.env.PATH].join(delimiter);
  await using shell = startProcess('sh', ['-eu', '-c', script], { cwd, env: { ...env, PATH } });
  return await shell.exit();
}

/** A program that runs Tocsin's command from this checkout. */
export const TOCSIN = `exec '${process.execPath}' '${join(REPOSITORY, 'src/cli/index.ts')}' "$@"`;
