import type { Instant } from '../../lib/instant.ts';
import type { Scalar } from '../value.ts';
import type { SealedSecret } from './passphrase.ts';

/** The form of archives that this program writes. */
export const FORMAT = 1;

export interface Header {
  readonly kind: 'header';
  /** The program that has made the backup. */
  readonly release: string;
  /** The version of the schema. */
  readonly schema: number;
  /** Versions before it whose contract steps were not made. Absent if there was none. */
  readonly waiting?: readonly number[];
  /** The time of the database. */
  readonly at: Instant;
  /** The server's secret, if a passphrase was given. */
  readonly secret: SealedSecret | null;
}

/** The rows that follow are rows of this table. */
export interface TableBegin {
  readonly kind: 'table';
  readonly name: string;
  readonly columns: readonly string[];
  /** The last id that was given out. Zero if the table gives out none. */
  readonly lastId: number;
}

/** Some rows of the table, in the order of its key. Booleans are numbers. */
export interface Rows {
  readonly kind: 'rows';
  readonly rows: readonly (readonly Scalar[])[];
}

/** A backup comes in parts, so that it is never in memory as a whole: a header, then each table and its rows. */
export type Part = Header | TableBegin | Rows;

export type Sink = (part: Part) => Promise<void>;
