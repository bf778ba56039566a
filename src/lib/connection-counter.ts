import { clientNetwork } from './ip-address.ts';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** From one IPv4 address, or one /64 network of IPv6. */
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
    const network = clientNetwork(address);
    const ofNetwork = this.#byNetwork.get(network) ?? 0;
    // Checked first: a caller may make room when all connections are taken, but not for a client over its own limit.
    if (ofNetwork >= this.#limits.maxConnectionsPerAddress && !this.#isExempt(address)) {
      return 'too_many_connections_from_address';
    }
    if (this.#count >= this.#limits.maxConnections) return 'too_many_connections';
    this.#count++;
    this.#byNetwork.set(network, ofNetwork + 1);
    return null;
  }

  release(address: string): void {
    const network = clientNetwork(address);
    const left = (this.#byNetwork.get(network) ?? 0) - 1;
    this.#count--;
    if (left > 0) this.#byNetwork.set(network, left);
    else this.#byNetwork.delete(network);
  }
}
