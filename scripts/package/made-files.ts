/** Writes the files of the package that follow from others, before `npm pack`, and removes them after it. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { productionOf, ROOT, readLock, shrinkwrapOf } from './lock.ts';
import { thirdPartyText } from './third-party.ts';

const [verb] = process.argv.slice(2);
const lock = await readLock();
const made: Readonly<Record<string, () => string | Promise<string>>> = {
  'THIRD-PARTY.txt': () => thirdPartyText(productionOf(lock)),
  // npm would take it for the lock file of the checkout.
  'npm-shrinkwrap.json': () => `${JSON.stringify(shrinkwrapOf(lock), null, 2)}\n`,
};

for (const [name, text] of Object.entries(made)) {
  if (verb === 'write') await writeFile(join(ROOT, name), await text());
  else await rm(join(ROOT, name), { force: true });
}
