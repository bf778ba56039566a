import { argon2, pbkdf2, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Random } from './random.ts';
import { equalInConstantTime } from './vault.ts';

const argon2Async = promisify(argon2);
const pbkdf2Async = promisify(pbkdf2);
const scryptAsync = promisify<string, Buffer, number, object, Buffer>(scrypt);

const KIB_PER_MIB = 1_024;

// OWASP's recommended minimum for Argon2id: 19 MiB, two passes, one lane.
export const OWN_COST = {
  by: 'argon2id',
  memory: 19 * KIB_PER_MIB,
  passes: 2,
  parallelism: 1,
} as const satisfies PasswordCost;
const SALT_BYTES = 16;
/** In KiB, for each lane of Argon2. */
const LEAST_MEMORY = 8;

/** A hash of an older form that costs more than one of these is none. Nobody could sign in with it anyway. */
const MOST = { memory: 256 * KIB_PER_MIB, passes: 10, iterations: 5_000_000 };

/** The work that makes a digest of a password. */
export type PasswordCost =
  | {
      readonly by: 'argon2id' | 'argon2i' | 'argon2d';
      /** In KiB. */
      readonly memory: number;
      readonly passes: number;
      readonly parallelism: number;
    }
  | { readonly by: 'pbkdf2_sha256' | 'pbkdf2_sha1'; readonly iterations: number }
  | { readonly by: 'scrypt'; readonly n: number; readonly r: number; readonly p: number };

/** A stored password, taken apart. */
export interface StoredPassword {
  readonly cost: PasswordCost;
  readonly salt: Buffer;
  readonly digest: Buffer;
  /** Whether it has the form of `hashPassword`. Other programs made the others, of the password as it was typed. */
  readonly isOwn: boolean;
}

export type Derive = (password: string, stored: StoredPassword) => Promise<Buffer>;

/** The password as a PHC string, `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: string, random: Random): Promise<string> {
  const salt = Buffer.from(random.bytes(SALT_BYTES));
  const digest = await derive(password.normalize('NFC'), { ...storedNothing(OWN_COST, true), salt });
  const { by, memory, passes, parallelism } = OWN_COST;
  return `$${by}$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(digest)}`;
}

export async function isPassword(password: string, hash: string): Promise<boolean> {
  const stored = readHash(hash);
  return stored !== null && isStored(password, stored);
}

/** Whether accounts may come with this hash from Django. It is kept as it is until the password is used. */
export function canCarryPassword(hash: string): boolean {
  return readHash(hash)?.isOwn === false;
}

export async function isStored(
  password: string,
  stored: StoredPassword,
  deriving: Derive = derive,
): Promise<boolean> {
  const expected = stored.digest.toString('hex');
  for (const spelling of spellingsOf(password, stored)) {
    const derived = await deriving(spelling, stored);
    if (equalInConstantTime(derived.toString('hex'), expected)) return true;
  }
  return false;
}

/** Other programs hash a password as it was typed, and keyboards differ in how they compose letters. */
function spellingsOf(password: string, { isOwn }: StoredPassword): readonly string[] {
  const composed = password.normalize('NFC');
  return isOwn || composed === password ? [composed] : [password, composed];
}

/** The work of a stored password, off the main thread. */
export const derive: Derive = (password, { cost, salt, digest: { length } }) => {
  switch (cost.by) {
    case 'pbkdf2_sha256':
      return pbkdf2Async(password, salt, cost.iterations, length, 'sha256');
    case 'pbkdf2_sha1':
      return pbkdf2Async(password, salt, cost.iterations, length, 'sha1');
    case 'scrypt': {
      const { n, r, p } = cost;
      // Twice the memory that it takes: the library adds something of its own.
      return scryptAsync(password, salt, length, { N: n, r, p, maxmem: 2 * scryptKib(n, r) * 1_024 });
    }
    default: {
      const { by, ...amount } = cost;
      return argon2Async(by, { message: password, nonce: salt, ...amount, tagLength: length });
    }
  }
};

/** The form of hashes with this cost, as their first characters name it. Times of one form can be added. */
export function passwordForm({ by }: PasswordCost): string {
  return by.startsWith('argon2') ? 'argon2' : by;
}

/** The work that is left when `done` of `whole` is done. Null: none. Both are of one form. */
export function remainingCost(whole: PasswordCost, done: PasswordCost): PasswordCost | null {
  const amount = passwordAmount(whole) - passwordAmount(done);
  if (amount <= 0) return null;
  if ('iterations' in whole) return { ...whole, iterations: amount };
  if ('memory' in whole) {
    const memory = Math.floor(amount / whole.passes);
    return memory < LEAST_MEMORY ? null : { ...whole, memory, parallelism: 1 };
  }
  let { n } = whole;
  while (n > 2 && amount % (n * whole.r) !== 0) n /= 2;
  return { ...whole, n, p: Math.max(1, Math.round(amount / (n * whole.r))) };
}

/** The time grows with this number. Lanes of Argon2 make it no shorter, since they are computed one after the other. */
export function passwordAmount(cost: PasswordCost): number {
  if ('iterations' in cost) return cost.iterations;
  return 'memory' in cost ? cost.memory * cost.passes : cost.n * cost.r * cost.p;
}

/** No password has this digest. Comparing with it takes the work of the cost. */
export function storedNothing(cost: PasswordCost, isOwn = false): StoredPassword {
  return { cost, salt: Buffer.alloc(SALT_BYTES), digest: Buffer.alloc(digestBytes(cost)), isOwn };
}

/** The length matters to the work: a digest longer than that of its function takes all iterations again. */
function digestBytes({ by }: PasswordCost): number {
  if (by === 'pbkdf2_sha1') return 20;
  return by === 'scrypt' ? 64 : 32;
}

/** Takes a hash apart, or returns null for what is no hash, or is too costly. */
export function readHash(hash: string): StoredPassword | null {
  return readArgon2(hash) ?? readPbkdf2(hash) ?? readScrypt(hash);
}

/** `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. Django writes `argon2` before it. */
function readArgon2(hash: string): StoredPassword | null {
  const match =
    /^(argon2)?\$(argon2id|argon2i|argon2d)\$v=19\$m=(\d{1,9}),t=(\d{1,9}),p=(\d{1,9})\$([\w+/-]+)\$([\w+/-]+)$/.exec(
      hash,
    );
  if (match === null) return null;
  const [, django, by = '', ...rest] = match;
  const [memory, passes, parallelism] = [Number(rest[0]), Number(rest[1]), Number(rest[2])];
  const [salt, digest] = [Buffer.from(rest[3] ?? '', 'base64'), Buffer.from(rest[4] ?? '', 'base64')];
  const isPossible =
    isWithin(memory, LEAST_MEMORY * parallelism, MOST.memory) &&
    isWithin(passes, 1, MOST.passes) &&
    parallelism >= 1 &&
    isWithin(salt.length, 8, 64) &&
    isWithin(digest.length, 4, 64);
  if (!isPossible || !isArgon2(by)) return null;
  return { cost: { by, memory, passes, parallelism }, salt, digest, isOwn: django === undefined };
}

function isArgon2(by: string): by is 'argon2id' | 'argon2i' | 'argon2d' {
  return by.startsWith('argon2');
}

/** `pbkdf2_sha256$iterations$salt$hash` of Django, whose salt is text. */
function readPbkdf2(hash: string): StoredPassword | null {
  const match = /^pbkdf2_(sha256|sha1)\$(\d{1,9})\$([^$]+)\$([\w+/]+=*)$/.exec(hash);
  if (match === null) return null;
  const [, name, count, salt = '', text = ''] = match;
  const iterations = Number(count);
  const cost: PasswordCost = { by: name === 'sha1' ? 'pbkdf2_sha1' : 'pbkdf2_sha256', iterations };
  const digest = Buffer.from(text, 'base64');
  if (!isWithin(iterations, 1, MOST.iterations) || digest.length !== digestBytes(cost)) return null;
  return { cost, salt: Buffer.from(salt), digest, isOwn: false };
}

/** `scrypt$N$salt$r$p$hash` of Django, whose salt is text. */
function readScrypt(hash: string): StoredPassword | null {
  const match = /^scrypt\$(\d{1,9})\$([^$]+)\$(\d{1,9})\$(\d{1,9})\$([\w+/]+=*)$/.exec(hash);
  if (match === null) return null;
  const [n, r, p] = [Number(match[1]), Number(match[3]), Number(match[4])];
  const cost: PasswordCost = { by: 'scrypt', n, r, p };
  const digest = Buffer.from(match[5] ?? '', 'base64');
  const isPossible =
    n > 1 &&
    Number.isInteger(Math.log2(n)) &&
    isWithin(scryptKib(n, r), 1 / 8, MOST.memory) &&
    isWithin(p, 1, MOST.passes) &&
    digest.length === digestBytes(cost);
  if (!isPossible) return null;
  return { cost, salt: Buffer.from(match[2] ?? ''), digest, isOwn: false };
}

function scryptKib(n: number, r: number): number {
  return (n * r) / 8;
}

function isWithin(value: number, least: number, most: number): boolean {
  return value >= least && value <= most;
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
