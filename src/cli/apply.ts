import { readArguments } from './arguments.ts';
import { columns } from './columns.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { namesServer, SERVER_HELP, SERVER_OPTIONS } from './server.ts';

const OPTIONS = {
  'dry-run': { type: 'boolean' },
  prune: { type: 'boolean' },
  'max-deletes': { type: 'string' },
  'keep-edits': { type: 'boolean' },
  'take-over': { type: 'boolean' },
  yes: { type: 'boolean' },
  json: { type: 'boolean' },
  remote: { type: 'boolean' },
  ...SERVER_OPTIONS,
  project: { type: 'string' },
  'checks-only': { type: 'boolean' },
} as const;

const HELP = `Usage: tocsin apply FILE|FOLDER
       TOCSIN_API_KEY=… tocsin apply --url URL FILE|FOLDER

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

With --remote, --url or --profile it applies the checks of one project through the API of any server
with API v3. There, --prune deletes the checks of the project that are not in the file.

${columns([
  ['--remote', 'applies the file to the server of TOCSIN_URL or of the default profile'],
  ...SERVER_HELP,
  ['--project NAME', 'the project in the file, if there are several'],
  ['--checks-only', 'leaves out what the API does not take, instead of refusing the file'],
]).join('\n')}

It ends with 0 if it is done, 1 if the file is refused, and 2 if the command line is wrong (64 with
--dry-run); with --remote also with 4 if the server refuses, and 5 if it cannot be reached.
`;

/** With `--dry-run`, 2 means that something would change. */
const WRONG_USE_OF_DRY_RUN = 64;

/** Applies a file to the own installation. */
export type ApplyHere = (options: ApplyOptions, io: CommandIo) => Promise<number>;
export type ApplyOptions = ReturnType<typeof readOptions>;

export const applyCommand = (loadHere: () => Promise<ApplyHere>): Command => ({
  usage: 'FILE|FOLDER',
  summary: 'make accounts, projects, keys, integrations and checks as a YAML file says',
  help: HELP,
  async run(args, io) {
    try {
      const options = readOptions(args);
      if (options.server === null) return await (await loadHere())(options, io);
      const { applyRemote } = await import('./apply-remote.ts');
      return await applyRemote({ ...options, server: options.server }, io);
    } catch (error) {
      const isClash = error instanceof UsageError && args.includes('--dry-run');
      throw isClash ? new UsageError(error.message, WRONG_USE_OF_DRY_RUN) : error;
    }
  },
});

function readOptions(args: readonly string[]) {
  const { values, positionals } = readArguments(args, OPTIONS);
  const [path, ...others] = positionals;
  if (path === undefined || others.length > 0)
    throw new UsageError('apply takes one argument, the file or folder');
  const most = values['max-deletes'];
  if (most !== undefined && (values.prune !== true || !/^\d{1,9}$/.test(most)))
    throw new UsageError('--max-deletes is a number and goes with --prune');
  return {
    path,
    server: remotePart(values),
    isDryRun: values['dry-run'] === true,
    takesOver: values['take-over'] === true,
    writer: { by: 'file', keepsEdits: values['keep-edits'] === true } as const,
    ...(values.prune === true && { prune: { most: most === undefined ? null : Number(most) } }),
    isJson: values.json === true,
    isSure: values.yes === true,
  };
}

type Values = ReturnType<typeof readArguments<typeof OPTIONS>>['values'];

/** Null if the file is for this installation. Variables never make it another one. */
function remotePart(values: Values) {
  const { remote, project, 'checks-only': isChecksOnly = false } = values;
  if (remote === true || namesServer(values)) {
    if (values['keep-edits'] ?? values['take-over'])
      throw new UsageError('--keep-edits and --take-over go without --remote');
    return { flags: values, project, isChecksOnly };
  }
  if ((values['key-file'] ?? project) !== undefined || isChecksOnly)
    throw new UsageError('--key-file, --project and --checks-only go with --remote');
  return null;
}
