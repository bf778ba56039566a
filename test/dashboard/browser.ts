import { argon2Sync } from 'node:crypto';
import type { Account, NewAccount } from '../../src/domain/people/account.ts';
import { SITE, type TestApp } from '../app.ts';
import { type InjectOptions, injectInto } from '../inject.ts';
import { accountRecord } from '../records.ts';

export const PASSWORD = 'correct horse battery';

/** Hashing takes long on purpose. Here nobody guesses, so the hash costs the least that is possible. */
const passwordHash = cheapHash(PASSWORD);

function cheapHash(password: string): string {
  const nonce = Buffer.alloc(16);
  const cost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 };
  const hash = argon2Sync('argon2id', { message: password, nonce, ...cost });
  const [salt, tag] = [nonce, hash].map((bytes) => bytes.toString('base64').replace(/=+$/, ''));
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${salt}$${tag}`;
}

/** An account that can sign in with `PASSWORD`. */
export async function givenAccount(app: TestApp, overrides: Partial<NewAccount> = {}): Promise<Account> {
  const record = accountRecord({ passwordHash, ...overrides });
  return app.deps.store.transaction((tx) => tx.accounts.insert(record));
}

export interface BrowserReply {
  readonly status: number;
  /** Whether it was not refused. */
  readonly isDone: boolean;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The headers that set cookies. */
  readonly setCookies: readonly string[];
  readonly text: string;
  /** The body as JSON; throws when it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it with what they expect.
  readonly json: any;
}

/** A browser: it keeps cookies, and tells where its requests come from. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #app: TestApp;
  readonly address: string;
  readonly userAgent: string;

  constructor(app: TestApp, { address = '198.51.100.7', userAgent = 'Firefox' } = {}) {
    this.#app = app;
    this.address = address;
    this.userAgent = userAgent;
  }

  get(path: string): Promise<BrowserReply> {
    return this.send('GET', path);
  }

  post(path: string, body: unknown = {}): Promise<BrowserReply> {
    return this.send('POST', path, body);
  }

  delete(path: string): Promise<BrowserReply> {
    return this.send('DELETE', path);
  }

  /** Below `/dashboard/api`. A header that is null is not sent. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string | null>> = {},
  ): Promise<BrowserReply> {
    const given = {
      host: new URL(SITE.root).host,
      'user-agent': this.userAgent,
      origin: SITE.root,
      cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      ...headers,
    };
    const reply = await injectInto(this.#app.server, {
      method: method as NonNullable<InjectOptions['method']>,
      url: `/dashboard/api${path}`,
      remoteAddress: this.address,
      headers: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)),
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    for (const { name, value, maxAge } of reply.cookies) {
      if (maxAge === 0) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return {
      status: reply.statusCode,
      isDone: reply.statusCode < 300,
      headers: reply.headers,
      setCookies: [reply.headers['set-cookie'] ?? []].flat(),
      text: reply.body,
      get json() {
        return JSON.parse(reply.body);
      },
    };
  }

  signIn(email: string, password = PASSWORD): Promise<BrowserReply> {
    return this.post('/do/signInWithPassword', { email, password });
  }
}

let networks = 0;

/** A browser of a network of its own, whose attempts nobody else uses. */
export function newBrowser(app: TestApp): Browser {
  const n = ++networks;
  return new Browser(app, { address: `203.${n >> 16}.${(n >> 8) & 255}.${n & 255}` });
}
