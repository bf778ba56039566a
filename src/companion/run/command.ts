/** `tocsin run`: from arguments to the end of this process. */
import { tmpdir } from 'node:os';
import { isatty } from 'node:tty';
import { type Parsed, parseArguments } from '../arguments.ts';
import { helpOf } from '../help.ts';
import { type Leaving, leave } from '../leave.ts';
import { findTargetOn, openLine } from '../line.ts';
import type { Machine } from '../machine.ts';
import { RUN_OPTIONS, type RunOptions } from '../options.ts';
import { systemProcesses } from '../processes.ts';
import { realTiming } from '../send/attempts.ts';
import { namedSlug } from '../target.ts';
import { copyOutput } from './copying.ts';
import { type Course, runCourse } from './course.ts';
import { expectationOf } from './expected/expectation.ts';
import { startJob } from './job.ts';
import { type Locking, lockFolder, takeLock } from './lock.ts';
import { channelToJob, startPinger } from './pinger.ts';
import { DirectPings, type PingsOptions, type RunPings } from './pings.ts';
import { NO_SECRETS, readPattern, type Secrets, secretsOf } from './redaction.ts';
import { RemotePings, servePings } from './remote-pings.ts';
import type { Summarize } from './summaries/summary.ts';

export const HELP = helpOf(
  `Usage: tocsin run [OPTIONS] -- COMMAND [ARGUMENTS]
       tocsin run [OPTIONS] -c 'TEXT FOR THE SHELL'

Runs a job and tells a check that it started, how it ended and what it wrote last.

`,
  RUN_OPTIONS,
);
const WRONG_USE = 2;
const PASSED_ON: readonly NodeJS.Signals[] = [
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGTERM',
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGCONT',
  'SIGWINCH',
];

export async function run(argv: readonly string[], machine: Machine): Promise<void> {
  const parsed = parseArguments(RUN_OPTIONS, { argv, environment: machine.environment, runsJob: true });
  if (parsed.wantsHelp) {
    process.stdout.write(HELP);
    return;
  }
  const faults = [...parsed.faults, ...faultsOf(parsed)];
  if (parsed.values.strict) {
    const found = await findTargetOn(parsed, machine);
    if ('fault' in found) faults.push(found.fault);
  }
  const { job } = parsed;
  if (job === null || (parsed.values.strict && faults.length > 0)) {
    const reasons = job === null ? [...faults, 'there is no command to run'] : faults;
    machine.say(`${reasons.join('; ')}\nTry: tocsin run --help`);
    await finish({ kind: 'exit', code: WRONG_USE }, false, machine);
    return;
  }
  if (faults.length > 0 && !parsed.values.quiet) machine.say(faults.join('; '));
  const summarize = await summarizeAs(parsed.values.as);
  const { leaving, isStuck } = await runCourse(courseOf(argv, { ...parsed, job }, summarize, machine));
  await finish(leaving, isStuck, machine);
}

/** What no single option is at fault for. */
function faultsOf({ values: options, sources }: Parsed<typeof RUN_OPTIONS>): string[] {
  const faults = options.redact.flatMap((source) =>
    readPattern(source) === null ? ['--redact is no regular expression'] : [],
  );
  if (options['pass-fd'].some((descriptor) => descriptor < 3)) faults.push('--pass-fd begins with 3');
  if (options.header.some((text) => !/^[!#$%&'*+.^_`|~\w-]+\s*:/.test(text))) {
    faults.push("--header is written as 'Name: value'");
  }
  // Variables may be there for other jobs.
  const isFlag = (name: keyof RunOptions) => sources.get(name) === 'flag';
  const about = (['newer-than-start', 'min-size', 'shrink-at-most'] as const).filter(isFlag);
  if (about.length > 0 && options['expect-file'].length === 0) {
    faults.push(`${about.map((name) => `--${name}`).join(', ')} without --expect-file`);
  }
  if (isFlag('shrink-at-most') && options['no-spool']) {
    faults.push('--shrink-at-most needs the folder that --no-spool does without');
  }
  if (isFlag('as') && options.as !== 'none' && options.output === 'none') {
    faults.push('--as reads the output, which --output none leaves alone');
  }
  return faults;
}

type ParsedRun = Parsed<typeof RUN_OPTIONS> & {
  readonly job: NonNullable<Parsed<typeof RUN_OPTIONS>['job']>;
};

/** Loaded before the job starts: nothing may hang after its end. */
async function summarizeAs(tool: RunOptions['as']): Promise<Summarize | null> {
  return tool === 'none' ? null : (await import('./summaries/tools.ts')).summarizeAs(tool);
}

function courseOf(
  argv: readonly string[],
  parsed: ParsedRun,
  summarize: Summarize | null,
  machine: Machine,
): Course {
  const options = withTail(parsed.values);
  const timing = realTiming(machine);
  const rid = options['no-rid'] ? null : machine.randomUuid();
  const said = new Set<string>();
  const complain = (line: string) => {
    if (!options.quiet && !said.has(line)) machine.say(line);
    said.add(line);
  };
  let own: readonly string[] = [];
  const talk: Talk = {
    learnSecrets: (secrets) => {
      own = secrets;
    },
    complain,
    tell: options.verbose ? machine.say : () => undefined,
  };
  // Where this process cannot leave a hanging file behind, another one has files and network.
  const pings =
    process.execve === undefined
      ? new RemotePings({ ...talk, argv, rid, openChannel: () => startPinger(machine.program) })
      : directPings(parsed, rid, machine, talk);
  surviveFaults(complain);
  return {
    options,
    job: parsed.job,
    environment: environmentOf(parsed, rid, machine),
    timing,
    moment: machine.moment,
    hasTerminal: [0, 1, 2].some((descriptor) => isatty(descriptor)),
    startJob,
    copy: (source, stream, keep) => copyOutput(source, stream + 1, keep),
    afterInput: () => new Promise((resolve) => setImmediate(resolve)),
    listen: (take) => {
      for (const signal of PASSED_ON) process.on(signal, take);
    },
    pings,
    secrets: () => secretsFor(options, own, machine),
    summarize: options.output === 'none' ? null : summarize,
    tryLock: options.lock === null ? null : lockOf(options.lock, parsed, machine),
    complain,
  };
}

interface Talk extends Pick<PingsOptions, 'complain' | 'tell'> {
  /** Told our own keys and addresses, as soon as they are known. */
  readonly learnSecrets: (secrets: readonly string[]) => void;
}

function directPings(
  { values, sources }: Pick<Parsed<typeof RUN_OPTIONS>, 'values' | 'sources'>,
  rid: string | null,
  machine: Machine,
  { learnSecrets, complain, tell }: Talk,
): RunPings {
  return new DirectPings({
    open: async () => {
      const opened = await openLine({ values, sources }, machine);
      if ('fault' in opened) {
        complain(opened.fault);
        return null;
      }
      learnSecrets(opened.secrets);
      return opened.line;
    },
    look: async (startedMs, memory) => {
      const { look, lookFiles } = await import('./expected/look.ts');
      const parts = { files: lookFiles, memory, timing: realTiming(machine) };
      return look(expectationOf(values), startedMs, parts);
    },
    rid,
    sendsStart: !values['no-start'],
    attemptMs: values['ping-timeout'],
    timing: realTiming(machine),
    moment: machine.moment,
    complain,
    tell,
  });
}

/** Sends the pings of a run whose job is in another process. */
export function servePingsOn(machine: Machine): void {
  const channel = channelToJob();
  const complain = (line: string) => channel.send({ kind: 'complain', line });
  servePings(channel, ({ argv, rid }) => {
    const parsed = parseArguments(RUN_OPTIONS, { argv, environment: machine.environment, runsJob: true });
    // What the spool says has to reach people, too.
    return directPings(
      parsed,
      rid,
      { ...machine, say: complain },
      {
        learnSecrets: (secrets) => channel.send({ kind: 'secrets', secrets }),
        complain,
        tell: (line) => channel.send({ kind: 'tell', line }),
      },
    );
  });
}

/** A fault of ours must not end us before the job has ended. */
function surviveFaults(complain: (line: string) => void): void {
  process.on('uncaughtException', (error) => complain(`a fault of tocsin run: ${error.message}`));
}

function withTail(options: RunOptions): RunOptions {
  const { tail, 'output-limit': limit } = options;
  if (tail === null) return options;
  return { ...options, output: 'tail', 'output-limit': Math.min(tail, limit ?? tail) };
}

function environmentOf(
  parsed: ParsedRun,
  rid: string | null,
  { environment }: Machine,
): Machine['environment'] {
  const slug = namedSlug(parsed);
  return {
    ...environment,
    ...(rid === null ? {} : { TOCSIN_RUN_ID: rid }),
    ...(slug === null ? {} : { TOCSIN_SLUG: slug }),
  };
}

function secretsFor(options: RunOptions, own: readonly string[], { environment }: Machine): Secrets {
  if (options['no-redact']) return NO_SECRETS;
  const userPatterns = options.redact.flatMap((source) => readPattern(source) ?? []);
  return secretsOf(environment, { names: options['redact-env'], own, userPatterns });
}

/** The name of the lock is that of the check, unless it has one of its own. */
function lockOf(given: string, parsed: ParsedRun, machine: Machine): () => Promise<Locking> {
  let name: Promise<string> | null = given === '' ? null : Promise.resolve(given);
  return async () => {
    name ??= findTargetOn(parsed, machine).then((found) => ('target' in found ? found.target.label : 'job'));
    return takeLock({
      folder: lockFolder(machine, tmpdir()),
      name: await name,
      userId: machine.userId,
      ownId: process.pid,
      now: new Date(machine.moment().wallMs),
      processes: systemProcesses,
    });
  };
}

async function finish(leaving: Leaving, isStuck: boolean, machine: Machine): Promise<void> {
  await machine.flush();
  leave(leaving, isStuck);
}
