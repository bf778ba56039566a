import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { isEmailAddress } from '../domain/people/email-address.ts';
import { type ApiAnswers, exportProject } from '../provision/export.ts';
import { columns } from './columns.ts';
import { type Command, CommandFailure, UsageError } from './command.ts';

const OPTIONS = {
  url: { type: 'string' },
  owner: { type: 'string' },
  project: { type: 'string' },
  'ping-key': { type: 'string' },
  output: { type: 'string' },
} as const;

/** The server's time for an answer. */
const ANSWER_MS = 60_000;

const HELP = `Usage: TOCSIN_API_KEY=… tocsin export --url URL --owner EMAIL

Writes the checks of a project, with their statuses and last pings, as a YAML file for tocsin apply.
The key is a read-write key of the project.

${columns([
  ['--url URL', 'the server, such as https://healthchecks.io'],
  ['--owner EMAIL', 'the account that gets the project'],
  ['--project NAME', 'the name of the project (Imported)'],
  ['--ping-key KEY', 'the ping key of the project, if jobs use addresses with slugs'],
  ['--output FILE', 'where to write (standard output)'],
]).join('\n')}
`;

type Rows = ApiAnswers['checks'];

export const exportCommand: Command = {
  usage: 'OPTIONS',
  summary: 'write the checks of a project, also of Healthchecks, as a file for apply',
  help: HELP,
  async run(args, io) {
    const options = readOptions(args);
    const key = io.environment().TOCSIN_API_KEY ?? '';
    if (key === '')
      throw new UsageError('export takes the read-write API key of the project in TOCSIN_API_KEY');
    const root = options.url.replace(/\/+$/, '');
    const checks = await ask(root, key, 'checks');
    if (checks.some((check) => 'unique_key' in check))
      throw new CommandFailure('The key may only read. It does not see the addresses that have to stay.');
    const answers = { checks, channels: await ask(root, key, 'channels') };
    const { text, remarks } = exportProject(options, answers);
    if (options.output === undefined) io.stdout.write(text);
    else await writeFile(options.output, text, { mode: 0o600 });
    io.stderr.write([`Checks: ${checks.length}`, ...remarks, ''].join('\n'));
    return 0;
  },
};

function readOptions(args: readonly string[]) {
  let values: ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];
  try {
    ({ values } = parseArgs({ args: [...args], options: OPTIONS }));
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const { url, owner, project: name = 'Imported', 'ping-key': pingKey = null, output } = values;
  if (url === undefined || !URL.canParse(url)) throw new UsageError('--url names the server');
  if (owner === undefined || !isEmailAddress(owner))
    throw new UsageError('--owner is the address of the account that gets the project');
  return { url, owner, name, pingKey, output };
}

async function ask(root: string, key: string, what: 'checks' | 'channels'): Promise<Rows> {
  const address = `${root}/api/v3/${what}/`;
  const signal = AbortSignal.timeout(ANSWER_MS);
  const reply = await fetch(address, { headers: { 'x-api-key': key }, signal }).catch((error: unknown) => {
    throw new CommandFailure(`${address} does not answer: ${error instanceof Error ? error.message : error}`);
  });
  if (reply.status === 401 || reply.status === 403)
    throw new CommandFailure(`${address} does not accept the key`);
  const json: unknown = await reply.json().catch(() => null);
  const rows = typeof json === 'object' && json !== null ? (json as Record<string, unknown>)[what] : null;
  if (!reply.ok || !Array.isArray(rows) || !rows.every((row) => typeof row === 'object' && row !== null))
    throw new CommandFailure(`${address} answers ${reply.status}, and not as API v3 does`);
  return rows as Rows;
}
