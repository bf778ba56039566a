import { lookup, Resolver } from 'node:dns/promises';

/** Names on the network, as this machine knows them. */
export interface Names {
  /** All addresses of a host. Empty if it has none. */
  addresses(host: string): Promise<string[]>;
  /** The texts of a domain. Empty if it has none. */
  texts(domain: string): Promise<string[]>;
  /** The hosts that take mail for a domain, the preferred one first. Empty if it has none. */
  mailHosts(domain: string): Promise<string[]>;
}

const TIMEOUT = { timeout: 2_000, tries: 2 };
const ABSENT = ['ENOTFOUND', 'ENODATA'];

export const systemNames: Names = {
  addresses: async (host) => (await orNone(lookup(host, { all: true }))).map(({ address }) => address),
  texts: async (domain) =>
    (await orNone(new Resolver(TIMEOUT).resolveTxt(domain))).map((parts) => parts.join('')),
  mailHosts: async (domain) =>
    (await orNone(new Resolver(TIMEOUT).resolveMx(domain)))
      .toSorted((one, other) => one.priority - other.priority)
      .map(({ exchange }) => exchange),
};

/** Nothing, if the name exists without such a record, or not at all. Other failures are thrown: nobody knows then. */
async function orNone<T>(asked: Promise<T[]>): Promise<T[]> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Error && 'code' in error && ABSENT.includes(String(error.code))) return [];
    throw error;
  }
}
