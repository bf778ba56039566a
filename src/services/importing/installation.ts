import { AppError } from '../../domain/errors.ts';
import type { ActedBy } from '../../domain/people/audit.ts';
import type { Instant } from '../../lib/instant.ts';
import { type ImportRow, isConflict, type PingTarget, type Writes } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';
import { keepForeignSecret } from '../core/foreign-secrets.ts';
import { projectOfKey } from '../project/imported-keys.ts';
import { type Change, type Declaration, ProvisionError } from '../provisioning/declaration.ts';
import { applyEntries, rolledBack } from '../provisioning/provision.ts';
import { type WrittenBeside, writeBeside } from './beside.ts';
import { contradictions } from './contradictions.ts';
import type { Import, Origin } from './import.ts';
import { type CarriedPings, countPings, type History, importPings, WantedPings } from './pings.ts';
import { EarlierEntries, IMPORTER, type KeptEntry, type Plan, planImport } from './plan.ts';

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
  readonly changes: readonly Change[];
  readonly carried: Carried;
  readonly kept: readonly KeptEntry[];
  /** Checks that are new here and have no integration, as `Alpha/nightly`. */
  readonly alertsNobody: readonly string[];
  /** The name of the project that the given API key opens. Null if it opens none. */
  readonly proved: string | null;
}

/** Numbers of new entries. */
export interface Carried extends CarriedPings, Omit<WrittenBeside, 'entries'> {
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
  const { row, targets, ...result } = await orRefused(() =>
    options.isDryRun
      ? rolledBack(deps.store, configure)
      : deps.store.transaction(configure, { sharesCommit: false }),
  );
  const wanted = new WantedPings(targets, options.history);
  const pings =
    options.history === 'none'
      ? { pings: 0, bodiesElsewhere: 0 }
      : options.isDryRun
        ? await countPings(source, row, wanted)
        : await importPings(deps, source, row, wanted, tell);
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
  readonly targets: readonly PingTarget[];
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
  const earlier = new EarlierEntries(await tx.imports.entriesOf(row.id));
  const hasHistory = history !== 'none';
  const plan = await planImport(deps, tx, source, earlier, { isAgain, isSilent, hasHistory });
  const reasons = [...source.refusals, ...(await contradictions(deps, tx, plan))];
  if (reasons.length > 0) throw new ImportRefusedError(reasons);
  const by: ActedBy = { accountId: null, name: PROGRAMS[program], means: 'import', remoteAddr: null };
  const author = { name: by.name, takesOver: false, claims: false, writer: IMPORTER };
  const { changes } = await applyEntries({ ...deps, by }, tx, author, declarationOf(source, plan));
  if (foreignSecret !== null) await keepForeignSecret(deps, tx, foreignSecret);
  const started = await startedPings(tx, row, plan);
  const { entries, ...beside } = await writeBeside({ ...deps, by }, tx, source, plan, earlier);
  await tx.imports.save(row.id, entries);
  await beginWatching(tx, now);
  const gone = isPart ? [] : goneFrom(source, earlier);
  return {
    changes,
    carried: { ...counted(plan, changes), ...beside },
    kept: [...plan.kept, ...gone],
    alertsNobody: plan.projects.flatMap(({ declared, checks }) => {
      const added = new Set(checks.filter(({ isNew }) => isNew).map(({ entry }) => entry));
      return declared.checks
        .filter(({ uuid = '', channels }) => added.has(uuid) && channels === '')
        .map(({ slug, uuid }) => `${declared.name}/${slug || uuid}`);
    }),
    proved: proof === null ? null : ((await projectOfKey(deps, tx, proof))?.name ?? null),
    row: started,
    targets: await tx.imports.pingTargets(row.id),
  };
}

function declarationOf({ declaration }: Import, { accounts, projects }: Plan): Declaration {
  return {
    ...declaration,
    accounts: accounts.filter(({ isNew }) => isNew).map(({ declared }) => declared),
    projects: projects.map(({ declared }) => declared),
  };
}

/** Checks that come later than others have pings before the place that was reached. */
async function startedPings(tx: Writes, row: ImportRow, { projects }: Plan): Promise<ImportRow> {
  const isLate = projects.some(({ checks }) => checks.some(({ isNew, pingCount }) => isNew && pingCount > 0));
  if (row.place === 0 || !isLate) return row;
  await tx.imports.startAgain(row);
  return { ...row, place: 0 };
}

/** A new installation begins to watch now: what comes due before its first start proves nothing. */
async function beginWatching(tx: Writes, now: Instant): Promise<void> {
  if ((await tx.liveness.lastBeatAt()) === null) await tx.liveness.beat('import', now, 0);
}

function goneFrom({ declaration }: Import, earlier: EarlierEntries): KeptEntry[] {
  const present = new Set(
    declaration.projects.flatMap(({ uuid, channels, checks }) => [
      uuid,
      ...channels.map((channel) => channel.uuid),
      ...checks.map((check) => check.uuid),
    ]),
  );
  return earlier.all
    .filter(({ kind, entry, home }) => kind !== 'account' && home !== null && !present.has(entry))
    .map(({ kind, entry }) => ({
      entry: `${kind === 'channel' ? 'integration' : kind} ${entry}`,
      field: null,
      reason: 'gone from the source',
    }));
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
    checks: created('check'),
  };
}
