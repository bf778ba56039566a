import { Chance } from '../lib/chance.ts';
import { type Instant, type Micros, seconds } from '../lib/instant.ts';
import type { Job, Phase, When } from './jobs.ts';

const HOUR: Micros = seconds(3_600);
const DAY: Micros = 24 * HOUR;

/**
 * The end of the month, at which the demonstration begins: Monday, 9 November 2026, 09:42 UTC. In the five weeks before it
 * the clocks of Europe and of North America were changed.
 */
export const MONTH_END: Instant = Date.parse('2026-11-09T09:42:00Z') * 1000;
export const MONTH_START: Instant = MONTH_END - 35 * DAY;

/** The account of all visitors. */
export const VISITOR_EMAIL = 'visitor@example.org';
/** It reads the project of the data team, and stands on the page. */
export const READ_ONLY_KEY = 'hcr_LookAroundTheDemonstration01';

const ROBIN = 'robin@example.org';
const MINA = 'mina@example.com';
const TOM = 'tom@example.com';
const LEE = 'lee@example.net';

/** A job and its check. */
export interface DemoCheck extends Job {
  readonly name: string;
  readonly tags: string;
  readonly grace: number;
  readonly description: string;
  /** The names of integrations; `*` for all of the project. */
  readonly integrations: string;
}

export interface DemoProject {
  readonly name: string;
  readonly owner: string;
  readonly members: readonly { readonly email: string; readonly role: string }[];
  readonly key: string | null;
  readonly integrations: readonly (Readonly<Record<string, unknown>> & { readonly name: string })[];
  readonly checks: readonly DemoCheck[];
}

const MINUTES = 60;
const HOURS = 3_600;

const every = (everySeconds: number): When => ({ everySeconds });
const at = (expression: string, tz = 'UTC'): When => ({ expression, tz });
const before = (days: number, hours = 0): Instant => MONTH_END - days * DAY - hours * HOUR;

const phase = (from: Instant, until: Instant, does: Phase['does']): Phase => ({ from, until, does });
const silent = (from: Instant, until: Instant) => phase(from, until, { kind: 'silent' });
const FOREVER = MONTH_END + 3_650 * DAY;
const NEVER = silent(0, FOREVER);

type Details = Partial<
  Pick<DemoCheck, 'name' | 'tags' | 'description' | 'integrations' | 'output' | 'trouble'>
> & {
  readonly phases?: readonly Phase[];
};

/** A group of checks that share a fate: an outage keeps all of them silent. */
const group =
  (integrations: string, outages: readonly Phase[]) =>
  (slug: string, when: When, grace: number, takesSeconds: number, details: Details = {}): DemoCheck => ({
    ...{ slug, when, grace, takesSeconds, integrations },
    ...{ name: slug, tags: '', description: '', output: null, trouble: 0.004 },
    ...details,
    phases: [...outages, ...(details.phases ?? [])],
  });

const BERLIN = 'Europe/Berlin';
const LONDON = 'Europe/London';
const NEW_YORK = 'America/New_York';

/** A storm took the power of the house on a Saturday evening. */
const home = group('Phone', [silent(before(9, 15), before(9, 10))]);
/** The data centre of the shop's host lost its network. */
const shop = group('Office,#operations', [silent(before(18, 1), before(17, 22.5))]);
const data = group('Duty,#data', []);

const RESTIC = [
  'Files:         124 new,    31 changed, 98012 unmodified',
  'Added to the repository: 1.204 GiB (611.032 MiB stored)',
  'snapshot 4be1a0c2 saved',
].join('\n');

const HOMELAB: DemoProject = {
  name: 'Homelab',
  owner: ROBIN,
  members: [],
  key: null,
  integrations: [
    { kind: 'ntfy', name: 'Phone', topic: 'robins-homelab', priority_down: 5, priority_up: 3 },
    { kind: 'email', name: 'Robin', email: ROBIN, verified: true },
    { kind: 'discord', name: '#homelab', url: 'https://discord.com/api/webhooks/112233445566778899/homelab' },
  ],
  checks: [
    home('dyndns', every(30 * MINUTES), 10 * MINUTES, 0, { tags: 'network' }),
    home('nas-snapshots', every(HOURS), 20 * MINUTES, 0, { tags: 'nas' }),
    home('restic-photos', at('30 2 * * *', BERLIN), 2 * HOURS, 25 * MINUTES, {
      tags: 'backup nas',
      integrations: '*',
      output: RESTIC,
      description:
        'All photos, to the disk in the cellar. **Restore:** `restic restore latest --target /restore`',
      phases: [
        phase(before(3, 12), before(2, 12), {
          kind: 'fails',
          share: 1,
          exit: 11,
          output: 'unable to create lock in backend: repository is already locked by PID 4211 on nas',
        }),
      ],
    }),
    home('restic-documents', at('15 3 * * *', BERLIN), HOURS, 4 * MINUTES, {
      tags: 'backup',
      output: RESTIC,
    }),
    home('offsite-sync', at('0 1 * * *', BERLIN), 3 * HOURS, 20 * MINUTES, {
      tags: 'backup',
      integrations: '*',
      description: 'Copies the backups to a friend. It takes longer since the photos of summer came.',
      phases: [phase(before(24), before(-4), { kind: 'slower', timesAtEnd: 4.5 })],
    }),
    home('zfs-scrub', at('Sun *-*-1..7 04:00', BERLIN), 12 * HOURS, 3 * HOURS, { tags: 'nas' }),
    home('home-assistant-backup', at('0 4 * * *', BERLIN), HOURS, 90, { tags: 'backup home' }),
    home('immich-thumbnails', every(HOURS), 30 * MINUTES, 3 * MINUTES, {
      tags: 'photos',
      phases: [
        phase(before(6, 14), before(6), {
          kind: 'fails',
          share: 0.5,
          exit: 137,
          output: 'Processing upload/2026/IMG_4711.HEIC\nKilled',
        }),
      ],
    }),
    home('cert-renewal', at('10 */12 * * *', BERLIN), 6 * HOURS, 5, { tags: 'network', integrations: '*' }),
    home('pihole-lists', at('0 5 * * 0', BERLIN), 3 * HOURS, 40, { tags: 'network' }),
    home('paperless-export', at('45 22 * * *', BERLIN), HOURS, 70, { tags: 'backup' }),
    home('ups-self-test', at('0 9 * * 1', BERLIN), 2 * HOURS, 12, { tags: 'power' }),
    home('thermostat-batteries', every(6 * HOURS), 2 * HOURS, 0, { tags: 'home' }),
    home('jellyfin-scan', every(4 * HOURS), HOURS, 6 * MINUTES, { tags: 'media' }),
    home('minecraft-backup', every(2 * HOURS), HOURS, 45, {
      tags: 'games',
      phases: [silent(before(8), FOREVER)],
    }),
  ],
};

const SHOP: DemoProject = {
  name: 'Harbour Coffee',
  owner: MINA,
  members: [{ email: TOM, role: 'member' }],
  key: null,
  integrations: [
    { kind: 'email', name: 'Office', email: 'office@example.com', verified: true },
    {
      kind: 'slack',
      name: '#operations',
      url: 'https://hooks.slack.com/services/T0HARBOUR/B0OPS/operations',
    },
    {
      kind: 'webhook',
      name: 'Bell in the roastery',
      down: {
        method: 'POST',
        url: 'https://bell.example.com/ring',
        headers: {},
        body: '{"job": $NAME_JSON}',
      },
      up: null,
    },
    {
      kind: 'msteamsw',
      name: 'Accountants',
      url: 'https://prod-1.westeurope.logic.azure.com/workflows/0123/triggers/manual/paths/invoke?sig=accounts',
    },
  ],
  checks: [
    shop('shop-db-backup', at('15 3 * * *', LONDON), HOURS, 7 * MINUTES, {
      name: 'Shop database backup',
      tags: 'backup prod',
      integrations: '*',
      output: 'pg_dump: 41 tables, 6.2 GB\nuploaded to s3://harbour-backups',
      description: 'Runs on **db-1**. If it is missing, look at `systemctl status shop-backup.timer` first.',
      phases: [silent(before(0, 8), before(0, 2))],
    }),
    shop('till-sync', every(30 * MINUTES), 15 * MINUTES, 0, { name: 'Till sync', tags: 'shops' }),
    shop('orders-to-erp', every(HOURS), 20 * MINUTES, 50, {
      name: 'Orders to ERP',
      tags: 'prod',
      integrations: '*',
    }),
    shop('card-payouts', at('0 7 * * 1-5', LONDON), 2 * HOURS, 80, { name: 'Card payouts', tags: 'finance' }),
    shop('stock-count', at('0 22 * * *', LONDON), HOURS, 5 * MINUTES, { name: 'Stock count', tags: 'shops' }),
    shop('newsletter', at('0 10 * * 4', LONDON), 3 * HOURS, 15 * MINUTES, {
      name: 'Newsletter',
      tags: 'mail',
    }),
    shop('sitemap', at('20 5 * * *', LONDON), 2 * HOURS, 30, { name: 'Sitemap', tags: 'web' }),
    shop('invoices', at('0 4 1 * *', LONDON), 6 * HOURS, 22 * MINUTES, {
      name: 'Invoices',
      tags: 'finance mail',
      integrations: 'Office,Accountants',
    }),
    shop('payroll', at('0 6 25 * *', LONDON), 6 * HOURS, 4 * MINUTES, {
      name: 'Payroll',
      tags: 'finance',
      integrations: 'Office,Accountants',
    }),
    shop('vat-report', at('0 8 5 1,4,7,10 *', LONDON), 24 * HOURS, 60, {
      name: 'VAT report',
      tags: 'finance',
      integrations: 'Office',
      phases: [NEVER],
    }),
    shop('wholesale-prices', at('5 * * * *', LONDON), 50 * MINUTES, 25, {
      name: 'Wholesale prices',
      tags: 'prod',
      phases: [phase(before(0, 1), before(0), { kind: 'late', seconds: 42 * MINUTES })],
    }),
    shop('cold-room', every(HOURS), 15 * MINUTES, 0, { name: 'Cold room', tags: 'shops', integrations: '*' }),
    shop('roast-log', at('0 18 * * 1-6', NEW_YORK), 2 * HOURS, 3 * MINUTES, {
      name: 'Roast log, Brooklyn',
      tags: 'shops',
    }),
    shop('loyalty-points', at('30 1 * * *', LONDON), HOURS, 9 * MINUTES, {
      name: 'Loyalty points',
      tags: 'prod',
    }),
  ],
};

const DBT = 'Completed successfully\n\nDone. PASS=212 WARN=1 ERROR=0 SKIP=0 TOTAL=213';

const DATA: DemoProject = {
  name: 'Data team',
  owner: LEE,
  members: [{ email: 'priya@example.net', role: 'manager' }],
  key: READ_ONLY_KEY,
  integrations: [
    { kind: 'pd', name: 'Duty', service_key: 'e93facc04764012d7bfb002500d5d1a6', severity: 'critical' },
    {
      kind: 'googlechat',
      name: '#data',
      url: 'https://chat.googleapis.com/v1/spaces/AAAAdata/messages?key=a-key&token=data',
    },
    { kind: 'email', name: 'Analysts', email: 'analysts@example.net', verified: true },
    {
      kind: 'webhook',
      name: 'Ticket system',
      down: { method: 'POST', url: 'https://tickets.example.net/new', headers: {}, body: '$NAME: $STATUS' },
      up: { method: 'POST', url: 'https://tickets.example.net/close', headers: {}, body: '$NAME: $STATUS' },
    },
  ],
  checks: [
    data('nightly-etl', at('0 7 * * *'), 2 * HOURS, 95 * MINUTES, {
      tags: 'prod warehouse',
      integrations: '*',
      output: 'orders 1 204 551\ncustomers 88 120\nload finished',
      description: 'Loads the warehouse. The run before the failed one is the one to compare with.',
      phases: [
        phase(before(0, 4), before(0), {
          kind: 'fails',
          share: 1,
          exit: 2,
          output:
            'loading orders\nloading customers\npsql: error: connection to server at "db-1", port 5432 failed: Connection refused',
        }),
      ],
    }),
    data('retrain-ranking', at('0 9 * * *'), 3 * HOURS, 70 * MINUTES, { tags: 'ml' }),
    data('feature-store', every(HOURS), 20 * MINUTES, 6 * MINUTES, { tags: 'ml prod' }),
    data('dbt-models', at('30 */3 * * *'), HOURS, 11 * MINUTES, {
      tags: 'warehouse',
      integrations: '*',
      output: DBT,
      phases: [
        phase(before(12, 7), before(12), {
          kind: 'fails',
          share: 1,
          exit: 1,
          output: 'Database Error in model fct_orders\n  column "discount_code" does not exist',
        }),
      ],
    }),
    data('data-quality', every(6 * HOURS), 2 * HOURS, 14 * MINUTES, { tags: 'warehouse' }),
    data('kafka-lag', every(30 * MINUTES), 15 * MINUTES, 0, { tags: 'streams prod' }),
    data('clickstream-compaction', every(HOURS), 30 * MINUTES, 9 * MINUTES, { tags: 'streams' }),
    data('tokyo-close', at('30 15 * * 1-5', 'Asia/Tokyo'), HOURS, 4 * MINUTES, { tags: 'markets' }),
    data('sydney-warehouse', at('0 20 * * *', 'Australia/Sydney'), 2 * HOURS, 18 * MINUTES, {
      tags: 'exports',
    }),
    data('kolkata-call-logs', at('0 */6 * * *', 'Asia/Kolkata'), HOURS, 7 * MINUTES, { tags: 'exports' }),
    data('ledger-new-york', at('30 1 * * *', NEW_YORK), HOURS, 12 * MINUTES, {
      tags: 'finance',
      description: 'On 1 November this time of day came twice.',
    }),
    data('chicago-extracts', at('Mon..Fri 08:00', 'America/Chicago'), 2 * HOURS, 8 * MINUTES, {
      tags: 'exports',
    }),
    data('gdpr-deletions', at('0 3 * * *'), 4 * HOURS, 16 * MINUTES, {
      tags: 'legal',
      integrations: 'Analysts,Ticket system',
    }),
    data('feature-drift', at('0 6 * * 2'), 6 * HOURS, 35 * MINUTES, { tags: 'ml' }),
    data('cold-archive', at('0 2 * * 6'), 12 * HOURS, 2 * HOURS, { tags: 'warehouse' }),
    data('storage-report', at('*-*-* 05:30', 'UTC'), 3 * HOURS, 20, {
      tags: 'exports',
      integrations: 'Analysts',
    }),
  ],
};

export const PROJECTS: readonly DemoProject[] = [HOMELAB, SHOP, DATA];

/** Kept pings of a check: enough for a month of runs of most jobs. */
const LIMITS = { checks: 100, pings: 500 };

const ACCOUNTS = [
  { email: ROBIN, limits: LIMITS, tz: BERLIN, reports: 'weekly', reminders: 'daily' },
  { email: MINA, limits: LIMITS, tz: LONDON, reports: 'monthly', reminders: 'daily' },
  { email: TOM, limits: LIMITS, tz: LONDON },
  { email: LEE, limits: LIMITS, tz: 'UTC', reports: 'weekly' },
  { email: 'priya@example.net', limits: LIMITS, tz: NEW_YORK },
  { email: VISITOR_EMAIL, limits: { checks: 0, pings: 0 }, tz: 'UTC', reports: 'off' },
];

/** The UUID of a check. No two projects have a check of the same slug. */
export function uuidOf(seed: string, { slug }: Pick<Job, 'slug'>): string {
  return new Chance(`${seed}/${slug}/uuid`).uuid();
}

/** The world as an operator would declare it in a provisioning file. */
export function declaredWorld(seed: string): object {
  return {
    accounts: ACCOUNTS,
    projects: PROJECTS.map(({ name, owner, members, key, integrations, checks }) => ({
      name,
      owner,
      members: [...members, { email: VISITOR_EMAIL, role: 'read_only' }],
      ...(key !== null && { keys: { read_only: key } }),
      integrations,
      checks: checks.map((check) => ({
        uuid: uuidOf(seed, check),
        slug: check.slug,
        name: check.name,
        tags: check.tags,
        desc: check.description,
        grace: check.grace,
        integrations: check.integrations,
        ...('expression' in check.when
          ? { schedule: check.when.expression, tz: check.when.tz }
          : { timeout: check.when.everySeconds }),
      })),
    })),
  };
}

/** What people do in the month. */
export const ACTS: readonly {
  readonly at: Instant;
  readonly slug: string;
  readonly verb: 'pause' | 'resume';
}[] = [
  { at: before(20, 3), slug: 'newsletter', verb: 'pause' },
  { at: before(19, 5), slug: 'newsletter', verb: 'resume' },
  { at: before(8), slug: 'minecraft-backup', verb: 'pause' },
];
