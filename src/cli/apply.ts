import { createInterface } from 'node:readline/promises';
import type { Environment } from '../config/environment.ts';
import type { Project } from '../domain/people/project.ts';
import { applyProvisionFile } from '../provision/apply.ts';
import type { Deps } from '../services/core/deps.ts';
import type { Change } from '../services/provisioning/declaration.ts';
import { declaredProjects } from '../services/provisioning/project.ts';
import type { ProvisionOptions } from '../services/provisioning/provision.ts';
import { TooManyRemovalsError } from '../services/provisioning/prune.ts';
import { fieldName } from '../wire/api/check-fields.ts';
import { prometheusAddress } from '../wire/site.ts';
import { readArguments } from './arguments.ts';
import { columns } from './columns.ts';
import { type Command, CommandFailure, type CommandIo, UsageError } from './command.ts';
import { openConfiguredCore } from './core.ts';
import { differenceLines, isDifference, namedChanges, setByRemark } from './differences.ts';

const OPTIONS = {
  'dry-run': { type: 'boolean' },
  prune: { type: 'boolean' },
  'max-deletes': { type: 'string' },
  'keep-edits': { type: 'boolean' },
  'take-over': { type: 'boolean' },
  yes: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

const HELP = `Usage: tocsin apply FILE|FOLDER

Makes accounts, projects, keys, integrations and checks as a YAML file says, or a folder of them.
Applied again, it changes nothing.

${columns([
  [
    '--dry-run',
    'shows what would change, and changes nothing;\nends with 2 if anything would change, else with 0',
  ],
  [
    '--prune',
    'removes what files of this source have made and name no longer;\nchecks and projects can be restored for a week',
  ],
  ['--max-deletes N', 'entries that --prune may remove\n(10, and at most half of what the source has made)'],
  ['--keep-edits', 'leaves fields of checks as people and clients of the API have set them'],
  ['--take-over', 'makes entries of other sources entries of this one'],
  ['--yes', 'removes without a question'],
  ['--json', 'prints the changes as JSON'],
]).join('\n')}
`;

/** With `--dry-run`, 2 means that something would change. */
const WRONG_USE_OF_DRY_RUN = 64;

export const apply: Command = {
  usage: 'FILE|FOLDER',
  summary: 'make accounts, projects, keys, integrations and checks as a YAML file says',
  help: HELP,
  async run(args, io) {
    const { path, isJson, isSure, ...options } = readOptions(args);
    await using core = await openConfiguredCore(io);
    const variables = io.environment();
    const foreseen = options.prune === undefined ? null : await foresee(core.deps, path, variables, options);
    if (foreseen !== null && !options.isDryRun && !isSure) await requireAnswer(io, foreseen);
    const { changes, declaration } = await applyProvisionFile(core.deps, path, variables, options);
    if (isJson) io.stdout.write(`${JSON.stringify({ changes: namedChanges(changes) }, null, 2)}\n`);
    else if (changes.length === 0) io.stdout.write('Nothing to change.\n');
    else io.stdout.write(`${(options.isDryRun ? differenceLines : changeLines)(changes).join('\n')}\n`);
    if (options.isDryRun) return changes.some(isDifference) ? 2 : 0;
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
    if (path === undefined || others.length > 0)
      throw new UsageError('apply takes one argument, the file or folder');
    const most = values['max-deletes'];
    if (most !== undefined && (values.prune !== true || !/^\d{1,9}$/.test(most)))
      throw new UsageError('--max-deletes is a number and goes with --prune');
    return {
      path,
      isDryRun: values['dry-run'] === true,
      takesOver: values['take-over'] === true,
      writer: { by: 'file', keepsEdits: values['keep-edits'] === true } as const,
      ...(values.prune === true && { prune: { most: most === undefined ? null : Number(most) } }),
      isJson: values.json === true,
      isSure: values.yes === true,
    };
  } catch (error) {
    const isClash = error instanceof UsageError && args.includes('--dry-run');
    throw isClash ? new UsageError(error.message, WRONG_USE_OF_DRY_RUN) : error;
  }
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
    if (!(error instanceof TooManyRemovalsError)) throw error;
    const lines = differenceLines(error.removals).join('\n');
    throw new CommandFailure(`${lines}\n${error.message}. Nothing was changed. --max-deletes allows it.`);
  }
}

async function requireAnswer(
  { stdin, stdout }: Pick<CommandIo, 'stdin' | 'stdout'>,
  removals: readonly Change[],
): Promise<void> {
  if (removals.length === 0) return;
  const lines = differenceLines(removals).join('\n');
  const isAttended = stdout.isTTY === true && 'isTTY' in stdin && stdin.isTTY === true;
  if (!isAttended) throw new CommandFailure(`${lines}\nNothing was changed. --yes removes these.`);
  const questions = createInterface({ input: stdin, output: stdout });
  try {
    const answer = await questions.question(`${lines}\nRemove these? Type yes: `);
    if (answer.trim() !== 'yes') throw new CommandFailure('Nothing was changed.');
  } finally {
    questions.close();
  }
}

/** A line for each change: `updated check Alpha/heartbeat: timeout, grace`. */
export function changeLines(changes: readonly Change[]): string[] {
  return changes.map(({ action, what, name, fields }) =>
    fields.length === 0
      ? `${action} ${what} ${name}`
      : `${action} ${what} ${name}: ${fields.map((field) => `${fieldName(field.name)}${setByRemark(field.setBy)}`).join(', ')}`,
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
