import { randomUUID } from 'node:crypto';
import type { BenchDatabase } from './database.ts';

export const HISTORY = { pings: 1_000, flips: 10_000, deliveries: 100, attempts: 20, channels: 1_000 };

/** Fills the history of the check with this slug, whose project must have the channels. */
export async function fillHistory(database: BenchDatabase, slug: string): Promise<void> {
  const check = `(select id from checks where slug = '${slug}')`;
  const firstChannel = `(select min(id) from channels where project_id = (select project_id from checks where slug = '${slug}'))`;
  const flip = `(select min(id) from flips where check_id = ${check})`;
  const delivery = `(select min(id) from deliveries where check_id = ${check})`;
  const now = Date.now() * 1000;
  await insert(
    database,
    'flips (check_id, created_at, old_status, new_status, reason)',
    HISTORY.flips,
    (n) => [check, now - n * 60_000_000, n % 2 === 0 ? `'up', 'down', 'timeout'` : `'down', 'up', ''`],
  );
  await insert(
    database,
    'pings (check_id, n, created_at, signal, scheme, method, remote_addr, user_agent, rid)',
    HISTORY.pings,
    (n) => [
      check,
      n + 1,
      now - (HISTORY.pings - n) * 60_000_000,
      n % 2 === 0 ? `'start'` : `'success'`,
      `'http', 'POST', '203.0.113.7', 'curl/8.5.0', null`,
    ],
  );
  await insert(
    database,
    'deliveries (uuid, check_id, channel_id, flip_id, status, state, attempt_count, error, created_at, finished_at)',
    HISTORY.deliveries,
    (n) => [
      `'${randomUUID()}'`,
      check,
      `${firstChannel} + ${n}`,
      flip,
      `'down', 'failed', ${HISTORY.attempts}, 'Received status code 500'`,
      now,
      now,
    ],
  );
  await insert(
    database,
    'attempts (delivery_id, n, started_at, duration_micros, error)',
    HISTORY.deliveries * HISTORY.attempts,
    (n) => [
      `${delivery} + ${Math.floor(n / HISTORY.attempts)}`,
      (n % HISTORY.attempts) + 1,
      now,
      1_000,
      `'Received status code 500'`,
    ],
  );
}

const ROWS_AT_ONCE = 1_000;

async function insert(
  database: BenchDatabase,
  into: string,
  count: number,
  row: (n: number) => readonly (string | number)[],
): Promise<void> {
  for (let from = 0; from < count; from += ROWS_AT_ONCE) {
    const length = Math.min(ROWS_AT_ONCE, count - from);
    const rows = Array.from({ length }, (_, index) => `(${row(from + index).join(', ')})`);
    await database.run(`insert into ${into} values ${rows.join(', ')}`);
  }
}
