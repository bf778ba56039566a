import type { Channel } from '../../domain/alert/channel.ts';
import type { Check } from '../../domain/check/check.ts';
import type { Account } from '../../domain/people/account.ts';
import type { Project } from '../../domain/people/project.ts';
import { type Dialects, encodeDialects } from '../../domain/ping/dialect.ts';
import type { Instant } from '../../lib/instant.ts';
import { sha256 } from '../../lib/vault.ts';
import type { ImportedEntry, ImportedKind, Writes } from '../../storage/store.ts';
import { recordInProject } from '../core/audit.ts';
import { importPassword } from '../people/old-passwords.ts';
import { insertAlias } from '../ping/aliases.ts';
import { importKey } from '../project/imported-keys.ts';
import { projectSubject } from '../project/projects.ts';
import { actorIn, type ProvisionDeps } from '../provisioning/acts.ts';
import { closingFlip, withState } from './check-state.ts';
import type { Import, ImportedAccount, ImportedProject } from './import.ts';
import type { EarlierEntries, Plan, PlannedChannel, PlannedCheck, PlannedProject } from './plan.ts';

/** Flips and entries that are written at once. */
const AT_ONCE = 1_000;

/** What was written beside the declaration. */
export interface WrittenBeside {
  readonly entries: readonly ImportedEntry[];
  readonly flips: number;
  readonly aliases: number;
  readonly secondFactors: number;
  readonly digestedKeys: number;
}

/** Writes what no file can say, in the transaction in which the declaration was applied. */
export async function writeBeside(
  deps: ProvisionDeps,
  tx: Writes,
  source: Import,
  plan: Plan,
  earlier: EarlierEntries,
): Promise<WrittenBeside> {
  const written = new Beside(deps, tx, source, earlier);
  await written.accounts(plan);
  for (const project of plan.projects) await written.project(project);
  return written.result();
}

class Beside {
  readonly #deps: ProvisionDeps;
  readonly #tx: Writes;
  readonly #source: Import;
  readonly #earlier: EarlierEntries;
  readonly #now: Instant;
  readonly #entries: ImportedEntry[] = [];
  #flips = 0;
  #aliases = 0;
  #secondFactors = 0;
  #keys = 0;

  constructor(deps: ProvisionDeps, tx: Writes, source: Import, earlier: EarlierEntries) {
    this.#deps = deps;
    this.#tx = tx;
    this.#source = source;
    this.#earlier = earlier;
    this.#now = deps.clock.now();
  }

  result(): WrittenBeside {
    return {
      entries: this.#entries,
      flips: this.#flips,
      aliases: this.#aliases,
      secondFactors: this.#secondFactors,
      digestedKeys: this.#keys,
    };
  }

  #note(
    kind: ImportedKind,
    { entry, fields }: Pick<ImportedEntry, 'entry' | 'fields'>,
    rowId: number,
    pingCount = 0,
  ) {
    this.#entries.push({ kind, entry, rowId, fields, pingCount });
  }

  async accounts({ accounts }: Plan): Promise<void> {
    for (const planned of accounts) {
      const account = await this.#tx.accounts.byEmail(planned.declared.email);
      if (account === null) continue;
      this.#note('account', planned, account.id);
      const imported = this.#source.accounts.get(planned.entry);
      if (planned.isNew && imported !== undefined) await this.#addAccount(account, imported);
    }
  }

  async #addAccount(
    { id }: Account,
    { addressForm, passwordHash, totpSecret, securityKeys, createdAt }: ImportedAccount,
  ): Promise<void> {
    const { vault, random } = this.#deps;
    await this.#tx.accounts.setAddressForm(id, addressForm);
    if (passwordHash !== null) await importPassword(this.#tx, id, passwordHash);
    if (totpSecret !== null) {
      const sealedSecret = vault.seal(totpSecret);
      await this.#tx.secondFactors.addAuthenticator({ accountId: id, sealedSecret, createdAt }, NO_STEP);
    }
    for (const key of securityKeys) {
      // Another account may have it.
      if ((await this.#tx.passkeys.byCredentialId(key.credentialId)) !== null) continue;
      await this.#tx.passkeys.insert({
        ...key,
        ...{ uuid: random.uuid(), accountId: id, kind: 'security_key', counter: 0, lastUsedAt: null },
      });
      this.#secondFactors += 1;
    }
    this.#secondFactors += totpSecret === null ? 0 : 1;
  }

  async project(planned: PlannedProject): Promise<void> {
    const project = await this.#tx.projects.byUuid(planned.entry);
    if (project === null) return;
    if (planned.isNoted) this.#note('project', planned, project.id);
    const imported = this.#source.projects.get(planned.entry);
    if (planned.isNew && imported !== undefined) await this.#addKeys(project, imported);
    await this.#writeChannels(project, planned.channels);
    await this.#writeChecks(project, planned.checks);
  }

  /** Keys whose digests another program has made. */
  async #addKeys(project: Project, { digestedKeys }: ImportedProject): Promise<void> {
    const { by } = this.#deps;
    for (const key of digestedKeys) {
      const done = await importKey(this.#deps, this.#tx, project, { ...key, name: by.name, by });
      if (done === 'imported') this.#keys += 1;
    }
  }

  async #writeChannels(project: Project, channels: readonly PlannedChannel[]): Promise<void> {
    const touched = channels.filter(({ isNoted }) => isNoted);
    if (touched.length === 0) return;
    const rows = new Map((await this.#tx.channels.ofProject(project.id)).map((row) => [row.uuid, row]));
    for (const planned of touched) {
      const channel = rows.get(planned.entry);
      if (channel === undefined) continue;
      this.#note('channel', planned, channel.id);
      await this.#writeChannel(channel, planned);
    }
  }

  async #writeChannel(channel: Channel, planned: PlannedChannel): Promise<void> {
    const { off, lastAttempt, isNew, isSwitched } = planned;
    if (lastAttempt !== null) await this.#tx.channels.noteEarlierAttempt(channel, lastAttempt);
    if (off !== null && (isNew || isSwitched)) await this.#tx.channels.switchOff(channel, off);
    if (off === null && isSwitched) await this.#tx.channels.update({ ...channel, off: null });
  }

  async #writeChecks(project: Project, checks: readonly PlannedCheck[]): Promise<void> {
    const touched = checks.filter(({ isNoted }) => isNoted);
    if (touched.length === 0) return;
    const names = await this.#tx.checks.namesOfProject(project.id);
    const ids = new Map(names.map(({ uuid, id }) => [uuid, id]));
    const written = touched.flatMap((planned) => {
      const id = ids.get(planned.entry);
      return id === undefined ? [] : [{ planned, id }];
    });
    const own: WrittenCheck[] = [];
    for (const { planned, id } of written) {
      const known = this.#earlier.find('check', planned.entry);
      // A check that was deleted is restored with its history.
      const isRestored = planned.isNew && known?.rowId === id;
      this.#note('check', planned, id, isRestored ? known.pingCount : planned.pingCount);
      if (!isRestored) own.push({ planned, id });
    }
    const isFlipped = await this.#writeStates(own);
    await this.#writeFlips(own, isFlipped);
    await this.#writeAliases(project, own);
    await this.#remind(project, checks);
  }

  /** Returns the ids of checks whose status has changed. */
  async #writeStates(checks: readonly WrittenCheck[]): Promise<ReadonlySet<number>> {
    const states: Check[] = [];
    const flipped = new Set<number>();
    for (const { planned, id } of checks) {
      if (!planned.takesState) continue;
      const check = await this.#tx.checks.lock(id);
      if (check === null) continue;
      states.push(withState(check, planned.imported, this.#now));
      if (check.status !== planned.imported.state.status) flipped.add(id);
    }
    if (states.length > 0) await this.#tx.checks.saveStates(states);
    return flipped;
  }

  /** Nobody is told of these. */
  async #writeFlips(checks: readonly WrittenCheck[], flipped: ReadonlySet<number>): Promise<void> {
    const flips = checks.flatMap(({ planned: { imported, flipsAfter, isNew }, id: checkId }) => {
      const since = flipsAfter ?? Number.POSITIVE_INFINITY;
      const isClosed = flipped.has(checkId) || (isNew && flipsAfter !== null);
      return [
        ...imported.flips.filter(({ createdAt }) => createdAt > since),
        ...(isClosed ? closingFlip(imported, this.#now) : []),
      ].map((flip) => ({ ...flip, checkId }));
    });
    for (let first = 0; first < flips.length; first += AT_ONCE)
      await this.#tx.flips.insertMany(flips.slice(first, first + AT_ONCE));
    this.#flips += flips.length;
  }

  async #writeAliases(project: Project, checks: readonly WrittenCheck[]): Promise<void> {
    const wanted = checks.flatMap(({ planned, id }) =>
      planned.takesAliases ? planned.imported.aliases.map((alias) => ({ ...alias, checkId: id })) : [],
    );
    if (wanted.length === 0) return;
    for (const alias of wanted) {
      const known = await this.#tx.pingAliases.byDigests([sha256(alias.token)]);
      if (known.some(({ dialect }) => dialect === alias.dialect)) continue;
      await insertAlias(this.#deps, this.#tx, alias);
      this.#aliases += 1;
    }
    const before = await this.#tx.pingAliases.dialectsOf(project.id);
    const isWanted = (dialect: 'kuma' | 'cronitor') => wanted.some((alias) => alias.dialect === dialect);
    const after: Dialects = {
      kuma: before.kuma || isWanted('kuma'),
      cronitor: before.cronitor ?? (isWanted('cronitor') ? { create: false } : null),
    };
    if (encodeDialects(after) === encodeDialects(before)) return;
    await this.#tx.pingAliases.setDialects(project.id, after);
    await recordInProject(this.#deps, this.#tx, actorIn(this.#deps, project), {
      action: 'project.dialects_changed',
      subject: projectSubject(project),
      details: { before: { dialects: before }, after: { dialects: after } },
    });
  }

  /** Reminds people about checks that are down. No change of status here does it. */
  async #remind(project: Project, checks: readonly PlannedCheck[]): Promise<void> {
    const isDown = ({ isNew, takesState, imported }: PlannedCheck) =>
      (isNew || takesState) && imported.state.status === 'down';
    if (!checks.some(isDown)) return;
    const reminded = await this.#tx.mailPreferences.lockProjectAccountsToRemind(project.id);
    await this.#tx.mailPreferences.updateReminderDates(reminded, this.#now);
  }
}

interface WrittenCheck {
  readonly planned: PlannedCheck;
  readonly id: number;
}

/** No code of the app was used yet. */
const NO_STEP = 0;
