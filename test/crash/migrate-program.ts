/**
 * Migrates the database given as JSON and tells on standard output which versions it applied. Waits for the
 * end of standard input first, so that several can be let go at once.
 */
import { systemClock } from '../../src/lib/clock.ts';
import { migrate } from '../../src/storage/migrate.ts';
import type { Database } from '../../src/storage/open.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import { openTestDriver } from '../engines.ts';

const database: Database = JSON.parse(process.argv[2] ?? '');
process.stdout.write('ready\n');
for await (const _ of process.stdin);
await using driver = await openTestDriver(database);
const applied = await migrate(driver, systemClock);
const checks = await createSqlStore(driver).checks.count(1_000);
process.stdout.write(`${JSON.stringify({ applied: applied.map(({ version }) => version), checks })}\n`);
