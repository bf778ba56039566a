import type { LiveSince, NewSession, Session } from '../../domain/people/session.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Reader, Writer } from '../driver.ts';
import { Statements } from './statements.ts';
import { type SqlBoolean, Table } from './table.ts';

/** A session with the facts of its account that every request needs. */
export interface OpenSession {
  readonly session: Session;
  readonly account: {
    readonly uuid: string;
    readonly email: string;
    readonly name: string;
    readonly isAdmin: boolean;
  };
}

const table = new Table<keyof NewSession>('sessions', {
  uuid: 'uuid',
  accountId: 'account_id',
  tokenDigest: 'token_digest',
  createdAt: 'created_at',
  lastSeenAt: 'last_seen_at',
  sudoUntilAt: 'sudo_until_at',
  remoteAddr: 'remote_addr',
  userAgent: 'user_agent',
});

interface AccountColumns {
  accountUuid: string;
  email: string;
  name: string;
  isAdmin: SqlBoolean;
}

export class SqlSessionReads<Db extends Reader = Reader> extends Statements<Db> {
  /** The session whose token has this digest, live or not. Null if its account is not active. */
  async byDigest(tokenDigest: string): Promise<OpenSession | null> {
    const [row] = await this.db.all<Session & AccountColumns>(
      `select session.*, accounts.uuid as "accountUuid", accounts.email, accounts.name,
              accounts.is_admin as "isAdmin"
         from (select ${table.columns} from sessions where token_digest = $1) as session
         join accounts on accounts.id = session."accountId" and accounts.is_active`,
      [tokenDigest],
    );
    if (row === undefined) return null;
    const { accountUuid, email, name, isAdmin, ...session } = row;
    return { session, account: { uuid: accountUuid, email, name, isAdmin: Boolean(isAdmin) } };
  }

  /** Sessions of the account, the last used first. */
  async ofAccount(accountId: number): Promise<Session[]> {
    return this.db.all(
      `select ${table.columns} from sessions where account_id = $1 order by last_seen_at desc, id desc`,
      [accountId],
    );
  }
}

export class SqlSessions extends SqlSessionReads<Writer> {
  async insert(session: NewSession): Promise<Session> {
    return { ...session, id: await table.add(this.db, session) };
  }

  /** Replaces the token and the time until which the person need not prove who they are. False if the session has ended. */
  async rotate(
    id: number,
    { tokenDigest, sudoUntilAt }: { tokenDigest: string; sudoUntilAt: Instant | null },
  ): Promise<boolean> {
    return this.changesOne('update sessions set token_digest = $2, sudo_until_at = $3 where id = $1', [
      id,
      tokenDigest,
      sudoUntilAt,
    ]);
  }

  /** Notes that the session was used from there. */
  async noteSeen(id: number, { at, remoteAddr }: { at: Instant; remoteAddr: string | null }): Promise<void> {
    await this.db.send('update sessions set last_seen_at = $2, remote_addr = $3 where id = $1', [
      [id, at, remoteAddr],
    ]);
  }

  /** Returns false if the account has no such session. */
  async endByUuid(accountId: number, uuid: string): Promise<boolean> {
    return this.changesOne('delete from sessions where uuid = $2 and account_id = $1', [accountId, uuid]);
  }

  async end(id: number): Promise<void> {
    await this.db.send('delete from sessions where id = $1', [[id]]);
  }

  /** Ends all sessions of the account except one. Null ends all. Returns their number. */
  async endOthers(accountId: number, exceptId: number | null): Promise<number> {
    return this.db.run('delete from sessions where account_id = $1 and id <> $2', [accountId, exceptId ?? 0]);
  }

  /** Ends the sessions of the account that were not used for the longest time, so that at most `most` remain. */
  async endOldest(accountId: number, most: number): Promise<void> {
    await this.deleteRows('sessions', (await this.ofAccount(accountId)).slice(most));
  }

  /** Removes sessions that are not live, at most `most`. Returns their number. */
  async prune({ seenAt, createdAt }: LiveSince, most: number): Promise<number> {
    const ended = await this.db.all<{ id: number }>(
      'select id from sessions where last_seen_at <= $1 order by last_seen_at limit $2',
      [seenAt, most],
    );
    const old = await this.db.all<{ id: number }>(
      'select id from sessions where created_at <= $1 order by created_at limit $2',
      [createdAt, most],
    );
    return this.deleteRows('sessions', [...ended, ...old]);
  }
}
