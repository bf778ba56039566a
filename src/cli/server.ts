import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type ApiProfile, profilePaths, readProfile } from '../companion/main.ts';
import type { Environment } from '../config/env-file.ts';
import { readSecretFile } from '../provision/secret-file.ts';
import { type CommandIo, UsageError } from './command.ts';

/** Options that name a project on a server. A key is never an option: other users see the arguments of a process. */
export const SERVER_OPTIONS = {
  url: { type: 'string' },
  profile: { type: 'string' },
  'key-file': { type: 'string' },
} as const;

export const SERVER_HELP: readonly [string, string][] = [
  ['--url URL', 'the server, such as https://healthchecks.io (TOCSIN_URL)'],
  ['--profile NAME', 'server and key as ~/.config/tocsin/config.json has them'],
  ['--key-file FILE', 'where a read-write key of the project is, if not in TOCSIN_API_KEY'],
];

type ServerFlags = { readonly [Name in keyof typeof SERVER_OPTIONS]?: string | undefined };

/** Variables with the API key, in the order in which they count. The others are those of clients of Healthchecks. */
const KEY_VARIABLES = ['TOCSIN_API_KEY', 'HEALTHCHECKS_API_KEY', 'HEALTHCHECKSIO_API_KEY', 'HC_API_KEY'];

/** A password store may ask a person. */
const COMMAND_MS = 60_000;

/** A project on a server with API v3. */
export interface Server {
  /** The address without a slash at the end. */
  readonly root: string;
  /** It is in no message. */
  readonly key: string;
}

/** Whether the command line names a server. */
export const namesServer = ({ url, profile }: ServerFlags): boolean => (url ?? profile) !== undefined;

/**
 * An option counts before variables, and these before the default profile. A named profile counts before variables, and the key of a
 * profile goes to its own server alone.
 */
export async function serverOf(
  flags: ServerFlags,
  io: Pick<CommandIo, 'environment' | 'stderr'>,
): Promise<Server> {
  const environment = io.environment();
  if (flags.url !== undefined && flags.profile !== undefined)
    throw new UsageError('--url and --profile name two servers');
  const url = flags.profile === undefined ? (flags.url ?? given(environment, 'TOCSIN_URL')) : undefined;
  const name = flags.profile ?? given(environment, 'TOCSIN_PROFILE') ?? null;
  const profile = url === undefined ? await profileNamed(name, environment, io) : null;
  const root = url ?? profile?.url ?? null;
  if (root === null) throw new UsageError('--url or --profile names the server');
  const key =
    keyInFile(flags, environment) ??
    (flags.profile === undefined ? keyInVariables(environment) : undefined) ??
    (profile && (await keyOf(profile)));
  return { root: readRoot(root), key: readKey(key ?? '') };
}

function readRoot(text: string): string {
  const url = URL.parse(text);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '';
  if (!isPlain) throw new UsageError('the address of the server is one such as https://healthchecks.io');
  return text.replace(/\/+$/, '');
}

function readKey(text: string): string {
  const key = text.trim();
  if (key === '')
    throw new UsageError(
      'the read-write API key of the project is missing: give it in TOCSIN_API_KEY, --key-file or a profile',
    );
  // Errors about headers would show the whole key.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError('the API key has characters that no key has');
  return key;
}

function keyInFile(flags: ServerFlags, environment: Environment): string | undefined {
  const variable = flags.profile === undefined ? given(environment, 'TOCSIN_API_KEY_FILE') : undefined;
  const path = flags['key-file'] ?? variable;
  return path === undefined ? undefined : readKeyFile(path);
}

function readKeyFile(path: string): string {
  try {
    return readSecretFile(path);
  } catch (error) {
    throw new UsageError(`the file of the API key, ${path}, ${messageOf(error)}`);
  }
}

/** The key, or `file:` and the path of a file that holds it. */
function keyInVariables(environment: Environment): string | undefined {
  const [key] = KEY_VARIABLES.flatMap((name) => given(environment, name) ?? []);
  return key?.startsWith('file:') ? readKeyFile(key.slice('file:'.length)) : key;
}

async function profileNamed(
  name: string | null,
  environment: Environment,
  { stderr }: Pick<CommandIo, 'stderr'>,
): Promise<ApiProfile | null> {
  const readIfThere = async (path: string) => {
    const found = await stat(path).catch(() => null);
    return found === null ? null : readFile(path, 'utf8');
  };
  const guard = {
    modeOf: async (path: string) => (await stat(path)).mode,
    tell: (path: string) => void stderr.write(`Others can read ${path}, which has keys.\n`),
  };
  const profile = await readProfile(name, profilePaths(environment), { readIfThere, guard }).catch(
    (error: unknown) => {
      throw new UsageError(`the profile cannot be read: ${messageOf(error)}`);
    },
  );
  if (profile === null && name !== null) throw new UsageError(`there is no profile "${name}"`);
  return profile;
}

async function keyOf({ apiKey, apiKeyCommand }: ApiProfile): Promise<string | null> {
  const [program, ...args] = apiKeyCommand ?? [];
  if (apiKey !== null || program === undefined) return apiKey;
  try {
    return (await promisify(execFile)(program, args, { timeout: COMMAND_MS })).stdout;
  } catch {
    // The error has the output of the program, which may be the key.
    throw new UsageError(`${program}, which prints the API key of the profile, has failed`);
  }
}

/** An empty variable counts as unset. */
function given(environment: Environment, name: string): string | undefined {
  return environment[name] || undefined;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
