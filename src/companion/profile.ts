/** Profiles of `config.json`: where a project is, and its keys. */
import { join } from 'node:path';

export interface Profile {
  readonly url: string | null;
  readonly endpoint: string | null;
  readonly pingKey: string | null;
}

/** With what commands against a server need. */
export interface ApiProfile extends Profile {
  readonly apiKey: string | null;
  /** A program and its arguments, which print the API key. */
  readonly apiKeyCommand: readonly string[] | null;
}

export interface ProfileFiles {
  /** The content of a file; null where there is none. Rejects where it cannot be read. */
  readIfThere(path: string): Promise<string | null>;
  /** Tells people of a file with keys that others can read; null where nobody is to be told. */
  readonly guard: {
    /** The permissions of a file. */
    modeOf(path: string): Promise<number>;
    tell(path: string): void;
  } | null;
}

const SYSTEM_FILE = '/etc/tocsin/config.json';

/** Where profiles are read, the first before the second. `TOCSIN_CONFIG` names another file. */
export function profilePaths(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { TOCSIN_CONFIG: named, XDG_CONFIG_HOME: config, HOME: home } = environment;
  if (named) return [named];
  const own = config || (home ? join(home, '.config') : null);
  return own === null ? [SYSTEM_FILE] : [join(own, 'tocsin', 'config.json'), SYSTEM_FILE];
}

/** What an earlier file lacks comes from a later one. Null where no file has the profile; rejects with a sentence. */
export async function readProfile(
  name: string | null,
  paths: readonly string[],
  files: ProfileFiles,
): Promise<ApiProfile | null> {
  const found: Record<string, unknown>[] = [];
  let wanted = name;
  for (const path of paths) {
    const text = await files.readIfThere(path);
    if (text === null) continue;
    const config = parse(text, path);
    if (files.guard !== null && isSecret(config, path) && ((await files.guard.modeOf(path)) & 0o077) !== 0)
      files.guard.tell(path);
    wanted ??= typeof config.default === 'string' ? config.default : null;
    const profile = wanted === null ? undefined : recordOf(config.profiles)[wanted];
    if (profile !== undefined) found.push(recordOf(profile));
  }
  if (found.length === 0) return null;
  const first = <T>(key: string, isRight: (value: unknown) => value is T) =>
    found.map((one) => one[key]).find(isRight) ?? null;
  return {
    url: first('url', isText),
    endpoint: first('endpoint', isText),
    pingKey: first('ping_key', isText),
    apiKey: first('api_key', isText),
    apiKeyCommand: first('api_key_command', isTexts),
  };
}

/** Whoever runs jobs here needs the ping key in the file of the system. */
function isSecret({ profiles }: Record<string, unknown>, path: string): boolean {
  return Object.values(recordOf(profiles))
    .map(recordOf)
    .some((one) => isText(one.api_key) || (isText(one.ping_key) && path !== SYSTEM_FILE));
}

const isText = (value: unknown): value is string => typeof value === 'string';

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);

function parse(text: string, path: string): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(text));
  } catch {
    throw new Error(`${path} is not understood: it is no JSON`);
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
