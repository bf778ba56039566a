import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, type ErrorCode } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { type ClientNetwork, clientNetworks } from '../lib/ip-address.ts';
import { RecentlyUsed } from '../lib/recently-used.ts';
import {
  filled,
  fullBucket,
  secondsUntil,
  type TokenBucket,
  type TokenRule,
  tokensIn,
  without,
} from '../lib/token-bucket.ts';
import type { Vault } from '../lib/vault.ts';
import type { Client } from '../services/people/client.ts';
import { signedDevice } from '../services/people/devices.ts';
import { readCookies } from '../wire/dashboard/cookies.ts';
import { errorReply } from './error-map.ts';
import {
  MAX_KEYLESS_BODY_BYTES,
  MAX_LIMITED_ADDRESSES,
  MAX_REFUSED_ATTEMPTS_PER_MINUTE as MAX_PER_MINUTE,
} from './limits.ts';
import { sendAnswer } from './replies.ts';
import type { Route } from './route.ts';

interface EarlyRefusalsOptions {
  /** The path of the site. */
  readonly prefix: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly vault: Vault;
  /** The name of the cookie with the token of the device. */
  readonly deviceCookie: string;
  readonly addressOf: (request: IncomingMessage) => string;
  readonly newRequestId: () => string;
  /** Headers of every answer. */
  readonly everyHeader: Readonly<Record<string, string>>;
}

/** Somebody whose attempts were refused. The bucket holds how many more may be before they are refused early. */
interface Sender {
  bucket: TokenBucket;
}

/** The network by which a sender is counted, and its shares. */
type Counted = ClientNetwork;

/** Errors that are counted. Each says that there were too many attempts. */
const NOTED: readonly ErrorCode[] = ['too_many_attempts', 'other_way_needed', 'links_mailed'];
const REFUSAL = errorReply(new AppError('too_many_attempts'));

/**
 * Refuses senders who go on after many of their attempts were refused, before their requests are looked at: it takes
 * longer to find out that a password must not be tried than to answer a ping. A browser that was signed in before counts for
 * itself, others by their network, so that nobody is refused for what strangers do. Each node counts alone, and a restart
 * forgets.
 */
export class EarlyRefusals {
  readonly #options: EarlyRefusalsOptions;
  readonly #paths: ReadonlySet<string>;
  readonly #senders = new RecentlyUsed<string, Sender>(MAX_LIMITED_ADDRESSES);

  constructor(routes: readonly Route[], options: EarlyRefusalsOptions) {
    this.#options = options;
    const paths = routes.filter(takesAttempts).map(({ path }) => options.prefix + path);
    this.#paths = new Set(paths);
  }

  /** Notes when the attempt of the client is refused because there were too many. */
  async watch<Result>(client: Client, attempt: () => Promise<Result>): Promise<Result> {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof AppError && NOTED.includes(error.code)) this.#note(client);
      throw error;
    }
  }

  /** Refuses the request. Returns false if it takes the usual way. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    if (request.method !== 'POST' || !this.#paths.has(request.url ?? '') || !isShort(request)) return false;
    const seconds = this.#secondsToWait(this.#clientOf(request));
    if (seconds === 0) return false;
    const { status, error, code } = REFUSAL;
    const head = { 'x-request-id': this.#options.newRequestId(), ...this.#options.everyHeader };
    const headers = { 'cache-control': 'no-store', 'retry-after': String(seconds) };
    void sendAnswer(response, head, { status, headers, json: { error, code } });
    return true;
  }

  #note(client: Client): void {
    const now = this.#options.clock.now();
    for (const counted of this.#countedAs(client)) {
      const rule = ruleOf(counted);
      const sender = this.#senders.get(counted.name, () => ({ bucket: fullBucket(rule, now) }));
      sender.bucket = filled(sender.bucket, rule, now);
      if (tokensIn(sender.bucket) > 0) sender.bucket = without(sender.bucket, 1);
    }
  }

  /** Zero if the sender is not refused. */
  #secondsToWait(client: Client): number {
    const now = this.#options.clock.now();
    const waits = this.#countedAs(client).map((counted) => {
      const sender = this.#senders.find(counted.name);
      return sender === undefined ? 0 : secondsUntil(sender.bucket, 1, ruleOf(counted), now);
    });
    return Math.max(...waits);
  }

  #countedAs(client: Client): readonly Counted[] {
    const device = signedDevice(this.#options, client);
    return device === null ? clientNetworks(client.address) : [{ name: `device ${device.nonce}`, shares: 1 }];
  }

  #clientOf(request: IncomingMessage): Client {
    const device = readCookies(request.headers.cookie).get(this.#options.deviceCookie) ?? null;
    return { address: this.#options.addressOf(request), userAgent: '', device };
  }
}

function ruleOf({ shares }: Counted): TokenRule {
  return { perMinute: shares * MAX_PER_MINUTE, capacity: shares * MAX_PER_MINUTE };
}

/** Whether anybody may send something there that is counted as an attempt. */
function takesAttempts({ operations }: Route): boolean {
  return operations.POST?.auth === 'visitor';
}

/** A long body is refused elsewhere, and one without a length is read in pieces. */
function isShort({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? Number.NaN) <= MAX_KEYLESS_BODY_BYTES;
}
