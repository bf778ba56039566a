import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Random } from './random.ts';
import { RecentlyUsed } from './recently-used.ts';

/**
 * All uses of the server's secret; the secret itself stays inside. Fallbacks are other secrets, such as the one before
 * a change: their seals and digests are accepted, and nothing new is made with them.
 */
export interface Vault {
  /** Tells secrets apart without telling anything of them. */
  readonly secretId: string;
  /** Whether it is the `secretId` of the secret or of a fallback. */
  knowsSecret(id: string): boolean;
  /** Keyed digest for values that must be recognised but never read back, such as API keys. 64 hex digits. */
  digest(text: string): string;
  /** Whether `digest` makes this of the text, or did under a fallback. Takes the same time wherever it differs. */
  isDigest(digest: string, text: string): boolean;
  /**
   * Signs an address that is given away, such as a link to unsubscribe: `length` hex digits. Signatures for one purpose
   * are worth nothing for another.
   */
  sign(purpose: string, subject: string, length: number): string;
  /** Whether `sign` makes this of the rest, or did under a fallback. Takes the same time wherever it differs. */
  isSigned(signature: string, purpose: string, subject: string, length: number): boolean;
  /**
   * A number as a UUID. Without the UUID or the server's secret nobody can work it out, not even from the number and
   * other such UUIDs.
   */
  sealNumber(number: number): string;
  /** The number, or null for a UUID that was made by nobody here. */
  unsealNumber(uuid: string): number | null;
  /** Opens the public badge of a tag: eight characters that cannot be guessed from other badges. */
  badgeSignature(badgeKey: string, tag: string): string;
  isBadgeSignature(signature: string, badgeKey: string, tag: string): boolean;
  /** Encrypts values that the owner may see again, such as a ping key. */
  seal(text: string): string;
  /** The sealed text, or null when it was sealed under a secret that is not known here, or is damaged. */
  unseal(sealed: string): string | null;
  /** Seals the text under the current secret, unless it is so already. Null if it cannot be unsealed. */
  reseal(sealed: string): string | null;
}

/** Characters. A shorter secret could be guessed. */
export const MIN_SECRET_LENGTH = 16;

/** Hex digits. */
const SECRET_ID_LENGTH = 16;

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** One block, so that the result has just the length of a UUID. */
const NUMBER_CIPHER = 'aes-256-ecb';
const BLOCK_BYTES = 16;
/** The first half of the block is zero, which is how a block of ours is recognised. The number is the other half. */
const NUMBER_OFFSET = 8;

/** Digests of keys that come again and again are computed once. */
const MAX_KNOWN_DIGESTS = 1_000;
const MAX_KNOWN_TEXT = 64;

export function createVault(
  secretKey: string,
  random: Pick<Random, 'bytes'>,
  fallbacks: readonly string[] = [],
): Vault {
  const current = new Secret(secretKey);
  const secrets = [current, ...fallbacks.map((fallback) => new Secret(fallback))];
  const seal = (text: string) => current.seal(text, random.bytes(IV_BYTES));
  const unseal = (sealed: string) => firstOf(secrets, (secret) => secret.unseal(sealed));
  const digests = new RecentlyUsed<string, string>(MAX_KNOWN_DIGESTS);
  return {
    secretId: current.id(),
    knowsSecret: (id) => secrets.some((secret) => secret.id() === id),
    digest: (text) =>
      text.length > MAX_KNOWN_TEXT ? current.digest(text) : digests.get(text, () => current.digest(text)),
    isDigest: (digest, text) => secrets.some((secret) => equalInConstantTime(digest, secret.digest(text))),
    sign: (purpose, subject, length) => current.sign(purpose, subject, length),
    isSigned: (signature, purpose, subject, length) =>
      secrets.some((secret) => equalInConstantTime(signature, secret.sign(purpose, subject, length))),
    sealNumber: (number) => current.sealNumber(number),
    unsealNumber: (uuid) => firstOf(secrets, (secret) => secret.unsealNumber(uuid)),
    badgeSignature: (badgeKey, tag) => current.badgeSignature(badgeKey, tag),
    isBadgeSignature: (signature, badgeKey, tag) =>
      secrets.some((secret) => equalInConstantTime(signature, secret.badgeSignature(badgeKey, tag))),
    seal,
    unseal,
    reseal(sealed) {
      if (current.unseal(sealed) !== null) return sealed;
      const text = unseal(sealed);
      return text === null ? null : seal(text);
    },
  };
}

/** A secret that another program had. It recognises what that program gave away, and makes and opens nothing. */
export interface ForeignSecret {
  /** Whether the digest of an API key was made of the text. Takes the same time wherever it differs. */
  isDigest(digest: string, text: string): boolean;
  isBadgeSignature(signature: string, badgeKey: string, tag: string): boolean;
}

export function foreignSecret(secretKey: string): ForeignSecret {
  // With a short secret anybody could work out the badge addresses of a project from one of them.
  const isLong = secretKey.length >= MIN_SECRET_LENGTH;
  return {
    isDigest: (digest, text) => equalInConstantTime(digest, digestOf(secretKey, text)),
    isBadgeSignature: (signature, badgeKey, tag) =>
      isLong && equalInConstantTime(signature, badgeSignatureOf(secretKey, badgeKey, tag)),
  };
}

// Plain HMAC of the whole key under the secret: the form in which the reference keeps its keys.
function digestOf(secretKey: string, text: string): string {
  return createHmac('sha256', secretKey).update(text).digest('hex');
}

// The reference's derivation, so that badge addresses survive a move together with the secret.
function badgeSignatureOf(secretKey: string, badgeKey: string, tag: string): string {
  // Badges are asked for often, and this takes half the time of a hash object.
  const key = hash('sha1', badgeKey + secretKey, 'buffer');
  return createHmac('sha1', key).update(tag).digest('base64url').slice(0, 8);
}

class Secret {
  readonly #key: string;
  readonly #sealingKey: Buffer;
  readonly #numberKey: Buffer;

  constructor(key: string) {
    this.#key = key;
    this.#sealingKey = keyFor(key, 'tocsin sealing key');
    this.#numberKey = keyFor(key, 'tocsin number key');
  }

  digest(text: string): string {
    return digestOf(this.#key, text);
  }

  sign(purpose: string, subject: string, length: number): string {
    return this.digest(`${purpose} ${subject}`).slice(0, length);
  }

  id(): string {
    return this.sign('secret', 'id', SECRET_ID_LENGTH);
  }

  sealNumber(number: number): string {
    const block = Buffer.alloc(BLOCK_BYTES);
    block.writeBigUInt64BE(BigInt(number), NUMBER_OFFSET);
    const cipher = createCipheriv(NUMBER_CIPHER, this.#numberKey, null).setAutoPadding(false);
    return uuidOf(Buffer.concat([cipher.update(block), cipher.final()]));
  }

  unsealNumber(uuid: string): number | null {
    const bytes = Buffer.from(uuid.replaceAll('-', ''), 'hex');
    if (bytes.length !== BLOCK_BYTES) return null;
    const decipher = createDecipheriv(NUMBER_CIPHER, this.#numberKey, null).setAutoPadding(false);
    const block = Buffer.concat([decipher.update(bytes), decipher.final()]);
    const number = Number(block.readBigUInt64BE(NUMBER_OFFSET));
    return block.readBigUInt64BE(0) === 0n && Number.isSafeInteger(number) ? number : null;
  }

  badgeSignature(badgeKey: string, tag: string): string {
    return badgeSignatureOf(this.#key, badgeKey, tag);
  }

  seal(text: string, iv: Uint8Array): string {
    const cipher = createCipheriv(CIPHER, this.#sealingKey, iv);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  unseal(sealed: string): string | null {
    const bytes = Buffer.from(sealed, 'base64url');
    try {
      const iv = bytes.subarray(0, IV_BYTES);
      const decipher = createDecipheriv(CIPHER, this.#sealingKey, iv, { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      return (
        decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      );
    } catch {
      return null;
    }
  }
}

function firstOf<T>(secrets: readonly Secret[], find: (secret: Secret) => T | null): T | null {
  for (const secret of secrets) {
    const found = find(secret);
    if (found !== null) return found;
  }
  return null;
}

function keyFor(secretKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32));
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Digest without a key, for values too random to be guessed: it survives a change of the secret. */
export function sha256(text: string): string {
  // Half the time of a hash object, and pings by slug need one each.
  return hash('sha256', text);
}

/** Compares without telling by its duration where two texts begin to differ. */
export function equalInConstantTime(one: string, other: string): boolean {
  const left = Buffer.from(one);
  const right = Buffer.from(other);
  return left.length === right.length && timingSafeEqual(left, right);
}
