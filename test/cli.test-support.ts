import assert from 'node:assert/strict';
import { Readable, Writable } from 'node:stream';
import { type Command, CommandFailure, type CommandIo, UsageError } from '../src/cli/command.ts';
import { ProvisionFileError } from '../src/provision/located.ts';
import type { TestPlace } from './engines.ts';

export const KEY = 'hcw_0123456789abcdefghijklmnopqr';

export const DECLARATION = `accounts:
  - email: ops@example.org
projects:
  - name: Alpha
    owner: ops@example.org
    keys:
      read_write: ${KEY}
    checks:
      - slug: heartbeat
        name: Heartbeat
        timeout: 3600
        grace: 300
`;

/** The names and timeouts of the checks that the service shows to the key of the declaration. */
export async function declaredChecks(url: string): Promise<{ name: string; timeout: number }[]> {
  const reply = await fetch(`${url}/api/v3/checks/`, { headers: { 'X-Api-Key': KEY } });
  assert.equal(reply.status, 200);
  const { checks } = (await reply.json()) as { checks: { name: string; timeout: number }[] };
  return checks.map(({ name, timeout }) => ({ name, timeout }));
}

export function settingsFor({ database }: TestPlace): Record<string, string> {
  return { DATABASE_URL: database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url };
}

/** Makes the request of a `curl` line as it stands in the terminal. */
export async function requestOf(line: string): Promise<Response> {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  assert.equal(words.shift(), 'curl');
  const headers = new Headers();
  let url = '';
  let body: string | null = null;
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-H') {
      const [name = '', value = ''] = (words.shift() ?? '').split(': ');
      headers.set(name, value);
    } else if (word === '-d') body = words.shift() ?? '';
    else url = word;
  }
  return fetch(url, { method: body === null ? 'GET' : 'POST', headers, body });
}

/** Runs the command in this process, which takes less time than another one. */
export async function runHere(
  command: Command,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
): Promise<{ code: number; stdout: string; stderr: string }> {
  const told = { stdout: '', stderr: '' };
  const collect = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk, _, done) {
        told[name] += String(chunk);
        done();
      },
    });
  const io: CommandIo = {
    stdin: Readable.from([input]),
    stdout: collect('stdout'),
    stderr: collect('stderr'),
    environment: () => env,
    stopSignal: () => Promise.race([]),
    exit: () => assert.fail('it ends by itself'),
  };
  const code = await command.run(args, io).catch((error: unknown) => {
    if (!(error instanceof Error)) throw error;
    told.stderr += error.message;
    if (error instanceof UsageError || error instanceof CommandFailure) return error.code;
    if (error instanceof ProvisionFileError) return 1;
    throw error;
  });
  return { code, ...told };
}
