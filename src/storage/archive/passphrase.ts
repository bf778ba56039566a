import { createCipheriv, createDecipheriv, scrypt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Random } from '../../lib/random.ts';
import { StorageError } from '../driver.ts';
import type { SecretKeys } from '../secret-key.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** 32 MiB and some tenths of a second. A small machine has both. */
const COST = 2 ** 15;
const MAX_MEMORY = 64 * 1024 * 1024;
/** Characters. */
const MIN_PASSPHRASE = 12;

/** The server's secret under a passphrase. All in base64. */
export interface SealedSecret {
  readonly cost: number;
  readonly salt: string;
  readonly iv: string;
  readonly tag: string;
  readonly sealed: string;
}

/** The passphrase in the file, without the end of its line. */
export async function readPassphrase(path: string): Promise<string> {
  const text = (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
  if (text.length >= MIN_PASSPHRASE) return text;
  throw new StorageError(
    'fault',
    `the passphrase in ${path} has ${text.length} characters, and at least ${MIN_PASSPHRASE} are needed`,
  );
}

const derive = promisify<string, Buffer, number, { N: number; maxmem: number }, Buffer>(scrypt);

export async function sealSecret(
  secrets: SecretKeys,
  passphrase: string,
  random: Pick<Random, 'bytes'>,
): Promise<SealedSecret> {
  const salt = Buffer.from(random.bytes(SALT_BYTES));
  const iv = Buffer.from(random.bytes(IV_BYTES));
  const key = await derive(passphrase, salt, KEY_BYTES, { N: COST, maxmem: MAX_MEMORY });
  const cipher = createCipheriv(CIPHER, key, iv);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(secrets), 'utf8'), cipher.final()]);
  return {
    cost: COST,
    salt: salt.toString('base64'),
    iv: iv.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    sealed: sealed.toString('base64'),
  };
}

export async function openSecret(secret: SealedSecret, passphrase: string): Promise<SecretKeys> {
  const [salt, iv, tag, sealed] = [secret.salt, secret.iv, secret.tag, secret.sealed].map((text) =>
    Buffer.from(text, 'base64'),
  ) as [Buffer, Buffer, Buffer, Buffer];
  try {
    const key = await derive(passphrase, salt, KEY_BYTES, { N: secret.cost, maxmem: MAX_MEMORY });
    const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(tag);
    const text = Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
    // What the passphrase opens was written by `sealSecret`.
    return JSON.parse(text) as SecretKeys;
  } catch (cause) {
    throw new StorageError('fault', 'the passphrase is not the one with which the archive was made', {
      cause,
    });
  }
}
