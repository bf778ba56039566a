/** What pings travel over: the target, a connection, and the folder for those that have to wait. */
import { readFile, stat } from 'node:fs/promises';
import type { Parsed } from './arguments.ts';
import type { Machine } from './machine.ts';
import type { SENDING_OPTIONS, SPOOL_OPTIONS, TALKING_OPTIONS, TARGET_OPTIONS, Values } from './options.ts';
import type { Sender, Target } from './ping.ts';
import { profilePaths, readProfile } from './profile.ts';
import type { SpoolFolder } from './spool/spool.ts';
import { type FoundTarget, findTarget, type TargetFiles } from './target.ts';

export interface Line {
  readonly target: Target;
  readonly sender: Sender;
  /** Null where nothing is to be kept. */
  readonly spool: SpoolFolder | null;
}

export type LineOptions = Pick<
  Parsed<typeof TARGET_OPTIONS & typeof SENDING_OPTIONS & typeof TALKING_OPTIONS>,
  'values' | 'sources'
>;
type DeliveringOptions = Omit<Values<typeof SPOOL_OPTIONS>, 'within' | 'all' | 'json'>;

export type OpenedLine =
  | { readonly line: Line; readonly secrets: readonly string[] }
  | { readonly fault: string };

/** Loads the network. It never rejects. */
export async function openLine(options: LineOptions, machine: Machine): Promise<OpenedLine> {
  const tell = (path: string) => machine.say(`others can read ${path}, which has keys`);
  const found = await findTarget(options, filesOf(machine, options.values.verbose ? tell : null));
  if ('fault' in found) return found;
  const sender = await senderFor(options.values, machine, new URL(found.target.base).origin);
  if ('fault' in sender) return sender;
  const spool = options.values['no-spool'] ? null : await spoolFor(options.values, machine);
  return { line: { target: found.target, sender, spool }, secrets: found.secrets };
}

/** Headers of the user go to one server, or where none is named, to all. */
export async function senderFor(
  values: DeliveringOptions,
  machine: Machine,
  headersTo: string | null,
): Promise<Sender | { readonly fault: string }> {
  const ca = await readCertificates(values['ca-file']);
  if (ca instanceof Error) return { fault: `the file of --ca-file cannot be read: ${ca.message}` };
  const { openSender } = await import('./send/connection.ts');
  return openSender({
    userAgent: `tocsin/${await readVersion()} (${machine.platform})`,
    headers: values.header.flatMap(readHeader),
    headersTo,
    ca,
    env: machine.environment,
    wallNow: () => machine.moment().wallMs,
  });
}

/** Null where the environment names no place for it. */
export async function spoolFor(values: DeliveringOptions, machine: Machine): Promise<SpoolFolder | null> {
  const { spoolFolder } = await import('./spool/place.ts');
  const path = spoolFolder(values.spool, machine);
  if (path === null) return null;
  const [{ openSpool }, { realTiming }] = await Promise.all([
    import('./spool/spool.ts'),
    import('./send/attempts.ts'),
  ]);
  return openSpool({
    path,
    machine,
    timing: realTiming(machine),
    ownId: process.pid,
    maxAgeMs: values['spool-max-age'],
    lateAsFreshMs: values['late-as-fresh'],
    attemptMs: values['ping-timeout'],
    onLoss: values.quiet ? () => undefined : machine.say,
    onDetail: values.verbose ? machine.say : () => undefined,
  });
}

/** Finds the target alone, for those who need its name before anything is sent. */
export function findTargetOn(options: LineOptions, machine: Machine): Promise<FoundTarget> {
  return findTarget(options, filesOf(machine, null));
}

/** `tellExposed` is told of profiles whose keys others can read. */
function filesOf({ environment }: Machine, tellExposed: ((path: string) => void) | null): TargetFiles {
  const readText = (path: string) => readFile(path, 'utf8');
  const readIfThere = (path: string) =>
    readText(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
      throw error;
    });
  const modeOf = async (path: string) => (await stat(path)).mode;
  const guard = tellExposed === null ? null : { modeOf, tell: tellExposed };
  return {
    readText,
    readProfile: (name) => readProfile(name, profilePaths(environment), { readIfThere, guard }),
  };
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
