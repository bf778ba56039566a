import type { Import, ImportedCheck } from '../../src/services/importing/import.ts';

/** An import whose checks are all at hand: declared with their projects, and more about them by UUID. */
export interface WholeImport extends Omit<Import, 'checks'> {
  readonly checks: ReadonlyMap<string, Omit<ImportedCheck, 'declared'>>;
}

/** Reads all checks of the import. */
export async function wholeImport<T extends Import>(source: T): Promise<Omit<T, 'checks'> & WholeImport> {
  const found: { readonly projectUuid: string; readonly check: ImportedCheck }[] = [];
  for await (const { projectUuid, checks } of source.checks())
    found.push(...checks.map((check) => ({ projectUuid, check })));
  const projects = source.declaration.projects.map((project) => ({
    ...project,
    checks: found
      .filter(({ projectUuid }) => projectUuid === project.uuid)
      .map(({ check }) => check.declared),
  }));
  const checks = new Map(found.map(({ check: { declared, ...more } }) => [declared.uuid, more]));
  return { ...source, declaration: { ...source.declaration, projects }, checks };
}

/** The import as a source gives it. */
export function inGroups({ declaration, checks, ...source }: WholeImport): Import {
  return {
    ...source,
    declaration: {
      ...declaration,
      projects: declaration.projects.map((project) => ({ ...project, checks: [] })),
    },
    async *checks() {
      // Each alone, so that they are not known together.
      for (const { uuid: projectUuid = '', checks: declared } of declaration.projects)
        for (const one of declared) {
          const { uuid = '' } = one;
          const more = checks.get(uuid);
          if (more !== undefined) yield { projectUuid, checks: [{ ...more, declared: { ...one, uuid } }] };
        }
    },
  };
}
