import { ConfigError, loadEnvironment } from '../config/environment.ts';
import { AppError } from '../domain/errors.ts';
import { ProvisionFileError } from '../provision/located.ts';
import { StorageError } from '../storage/driver.ts';
import { type Command, CommandFailure, type CommandIo, UsageError } from './command.ts';

/** Each is loaded when it is called: most of them load the whole service, which takes longer than a short command. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve.ts')).serve,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  apply: async () => (await import('./apply.ts')).apply,
  export: async () => (await import('./export.ts')).exportCommand,
  account: async () => (await import('./account.ts')).account,
  admin: async () => (await import('./account.ts')).admin,
  backup: async () => (await import('./backup.ts')).backup,
  'rotate-secret': async () => (await import('./rotate-secret.ts')).rotateSecret,
  'signal-captcha': async () => (await import('./signal-captcha.ts')).signalCaptcha,
  schedule: async () => (await import('./schedule.ts')).schedule,
  'telegram-webhook': async () => (await import('./telegram-webhook.ts')).telegramWebhook,
  version: async () => (await import('./version.ts')).version,
};

async function help(): Promise<string> {
  const rows = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, load]) => {
      const { usage, summary } = await load();
      return `  ${`${name} ${usage}`.trimEnd().padEnd(26)}${summary}`;
    }),
  );
  return `Tocsin watches jobs that should run on time, and rings when one does not.

Usage: tocsin COMMAND [ARGUMENTS]

Commands:
${rows.join('\n')}
  ${'help'.padEnd(26)}print this text

Settings come from the environment and from a .env file in the working folder. The important ones:
  DATABASE_URL              sqlite:./data/tocsin.db (the default), or postgres://user:password@host/name
  SITE_ROOT                 the address under which people and jobs reach the service
  PORT, HOST                where to listen
  PROVISION_FILE            a YAML file to apply at every start
docs/operating.md lists them all.
`;
}

async function run(argv: readonly string[], io: CommandIo): Promise<number> {
  const [name, ...args] = argv;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    io.stdout.write(await help());
    return name === undefined ? 2 : 0;
  }
  const load = COMMANDS[name === '--version' ? 'version' : name];
  if (load === undefined) throw new UsageError(`there is no command "${name}"`);
  const command = await load();
  if (args.includes('--help') && command.ownHelp !== true) {
    io.stdout.write(`Usage: tocsin ${`${name} ${command.usage}`.trimEnd()}\n\n${command.summary}\n`);
    return 0;
  }
  return command.run(args, io);
}

/** A failure that a person can fix is shown as its message. Anything else is a bug and is shown with its stack. */
function explain(error: unknown): { text: string; code: number } {
  if (error instanceof UsageError) return { text: `${error.message}\nTry: tocsin --help`, code: 2 };
  if (error instanceof ConfigError) return { text: `The environment has faults:\n${error.message}`, code: 1 };
  if (error instanceof AppError && error.code === 'storage_unavailable') {
    return { text: `The database cannot be used: ${error.message}`, code: 1 };
  }
  const isPlain =
    error instanceof ProvisionFileError ||
    error instanceof CommandFailure ||
    error instanceof StorageError ||
    error instanceof AppError ||
    (error instanceof Error && 'syscall' in error);
  if (isPlain) return { text: error.message, code: 1 };
  return { text: error instanceof Error ? (error.stack ?? error.message) : String(error), code: 1 };
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
