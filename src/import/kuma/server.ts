import type { InstanceOffer } from '../../integrations/registry.ts';

/** A value that fits into a line of an environment file. */
const LINE = /^[^\p{Cc}]+$/u;

/**
 * The settings of this server that notifications of Kuma need. If the server has not set them, those of the first
 * notification are assumed.
 */
export class AssumedServer {
  readonly #server: Readonly<Record<string, unknown>>;
  readonly #hasMail: boolean;
  /** Values from the source, for settings that are not set here. */
  readonly assumed = new Map<string, string>();

  constructor({ server, hasMail }: InstanceOffer) {
    this.#server = server;
    this.#hasMail = hasMail;
  }

  has(name: string): boolean {
    return this.#valueOf(name) !== null;
  }

  /** Whether the server has these values, or can get them. */
  takes(values: Readonly<Record<string, string>>): boolean {
    const entries = Object.entries(values);
    if (entries.some(([name, value]) => this.has(name) && this.#valueOf(name) !== value)) return false;
    if (entries.every(([name]) => this.has(name))) return true;
    return this.#assume(entries);
  }

  /** The mail server of the first notification is assumed, if there is none here. Any mail server reaches any address. */
  assumeMail(values: Readonly<Record<string, string>>): void {
    if (!this.#hasMail && !this.has('EMAIL_HOST')) this.#assume(Object.entries(values));
  }

  #assume(entries: readonly (readonly [string, string])[]): boolean {
    if (!entries.every(([, value]) => LINE.test(value))) return false;
    for (const [name, value] of entries) this.assumed.set(name, value);
    return true;
  }

  #valueOf(name: string): unknown {
    return this.#server[name] ?? this.assumed.get(name) ?? null;
  }
}
