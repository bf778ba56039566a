import { USED_EVERY } from '../../domain/people/api-key.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Dialect } from '../dialect.ts';
import type { Writer } from '../driver.ts';
import { sendForAll, unnest } from './table.ts';

/** A use of a key or a token. */
export interface Use {
  readonly id: number;
  readonly at: Instant;
  readonly remoteAddr: string | null;
}

/** Writes when keys or tokens were last used, unless a node wrote that in the last minute. */
export async function writeUses(
  db: Writer,
  dialect: Dialect,
  table: 'api_keys' | 'account_tokens',
  uses: readonly Use[],
): Promise<void> {
  const statements = {
    one: `update ${table} set last_used_at = $2, last_used_addr = $3
           where id = $1 and (last_used_at is null or last_used_at + ${USED_EVERY} <= $2)`,
    many: `update ${table} set last_used_at = used.at, last_used_addr = used.addr
             from ${unnest(['bigint', 'bigint', 'text'])} as used (id, at, addr)
            where ${table}.id = used.id and (last_used_at is null or last_used_at + ${USED_EVERY} <= used.at)`,
  };
  const rows = uses.map(({ id, at, remoteAddr }) => [id, at, remoteAddr]);
  await sendForAll(db, dialect, statements, rows);
}
