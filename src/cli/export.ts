import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { isEmailAddress } from '../domain/people/email-address.ts';
import { exportProject } from '../provision/export.ts';
import { Api } from './api.ts';
import { columns } from './columns.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { namesServer, SERVER_HELP, SERVER_OPTIONS, serverOf } from './server.ts';

const OPTIONS = {
  ...SERVER_OPTIONS,
  owner: { type: 'string' },
  project: { type: 'string' },
  'ping-key': { type: 'string' },
  output: { type: 'string' },
  only: { type: 'string' },
  'secrets-to': { type: 'string' },
} as const;

const HELP = `Usage: tocsin export [--output FILE|FOLDER]
       TOCSIN_API_KEY=… tocsin export --url URL --owner EMAIL

Writes accounts, projects and all that is in them as YAML for tocsin apply.
Secrets are variables such as \${ALPHA_PING_KEY}. Passwords and API keys cannot be read.

${columns([
  ['--output PATH', 'a file that ends in .yaml, or a folder with a file for each project\n(standard output)'],
  ['--only NAME', 'the projects of that name, and their people'],
  ['--secrets-to FILE', 'where to write the values of the variables, as lines for .env'],
]).join('\n')}

With --url or --profile it writes the checks of a project of any server with API v3, with their
statuses and last pings, how their outages are told, and quiet times. The key is a read-write key of
the project.

${columns([
  ...SERVER_HELP,
  ['--owner EMAIL', 'the account that gets the project'],
  ['--project NAME', 'the name of the project (Imported)'],
  ['--ping-key KEY', 'the ping key of the project, if jobs use addresses with slugs'],
  ['--output FILE', 'where to write (standard output)'],
]).join('\n')}
`;

/** Writes the installation itself. */
export type ExportOwn = (values: ExportValues, io: CommandIo) => Promise<number>;

export const exportCommand = (loadOwn: () => Promise<ExportOwn>): Command => ({
  usage: '[OPTIONS]',
  summary: 'write the installation, or a project of another server, as files for apply',
  help: HELP,
  async run(args, io) {
    const values = readValues(args);
    if (!namesServer(values)) return (await loadOwn())(values, io);
    const options = readOptions(values);
    const api = new Api(await serverOf(values, io));
    const checks = await api.checks();
    const answers = { checks, channels: await api.channels() };
    const { text, remarks } = exportProject(options, answers, await api.alerting());
    if (options.output === undefined) io.stdout.write(text);
    else await writeFile(options.output, text, { mode: 0o600 });
    io.stderr.write([`Checks: ${checks.length}`, ...remarks, ''].join('\n'));
    return 0;
  },
});

export type ExportValues = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

function readValues(args: readonly string[]): ExportValues {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function readOptions(values: ExportValues) {
  const { owner, project: name = 'Imported', 'ping-key': pingKey = null, output } = values;
  if (owner === undefined || !isEmailAddress(owner))
    throw new UsageError('--owner is the address of the account that gets the project');
  return { owner, name, pingKey, output };
}
