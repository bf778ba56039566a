import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../../domain/alert/channel.ts';
import type { Check, NewCheck } from '../../domain/check/check.ts';
import { MAX_RESTORABLE_CHECKS } from '../../domain/check/check-deletion.ts';
import { decodeSources, mayOverwrite, type Overwriter, withoutKept } from '../../domain/check/sources.ts';
import type { Project } from '../../domain/people/project.ts';
import { settingsOf } from '../../integrations/registry.ts';
import { Fault } from '../../lib/fields.ts';
import type { Instant } from '../../lib/instant.ts';
import type { EarlierEntry, ImportedKind, Writes } from '../../storage/store.ts';
import type { Deps } from '../core/deps.ts';
import { pingKeyDigest } from '../project/projects.ts';
import type {
  DeclaredAccount,
  DeclaredChannel,
  DeclaredCheck,
  DeclaredKey,
  DeclaredProject,
} from '../provisioning/declaration.ts';
import { withState } from './check-state.ts';
import { type Fields, fieldsOf, type Merged, merge } from './fields.ts';
import type { Import, ImportedChannel, ImportedCheck } from './import.ts';

export interface PlanOptions {
  /** Whether entries come back that were imported before and deleted here. */
  readonly isAgain: boolean;
  /** Whether all integrations come switched off. */
  readonly isSilent: boolean;
  /** Whether changes of status come, too. */
  readonly hasHistory: boolean;
}

/** An entry that stays as it is here. */
export interface KeptEntry {
  /** `check Alpha/nightly` */
  readonly entry: string;
  /** The field that differs. Null: the whole entry. */
  readonly field: string | null;
  readonly reason: 'changed here' | 'deleted here' | 'moved here' | 'exists here' | 'gone from the source';
}

/** An entry of the source, and the digests that are kept of it. */
interface Planned {
  readonly entry: string;
  readonly isNew: boolean;
  readonly fields: Fields;
  /** Whether the digests have changed. */
  readonly isNoted: boolean;
}

export interface PlannedAccount extends Planned {
  readonly declared: DeclaredAccount;
}

export interface PlannedChannel extends Planned {
  readonly off: ImportedChannel['off'];
  readonly lastAttempt: ImportedChannel['lastAttempt'];
  /** Whether it is switched on or off again, as it is in the source by now. */
  readonly isSwitched: boolean;
}

export interface PlannedCheck extends Planned {
  readonly imported: ImportedCheck;
  /** Whether its state is taken from the source again. That of a new check is part of the declaration. */
  readonly takesState: boolean;
  /** Flips after this instant are not here yet. Null: they stay in the source. */
  readonly flipsAfter: Instant | null;
  readonly takesAliases: boolean;
  /** Pings of the source have numbers up to this one. */
  readonly pingCount: number;
}

export interface PlannedProject extends Planned {
  readonly declared: DeclaredProject;
  readonly channels: readonly PlannedChannel[];
  readonly checks: readonly PlannedCheck[];
}

/** What an import is going to do. */
export interface Plan {
  readonly accounts: readonly PlannedAccount[];
  readonly projects: readonly PlannedProject[];
  readonly kept: readonly KeptEntry[];
  /** Why it cannot be done. */
  readonly reasons: readonly string[];
}

/** UUIDs that are looked for at once. */
const CHECKS_AT_ONCE = 1_000;

/** Entries that earlier imports from the same installation have made. */
export class EarlierEntries {
  readonly all: readonly EarlierEntry[];
  readonly #byName: ReadonlyMap<string, EarlierEntry>;

  constructor(all: readonly EarlierEntry[]) {
    this.all = all;
    this.#byName = new Map(all.map((one) => [`${one.kind} ${one.entry}`, one]));
  }

  find(kind: ImportedKind, entry: string): EarlierEntry | undefined {
    return this.#byName.get(`${kind} ${entry}`);
  }

  /** The address that the account has by now. */
  emailOf(email: string): string {
    return this.find('account', email)?.home ?? email;
  }
}

/** Compares the source with what is here. Writes nothing. */
export async function planImport(
  deps: Deps,
  tx: Writes,
  source: Import,
  earlier: EarlierEntries,
  options: PlanOptions,
): Promise<Plan> {
  return new Planning(deps, tx, source, earlier, options).plan();
}

class Planning {
  readonly #deps: Deps;
  readonly #tx: Writes;
  readonly #source: Import;
  readonly #earlier: EarlierEntries;
  readonly #options: PlanOptions;
  readonly #now: Instant;
  readonly #kept: KeptEntry[] = [];
  readonly #reasons: string[] = [];

  constructor(deps: Deps, tx: Writes, source: Import, earlier: EarlierEntries, options: PlanOptions) {
    this.#deps = deps;
    this.#tx = tx;
    this.#source = source;
    this.#earlier = earlier;
    this.#options = options;
    this.#now = deps.clock.now();
  }

  async plan(): Promise<Plan> {
    const { declaration } = this.#source;
    const accounts: PlannedAccount[] = [];
    for (const account of declaration.accounts) accounts.push(...(await this.#planAccount(account)));
    const projects: PlannedProject[] = [];
    for (const project of declaration.projects) projects.push(...(await this.#planProject(project)));
    return { accounts, projects, kept: this.#kept, reasons: this.#reasons };
  }

  #keep(entry: string, field: string | null, reason: KeptEntry['reason']): void {
    this.#kept.push({ entry, field, reason });
  }

  /** Whether an entry that was imported before is gone and stays so. */
  #staysDeleted(kind: ImportedKind, entry: string, label: string): boolean {
    const isGone = this.#earlier.find(kind, entry)?.home === null && !this.#options.isAgain;
    if (isGone) this.#keep(label, null, 'deleted here');
    return isGone;
  }

  /** An account that exists keeps all of its own. */
  async #planAccount(declared: DeclaredAccount): Promise<PlannedAccount[]> {
    const { email } = declared;
    const label = `account ${email}`;
    if (this.#staysDeleted('account', email, label)) return [];
    const isKnown = this.#earlier.find('account', email) !== undefined;
    const exists = (await this.#tx.accounts.byEmail(this.#earlier.emailOf(email))) !== null;
    if (exists && !isKnown) this.#keep(label, null, 'exists here');
    if (exists && isKnown) return [];
    const { createdAt = this.#now, isActive = true } = this.#source.accounts.get(email) ?? {};
    const given = { createdAt, isActive };
    return [{ entry: email, isNew: !exists, fields: {}, isNoted: true, declared: { ...declared, given } }];
  }

  async #planProject(project: DeclaredProject): Promise<PlannedProject[]> {
    const { uuid = '' } = project;
    if (this.#staysDeleted('project', uuid, `project ${project.name}`)) return [];
    const found = await this.#tx.projects.byUuid(uuid);
    const here = found?.deletesAt === null ? found : null;
    await this.#requireOwnProject(project, found);
    const written = this.#earlier.find('project', uuid)?.fields ?? {};
    const there = fieldsOf(this.#deps, projectValues(project));
    const merged =
      here === null ? asNew(there) : merge(written, await this.#fieldsHere(here, project, written), there);
    const { declared, channels } = await this.#planChannels(project, here?.id);
    const planned = await this.#planChecks(project, here, new Set(channels.map(({ entry }) => entry)));
    const label = here?.name ?? project.name;
    for (const field of merged.kept) this.#keep(`project ${label}`, field, 'changed here');
    return [
      {
        entry: uuid,
        isNew: here === null,
        fields: merged.fields,
        isNoted: differs(written, merged.fields),
        declared: {
          ...project,
          ...(await this.#partOfProject(project, here, merged)),
          channels: declared,
          checks: planned.declared,
        },
        channels,
        checks: planned.checks,
      },
    ];
  }

  /** A project that was not imported may have the UUID. */
  async #requireOwnProject(
    { uuid = '', name, owner }: DeclaredProject,
    found: Project | null,
  ): Promise<void> {
    if (found === null || this.#earlier.find('project', uuid) !== undefined) return;
    if (found.deletesAt !== null)
      this.#reasons.push(`the project ${name} was deleted here and is not gone yet`);
    else if ((await this.#tx.accounts.ownerOf(found.id))?.email !== this.#earlier.emailOf(owner))
      this.#reasons.push(`the UUID of the project ${name} belongs to a project of another account`);
  }

  async #partOfProject(
    project: DeclaredProject,
    here: Project | null,
    { taken }: Merged,
  ): Promise<
    Pick<DeclaredProject, 'name' | 'owner' | 'members' | 'keys' | 'apiKeys'> & { badgeKey?: string }
  > {
    const members = project.members.map((member) => ({
      ...member,
      email: this.#earlier.emailOf(member.email),
    }));
    const badgeKey = this.#source.projects.get(project.uuid ?? '')?.badgeKey ?? undefined;
    if (here === null)
      return {
        ...project,
        owner: this.#earlier.emailOf(project.owner),
        members,
        ...(badgeKey !== undefined && { badgeKey }),
      };
    const owner = await this.#tx.accounts.ownerOf(here.id);
    const { readWrite, readOnly, ping } = project.keys;
    return {
      name: taken.has('name') ? project.name : here.name,
      owner: owner?.email ?? project.owner,
      members: members.filter((_, index) => taken.has(`member ${project.members[index]?.email}`)),
      keys: {
        ...(readWrite !== undefined && taken.has('read_write key') && { readWrite }),
        ...(readOnly !== undefined && taken.has('read_only key') && { readOnly }),
        ...(ping !== undefined && taken.has('ping key') && { ping }),
      },
      apiKeys: project.apiKeys.filter((key) => taken.has(keyField(key))),
    };
  }

  /** Of API keys only digests are known, so they are as they were written. */
  async #fieldsHere(here: Project, project: DeclaredProject, written: Fields): Promise<Fields> {
    const values: Record<string, unknown> = {
      name: here.name,
      'ping key': here.pingKeyDigest ?? undefined,
    };
    for (const { email } of project.members) {
      const account = await this.#tx.accounts.byEmail(this.#earlier.emailOf(email));
      const role = account && (await this.#tx.projects.roleOf(here.id, account.id));
      values[`member ${email}`] = role ?? undefined;
    }
    const keys = Object.entries(written).filter(([name]) => name.includes('key') && name !== 'ping key');
    return { ...Object.fromEntries(keys), ...fieldsOf(this.#deps, values) };
  }

  async #planChannels(
    project: DeclaredProject,
    projectId: number | undefined,
  ): Promise<{ declared: DeclaredChannel[]; channels: PlannedChannel[] }> {
    const declared: DeclaredChannel[] = [];
    const channels: PlannedChannel[] = [];
    const isThere = (uuid: string) => {
      const known = this.#earlier.find('channel', uuid);
      return this.#options.isAgain || known === undefined || known.home !== null;
    };
    for (const given of project.channels) {
      const { uuid = '' } = given;
      const label = `integration ${project.name}/${given.kind}/${given.name || uuid}`;
      if (this.#staysDeleted('channel', uuid, label)) continue;
      const channel = given.kind === 'group' ? withMembers(given, isThere) : given;
      const here = await this.#tx.channels.byUuid(uuid);
      if (here !== null && here.projectId !== projectId) {
        this.#reasons.push(`the UUID of the ${label} belongs to an integration of another project`);
        continue;
      }
      const written = this.#earlier.find('channel', uuid)?.fields ?? {};
      const imported = this.#source.channels.get(uuid);
      const off = this.#options.isSilent ? this.#silence : (imported?.off ?? null);
      const there = fieldsOf(this.#deps, channelValues(channel, off));
      const merged = here === null ? asNew(there) : merge(written, this.#fieldsOfChannel(here), there);
      for (const field of merged.kept) this.#keep(label, field, 'changed here');
      channels.push({
        entry: uuid,
        isNew: here === null,
        fields: merged.fields,
        isNoted: differs(written, merged.fields),
        off,
        lastAttempt: here === null ? (imported?.lastAttempt ?? null) : null,
        isSwitched: here !== null && merged.taken.has('off'),
      });
      if (here === null) declared.push(channel);
      else if (['name', 'settings', 'verified'].some((field) => merged.taken.has(field)))
        declared.push(partOfChannel(this.#deps, channel, here, merged));
    }
    return { declared, channels };
  }

  get #silence(): ImportedChannel['off'] {
    return { reason: 'switched_off', error: 'Imported with --alerts off', at: this.#now };
  }

  #fieldsOfChannel(channel: Channel): Fields {
    const settings = settingsOf(channel, this.#deps.vault);
    return fieldsOf(this.#deps, channelValues({ ...channel, settings }, channel.off));
  }

  async #planChecks(
    project: DeclaredProject,
    here: Project | null,
    channels: ReadonlySet<string>,
  ): Promise<{ declared: DeclaredCheck[]; checks: PlannedCheck[] }> {
    const existing = here === null ? null : await this.#existingChecks(here.id);
    const declared: DeclaredCheck[] = [];
    const checks: PlannedCheck[] = [];
    const elsewhere = await this.#takenElsewhere(project, existing);
    const deleted = new Set(here === null ? [] : await this.#deletedChecks(here.id));
    for (const given of project.checks) {
      const { uuid = '', edit } = given;
      const imported = this.#source.checks.get(uuid);
      const label = `check ${project.name}/${given.slug || uuid}`;
      if (imported === undefined || this.#isElsewhere(project, uuid, label)) continue;
      if (deleted.has(uuid) && this.#earlier.find('check', uuid) === undefined) {
        this.#keep(label, null, 'deleted here');
        continue;
      }
      if (elsewhere.has(uuid)) {
        this.#reasons.push(`the UUID of the ${label} belongs to a check of another project`);
        continue;
      }
      const wanted = (given.channels ?? '').split(',').filter((channel) => channels.has(channel));
      const there = {
        ...fieldsOf(this.#deps, { config: [edit, wanted.toSorted()], slug: given.slug }),
        ...this.#ownFields(imported),
      };
      const known = this.#earlier.find('check', uuid);
      const found = existing?.get(uuid);
      if (found === undefined) {
        const asItWas = (check: NewCheck) => this.#asItWas(check, imported);
        declared.push({ ...given, channels: wanted.join(','), asItWas });
        checks.push(this.#newCheck(uuid, imported, there));
      } else if (known === undefined || differs(known.fields, there)) {
        const [check] = await this.#tx.checks.byIds([found]);
        if (check === undefined) continue;
        const merged = this.#mergeCheck(check, known, there);
        checks.push(this.#knownCheck(imported, known, merged, uuid));
        for (const field of merged.kept) this.#keep(label, field, 'changed here');
        if (!merged.taken.has('config')) continue;
        const { slug: _, ...others } = edit;
        const part = { ...given, edit: merged.taken.has('slug') ? edit : others, channels: wanted.join(',') };
        for (const field of await this.#keptFields(check, part)) this.#keep(label, field, 'changed here');
        declared.push(part);
      }
    }
    return { declared, checks };
  }

  /** UUIDs that checks of other projects have. */
  async #takenElsewhere(
    { checks }: DeclaredProject,
    existing: ReadonlyMap<string, number> | null,
  ): Promise<ReadonlySet<string>> {
    const missing = checks.flatMap(({ uuid = '' }) =>
      existing?.has(uuid) || this.#earlier.find('check', uuid) !== undefined ? [] : [uuid],
    );
    const taken = new Set<string>();
    for (let first = 0; first < missing.length; first += CHECKS_AT_ONCE) {
      const some = await this.#tx.checks.taken(missing.slice(first, first + CHECKS_AT_ONCE));
      for (const uuid of some) taken.add(uuid);
    }
    return taken;
  }

  async #existingChecks(projectId: number): Promise<ReadonlyMap<string, number>> {
    return new Map((await this.#tx.checks.namesOfProject(projectId)).map(({ uuid, id }) => [uuid, id]));
  }

  /** UUIDs of checks that can be restored. */
  async #deletedChecks(projectId: number): Promise<string[]> {
    const deleted = await this.#tx.deletedChecks.ofProject(projectId, this.#now, MAX_RESTORABLE_CHECKS);
    return deleted.map(({ uuid }) => uuid);
  }

  /** Whether a check that was imported before is not in its project any more. */
  #isElsewhere(project: DeclaredProject, uuid: string, label: string): boolean {
    const known = this.#earlier.find('check', uuid);
    if (known === undefined || known.home === project.uuid) return false;
    if (known.home === null) return this.#staysDeleted('check', uuid, label);
    this.#keep(label, null, 'moved here');
    return true;
  }

  #asItWas(check: NewCheck, imported: ImportedCheck): NewCheck {
    const createdAt = Math.min(imported.createdAt, this.#now);
    const badgeKey = imported.badgeKey ?? check.badgeKey;
    return withState({ ...check, createdAt, badgeKey }, imported, this.#now);
  }

  /** Fields of a check that only imports write. That of flips is the instant of the last one. */
  #ownFields({ state, flips, aliases }: ImportedCheck): Fields {
    const last = this.#options.hasHistory ? flips.at(-1) : undefined;
    const tokens = aliases.map(({ dialect, token }) => `${dialect} ${token}`).toSorted();
    return {
      ...fieldsOf(this.#deps, { state, ...(tokens.length > 0 && { aliases: tokens }) }),
      ...(last !== undefined && { flips: String(last.createdAt) }),
    };
  }

  #newCheck(entry: string, imported: ImportedCheck, fields: Fields): PlannedCheck {
    return {
      ...{ entry, isNew: true, fields, isNoted: true, imported, takesState: false, takesAliases: true },
      flipsAfter: this.#options.hasHistory ? BEFORE_ALL : null,
      pingCount: imported.state.pingCount,
    };
  }

  /** Status and history are taken again only while the check has had no ping here. */
  #mergeCheck(check: Check, known: EarlierEntry | undefined, there: Fields): Merged {
    const written = known?.fields ?? {};
    const { slug, ...others } = written;
    const here = { ...others, ...fieldsOf(this.#deps, { slug: check.slug }) };
    const isPinged = known === undefined || check.pingCount !== known.pingCount;
    return merge(written, here, isPinged ? { ...without(there, HISTORY), ...pick(written, HISTORY) } : there);
  }

  /** Fields that somebody else has set, and that the source has otherwise. */
  async #keptFields(check: Check, { edit, channels }: DeclaredCheck): Promise<string[]> {
    const { kept } = withoutKept(check, edit, IMPORTER);
    const assigned = (await this.#tx.checks.channelsOf(check.id)).toSorted().join(',');
    const wanted = (channels ?? '').split(',').toSorted().join(',');
    const mayAssign = mayOverwrite(IMPORTER, decodeSources(check.sources), 'integrations');
    return assigned === wanted || mayAssign ? [...kept] : [...kept, 'integrations'];
  }

  #knownCheck(
    imported: ImportedCheck,
    known: EarlierEntry | undefined,
    { taken, fields }: Merged,
    entry: string,
  ): PlannedCheck {
    const written = known?.fields ?? {};
    const takesState = taken.has('state');
    return {
      ...{ entry, isNew: false, fields, isNoted: true, imported, takesState },
      flipsAfter: taken.has('flips') ? Number(written.flips ?? BEFORE_ALL) : null,
      takesAliases: taken.has('aliases'),
      pingCount: takesState ? imported.state.pingCount : (known?.pingCount ?? 0),
    };
  }
}

const BEFORE_ALL: Instant = -1;

/** Fields of checks that others have set stay as they are. */
export const IMPORTER: Overwriter = { by: 'import' };

/** Fields of a check that follow its pings. */
const HISTORY = ['state', 'flips'] as const;

const asNew = (fields: Fields): Merged => ({ taken: new Set(), kept: [], fields });

function differs(one: Fields, other: Fields): boolean {
  return !isDeepStrictEqual({ ...one }, { ...other });
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function projectValues({ name, keys, apiKeys, members }: DeclaredProject): Readonly<Record<string, unknown>> {
  return {
    name,
    'ping key': keys.ping === undefined ? undefined : pingKeyDigest(keys.ping),
    'read_write key': keys.readWrite,
    'read_only key': keys.readOnly,
    ...Object.fromEntries(apiKeys.map((key) => [keyField(key), key.secret])),
    ...Object.fromEntries(members.map(({ email, role = 'member' }) => [`member ${email}`, role])),
  };
}

const keyField = ({ kind, name }: DeclaredKey): string => `${kind} key ${name}`;

function channelValues(
  {
    name,
    settings,
    verified,
  }: { readonly name: string; readonly settings: unknown; readonly verified: boolean },
  off: ImportedChannel['off'],
): Readonly<Record<string, unknown>> {
  return { name, settings, verified, off: off === null ? undefined : true };
}

/** A group without the members that are gone. */
function withMembers(group: DeclaredChannel, isThere: (uuid: string) => boolean): DeclaredChannel {
  const { channels } = group.settings;
  if (!Array.isArray(channels)) return group;
  return { ...group, settings: { ...group.settings, channels: channels.filter(isThere) } };
}

/** The channel as it is here, with the fields that are taken from the source. */
function partOfChannel(
  { vault }: Pick<Deps, 'vault'>,
  there: DeclaredChannel,
  here: Channel,
  { taken }: Merged,
): DeclaredChannel {
  const settings = settingsOf(here, vault);
  const isReadable = !(settings instanceof Fault);
  return {
    ...there,
    name: taken.has('name') ? there.name : here.name,
    settings: taken.has('settings') || !isReadable ? there.settings : settings,
    verified: taken.has('verified') ? there.verified : here.verified,
  };
}
