import type { Deps } from '../services/core/deps.ts';
import { type Change, type Declaration, ProvisionError } from '../services/provisioning/declaration.ts';
import { type ProvisionOptions, provision } from '../services/provisioning/provision.ts';
import { readDeclaration } from './file.ts';
import { ProvisionFileError } from './located.ts';
import type { Variables } from './variables.ts';

/** Applies the file, or all files of a folder, as a whole. Errors name the file and the line. */
export async function applyProvisionFile(
  deps: Deps,
  path: string,
  variables: Variables,
  options: ProvisionOptions = {},
): Promise<{ readonly declaration: Declaration; readonly changes: readonly Change[] }> {
  const { declaration, lines } = await readDeclaration(path, variables);
  try {
    return { declaration, changes: await provision(deps, declaration, options) };
  } catch (error) {
    if (!(error instanceof ProvisionError)) throw error;
    throw new ProvisionFileError(lines, [{ line: error.line, reason: error.message }]);
  }
}
