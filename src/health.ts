/**
 * Asks the service on this machine whether it takes pings: the health check of containers and units. It runs every half minute,
 * so it loads nothing of the service, and nothing of Node that a connection does not need.
 */
import { connect } from 'node:net';

/** Settings that say where the service listens. */
export type HealthSettings = Readonly<Partial<Record<'HOST' | 'PORT' | 'SITE_ROOT', string | undefined>>>;

export interface Health {
  readonly isHealthy: boolean;
  /** The answer of the service, or why there is none. */
  readonly line: string;
}

const PATH = '/api/v3/accepts/';
/** A health check of Docker has five seconds. */
const PATIENCE_MS = 4_000;
const PAUSE_MS = 500;
/** An answer is one line. */
const MAX_ANSWER = 4_096;
/** Addresses that stand for every address of the machine. */
const EVERY_ADDRESS = ['', '::', '0.0.0.0'];

/** Asks once. Never throws. */
export function askHealth(settings: HealthSettings): Promise<Health> {
  const { HOST = '', PORT = '', SITE_ROOT = '' } = settings;
  const host = EVERY_ADDRESS.includes(HOST) ? '127.0.0.1' : HOST;
  const port = PORT === '' ? 8_000 : Number(PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    return Promise.resolve({ isHealthy: false, line: `PORT=${PORT} is no port that can be asked` });
  const prefix = URL.canParse(SITE_ROOT) ? new URL(SITE_ROOT).pathname.replace(/\/$/, '') : '';
  return new Promise((resolve) => {
    const failed = (why: string) => resolve({ isHealthy: false, line: `${host}:${port}: ${why}` });
    let answer = '';
    const socket = connect({ host, port });
    socket.setTimeout(PATIENCE_MS, () => {
      failed('no answer');
      socket.destroy();
    });
    socket.on('connect', () =>
      socket.write(`GET ${prefix}${PATH} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
    );
    socket.on('data', (bytes) => {
      answer += bytes.toString('latin1');
      if (answer.length > MAX_ANSWER) socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => failed(error.code ?? error.message));
    socket.on('close', () => {
      const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(answer) ?? [];
      const [, body = ''] = /\r\n\r\n([^\r\n]*)/.exec(answer) ?? [];
      if (status === undefined) failed('this is no answer of Tocsin');
      else if (status === '200' && body === 'yes') resolve({ isHealthy: true, line: body });
      else resolve({ isHealthy: false, line: body === '' ? `status ${status}` : body });
    });
  });
}

/** Asks until the service takes pings. Gives up so many seconds after the last sign of progress. */
export async function waitForHealth(
  ask: () => Promise<Health>,
  seconds: number,
  { now, rest }: { readonly now: () => number; readonly rest: (ms: number) => Promise<void> },
): Promise<Health> {
  let before: string | null = null;
  let progressAt = now();
  for (;;) {
    const health = await ask();
    if (health.isHealthy) return health;
    if (health.line !== before) progressAt = now();
    before = health.line;
    if (now() - progressAt >= seconds * 1_000) return health;
    await rest(PAUSE_MS);
  }
}

/** Returns null if the arguments are not understood. */
export function waitSeconds(args: readonly string[]): number | null {
  if (args.length === 0) return 0;
  const [flag, value = '', ...rest] = args[0]?.split('=').concat(args.slice(1)) ?? [];
  return flag === '--wait' && rest.length === 0 && /^\d{1,6}$/.test(value) ? Number(value) : null;
}

/** Runs the command, and returns its exit code. */
export async function runHealth(
  args: readonly string[],
  settings: HealthSettings,
  print: (line: string) => void,
): Promise<number> {
  const seconds = waitSeconds(args);
  if (seconds === null) {
    print('Usage: tocsin health [--wait SECONDS]');
    return 2;
  }
  const rest = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const health = await waitForHealth(() => askHealth(settings), seconds, {
    now: () => process.uptime() * 1_000,
    rest,
  });
  print(health.line);
  return health.isHealthy ? 0 : 1;
}

/** The environment, and below it a .env file in the working folder, as the service reads them. */
function ownSettings(): HealthSettings {
  // To import it would load all of it.
  const { readFileSync } = process.getBuiltinModule('node:fs');
  try {
    const file = readFileSync('.env', 'utf8').trim();
    return { ...process.getBuiltinModule('node:util').parseEnv(file), ...process.env };
  } catch {
    return process.env;
  }
}

/** The command as a program. */
export async function main(args: readonly string[]): Promise<void> {
  process.exitCode = await runHealth(args, ownSettings(), (line) => console.log(line));
}

if (import.meta.main) await main(process.argv.slice(2));
