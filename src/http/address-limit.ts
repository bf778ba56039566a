import { AppError, type ErrorCode } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { type ClientNetwork, clientNetworks, parseForwardedAddress } from '../lib/ip-address.ts';
import { RecentlyUsed } from '../lib/recently-used.ts';
import {
  filled,
  fullBucket,
  MAX_TOKENS,
  secondsUntil,
  type TokenBucket,
  type TokenRule,
  tokensIn,
  without,
} from '../lib/token-bucket.ts';
import { MAX_LIMITED_ADDRESSES } from './limits.ts';

interface Client {
  /** Its address. Behind a trusted proxy it is the forwarded one. */
  readonly ip: string;
}

/** The state of an IPv4 address or a network of IPv6. */
interface Network {
  readonly rule: TokenRule;
  bucket: TokenBucket;
  /** Whether a request from there had a valid key or session. */
  hasSentKey: boolean;
}

/** A client as it is counted: by its address, or by each of its networks of IPv6. */
interface Visitor {
  /** Its address, or the smallest of its networks. */
  readonly own: Network;
  readonly networks: readonly Network[];
}

/** These failures say nothing about the caller. */
const FAULTS_OF_SERVICE: readonly ErrorCode[] = ['overloaded', 'storage_unavailable'];

/**
 * Limits requests without a known key or session, by the address of the client. As many as come in a minute may come at once.
 * Larger networks of IPv6 have more shares. Each node counts alone, and a restart forgets.
 */
export class AddressLimit {
  readonly #perMinute: number;
  /** Addresses without a limit, such as a proxy in front of many clients. */
  readonly #isExempt: (address: string) => boolean;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #networks = new RecentlyUsed<string, Network>(MAX_LIMITED_ADDRESSES);

  /** Zero a minute means no limit. */
  constructor(perMinute: number, isExempt: (address: string) => boolean, clock: Pick<Clock, 'now'>) {
    this.#perMinute = perMinute;
    this.#isExempt = isExempt;
    this.#clock = clock;
  }

  /** Counts a request that needs no key. Returns why it is refused when there were too many. */
  take(client: Client): AppError | null {
    const visitor = this.#visitorOf(client);
    if (visitor === null) return null;
    const refusal = this.#refusalOf(visitor);
    if (refusal === null) for (const network of visitor.networks) network.bucket = without(network.bucket, 1);
    return refusal;
  }

  /**
   * Identifies the caller. `find` calls `markKnown` when the key or the session is valid. A request that fails before
   * that is counted. When there were too many, requests are refused before their key is looked up, unless a valid key
   * has come from the same address: one program with a wrong key must not lock out the others beside it.
   */
  identify<Caller>(client: Client, find: (markKnown: () => void) => Promise<Caller>): Promise<Caller> {
    const visitor = this.#visitorOf(client);
    return visitor === null ? find(() => undefined) : this.#identifyVisitor(client, visitor, find);
  }

  async #identifyVisitor<Caller>(
    client: Client,
    visitor: Visitor,
    find: (markKnown: () => void) => Promise<Caller>,
  ): Promise<Caller> {
    const refusal = visitor.own.hasSentKey ? null : this.#refusalOf(visitor);
    if (refusal !== null) throw refusal;
    let isKnown = false;
    try {
      return await find(() => {
        isKnown = true;
        visitor.own.hasSentKey = true;
      });
    } catch (error) {
      if (isKnown || isFaultOfService(error)) throw error;
      throw this.take(client) ?? error;
    }
  }

  /** Null if there is no limit. */
  #visitorOf({ ip }: Client): Visitor | null {
    if (this.#perMinute === 0 || this.#isExempt(ip)) return null;
    // A proxy may forward any text. All texts that are not addresses count as one.
    const [own, ...larger] = clientNetworks(parseForwardedAddress(ip) ?? '');
    const ownNetwork = this.#networkOf(own);
    return { own: ownNetwork, networks: [ownNetwork, ...larger.map((one) => this.#networkOf(one))] };
  }

  #networkOf({ name, shares }: ClientNetwork): Network {
    const now = this.#clock.now();
    const network = this.#networks.get(name, () => {
      const perMinute = Math.min(shares * this.#perMinute, MAX_TOKENS);
      const rule = { perMinute, capacity: perMinute };
      return { rule, bucket: fullBucket(rule, now), hasSentKey: false };
    });
    network.bucket = filled(network.bucket, network.rule, now);
    return network;
  }

  #refusalOf({ networks }: Visitor): AppError | null {
    const empty = networks.find(({ bucket }) => tokensIn(bucket) === 0);
    if (empty === undefined) return null;
    const retryAfterSeconds = secondsUntil(empty.bucket, 1, empty.rule, this.#clock.now());
    return new AppError('too_many_requests_from_address', undefined, { retryAfterSeconds });
  }
}

/** Whether the service is to blame for the error, and not the caller. */
function isFaultOfService(error: unknown): boolean {
  return !(error instanceof AppError) || FAULTS_OF_SERVICE.includes(error.code);
}
