import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Fault } from '../lib/fields.ts';

/** Begins a text that names the file of a secret. */
const PREFIX = 'file:';

/** Bytes of a secret. */
const MAX_BYTES = 65_536;

/** Reads the file of a secret. The path is relative to the provisioning file. Throws the reason why it cannot. */
export type ReadSecret = (path: string) => string;

export function secretsBeside(provisionFile: string): ReadSecret {
  return (path) => readSecretFile(resolve(dirname(provisionFile), path));
}

/** The secret, or the content of the file that it names. The value of a variable is data and names no file. */
export function secretOf(
  { value, written = value }: { readonly value: unknown; readonly written?: unknown },
  name: string,
  readSecret: ReadSecret,
): unknown {
  const isPath = (text: unknown): text is string => typeof text === 'string' && text.startsWith(PREFIX);
  if (!isPath(value) || !isPath(written)) return value;
  try {
    return readSecret(value.slice(PREFIX.length));
  } catch (error) {
    return new Fault(`${name}: ${written} ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The content without its last line end. Pipes and devices are no files: they may have no end. */
export function readSecretFile(path: string): string {
  let file: number;
  try {
    // A pipe that nobody writes to would hold the open up.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw new Error(`cannot be read (${codeOf(error)})`);
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Error('is not a file');
    if (found.size > MAX_BYTES) throw new Error(`is longer than ${MAX_BYTES} bytes`);
    const bytes = Buffer.alloc(MAX_BYTES);
    return bytes.toString('utf8', 0, readSync(file, bytes)).replace(/\r?\n$/, '');
  } finally {
    closeSync(file);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
