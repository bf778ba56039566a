import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import {
  describeSchedule,
  nextOccurrence,
  ScheduleError,
  type ScheduleKind,
  validateSchedule,
} from '../domain/schedule/schedule.ts';
import { canonicalTimezone } from '../domain/schedule/timezone.ts';
import { systemClock } from '../lib/clock.ts';
import { fromTemporal, type Instant, toTemporal } from '../lib/instant.ts';
import { runTime } from '../lib/text/clock-text.ts';
import { columns } from './columns.ts';
import type { Command } from './command.ts';

const HELP = `Usage: tocsin schedule EXPRESSION [--tz ZONE] [--from INSTANT] [--count N]
       tocsin schedule --json < REQUESTS

Prints what a cron or OnCalendar expression means and when it runs next.

${columns([
  ['--tz ZONE', 'the time zone of the check, such as Europe/Riga (UTC)'],
  ['--from INSTANT', 'list the runs after this instant, such as 2024-03-30T22:00:00Z (now)'],
  ['--count N', 'how many runs to list, at most 1000 (5)'],
  [
    '--json',
    `read requests from standard input, one JSON object on each line with "expr" and, if wanted,
"tz", "from" and "count"; answer each on a line of its own with "kind" and "next",
or "error"`,
  ],
]).join('\n')}

The exit code is 0, 1 for an expression that is refused, 2 for a command line that is not understood. With
--json it is 0 whatever the requests were.
`;

interface CommandStreams {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly now: Instant;
}

/** The arguments before they are validated. */
interface Question {
  readonly expr: unknown;
  readonly tz: unknown;
  readonly from: unknown;
  readonly count: unknown;
}

interface Answer {
  readonly kind: ScheduleKind;
  readonly expression: string;
  readonly tz: string;
  readonly count: number;
  /** Fewer than `count` when the schedule ends. */
  readonly runs: readonly Instant[];
}

/** The question itself is wrong, not the expression in it. */
class QuestionError extends Error {
  override readonly name = 'QuestionError';
}

export const schedule: Command = {
  usage: 'EXPRESSION',
  summary: 'explain a cron or OnCalendar expression and list its next runs',
  help: HELP,
  run: (args, io) => scheduleCommand(args, { ...io, now: systemClock.now() }),
};

const DEFAULT_COUNT = 5;
const MAX_RUNS = 1000;

/** `tocsin schedule`. Returns the exit code. */
export async function scheduleCommand(args: readonly string[], io: CommandStreams): Promise<number> {
  try {
    const { values, positionals } = readArguments(args);
    if (values.json) {
      if (positionals.length > 0)
        throw new QuestionError('With --json, expressions come from standard input.');
      return await answerLines(io);
    }
    if (positionals.length === 0) throw new QuestionError('An expression is missing.');
    if (positionals.length > 1) throw new QuestionError('Put the expression in quotes, as one argument.');

    const count =
      values.count !== undefined && /^[0-9]+$/.test(values.count) ? Number(values.count) : values.count;
    const answer = answerQuestion({ expr: positionals[0], tz: values.tz, from: values.from, count }, io.now);
    io.stdout.write(formatForPeople(answer));
    return 0;
  } catch (error) {
    if (error instanceof ScheduleError) {
      io.stderr.write(`${error.message}\n`);
      return 1;
    }
    if (error instanceof QuestionError) {
      io.stderr.write(`${error.message}\nTry: tocsin schedule --help\n`);
      return 2;
    }
    throw error;
  }
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        tz: { type: 'string' },
        from: { type: 'string' },
        count: { type: 'string' },
        json: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new QuestionError(error instanceof Error ? error.message : String(error));
  }
}

function answerQuestion(question: Question, now: Instant): Answer {
  const { expr: expression, tz = 'UTC', from, count = DEFAULT_COUNT } = question;
  if (typeof expression !== 'string') throw new QuestionError('"expr" is not a string.');
  if (typeof tz !== 'string') throw new QuestionError('"tz" is not a string.');
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > MAX_RUNS) {
    throw new QuestionError(`"count" is not a whole number from 1 to ${MAX_RUNS}.`);
  }
  const start = from === undefined ? now : parseInstant(from);

  const kind = validateSchedule(expression);
  const runs: Instant[] = [];
  for (let last: Instant | null = start; runs.length < count; runs.push(last)) {
    last = nextOccurrence(expression, tz, last);
    if (last === null) break;
  }
  return { kind, expression, tz: canonicalTimezone(tz) ?? tz, count, runs };
}

function parseInstant(text: unknown): Instant {
  try {
    return fromTemporal(Temporal.Instant.from(String(text)));
  } catch {
    throw new QuestionError('"from" is not an instant such as 2024-03-30T22:00:00Z.');
  }
}

/** Writes exactly one line for each line read, in order, so that a script can match them. */
async function answerLines(io: CommandStreams): Promise<number> {
  async function* answers(): AsyncGenerator<string> {
    for await (const line of readLines(io.stdin)) yield `${JSON.stringify(answerLine(line, io.now))}\n`;
  }
  try {
    await pipeline(answers, io.stdout, { end: false });
  } catch (error) {
    // The reader has closed the pipe, as `head` does.
    const isClosed = error instanceof Error && 'code' in error && error.code === 'EPIPE';
    if (!isClosed) throw error;
  }
  return 0;
}

function answerLine(line: string, now: Instant): { kind: ScheduleKind; next: string[] } | { error: string } {
  try {
    const { kind, runs } = answerQuestion(parseQuestion(line), now);
    return { kind, next: runs.map(inUtc) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function parseQuestion(line: string): Question {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new QuestionError('The line is not JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new QuestionError('The line is not a JSON object.');
  }
  return { expr: undefined, tz: undefined, from: undefined, count: undefined, ...value };
}

/** Splits only at newlines: a JSON string may hold the other line separators of Unicode. */
async function* readLines(input: NodeJS.ReadableStream): AsyncGenerator<string> {
  input.setEncoding('utf8');
  let unfinished = '';
  for await (const chunk of input) {
    const [rest = '', ...others] = String(chunk).split('\n');
    const lines = [unfinished + rest, ...others];
    unfinished = lines.pop() ?? '';
    yield* lines;
  }
  if (unfinished !== '') yield unfinished;
}

function formatForPeople({ kind, expression, tz, count, runs }: Answer): string {
  const local = runs.map((run) => runTime(run, tz));
  const title = `Next runs in ${tz}`;
  const width = Math.max(title.length, ...local.map((text) => text.length)) + 3;
  const rows = runs.map((run, index) => `${(local[index] ?? '').padEnd(width)}${inUtc(run)}`);
  return [
    `Kind:    ${kind}`,
    `Meaning: ${describeSchedule(expression)}`,
    '',
    ...(runs.length > 0 ? [`${title.padEnd(width)}in UTC`, ...rows] : []),
    ...(runs.length < count ? ['No further runs: the schedule has ended.'] : []),
    '',
  ].join('\n');
}

/** `2024-03-31T01:00:00Z`. */
function inUtc(at: Instant): string {
  return toTemporal(at).toString();
}
