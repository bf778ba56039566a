/** What pings travel over: the target, a connection, and the folder for those that have to wait. */
import { readFile } from 'node:fs/promises';
import type { Parsed } from './arguments.ts';
import type { Machine } from './machine.ts';
import type { SENDING_OPTIONS, TARGET_OPTIONS } from './options.ts';
import type { Sender, Spool, Target } from './ping.ts';
import { profilePaths, readProfile } from './profile.ts';
import { type FoundTarget, findTarget, type TargetFiles } from './target.ts';

export interface Line {
  readonly target: Target;
  readonly sender: Sender;
  /** Null where nothing is to be kept. */
  readonly spool: Spool | null;
}

type LineOptions = Pick<Parsed<typeof TARGET_OPTIONS & typeof SENDING_OPTIONS>, 'values' | 'sources'>;

export type OpenedLine =
  | { readonly line: Line; readonly secrets: readonly string[] }
  | { readonly fault: string };

/** Loads the network. It never rejects. */
export async function openLine(options: LineOptions, machine: Machine): Promise<OpenedLine> {
  const found = await findTarget(options, filesOf(machine));
  if ('fault' in found) return found;
  const ca = await readCertificates(options.values['ca-file']);
  if (ca instanceof Error) return { fault: `the file of --ca-file cannot be read: ${ca.message}` };
  const { openSender } = await import('./send/connection.ts');
  const sender = openSender({
    userAgent: `tocsin/${await readVersion()} (${machine.platform})`,
    headers: options.values.header.flatMap(readHeader),
    ca,
    env: machine.environment,
    wallNow: () => machine.moment().wallMs,
  });
  return { line: { target: found.target, sender, spool: null }, secrets: found.secrets };
}

/** Finds the target alone, for those who need its name before anything is sent. */
export function findTargetOn(options: LineOptions, machine: Machine): Promise<FoundTarget> {
  return findTarget(options, filesOf(machine));
}

function filesOf({ environment }: Machine): TargetFiles {
  const readText = (path: string) => readFile(path, 'utf8');
  const readIfThere = (path: string) =>
    readText(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
      throw error;
    });
  return { readText, readProfile: (name) => readProfile(name, profilePaths(environment), { readIfThere }) };
}

async function readCertificates(path: string | null): Promise<string | null | Error> {
  if (path === null) return null;
  return readFile(path, 'utf8').catch((error: Error) => error);
}

async function readVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  // Our own file.
  return (JSON.parse(text) as { version: string }).version;
}

/** Faulty ones are told when arguments are read. */
function readHeader(text: string): (readonly [string, string])[] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*?)\s*$/.exec(text) ?? [];
  return name === undefined || value === undefined ? [] : [[name, value]];
}
