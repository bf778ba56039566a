import { readFile, rm } from 'node:fs/promises';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { MIN_SECRET_LENGTH } from '../lib/vault.ts';
import { createWholeFile, moveFile, removePartialFiles, replaceWholeFile } from '../lib/whole-file.ts';
import { StorageError } from './driver.ts';
import { type Database, openDriver } from './open.ts';
import { createSqlStore } from './sql/store.ts';
import { secretPaths } from './sqlite/files.ts';
import type { Store } from './store.ts';

const SECRET_BYTES = 32;

/** The largest number of previous secrets. Each one is tried whenever a signature does not match, which costs time. */
export const MAX_PREVIOUS_SECRETS = 5;

/** `current` signs and seals everything new. `fallbacks` are also accepted. */
export interface SecretKeys {
  readonly current: string;
  readonly fallbacks: readonly string[];
}

/**
 * The server's secrets when none is configured. The first is made once and stored next to the database. For SQLite it
 * is in a file that only its owner can read. For PostgreSQL it is in the database, because several nodes may share it.
 */
export interface KeptSecrets {
  /** Where the current secret is, in words. */
  readonly place: string;
  /** Whenever the secrets change places meanwhile, both the old one and the new one are among them. */
  read(): Promise<SecretKeys>;
  /** The secrets, or null if none was made yet. Makes none. */
  find(): Promise<SecretKeys | null>;
  /** Makes the next secret unless there is one. From now on it is accepted. */
  prepareNext(): Promise<SecretKeys>;
  /** Replaces the current secret by the next one. The old secret is still accepted. */
  useNext(): Promise<void>;
  /** Stops accepting the previous secrets, and returns how many there were. */
  forgetPrevious(): Promise<number>;
}

export function keptSecrets(database: Database, store: Store, random: Random): KeptSecrets {
  return database.engine === 'sqlite'
    ? new SecretFiles(secretPaths(database.path), random)
    : new SecretRows(store, random);
}

/** The secrets in the files beside a SQLite database. Null if there are none. */
export function findSecretFiles(path: string, random: Random): Promise<SecretKeys | null> {
  return new SecretFiles(secretPaths(path), random).find();
}

/** The secrets that are kept with a database. Null if none was made yet. Makes none. */
export async function findKeptSecrets(
  database: Database,
  clock: Clock,
  random: Random,
): Promise<SecretKeys | null> {
  if (database.engine === 'sqlite') return findSecretFiles(database.path, random);
  await using store = createSqlStore(
    await openDriver(database, { clock, onLostConnection: () => undefined }),
  );
  return await keptSecrets(database, store, random).find();
}

/** Replaces the secrets in the files beside a SQLite database. */
export async function keepSecretFiles(path: string, secrets: SecretKeys, random: Random): Promise<void> {
  const { current, next, previous } = secretPaths(path);
  // Until the end, the others stay accepted.
  await replaceWholeFile(current, `${secrets.current}\n`, random);
  await rm(next, { force: true });
  if (secrets.fallbacks.length > 0) await replaceWholeFile(previous, previousLines(secrets), random);
  else await rm(previous, { force: true });
  for (const file of [current, previous]) await removePartialFiles(file);
}

/** Accepts further secrets beside those in the files. Without any in the files, the given ones are kept there. */
export async function acceptSecretFiles(path: string, secrets: SecretKeys, random: Random): Promise<void> {
  const known = await findSecretFiles(path, random);
  if (known === null) return keepSecretFiles(path, secrets, random);
  const accepted = [...known.fallbacks, secrets.current, ...secrets.fallbacks];
  const others = [...new Set(accepted)].filter((secret) => secret !== known.current);
  if (others.length > 0)
    await replaceWholeFile(
      secretPaths(path).previous,
      others.map((secret) => `${secret}\n`).join(''),
      random,
    );
}

/** The rows of `instance` that keep the secrets. */
export function secretRows(secrets: SecretKeys | null): [key: string, value: string][] {
  if (secrets === null) return [];
  const current: [string, string] = [CURRENT_ROW, secrets.current];
  return secrets.fallbacks.length === 0 ? [current] : [current, [PREVIOUS_ROW, previousLines(secrets)]];
}

function previousLines({ fallbacks: [latest = '', ...others] }: SecretKeys): string {
  return linesOf(latest, others);
}

class SecretFiles implements KeptSecrets {
  readonly #path: string;
  readonly #nextPath: string;
  readonly #previousPath: string;
  readonly #random: Random;

  constructor({ current, next, previous }: ReturnType<typeof secretPaths>, random: Random) {
    this.#path = current;
    this.#nextPath = next;
    this.#previousPath = previous;
    this.#random = random;
  }

  get place(): string {
    return `file ${this.#path}`;
  }

  async read(): Promise<SecretKeys> {
    // In the order in which a secret moves on: so it is met at least once.
    const next = await this.#next();
    const current = await secretKeyInFile(this.#path, this.#random);
    return keysOf(current, next, await this.#previous());
  }

  async find(): Promise<SecretKeys | null> {
    return (await readIfThere(this.#path)) === null ? null : this.read();
  }

  async prepareNext(): Promise<SecretKeys> {
    const { current } = await this.read();
    const previous = requireRoom(await this.#previous(), current);
    const next = await secretKeyInFile(this.#nextPath, this.#random);
    return keysOf(next, current, previous);
  }

  async useNext(): Promise<void> {
    const { current } = await this.read();
    // The old secret is saved first. If the process stops between the two steps, no secret is lost and the call can be
    // repeated.
    await replaceWholeFile(this.#previousPath, linesOf(current, await this.#previous()), this.#random);
    await moveFile(this.#nextPath, this.#path);
  }

  async forgetPrevious(): Promise<number> {
    const { length } = await this.#previous();
    await rm(this.#previousPath, { force: true });
    // A crash may have left a copy.
    await removePartialFiles(this.#previousPath);
    return length;
  }

  async #next(): Promise<string | null> {
    const next = await readIfThere(this.#nextPath);
    return next === null ? null : requireLong(next.trim(), `file ${this.#nextPath}`);
  }

  async #previous(): Promise<string[]> {
    return secretsIn(await readIfThere(this.#previousPath), `file ${this.#previousPath}`);
  }
}

class SecretRows implements KeptSecrets {
  readonly place = placeOf(CURRENT_ROW);
  readonly #store: Store;
  readonly #random: Random;

  constructor(store: Store, random: Random) {
    this.#store = store;
    this.#random = random;
  }

  async read(): Promise<SecretKeys> {
    const { instance } = this.#store;
    // In the order in which a secret moves on: so it is met at least once.
    const next = await instance.get(NEXT_ROW);
    const current = (await instance.get(CURRENT_ROW)) ?? (await this.#make(CURRENT_ROW));
    return keysOf(
      requireLong(current, placeOf(CURRENT_ROW)),
      next === null ? null : requireLong(next, placeOf(NEXT_ROW)),
      await this.#previous(instance),
    );
  }

  async find(): Promise<SecretKeys | null> {
    return (await this.#store.instance.get(CURRENT_ROW)) === null ? null : this.read();
  }

  async prepareNext(): Promise<SecretKeys> {
    const { current } = await this.read();
    const previous = requireRoom(await this.#previous(this.#store.instance), current);
    return keysOf(await this.#make(NEXT_ROW), current, previous);
  }

  async useNext(): Promise<void> {
    await this.#store.transaction(async ({ instance }) => {
      const [current, next] = [await instance.get(CURRENT_ROW), await instance.get(NEXT_ROW)];
      // Another process has already replaced it.
      if (current === null || next === null) return;
      await instance.set(PREVIOUS_ROW, linesOf(current, await this.#previous(instance)));
      await instance.set(CURRENT_ROW, next);
      await instance.delete(NEXT_ROW);
    });
  }

  async forgetPrevious(): Promise<number> {
    const { length } = await this.#previous(this.#store.instance);
    await this.#store.transaction((tx) => tx.instance.delete(PREVIOUS_ROW));
    return length;
  }

  async #previous(instance: Store['instance']): Promise<string[]> {
    return secretsIn(await instance.get(PREVIOUS_ROW), placeOf(PREVIOUS_ROW));
  }

  /** If several make one at once, one decides. */
  async #make(row: string): Promise<string> {
    return this.#store.transaction((tx) => tx.instance.setOnce(row, candidate(this.#random)));
  }
}

const CURRENT_ROW = 'secret_key';
const NEXT_ROW = 'secret_key_next';
const PREVIOUS_ROW = 'secret_key_previous';

/** The keys of the rows of `instance` that contain secrets. */
export const SECRET_ROWS: readonly string[] = [CURRENT_ROW, NEXT_ROW, PREVIOUS_ROW];

function placeOf(row: string): string {
  return `row "${row}" of the table "instance"`;
}

function keysOf(current: string, other: string | null, previous: readonly string[]): SecretKeys {
  const others = new Set(other === null ? previous : [other, ...previous]);
  return { current, fallbacks: [...others].filter((secret) => secret !== current) };
}

/** One secret a line, the latest first. */
function linesOf(current: string, previous: readonly string[]): string {
  return [current, ...previous.filter((secret) => secret !== current)].map((line) => `${line}\n`).join('');
}

function secretsIn(lines: string | null, place: string): string[] {
  const secrets = (lines ?? '').split('\n').filter((line) => line !== '');
  return secrets.map((secret) => requireLong(secret, place));
}

function requireRoom(previous: string[], current: string): string[] {
  if (previous.includes(current) || previous.length < MAX_PREVIOUS_SECRETS) return previous;
  throw new StorageError(
    'fault',
    `${previous.length} secret keys from before are kept already: forget them first (tocsin rotate-secret --forget)`,
  );
}

export async function secretKeyInFile(path: string, random: Random): Promise<string> {
  const known = (await readIfThere(path)) ?? (await createAndRead(path, random));
  const secret = requireLong(known.trim(), `file ${path}`);
  await removePartialFiles(path);
  return secret;
}

function candidate(random: Random): string {
  return Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url');
}

/** If several processes start for the first time at once, the first file written is used by all. */
async function createAndRead(path: string, random: Random): Promise<string> {
  try {
    await createWholeFile(path, `${candidate(random)}\n`, random);
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StorageError('fault', `cannot keep a secret key in ${path}: ${reason}`, { cause: error });
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Throws if the secret is short: anybody could guess it and forge signatures. */
function requireLong(secret: string, place: string): string {
  if (secret.length >= MIN_SECRET_LENGTH) return secret;
  throw new StorageError(
    'fault',
    `the secret key in the ${place} has ${secret.length} characters, and at least ${MIN_SECRET_LENGTH} are needed: ` +
      'a disk may have been full when it was written. Restore it from a backup. If there is none, delete it, and ' +
      '"tocsin rotate-secret --lost" makes a new one; API keys, badge URLs and links in mails that were made with the ' +
      'old one are then invalid',
  );
}
