import { type BigIntStats, statSync } from 'node:fs';
import { StorageError } from '../driver.ts';

/**
 * The file of an open database. Another program can move, replace or truncate it, and SQLite would continue with its
 * open file. This class must never open the file: closing it again would release the locks that SQLite holds on it.
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
   * Throws if the file is not the one that was opened, or is truncated. The file grows when the log is copied into it.
   * It never becomes smaller than `neededBytes`, the size that the database needs.
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
