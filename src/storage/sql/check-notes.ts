import type { ChangeCollector, OwnedRow } from '../../domain/change.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Writer } from '../driver.ts';
import { NEXT_REVISION } from './check-rows.ts';
import { Statements } from './statements.ts';

/** Facts beside the row of a check, which every ping rewrites. */
export interface CheckNotes {
  /** What the job has declared, as `decodeNotes` reads it. */
  readonly declaration: string | null;
  /** The timing that somebody has called right, although pings contradict it. */
  readonly acceptedTiming: string | null;
}

const NOTHING: CheckNotes = { declaration: null, acceptedTiming: null };

export class SqlCheckNoteReads<Db extends Reader = Reader> extends Statements<Db> {
  async of(checkId: number): Promise<CheckNotes> {
    const found = await this.first<CheckNotes>(
      'select declaration, accepted_timing as "acceptedTiming" from check_notes where check_id = $1',
      [checkId],
    );
    return found ?? NOTHING;
  }
}

/** Whoever writes a note holds the check. */
export class SqlCheckNotes extends SqlCheckNoteReads<Writer> {
  readonly #touched: ChangeCollector;

  constructor(db: Writer, dialect: Dialect, touched: ChangeCollector) {
    super(db, dialect);
    this.#touched = touched;
  }

  async saveDeclaration(check: OwnedRow, declaration: string): Promise<void> {
    await this.#save(check, 'declaration', declaration);
  }

  /** Readers of the API see hints, so the check has another form then. */
  async acceptTiming(check: OwnedRow, timing: string): Promise<void> {
    await this.db.send(`update checks set ${NEXT_REVISION} where id = $1`, [[check.id]]);
    await this.#save(check, 'accepted_timing', timing);
  }

  async #save(check: OwnedRow, column: 'declaration' | 'accepted_timing', value: string): Promise<void> {
    this.#touched.addCheck(check, false);
    await this.db.send(
      `insert into check_notes (check_id, ${column}) values ($1, $2)
       on conflict (check_id) do update set ${column} = excluded.${column}`,
      [[check.id, value]],
    );
  }
}
