import type { Dialects, PingDialect } from '../../domain/ping/dialect.ts';
import { encodeDialects } from '../../domain/ping/dialect.ts';
import { sha256 } from '../../lib/vault.ts';
import type { KnownAlias, Writes } from '../../storage/store.ts';
import { addCheckAlias, addProjectAlias, setDialects } from '../ping/aliases.ts';
import { actorIn, type ProvisionDeps } from './acts.ts';
import {
  type Change,
  created,
  type DeclaredAlias,
  type DeclaredProject,
  type FieldChange,
  identityOf,
  ProvisionError,
} from './declaration.ts';
import { orRefused, within } from './entries.ts';
import { DeclaredEntries, type Source } from './source.ts';

/** The dialects that the project accepts. Returns the changed fields of the project. */
export async function applyDialects(
  deps: ProvisionDeps,
  tx: Writes,
  project: { readonly id: number },
  dialects: Dialects | undefined,
): Promise<FieldChange[]> {
  if (dialects === undefined) return [];
  const before = await tx.pingAliases.dialectsOf(project.id);
  if (encodeDialects(before) === encodeDialects(dialects)) return [];
  await setDialects(within(deps, tx), actorIn(deps, project), dialects);
  return [{ name: 'dialects', was: before, became: dialects }];
}

/** Adds the declared tokens of other programs. Tokens that the file does not name stay, unless it prunes. */
export async function applyAliases(
  deps: ProvisionDeps,
  tx: Writes,
  source: Source,
  project: { readonly id: number; readonly name: string },
  { aliases = [], checks }: DeclaredProject,
): Promise<Change[]> {
  const changes: Change[] = [];
  const inside = within(deps, tx);
  const actor = actorIn(deps, project);
  const add = async (
    alias: DeclaredAlias,
    label: string,
    isHere: (known: KnownAlias) => boolean,
    work: () => Promise<void>,
  ) => {
    const digest = sha256(alias.token);
    const known = (await tx.pingAliases.byDigests([digest])).find(({ dialect }) => dialect === alias.dialect);
    if (known !== undefined && isHere(known)) return;
    if (known !== undefined) throw new ProvisionError(alias.line, `the token is already in use elsewhere`);
    await orRefused(alias.line, work);
    if (source.claims) await tx.declarations.declareAlias({ dialect: alias.dialect, digest }, source.name);
    changes.push(created('alias', label));
  };
  for (const alias of aliases)
    await add(
      alias,
      aliasLabel(project.name, null, alias.dialect),
      (known) => known.uuid === null && known.projectId === project.id,
      () => addProjectAlias(inside, actor, alias),
    );
  const withAliases = checks.filter(({ aliases }) => aliases !== undefined);
  if (withAliases.length === 0) return changes;
  const entries = await DeclaredEntries.read(tx, 'check', project.id);
  for (const check of withAliases) {
    const stored = await tx.checks.byId(entries.named(identityOf(check))?.id ?? 0);
    if (stored === null) continue;
    for (const alias of check.aliases ?? [])
      await add(
        alias,
        aliasLabel(project.name, identityOf(check), alias.dialect),
        (known) => known.uuid === stored.uuid,
        () => addCheckAlias(inside, actor, stored.id, alias),
      );
  }
  return changes;
}

/** Names the alias without its token. */
export function aliasLabel(project: string, check: string | null, dialect: PingDialect): string {
  return [project, ...(check === null ? [] : [check]), dialect].join('/');
}
