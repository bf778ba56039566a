import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Client } from 'pg';
import { createTestDatabase } from '../postgres.ts';

const FOLDER = join(import.meta.dirname, '../fixtures/healthchecks');

/** The same installation of Healthchecks in every form that can be read. */
export const FORMS = ['SQLite', 'PostgreSQL', 'JSON lines'] as const;

export type Form = (typeof FORMS)[number];

/** What is true of the fixture. Programs other than ours have written it. */
export async function fixtureFacts(): Promise<Facts> {
  return JSON.parse(await readFile(join(FOLDER, 'facts.json'), 'utf8'));
}

export interface Facts {
  readonly secret_key: string;
  readonly clock: string;
  readonly accounts: readonly AccountFacts[];
  readonly projects: readonly ProjectFacts[];
  readonly checks: readonly CheckFacts[];
  readonly channels: readonly ChannelFacts[];
  readonly counts: Readonly<Record<string, number>>;
}

interface AccountFacts {
  readonly email: string;
  readonly password: string | null;
  readonly hash: string | null;
  readonly active: boolean;
  readonly admin: boolean;
  readonly reports: string;
  readonly reminders: string;
  readonly limits: { readonly checks: number; readonly pings: number };
  readonly totp: string | null;
  readonly security_keys: readonly {
    readonly name: string;
    readonly credential_id: string;
    readonly private_key: string;
  }[];
  readonly tz_here: string;
  readonly theme_here: string;
}

interface KeyFacts {
  readonly key: string;
  readonly stored: 'hashed' | 'plain';
}

interface ProjectFacts {
  readonly uuid: string;
  readonly name_here: string;
  readonly owner: string;
  readonly keys: { readonly read_write?: KeyFacts; readonly read_only?: KeyFacts };
  readonly ping_key: string | null;
  readonly badge_key: string;
  readonly addresses: string;
  readonly members: readonly { readonly email: string; readonly role: string }[];
}

interface CheckFacts {
  readonly uuid: string;
  readonly project: string;
  readonly name: string;
  readonly slug: string;
  readonly tags: string;
  readonly desc: string;
  readonly kind: string;
  readonly grace: number;
  readonly timeout?: number;
  readonly schedule?: string;
  readonly status: string;
  readonly n_pings: number;
  readonly last_ping: string | null;
  readonly started: string | null;
  readonly started_rid: string | null;
  readonly last_duration: number | null;
  readonly created: string;
  readonly unique_key: string;
  readonly badge_key: string;
  readonly manual_resume: boolean;
  readonly methods: string;
  readonly filter_subject: boolean;
  readonly filter_body: boolean;
  readonly filter_http_body: boolean;
  readonly filter_default_fail: boolean;
  readonly start_kw: string;
  readonly success_kw: string;
  readonly failure_kw: string;
  readonly flips: readonly {
    readonly at: string;
    readonly from: string;
    readonly to: string;
    readonly reason: string;
  }[];
  readonly pings_stored: number;
  /** The last five. */
  readonly pings: readonly PingFacts[];
  readonly tz_here?: string;
  readonly channels_here: readonly string[];
}

interface PingFacts {
  readonly n: number;
  readonly type: string;
  readonly at: string;
  readonly scheme: string;
  readonly method: string;
  readonly remote_addr: string;
  readonly ua: string;
  readonly rid: string | null;
  readonly exit_status: number | null;
  readonly body_bytes: number;
  readonly body_sha256: string | null;
}

interface ChannelFacts {
  readonly uuid: string;
  readonly project: string;
  readonly name: string;
  readonly here: { readonly kind: string; readonly settings: Readonly<Record<string, unknown>> };
  readonly verified: boolean;
  readonly off: boolean;
}

/** A copy of the fixture in one of its forms, as the argument of the import. It vanishes when disposed of. */
export async function healthchecksFixture(form: Form): Promise<AsyncDisposable & { readonly place: string }> {
  await using opened = new AsyncDisposableStack();
  const place = form === 'PostgreSQL' ? await filledDatabase(opened) : await unpacked(opened, form);
  const parts = opened.move();
  return { place, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

async function unpacked(opened: AsyncDisposableStack, form: 'SQLite' | 'JSON lines'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-test-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const name = form === 'SQLite' ? 'database.sqlite' : 'lines.jsonl';
  await writeFile(join(folder, name), await content(`${name}.gz`));
  return join(folder, name);
}

async function filledDatabase(opened: AsyncDisposableStack): Promise<string> {
  const { url } = opened.use(await createTestDatabase());
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query((await content('postgres.sql.gz')).toString());
  } finally {
    await client.end();
  }
  return url;
}

async function content(name: string): Promise<Buffer> {
  return gunzipSync(await readFile(join(FOLDER, name)));
}

/** Texts that nobody must see. */
export function secretsIn({ accounts, projects, channels, secret_key: secret }: Facts): string[] {
  const passwords = accounts.flatMap(({ password, totp }) => [password, totp]);
  const keys = projects.flatMap(({ keys: { read_write: write, read_only: read }, ping_key: ping }) => [
    ...[write?.key, read?.key, ping],
  ]);
  const tokens = channels.flatMap(({ here }) =>
    [...JSON.stringify(here.settings).matchAll(/[\w-]{16,}/g)].map(String),
  );
  return [secret, ...passwords, ...keys, ...tokens].filter((one) => typeof one === 'string');
}
