import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../src/storage/open.ts';
import { listening, type RunningProcess, startCli } from '../process.ts';
import { HANG_MS } from '../waiting.ts';

/** The secret key of the service. */
export const SECRET = 'a secret of this test, and long enough to be one';
const KEY = 'hcw_0123456789abcdefghijklmnopqr';
/** The key that can only read. */
export const READ_KEY = 'hcr_0123456789abcdefghijklmnopqr';

export const PING_KEY = '0123456789abcdefghijkl';

const declaration = (webhook: string | null, project: string) => `accounts:
  - email: ops@example.org
    limits:
      checks: 1000000
      pings: 1000000
projects:
  - name: Alpha
    owner: ops@example.org
    keys:
      read_write: ${KEY}
      read_only: ${READ_KEY}
      ping: ${PING_KEY}
${webhook === null ? '' : webhookOf(webhook)}${project}`;

const webhookOf = (url: string) => `    integrations:
      - { kind: webhook, name: Sink, down: { url: "${url}" }, up: { url: "${url}" } }
`;

/** A check in the API, as far as these tests need it. */
export interface ListedCheck {
  readonly uuid: string;
  readonly name: string;
  readonly n_pings: number;
  readonly status: string;
}

/** The service as a process of its own, with one project. */
export interface Service extends AsyncDisposable {
  readonly process: RunningProcess;
  readonly url: string;
  get(path: string): Promise<Response>;
  /** With all integrations. */
  createCheck(name: string): Promise<ListedCheck>;
  renameCheck(uuid: string, name: string): Promise<void>;
  deleteCheck(uuid: string): Promise<void>;
  /** Whether the ping was acknowledged. `suffix` follows the UUID in the URL. */
  ping(uuid: string, suffix?: string): Promise<boolean>;
  checks(): Promise<ListedCheck[]>;
  /** The expected messages about the check, oldest first, as the sink words it. */
  news(uuid: string): Promise<string[]>;
}

export interface ServiceOptions {
  /** The address of a webhook, with placeholders; null for none. */
  readonly webhook?: string | null;
  /** More lines of the declared project. */
  readonly project?: string;
  /** Shell commands that hold for it, such as a limit. */
  readonly prelude?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts it in the folder; it has all its data in the database. */
export async function startService(
  folder: string,
  database: Database,
  { webhook = null, project = '', prelude, env }: ServiceOptions = {},
): Promise<Service> {
  const file = join(folder, 'declaration.yaml');
  await writeFile(file, declaration(webhook, project));
  const service = startCli(['serve'], {
    cwd: folder,
    ...(prelude !== undefined && { prelude }),
    env: {
      DATABASE_URL: database.engine === 'sqlite' ? `sqlite:${database.path}` : database.url,
      PROVISION_FILE: file,
      SECRET_KEY: SECRET,
      INTEGRATIONS_ALLOW_PRIVATE_IPS: 'True',
      API_RATE_LIMIT: '0',
      LOG_LEVEL: 'error',
      DB_STATEMENT_TIMEOUT: String(HANG_MS / 1_000),
      ...env,
    },
  });
  const url = await listening(service);
  const headers = { 'X-Api-Key': KEY };
  const get = (path: string) => fetch(`${url}${path}`, { headers });
  const read = async (path: string) => {
    const reply = await get(path);
    assert.equal(reply.status, 200);
    return reply.json();
  };
  const write = async (method: string, path: string, status: number, fields?: object): Promise<unknown> => {
    const body = fields === undefined ? {} : { body: JSON.stringify(fields) };
    const reply = await fetch(`${url}/api/v3/checks/${path}`, { method, headers, ...body });
    assert.equal(reply.status, status);
    return reply.json();
  };
  return {
    process: service,
    url,
    get,
    createCheck: async (name) => (await write('POST', '', 201, { name, channels: '*' })) as ListedCheck,
    renameCheck: async (uuid, name) => void (await write('POST', uuid, 200, { name })),
    deleteCheck: async (uuid) => void (await write('DELETE', uuid, 200)),
    async ping(uuid, suffix = '') {
      const reply = await fetch(`${url}/ping/${uuid}${suffix}`, { method: 'POST', body: 'done' });
      await reply.text();
      return reply.status === 200;
    },
    checks: async () => ((await read('/api/v3/checks/')) as { checks: ListedCheck[] }).checks,
    news: async (uuid) => newsOf((await read(`/api/v3/checks/${uuid}/flips/`)) as ListedFlip[]),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

interface ListedFlip {
  readonly timestamp: string;
  readonly up: 0 | 1;
}

/** The first flip of a check that comes up ends no outage, so it does not count. */
function newsOf(flips: readonly ListedFlip[]): string[] {
  const told = flips.toReversed().map(({ timestamp, up }) => `${up === 1 ? 'up' : 'down'} ${timestamp}`);
  return told[0]?.startsWith('up') ? told.slice(1) : told;
}
