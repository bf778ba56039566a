/** The tests of the dashboard's API on PostgreSQL. `npm test` runs them on SQLite. */
import '../long-form.ts';
import { globSync } from 'node:fs';
import { join } from 'node:path';

/** They have a long form of their own. */
const OTHERS = ['routes.test.ts', 'tenants.prop.test.ts'];

const files = globSync('*.test.ts', { cwd: import.meta.dirname, exclude: ['*.long.test.ts', ...OTHERS] });
// All at once: tests run as soon as they are declared.
await Promise.all(files.toSorted().map((file) => import(join(import.meta.dirname, file))));
