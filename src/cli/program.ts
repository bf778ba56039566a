import { loadEnvironment } from '../config/env-file.ts';
import { type CommandIo, type Commands, UsageError } from './command.ts';
import { helpOf, isHelp } from './help.ts';

export interface Program {
  readonly commands: Commands;
  /** The text of `--help`. */
  readonly overview: () => Promise<string>;
}

/** Runs the command that the arguments of this process name. Its exit code becomes that of the process. */
export async function runProgram(program: Program): Promise<void> {
  const startedAs = process.getuid?.();
  // The reader of our output, such as `head`, may end first. The command still finishes its work.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  try {
    process.exitCode = await run(program, process.argv.slice(2), {
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      environment: () => loadEnvironment(process.cwd(), process.env),
      stopSignal,
      exit: (code) => process.exit(code),
    });
  } catch (error) {
    const { explain } = await import('./explain.ts');
    const { text, code } = explain(error, startedAs);
    process.stderr.write(`${text}\n`);
    process.exitCode = code;
  }
}

async function run({ commands, overview }: Program, argv: readonly string[], io: CommandIo): Promise<number> {
  const [name, ...args] = argv;
  if (name === undefined || name === 'help' || isHelp(name)) {
    io.stdout.write(await overview());
    return name === undefined ? 2 : 0;
  }
  const load = commands[name === '--version' ? 'version' : name];
  if (load === undefined) throw new UsageError(`there is no command "${name}"`);
  const command = await load();
  if (args.some(isHelp)) {
    io.stdout.write(helpOf(name, command));
    return 0;
  }
  return command.run(args, io);
}

/** Signals within this time after the first one count as the same request. */
const ONE_REQUEST_MS = 1_000;

/**
 * The first signal asks for a clean stop. Signals in the second after it are ignored: a terminal sends Ctrl-C to npm
 * and to this process, and npm passes its own on. A later signal ends the process at once.
 */
function stopSignal(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isImpatient = false;
  const stop = () => {
    if (isImpatient) process.exit(130);
    resolve();
    setTimeout(() => {
      isImpatient = true;
    }, ONE_REQUEST_MS).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  return promise;
}
