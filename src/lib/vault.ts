import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  timingSafeEqual,
} from 'node:crypto';
import type { Random } from './random.ts';

/** Everything that uses the server's secret. The secret itself is never returned. */
export interface Vault {
  /** A keyed digest of a value that must be recognised but never read back, such as an API key. 64 hex digits. */
  digest(text: string): string;
  /**
   * Signs an address that others receive, such as a link to unsubscribe. Returns `length` hex digits. A signature is valid
   * for one purpose only.
   */
  sign(purpose: string, subject: string, length: number): string;
  /** Whether `sign` returns this signature for the other arguments. Takes the same time wherever the two differ. */
  isSigned(signature: string, purpose: string, subject: string, length: number): boolean;
  /**
   * Turns a number into a UUID. Without the server's secret nobody can compute the UUID, not even from the number and other
   * such UUIDs.
   */
  sealNumber(number: number): string;
  /** The number of the UUID, or null if this server did not make it. */
  unsealNumber(uuid: string): number | null;
  /** The signature in the address of a tag's public badge: eight characters that cannot be guessed from other badges. */
  badgeSignature(badgeKey: string, tag: string): string;
  /** Encrypts a value that its owner may see again, such as a ping key. */
  seal(text: string): string;
  /** Decrypts the text. Returns null if it was encrypted with another secret or is damaged. */
  unseal(sealed: string): string | null;
}

/** In characters. A shorter secret could be guessed. */
export const MIN_SECRET_LENGTH = 16;

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts a single block, which has the length of a UUID. */
const NUMBER_CIPHER = 'aes-256-ecb';
const BLOCK_BYTES = 16;
/** The first half of a valid block is zero. The second half is the number. */
const NUMBER_OFFSET = 8;

export function createVault(secretKey: string, random: Random): Vault {
  const sealingKey = keyFor(secretKey, 'tocsin sealing key');
  const numberKey = keyFor(secretKey, 'tocsin number key');
  // An HMAC of the whole key with the secret, as the reference stores its keys.
  const digest = (text: string) => createHmac('sha256', secretKey).update(text).digest('hex');
  const sign = (purpose: string, subject: string, length: number) =>
    digest(`${purpose} ${subject}`).slice(0, length);
  return {
    digest,

    sign,

    isSigned: (signature, purpose, subject, length) =>
      equalInConstantTime(signature, sign(purpose, subject, length)),

    sealNumber(number) {
      const block = Buffer.alloc(BLOCK_BYTES);
      block.writeBigUInt64BE(BigInt(number), NUMBER_OFFSET);
      const cipher = createCipheriv(NUMBER_CIPHER, numberKey, null).setAutoPadding(false);
      return uuidOf(Buffer.concat([cipher.update(block), cipher.final()]));
    },

    unsealNumber(uuid) {
      const bytes = Buffer.from(uuid.replaceAll('-', ''), 'hex');
      if (bytes.length !== BLOCK_BYTES) return null;
      const decipher = createDecipheriv(NUMBER_CIPHER, numberKey, null).setAutoPadding(false);
      const block = Buffer.concat([decipher.update(bytes), decipher.final()]);
      const number = Number(block.readBigUInt64BE(NUMBER_OFFSET));
      return block.readBigUInt64BE(0) === 0n && Number.isSafeInteger(number) ? number : null;
    },

    // Computed as in the reference, so that badge addresses stay valid after a move with the same secret.
    badgeSignature(badgeKey, tag) {
      const key = createHash('sha1').update(badgeKey).update(secretKey).digest();
      return createHmac('sha1', key).update(tag).digest('base64url').slice(0, 8);
    },

    seal(text) {
      const iv = random.bytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, sealingKey, iv);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
    },

    unseal(sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      try {
        const iv = bytes.subarray(0, IV_BYTES);
        const decipher = createDecipheriv(CIPHER, sealingKey, iv, { authTagLength: TAG_BYTES });
        decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        return (
          decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
        );
      } catch {
        return null;
      }
    },
  };
}

function keyFor(secretKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32));
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** A digest without a key, for values that are too random to be guessed. It stays valid when the secret changes. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Compares two texts. The time it takes does not reveal where they differ. */
export function equalInConstantTime(one: string, other: string): boolean {
  const left = Buffer.from(one);
  const right = Buffer.from(other);
  return left.length === right.length && timingSafeEqual(left, right);
}
