/** All that is loaded while the job is already running: its course, its pings and the end of this process. */
import { tmpdir } from 'node:os';
import { type Parsed, parseArguments } from '../arguments.ts';
import { leave } from '../leave.ts';
import { findTargetOn, openLine } from '../line.ts';
import type { Machine } from '../machine.ts';
import { RUN_OPTIONS, type RunOptions } from '../options.ts';
import { systemProcesses } from '../processes.ts';
import { realTiming } from '../send/attempts.ts';
import { readPattern } from '../values.ts';
import { copyOutput } from './copying.ts';
import { type Course, runCourse } from './course.ts';
import { expectationOf } from './expected/expectation.ts';
import { type Locking, lockFolder, takeLock } from './lock.ts';
import { channelToJob, startPinger } from './pinger.ts';
import { DirectPings, type PingsOptions, type RunPings } from './pings.ts';
import { NO_SECRETS, type Secrets, secretsOf } from './redaction.ts';
import { type PingerChannel, RemotePings, servePings } from './remote-pings.ts';
import type { Summarize } from './summaries/summary.ts';

type ParsedRun = Pick<Parsed<typeof RUN_OPTIONS>, 'values' | 'sources'>;

/** What has begun before this is loaded. */
export interface Begun extends ParsedRun, Pick<Course, 'startJob' | 'listen' | 'hasTerminal'> {
  readonly argv: readonly string[];
  readonly rid: string | null;
  /** Null where there is none yet. */
  readonly pinger: PingerChannel | null;
}

/** Watches the job to its end, and ends this process as the job ended. */
export async function watchJob(begun: Begun, machine: Machine): Promise<void> {
  const summarize = await summarizeAs(begun.values.as).catch((error: unknown) => {
    machine.say(`--as does nothing: ${error instanceof Error ? error.message : error}`);
    return null;
  });
  const { leaving, isStuck } = await runCourse(courseOf(begun, summarize, machine));
  await machine.flush();
  leave(leaving, isStuck);
}

/** Loaded at once: nothing may hang after the end of the job. */
async function summarizeAs(tool: RunOptions['as']): Promise<Summarize | null> {
  return tool === 'none' ? null : (await import('./summaries/tools.ts')).SUMMARIES[tool];
}

function courseOf(begun: Begun, summarize: Summarize | null, machine: Machine): Course {
  const { argv, rid, values: options, startJob, listen, hasTerminal, pinger } = begun;
  const timing = realTiming(machine);
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
      ? new RemotePings({
          ...talk,
          argv,
          rid,
          openChannel: () => pinger ?? startPinger(machine.secondProcess),
        })
      : directPings(begun, rid, machine, talk);
  surviveFaults(complain);
  return {
    options,
    startJob,
    listen,
    hasTerminal,
    timing,
    moment: machine.moment,
    copy: (source, stream, keep) => copyOutput(source, stream + 1, keep),
    afterInput: () => new Promise((resolve) => setImmediate(resolve)),
    pings,
    secrets: () => secretsFor(options, own, machine),
    summarize: options.output === 'none' ? null : summarize,
    tryLock: options.lock === null ? null : lockOf(options.lock, begun, machine),
    complain,
  };
}

interface Talk extends Pick<PingsOptions, 'complain' | 'tell'> {
  /** Told our own keys and addresses, as soon as they are known. */
  readonly learnSecrets: (secrets: readonly string[]) => void;
}

function directPings(
  { values, sources }: ParsedRun,
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
