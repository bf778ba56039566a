import { BlockList, isIP } from 'node:net';

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy that the environment names for this address; null where it is reached directly. */
export function proxyFor(url: URL, env: Environment): URL | null {
  const named = url.protocol === 'https:' ? variable(env, 'HTTPS_PROXY') : httpProxy(env);
  if (named === null || isExcepted(url, variable(env, 'NO_PROXY') ?? '')) return null;
  try {
    const proxy = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(named) ? named : `http://${named}`);
    return proxy.protocol === 'http:' || proxy.protocol === 'https:' ? proxy : null;
  } catch {
    return null;
  }
}

/** Servers hand a request's header `Proxy` to CGI programs as `HTTP_PROXY`: there a stranger has named it. */
function httpProxy(env: Environment): string | null {
  return env.REQUEST_METHOD === undefined ? variable(env, 'HTTP_PROXY') : (env.http_proxy ?? null) || null;
}

/** curl and others read these names in either case. */
function variable(env: Environment, name: string): string | null {
  return env[name.toLowerCase()] || env[name] || null;
}

/** Names with all that is below them, addresses and ranges of them, each with a port or without; or a star for everything. */
function isExcepted(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => entry === '*' || matches(entry.toLowerCase(), host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry.includes('/')) return isInRange(entry, host);
  const [, name = entry, wantedPort] = isIP(entry) === 6 ? [] : (/^(.*?)(?::(\d+))?$/.exec(entry) ?? []);
  if (wantedPort !== undefined && wantedPort !== port) return false;
  const wanted = name.replace(/^\[|\]$/g, '').replace(/^\*?\./, '');
  return host === wanted || (wanted !== '' && isIP(host) === 0 && host.endsWith(`.${wanted}`));
}

function isInRange(range: string, host: string): boolean {
  const [network = '', bits = ''] = range.split('/');
  const kind = isIP(host);
  if (kind === 0 || kind !== isIP(network) || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (kind === 4 ? 32 : 128)) return false;
  const family = kind === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(host, family);
}

/** A proxy has answered in place of the server. */
export class ProxyRefusal extends Error {
  constructor(status: number) {
    super(`the proxy answered ${status}`);
  }
}

export function authorization(proxy: URL): Record<string, string> {
  if (proxy.username === '' && proxy.password === '') return {};
  const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(user).toString('base64')}` };
}

/** Without name and password, which Node would send as those of the server. */
export function addressOf(proxy: URL): URL {
  return new URL(`${proxy.protocol}//${proxy.host}/`);
}
