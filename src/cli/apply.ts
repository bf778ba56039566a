import type { Project } from '../domain/people/project.ts';
import { applyProvisionFile } from '../provision/apply.ts';
import type { Change } from '../services/provisioning/declaration.ts';
import { declaredProjects } from '../services/provisioning/project.ts';
import { fieldName } from '../wire/api/check-fields.ts';
import { prometheusAddress } from '../wire/site.ts';
import { columns } from './columns.ts';
import { type Command, UsageError } from './command.ts';
import { openConfiguredCore } from './core.ts';

export const apply: Command = {
  usage: 'FILE',
  summary: 'make accounts, projects, keys, integrations and checks as a YAML file says',
  async run(args, io) {
    const [path, ...others] = args;
    if (path === undefined || others.length > 0) throw new UsageError('apply takes one argument, the file');
    await using core = await openConfiguredCore(io);
    const { changes, declaration } = await applyProvisionFile(core.deps, path);
    io.stdout.write(`${changes.length === 0 ? 'Nothing to change.' : changeLines(changes).join('\n')}\n`);
    const { site, api } = core.config;
    if (api.prometheusEnabled) {
      const projects = await declaredProjects(core.deps, declaration);
      const lines = prometheusLines(projects, site.root);
      if (lines.length > 0) io.stdout.write(`\n${lines.join('\n')}`);
    }
    return 0;
  },
};

/** A line for each change: `updated check Alpha/heartbeat: timeout, grace`. */
export function changeLines(changes: readonly Change[]): string[] {
  return changes.map(({ action, what, name, fields }) =>
    fields.length === 0
      ? `${action} ${what} ${name}`
      : `${action} ${what} ${name}: ${fields.map(fieldName).join(', ')}`,
  );
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
