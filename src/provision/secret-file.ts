import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Begins a text that names the file of a secret. */
const PREFIX = 'file:';

/** Bytes of a secret. */
const MAX_BYTES = 65_536;

/** Reads the file of a secret. The path is relative to the provisioning file. Throws the reason why it cannot. */
export type ReadSecret = (path: string) => string;

export function secretsBeside(provisionFile: string): ReadSecret {
  return (path) => readSecretFile(resolve(dirname(provisionFile), path));
}

/** The path in the text of a secret. Null if the text is the secret itself. */
export function secretPath(value: unknown): string | null {
  return typeof value === 'string' && value.startsWith(PREFIX) ? value.slice(PREFIX.length) : null;
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
