import { join } from 'node:path';
import { HttpClient } from '../../src/lib/http-client.ts';
import type { NodeProvider } from '../../src/node/node.ts';
import { providerCallbackAddress } from '../../src/wire/dashboard/addresses.ts';
import { SITE } from '../app.ts';
import { REPOSITORY, type RunningProcess, startProcess } from '../process.ts';
import type { Browser, BrowserReply } from './browser.ts';

/** The provider's claims about a person. Without `sub` they have refused. */
export interface Person {
  readonly sub?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: readonly string[];
  /** When they proved who they are, in seconds; now by default. */
  readonly auth_time?: number;
}

/** A provider of OpenID Connect in a process of its own. */
export interface TestProvider extends AsyncDisposable {
  readonly process: RunningProcess;
  readonly issuer: string;
  /** For the parts of a node. */
  readonly access: NodeProvider;
}

export async function startProvider(): Promise<TestProvider> {
  await using started = new AsyncDisposableStack();
  const process = started.use(
    startProcess(
      globalThis.process.execPath,
      [join(REPOSITORY, 'test/dashboard/openid-provider-process.ts'), providerCallbackAddress(SITE.root)],
      { cwd: REPOSITORY },
    ),
  );
  const [, issuer = ''] = await process.output(/provider at (\S+)/);
  const access = started.use(new ProviderAccess(issuer));
  const parts = started.move();
  return { process, issuer, access, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** A node's access to the provider. */
export class ProviderAccess implements NodeProvider, AsyncDisposable {
  readonly issuer: string;
  readonly clientId = 'tocsin';
  readonly clientSecret = 'a secret: of the client';
  readonly scopes = 'openid email profile groups';
  readonly #http = new HttpClient({
    userAgent: 'test',
    allowPrivateAddresses: true,
    proxies: { http: null, https: null },
    maxRedirects: 0,
  });

  constructor(issuer: string) {
    this.issuer = issuer;
  }

  send: NodeProvider['send'] = (request) => this.#http.send(request);

  [Symbol.asyncDispose](): Promise<void> {
    return this.#http[Symbol.asyncDispose]();
  }
}

/**
 * Goes through the pages of the provider as a browser does, with the cookies of the provider. Returns the path and query at
 * which the browser comes back.
 */
export async function visitProvider(address: string, person: Person): Promise<string> {
  const cookies = new Map<string, string>();
  let url = new URL(address);
  for (let hop = 0; hop < 10; hop++) {
    if (url.origin === SITE.root) return url.pathname + url.search;
    if (url.pathname.startsWith('/interaction/')) url.searchParams.set('person', JSON.stringify(person));
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const set of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const location = reply.headers.get('location');
    if (location === null) throw new Error(`the provider answers ${reply.status}: ${await reply.text()}`);
    url = new URL(location, url);
  }
  throw new Error('the provider sends the browser in a circle');
}

/** Comes back from the provider, as a browser does that follows a link of another site. */
export function comeBack(browser: Browser, path: string): Promise<BrowserReply> {
  return browser.send('GET', path.replace('/dashboard/api', ''), undefined, {
    origin: null,
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
  });
}

/** Signs in by the provider, the whole way. */
export async function signInByProvider(
  browser: Browser,
  person: Person,
  next?: string,
): Promise<BrowserReply> {
  const { json } = await browser.post('/do/signInByProvider', next === undefined ? {} : { next });
  return comeBack(browser, await visitProvider(json.address, person));
}
