import type { Channel } from '../../domain/alert/channel.ts';
import type { Account } from '../../domain/people/account.ts';
import type { Project } from '../../domain/people/project.ts';
import type { ImportedEntry, ImportedKind, Writes } from '../../storage/store.ts';
import { importPassword } from '../people/old-passwords.ts';
import { importKey } from '../project/imported-keys.ts';
import type { ProvisionDeps } from '../provisioning/acts.ts';
import type { Import, ImportedAccount, ImportedProject } from './import.ts';
import type { Plan } from './plan.ts';
import type { PlannedChannel } from './planning/channels.ts';
import type { PlannedProject } from './planning/projects.ts';

/** What was written beside the declaration of accounts, projects and integrations. */
export interface WrittenBeside {
  readonly entries: readonly ImportedEntry[];
  readonly secondFactors: number;
  readonly digestedKeys: number;
}

/** Writes what no file can say, in the transaction in which the declaration was applied. */
export async function writeBeside(
  deps: ProvisionDeps,
  tx: Writes,
  source: Import,
  plan: Pick<Plan, 'accounts' | 'projects'>,
): Promise<WrittenBeside> {
  const written = new Beside(deps, tx, source);
  await written.accounts(plan);
  for (const project of plan.projects) await written.project(project);
  return written.result();
}

class Beside {
  readonly #deps: ProvisionDeps;
  readonly #tx: Writes;
  readonly #source: Import;
  readonly #entries: ImportedEntry[] = [];
  #secondFactors = 0;
  #keys = 0;

  constructor(deps: ProvisionDeps, tx: Writes, source: Import) {
    this.#deps = deps;
    this.#tx = tx;
    this.#source = source;
  }

  result(): WrittenBeside {
    return { entries: this.#entries, secondFactors: this.#secondFactors, digestedKeys: this.#keys };
  }

  #note(kind: ImportedKind, { entry, fields }: Pick<ImportedEntry, 'entry' | 'fields'>, rowId: number) {
    this.#entries.push({ kind, entry, rowId, fields, pingCount: 0 });
  }

  async accounts({ accounts }: Pick<Plan, 'accounts'>): Promise<void> {
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
}

/** No code of the app was used yet. */
const NO_STEP = 0;
