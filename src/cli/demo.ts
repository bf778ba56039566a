import { fileURLToPath } from 'node:url';
import type { Environment } from '../config/env-file.ts';
import { readConfig } from '../config/read-config.ts';
import { startDemonstration } from '../demo/demonstration.ts';
import { READ_ONLY_KEY } from '../demo/world.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { systemRandom } from '../lib/random.ts';
import { columns } from './columns.ts';
import { type Command, UsageError } from './command.ts';
import { PAGES } from './pages.ts';
import { VERSION } from './version.ts';

/** The settings that matter. All others are as by default, so that nothing leaves. */
const SETTINGS = [
  ...['HOST', 'PORT', 'SITE_ROOT', 'SITE_NAME', 'DATABASE_URL', 'LOG_LEVEL', 'TRUSTED_PROXIES'],
  ...['REQUEST_TIMEOUT', 'MAX_CONNECTIONS', 'MAX_CONNECTIONS_PER_ADDRESS', 'PUBLIC_RATE_LIMIT'],
];
const DEFAULT_DATABASE = 'sqlite:./tocsin-demo/tocsin.db';

const HELP = `Usage: tocsin demo [--reset TIME]

Makes an installation in which three projects have lived for five weeks, and serves it.
Their jobs go on to ping. Everybody may look around, and nobody can change anything.
No message and no mail leaves the process.

${columns([['--reset TIME', 'put everything back after this time, again and again, such as 30m or 2h']]).join('\n')}

HOST, PORT, SITE_ROOT and TRUSTED_PROXIES mean the same as for tocsin serve.
The database is tocsin-demo/tocsin.db, or the SQLite file that DATABASE_URL names.
A file that is not of a demonstration is refused.
`;

export const demo: Command = {
  usage: '[--reset TIME]',
  summary: 'show a made-up installation in which nothing can be changed',
  help: HELP,
  async run(args, io) {
    const resetSeconds = readReset(args);
    const stopped = io.stopSignal();
    const config = readConfig(demoEnvironment(io.environment()));
    const log = createLog(config.log.level);
    io.stdout.write('Living the month: this takes some seconds.\n');
    const starting = startDemonstration(config, {
      clock: systemClock,
      random: systemRandom,
      log,
      version: VERSION,
      pagesFolder: fileURLToPath(PAGES),
      resetSeconds,
    });
    // Ending at once loses nothing: the next start makes the month anew.
    if ((await Promise.race([starting, stopped.then(() => 'stopped')])) === 'stopped') return io.exit(0);
    await using demonstration = await starting;
    const url = config.site.root;
    io.stdout.write(
      [
        `A demonstration of Tocsin ${VERSION} listens on http://localhost:${demonstration.port}`,
        `Open ${url}/ and look around, or ask the API:`,
        '',
        `  curl -H 'X-Api-Key: ${READ_ONLY_KEY}' ${url}/api/v3/checks/`,
        '',
      ].join('\n'),
    );
    await stopped;
    return 0;
  },
};

/** The environment of a demonstration. */
export function demoEnvironment(given: Environment): Environment {
  const kept = Object.entries(given).filter(([name]) => SETTINGS.includes(name));
  // Nobody has to act on messages that providers refuse here.
  return { DATABASE_URL: DEFAULT_DATABASE, LOG_LEVEL: 'error', ...Object.fromEntries(kept) };
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
/** A visitor should see something before all is put back. */
const MIN_RESET_SECONDS = 60;
const MAX_RESET_SECONDS = 7 * 86_400;

function readReset(args: readonly string[]): number | null {
  const [option, value = '', ...rest] = args;
  if (option === undefined) return null;
  if (option !== '--reset' || rest.length > 0)
    throw new UsageError(`demo takes --reset TIME, not "${args.join(' ')}"`);
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(value) ?? [];
  const seconds = Number(count) * (UNITS[unit] ?? 0);
  if (seconds < MIN_RESET_SECONDS || seconds > MAX_RESET_SECONDS)
    throw new UsageError('--reset takes a time from a minute to a week, such as 30m or 2h');
  return seconds;
}
