import type { MailFilter } from '../../domain/ping/mail-filter.ts';
import type { Dialect } from '../dialect.ts';
import type { Reader, Writer } from '../driver.ts';
import { table } from './check-rows.ts';
import type { Stored } from './table.ts';

/** Names a check by the digest of its project's ping key and by its slug. */
export interface SlugTarget {
  readonly pingKeyDigest: string;
  readonly slug: string;
}

/** A check that receives mails, with the fields that filter them. */
export interface MailedCheck extends MailFilter {
  readonly uuid: string;
  /** The account that owns its project. */
  readonly ownerId: number;
  /** The key and the slug that found it. Null if its UUID found it. */
  readonly foundBy: SlugTarget | null;
}

/** The fields that determine the meaning of a mail. */
const MAIL_FILTER = [
  'startKeywords',
  'successKeywords',
  'failureKeywords',
  'filterSubject',
  'filterBody',
  'filterDefaultFail',
] as const satisfies readonly (keyof MailFilter)[];

const MAILED_COLUMNS = [
  ...(['uuid', ...MAIL_FILTER] as const).map((field) => `checks.${table.column(field)} as "${field}"`),
  '(select owner_id from projects where projects.id = checks.project_id) as "ownerId"',
].join(', ');

type MailedRow = Stored<Omit<MailedCheck, 'foundBy'>> & Partial<SlugTarget>;

/** Finds the checks for pairs of ping key and slug. Several checks of a project may have the same slug. */
const OF_WANTED = `join projects on projects.ping_key_digest = wanted.digest
  join checks on checks.project_id = projects.id and checks.slug = wanted.slug`;

const WANTED_ARRAYS = 'unnest($1::text[], $2::text[]) as wanted (digest, slug)';
const WANTED_JSON = '(select value ->> 0 as digest, value ->> 1 as slug from json_each($1)) as wanted';

const FOUND_BY = 'projects.ping_key_digest as "pingKeyDigest", checks.slug';

/** The checks with these UUIDs, and those with these ping keys and slugs. */
export async function findMailed(
  db: Reader,
  dialect: Dialect,
  uuids: readonly string[],
  slugs: readonly SlugTarget[],
): Promise<MailedCheck[]> {
  const found = await Promise.all([
    uuids.length === 0 ? [] : mailedByUuid(db, dialect, uuids),
    slugs.length === 0 ? [] : mailedBySlug(db, dialect, slugs),
  ]);
  return found.flat().map(({ pingKeyDigest = null, slug = null, ...row }) => ({
    ...row,
    filterSubject: Boolean(row.filterSubject),
    filterBody: Boolean(row.filterBody),
    filterDefaultFail: Boolean(row.filterDefaultFail),
    foundBy: pingKeyDigest === null || slug === null ? null : { pingKeyDigest, slug },
  }));
}

function mailedByUuid(db: Reader, { hasArrays }: Dialect, uuids: readonly string[]): Promise<MailedRow[]> {
  const among = hasArrays ? '= any($1::uuid[])' : 'in (select value from json_each($1))';
  const list = hasArrays ? uuids : JSON.stringify(uuids);
  return db.all(`select ${MAILED_COLUMNS} from checks where uuid ${among}`, [list]);
}

function mailedBySlug(
  db: Reader,
  { hasArrays }: Dialect,
  slugs: readonly SlugTarget[],
): Promise<MailedRow[]> {
  return db.all(
    `select ${MAILED_COLUMNS}, ${FOUND_BY} from ${hasArrays ? WANTED_ARRAYS : WANTED_JSON} ${OF_WANTED}`,
    hasArrays
      ? arraysOf(slugs)
      : [JSON.stringify(slugs.map(({ pingKeyDigest, slug }) => [pingKeyDigest, slug]))],
  );
}

/**
 * The UUIDs of the checks with these ping keys and slugs. On SQLite it is cheapest to repeat one prepared statement.
 */
export function findBySlug(
  db: Writer,
  { hasArrays }: Dialect,
  slugs: readonly SlugTarget[],
): Promise<(SlugTarget & { uuid: string })[]> {
  const select = `select ${FOUND_BY}, checks.uuid from`;
  if (hasArrays) {
    return db.all(`${select} ${WANTED_ARRAYS} ${OF_WANTED} order by checks.id`, arraysOf(slugs));
  }
  return db.repeat(
    `${select} projects join checks on checks.project_id = projects.id
      where projects.ping_key_digest = $1 and checks.slug = $2 order by checks.id`,
    slugs.map(({ pingKeyDigest, slug }) => [pingKeyDigest, slug]),
  );
}

function arraysOf(slugs: readonly SlugTarget[]): string[][] {
  return [slugs.map(({ pingKeyDigest }) => pingKeyDigest), slugs.map(({ slug }) => slug)];
}
