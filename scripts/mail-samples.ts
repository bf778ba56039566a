/** Writes one mail of each sort to a folder, as HTML and as text, to look at: `node scripts/mail-samples.ts FOLDER`. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAIL_SAMPLES } from '../test/mail-samples.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder to which the mails are written.');
await mkdir(folder, { recursive: true });
for (const [name, { subject, text, html }] of Object.entries(MAIL_SAMPLES)) {
  await writeFile(join(folder, `${name}.html`), html);
  await writeFile(join(folder, `${name}.txt`), `Subject: ${subject}\n\n${text}`);
}
