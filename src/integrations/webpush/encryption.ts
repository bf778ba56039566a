import { createCipheriv, createECDH, createHmac } from 'node:crypto';

/** The keys of a browser, in base64url, as it gives them away. */
export interface BrowserKeys {
  /** Its public key on the curve P-256, uncompressed. */
  readonly p256dh: string;
  readonly auth: string;
}

/** New for each message. */
export interface MessageKeys {
  /** A private key on the curve P-256. */
  readonly privateKey: Uint8Array;
  readonly salt: Uint8Array;
}

export const PRIVATE_KEY_BYTES = 32;
export const SALT_BYTES = 16;
export const PUBLIC_KEY_BYTES = 65;
export const AUTH_BYTES = 16;

/** RFC 8030, section 7.2: a service has to take so many bytes. */
export const RECORD_SIZE = 4096;
const TAG_BYTES = 16;
const HEADER_BYTES = SALT_BYTES + 4 + 1 + PUBLIC_KEY_BYTES;
/** Bytes of text that fit into one message. */
export const MAX_TEXT_BYTES = RECORD_SIZE - HEADER_BYTES - TAG_BYTES - 1;

/** Says that the record is the last one. */
const LAST_RECORD = 2;

/** A message that only that browser can read: RFC 8291, and RFC 8188 for its form. */
export function encrypted(text: string, browser: BrowserKeys, { privateKey, salt }: MessageKeys): Uint8Array {
  const browserKey = Buffer.from(browser.p256dh, 'base64url');
  const ours = createECDH('prime256v1');
  ours.setPrivateKey(privateKey);
  const publicKey = ours.getPublicKey();
  const shared = hmac(Buffer.from(browser.auth, 'base64url'), ours.computeSecret(browserKey));
  const input = expanded(shared, Buffer.concat([Buffer.from('WebPush: info\0'), browserKey, publicKey]), 32);
  const secret = hmac(salt, input);
  const key = expanded(secret, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = expanded(secret, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(RECORD_SIZE);
  return Buffer.concat([
    salt,
    size,
    Uint8Array.of(publicKey.length),
    publicKey,
    cipher.update(Buffer.concat([Buffer.from(text), Uint8Array.of(LAST_RECORD)])),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

/** The first block of HKDF-Expand, RFC 5869. It is as long as anything that is needed here. */
function expanded(key: Uint8Array, info: Uint8Array, length: number): Uint8Array {
  return hmac(key, Buffer.concat([info, Uint8Array.of(1)])).subarray(0, length);
}

function hmac(key: Uint8Array, data: Uint8Array): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
