import { type BigIntStats, statSync } from 'node:fs';
import { StorageError } from '../driver.ts';

/**
 * The file of a database that is open. Others can move it away, put another in its place or cut it off, and SQLite goes on
 * with what it has open. It must never be opened here: to close it again would drop the locks that SQLite holds on it.
 */
export class DatabaseFile {
  readonly #path: string;
  readonly #original: Pick<BigIntStats, 'dev' | 'ino'>;
  #largest: number;

  constructor(path: string) {
    this.#path = path;
    const { dev, ino, size } = statSync(path, { bigint: true });
    this.#original = { dev, ino };
    this.#largest = Number(size);
  }

  /**
   * Throws unless it is the file that was opened, and whole: it grows as the log is copied into it, and shrinks only to
   * what the database needs, `neededBytes`.
   */
  requireSame(neededBytes: number): void {
    const { dev, ino, size } = this.#stat();
    if (dev !== this.#original.dev || ino !== this.#original.ino) {
      throw new StorageError('fault', 'the database file was replaced by another');
    }
    if (size < Math.min(this.#largest, neededBytes)) {
      throw new StorageError('fault', 'the database file was cut off');
    }
    this.#largest = Number(size);
  }

  #stat(): BigIntStats {
    try {
      return statSync(this.#path, { bigint: true });
    } catch (error) {
      throw new StorageError('fault', 'the database file is gone', { cause: error });
    }
  }
}
