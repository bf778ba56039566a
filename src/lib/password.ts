import { argon2 } from 'node:crypto';
import { promisify } from 'node:util';
import type { Random } from './random.ts';
import { equalInConstantTime } from './vault.ts';

const argon2Async = promisify(argon2);

// OWASP's recommended minimum for Argon2id: 19 MiB, two passes, one lane.
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
const SALT_BYTES = 16;

/** No password has this hash. Comparing with it takes as long as comparing with a real one. */
export const HASH_OF_NOTHING = phcOf(Buffer.alloc(SALT_BYTES), Buffer.alloc(COST.tagLength));

/** The password as a PHC string, `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string, random: Random): Promise<string> {
  const salt = Buffer.from(random.bytes(SALT_BYTES));
  return phcOf(salt, await derive(password, salt, COST));
}

function phcOf(salt: Buffer, hash: Buffer): string {
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(salt)}$${base64(hash)}`;
}

export async function isPassword(password: string, phc: string): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(phc);
  if (match === null) return false;
  const [, memory, passes, parallelism, salt = '', hash = ''] = match;
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const tagLength = Buffer.from(hash, 'base64').length;
  const derived = await derive(password, Buffer.from(salt, 'base64'), { ...cost, tagLength });
  return equalInConstantTime(base64(derived), hash);
}

async function derive(password: string, nonce: Buffer, cost: typeof COST): Promise<Buffer> {
  return argon2Async('argon2id', { message: password.normalize('NFC'), nonce, ...cost });
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
