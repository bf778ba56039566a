import { NO_RUN_FACTS, type Signal } from '../../src/domain/ping/ping.ts';
import { type Instant, seconds } from '../../src/lib/instant.ts';
import type {
  ImportedAccount,
  ImportedChannel,
  ImportedCheck,
  ImportedPing,
} from '../../src/services/importing/import.ts';
import type { ImportOptions } from '../../src/services/importing/installation.ts';
import type {
  DeclaredChannel,
  DeclaredCheck,
  DeclaredProject,
} from '../../src/services/provisioning/declaration.ts';
import type { TestApp } from '../app.ts';
import { START } from '../app.ts';
import type { WholeImport } from './whole-import.ts';

export const APPLY: ImportOptions = {
  isDryRun: false,
  history: 'limit',
  isSilent: false,
  isAgain: false,
  isPart: false,
  foreignSecret: null,
  proof: null,
};

/** A small installation: one person, one project, two integrations, three checks, and some pings. Each call has UUIDs of its own. */
export function smallImport(app: TestApp) {
  const uuid = () => app.deps.random.uuid();
  const email = `${uuid()}@example.org`;
  const [mail, hook] = [uuid(), uuid()];
  const [nightly, hourly, idle] = [uuid(), uuid(), uuid()];
  const project: DeclaredProject = {
    line: 0,
    uuid: uuid(),
    name: 'Alpha',
    owner: email,
    members: [],
    keys: { ping: uuid().replaceAll('-', '').slice(0, 22) },
    apiKeys: [],
    channels: [
      channel(mail, 'email', { email }),
      channel(hook, 'webhook', { down: { url: 'https://example.org/' } }),
    ],
    checks: [
      check(nightly, 'nightly', [mail, hook]),
      check(hourly, 'hourly', [hook]),
      {
        ...check(idle, 'idle', []),
        edit: { slug: 'idle', name: 'Idle', schedule: { kind: 'cron', expression: '0 3 * * *' } },
      },
    ],
  };
  const source: WholeImport = {
    origin: { program: 'healthchecks', version: '4.3', identity: uuid(), newestPingAt: START - seconds(60) },
    declaration: {
      source: 'healthchecks',
      accounts: [{ line: 0, email, name: 'Alice', limits: { checks: 20, pings: 3 } }],
      projects: [project],
    },
    accounts: new Map([[email, account(uuid())]]),
    projects: new Map([[project.uuid ?? '', { badgeKey: uuid(), digestedKeys: [] }]]),
    channels: new Map<string, ImportedChannel>([
      [
        mail,
        { lastAttempt: { startedAt: START - seconds(90), duration: 0, error: 'greylisted' }, off: null },
      ],
      [hook, { lastAttempt: null, off: null }],
    ]),
    checks: new Map([
      [nightly, imported(uuid(), 'up', 5)],
      [hourly, imported(uuid(), 'down', 2)],
      [idle, imported(uuid(), 'new', 0)],
    ]),
    pings: (after) => pingsOf([...numbered(nightly, 5), ...numbered(hourly, 2)], after),
    remarks: { changed: [], notCarried: [] },
    needs: [],
    settings: new Map(),
    refusals: [],
  };
  return {
    source,
    email,
    project,
    uuids: { project: project.uuid ?? '', mail, hook, nightly, hourly, idle },
  };
}

/** The import with another first project. */
export function withProject(
  source: WholeImport,
  change: (project: DeclaredProject) => Partial<DeclaredProject>,
): WholeImport {
  const projects = source.declaration.projects.map((project, index) =>
    index === 0 ? { ...project, ...change(project) } : project,
  );
  return { ...source, declaration: { ...source.declaration, projects } };
}

/** The import with another edit of one check. */
export function withEdit(source: WholeImport, uuid: string, edit: DeclaredCheck['edit']): WholeImport {
  return withProject(source, ({ checks }) => ({
    checks: checks.map((one) => (one.uuid === uuid ? { ...one, edit: { ...one.edit, ...edit } } : one)),
  }));
}

export async function* pingsOf(pings: readonly ImportedPing[], after: number): AsyncGenerator<ImportedPing> {
  for (const [index, ping] of pings.entries()) if (index + 1 > after) yield { ...ping, place: index + 1 };
}

export function numbered(checkUuid: string, count: number): ImportedPing[] {
  return Array.from({ length: count }, (_, index) => ping(checkUuid, index + 1));
}

export function ping(checkUuid: string, n: number, signal: Signal = 'success'): ImportedPing {
  return {
    ...{
      place: 0,
      checkUuid,
      n,
      createdAt: START - seconds(3_600 - n),
      occurredAt: null,
      ...NO_RUN_FACTS,
      signal,
      scheme: 'https',
      method: 'GET',
    },
    ...{ remoteAddr: '192.0.2.1', userAgent: 'curl', rid: null, exitStatus: null, longBodySize: null },
    body: Buffer.from(`ping ${n}`),
  };
}

function channel(uuid: string, kind: string, settings: DeclaredChannel['settings']): DeclaredChannel {
  return { line: 0, uuid, kind, name: '', settings, verified: true };
}

function check(uuid: string, slug: string, channels: readonly string[]): DeclaredCheck {
  const edit = { slug, name: slug, tags: 'a b', timeoutSeconds: 3_600, graceSeconds: 600 };
  return { line: 0, uuid, slug, edit, channels: channels.join(',') };
}

export function imported(
  badgeKey: string,
  status: 'up' | 'down' | 'new',
  pingCount: number,
  lastPingAt: Instant | null = pingCount === 0 ? null : START - seconds(3_600 - pingCount),
): Omit<ImportedCheck, 'declared'> {
  return {
    createdAt: START - seconds(86_400),
    badgeKey,
    state: {
      ...{ status, pingCount, lastPingAt, lastStartAt: null, lastStartRid: null, lastDuration: null },
      hasConfirmationLink: false,
    },
    flips:
      status === 'new'
        ? []
        : [
            { createdAt: START - seconds(80_000), oldStatus: 'new', newStatus: 'up', reason: '' },
            ...(status === 'down'
              ? [
                  {
                    createdAt: START - seconds(3_000),
                    oldStatus: 'up',
                    newStatus: 'down',
                    reason: 'timeout',
                  } as const,
                ]
              : []),
          ],
    aliases: [],
  };
}

function account(credentialId: string): ImportedAccount {
  return {
    createdAt: START - seconds(9_000_000),
    isActive: true,
    passwordHash: 'pbkdf2_sha256$1000$saltsaltsaltsaltsalt12$7kQnvik2EF+ZgxuPgZDCIKdNYs3JKaGATJCvSjVHMpY=',
    addressForm: 'slug',
    totpSecret: 'JBSWY3DPEHPK3PXP',
    securityKeys: [{ name: 'Blue', credentialId, publicKey: 'BAUG', createdAt: START }],
  };
}
