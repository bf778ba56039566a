import type { Site } from '../site.ts';

const DEVICE_SECONDS = 365 * 86_400;

/**
 * The cookies of the dashboard. Scripts cannot read them. Where the site is https, browsers send them by https only, and
 * the prefix of their names makes sure that no other site of the same domain can set them.
 */
export class Cookies {
  readonly sessionName: string;
  readonly deviceName: string;
  readonly atProviderName: string;
  readonly #attributes: string;

  constructor({ root }: Pick<Site, 'root'>) {
    const isSecure = new URL(root).protocol === 'https:';
    const prefix = isSecure ? '__Host-' : '';
    this.sessionName = `${prefix}tocsin_session`;
    this.deviceName = `${prefix}tocsin_device`;
    this.atProviderName = `${prefix}tocsin_at_provider`;
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  }

  session(token: string, maxAgeSeconds: number): string {
    return this.#set(this.sessionName, token, maxAgeSeconds);
  }

  device(token: string): string {
    return this.#set(this.deviceName, token, DEVICE_SECONDS);
  }

  /** Removes the session from the browser. The device stays known. */
  noSession(): string {
    return this.#set(this.sessionName, '', 0);
  }

  /** The browser's secrets while the person is at the provider that signs them in. */
  atProvider(sealed: string, maxAgeSeconds: number): string {
    return this.#set(this.atProviderName, sealed, maxAgeSeconds);
  }

  notAtProvider(): string {
    return this.#set(this.atProviderName, '', 0);
  }

  #set(name: string, value: string, maxAgeSeconds: number): string {
    return `${name}=${value}; Max-Age=${maxAgeSeconds}; ${this.#attributes}`;
  }
}

/** The cookies of a request. If a name occurs twice, the first counts. */
export function readCookies(header: string | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const piece of (header ?? '').split(';')) {
    const [name = '', ...value] = piece.split('=');
    if (!cookies.has(name.trim())) cookies.set(name.trim(), value.join('=').trim());
  }
  return cookies;
}
