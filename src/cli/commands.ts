import { columns, type HelpRow } from './columns.ts';
import type { Commands } from './command.ts';
import { COMPANION } from './companion.ts';
import { overview } from './help.ts';
import type { Program } from './program.ts';

const applyHere = async () => (await import('./apply-here.ts')).applyHere;
const exportOwn = async () => (await import('./export-own.ts')).exportOwn;

/** Each is loaded when it is called: most of them load the whole service, which takes longer than a short command. */
export const COMMANDS: Commands = {
  ...COMPANION,
  serve: async () => (await import('./serve.ts')).serve,
  demo: async () => (await import('./demo.ts')).demo,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  apply: async () => (await import('./apply.ts')).applyCommand(applyHere),
  import: async () => (await import('./import.ts')).importCommand,
  export: async () => (await import('./export.ts')).exportCommand(exportOwn),
  quiet: async () => (await import('./quiet.ts')).quiet,
  account: async () => (await import('./account.ts')).account,
  admin: async () => (await import('./account.ts')).admin,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./restore.ts')).restoreCommand,
  recovered: async () => (await import('./recovered.ts')).recovered,
  verify: async () => (await import('./verify.ts')).verify,
  doctor: async () => (await import('./doctor.ts')).doctor,
  health: async () => (await import('./health.ts')).health,
  unit: async () => (await import('./unit.ts')).unit,
  'rotate-secret': async () => (await import('./rotate-secret.ts')).rotateSecret,
  'signal-captcha': async () => (await import('./signal-captcha.ts')).signalCaptcha,
  schedule: async () => (await import('./schedule.ts')).schedule,
  'telegram-webhook': async () => (await import('./telegram-webhook.ts')).telegramWebhook,
  ack: async () => (await import('./answers.ts')).ack,
  snooze: async () => (await import('./answers.ts')).snooze,
  why: async () => (await import('./why.ts')).why,
  version: async () => (await import('./version.ts')).version,
};

const SETTINGS: readonly HelpRow[] = [
  ['DATABASE_URL', 'sqlite:./data/tocsin.db (the default), or postgres://user:password@host/name'],
  ['SITE_ROOT', 'the address under which people and jobs reach the service'],
  ['PORT, HOST', 'where to listen'],
  ['PROVISION_FILE', 'a YAML file to apply at every start'],
];

const MORE = `Settings come from the environment and from a .env file in the working folder. The important ones:
${columns(SETTINGS).join('\n')}
docs/operating.md lists them all.`;

/** The program of the package `tocsin-server`, of images and of checkouts. */
export const SERVICE: Program = { commands: COMMANDS, overview: () => overview(COMMANDS, MORE) };
