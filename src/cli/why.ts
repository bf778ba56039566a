import { readDuration } from '../companion/main.ts';
import type { WhyJson, WhyMessageJson, WhyToldJson } from '../wire/api/why-output.ts';
import { Api } from './api.ts';
import { readArguments } from './arguments.ts';
import { checkNamed, NO_MATCH } from './check-named.ts';
import { columns } from './columns.ts';
import { type Command, CommandFailure, UsageError } from './command.ts';
import { SERVER_HELP, SERVER_OPTIONS, serverOf } from './server.ts';

const OPTIONS = {
  ...SERVER_OPTIONS,
  if: { type: 'string' },
  at: { type: 'string' },
  json: { type: 'boolean' },
} as const;

const HELP = `Usage: tocsin why CHECK [--if down_fail] [--at 8h] [OPTIONS]

Says who is told of a check when, and why the others are not. With --if it says what would be: nothing
is changed, and nobody is told.
CHECK is a slug, a UUID or an exact name.

${columns([
  ['--if EVENT', 'down_timeout (the next run does not come), down_fail or up'],
  ['--at TIME', 'when that happens: 8h from now, or 2026-03-06T22:00Z; at most 30 days ahead'],
  ['--json', 'the answer of the API'],
  ...SERVER_HELP,
]).join('\n')}
`;

export const why: Command = {
  usage: 'CHECK [OPTIONS]',
  summary: 'say who is told of a check when, and why the others are not',
  help: HELP,
  async run(args, io) {
    const { values, positionals } = readArguments(args, OPTIONS);
    const [name, ...others] = positionals;
    if (name === undefined || others.length > 0) throw new UsageError('name one check');
    if (values.at !== undefined && values.if === undefined)
      throw new UsageError('--at needs --if: what happens then');
    const query = new URLSearchParams();
    if (values.if !== undefined) query.set('if', values.if);
    if (values.at !== undefined) query.set('at', String(secondOf(values.at, Date.now())));
    const api = new Api(await serverOf(values, io));
    const check = await checkNamed(api, name);
    const answer = await api.send('GET', `checks/${check.uuid}/why?${query}`);
    if (answer === null) throw new CommandFailure('The check was deleted meanwhile.', NO_MATCH);
    // The server says so in its OpenAPI document.
    const told = answer as unknown as WhyJson;
    io.stdout.write(values.json ? `${JSON.stringify(answer, null, 2)}\n` : whyText(check.name, told));
    return 0;
  },
};

const INSTANT = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?(?:Z|[+-]\d{2}:\d{2})?$/;

/** A time span from now on, or a date and time, in the zone of the machine unless it names one. */
function secondOf(text: string, nowMs: number): number {
  const ahead = readDuration(text);
  const ms = ahead === null && INSTANT.test(text) ? Date.parse(text) : nowMs + (ahead ?? Number.NaN);
  if (!Number.isFinite(ms) || ms < 0)
    throw new UsageError('--at is a time such as 8h from now, or 2026-03-06T22:00Z');
  return Math.floor(ms / 1_000);
}

const SUPPOSED = { down_timeout: 'If its run does not come', down_fail: 'If it fails', up: 'If it is up' };

/** The answer as lines for people. */
export function whyText(name: string, why: WhyJson): string {
  const shut = why.gates.filter(({ open }) => !open);
  const parts: [title: string, rows: [string, string][]][] = [
    ['Not told yet:', shut.map(({ says, until }) => [says, untilText(until)])],
    ['Told:', why.told.map(toldRow)],
    ['Wait:', why.waits.map(withheldRow)],
    ['Will be told if nothing else happens:', why.would_tell.map(messageRow)],
    ['Not told:', why.not_told.map(withheldRow)],
  ];
  const lines = parts
    .filter(([, rows]) => rows.length > 0)
    .flatMap(([title, rows]) => ['', title, ...columns(rows).map((row) => row.trimEnd())]);
  const nothing = lines.length === 0 ? ['', 'There is nothing to tell.'] : [];
  return `${[...headOf(name, why), ...lines, ...nothing].join('\n')}\n`;
}

function headOf(name: string, { status, cause, since, policy, if: supposed }: WhyJson): string[] {
  const from = since === null ? '' : ` since ${since}`;
  const ways = policy.because === 'default' ? '' : ` (${policy.because})`;
  return [
    `${name}: ${status}${from}${cause === null ? '' : `, ${cause}`}. When to tell: ${policy.name}${ways}.`,
    ...(supposed === undefined ? [] : [`${SUPPOSED[supposed.event]} at ${supposed.at}:`]),
  ];
}

function untilText(until: string | null): string {
  return until === null ? '' : `until ${until}`;
}

function nameOf({ name, kind }: WhyMessageJson['channel']): string {
  return name === '' ? kind : name;
}

const UNDELIVERED: Partial<Record<WhyToldJson['state'], string>> = {
  open: 'not taken yet',
  given_up: 'given up',
};

function toldRow({ state, ...message }: WhyToldJson): [string, string] {
  const [at, text] = messageRow(message);
  return [at, [text, UNDELIVERED[state] ?? []].flat().join(', ')];
}

function messageRow({ at, channel, status, because }: WhyMessageJson): [string, string] {
  return [at, `${nameOf(channel)} (${[status, ...because].join(', ')})`];
}

function withheldRow({ channel, says, until }: WhyJson['waits'][number]): [string, string] {
  return [nameOf(channel), until === null ? says : `${says}, ${untilText(until)}`];
}
