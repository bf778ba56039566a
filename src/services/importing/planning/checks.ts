import type { Check, NewCheck } from '../../../domain/check/check.ts';
import { decodeSources, mayOverwrite, type Overwriter, withoutKept } from '../../../domain/check/sources.ts';
import type { Instant } from '../../../lib/instant.ts';
import type { EarlierEntry } from '../../../storage/store.ts';
import type { DeclaredCheck } from '../../provisioning/declaration.ts';
import { withState } from '../check-state.ts';
import type { ImportedCheck } from '../import.ts';
import { type Fields, fieldsOf, type Merged, merge } from './fields.ts';
import { differs, keepFields, type PlannedEntry, type Planning, staysDeleted } from './planning.ts';
import type { PlannedProject } from './projects.ts';

export interface PlannedCheck extends Pick<PlannedEntry, 'entry' | 'isNew'> {
  readonly imported: ImportedCheck;
  /** Its id here. Null if it is new. */
  readonly id: number | null;
  /** The part of its settings that is applied. Null if all stay as they are. */
  readonly declared: DeclaredCheck | null;
  /** The digests that are kept of it. They are costly, and not asked for before they are written. */
  fields(): Fields;
  /** Its entry of the last import. */
  readonly known: EarlierEntry | undefined;
  /** Whether its state is taken from the source again. That of a new check is part of the declaration. */
  readonly takesState: boolean;
  /** Flips after this instant are not here yet. Null: they stay in the source. */
  readonly flipsAfter: Instant | null;
  readonly takesAliases: boolean;
  /** Pings of the source have numbers up to this one. */
  readonly pingCount: number;
}

/** Fields of checks that others have set stay as they are. */
export const IMPORTER: Overwriter = { by: 'import' };

const BEFORE_ALL: Instant = -1;

/** Fields of a check that follow its pings. */
const HISTORY = ['state', 'flips'] as const;

/** Plans some checks of the project. Returns those that are new or have changed. */
export async function planChecks(
  planning: Planning,
  project: PlannedProject,
  imported: readonly ImportedCheck[],
): Promise<PlannedCheck[]> {
  const candidates = (await candidatesOf(planning, project, imported)).filter(
    (one) => one.id === null || differs(one.known?.fields ?? {}, fieldsThere(planning, one)),
  );
  const ids = candidates.flatMap(({ id }) => id ?? []);
  const found = ids.length === 0 ? [] : await planning.tx.checks.byIds(ids);
  const checks = new Map(found.map((check) => [check.id, check]));
  const planned: PlannedCheck[] = [];
  for (const candidate of candidates) {
    const check = checks.get(candidate.id ?? 0);
    if (candidate.id === null) planned.push(newCheck(planning, candidate));
    else if (check !== undefined) planned.push(await changedCheck(planning, candidate, check));
  }
  return planned;
}

interface Candidate {
  readonly imported: ImportedCheck;
  /** `check Alpha/nightly` */
  readonly label: string;
  /** Its id here. Null if it is new. */
  readonly id: number | null;
  readonly known: EarlierEntry | undefined;
  /** The UUIDs of its integrations that come. */
  readonly channels: readonly string[];
}

/** The checks that may come. The reasons of the others are noted. */
async function candidatesOf(
  planning: Planning,
  project: PlannedProject,
  imported: readonly ImportedCheck[],
): Promise<Candidate[]> {
  const { tx, importId, kept, reasons } = planning;
  const uuids = imported.map(({ declared }) => declared.uuid);
  const earlier = new Map((await tx.imports.checksAmong(importId, uuids)).map((one) => [one.entry, one]));
  const names = project.here === null ? [] : await tx.checks.namesIn(project.here.id, { uuids, slugs: [] });
  const ids = new Map(names.map(({ uuid, id }) => [uuid, id]));
  const channels = new Set(project.channels.map(({ entry }) => entry));
  const elsewhere = await tx.checks.knownUuids(uuids.filter((uuid) => !ids.has(uuid) && !earlier.has(uuid)));
  return imported.flatMap((one) => {
    const { uuid, slug } = one.declared;
    const label = `check ${project.name}/${slug || uuid}`;
    const known = earlier.get(uuid);
    if (isElsewhere(planning, project, known, label)) return [];
    if (known === undefined && project.deletedChecks.has(uuid)) {
      kept.push({ entry: label, field: null, reason: 'deleted here' });
      return [];
    }
    if (elsewhere.has(uuid)) {
      reasons.push(`the UUID of the ${label} belongs to a check of another project`);
      return [];
    }
    const wanted = (one.declared.channels ?? '').split(',').filter((channel) => channels.has(channel));
    return [{ imported: one, label, id: ids.get(uuid) ?? null, known, channels: wanted }];
  });
}

/** Whether a check that was imported before is not in its project any more. */
function isElsewhere(
  planning: Planning,
  project: PlannedProject,
  known: EarlierEntry | undefined,
  label: string,
): boolean {
  if (known === undefined || known.home === project.entry) return false;
  if (known.home === null) return staysDeleted(planning, known, label);
  planning.kept.push({ entry: label, field: null, reason: 'moved here' });
  return true;
}

/** Fields that only imports write are among them. That of flips is the instant of the last one. */
function fieldsThere(
  { deps, options }: Planning,
  { imported, channels }: Pick<Candidate, 'imported' | 'channels'>,
): Fields {
  const { declared, state, flips, aliases } = imported;
  const last = options.hasHistory ? flips.at(-1) : undefined;
  const tokens = aliases.map(({ dialect, token }) => `${dialect} ${token}`).toSorted();
  return {
    ...fieldsOf(deps, { config: [declared.edit, channels.toSorted()], slug: declared.slug, state }),
    ...(tokens.length > 0 && fieldsOf(deps, { aliases: tokens })),
    ...(last !== undefined && { flips: String(last.createdAt) }),
  };
}

function newCheck(planning: Planning, candidate: Candidate): PlannedCheck {
  const { options, now } = planning;
  const { imported, known, channels } = candidate;
  const asItWas = (check: NewCheck): NewCheck => {
    const createdAt = Math.min(imported.createdAt, now);
    const badgeKey = imported.badgeKey ?? check.badgeKey;
    return withState({ ...check, createdAt, badgeKey }, imported, now);
  };
  return {
    entry: imported.declared.uuid,
    isNew: true,
    imported,
    id: null,
    known,
    fields: () => fieldsThere(planning, candidate),
    declared: { ...imported.declared, channels: channels.join(','), asItWas },
    takesState: false,
    flipsAfter: options.hasHistory ? BEFORE_ALL : null,
    takesAliases: true,
    pingCount: imported.state.pingCount,
  };
}

async function changedCheck(planning: Planning, candidate: Candidate, check: Check): Promise<PlannedCheck> {
  const { imported, label, known, id } = candidate;
  const { taken, kept, fields } = mergeCheck(planning, candidate, check);
  keepFields(planning, label, kept);
  const declared = taken.has('config') ? await partOfCheck(planning, candidate, check, taken) : null;
  const takesState = taken.has('state');
  return {
    entry: imported.declared.uuid,
    isNew: false,
    imported,
    id,
    known,
    fields: () => fields,
    declared,
    takesState,
    flipsAfter: taken.has('flips') ? Number(known?.fields.flips ?? BEFORE_ALL) : null,
    takesAliases: taken.has('aliases'),
    pingCount: takesState ? imported.state.pingCount : (known?.pingCount ?? 0),
  };
}

/** Status and history are taken again only while the check has had no ping here. */
function mergeCheck(planning: Planning, candidate: Candidate, check: Check): Merged {
  const { known } = candidate;
  const written = known?.fields ?? {};
  const there = fieldsThere(planning, candidate);
  const { slug, ...others } = written;
  const here = { ...others, ...fieldsOf(planning.deps, { slug: check.slug }) };
  const isPinged = known === undefined || check.pingCount !== known.pingCount;
  return merge(written, here, isPinged ? { ...without(there, HISTORY), ...pick(written, HISTORY) } : there);
}

/** The settings of the source. The slug is left out if somebody has changed it. */
async function partOfCheck(
  planning: Planning,
  { imported, label, channels }: Candidate,
  check: Check,
  taken: ReadonlySet<string>,
): Promise<DeclaredCheck> {
  const { slug: _, ...others } = imported.declared.edit;
  const edit = taken.has('slug') ? imported.declared.edit : others;
  const part = { ...imported.declared, edit, channels: channels.join(',') };
  keepFields(planning, label, await keptFields(planning, check, part));
  return part;
}

/** Fields that somebody else has set, and that the source has otherwise. */
async function keptFields(
  { tx }: Planning,
  check: Check,
  { edit, channels }: DeclaredCheck,
): Promise<string[]> {
  const { kept } = withoutKept(check, edit, IMPORTER);
  const assigned = (await tx.checks.channelsOf(check.id)).toSorted().join(',');
  const wanted = (channels ?? '').split(',').toSorted().join(',');
  const mayAssign = mayOverwrite(IMPORTER, decodeSources(check.sources), 'integrations');
  return assigned === wanted || mayAssign ? [...kept] : [...kept, 'integrations'];
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
