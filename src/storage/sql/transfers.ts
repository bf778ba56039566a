import type { Transfer } from '../../domain/people/project.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';

export class SqlTransferReads<Db extends Reader = Reader> extends Statements<Db> {
  /** The offer of the project. Null if it is offered to nobody. */
  async ofProject(projectId: number): Promise<Transfer | null> {
    return this.first(
      `select project_id as "projectId", account_id as "accountId", created_at as "createdAt"
         from project_transfers where project_id = $1`,
      [projectId],
    );
  }
}

export class SqlTransfers extends SqlTransferReads<Writer> {
  /** Saves the offer in place of an earlier one. */
  async save({ projectId, accountId, createdAt }: Transfer): Promise<void> {
    await this.db.send(
      `insert into project_transfers (project_id, account_id, created_at) values ($1, $2, $3)
       on conflict (project_id) do update set account_id = excluded.account_id, created_at = excluded.created_at`,
      [[projectId, accountId, createdAt]],
    );
  }

  /** Returns false if there was no offer. */
  async remove(projectId: number): Promise<boolean> {
    return this.changesOne('delete from project_transfers where project_id = $1', [projectId]);
  }
}
