import { type Check, uniqueKeyOf } from '../../domain/check/check.ts';
import { flipsStoredFrom } from '../../domain/check/flip.ts';
import { deadlineOf, type Timed } from '../../domain/check/status.ts';
import { splitTags } from '../../domain/check/tags.ts';
import type { Instant } from '../../lib/instant.ts';
import type { Vault } from '../../lib/vault.ts';
import type { Scalar } from '../value.ts';

/** The facts beside the rows that a truth may depend on. */
export interface Surroundings {
  /** The time of the database: of the copy, or now. */
  readonly now: Instant;
  /** Null if the server's secret is not known: then sealed values are not opened. */
  readonly vault: Pick<Vault, 'unseal'> | null;
}

export type Row = Readonly<Record<string, Scalar>>;

/**
 * Something that is true of every sound database. The statement finds rows that break it, or that may: then `isFault` decides. It
 * looks at the rows of `over` whose key is above $1 and at most $2, so that the rest of a large database is left alone
 * meanwhile. Ranges leave no number out, so that rows without a row of `over` are found as well.
 */
export interface Truth {
  readonly name: string;
  /** What is wrong with a row that is found. */
  readonly fault: string;
  /** The table of the rows that are found. The column `key` names a row of it. */
  readonly table: string;
  readonly over: { readonly table: string; readonly key: string };
  readonly select: string;
  /** Values of $3 and the following. */
  readonly values?: (around: Surroundings) => readonly Scalar[];
  readonly isFault?: (row: Row, around: Surroundings) => boolean;
}

const CHECKS = { table: 'checks', key: 'id' };
const ACCOUNTS = { table: 'accounts', key: 'id' };
const PROJECTS = { table: 'projects', key: 'id' };
const CHANNELS = { table: 'channels', key: 'id' };
const DELIVERIES = { table: 'deliveries', key: 'id' };
const MAILS = { table: 'mails', key: 'id' };
const CHANNEL_MESSAGES = { table: 'channel_messages', key: 'id' };

const within = (column: string) => `${column} > $1 and ${column} <= $2`;

/** A check that is not on its way out: what belongs to it is being deleted piece by piece. */
const stays = (projectId: string) =>
  `exists (select 1 from projects where projects.id = ${projectId} and projects.deletes_at is null)`;

const pingsOf = (what: string) => `(select ${what} from pings where pings.check_id = checks.id)`;

const key = (...columns: readonly string[]) =>
  `${columns.map((column) => `cast(${column} as text)`).join(` || '/' || `)} as key`;

const TRUTHS_OF_CHECKS: readonly Truth[] = [
  {
    name: 'ping_count',
    fault: 'ping_count is not the number of its last ping',
    table: 'checks',
    over: CHECKS,
    select: `select ${key('id')} from checks where ${within('id')} and ping_count <> ${pingsOf('max(n)')}`,
  },
  {
    name: 'ping_gap',
    fault: 'pings are missing between the first and the last that are kept',
    table: 'checks',
    over: CHECKS,
    select: `select ${key('id')} from checks
              where ${within('id')} and ${pingsOf('max(n) - min(n) + 1')} <> ${pingsOf('count(*)')}`,
  },
  {
    name: 'ping_owner',
    fault: 'there is no such check',
    table: 'pings',
    over: CHECKS,
    select: `select ${key('check_id', 'n')} from pings
              where ${within('check_id')} and not exists (select 1 from checks where checks.id = pings.check_id)`,
  },
  {
    name: 'ping_signal',
    fault: 'signal is none that a ping can have',
    table: 'pings',
    over: CHECKS,
    select: `select ${key('check_id', 'n')} from pings
              where ${within('check_id')} and signal not in ('success', 'start', 'progress', 'fail', 'log', 'ign')`,
  },
  {
    name: 'ping_time',
    fault: 'it reports what happened after it came',
    table: 'pings',
    over: CHECKS,
    select: `select ${key('check_id', 'n')} from pings
              where ${within('check_id')} and occurred_at > created_at`,
  },
  {
    name: 'ping_body',
    fault: 'it belongs to no ping, or its length is not the one that its ping tells',
    table: 'ping_bodies',
    over: CHECKS,
    select: `select ${key('ping_bodies.check_id', 'ping_bodies.n')}
               from ping_bodies left join pings on pings.check_id = ping_bodies.check_id and pings.n = ping_bodies.n
              where ${within('ping_bodies.check_id')}
                and (pings.long_body_size is null or pings.long_body_size <> length(ping_bodies.body))`,
  },
  {
    name: 'kept_run',
    fault: 'there is no such check, its ping is still there, or it is neither a failure nor a warning',
    table: 'kept_runs',
    over: CHECKS,
    select: `select ${key('check_id', 'n')} from kept_runs
              where ${within('check_id')}
                and (result not in ('failed', 'warned')
                     or not exists (select 1 from checks where checks.id = kept_runs.check_id)
                     or exists (select 1 from pings where pings.check_id = kept_runs.check_id and pings.n = kept_runs.n))`,
  },
  {
    name: 'check_status',
    fault: 'status is none that a check can have',
    table: 'checks',
    over: CHECKS,
    select: `select ${key('id')} from checks
              where ${within('id')} and status not in ('new', 'up', 'down', 'paused')`,
  },
  {
    name: 'flip_chain',
    fault: 'old_status is not the new_status of the flip before',
    table: 'flips',
    over: CHECKS,
    // Old flips are removed when nobody has to be told of them any more, and so not all in order.
    select: `select ${key('id')} from (
               select flips.id, flips.old_status,
                      lag(flips.new_status) over before as before_status, lag(flips.created_at) over before as before_at
                 from flips join checks on checks.id = flips.check_id
                where ${within('flips.check_id')} and ${stays('checks.project_id')}
               window before as (partition by flips.check_id order by flips.created_at, flips.id)) as chained
              where before_status <> old_status and before_at >= $3`,
    values: ({ now }) => [flipsStoredFrom(now)],
  },
  {
    name: 'last_flip',
    fault: 'status is not the one to which its last flip led',
    table: 'checks',
    over: CHECKS,
    select: `select ${key('id')} from checks
              where ${within('id')} and ${stays('project_id')}
                and status <> (select new_status from flips where flips.check_id = checks.id
                                order by flips.created_at desc, flips.id desc limit 1)`,
  },
  {
    name: 'deadline',
    fault: 'deadline_at is not the time that follows from its schedule and its pings',
    table: 'checks',
    over: CHECKS,
    select: `select ${key('checks.id')}, status, kind, timeout_seconds as "timeoutSeconds", grace_seconds as "graceSeconds",
                    run_rules as "runRules", schedule, tz, last_ping_at as "lastPingAt", last_start_at as "lastStartAt",
                    last_alive_at as "lastAliveAt",
                    run_reported as "runReported", last_flip_at as "lastFlipAt", excused_until_at as "excusedUntilAt",
                    quiet_from_at as "quietFromAt", quiet_until_at as "quietUntilAt",
                    deadline_at as "deadlineAt", bin_of as "binOf"
               from checks join projects on projects.id = checks.project_id where ${within('checks.id')}`,
    isFault: ({ deadlineAt, binOf, ...row }) => {
      // Nobody watches a check that was deleted.
      if (binOf !== null) return deadlineAt !== null;
      // The columns are those of the type; SQLite's booleans are as good as true ones here.
      const expected = deadlineOrUnknown(row as unknown as Timed);
      return expected !== 'unknown' && expected !== deadlineAt;
    },
  },
  {
    name: 'alarm',
    fault: 'nobody would notice that the deadline has passed, because alarm_at is later',
    table: 'checks',
    over: CHECKS,
    select: `select ${key('id')} from checks
              where ${within('id')} and deadline_at is not null and (alarm_at is null or alarm_at > deadline_at)`,
  },
  {
    name: 'unique_key',
    fault: 'unique_key does not follow from uuid',
    table: 'checks',
    over: CHECKS,
    select: `select ${key('id')}, uuid, unique_key as "uniqueKey" from checks where ${within('id')}`,
    isFault: ({ uuid, uniqueKey }) => uniqueKeyOf(String(uuid)) !== uniqueKey,
  },
  {
    name: 'tags',
    fault: 'check_tags has other tags than the check',
    table: 'checks',
    over: CHECKS,
    select: `select ${key('id')}, tags,
                    (select string_agg(tag, ' ') from check_tags
                      where check_tags.check_id = checks.id and check_tags.project_id = checks.project_id) as "rows",
                    (select count(*) from check_tags where check_tags.check_id = checks.id) as "count"
               from checks where ${within('id')}`,
    isFault: ({ tags, rows, count }) => {
      const told = new Set(splitTags(String(tags)));
      const listed = new Set(splitTags(rows === null ? '' : String(rows)));
      return Number(count) !== told.size || told.symmetricDifference(listed).size > 0;
    },
  },
  {
    name: 'deleted_check',
    fault: 'a check that was deleted is not in the bin of its project, or one in a bin was not deleted',
    table: 'checks',
    over: CHECKS,
    select: `select ${key('checks.id')}
               from checks join projects on projects.id = checks.project_id
                    left join deleted_checks on deleted_checks.check_id = checks.id
              where ${within('checks.id')}
                and coalesce(projects.bin_of, 0) <> coalesce(deleted_checks.project_id, 0)`,
  },
];

/** Null is an answer; a schedule that this program cannot evaluate is none. */
function deadlineOrUnknown(check: Timed): Check['deadlineAt'] | 'unknown' {
  try {
    return deadlineOf(check);
  } catch {
    return 'unknown';
  }
}

const TRUTHS_OF_PEOPLE: readonly Truth[] = [
  {
    name: 'check_count',
    fault: 'check_count is not the number of its checks',
    table: 'accounts',
    over: ACCOUNTS,
    select: `select ${key('id')} from accounts
              where ${within('id')}
                and check_count <> (select count(*) from projects join checks on checks.project_id = projects.id
                                     where projects.owner_id = accounts.id and projects.bin_of is null)`,
  },
  {
    name: 'bin_owner',
    fault: 'the bin of a project has another owner than the project',
    table: 'projects',
    over: PROJECTS,
    select: `select ${key('bins.id')} from projects as bins join projects as of on of.id = bins.bin_of
              where ${within('bins.id')} and of.owner_id <> bins.owner_id`,
  },
  {
    name: 'ping_key',
    fault: 'the ping key can be found and not shown, or shown and not found',
    table: 'projects',
    over: PROJECTS,
    select: `select ${key('id')} from projects
              where ${within('id')} and (ping_key_digest is null) <> (ping_key_sealed is null)`,
  },
  {
    name: 'alias',
    fault: 'the alias stands for no check and no project, or for both',
    table: 'ping_aliases',
    over: { table: 'ping_aliases', key: 'id' },
    select: `select ${key('id')} from ping_aliases
              where ${within('id')} and (check_id is null) = (project_id is null)`,
  },
];

/** The rows of an outbox: an open one has a date, a finished one has the time at which it was finished. */
function truthsOfOutbox(over: Truth['over']): Truth[] {
  const { table } = over;
  return [
    {
      name: `${table}_open`,
      fault: 'it is open without a date, or has a date and is not open',
      table,
      over,
      select: `select ${key('id')} from ${table}
                where ${within('id')} and (state = 'open') <> (next_attempt_at is not null)`,
    },
    {
      name: `${table}_finished`,
      fault: 'it is finished without a time, or has such a time and is open',
      table,
      over,
      select: `select ${key('id')} from ${table}
                where ${within('id')} and (state = 'open') <> (finished_at is null)`,
    },
    {
      name: `${table}_lease`,
      fault: 'somebody has it in hand, although it is finished',
      table,
      over,
      select: `select ${key('id')} from ${table}
                where ${within('id')} and leased_until_at is not null and next_attempt_at is null`,
    },
  ];
}

const TRUTHS_OF_MESSAGES: readonly Truth[] = [
  ...truthsOfOutbox(DELIVERIES),
  ...truthsOfOutbox(MAILS),
  ...truthsOfOutbox(CHANNEL_MESSAGES),
  {
    name: 'delivery_flip',
    fault: 'it tells of a flip of another check',
    table: 'deliveries',
    over: DELIVERIES,
    select: `select ${key('deliveries.id')} from deliveries join flips on flips.id = deliveries.flip_id
              where ${within('deliveries.id')} and flips.check_id <> deliveries.check_id`,
  },
];

/** Values that only the server's secret opens. */
function sealedIn(over: Truth['over'], column: string): Truth {
  const { table } = over;
  return {
    name: `${table}_${column}`,
    fault: `${column} cannot be opened with the secret key`,
    table,
    over,
    select: `select ${key(over.key)}, ${column} as value from ${table}
              where ${within(over.key)} and ${column} is not null`,
    isFault: ({ value }, { vault }) => vault !== null && vault.unseal(String(value)) === null,
  };
}

function jsonIn(over: Truth['over'], column: string): Truth {
  const { table } = over;
  return {
    name: `${table}_${column}`,
    fault: `${column} is no JSON`,
    table,
    over,
    select: `select ${key(over.key)}, ${column} as value from ${table} where ${within(over.key)} and ${column} is not null`,
    isFault: ({ value }) => !isJson(String(value)),
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const byId = (table: string) => ({ table, key: 'id' });

/** All that must be true. */
export const TRUTHS: readonly Truth[] = [
  ...TRUTHS_OF_CHECKS,
  ...TRUTHS_OF_PEOPLE,
  ...TRUTHS_OF_MESSAGES,
  sealedIn(PROJECTS, 'ping_key_sealed'),
  sealedIn(CHANNELS, 'sealed_settings'),
  sealedIn(byId('ping_aliases'), 'token_sealed'),
  sealedIn({ table: 'authenticators', key: 'account_id' }, 'sealed_secret'),
  jsonIn(PROJECTS, 'dialects'),
  jsonIn(CHANNELS, 'settings'),
  jsonIn(MAILS, 'parameters'),
  jsonIn(CHANNEL_MESSAGES, 'parameters'),
  jsonIn({ table: 'pauses', key: 'check_id' }, 'before'),
  jsonIn({ table: 'check_notes', key: 'check_id' }, 'declaration'),
  jsonIn(CHECKS, 'sources'),
  jsonIn({ table: 'deleted_checks', key: 'check_id' }, 'channel_ids'),
  jsonIn(byId('account_tokens'), 'scopes'),
  jsonIn(byId('account_tokens'), 'project_ids'),
  jsonIn(byId('status_pages'), 'components'),
  jsonIn(byId('status_notices'), 'component_ids'),
  jsonIn(byId('audit_log'), 'details'),
];
