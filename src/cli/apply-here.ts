import type { Environment } from '../config/env-file.ts';
import type { Project } from '../domain/people/project.ts';
import { applyProvisionFile } from '../provision/apply.ts';
import type { Deps } from '../services/core/deps.ts';
import type { Change } from '../services/provisioning/declaration.ts';
import { declaredProjects } from '../services/provisioning/project.ts';
import type { ProvisionOptions } from '../services/provisioning/provision.ts';
import { prometheusAddress } from '../wire/site.ts';
import type { ApplyOptions } from './apply.ts';
import { columns } from './columns.ts';
import type { CommandIo } from './command.ts';
import { openConfiguredCore } from './core.ts';
import { changesText, isDifference } from './differences.ts';
import { requireAnswer, withRemovals } from './question.ts';

export async function applyHere(
  { path, isJson, isSure, ...options }: ApplyOptions,
  io: CommandIo,
): Promise<number> {
  await using core = await openConfiguredCore(io);
  const variables = io.environment();
  const foreseen = options.prune === undefined ? null : await foresee(core.deps, path, variables, options);
  if (foreseen !== null && !options.isDryRun && !isSure) await requireAnswer(io, foreseen);
  const { changes, declaration } = await applyProvisionFile(core.deps, path, variables, options);
  io.stdout.write(changesText(changes, { isJson, isDryRun: options.isDryRun }));
  if (options.isDryRun) return changes.some(isDifference) ? 2 : 0;
  const { site, api } = core.config;
  if (api.prometheusEnabled && !isJson) {
    const projects = await declaredProjects(core.deps, declaration);
    const lines = prometheusLines(projects, site.root);
    if (lines.length > 0) io.stdout.write(`\n${lines.join('\n')}`);
  }
  return 0;
}

/** The entries that would be removed. */
async function foresee(
  deps: Deps,
  path: string,
  variables: Environment,
  options: ProvisionOptions,
): Promise<readonly Change[]> {
  try {
    const { changes } = await applyProvisionFile(deps, path, variables, { ...options, isDryRun: true });
    return changes.filter(({ action }) => action === 'removed');
  } catch (error) {
    throw withRemovals(error);
  }
}

/** The metrics address of each project. It shows no keys: only their makers have them. */
export function prometheusLines(projects: readonly Pick<Project, 'name' | 'uuid'>[], root: string): string[] {
  if (projects.length === 0) return [];
  return [
    'Prometheus addresses, each to be scraped with a read-only key of its project as bearer token:',
    ...columns(projects.map(({ name, uuid }) => [name, prometheusAddress(root, uuid)])),
    '',
  ];
}
