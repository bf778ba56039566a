import { accountEmail } from '../domain/people/email-address.ts';
import type { ProvidedPerson } from '../domain/people/identity.ts';
import { createAddressMatcher } from '../lib/ip-address.ts';
import type { RemoteUserSettings } from '../services/people/deps.ts';
import type { HttpRequest } from './request.ts';

/** Reads which person a trusted proxy names in the headers of a request. */
export class RemoteUserHeaders {
  readonly #header: string;
  readonly #groupsHeader: string | null;
  readonly #isProxy: (address: string) => boolean;

  constructor({ header, groupsHeader, proxies }: RemoteUserSettings) {
    this.#header = header;
    this.#groupsHeader = groupsHeader;
    this.#isProxy = createAddressMatcher(proxies);
  }

  /**
   * Null if nobody is named, or if the other end of the connection is not a trusted proxy. Headers about the origin of
   * the request do not count: anybody could write them.
   */
  personIn({ raw, headers }: HttpRequest): ProvidedPerson | null {
    if (!this.#isProxy(raw.socket.remoteAddress ?? '')) return null;
    const email = accountEmail(textOf(headers[this.#header]));
    if (email === null) return null;
    const groups = this.#groupsHeader === null ? '' : textOf(headers[this.#groupsHeader]);
    return { email, name: '', groups: splitGroups(groups) };
  }
}

/** Node reads a header as Latin-1, and proxies write UTF-8. */
function textOf(value: string | string[] | undefined): string {
  return typeof value === 'string' ? Buffer.from(value, 'latin1').toString('utf8') : '';
}

/** Some proxies separate groups by commas, others by vertical bars. */
function splitGroups(text: string): string[] {
  return text
    .split(/[,|]/)
    .map((group) => group.trim())
    .filter((group) => group !== '');
}
