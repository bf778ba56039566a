import type { BenchDatabase } from './database.ts';

/** The UUID of check number `check` among those that `fillChecks` makes. */
export function uuidOf(check: number): string {
  return `00000000-0000-4000-8000-${check.toString(16).padStart(12, '0')}`;
}

/** The timing of the checks that `fillChecks` makes. */
export const TIMEOUT_SECONDS = 86_400;
export const GRACE_SECONDS = 3_600;

/** Checks that are up, with the UUIDs that requests are made for, as fast as the engine makes rows. */
export function fillChecks({ engine }: BenchDatabase, count: number): string {
  const now = Date.now() * 1000;
  const deadline = now + (TIMEOUT_SECONDS + GRACE_SECONDS) * 1_000_000;
  const hex = engine === 'sqlite' ? `printf('%012x', n)` : `lpad(to_hex(n), 12, '0')`;
  const uuid = `'00000000-0000-4000-8000-' || ${hex}`;
  const numbers =
    engine === 'sqlite'
      ? `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${count - 1})`
      : `with numbers (n) as (select generate_series(0, ${count - 1}))`;
  const [no, cast] = engine === 'sqlite' ? ['0', ''] : ['false', '::uuid'];
  return `
    insert into checks (uuid, project_id, badge_key, unique_key, name, slug, tags, description, kind,
      timeout_seconds, schedule, tz, grace_seconds, manual_resume, methods, start_keywords, success_keywords,
      failure_keywords, filter_subject, filter_body, filter_http_body, filter_default_fail, status, ping_count,
      last_ping_at, run_reported, deadline_at, alarm_at, created_at)
    ${numbers}
    select (${uuid})${cast}, (select min(id) from projects), ${uuid}, ${hex}, 'check ' || n, 'check-' || n, '', '',
      'simple', ${TIMEOUT_SECONDS}, '* * * * *', 'UTC', ${GRACE_SECONDS}, ${no}, '', '', '', '', ${no}, ${no}, ${no},
      ${no}, 'up', 0, ${now}, ${no}, ${deadline} + n, ${deadline} + n, ${now}
    from numbers;
    ${engine === 'sqlite' ? 'pragma wal_checkpoint(truncate)' : 'analyze checks'};`;
}
