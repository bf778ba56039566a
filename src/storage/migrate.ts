import { isOutage } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { pause, systemTimers, type Timers } from '../lib/timers.ts';
import { type ContractBy, isContract, isContractDue } from './contract.ts';
import type { Engine } from './dialect.ts';
import { type Driver, StorageError, type Writer } from './driver.ts';
import { fileNameOf, loadMigrations, type Migration } from './migration-files.ts';
import { MigrationWatch } from './migration-watch.ts';
import type { NamedMigration, StorageProgress } from './progress.ts';
import { isEarlierMinor, notePrograms, type Programs, readPrograms, refuseOldProgram } from './releases.ts';

export interface MigrateOptions {
  readonly timers?: Pick<Timers, 'callAfter'>;
  /** The release of this program. Absent: it is neither noted nor compared. */
  readonly release?: string;
  /** Absent: a program that starts. */
  readonly contractBy?: ContractBy;
  /** Copies a database that is not new before its first step. `tell` is told the percentage. */
  readonly copyFirst?: (tell: (percent: number) => void) => Promise<void>;
  /** The number of tries after which the sessions are named that keep a step waiting. */
  readonly namedAfterTries?: number;
  /** Is told the progress of migrations. */
  readonly tell?: (progress: StorageProgress) => void;
  /** Runs the transaction of a migration, and may run it again if the database could not be used. */
  readonly attempt?: <T>(transaction: () => Promise<T>) => Promise<T>;
}

/**
 * Brings the schema up to date and returns the migrations that this process applied. Each migration and its version row
 * are one transaction. One process migrates at a time: if two start together, the second finds the work done. Older
 * programs keep running meanwhile, and contract steps wait until they may be made. If a table is in use for long, the migration is
 * tried again after a pause until the table is free.
 */
export async function migrate(
  driver: Driver,
  clock: Clock,
  migrations?: readonly Migration[],
  {
    timers = systemTimers,
    release,
    contractBy = 'start',
    copyFirst,
    namedAfterTries = NAMED_AFTER_TRIES,
    tell = () => undefined,
    attempt = (transaction) => transaction(),
  }: MigrateOptions = {},
): Promise<Migration[]> {
  const known = migrations ?? (await loadMigrations(driver.dialect.engine));
  const applied: Migration[] = [];
  using watch = new MigrationWatch({ clock, timers, tell, askPhase: () => phaseOfStep(driver) });
  const work: Work = {
    ...{ driver, clock, known, watch, release: release ?? null, contractBy, timers, namedAfterTries },
    ...{ isNew: null, isCopied: copyFirst === undefined, madeAlone: null, tries: 0, blockedBy: null },
  };
  const transaction = () => watch.run(() => driver.transaction((tx) => applyNext(tx, work)));
  for (;;) {
    try {
      const step = await attempt(transaction);
      if (step === null) return applied;
      work.tries = 0;
      const { migration, toDo } = step;
      const named = nameAmong(known, migration);
      if (toDo === null) applied.push(migration);
      else if (toDo === 'copy') {
        await watch.copying(named, copyFirst ?? (async () => undefined));
        work.isCopied = true;
      } else if (await watch.alone(named, () => attempt(() => makeAlone(driver, migration)))) {
        work.madeAlone = migration;
      } else {
        await pause(timers, ALONE_PAUSE_MS);
      }
    } catch (error) {
      if (!driver.dialect.isLockTimeout(error)) throw error;
      work.tries++;
      const reason = error instanceof Error ? error.message : String(error);
      watch.wait(MIGRATION_PAUSE_MS / 1000, reason, work.blockedBy);
      await pause(timers, MIGRATION_PAUSE_MS);
    }
  }
}

/** Several times as long as a failed attempt, because requests wait during an attempt. */
export const MIGRATION_PAUSE_MS = 10_000;
const NAMED_AFTER_TRIES = 20;
/** In the middle of a try. */
export const BLOCKERS_ASKED_AFTER_MS = 1_000;
/** The pause while another process makes a step that is no transaction. */
const ALONE_PAUSE_MS = 1_000;

interface Work {
  readonly driver: Driver;
  readonly clock: Clock;
  readonly known: readonly Migration[];
  readonly watch: MigrationWatch;
  readonly release: string | null;
  readonly contractBy: ContractBy;
  /** Whether the database had no tables. Null before the first look. */
  isNew: boolean | null;
  /** Whether it is copied, or is not to be. */
  isCopied: boolean;
  /** The step that was made outside of a transaction, and is still to be recorded. */
  madeAlone: Migration | null;
  /** The tries that have failed because a table was in use. */
  tries: number;
  /** The sessions for which the last try has waited. */
  blockedBy: string | null;
  readonly timers: Pick<Timers, 'callAfter'>;
  readonly namedAfterTries: number;
}

/** The next step, and what is to be done before it can be recorded. Null: it is made and recorded. */
interface Step {
  readonly migration: Migration;
  readonly toDo: 'copy' | 'make alone' | null;
}

/** Returns null if there is nothing left to apply. */
async function applyNext(tx: Writer, work: Work): Promise<Step | null> {
  const { driver, clock, known, watch, release, contractBy } = work;
  watch.queue();
  if (driver.dialect.beginMigration !== null) await tx.script(driver.dialect.beginMigration);
  await makeVersionTable(tx, driver.dialect.engine);
  const rows = await tx.all<VersionRow>('select version, breaking, release from schema_migrations');
  work.isNew ??= rows.length === 0;
  const programs = release === null || rows.length === 0 ? null : await readPrograms(tx);
  refuseOlderSchema(rows, known);
  refuseNewerSchema(rows, known, programs);
  if (release !== null) refuseOldProgram(programs, release);
  const next = await findNext(tx, rows, programs, work);
  if (next === null) {
    if (release !== null) await notePrograms(tx, programs, release, await timeOf(tx, driver, clock));
    return null;
  }
  if (!work.isCopied && !work.isNew) return { migration: next, toDo: 'copy' };
  const isAlone = !next.isAtomic && driver.runAlone !== undefined && !work.isNew && contractBy !== 'restore';
  if (isAlone && work.madeAlone !== next) return { migration: next, toDo: 'make alone' };
  if (!isAlone) watch.begin(nameAmong(known, next), rows.length === 0);
  await tx.run(
    'insert into schema_migrations (version, name, breaking, applied_at, release) values ($1, $2, $3, $4, $5)',
    [next.version, next.name, next.breaking, clock.now(), release],
  );
  if (!isAlone) {
    using _asking = await askForBlockers(tx, work);
    await tx.script(next.isAtomic ? next.sql : next.sql.replaceAll(' concurrently ', ' '));
  }
  return { migration: next, toDo: null };
}

/** Makes the indexes of a step. A killed one leaves an index that is not valid, and is made anew. */
async function makeAlone(driver: Driver, { sql }: Migration): Promise<boolean> {
  const statements = sql
    .replaceAll(/^--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  const invalid = await driver.all<{ name: string }>(
    `select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
      where not indisvalid and relnamespace = current_schema()::regnamespace`,
  );
  const leftovers = invalid.filter(({ name }) =>
    statements.some((statement) => statement.includes(` concurrently if not exists ${name} `)),
  );
  const drops = leftovers.map(({ name }) => `drop index concurrently if exists ${name}`);
  return (await driver.runAlone?.([...drops, ...statements])) ?? false;
}

/** After many tries, asks in the middle of the next one who holds the table. */
async function askForBlockers(tx: Writer, work: Work): Promise<Disposable> {
  const { driver, timers, tries, namedAfterTries } = work;
  const reports = driver.dialect.stepReports;
  work.blockedBy = null;
  if (reports === null || tries + 1 < namedAfterTries) return new DisposableStack();
  const [session] = await tx.all<{ pid: number }>(reports.session);
  const ask = async () => {
    const blockers = await driver.all<Blocker>(reports.blockers, [session?.pid ?? 0]);
    if (blockers.length > 0) work.blockedBy = blockers.map(describeBlocker).join(' and ');
  };
  const asking = new DisposableStack();
  asking.defer(timers.callAfter(BLOCKERS_ASKED_AFTER_MS, () => void ask().catch(() => undefined)));
  return asking;
}

interface Blocker {
  readonly pid: number;
  readonly user: string | null;
  readonly program: string;
  /** Null: it is on the machine of the server. */
  readonly address: string | null;
  readonly seconds: number | null;
}

function describeBlocker({ pid, user, program, address, seconds }: Blocker): string {
  const from = [program, address].filter((word) => word !== null && word !== '').join(' at ');
  return `session ${pid} of ${user ?? 'the server'}${from === '' ? '' : ` (${from})`}, whose transaction has lasted ${seconds ?? 0} s (select pg_terminate_backend(${pid}) ends it)`;
}

async function phaseOfStep(driver: Driver): Promise<string | null> {
  const { stepReports } = driver.dialect;
  if (stepReports === null) return null;
  const [row] = await driver.all<{ phase: string; percent: number | null }>(stepReports.progress);
  if (row === undefined) return null;
  return row.percent === null ? row.phase : `${row.phase}, ${row.percent} %`;
}

const HAS_RELEASE: Readonly<Record<Engine, string>> = {
  sqlite: `select 1 as one from pragma_table_info('schema_migrations') where name = 'release'`,
  postgres: `select 1 as one from pg_attribute
              where attrelid = 'schema_migrations'::regclass and attname = 'release' and not attisdropped`,
};

/** `release` is the program that has applied the step. It is null for what programs have applied that did not note it. */
async function makeVersionTable(tx: Writer, engine: Engine): Promise<void> {
  await tx.script(`create table if not exists schema_migrations (
    version bigint primary key,
    name text not null,
    breaking boolean not null,
    applied_at bigint not null,
    release text
  )`);
  // Even an alteration that changes nothing would wait for a backup that reads the table.
  if ((await tx.all(HAS_RELEASE[engine])).length === 0)
    await tx.script('alter table schema_migrations add column release text');
}

/** The first step that is not applied yet and may be. */
async function findNext(
  tx: Writer,
  rows: readonly VersionRow[],
  programs: Programs | null,
  { driver, clock, known, release, contractBy, isNew }: Work,
): Promise<Migration | null> {
  const done = new Set(rows.map((row) => row.version));
  // No older program has ever used a new database.
  const by = isNew === true ? 'restore' : contractBy;
  for (const step of known) {
    if (done.has(step.version)) continue;
    if (!isContract(step)) return step;
    const now = await timeOf(tx, driver, clock);
    if (await isContractDue(tx, step, { by, release, programs, now })) return step;
  }
  return null;
}

/** The time by which nodes beat. */
async function timeOf(tx: Writer, { dialect: { currentTime } }: Driver, clock: Clock): Promise<number> {
  if (currentTime === null) return clock.now();
  const [row] = await tx.all<{ at: number }>(`select ${currentTime} as at`);
  return row?.at ?? clock.now();
}

function nameAmong(known: readonly Migration[], migration: Migration): NamedMigration {
  return { number: known.indexOf(migration) + 1, of: known.length, name: fileNameOf(migration) };
}

/** Applies all these migrations in a transaction that does more. */
export async function migrateWithin(
  tx: Writer,
  driver: Driver,
  clock: Clock,
  known: readonly Migration[],
): Promise<void> {
  using watch = new MigrationWatch({ clock, timers: systemTimers, tell: () => undefined });
  const work: Work = {
    ...{ driver, clock, known, watch, release: null, contractBy: 'restore' as const },
    ...{ isNew: null, isCopied: true, madeAlone: null, tries: 0, blockedBy: null },
    ...{ timers: systemTimers, namedAfterTries: NAMED_AFTER_TRIES },
  };
  while ((await applyNext(tx, work)) !== null);
}

export interface MigrationPlan {
  /** What a start, or an operator who contracts, would apply. */
  readonly steps: readonly Migration[];
  /** Contract steps that would wait. */
  readonly waiting: readonly Migration[];
  readonly isNew: boolean;
}

/** What would be applied. Changes nothing. */
export async function planMigrations(
  db: Pick<Driver, 'all' | 'dialect'>,
  { release, contractBy }: { readonly release: string; readonly contractBy: 'start' | 'operator' },
): Promise<MigrationPlan> {
  const known = await loadMigrations(db.dialect.engine);
  const rows = await db.all<VersionRow>('select version, breaking from schema_migrations').catch((error) => {
    if (isOutage(error)) throw error;
    return [];
  });
  const programs = rows.length === 0 ? null : await readPrograms(db);
  refuseOlderSchema(rows, known);
  refuseNewerSchema(rows, known, programs);
  refuseOldProgram(programs, release);
  const isNew = rows.length === 0;
  const missing = known.filter(({ version }) => rows.every((row) => row.version !== version));
  const isMade = (step: Migration) =>
    isNew || contractBy === 'operator' || !isContract(step) || isEarlierMinor(step.needs, release);
  return { steps: missing.filter(isMade), waiting: missing.filter((step) => !isMade(step)), isNew };
}

/** The contract steps that are not made yet. */
export async function waitingContracts(
  driver: Pick<Driver, 'all' | 'dialect'>,
  migrations?: readonly Migration[],
): Promise<Migration[]> {
  const contracts = (migrations ?? (await loadMigrations(driver.dialect.engine))).filter(isContract);
  if (contracts.length === 0) return [];
  const rows = await driver.all<{ version: number }>('select version from schema_migrations');
  return contracts.filter(({ version }) => rows.every((row) => row.version !== version));
}

interface VersionRow {
  readonly version: number;
  readonly breaking: boolean | 0 | 1;
  /** Absent where it was not asked for. */
  readonly release?: string | null;
}

/** Throws if the database is not at the version of this program, or of a newer one that it can work with. Changes nothing. */
export async function requireCurrentSchema(driver: Pick<Driver, 'all' | 'dialect'>): Promise<void> {
  const known = await loadMigrations(driver.dialect.engine);
  const rows = await driver
    .all<VersionRow>('select version, breaking from schema_migrations')
    .catch((cause: unknown) => {
      if (isOutage(cause)) throw cause;
      throw new StorageError('fault', 'it is no database of Tocsin', { cause });
    });
  refuseNewerSchema(rows, known, null);
  const missing = known.find(
    (step) => !isContract(step) && rows.every((row) => row.version !== step.version),
  );
  if (missing === undefined) return;
  throw new StorageError(
    'fault',
    `the database lacks ${fileNameOf(missing)}: bring it up to date first (tocsin migrate)`,
  );
}

/** The last commit that had the steps to the version with which the migrations begin now. */
const LAST_WITH_EARLIER_STEPS = 'e0dda14';

function refuseOlderSchema(rows: readonly VersionRow[], [first]: readonly Migration[]): void {
  const newest = Math.max(...rows.map(({ version }) => version));
  if (rows.length === 0 || first === undefined || newest >= first.version) return;
  throw new StorageError(
    'fault',
    `the database is at version ${newest}, and this Tocsin begins at version ${first.version}: start the one of commit ${LAST_WITH_EARLIER_STEPS} once, which knows the steps between, then this one`,
  );
}

function refuseNewerSchema(
  rows: readonly VersionRow[],
  known: readonly Migration[],
  programs: Programs | null,
): void {
  const newest = known.at(-1)?.version ?? 0;
  const tooNew = rows.findLast((row) => row.version > newest && Boolean(row.breaking));
  if (tooNew === undefined) return;
  const release = tooNew.release ?? programs?.newest ?? null;
  const [by, advice] =
    release === null
      ? ['a newer Tocsin', 'upgrade it']
      : [
          `Tocsin ${release}`,
          `install Tocsin ${release} or newer, or restore the copy from before the upgrade`,
        ];
  throw new StorageError(
    'fault',
    `the database was migrated to version ${tooNew.version} by ${by}, which this one (version ${newest}) cannot work with: ${advice}`,
  );
}
