import type { Driver } from '../../src/storage/driver.ts';

/** Tables whose rows the pruner removes while a simulation runs. */
const PRUNED = ['pings', 'deliveries'] as const;

/** Where all rows of those tables are read from. */
export type Sources = Readonly<Record<(typeof PRUNED)[number], string>>;

/** Nothing is removed. */
export const STORED: Sources = { pings: 'pings', deliveries: 'deliveries' };

/**
 * Has the database remember rows that are removed, as they were then. Those of checks that are gone are not read. Returns where all
 * rows are read from, the removed ones among them.
 */
export async function rememberRemoved(driver: Driver): Promise<Sources> {
  await driver.transaction(async (tx) => {
    for (const table of PRUNED) {
      const columns = await tx.all<{ name: string }>(`select name from pragma_table_info('${table}')`);
      const names = columns.map(({ name }) => name).join(', ');
      const values = columns.map(({ name }) => `old.${name}`).join(', ');
      await tx.script(
        `create table removed_${table} as select ${names} from ${table} where false;
         create index removed_${table}_check on removed_${table} (check_id);
         create trigger remember_${table} before delete on ${table}
         begin
           insert into removed_${table} (${names}) values (${values});
         end;
         create view all_${table} as
           select ${names} from ${table}
           union all
           select ${names} from removed_${table} where check_id in (select id from checks);`,
      );
    }
  });
  return { pings: 'all_pings', deliveries: 'all_deliveries' };
}
