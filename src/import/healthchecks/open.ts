import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { SourceError } from '../source-error.ts';
import { readingFile } from '../sqlite-file.ts';
import { openHealthchecksLines } from './json-lines.ts';
import { openHealthchecksDatabase } from './postgres.ts';
import type { HealthchecksSource } from './source.ts';
import { openHealthchecksFile } from './sqlite.ts';

/** Enough to tell the kind of a file. */
const HEAD_BYTES = 64;
const POSTGRES_URL = /^postgres(ql)?:\/\//i;
const MAX_ADDRESS_BYTES = 4_096;

/**
 * Opens the database of a Healthchecks installation: a file of SQLite, JSON lines of Django, the URL of a PostgreSQL
 * database, or `file:` and the path of a file that contains such a URL.
 */
export async function openHealthchecks(place: string): Promise<HealthchecksSource> {
  if (place.startsWith('file:')) return openHealthchecks(addressIn(place.slice('file:'.length)));
  if (POSTGRES_URL.test(place)) return openHealthchecksDatabase(place);
  // The URL of another database may contain a password, which the message leaves out.
  const [, scheme] = /^([a-z][a-z0-9+]+):\/\//i.exec(place) ?? [];
  if (scheme !== undefined)
    throw new SourceError(
      `databases of the kind ${scheme} are not read: write JSON lines by \`./manage.py dumpdata auth.user accounts api --format jsonl\``,
    );
  return openFile(place);
}

function openFile(path: string): HealthchecksSource | Promise<HealthchecksSource> {
  const head = headOf(path);
  const text = head.toString('latin1');
  if (head.length === 0) throw new SourceError(`${path} is empty`);
  if (head[0] === 0x1f && head[1] === 0x8b) return openHealthchecksLines(path, true);
  if (/^\s*\{/.test(text)) return openHealthchecksLines(path, false);
  if (/^\s*\[/.test(text))
    throw new SourceError(`${path} is one JSON text: \`dumpdata\` needs \`--format jsonl\``);
  if (text.startsWith('PGDMP') || text.startsWith('--'))
    throw new SourceError(`${path} is a dump: load it into a database, and give the URL of that`);
  return openHealthchecksFile(path);
}

function addressIn(path: string): string {
  const address = readingFile(path, () => readFileSync(path))
    .toString('utf8')
    .trim();
  if (address === '' || address.length > MAX_ADDRESS_BYTES || address.startsWith('file:'))
    throw new SourceError(`${path} does not contain the URL of a database`);
  return address;
}

function headOf(path: string): Buffer {
  return readingFile(path, () => {
    const file = openSync(path, 'r');
    try {
      const head = Buffer.alloc(HEAD_BYTES);
      return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0));
    } finally {
      closeSync(file);
    }
  });
}
