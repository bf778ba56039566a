import type { parseArgs } from 'node:util';
import { readDuration } from '../companion/main.ts';
import { splitTags } from '../domain/check/tags.ts';
import type { Told } from '../provision/told.ts';
import { Api } from './api.ts';
import { readArguments } from './arguments.ts';
import { NO_MATCH } from './check-named.ts';
import { columns } from './columns.ts';
import { type Command, CommandFailure, type CommandIo, UsageError } from './command.ts';
import { SERVER_HELP, SERVER_OPTIONS, serverOf } from './server.ts';

const OPTIONS = {
  ...SERVER_OPTIONS,
  tag: { type: 'string', multiple: true },
  check: { type: 'string', multiple: true },
  project: { type: 'boolean' },
  for: { type: 'string' },
  name: { type: 'string' },
  reason: { type: 'string' },
} as const;

const HELP = `Usage: tocsin quiet start --for 30m --tag web [--reason "deploy 412"]
       tocsin quiet stop NAME|UUID
       tocsin quiet list

Announces a quiet time. No run is expected in it, and nobody is told that a check is down.
What is still down at its end is told then. A second start of the same name moves the end.

${columns([
  ['--for TIME', 'how long: 30m, 2h, 1d'],
  ['--tag TAG', 'checks with this tag; may be given several times'],
  ['--check CHECK', 'one check, by its slug or UUID; may be given several times'],
  ['--project', 'all checks of the project'],
  ['--name NAME', 'what it is called (the reason)'],
  ['--reason TEXT', 'why, for people who ask'],
  ...SERVER_HELP,
]).join('\n')}
`;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

const ACTS: Readonly<
  Record<string, (api: Api, values: Values, names: readonly string[]) => Promise<string>>
> = { start, stop, list };

export const quiet: Command = {
  usage: 'start|stop|list [OPTIONS]',
  summary: 'announce a quiet time, in which nothing is expected and nobody is told',
  help: HELP,
  async run(args, io) {
    const { values, positionals } = readArguments(args, OPTIONS);
    const [verb = '', ...names] = positionals;
    const act = ACTS[verb];
    if (act === undefined) throw new UsageError('say start, stop or list');
    io.stdout.write(await act(await apiOf(values, io), values, names));
    return 0;
  },
};

async function apiOf(values: Values, io: CommandIo): Promise<Api> {
  return new Api(await serverOf(values, io));
}

async function start(api: Api, values: Values, names: readonly string[]): Promise<string> {
  const { tag = [], check = [], project = false, for: length, name, reason } = values;
  if (names.length > 0) throw new UsageError(`${names[0]} belongs to no option`);
  const isPartly = tag.length + check.length > 0;
  if (project === isPartly) throw new UsageError('name what is quiet: --tag, --check, or --project for all');
  const ms = length === undefined ? null : readDuration(length);
  if (ms === null) throw new UsageError('--for says how long, such as 30m');
  const made = await api.send('POST', 'quiet-times/', {
    ...{ tags: tag.join(' '), checks: check, duration: Math.ceil(ms / 1000) },
    ...(name !== undefined && { name }),
    ...(reason !== undefined && { reason }),
  });
  return `Quiet until ${made?.until}: ${made?.name}\n${await withoutChecks(api, tag)}`;
}

/** A tag that is misspelled covers nothing. Whoever announces the quiet time is told so. */
async function withoutChecks(api: Api, tags: readonly string[]): Promise<string> {
  let lines = '';
  for (const tag of tags.flatMap(splitTags)) {
    // The quiet time is announced already: a server that is busy now is no failure of it.
    const answer = await api.send('GET', `checks/?tag=${encodeURIComponent(tag)}`).catch(() => null);
    if (Array.isArray(answer?.checks) && answer.checks.length === 0)
      lines += `No check has the tag ${tag}.\n`;
  }
  return lines;
}

async function stop(api: Api, _values: Values, names: readonly string[]): Promise<string> {
  const [wanted, ...others] = names;
  if (wanted === undefined || others.length > 0) throw new UsageError('name the quiet time to stop');
  const found = (await all(api)).filter(
    ({ uuid, name, state }) => uuid === wanted || (name === wanted && state !== 'over'),
  );
  if (found.length === 0) throw new CommandFailure(`There is no quiet time ${wanted}.`, NO_MATCH);
  for (const { uuid } of found) await api.send('POST', `quiet-times/${uuid}/stop`);
  return `Stopped: ${wanted}\n`;
}

async function list(api: Api): Promise<string> {
  const rows = (await all(api)).filter(({ state }) => state !== 'over');
  if (rows.length === 0) return 'There are no quiet times.\n';
  const lines = columns(
    rows.map((row): [string, string] => [String(row.name), `${whenOf(row)}  ${scopeOf(row)}`.trimEnd()]),
  );
  return `${lines.join('\n')}\n`;
}

async function all(api: Api): Promise<readonly Told[]> {
  const rows = (await api.send('GET', 'quiet-times/'))?.quiet_times;
  return Array.isArray(rows) ? rows : [];
}

function whenOf({ state, from, until }: Told): string {
  return state === 'running' ? `now, until ${until}` : `from ${from} until ${until}`;
}

function scopeOf({ tags, checks, whole_project: isWhole }: Told): string {
  const named = Array.isArray(checks) ? checks.length : 0;
  if (isWhole === true) return 'whole project';
  if (tags === '' && named === 0) return 'checks that are gone';
  const parts = [
    tags === '' ? '' : `tags ${tags}`,
    named === 0 ? '' : `${named} ${named === 1 ? 'check' : 'checks'}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}
