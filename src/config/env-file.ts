import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

export type Environment = Record<string, string | undefined>;

/** Names every fault of the configuration, one in each line. No line holds a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** Merges the `.env` file of a directory, if there is one, with the given environment, which wins. */
export function loadEnvironment(directory: string, processEnv: Environment): Environment {
  const path = join(directory, '.env');
  let content = '';
  try {
    content = readText(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') {
      throw new ConfigError([
        `${show(path)} cannot be read (${errorCode(error)}): make it readable or remove it.`,
      ]);
    }
  }
  // Trimmed because a byte order mark would become part of the first name.
  const merged: Environment = { ...parseEnv(content.trim()) };
  for (const [name, value] of Object.entries(processEnv)) {
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}

export function withoutLogin(text: string): string {
  return text.replace(/:\/\/.*@/s, '://***@');
}

/** Quotes the text on one line, and leaves out a login inside a URL. */
export function show(text: string): string {
  const plain = withoutLogin(text);
  return JSON.stringify(plain.length > 200 ? `${plain.slice(0, 200)}…` : plain);
}

export function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
