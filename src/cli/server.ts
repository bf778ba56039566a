import type { Environment } from '../config/environment.ts';
import { readSecretFile } from '../provision/secret-file.ts';
import { UsageError } from './command.ts';

/** Options that name a project on a server. A key is never an option: other users see the arguments of a process. */
export const SERVER_OPTIONS = {
  url: { type: 'string' },
  'key-file': { type: 'string' },
} as const;

export const SERVER_HELP: readonly [string, string][] = [
  ['--url URL', 'the server, such as https://healthchecks.io (TOCSIN_URL)'],
  ['--key-file FILE', 'where a read-write key of the project is, if not in TOCSIN_API_KEY'],
];

/** Variables with the API key, in the order in which they count. The others are those of clients of Healthchecks. */
const KEY_VARIABLES = ['TOCSIN_API_KEY', 'HEALTHCHECKS_API_KEY', 'HEALTHCHECKSIO_API_KEY', 'HC_API_KEY'];

/** A project on a server with API v3. */
export interface Server {
  /** The address without a slash at the end. */
  readonly root: string;
  /** It is in no message. */
  readonly key: string;
}

export function serverOf(
  flags: { readonly url?: string | undefined; readonly 'key-file'?: string | undefined },
  environment: Environment,
): Server {
  const url = flags.url ?? given(environment, 'TOCSIN_URL');
  if (url === undefined) throw new UsageError('--url names the server');
  return { root: readRoot(url), key: readKey(flags['key-file'], environment) };
}

function readRoot(text: string): string {
  const url = URL.parse(text);
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '';
  if (!isPlain) throw new UsageError('--url names the server, such as https://healthchecks.io');
  return text.replace(/\/+$/, '');
}

function readKey(keyFile: string | undefined, environment: Environment): string {
  const path = keyFile ?? given(environment, 'TOCSIN_API_KEY_FILE');
  const variables = KEY_VARIABLES.flatMap((name) => given(environment, name) ?? []);
  const key = (path === undefined ? (variables[0] ?? '') : keyIn(path)).trim();
  if (key === '')
    throw new UsageError(
      'the read-write API key of the project is missing: give it in TOCSIN_API_KEY or --key-file',
    );
  // Errors about headers would show the whole key.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError('the API key has characters that no key has');
  return key;
}

function keyIn(path: string): string {
  try {
    return readSecretFile(path);
  } catch (error) {
    throw new UsageError(
      `the file of the API key, ${path}, ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** An empty variable counts as unset. */
function given(environment: Environment, name: string): string | undefined {
  return environment[name] || undefined;
}
