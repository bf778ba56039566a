import type { Project } from '../domain/people/project.ts';
import { applyProvisionFile } from '../provision/apply.ts';
import type { Change } from '../services/provisioning/declaration.ts';
import { declaredProjects } from '../services/provisioning/project.ts';
import { fieldName } from '../wire/api/check-fields.ts';
import { prometheusAddress } from '../wire/site.ts';
import { readArguments } from './arguments.ts';
import { columns } from './columns.ts';
import { type Command, UsageError } from './command.ts';
import { openConfiguredCore } from './core.ts';
import { differenceLines, namedChanges } from './differences.ts';

const OPTIONS = {
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

const HELP = `Usage: tocsin apply FILE

Makes accounts, projects, keys, integrations and checks as a YAML file says. Applied again, it changes nothing.

${columns([
  ['--dry-run', 'shows what would change and changes nothing; ends with 2 if anything would, else with 0'],
  ['--json', 'prints the changes as JSON'],
]).join('\n')}
`;

/** With `--dry-run`, 2 means that something would change. */
const WRONG_USE_OF_DRY_RUN = 64;

export const apply: Command = {
  usage: 'FILE',
  summary: 'make accounts, projects, keys, integrations and checks as a YAML file says',
  help: HELP,
  async run(args, io) {
    const { path, isDryRun, isJson } = readOptions(args);
    await using core = await openConfiguredCore(io);
    const { changes, declaration } = await applyProvisionFile(core.deps, path, { isDryRun });
    if (isJson) io.stdout.write(`${JSON.stringify({ changes: namedChanges(changes) }, null, 2)}\n`);
    else if (changes.length === 0) io.stdout.write('Nothing to change.\n');
    else io.stdout.write(`${(isDryRun ? differenceLines : changeLines)(changes).join('\n')}\n`);
    if (isDryRun) return changes.length === 0 ? 0 : 2;
    const { site, api } = core.config;
    if (api.prometheusEnabled && !isJson) {
      const projects = await declaredProjects(core.deps, declaration);
      const lines = prometheusLines(projects, site.root);
      if (lines.length > 0) io.stdout.write(`\n${lines.join('\n')}`);
    }
    return 0;
  },
};

function readOptions(args: readonly string[]) {
  try {
    const { values, positionals } = readArguments(args, OPTIONS);
    const [path, ...others] = positionals;
    if (path === undefined || others.length > 0) throw new UsageError('apply takes one argument, the file');
    return { path, isDryRun: values['dry-run'] === true, isJson: values.json === true };
  } catch (error) {
    const isClash = error instanceof UsageError && args.includes('--dry-run');
    throw isClash ? new UsageError(error.message, WRONG_USE_OF_DRY_RUN) : error;
  }
}

/** A line for each change: `updated check Alpha/heartbeat: timeout, grace`. */
export function changeLines(changes: readonly Change[]): string[] {
  return changes.map(({ action, what, name, fields }) =>
    fields.length === 0
      ? `${action} ${what} ${name}`
      : `${action} ${what} ${name}: ${fields.map((field) => fieldName(field.name)).join(', ')}`,
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
