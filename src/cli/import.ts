import { existsSync } from 'node:fs';
import type { Config } from '../config/read-config.ts';
import { isEmailAddress } from '../domain/people/email-address.ts';
import { readHealthchecks } from '../import/healthchecks/import.ts';
import { openHealthchecks } from '../import/healthchecks/open.ts';
import { readKuma } from '../import/kuma/import.ts';
import { SourceError } from '../import/source-error.ts';
import { systemClock } from '../lib/clock.ts';
import { systemRandom } from '../lib/random.ts';
import { createWholeFile, replaceWholeFile } from '../lib/whole-file.ts';
import { accountDeps } from '../node/node.ts';
import { readSecretFile } from '../provision/secret-file.ts';
import type { Deps } from '../services/core/deps.ts';
import type { Import } from '../services/importing/import.ts';
import {
  type ImportOptions,
  ImportRefusedError,
  type ImportResult,
  importInstallation,
  PingsInterruptedError,
} from '../services/importing/installation.ts';
import { knownChecks } from '../services/importing/known-checks.ts';
import type { History } from '../services/importing/pings.ts';
import { lockDatabase } from '../storage/sqlite/lock.ts';
import { printPasswordLink } from './account.ts';
import { readArguments } from './arguments.ts';
import { columns } from './columns.ts';
import { type Command, type CommandIo, UsageError } from './command.ts';
import { openConfiguredCore } from './core.ts';
import { configAsOwner } from './database-owner.ts';
import { reportOf, reportText } from './import-report.ts';

const COMMON = {
  apply: { type: 'boolean' },
  history: { type: 'string' },
  alerts: { type: 'string' },
  report: { type: 'string' },
  json: { type: 'boolean' },
  again: { type: 'boolean' },
} as const;

const HEALTHCHECKS = {
  ...COMMON,
  database: { type: 'string' },
  'secret-key-file': { type: 'string' },
  'rp-id': { type: 'string' },
  prove: { type: 'boolean' },
  'no-admins': { type: 'boolean' },
  only: { type: 'string', multiple: true },
} as const;

const KUMA = {
  ...COMMON,
  owner: { type: 'string' },
  project: { type: 'string' },
  env: { type: 'string' },
} as const;

const HELP = `Usage: tocsin import healthchecks --database URL|FILE
       tocsin import kuma FILE --owner EMAIL

Brings an installation of Healthchecks or Uptime Kuma here, with its people, checks, integrations and
pings. Without --apply it only tells what would come, and what would not. The source is only read.

${columns([
  ['--apply', 'does it'],
  [
    '--history N|all|none',
    'pings of each check, the newest first (as many as its owner keeps);\nchanges of status come, too, unless it is none',
  ],
  ['--alerts off', 'all integrations come switched off'],
  ['--report FILE', 'writes the report as JSON'],
  ['--json', 'prints the report as JSON'],
  ['--again', 'brings back what was imported before and deleted here'],
]).join('\n')}

Of Healthchecks:

${columns([
  [
    '--database URL|FILE',
    'a PostgreSQL database, a file of SQLite or of JSON lines, or file: and\nthe path of a file with the URL',
  ],
  ['--secret-key-file FILE', 'its SECRET_KEY, with which API keys and badges go on working'],
  ['--rp-id HOST', 'its RP_ID; security keys work only at the same host'],
  ['--prove', 'reads an API key from standard input, and tells which project it opens'],
  ['--no-admins', 'superusers do not become administrators'],
  ['--only NAME', 'one project; may be given several times'],
]).join('\n')}

Of Uptime Kuma:

${columns([
  ['--owner EMAIL', 'the account that gets the project; it is made if there is none'],
  ['--project NAME', 'the name of the project (Uptime Kuma)'],
  ['--env FILE', 'writes settings of the server that it knows, as lines for .env'],
]).join('\n')}

It ends with 0 if it is done or could be done, 3 if there is nothing to import, 4 if it is refused, and
5 if the source cannot be read.
`;

/** Exit codes. */
const NOTHING = 3;
const REFUSED = 4;
const UNREADABLE = 5;

export const importCommand: Command = {
  usage: 'healthchecks|kuma',
  summary: 'bring an installation of Healthchecks or Uptime Kuma here',
  help: HELP,
  async run([program = '', ...args], io) {
    const run = PROGRAMS[program];
    if (run === undefined) throw new UsageError(`import takes one of: ${Object.keys(PROGRAMS).join(', ')}`);
    try {
      return await run(args, io);
    } catch (thrown) {
      const isInterrupted = thrown instanceof PingsInterruptedError;
      const error = isInterrupted ? thrown.cause : thrown;
      const code =
        error instanceof SourceError ? UNREADABLE : error instanceof ImportRefusedError ? REFUSED : null;
      if (code === null || !(error instanceof Error)) throw error;
      const written = isInterrupted
        ? 'All but the rest of the pings was written. The next import goes on with them.'
        : 'Nothing was written.';
      io.stderr.write(`${error.message}\n${written}\n`);
      return code;
    }
  },
};

const PROGRAMS: Readonly<Record<string, (args: readonly string[], io: CommandIo) => Promise<number>>> = {
  healthchecks: importHealthchecks,
  kuma: importKuma,
};

async function importHealthchecks(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = readArguments(args, HEALTHCHECKS);
  if (positionals.length > 0) throw new UsageError('import healthchecks takes the database as --database');
  const variables = io.environment();
  const place = values.database ?? variables.HC_DATABASE_URL ?? '';
  if (place === '') throw new UsageError('--database names the database of Healthchecks');
  const secret = secretKey(values['secret-key-file'], variables.HC_SECRET_KEY);
  const proof = values.prove === true ? await firstLine(io.stdin) : null;
  // Before this process becomes the user of our own database, who may not read that one.
  await using source = await openHealthchecks(place);
  const only = values.only ?? [];
  return await importFrom(
    io,
    { ...commonOptions(values), isPart: only.length > 0, foreignSecret: secret, proof },
    values,
    ({ config }) =>
      readHealthchecks(source, {
        now: systemClock.now(),
        withAdmins: values['no-admins'] !== true,
        isSameHost: values['rp-id'] === new URL(config.site.root).hostname,
        hasSecret: secret !== null,
        only,
      }),
  );
}

async function importKuma(args: readonly string[], io: CommandIo): Promise<number> {
  const { values, positionals } = readArguments(args, KUMA);
  const [path, ...others] = positionals;
  if (path === undefined || others.length > 0)
    throw new UsageError('import kuma takes one argument, kuma.db');
  const owner = (values.owner ?? '').trim().toLowerCase();
  if (!isEmailAddress(owner)) throw new UsageError('--owner is the e-mail address of an account');
  const { env } = values;
  if (env !== undefined && existsSync(env))
    throw new ImportRefusedError([`${env} exists, and is not replaced`]);
  using parts = new DisposableStack();
  const options = { ...commonOptions(values), isPart: false, foreignSecret: null, proof: null };
  return await importFrom(
    io,
    options,
    values,
    async ({ deps, config }) => {
      const source = parts.use(
        await readKuma({
          path,
          owner,
          project: values.project ?? 'Uptime Kuma',
          instance: { server: config.integrations, hasMail: config.accounts.hasMail },
          now: systemClock.now(),
          knownChecks: (identity, projectUuid) => knownChecks(deps, identity, projectUuid),
        }),
      );
      if (env !== undefined && source.settings.size > 0) await writeSettings(env, source);
      return source;
    },
    owner,
  );
}

interface Opened {
  readonly deps: Deps;
  readonly config: Config;
}

type Given = ReturnType<typeof readArguments<typeof COMMON>>['values'];

/** Reads the source, imports it, and reports. `newOwner` is told how to choose a password if the account is new. */
async function importFrom(
  io: CommandIo,
  options: ImportOptions,
  { report: path, json }: Given,
  read: (opened: Opened) => Promise<Import>,
  newOwner?: string,
): Promise<number> {
  using _lock = lockOwnDatabase(configAsOwner(io));
  await using core = await openConfiguredCore(io);
  const source = await read(core);
  const result = await importInstallation(core.deps, source, options);
  const report = reportOf({
    source,
    result,
    isApplied: !options.isDryRun,
    now: systemClock.now(),
    isSet: (name) => isSet(core.config, name),
    hasObjectStorage: core.config.objects !== null,
  });
  const asJson = () => `${JSON.stringify(report, null, 2)}\n`;
  if (path !== undefined) await replaceWholeFile(path, asJson(), systemRandom);
  io.stdout.write(json === true ? asJson() : reportText(report));
  if (options.proof !== null) tellProof(io, result);
  const { accounts, projects } = source.declaration;
  const owner = await core.deps.store.accounts.byEmail(newOwner ?? '');
  if (owner !== null && result.carried.accounts > 0 && !options.isDryRun)
    await printPasswordLink(
      {
        deps: accountDeps(core.deps, core.config.accounts),
        io: json === true ? { ...io, stdout: io.stderr } : io,
        siteRoot: core.config.site.root,
      },
      owner,
    );
  return accounts.length + projects.length === 0 ? NOTHING : 0;
}

/** Whether a setting of the server that integrations need has a value, perhaps its default. */
function isSet({ integrations, accounts }: Config, setting: string): boolean {
  if (setting === 'EMAIL_HOST') return accounts.hasMail;
  const value = new Map<string, unknown>(Object.entries(integrations)).get(setting);
  return value !== undefined && value !== null && value !== false && value !== '';
}

/** A long write would hold up pings. */
function lockOwnDatabase({ database }: Config): Disposable | null {
  if (database.engine !== 'sqlite') return null;
  try {
    return lockDatabase(database.path);
  } catch (error) {
    throw new ImportRefusedError([error instanceof Error ? error.message : String(error)]);
  }
}

function tellProof({ stderr }: CommandIo, { proved }: ImportResult): void {
  stderr.write(
    proved === null ? 'The API key opens no project.\n' : `The API key opens the project ${proved}.\n`,
  );
}

function commonOptions({ apply, history, alerts, again }: Given) {
  if (alerts !== undefined && alerts !== 'off') throw new UsageError('--alerts takes off');
  return {
    isDryRun: apply !== true,
    history: readHistory(history),
    isSilent: alerts === 'off',
    isAgain: again === true,
  };
}

function readHistory(value: string | undefined): History {
  if (value === undefined) return 'limit';
  if (value === 'all' || value === 'none') return value;
  if (!/^\d{1,9}$/.test(value)) throw new UsageError('--history takes a number, all or none');
  return Number(value);
}

function secretKey(path: string | undefined, variable: string | undefined): string | null {
  if (path === undefined) return variable === undefined || variable === '' ? null : variable;
  try {
    return readSecretFile(path);
  } catch (error) {
    throw new SourceError(`${path} ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function firstLine(stdin: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of stdin) text += String(chunk);
  return (text.split('\n')[0] ?? '').trim();
}

async function writeSettings(path: string, { settings }: Import): Promise<void> {
  const lines = [...settings].map(([name, value]) => `${name}=${JSON.stringify(value)}\n`);
  if (!(await createWholeFile(path, lines.join(''), systemRandom)))
    throw new ImportRefusedError([`${path} exists, and is not replaced`]);
}
