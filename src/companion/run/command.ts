/** `tocsin run`: from arguments to the start of the job. Nothing is loaded before that but what this needs. */
import { isatty } from 'node:tty';
import { type Parsed, parseArguments } from '../arguments.ts';
import type { Machine } from '../machine.ts';
import { RUN_OPTIONS, type RunOptions } from '../options.ts';
import { namedSlug } from '../target.ts';
import { readPattern } from '../values.ts';
import { copyOutput } from './copying.ts';
import type { Course } from './course.ts';
import { type JobStart, type RunningJob, type StartedJob, startJob } from './job.ts';
import { startPinger } from './pinger.ts';

const HEAD = `Usage: tocsin run [OPTIONS] -- COMMAND [ARGUMENTS]
       tocsin run [OPTIONS] -c 'TEXT FOR THE SHELL'

Runs a job and tells a check that it started, how it ended and what it wrote last.

`;
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
    process.stdout.write(await help());
    return;
  }
  const faults = [...parsed.faults, ...faultsOf(parsed)];
  if (parsed.values.strict) {
    const { findTargetOn } = await import('../line.ts');
    const found = await findTargetOn(parsed, machine);
    if ('fault' in found) faults.push(found.fault);
  }
  const { job } = parsed;
  if (job === null || (parsed.values.strict && faults.length > 0)) {
    const reasons = job === null ? [...faults, 'there is no command to run'] : faults;
    machine.say(`${reasons.join('; ')}\nTry: tocsin run --help`);
    await machine.flush();
    process.exitCode = WRONG_USE;
    return;
  }
  const values = withTail(parsed.values);
  const rid = values['no-rid'] ? null : machine.randomUuid();
  const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  const environment = { ...machine.environment, ...variablesFor(parsed, rid) };
  const start = async (): Promise<StartedJob> => {
    const startedMs = machine.monotonicMs();
    return { ...(await startJob(jobStart({ job, values, environment, hasTerminal }))), startedMs };
  };
  const listen = holdSignals();
  // A lock comes before the job, and is loaded with the rest.
  let first = values.lock === null ? await start() : null;
  const startJobOrTakeFirst = async () => {
    const started = first ?? (await start());
    first = null;
    return started;
  };
  // It begins while the rest is loaded here.
  const pinger = first !== null && process.execve === undefined ? startPinger(machine.secondProcess) : null;
  if (faults.length > 0 && !values.quiet) machine.say(faults.join('; '));
  const watchJob = await import('./beside-job.ts').then(
    (module) => module.watchJob,
    (error: unknown) => {
      machine.say(`the rest of tocsin cannot be loaded: ${error instanceof Error ? error.message : error}`);
      return null;
    },
  );
  if (watchJob === null) {
    pinger?.close();
    return endAs(await startJobOrTakeFirst());
  }
  const { sources } = parsed;
  const begun = { argv, values, sources, rid, hasTerminal, listen, pinger, startJob: startJobOrTakeFirst };
  await watchJob(begun, machine);
}

export async function help(): Promise<string> {
  return (await import('../help.ts')).helpOf(HEAD, RUN_OPTIONS);
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

function withTail(options: RunOptions): RunOptions {
  const { tail, 'output-limit': limit } = options;
  if (tail === null) return options;
  return { ...options, output: 'tail', 'output-limit': Math.min(tail, limit ?? tail) };
}

/** Variables that the job has besides ours. */
function variablesFor(parsed: Parsed<typeof RUN_OPTIONS>, rid: string | null): Record<string, string> {
  const slug = namedSlug(parsed);
  return {
    ...(rid === null ? {} : { TOCSIN_RUN_ID: rid }),
    ...(slug === null ? {} : { TOCSIN_SLUG: slug }),
  };
}

export function jobStart({
  job,
  values,
  environment,
  hasTerminal,
}: Pick<JobStart, 'job' | 'environment'> & {
  readonly values: RunOptions;
  readonly hasTerminal: boolean;
}): JobStart {
  return {
    job,
    environment,
    keepsStreams: values.output === 'none',
    // A terminal sends signals to the processes of its own session.
    leadsSession: values.timeout !== null && !hasTerminal,
    passedDescriptors: values['pass-fd'],
  };
}

/** From now on signals end nobody. They wait for what passes them on. */
function holdSignals(): Course['listen'] {
  const held: NodeJS.Signals[] = [];
  let take = (signal: NodeJS.Signals): void => {
    held.push(signal);
  };
  for (const signal of PASSED_ON) process.on(signal, () => take(signal));
  return (passOn) => {
    take = passOn;
    for (const signal of held) passOn(signal);
  };
}

/** Where there is nothing but the job: copies its output, and ends as it did. */
async function endAs({ output, ended }: RunningJob): Promise<void> {
  const copies = output?.map((source, index) => copyOutput(source, index + 1, () => undefined));
  const [ending] = await Promise.all([ended, ...(copies ?? [])]);
  process.exitCode = ending.kind === 'signal' ? 1 : ending.code;
}
