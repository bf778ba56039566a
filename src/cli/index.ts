import { ConfigError, loadEnvironment } from '../config/environment.ts';
import { AppError } from '../domain/errors.ts';
import { ProvisionFileError } from '../provision/located.ts';
import { StorageError } from '../storage/driver.ts';
import { CommandFailure, type CommandIo, UsageError } from './command.ts';
import { COMMANDS } from './commands.ts';
import { helpOf, isHelp, overview } from './help.ts';

async function run(argv: readonly string[], io: CommandIo): Promise<number> {
  const [name, ...args] = argv;
  if (name === undefined || name === 'help' || isHelp(name)) {
    io.stdout.write(await overview());
    return name === undefined ? 2 : 0;
  }
  const load = COMMANDS[name === '--version' ? 'version' : name];
  if (load === undefined) throw new UsageError(`there is no command "${name}"`);
  const command = await load();
  if (args.some(isHelp)) {
    io.stdout.write(helpOf(name, command));
    return 0;
  }
  return command.run(args, io);
}

/** A failure that a person can fix is shown as its message. Anything else is a bug and is shown with its stack. */
function explain(error: unknown): { text: string; code: number } {
  const explained = explainPlainly(error);
  const user = process.getuid?.();
  // The user may lack rights that whoever typed the command has.
  if (user === startedAs) return explained;
  return { ...explained, text: `${explained.text}\nThis ran as user ${user}, to whom the database belongs.` };
}

function explainPlainly(error: unknown): { text: string; code: number } {
  if (error instanceof UsageError) return { text: `${error.message}\nTry: tocsin --help`, code: error.code };
  if (error instanceof ConfigError) return { text: `The environment has faults:\n${error.message}`, code: 1 };
  if (error instanceof AppError && error.code === 'storage_unavailable') {
    return { text: `The database cannot be used: ${error.message}`, code: 1 };
  }
  if (error instanceof CommandFailure) return { text: error.message, code: error.code };
  const isPlain =
    error instanceof ProvisionFileError ||
    error instanceof StorageError ||
    error instanceof AppError ||
    (error instanceof Error && 'syscall' in error);
  if (isPlain) return { text: error.message, code: 1 };
  return { text: error instanceof Error ? (error.stack ?? error.message) : String(error), code: 1 };
}

const startedAs = process.getuid?.();

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

// The reader of our output, such as `head`, may end first. The command still finishes its work.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  process.exitCode = await run(process.argv.slice(2), {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    environment: () => loadEnvironment(process.cwd(), process.env),
    stopSignal,
    exit: (code) => process.exit(code),
  });
} catch (error) {
  const { text, code } = explain(error);
  process.stderr.write(`${text}\n`);
  process.exitCode = code;
}
