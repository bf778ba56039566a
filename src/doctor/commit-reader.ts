/** A process that says which commit it sees last, whenever it is asked. */
import { DatabaseSync } from 'node:sqlite';

const [, , path = ''] = process.argv;
let database: DatabaseSync | null = null;

process.on('message', () => {
  try {
    database ??= new DatabaseSync(path, { readOnly: true });
    const row = database.prepare('select max(n) as n from commits').get();
    process.send?.(row?.n ?? 0);
  } catch (error) {
    process.send?.(String(error));
  }
});
