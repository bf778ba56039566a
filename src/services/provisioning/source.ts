import type { Overwriter } from '../../domain/check/sources.ts';
import type { ActSubject } from '../../domain/people/audit.ts';
import type { DeclaredEntry, DeclaredKind, Writes } from '../../storage/store.ts';
import { recordAct } from '../core/audit.ts';
import type { ProvisionDeps } from './acts.ts';
import { type FieldChange, ProvisionError } from './declaration.ts';

/** The files that are applied together, by the name that they give themselves. */
export interface Source {
  readonly name: string;
  /** Whether entries of other sources become entries of this one. Otherwise they refuse the file. */
  readonly takesOver: boolean;
  /** Whether its entries belong to it from then on. Otherwise they are people's own. */
  readonly claims: boolean;
  /** Whose fields of checks it leaves alone. */
  readonly writer: Overwriter;
}

/** The entries of one kind and one owner that files declare. */
export class DeclaredEntries {
  readonly all: readonly DeclaredEntry[];
  readonly #byName: ReadonlyMap<string, DeclaredEntry>;
  readonly #byId: ReadonlyMap<number, DeclaredEntry>;

  constructor(all: readonly DeclaredEntry[]) {
    this.all = all;
    this.#byName = new Map(all.map((entry) => [entry.name, entry]));
    this.#byId = new Map(all.map((entry) => [entry.id, entry]));
  }

  static async read(tx: Writes, kind: DeclaredKind, ownerId: number): Promise<DeclaredEntries> {
    return new DeclaredEntries(await tx.declarations.entriesOf(kind, ownerId));
  }

  named(name: string): DeclaredEntry | undefined {
    return this.#byName.get(name);
  }

  of(id: number): DeclaredEntry | undefined {
    return this.#byId.get(id);
  }
}

interface Claim {
  readonly kind: DeclaredKind;
  readonly ownerId: number;
  readonly id: number;
  /** What the file calls it. */
  readonly name: string;
  readonly line: number;
  /** Whether the file has just created it. */
  readonly isNew: boolean;
  /** How files have declared it until now. */
  readonly before: DeclaredEntry | undefined;
  readonly subject: ActSubject;
}

/** Refuses an entry that another source declares, unless it may be taken over. */
export function requireSource(
  { name, takesOver, claims }: Source,
  line: number,
  label: string,
  before: DeclaredEntry | undefined,
): void {
  if (before === undefined || before.source === name || takesOver || !claims) return;
  throw new ProvisionError(
    line,
    `${label} is declared by the source "${before.source}" (--take-over takes it)`,
  );
}

/** Notes that the source declares the entry. Returns the change if another one did. */
export async function claim(
  deps: ProvisionDeps,
  tx: Writes,
  source: Source,
  projectId: number | null,
  { kind, ownerId, id, name, line, isNew, before, subject }: Claim,
): Promise<FieldChange[]> {
  if (!source.claims) return [];
  requireSource(source, line, `the ${subject.kind} ${subject.name}`, before);
  if (before?.name === name && before.source === source.name) return [];
  const isOwn = before?.source === source.name;
  const isMade = isNew || (isOwn && before.isMade);
  await tx.declarations.declare(kind, ownerId, id, { name, source: source.name, isMade });
  if (before === undefined || isOwn) return [];
  const change = { name: 'source', was: before.source, became: source.name };
  const details = { before: { source: change.was }, after: { source: change.became } };
  await recordAct(deps, tx, deps.by, { action: `${kind}.taken_over`, subject, details, projectId });
  return [change];
}
