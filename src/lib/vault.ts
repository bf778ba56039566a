import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  timingSafeEqual,
} from 'node:crypto';
import type { Random } from './random.ts';

/** Everything that is done with the server's secret; the secret itself stays inside. */
export interface Vault {
  /** Keyed digest for what must be recognised but never read back, such as API keys. 64 hex digits. */
  digest(text: string): string;
  /** Opens the public badge of a tag: eight characters that cannot be guessed from other badges. */
  badgeSignature(badgeKey: string, tag: string): string;
  /** Encrypts what the owner may see again, such as a ping key. */
  seal(text: string): string;
  /** The sealed text, or null when it was sealed under another secret or is damaged. */
  unseal(sealed: string): string | null;
}

/** Characters. A shorter secret could be guessed. */
export const LEAST_SECRET_LENGTH = 16;

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

export function createVault(secretKey: string, random: Random): Vault {
  const sealingKey = Buffer.from(hkdfSync('sha256', secretKey, '', 'tocsin sealing key', 32));
  return {
    // Plain HMAC of the whole key under the secret: the form in which the reference keeps its keys.
    digest: (text) => createHmac('sha256', secretKey).update(text).digest('hex'),

    // The reference's derivation, so that badge addresses survive a move together with the secret.
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

/** Digest without a key, for values too random to be guessed: it survives a change of the secret. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Compares without telling by its duration where two texts begin to differ. */
export function equalInConstantTime(one: string, other: string): boolean {
  const left = Buffer.from(one);
  const right = Buffer.from(other);
  return left.length === right.length && timingSafeEqual(left, right);
}
