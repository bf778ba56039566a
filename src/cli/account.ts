import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { AppError } from '../domain/errors.ts';
import type { Account } from '../domain/people/account.ts';
import { isEmailAddress } from '../domain/people/email-address.ts';
import { wholeNumber } from '../lib/env-setting.ts';
import { Fault } from '../lib/fields.ts';
import { toIsoSeconds } from '../lib/instant.ts';
import { count } from '../lib/text/durations.ts';
import { accountDeps } from '../node/node.ts';
import { operatorOn, THE_OPERATOR } from '../services/people/account-actor.ts';
import { closeAccount, previewClosing } from '../services/people/closing.ts';
import type { AccountDeps } from '../services/people/deps.ts';
import {
  createAccount,
  endAllSessions,
  findAccount,
  listAccounts,
  offerPassword,
  removeSecondFactors,
  replacePassword,
  setAccountLimits,
  setActive,
  setAdmin,
} from '../services/sign-up/administration.ts';
import { removeIdentities } from '../services/sign-up/identities.ts';
import { linkAddress } from '../wire/dashboard/addresses.ts';
import { nameField } from '../wire/dashboard/input.ts';
import { type Command, CommandFailure, type CommandIo, UsageError } from './command.ts';
import { openConfiguredCore } from './core.ts';

const OPTIONS = {
  name: { type: 'string' },
  admin: { type: 'boolean' },
  'password-stdin': { type: 'boolean' },
  'with-projects': { type: 'boolean' },
  checks: { type: 'string' },
  pings: { type: 'string' },
} as const;

type OptionName = keyof typeof OPTIONS;

interface Work {
  readonly deps: AccountDeps;
  readonly io: CommandIo;
  readonly siteRoot: string;
}

interface Call {
  readonly email: string;
  readonly options: { readonly [Name in OptionName]?: string | boolean };
}

interface SubCommand {
  readonly takes: readonly OptionName[];
  readonly takesEmail: boolean;
  run(work: Work, call: Call): Promise<void>;
}

const ACCOUNT_COMMANDS: Readonly<Record<string, SubCommand>> = {
  create: { takes: ['name', 'admin', 'password-stdin'], takesEmail: true, run: create },
  'reset-password': { takes: ['password-stdin'], takesEmail: true, run: resetPassword },
  'reset-second-factor': { takes: [], takesEmail: true, run: resetSecondFactor },
  'end-sessions': { takes: [], takesEmail: true, run: endSessions },
  activate: { takes: [], takesEmail: true, run: (work, call) => makeActive(work, call, true) },
  deactivate: { takes: [], takesEmail: true, run: (work, call) => makeActive(work, call, false) },
  'set-limits': { takes: ['checks', 'pings'], takesEmail: true, run: setLimits },
  disconnect: { takes: [], takesEmail: true, run: disconnect },
  list: { takes: [], takesEmail: false, run: list },
  delete: { takes: ['with-projects'], takesEmail: true, run: remove },
};

const ADMIN_COMMANDS: Readonly<Record<string, SubCommand>> = {
  grant: { takes: [], takesEmail: true, run: (work, call) => makeAdmin(work, call, true) },
  revoke: { takes: [], takesEmail: true, run: (work, call) => makeAdmin(work, call, false) },
};

export const account: Command = {
  usage: 'create|list|delete|…',
  summary: 'manage the accounts of people',
  help: `Usage: tocsin account create EMAIL [--name NAME] [--admin] [--password-stdin]
       tocsin account reset-password EMAIL [--password-stdin]
       tocsin account reset-second-factor EMAIL
       tocsin account end-sessions EMAIL
       tocsin account activate|deactivate EMAIL
       tocsin account set-limits EMAIL [--checks NUMBER] [--pings NUMBER]
       tocsin account disconnect EMAIL
       tocsin account list
       tocsin account delete EMAIL [--with-projects]

Without --password-stdin a link is printed with which the person chooses a password, within a day.
With it the password is the first line of standard input.
Nobody signs in to an account that is not active. Its projects are watched as before.
`,
  run: (args, io) => runSubCommand(ACCOUNT_COMMANDS, args, io),
};

export const admin: Command = {
  usage: 'grant|revoke EMAIL',
  summary: 'say who administers the service',
  run: (args, io) => runSubCommand(ADMIN_COMMANDS, args, io),
};

async function runSubCommand(
  commands: Readonly<Record<string, SubCommand>>,
  [name = '', ...args]: readonly string[],
  io: CommandIo,
): Promise<number> {
  const command = commands[name];
  if (command === undefined) throw new UsageError(`give one of: ${Object.keys(commands).join(', ')}`);
  const call = readCall(name, command, args);
  await using core = await openConfiguredCore(io);
  const deps = accountDeps(core.deps, core.config.accounts);
  await command.run({ deps, io, siteRoot: core.config.site.root }, call);
  return 0;
}

function readCall(name: string, { takes, takesEmail }: SubCommand, args: readonly string[]): Call {
  const { values, positionals } = parse(args);
  for (const option of Object.keys(values)) {
    if (!takes.some((one) => one === option)) throw new UsageError(`${name} takes no --${option}`);
  }
  const [email = '', ...others] = positionals;
  if (others.length > 0 || (email !== '') !== takesEmail)
    throw new UsageError(takesEmail ? `${name} takes one address` : `${name} takes no arguments`);
  const address = email.trim().toLowerCase();
  if (takesEmail && !isEmailAddress(address)) throw new UsageError(`"${email}" is not an e-mail address`);
  return { email: address, options: values };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function create(work: Work, { email, options }: Call): Promise<void> {
  const { deps, io } = work;
  const password = options['password-stdin'] === true ? await readPassword(io) : null;
  const person = { email, name: readName(options.name), isAdmin: options.admin === true };
  const made = await createAccount(deps, THE_OPERATOR, { ...person, password });
  io.stdout.write(`Created the account ${made.email}${made.isAdmin ? ', an administrator' : ''}.\n`);
  if (password === null) await printPasswordLink(work, made);
}

function readName(name: unknown): string {
  const read = nameField.read(name ?? '', '--name');
  if (read instanceof Fault) throw new UsageError(read.reason);
  return read;
}

async function resetPassword(work: Work, { email, options }: Call): Promise<void> {
  const { deps, io } = work;
  const found = await find(deps, email);
  if (options['password-stdin'] !== true) return printPasswordLink(work, found);
  await replacePassword(deps, THE_OPERATOR, found, await readPassword(io));
  io.stdout.write(`${email} has a new password, and is signed out everywhere.\n`);
}

async function resetSecondFactor({ deps, io }: Work, { email }: Call): Promise<void> {
  await removeSecondFactors(deps, THE_OPERATOR, await find(deps, email));
  io.stdout.write(`${email} signs in without a second factor, and is signed out everywhere.\n`);
}

async function endSessions({ deps, io }: Work, { email }: Call): Promise<void> {
  const ended = await endAllSessions(deps, THE_OPERATOR, await find(deps, email));
  io.stdout.write(`${email} is signed out everywhere: ${count(ended, 'session')}.\n`);
}

async function makeActive({ deps, io }: Work, { email }: Call, isActive: boolean): Promise<void> {
  const isChanged = await setActive(deps, THE_OPERATOR, await find(deps, email), isActive);
  io.stdout.write(`${email} is ${isChanged ? 'now' : 'already'} ${isActive ? 'active' : 'not active'}.\n`);
}

async function setLimits({ deps, io }: Work, { email, options }: Call): Promise<void> {
  const given = {
    ...(options.checks !== undefined && { checks: readLimit('checks', options.checks, 0) }),
    ...(options.pings !== undefined && { pings: readLimit('pings', options.pings, 1) }),
  };
  if (Object.keys(given).length === 0) throw new UsageError('give --checks or --pings, or both');
  const { checks, pings } = await setAccountLimits(deps, THE_OPERATOR, await find(deps, email), given);
  io.stdout.write(
    `${email} may have ${count(checks, 'check')}, and keeps ${count(pings, 'ping')} of each.\n`,
  );
}

function readLimit(name: string, value: string | boolean, least: number): number {
  const { parse, accepts } = wholeNumber(least, 1_000_000_000);
  const number = parse(String(value));
  if (number === undefined) throw new UsageError(`--${name} takes ${accepts}`);
  return number;
}

async function disconnect({ deps, io }: Work, { email }: Call): Promise<void> {
  const removed = await removeIdentities(deps, operatorOn(await find(deps, email)));
  io.stdout.write(
    removed === 0
      ? `${email} was connected with no provider, and is signed out everywhere.\n`
      : `${email} is connected with no provider any more, and is signed out everywhere.\n`,
  );
}

export async function printPasswordLink({ deps, io, siteRoot }: Work, person: Account): Promise<void> {
  const token = await offerPassword(deps, THE_OPERATOR, person);
  io.stdout.write(
    `Whoever opens this link within a day chooses the password of ${person.email}:\n${linkAddress(siteRoot, 'set_password', token)}\n`,
  );
}

async function list({ deps, io }: Work): Promise<void> {
  for await (const { email, name, isAdmin, isActive, createdAt } of listAccounts(deps)) {
    const facts = [
      email,
      ...(name === '' ? [] : [name]),
      ...(isAdmin ? ['administrator'] : []),
      ...(isActive ? [] : ['not active']),
    ];
    io.stdout.write(`${toIsoSeconds(createdAt)}  ${facts.join(', ')}\n`);
  }
}

async function remove({ deps, io }: Work, { email, options }: Call): Promise<void> {
  const person = await find(deps, email);
  const actor = operatorOn(person);
  const { projects } = await previewClosing(deps, actor);
  if (projects.length > 0 && options['with-projects'] !== true) {
    const lost = projects.map(
      ({ name, checks, members }) => `  ${name}: ${count(checks, 'check')}, ${count(members, 'member')}`,
    );
    throw new CommandFailure(
      `${email} owns projects, which would be deleted:\n${lost.join('\n')}\nTo do it, add --with-projects.`,
    );
  }
  await closeAccount(deps, actor, person.email);
  io.stdout.write(`Deleted the account ${email} and ${count(projects.length, 'project')}.\n`);
}

async function makeAdmin({ deps, io }: Work, { email }: Call, isAdmin: boolean): Promise<void> {
  const isChanged = await setAdmin(deps, THE_OPERATOR, await find(deps, email), isAdmin);
  const state = isAdmin ? 'an administrator' : 'no administrator';
  io.stdout.write(`${email} is ${isChanged ? 'now' : 'already'} ${state}.\n`);
}

async function find(deps: AccountDeps, email: string): Promise<Account> {
  try {
    return await findAccount(deps, email);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'account_not_found') throw error;
    throw new CommandFailure(`there is no account ${email}`);
  }
}

/** Not an argument: other users of the machine see those. */
async function readPassword({ stdin }: CommandIo): Promise<string> {
  const lines = createInterface({ input: stdin });
  try {
    for await (const line of lines) return line;
    throw new UsageError('standard input has no password');
  } finally {
    lines.close();
  }
}
