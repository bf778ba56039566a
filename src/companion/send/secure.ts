/** Requests by TLS, to servers and to proxies. */
import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { addressOf, authorization, ProxyRefusal } from './proxy.ts';

export class SecureRequests {
  readonly #ca: string | null;
  readonly #direct: https.Agent;
  readonly #tunnels = new Map<string, TunnelAgent>();

  /** `ca` is trusted besides the usual certificates. */
  constructor(ca: string | null) {
    this.#ca = ca;
    this.#direct = new https.Agent({ keepAlive: true, ...trust(ca) });
  }

  request(url: URL, options: http.RequestOptions, proxy: URL | null): http.ClientRequest {
    return https.request(url, { ...options, agent: proxy === null ? this.#direct : this.#tunnel(proxy) });
  }

  /** Ends what has no connection yet. */
  giveUp(): void {
    for (const tunnel of this.#tunnels.values()) tunnel.giveUp();
  }

  close(): void {
    this.giveUp();
    for (const agent of [this.#direct, ...this.#tunnels.values()]) agent.destroy();
  }

  #tunnel(proxy: URL): TunnelAgent {
    const known = this.#tunnels.get(proxy.href);
    if (known !== undefined) return known;
    const agent = new TunnelAgent(proxy, this.#ca);
    this.#tunnels.set(proxy.href, agent);
    return agent;
  }
}

/** Connects to https servers through a proxy, which sees the server's name and port and nothing else. */
class TunnelAgent extends https.Agent {
  readonly #proxy: URL;
  readonly #ca: string | null;
  /** What the proxy has not answered. */
  readonly #asking = new Set<http.ClientRequest>();

  constructor(proxy: URL, ca: string | null) {
    super({ keepAlive: true, ...trust(ca) });
    this.#proxy = proxy;
    this.#ca = ca;
  }

  giveUp(): void {
    for (const request of this.#asking) request.destroy();
  }

  override createConnection(
    options: https.RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    // Node's own type asks for a stream beside an error; its code does not.
    const done = callback as ((error: Error | null, stream?: Duplex) => void) | undefined;
    const host = String(options.host);
    const authority = `${host.includes(':') ? `[${host}]` : host}:${options.port ?? 443}`;
    const common = {
      method: 'CONNECT',
      path: authority,
      headers: { Host: authority, ...authorization(this.#proxy) },
    };
    const request =
      this.#proxy.protocol === 'https:'
        ? https.request(addressOf(this.#proxy), { ...common, agent: false, ...trust(this.#ca) })
        : http.request(addressOf(this.#proxy), { ...common, agent: false });
    request.on('connect', (response, socket) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        done?.(new ProxyRefusal(response.statusCode ?? 0));
        return;
      }
      const servername = options.servername ?? '';
      done?.(null, tls.connect({ ...trust(this.#ca), socket, servername, host }));
    });
    request.on('response', (response) => {
      response.destroy();
      done?.(new ProxyRefusal(response.statusCode ?? 0));
    });
    request.on('error', (error) => done?.(error));
    request.on('close', () => this.#asking.delete(request));
    this.#asking.add(request);
    request.end();
    return undefined;
  }
}

/** Node trusts the given certificates alone, unless its own are named too. */
function trust(ca: string | null): { ca?: string[] } {
  return ca === null ? {} : { ca: [...tls.rootCertificates, ca] };
}
