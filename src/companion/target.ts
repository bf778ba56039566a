/** Which check is meant: options, variables and the profile become one address. */
import type { Parsed } from './arguments.ts';
import { SOURCES, type TARGET_OPTIONS } from './options.ts';
import type { Target } from './ping.ts';
import type { Profile } from './profile.ts';

export type TargetOptions = Pick<Parsed<typeof TARGET_OPTIONS>, 'values' | 'sources'>;

export interface TargetFiles {
  /** The content of a file; rejects where it cannot be read. */
  readText(path: string): Promise<string>;
  /** The profile of this name, or the default one; null where there is none. */
  readProfile(name: string | null): Promise<Profile | null>;
}

export type FoundTarget =
  | {
      readonly target: Target;
      /** The key and the address, to be redacted. */
      readonly secrets: readonly string[];
    }
  | { readonly fault: string };

const NAMES = ['ping-url', 'uuid', 'slug'] as const;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const FILE = 'file:';
const SHORTEST_KEY = 8;

/** A flag wins over variables. Of one source an address wins over a UUID, and that over a slug. */
export async function findTarget(options: TargetOptions, files: TargetFiles): Promise<FoundTarget> {
  try {
    return await find(options, files);
  } catch (error) {
    return { fault: error instanceof TargetFault ? error.message : 'the check could not be found out' };
  }
}

/** What names the check, if it stands there and not in a file. It may be faulty. */
export function namedSlug(options: TargetOptions): string | null {
  const slug = namingOption(options) === 'slug' ? options.values.slug : null;
  return slug === null || slug.startsWith(FILE) ? null : slug;
}

class TargetFault extends Error {}

async function find({ values, sources }: TargetOptions, files: TargetFiles): Promise<FoundTarget> {
  const named = namingOption({ values, sources });
  if (named === null) throw new TargetFault('no check is named: give --slug, --uuid or --ping-url');
  const read = async (name: keyof typeof values & string) => {
    const value = values[name];
    return typeof value === 'string' && value !== '' ? expand(name, value, files) : null;
  };
  const name = (await read(named)) ?? '';
  const create = values.create && named === 'slug' ? 'create=1' : '';
  if (named === 'ping-url') return wholeAddress(name);
  if (named === 'uuid' && !UUID.test(name)) throw new TargetFault('--uuid is no UUID');
  const place = firstOf(['endpoint', 'url'], sources);
  const ownEndpoint = place === null ? null : endpointFrom(place, (await read(place)) ?? '');
  const ownKey = named === 'slug' ? await read('ping-key') : null;
  const isComplete = ownEndpoint !== null && (named === 'uuid' || ownKey !== null);
  const profile = isComplete ? null : await profileFrom(files, values.profile);
  const endpoint = ownEndpoint ?? endpointOf(profile);
  if (endpoint === null)
    throw new TargetFault('the address of the server is missing: give --url or --endpoint');
  if (named === 'uuid') return found(`${endpoint}/${name}`, create, name.slice(0, 8), [name]);
  const key = ownKey ?? profile?.pingKey ?? null;
  if (key === null) throw new TargetFault('a slug needs a ping key: set TOCSIN_PING_KEY');
  const path = [key, name].map(encodeURIComponent).join('/');
  return found(`${endpoint}/${path}`, create, name, [key]);
}

async function profileFrom(files: TargetFiles, name: string | null): Promise<Profile | null> {
  const profile = await files.readProfile(name).catch((error: unknown) => {
    throw new TargetFault(`the profile cannot be read: ${error instanceof Error ? error.message : error}`);
  });
  if (profile === null && name !== null) throw new TargetFault('there is no profile of that name');
  return profile;
}

function namingOption({ sources }: TargetOptions): (typeof NAMES)[number] | null {
  return firstOf(NAMES, sources);
}

/** The name that has the best source; of one source, the name that is listed first. */
function firstOf<N extends string>(names: readonly N[], sources: TargetOptions['sources']): N | null {
  const ranked = SOURCES.flatMap((source) => names.filter((name) => sources.get(name) === source));
  return ranked[0] ?? null;
}

async function expand(name: string, value: string, files: TargetFiles): Promise<string> {
  if (!value.startsWith(FILE)) return value.trim();
  try {
    return (await files.readText(value.slice(FILE.length))).trim();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw new TargetFault(`the file of --${name} cannot be read${code}`);
  }
}

function endpointFrom(option: 'endpoint' | 'url', value: string): string {
  if (!/^https?:\/\/[^/]/i.test(value) || !URL.canParse(value))
    throw new TargetFault(`--${option} is no address`);
  const bare = value.replace(/\/+$/, '');
  return option === 'url' ? `${bare}/ping` : bare;
}

function endpointOf(profile: Profile | null): string | null {
  if (profile?.endpoint != null) return endpointFrom('endpoint', profile.endpoint);
  return profile?.url == null ? null : endpointFrom('url', profile.url);
}

function wholeAddress(text: string): FoundTarget {
  if (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text))
    throw new TargetFault('--ping-url is no address');
  const { origin, pathname, search, username, password } = new URL(text);
  const login = username === '' ? '' : `${username}:${password}@`;
  const path = pathname.replace(/\/+$/, '');
  const [last = '', beside = ''] = path.split('/').reverse();
  const base = `${origin.replace('://', `://${login}`)}${path}`;
  const query = search.slice(1);
  if (UUID.test(last)) return found(base, query, last.slice(0, 8), [last]);
  // Beside a slug stands the ping key. A shorter word is part of some other address, and of many outputs.
  const key = decodeURIComponent(beside);
  return found(base, query, decodeURIComponent(last), key.length < SHORTEST_KEY ? [] : [key]);
}

function found(base: string, query: string, label: string, secrets: readonly string[]): FoundTarget {
  return { target: { base, query, label }, secrets: [base, ...secrets] };
}
