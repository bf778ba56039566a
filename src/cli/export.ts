import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, parseEnv } from 'node:util';
import { isEmailAddress } from '../domain/people/email-address.ts';
import { exportProject } from '../provision/export.ts';
import { exportInstallation, joinedText } from '../provision/installation.ts';
import { readInstallation } from '../services/provisioning/installation.ts';
import { Api } from './api.ts';
import { columns } from './columns.ts';
import { type Command, CommandFailure, type CommandIo, UsageError } from './command.ts';
import { openConfiguredCore } from './core.ts';
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
statuses and last pings. The key is a read-write key of the project.

${columns([
  ...SERVER_HELP,
  ['--owner EMAIL', 'the account that gets the project'],
  ['--project NAME', 'the name of the project (Imported)'],
  ['--ping-key KEY', 'the ping key of the project, if jobs use addresses with slugs'],
  ['--output FILE', 'where to write (standard output)'],
]).join('\n')}
`;

export const exportCommand: Command = {
  usage: '[OPTIONS]',
  summary: 'write the installation, or a project of another server, as files for apply',
  help: HELP,
  async run(args, io) {
    const values = readValues(args);
    if (!namesServer(values)) return exportOwn(values, io);
    const options = readOptions(values);
    const api = new Api(await serverOf(values, io));
    const checks = await api.checks();
    const answers = { checks, channels: await api.channels() };
    const { text, remarks } = exportProject(options, answers);
    if (options.output === undefined) io.stdout.write(text);
    else await writeFile(options.output, text, { mode: 0o600 });
    io.stderr.write([`Checks: ${checks.length}`, ...remarks, ''].join('\n'));
    return 0;
  },
};

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

function readValues(args: readonly string[]): Values {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Writes the own installation. */
async function exportOwn(
  { owner, project, output, only: wanted, ...values }: Values,
  io: CommandIo,
): Promise<number> {
  if ((owner ?? project ?? values['ping-key'] ?? values['key-file']) !== undefined)
    throw new UsageError('--owner, --project, --ping-key and --key-file go with --url');
  const only = wanted ?? null;
  await using core = await openConfiguredCore(io);
  const installation = await readInstallation(core.deps, only);
  if (only !== null && installation.projects.length === 0)
    throw new CommandFailure(`There is no project "${only}".`);
  const { files, secrets, remarks } = exportInstallation(installation, core.deps.defaultLimits);
  const secretsTo = values['secrets-to'];
  // First, so that nothing is written if the file exists.
  if (secretsTo !== undefined) await writeSecrets(secretsTo, secrets);
  if (output === undefined) io.stdout.write(joinedText(files));
  else if (/\.ya?ml$/.test(output)) await writeFile(output, joinedText(files), { mode: 0o600 });
  else {
    await mkdir(output, { recursive: true, mode: 0o700 });
    for (const { name, text } of files) await writeFile(join(output, name), text, { mode: 0o600 });
  }
  io.stderr.write([...remarks, ''].join('\n'));
  return 0;
}

/** A file that exists is never overwritten: its secrets may be the only copy. */
async function writeSecrets(path: string, secrets: ReadonlyMap<string, string>): Promise<void> {
  const lines = [...secrets].map(([name, value]) => `${name}=${quotedForEnv(name, value)}\n`);
  await writeFile(path, lines.join(''), { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw isThere ? new CommandFailure(`${path} exists, and is not overwritten.`) : error;
  });
}

/** Files of variables have no escapes, so the quotes are those with which the value is read again. */
function quotedForEnv(name: string, value: string): string {
  const quoted = ["'", '`', '"']
    .map((quote) => `${quote}${value}${quote}`)
    .find((text) => parseEnv(`${name}=${text}`)[name] === value);
  if (quoted === undefined)
    throw new CommandFailure(`${name} has too many kinds of quotes, and cannot be written.`);
  return quoted;
}

function readOptions(values: Values) {
  const { owner, project: name = 'Imported', 'ping-key': pingKey = null, output } = values;
  if (owner === undefined || !isEmailAddress(owner))
    throw new UsageError('--owner is the address of the account that gets the project');
  return { owner, name, pingKey, output };
}
