import type { Check } from '../../domain/check/check.ts';
import type { Project } from '../../domain/people/project.ts';
import { type Dialects, encodeDialects } from '../../domain/ping/dialect.ts';
import { groupsOf } from '../../lib/groups.ts';
import type { Instant } from '../../lib/instant.ts';
import { sha256 } from '../../lib/vault.ts';
import type { Writes } from '../../storage/store.ts';
import { recordInProject } from '../core/audit.ts';
import { insertAlias } from '../ping/aliases.ts';
import { projectSubject } from '../project/projects.ts';
import { actorIn, type ProvisionDeps } from '../provisioning/acts.ts';
import { closingFlip, withState } from './check-state.ts';
import type { PlannedCheck } from './planning/checks.ts';

/** Flips that are written at once. */
const FLIPS_AT_ONCE = 1_000;

/** Writes what no file can say of checks, in the transaction in which the declaration is applied. */
export class CheckWriter {
  readonly #deps: ProvisionDeps;
  readonly #tx: Writes;
  readonly #importId: number;
  readonly #now: Instant;
  /** Projects of checks that have come, or gone, down. */
  readonly #down = new Map<number, Project>();
  flips = 0;
  aliases = 0;

  constructor(deps: ProvisionDeps, tx: Writes, importId: number) {
    this.#deps = deps;
    this.#tx = tx;
    this.#importId = importId;
    this.#now = deps.clock.now();
  }

  /** Writes some checks of the project whose settings are written already. */
  async write(project: Project, checks: readonly PlannedCheck[]): Promise<void> {
    if (checks.length === 0) return;
    const uuids = checks.map(({ entry }) => entry);
    const names = await this.#tx.checks.namesIn(project.id, { uuids, slugs: [] });
    const ids = new Map(names.map(({ uuid, id }) => [uuid, id]));
    const written = checks.flatMap((planned) => {
      const id = ids.get(planned.entry);
      if (id === undefined) return [];
      // A check that was deleted is restored with its history.
      return [{ planned, id, isRestored: planned.isNew && planned.known?.rowId === id }];
    });
    const own = written.filter(({ isRestored }) => !isRestored);
    await this.#writeFlips(own, await this.#writeStates(own));
    await this.#writeAliases(project, own);
    if (checks.some(isDown)) this.#down.set(project.id, project);
    await this.#tx.imports.save(
      this.#importId,
      written.map(({ planned, id: rowId, isRestored }) => {
        const { entry, known } = planned;
        const pingCount = isRestored ? (known?.pingCount ?? 0) : planned.pingCount;
        return { kind: 'check', entry, rowId, fields: planned.fields(), pingCount };
      }),
    );
  }

  /** Reminds people about checks that are down. No change of status here does it. */
  async remind(): Promise<void> {
    for (const project of this.#down.values()) {
      const reminded = await this.#tx.mailPreferences.lockProjectAccountsToRemind(project.id);
      await this.#tx.mailPreferences.updateReminderDates(reminded, this.#now);
    }
  }

  /** Returns the ids of checks whose status has changed. */
  async #writeStates(checks: readonly WrittenCheck[]): Promise<ReadonlySet<number>> {
    const taken = new Map(
      checks.flatMap(({ planned, id }) => (planned.takesState ? [[id, planned.imported]] : [])),
    );
    const states: Check[] = [];
    const flipped = new Set<number>();
    if (taken.size === 0) return flipped;
    await this.#tx.checks.lockByIds([...taken.keys()]);
    for (const check of await this.#tx.checks.byIds([...taken.keys()])) {
      const imported = taken.get(check.id);
      if (imported === undefined) continue;
      states.push(withState(check, imported, this.#now));
      if (check.status !== imported.state.status) flipped.add(check.id);
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
      ].map((flip) => ({ ...flip, checkId, cause: '' }));
    });
    for (const some of groupsOf(flips, FLIPS_AT_ONCE)) await this.#tx.flips.insertMany(some);
    this.flips += flips.length;
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
      this.aliases += 1;
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
}

interface WrittenCheck {
  readonly planned: PlannedCheck;
  readonly id: number;
}

const isDown = ({ isNew, takesState, imported }: PlannedCheck): boolean =>
  (isNew || takesState) && imported.state.status === 'down';
