import { AppError } from '../../domain/errors.ts';
import type { ActedBy } from '../../domain/people/audit.ts';
import type { Instant } from '../../lib/instant.ts';
import { type ImportRow, isConflict, type Writes } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';
import { keepForeignSecret } from '../core/foreign-secrets.ts';
import { projectOfKey } from '../project/imported-keys.ts';
import type { ProvisionDeps } from '../provisioning/acts.ts';
import { applyChecks, CHECKS_AT_ONCE, checksComparison, lockPlanned } from '../provisioning/checks.ts';
import { type Change, type Declaration, ProvisionError } from '../provisioning/declaration.ts';
import { applyEntries, rolledBack } from '../provisioning/provision.ts';
import type { Source } from '../provisioning/source.ts';
import { type WrittenBeside, writeBeside } from './beside.ts';
import { CheckWriter } from './check-writer.ts';
import { contradictions } from './contradictions.ts';
import type { Import, Origin } from './import.ts';
import { type CarriedPings, countPings, type History, importPings, NO_PINGS, WantedPings } from './pings.ts';
import { type Plan, planImport } from './plan.ts';
import { IMPORTER, planChecks } from './planning/checks.ts';
import { EarlierEntries, type KeptEntry, type Planning } from './planning/planning.ts';

export interface ImportOptions {
  /** Does everything and takes it back. */
  readonly isDryRun: boolean;
  readonly history: History;
  /** Whether all integrations come switched off. */
  readonly isSilent: boolean;
  /** Whether entries come back that were imported before and deleted here. */
  readonly isAgain: boolean;
  /** Whether the source has more than these entries. Otherwise entries that are missing are gone. */
  readonly isPart: boolean;
  /** The secret under which the other program has made digests. Null if it is not known. */
  readonly foreignSecret: string | null;
  /** An API key of the other program. The result tells which project it opens. */
  readonly proof: string | null;
}

export interface ImportResult {
  /** All but checks that are new. */
  readonly changes: readonly Change[];
  readonly carried: Carried;
  readonly kept: readonly KeptEntry[];
  /** Checks that are new here and have no integration, as `Alpha/nightly`. */
  readonly alertsNobody: readonly string[];
  /** The name of the project that the given API key opens. Null if it opens none. */
  readonly proved: string | null;
}

/** Numbers of new entries. */
export interface Carried
  extends CarriedPings,
    Omit<WrittenBeside, 'entries'>,
    Pick<CheckWriter, 'flips' | 'aliases'> {
  readonly accounts: number;
  readonly projects: number;
  readonly members: number;
  readonly keys: number;
  readonly channels: number;
  readonly checks: number;
}

/** The import contradicts what is here. Nothing of it was written. */
export class ImportRefusedError extends Error {
  override readonly name = 'ImportRefusedError';
  readonly reasons: readonly string[];

  constructor(reasons: readonly string[]) {
    super(reasons.join('\n'));
    this.reasons = reasons;
  }
}

/** The pings of the source could not be read to the end. All else was written, and the next import goes on. */
export class PingsInterruptedError extends Error {
  override readonly name = 'PingsInterruptedError';
}

const PROGRAMS: Readonly<Record<Origin['program'], string>> = {
  healthchecks: 'Healthchecks',
  kuma: 'Uptime Kuma',
};

/**
 * Brings the installation here: the configuration in one transaction, then the pings. A second import changes nothing that
 * is as it was, and adds what is new. One that was killed goes on where it was.
 */
export async function importInstallation(
  deps: Deps,
  source: Import,
  options: ImportOptions,
  tell: (pings: number) => void = () => undefined,
): Promise<ImportResult> {
  const configure = (tx: Writes) => writeConfiguration(deps, tx, source, options);
  const { row, wanted, ...result } = await orRefused(() =>
    options.isDryRun
      ? rolledBack(deps.store, configure)
      : deps.store.transaction(configure, { sharesCommit: false, fillsTables: true }),
  );
  const pings =
    // The place stays where it is, so that a later import brings them.
    options.history === 'none' || options.history === 0
      ? NO_PINGS
      : options.isDryRun
        ? await countPings(source, row, wanted)
        : await importPings(deps, source, row, wanted, tell).catch((cause: unknown) => {
            throw new PingsInterruptedError('the pings were not read to the end', { cause });
          });
  return { ...result, carried: { ...result.carried, ...pings } };
}

async function orRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProvisionError || error instanceof AppError)
      throw new ImportRefusedError([error.message]);
    if (isConflict(error)) throw new ImportRefusedError(['a key of the source is in use here']);
    throw error;
  }
}

interface Configured extends Omit<ImportResult, 'carried'> {
  readonly row: ImportRow;
  readonly wanted: WantedPings;
  readonly carried: Omit<Carried, keyof CarriedPings>;
}

async function writeConfiguration(
  deps: Deps,
  tx: Writes,
  source: Import,
  { isAgain, isSilent, history, isPart, foreignSecret, proof }: ImportOptions,
): Promise<Configured> {
  // Imports and files wait for each other.
  await tx.declarations.lock();
  const { program, identity } = source.origin;
  const now = deps.clock.now();
  const row = (await tx.imports.byIdentity(identity)) ?? (await tx.imports.insert(program, identity, now));
  const found = {
    ...{ deps, tx, source, importId: row.id, now },
    earlier: new EarlierEntries(await tx.imports.entriesOf(row.id)),
    options: { isAgain, isSilent, hasHistory: history !== 'none' },
  };
  const plan = await planImport(found);
  const reasons = [...source.refusals, ...(await contradictions(deps, tx, plan))];
  if (reasons.length > 0) throw new ImportRefusedError(reasons);
  const by: ActedBy = { accountId: null, name: PROGRAMS[program], means: 'import', remoteAddr: null };
  const author = { name: by.name, takesOver: false, claims: false, writer: IMPORTER };
  const { changes } = await applyEntries({ ...deps, by }, tx, author, declarationOf(source, plan));
  if (foreignSecret !== null) await keepForeignSecret(deps, tx, foreignSecret);
  const started = await startedPings(tx, row, plan);
  const { entries, ...beside } = await writeBeside({ ...deps, by }, tx, source, plan);
  await tx.imports.save(row.id, entries);
  const checks = await writeChecks({ ...deps, by }, found, author, plan);
  await beginWatching(tx, now);
  const gone = isPart ? [] : await goneFrom(found, plan);
  return {
    changes: [...changes, ...checks.changes],
    carried: { ...counted(plan, changes), ...beside, ...checks.carried },
    kept: [...plan.kept, ...gone],
    alertsNobody: checks.alertsNobody,
    proved: proof === null ? null : ((await projectOfKey(deps, tx, proof))?.name ?? null),
    ...(await pingsToCome(tx, row, started, history)),
  };
}

/** A history that somebody asks for may be longer than that of an earlier import. Then older pings come, too. */
async function pingsToCome(
  tx: Writes,
  { id, place }: ImportRow,
  started: ImportRow,
  history: History,
): Promise<Pick<Configured, 'row' | 'wanted'>> {
  const isAskedFor = history === 'all' || typeof history === 'number';
  const oldest = isAskedFor && place > 0 ? await tx.imports.oldestPings(id) : undefined;
  const wanted = () => WantedPings.read(tx, id, history, oldest);
  const found = await wanted();
  if (!found.hasGaps) return { row: started, wanted: found };
  const row = await startedAgain(tx, started);
  // Starting again has changed which pings are here.
  return { row, wanted: await wanted() };
}

interface ChecksWritten extends Pick<Configured, 'changes' | 'alertsNobody'> {
  readonly carried: Pick<Carried, 'checks' | 'flips' | 'aliases'>;
}

/** Reads the checks a second time, and writes them, some at a time. */
async function writeChecks(
  deps: ProvisionDeps,
  found: Omit<Planning, 'kept' | 'reasons'>,
  author: Source,
  { projects, checks: all }: Plan,
): Promise<ChecksWritten> {
  const { tx, source, importId } = found;
  const planned = new Map(projects.map((project) => [project.entry, project]));
  const writer = new CheckWriter(deps, tx, importId);
  const changes: Change[] = [];
  const alertsNobody: string[] = [];
  let added = 0;
  // Pings lock several checks, too, in the same order. Locking all at once prevents deadlocks.
  await tx.checks.lockByIds(all.changed);
  let opened: Awaited<ReturnType<typeof openProject>> | null = null;
  for await (const { projectUuid, checks } of source.checks()) {
    const project = planned.get(projectUuid);
    if (project === undefined) continue;
    // The first reading has told what is kept.
    const some = await planChecks({ ...found, kept: [], reasons: [] }, project, checks);
    if (some.length === 0) continue;
    if (opened?.uuid !== projectUuid) opened = await openProject(deps, tx, author, projectUuid, all.uuids);
    const plan = await opened.compare(some.flatMap(({ declared }) => declared ?? []));
    for (const change of await applyChecks(deps, tx, plan, await lockPlanned(tx, [plan])))
      if (change.action === 'created') added += 1;
      else changes.push(change);
    await writer.write(opened.project, some);
    for (const { isNew, declared } of some)
      if (isNew && declared?.channels === '')
        alertsNobody.push(`${project.declared.name}/${declared.slug || declared.uuid}`);
  }
  await writer.remind();
  const { flips, aliases } = writer;
  return { changes, alertsNobody, carried: { checks: added, flips, aliases } };
}

/** A project that is here by now, for writing its checks. */
async function openProject(
  deps: ProvisionDeps,
  tx: Writes,
  author: Source,
  uuid: string,
  imported: ReadonlySet<string>,
) {
  const project = await tx.projects.byUuid(uuid);
  if (project === null) throw new Error(`unreachable: the project ${uuid} was written`);
  const compare = await checksComparison(deps, tx, author, project, (check) => imported.has(check));
  return { uuid, project, compare };
}

function declarationOf({ declaration }: Import, { accounts, projects }: Plan): Declaration {
  return {
    ...declaration,
    accounts: accounts.filter(({ isNew }) => isNew).map(({ declared }) => declared),
    projects: projects.map(({ declared }) => declared),
  };
}

/** Checks that come later than others have pings before the place that was reached. */
async function startedPings(tx: Writes, row: ImportRow, { checks }: Plan): Promise<ImportRow> {
  return checks.hasNewPings ? startedAgain(tx, row) : row;
}

/** The pings are read from the beginning. */
async function startedAgain(tx: Writes, row: ImportRow): Promise<ImportRow> {
  if (row.place === 0) return row;
  await tx.imports.startAgain(row);
  return { ...row, place: 0 };
}

/** A new installation begins to watch now: what comes due before its first start proves nothing. */
async function beginWatching(tx: Writes, now: Instant): Promise<void> {
  if ((await tx.liveness.lastBeatAt()) === null) await tx.liveness.beat('import', now, 0);
}

async function goneFrom(
  { tx, source, earlier, importId }: Omit<Planning, 'kept' | 'reasons'>,
  { checks }: Plan,
): Promise<KeptEntry[]> {
  const { projects } = source.declaration;
  const present = new Set(
    projects.flatMap(({ uuid, channels }) => [uuid, ...channels.map((channel) => channel.uuid)]),
  );
  const gone = earlier.all
    .filter(({ kind, entry, home }) => kind !== 'account' && home !== null && !present.has(entry))
    .map(({ kind, entry }) => `${kind === 'channel' ? 'integration' : kind} ${entry}`);
  for (let after: string | undefined = ''; after !== undefined; ) {
    const some: readonly string[] = await tx.imports.checksHere(importId, after, CHECKS_AT_ONCE);
    gone.push(...some.filter((uuid) => !checks.uuids.has(uuid)).map((uuid) => `check ${uuid}`));
    after = some.at(-1);
  }
  return gone.map((entry) => ({ entry, field: null, reason: 'gone from the source' }));
}

function counted({ projects }: Plan, changes: readonly Change[]) {
  const created = (what: Change['what']) =>
    changes.filter((change) => change.action === 'created' && change.what === what).length;
  const added = projects.filter(({ isNew }) => isNew).map(({ declared }) => declared);
  const keysOf = ({ keys, apiKeys }: (typeof added)[number]) =>
    Object.values(keys).filter((key) => key !== undefined).length + apiKeys.length;
  return {
    accounts: created('account'),
    projects: created('project'),
    members: added.reduce((sum, { members }) => sum + members.length, 0),
    keys: added.reduce((sum, project) => sum + keysOf(project), 0),
    channels: created('integration'),
  };
}
