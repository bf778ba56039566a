import { readDuration } from '../companion/main.ts';
import type { Told } from '../provision/told.ts';
import { Api } from './api.ts';
import { readArguments } from './arguments.ts';
import { checkNamed, NO_MATCH } from './check-named.ts';
import { columns, type HelpRow } from './columns.ts';
import { type Command, CommandFailure, type CommandIo, UsageError } from './command.ts';
import { SERVER_HELP, SERVER_OPTIONS, serverOf } from './server.ts';

const CHECK_HELP = 'CHECK is a slug, a UUID or an exact name.';

const ACK_OPTIONS = { ...SERVER_OPTIONS, undo: { type: 'boolean' } } as const;

export const ack: Command = {
  usage: 'CHECK [OPTIONS]',
  summary: 'say that you have an outage, so that nobody else is told of it',
  help: help('tocsin ack CHECK', 'Nobody else is told of the outage until the check is up.', [
    ['--undo', 'take it back'],
  ]),
  async run(args, io) {
    const { values, positionals } = readArguments(args, ACK_OPTIONS);
    const { api, check } = await open(values, io, positionals);
    await act(api, `checks/${check.uuid}/${values.undo ? 'unacknowledge' : 'acknowledge'}`);
    io.stdout.write(
      values.undo ? `No longer acknowledged: ${check.name}\n` : `Acknowledged: ${check.name}\n`,
    );
    return 0;
  },
};

const SNOOZE_OPTIONS = { ...SERVER_OPTIONS, for: { type: 'string' }, undo: { type: 'boolean' } } as const;

export const snooze: Command = {
  usage: 'CHECK',
  summary: 'keep a check silent for a while',
  help: help(
    'tocsin snooze CHECK --for 2h',
    'Nobody is told of anything that begins meanwhile. What is still down at the end is told then.',
    [
      ['--for TIME', 'how long: 30m, 2h, 1d; at most 30d'],
      ['--undo', 'end it now'],
    ],
  ),
  async run(args, io) {
    const { values, positionals } = readArguments(args, SNOOZE_OPTIONS);
    const ms = readDuration(values.for ?? '');
    if (!values.undo && (ms === null || ms === 0)) throw new UsageError('--for says how long, such as 30m');
    if (values.undo && values.for !== undefined)
      throw new UsageError('--for and --undo contradict each other');
    const { api, check } = await open(values, io, positionals);
    if (values.undo) {
      await act(api, `checks/${check.uuid}/unsnooze`);
      io.stdout.write(`No longer snoozed: ${check.name}\n`);
      return 0;
    }
    const answer = await act(api, `checks/${check.uuid}/snooze`, { for: Math.ceil((ms ?? 0) / 1_000) });
    io.stdout.write(`Snoozed until ${answer.snoozed_until}: ${check.name}\n`);
    return 0;
  },
};

function help(usage: string, effect: string, options: readonly HelpRow[]): string {
  return `Usage: ${usage} [OPTIONS]

${effect}
${CHECK_HELP}

${columns([...options, ...SERVER_HELP]).join('\n')}
`;
}

type ServerFlags = Parameters<typeof serverOf>[0];

/** The server, and the only check that the arguments name. */
async function open(values: ServerFlags, io: CommandIo, names: readonly string[]) {
  const [name, ...others] = names;
  if (name === undefined || others.length > 0) throw new UsageError('name one check');
  const api = new Api(await serverOf(values, io));
  return { api, check: await checkNamed(api, name) };
}

async function act(api: Api, path: string, body?: Told): Promise<Told> {
  const answer = await api.send('POST', path, body);
  if (answer === null) throw new CommandFailure('The check was deleted meanwhile.', NO_MATCH);
  return answer;
}
