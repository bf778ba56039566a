import { type ClientNetwork, clientNetworks } from './ip-address.ts';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** From one IPv4 address, or one /64 network of IPv6. Larger networks of IPv6 have more shares. */
  readonly maxConnectionsPerAddress: number;
}

export type Refusal = 'too_many_connections' | 'too_many_connections_from_address';

/** Counts the connections of a server, so that no client can take them all. */
export class ConnectionCounter {
  readonly #limits: ConnectionLimits;
  /** Addresses without a limit, such as a proxy in front of many clients. */
  readonly #isExempt: (address: string) => boolean;
  readonly #byNetwork = new Map<string, number>();
  #count = 0;

  constructor(limits: ConnectionLimits, isExempt: (address: string) => boolean = () => false) {
    this.#limits = limits;
    this.#isExempt = isExempt;
  }

  get count(): number {
    return this.#count;
  }

  /** Counts the connection and returns null, or returns why it is refused. A counted connection must be released once. */
  admit(address: string): Refusal | null {
    // Checked first: a caller may make room when all connections are taken, but not for a client over its own limit.
    if (this.fullNetworkOf(address) !== null) return 'too_many_connections_from_address';
    if (this.#count >= this.#limits.maxConnections) return 'too_many_connections';
    this.#count++;
    for (const { name } of clientNetworks(address)) this.#byNetwork.set(name, this.#countOf(name) + 1);
    return null;
  }

  /** The smallest network of the address that has as many connections as it may have. */
  fullNetworkOf(address: string): string | null {
    const { maxConnectionsPerAddress } = this.#limits;
    const isFull = ({ name, shares }: ClientNetwork) =>
      this.#countOf(name) >= shares * maxConnectionsPerAddress;
    const full = clientNetworks(address).find(isFull);
    return full === undefined || this.#isExempt(address) ? null : full.name;
  }

  release(address: string): void {
    this.#count--;
    for (const { name } of clientNetworks(address)) {
      const left = this.#countOf(name) - 1;
      if (left > 0) this.#byNetwork.set(name, left);
      else this.#byNetwork.delete(name);
    }
  }

  #countOf(network: string): number {
    return this.#byNetwork.get(network) ?? 0;
  }
}
