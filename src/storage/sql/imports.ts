import type { Instant } from '../../lib/instant.ts';
import type { Writer } from '../driver.ts';
import { amongTexts, textList } from './check-reads.ts';
import { Statements } from './statements.ts';
import { oneRow, sendForAll, unnest } from './table.ts';

/** An installation of another program that was imported. */
export interface ImportRow {
  readonly id: number;
  /** Its pings up to this place are here. */
  readonly place: number;
}

export type ImportedKind = 'account' | 'project' | 'channel' | 'check';

export interface ImportedEntry {
  readonly kind: ImportedKind;
  /** Its UUID in the source. Of an account, its e-mail address there. */
  readonly entry: string;
  readonly rowId: number;
  /** Digests of the values that the last import has written. */
  readonly fields: Readonly<Record<string, string>>;
  /** Of a check: the number of its pings in the source. */
  readonly pingCount: number;
}

export interface EarlierEntry extends ImportedEntry {
  /**
   * Where it is now: the UUID of the project of a check or an integration, the e-mail address of an account and of the owner
   * of a project. Null if it was deleted, or if a check has another UUID by now.
   */
  readonly home: string | null;
}

/** A check whose pings are imported. */
export interface PingTarget {
  readonly uuid: string;
  readonly checkId: number;
  /** Pings of the source have numbers up to this one. */
  readonly pingCount: number;
  /** Pings up to this place are here. */
  readonly place: number;
  /** Pings that its owner keeps of each check. */
  readonly pingLimit: number;
}

const INTO = 'insert into imported (import_id, kind, entry, row_id, fields, ping_count)';
const OR_UPDATE = `on conflict (import_id, kind, entry) do update
   set row_id = excluded.row_id, fields = excluded.fields, ping_count = excluded.ping_count,
       place = case when imported.row_id = excluded.row_id then imported.place else 0 end`;

const SAVE = {
  one: `${INTO} values ($1, $2, $3, $4, $5, $6) ${OR_UPDATE}`,
  many: `${INTO} select * from ${unnest(['bigint', 'text', 'text', 'bigint', 'text', 'bigint'])} ${OR_UPDATE}`,
};

const homeIn = (table: string) =>
  `(select cast(projects.uuid as text) from ${table} join projects on projects.id = ${table}.project_id
     where ${table}.id = row_id and cast(${table}.uuid as text) = entry and projects.deletes_at is null)`;

const COLUMNS = 'kind, entry, row_id as "rowId", fields, ping_count as "pingCount"';

type StoredEntry = Omit<EarlierEntry, 'fields'> & { readonly fields: string };

/** Only `save` makes this JSON. */
const entryOf = (row: StoredEntry): EarlierEntry => ({
  ...row,
  fields: JSON.parse(row.fields) as Record<string, string>,
});

export class SqlImports extends Statements<Writer> {
  /** The import from the installation. Null if nothing was imported from it. */
  async byIdentity(identity: string): Promise<ImportRow | null> {
    return this.first('select id, place from imports where identity = $1', [identity]);
  }

  async insert(program: string, identity: string, createdAt: Instant): Promise<ImportRow> {
    const rows = await this.db.all<ImportRow>(
      'insert into imports (program, identity, created_at) values ($1, $2, $3) returning id, place',
      [program, identity, createdAt],
    );
    return oneRow(rows);
  }

  /** All entries that were imported, except checks, and where they are now. */
  async entriesOf(id: number): Promise<EarlierEntry[]> {
    const rows = await this.db.all<StoredEntry>(
      `select ${COLUMNS},
              case kind
                when 'account' then (select email from accounts where accounts.id = row_id)
                when 'project' then
                  (select email from projects join accounts on accounts.id = projects.owner_id
                    where projects.id = row_id and projects.deletes_at is null)
                else ${homeIn('channels')} end as home
         from imported where import_id = $1 and kind in ('account', 'project', 'channel')`,
      [id],
    );
    return rows.map(entryOf);
  }

  /** Those of the checks that were imported, and where they are now. */
  async checksAmong(id: number, uuids: readonly string[]): Promise<EarlierEntry[]> {
    const rows = await this.db.all<StoredEntry>(
      `select ${COLUMNS}, ${homeIn('checks')} as home
         from imported where import_id = $1 and kind = 'check' and ${amongTexts(this.dialect, 'entry', '$2')}`,
      [id, textList(this.dialect, uuids)],
    );
    return rows.map(entryOf);
  }

  /** The UUIDs of imported checks that are still where an import has put them, after the given one. */
  async checksHere(id: number, after: string, limit: number): Promise<string[]> {
    const rows = await this.db.all<{ entry: string }>(
      `select entry from imported
        where import_id = $1 and kind = 'check' and entry > $2 and ${homeIn('checks')} is not null
        order by entry limit $3`,
      [id, after, limit],
    );
    return rows.map(({ entry }) => entry);
  }

  async save(id: number, entries: readonly ImportedEntry[]): Promise<void> {
    const rows = entries.map(({ kind, entry, rowId, fields, pingCount }) => [
      id,
      kind,
      entry,
      rowId,
      JSON.stringify(fields),
      pingCount,
    ]);
    await sendForAll(this.db, this.dialect, SAVE, rows);
  }

  /** The pings are read from the beginning again. Checks that have theirs already keep the place that was reached. */
  async startAgain({ id, place }: ImportRow): Promise<void> {
    await this.db.send(
      `update imported set place = $2 where import_id = $1 and kind = 'check' and place < $2`,
      [[id, place]],
    );
    await this.db.send('update imports set place = 0 where id = $1', [[id]]);
  }

  /** The imported checks in order of their UUIDs, after the given one. */
  async pingTargets(id: number, after: string, limit: number): Promise<PingTarget[]> {
    return this.db.all(
      `select entry as uuid, checks.id as "checkId", imported.ping_count as "pingCount", imported.place,
              accounts.ping_limit as "pingLimit"
         from imported join checks on checks.id = row_id join projects on projects.id = checks.project_id
              join accounts on accounts.id = projects.owner_id
        where import_id = $1 and imported.kind = 'check' and entry > $2 order by entry limit $3`,
      [id, after, limit],
    );
  }

  /** The number of the oldest ping of each check that has any, by the ids of checks. */
  async oldestPings(id: number): Promise<ReadonlyMap<number, number>> {
    const rows = await this.db.all<{ checkId: number; oldest: number | null }>(
      `select row_id as "checkId", (select min(n) from pings where pings.check_id = row_id) as oldest
         from imported where import_id = $1 and kind = 'check'`,
      [id],
    );
    return new Map(rows.flatMap(({ checkId, oldest }) => (oldest === null ? [] : [[checkId, oldest]])));
  }

  /** Returns false if somebody else has moved the place. */
  async movePlace({ id, place }: ImportRow, to: number): Promise<boolean> {
    return this.changesOne('update imports set place = $3 where id = $1 and place = $2', [id, place, to]);
  }
}
