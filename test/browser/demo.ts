import type { Check } from '../../src/domain/check/check.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { type Instant, seconds } from '../../src/lib/instant.ts';
import { flipOverdue, nextDeadlineAt } from '../../src/services/check/deadlines.ts';
import { FakeSender, failure, newNotifier, OK } from '../alerts.ts';
import type { TestApp } from '../app.ts';
import { givenAccount } from '../dashboard/browser.ts';
import { join, type Person, signedIn } from '../dashboard/team.ts';
import { projectRecord } from '../records.ts';

const MINUTE = seconds(60);
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A run of a job in the demonstration. */
interface Run {
  /** Before now. */
  readonly ago: number;
  readonly takesSeconds: number;
  readonly exit?: number;
  readonly body?: string;
  /** It began, and has not ended. */
  readonly isOpen?: boolean;
}

export interface Job {
  readonly check: Partial<Check> & { readonly name: string };
  readonly runs: readonly Run[];
  readonly channels: readonly ChannelName[];
}

type ChannelName = 'mail' | 'chat' | 'hook';

/** Deterministic and uneven: durations of real jobs differ a little. */
const uneven = (n: number, of: number) => of * (0.9 + 0.2 * ((Math.sin(n * 12.9898) * 43_758.5453) % 1) ** 2);

/** Runs at equal distances, the last one `ago` before now. */
export function every(distance: number, count: number, ago: number, takesSeconds: number): Run[] {
  return Array.from({ length: count }, (_, n) => ({
    ago: ago + (count - 1 - n) * distance,
    takesSeconds: uneven(n, takesSeconds),
  }));
}

export const cron = (schedule: string, tz = 'Europe/Berlin'): Partial<Check> => ({
  kind: 'cron',
  schedule,
  tz,
});
export const simple = (timeoutSeconds: number, graceSeconds: number): Partial<Check> => ({
  kind: 'simple',
  timeoutSeconds,
  graceSeconds,
});

/** Jobs as a team has them: two in trouble, one late, one running, the others fine or silent on purpose. */
function jobs(): Job[] {
  const told: readonly ChannelName[] = ['mail', 'chat', 'hook'];
  return [
    {
      check: { name: 'db-backup', tags: 'prod postgres', ...simple(86_400, 1_800) },
      runs: every(DAY, 30, 26 * HOUR, 391),
      channels: told,
    },
    {
      check: { name: 'nightly-etl', tags: 'prod data', ...simple(86_400, 3_600) },
      runs: [
        ...every(DAY, 29, 26 * HOUR, 1_860),
        {
          ago: 3 * HOUR,
          takesSeconds: 2_772,
          exit: 2,
          body: 'loading orders\nloading customers\nconnection to db-1:5432 refused',
        },
      ],
      channels: ['mail', 'chat'],
    },
    {
      check: { name: 'cert-renewal', tags: 'prod', ...simple(43_200, 3_600) },
      runs: every(12 * HOUR, 30, 12 * HOUR + 14 * MINUTE, 4),
      channels: told,
    },
    {
      check: { name: 'search-reindex', tags: 'search', ...simple(21_600, 3_600) },
      runs: [...every(6 * HOUR, 29, 6 * HOUR, 720), { ago: 43 * MINUTE, takesSeconds: 0, isOpen: true }],
      channels: ['mail', 'hook'],
    },
    {
      check: { name: 'mail-queue-flush', tags: 'prod mail', ...simple(60, 300) },
      runs: every(MINUTE, 30, seconds(14), 0.4),
      channels: ['mail', 'chat'],
    },
    {
      check: { name: 'metrics-rollup', tags: 'prod', ...simple(300, 300) },
      runs: every(5 * MINUTE, 40, 4 * MINUTE, 2),
      channels: ['mail', 'chat'],
    },
    {
      check: { name: 'wal-archive', tags: 'postgres backup', ...simple(900, 600) },
      runs: every(15 * MINUTE, 40, 13 * MINUTE, 10),
      channels: told,
    },
    {
      check: { name: 'license-report', tags: 'data', ...simple(86_400, 3_600), schedule: '' },
      runs: every(DAY, 20, 8 * HOUR, 62),
      channels: ['mail'],
    },
    {
      check: { name: 'invoice-mailer', tags: 'prod mail', ...cron('0 4 1 * *') },
      runs: every(30 * DAY, 1, 12 * DAY, 900),
      channels: ['mail'],
    },
    {
      check: { name: 'log-rotation', tags: 'prod', ...simple(3_600, 900) },
      runs: every(HOUR, 36, 20 * MINUTE, 12),
      channels: ['chat'],
    },
    {
      check: { name: 'image-thumbnails', tags: 'web', ...simple(1_800, 900) },
      runs: every(30 * MINUTE, 36, 11 * MINUTE, 140),
      channels: ['chat'],
    },
    {
      check: { name: 'tape-rotation', tags: 'backup', ...simple(604_800, 86_400), status: 'paused' },
      runs: [],
      channels: ['mail'],
    },
    { check: { name: 'gdpr-export', tags: 'data', ...cron('0 6 * * 1') }, runs: [], channels: ['mail'] },
  ];
}

export interface Step {
  readonly at: Instant;
  readonly path: string;
  readonly body?: string;
}

export interface Demo {
  /** Alice, who owns the project and administers the service. */
  readonly owner: Person;
  readonly project: Project;
  readonly checks: ReadonlyMap<string, Check>;
}

/**
 * A project with a month of history that ends now, for pictures and for tests that need a life-like one. `addOthers` adds
 * projects that live at the same time, and returns what their jobs will do.
 */
export async function makeDemo(
  app: TestApp,
  addOthers: (now: Instant) => Promise<readonly Step[]> = async () => [],
): Promise<Demo> {
  const now = app.clock.now();
  app.clock.set(now - 45 * DAY);
  const account = await givenAccount(app, { email: 'alice@example.org', name: 'Alice', isAdmin: true });
  const { project, checks, steps } = await addProject(app, account.id, 'Platform', jobs(), now);
  const bob = await givenAccount(app, { email: 'bob@example.org', name: 'Bob' });
  await join(app, project, bob, 'member');
  await live(app, [...steps, ...(await addOthers(now))], now);
  return { owner: await signedIn(app, account), project, checks };
}

/** A project with these jobs and three integrations, and what its jobs will do. */
export async function addProject(
  app: TestApp,
  ownerId: number,
  name: string,
  all: readonly Job[],
  now: Instant,
) {
  const record = projectRecord(ownerId, { name });
  const project = await app.deps.store.transaction((tx) => tx.projects.insert(record));
  const channels = {
    mail: await app.givenChannel(project, { kind: 'email', settings: { email: 'ops@example.org' } }),
    chat: await app.givenChannel(project, {
      kind: 'slack',
      name: '#ops',
      settings: { url: 'https://hooks.slack.com/services/T/B/x' },
    }),
    hook: await app.givenChannel(project, {
      kind: 'webhook',
      name: 'On-call',
      settings: {
        down: { method: 'POST', url: 'https://oncall.example.org/alert', headers: {}, body: '' },
        up: null,
      },
    }),
  };
  const checks = new Map<string, Check>();
  const steps: Step[] = [];
  for (const { check: config, runs, channels: names } of all) {
    const check = await app.givenCheck(project, { status: 'new', slug: config.name, ...config });
    await app.assign(check, ...names.map((one) => channels[one]));
    checks.set(config.name, check);
    steps.push(...runs.flatMap((run, n) => stepsOf(check, run, n, now)));
  }
  return { project, checks, steps };
}

function stepsOf({ uuid }: Check, run: Run, n: number, now: Instant): Step[] {
  const rid = `${uuid.slice(0, 24)}${String(n).padStart(12, '0')}`;
  const endAt = now - run.ago;
  const start = { at: endAt - Math.round(seconds(run.takesSeconds)), path: `/${uuid}/start?rid=${rid}` };
  if (run.isOpen === true) return [start];
  const end = { at: endAt, path: `/${uuid}/${run.exit ?? 0}?rid=${rid}` };
  return [start, { ...end, ...(run.body !== undefined && { body: run.body }) }];
}

/** The interval at which deadlines are looked at, and alerts sent. */
const TICK = 10 * MINUTE;

/** Lives through the steps in their order. The webhook, which alone says what it does when a check is up, answers with an error. */
async function live(app: TestApp, steps: readonly Step[], until: Instant): Promise<void> {
  const sender = new FakeSender();
  sender.answer = (_event, settings) => ('up' in Object(settings) ? failure('Received status code 503') : OK);
  const notifier = newNotifier(app, sender);
  const look = async (at: Instant) => {
    app.clock.set(at);
    await app.deps.store.transaction((tx) => tx.liveness.beat('demonstration', at, 0));
    const hasFlipped = await flipOverdue({ ...app.deps, onPoison: () => undefined });
    while ((await notifier.tick()) === true) await notifier.settled();
    if (hasFlipped) await look(at);
  };
  let looked = app.clock.now();
  for (const { at, path, body } of steps.toSorted((one, other) => one.at - other.at)) {
    for (; looked + TICK < at; looked += TICK) await look(looked + TICK);
    // The loop of the node, which rests in tests, would have beaten until now. Without that nobody would have watched.
    await app.deps.store.transaction((tx) => tx.liveness.beat('demonstration', at, 0));
    const deadline = await nextDeadlineAt(app.deps);
    if (deadline !== null && deadline <= at) await look(at);
    app.clock.set(at);
    await app.ping(path, body === undefined ? {} : { body });
  }
  for (; looked + TICK < until; looked += TICK) await look(looked + TICK);
  await look(until);
}

/** The addresses of all pages of people who are signed in. */
export function pathsOf({ project, checks }: Demo): string[] {
  const below = (root: string, parts: readonly string[]) => parts.map((part) => `${root}${part}`);
  const own = ['', 'sessions/', 'tokens/', 'look/', 'reports/', 'log/', 'close/'];
  const inside = ['checks/', 'checks/new/', 'timeline/', 'integrations/', 'integrations/new/webhook/'];
  const pages = [
    'status-pages/',
    'badges/',
    'settings/',
    'settings/keys/',
    'settings/team/',
    'settings/danger/',
  ];
  const ofCheck = (name: string) =>
    below(`/checks/${checks.get(name)?.uuid}/`, ['details/', 'log/', 'edit/']);
  return [
    ...below(`/projects/${project.uuid}/`, [...inside, ...pages, 'settings/audit-log/']),
    ...ofCheck('nightly-etl'),
    ...ofCheck('log-rotation'),
    ...below('/accounts/profile/', own),
    ...below('/admin/', ['', 'settings/', 'accounts/', 'projects/']),
    '/all-checks/',
    '/',
  ];
}
