/** Where the service is pinged, below the path of the site: its own addresses, and those of other programs. */
export const PING_DOORS = { own: '/ping/', kuma: '/api/push/', cronitor: '/p/' } as const;

/** The paths of ping addresses, plain or percent-encoded. */
export class PingPaths {
  readonly #prefix: string;
  readonly #decodedPrefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
    this.#decodedPrefix = decodeURIComponent(prefix);
  }

  /** Whether the request goes to a ping address. */
  include(url: string): boolean {
    if (url.startsWith(this.#prefix)) return true;
    return url.includes('%') && (decoded(pathOf(url))?.startsWith(this.#decodedPrefix) ?? false);
  }

  /** The decoded text after the prefix; null if it cannot be decoded. */
  addressIn(url: string): string | null {
    const path = pathOf(url);
    if (!path.includes('%')) return path.slice(this.#prefix.length);
    return decoded(path)?.slice(this.#decodedPrefix.length) ?? null;
  }
}

function pathOf(url: string): string {
  const queryStart = url.indexOf('?');
  return queryStart === -1 ? url : url.slice(0, queryStart);
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
