import { createECDH, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { MICROS_PER_SECOND } from '../../lib/instant.ts';
import type { Deps } from '../core/deps.ts';

/** The row of the instance with the private key. */
const ROW = 'push_key';
const PRIVATE_KEY_BYTES = 32;
/** Push services take tokens that end within a day. */
const TOKEN_SECONDS = 12 * 3600;

interface KeyPair {
  readonly privateKey: KeyObject;
  /** Uncompressed, in base64url. */
  readonly publicKey: string;
}

type PushDeps = Pick<Deps, 'store' | 'clock' | 'random'>;

/**
 * The key by which push services know this instance (RFC 8292). It is made once, and kept in the database: browsers have
 * subscribed to it, and to no other.
 */
export class PushKeys {
  readonly #deps: PushDeps;
  readonly #siteRoot: string;
  #keys: Promise<KeyPair> | null = null;

  constructor(deps: PushDeps, siteRoot: string) {
    this.#deps = deps;
    this.#siteRoot = siteRoot;
  }

  /** The key with which a browser subscribes. */
  async publicKey(): Promise<string> {
    return (await this.#pair()).publicKey;
  }

  /** The header by which a push service of that origin knows this instance. */
  async authorization(origin: string): Promise<string> {
    const { privateKey, publicKey } = await this.#pair();
    const expiresAt = Math.floor(this.#deps.clock.now() / MICROS_PER_SECOND) + TOKEN_SECONDS;
    const claims = { aud: origin, exp: expiresAt, sub: contactOf(this.#siteRoot) };
    const unsigned = `${encoded({ typ: 'JWT', alg: 'ES256' })}.${encoded(claims)}`;
    const signature = await signed('sha256', Buffer.from(unsigned), {
      key: privateKey,
      dsaEncoding: 'ieee-p1363',
    });
    return `vapid t=${unsigned}.${signature.toString('base64url')}, k=${publicKey}`;
  }

  #pair(): Promise<KeyPair> {
    this.#keys ??= this.#read().catch((error: unknown) => {
      // The database may be back next time.
      this.#keys = null;
      throw error;
    });
    return this.#keys;
  }

  async #read(): Promise<KeyPair> {
    const { store, random } = this.#deps;
    const kept = await store.instance.get(ROW);
    if (kept !== null) return pairOf(kept);
    const made = Buffer.from(random.bytes(PRIVATE_KEY_BYTES)).toString('base64url');
    return pairOf(await store.transaction((tx) => tx.instance.setOnce(ROW, made)));
  }
}

const signed = promisify(sign);

function pairOf(secret: string): KeyPair {
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(secret, 'base64url');
  const point = curve.getPublicKey();
  const jwk = {
    ...{ kty: 'EC', crv: 'P-256', d: secret },
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  return {
    privateKey: createPrivateKey({ key: jwk, format: 'jwk' }),
    publicKey: point.toString('base64url'),
  };
}

/** The contact for a push service. */
function contactOf(siteRoot: string): string {
  const url = URL.parse(siteRoot);
  return url?.protocol === 'https:' ? siteRoot : `mailto:push@${url?.hostname ?? 'localhost'}`;
}

function encoded(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
