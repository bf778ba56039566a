import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../src/storage/open.ts';
import { listening, type RunningProcess, startCli } from '../process.ts';

const KEY = 'hcw_0123456789abcdefghijklmnopqr';

const DECLARATION = `accounts:
  - email: ops@example.org
    limits:
      checks: 1000000
projects:
  - name: Alpha
    owner: ops@example.org
    keys:
      read_write: ${KEY}
`;

/** What the API tells of a check, as far as these tests want to know. */
export interface ListedCheck {
  readonly uuid: string;
  readonly n_pings: number;
}

/** The service as a process of its own, with one project. */
export interface Service extends AsyncDisposable {
  readonly process: RunningProcess;
  get(path: string): Promise<Response>;
  createCheck(name: string): Promise<ListedCheck>;
  /** Whether the ping was acknowledged. */
  ping(uuid: string): Promise<boolean>;
  checks(): Promise<ListedCheck[]>;
}

/** Starts it in the folder; it has all its data in the database. */
export async function startService(folder: string, database: Database): Promise<Service> {
  const declaration = join(folder, 'declaration.yaml');
  await writeFile(declaration, DECLARATION);
  const service = startCli(['serve'], {
    cwd: folder,
    env: {
      DATABASE_URL: database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url,
      PROVISION_FILE: declaration,
      SECRET_KEY: 'a secret of this test, and long enough to be one',
      API_RATE_LIMIT: '0',
      LOG_LEVEL: 'error',
    },
  });
  const url = await listening(service);
  const headers = { 'X-Api-Key': KEY };
  const get = (path: string) => fetch(`${url}${path}`, { headers });
  return {
    process: service,
    get,
    async createCheck(name) {
      const reply = await fetch(`${url}/api/v3/checks/`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ name }),
      });
      assert.equal(reply.status, 201);
      return (await reply.json()) as ListedCheck;
    },
    async ping(uuid) {
      const reply = await fetch(`${url}/ping/${uuid}`, { method: 'POST', body: 'done' });
      await reply.text();
      return reply.status === 200;
    },
    async checks() {
      const reply = await get('/api/v3/checks/');
      assert.equal(reply.status, 200);
      return ((await reply.json()) as { checks: ListedCheck[] }).checks;
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}
