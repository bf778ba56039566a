import type { Check } from '../../domain/check/check.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import { rowsOf, table } from './check-rows.ts';
import type { EntryDeclaration } from './declarations.ts';
import { Statements } from './statements.ts';

/** A check that was deleted and can be restored. */
export interface DeletedCheck {
  readonly id: number;
  /** The project that it was deleted from. */
  readonly projectId: number;
  /** The UUID by which it was pinged. */
  readonly uuid: string;
  readonly channelIds: readonly number[];
  readonly deletesAt: Instant;
  /** How a file declared it. Null if none did. */
  readonly declaration: EntryDeclaration | null;
}

export interface ListedDeletion extends DeletedCheck {
  readonly name: string;
  readonly slug: string;
  readonly tags: string;
}

const COLUMNS = `deleted_checks.check_id as id, deleted_checks.project_id as "projectId", deleted_checks.uuid,
  deleted_checks.channel_ids as "channelIds", deleted_checks.deletes_at as "deletesAt", deleted_checks.declaration`;

type Row<T extends DeletedCheck> = Omit<T, 'channelIds' | 'declaration'> & {
  readonly channelIds: string;
  readonly declaration: string | null;
};

const listed = <T extends DeletedCheck>({ channelIds, declaration, ...row }: Row<T>) =>
  ({
    ...row,
    channelIds: JSON.parse(channelIds),
    declaration: declaration === null ? null : JSON.parse(declaration),
  }) as unknown as T;

export class SqlDeletedCheckReads<Db extends Reader = Reader> extends Statements<Db> {
  /** Checks of the project that can be restored at that time, the last deleted first, at most `most`. */
  async ofProject(projectId: number, now: Instant, most: number): Promise<ListedDeletion[]> {
    const rows = await this.db.all<Row<ListedDeletion>>(
      `select ${COLUMNS}, checks.name, checks.slug, checks.tags
         from deleted_checks join checks on checks.id = deleted_checks.check_id
        where deleted_checks.project_id = $1 and deleted_checks.deletes_at > $2
        order by deleted_checks.deletes_at desc limit $3`,
      [projectId, now, most],
    );
    return rows.map((row) => listed(row));
  }
}

export class SqlDeletedChecks extends SqlDeletedCheckReads<Writer> {
  /** The check that the project has deleted, locked with its row. Null if it cannot be restored at that time. */
  async lock(
    projectId: number,
    uuid: string,
    now: Instant,
  ): Promise<{ check: Check; deleted: DeletedCheck } | null> {
    const [row] = await this.db.all<Row<DeletedCheck>>(
      `select ${COLUMNS} from deleted_checks where uuid = $1 and project_id = $2 and deletes_at > $3
        ${this.dialect.forUpdate}`,
      [uuid, projectId, now],
    );
    const check = row === undefined ? null : await this.#lockCheck(row.id);
    return row === undefined || check === null ? null : { check, deleted: listed(row) };
  }

  /** A check that nobody can restore any more, locked. Passes over checks that another node works on. */
  async lockDue(now: Instant): Promise<Check | null> {
    const { forUpdate } = this.dialect;
    const [row] = await this.db.all<{ id: number }>(
      `select check_id as id from deleted_checks where deletes_at <= $1 order by deletes_at limit 1
        ${forUpdate === '' ? '' : `${forUpdate} skip locked`}`,
      [now],
    );
    return row === undefined ? null : this.#lockCheck(row.id);
  }

  async #lockCheck(id: number): Promise<Check | null> {
    const where = `where id = $1 ${this.dialect.forUpdate}`;
    const [check] = await rowsOf<Check>(this.db, `select ${table.columns} from checks`, where, [id]);
    return check ?? null;
  }

  async insert(deleted: DeletedCheck): Promise<void> {
    const { id, projectId, uuid, channelIds, deletesAt, declaration } = deleted;
    await this.db.send(
      `insert into deleted_checks (check_id, project_id, uuid, channel_ids, deletes_at, declaration)
       values ($1, $2, $3, $4, $5, $6)`,
      [
        [
          id,
          projectId,
          uuid,
          JSON.stringify(channelIds),
          deletesAt,
          declaration === null ? null : JSON.stringify(declaration),
        ],
      ],
    );
  }

  async delete(id: number): Promise<void> {
    await this.db.send('delete from deleted_checks where check_id = $1', [[id]]);
  }

  /** Makes deletions beyond the last `most` of the project due now. */
  async expireBeyond(projectId: number, most: number, now: Instant): Promise<void> {
    await this.db.send(
      `update deleted_checks set deletes_at = $3
        where project_id = $1 and deletes_at > $3 and deletes_at <= (
          select deletes_at from deleted_checks where project_id = $1 order by deletes_at desc limit 1 offset $2)`,
      [[projectId, most, now]],
    );
  }
}
