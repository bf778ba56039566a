import { COMMANDS as COMPANION_COMMANDS } from '../companion/main.ts';
import type { Command } from './command.ts';
import { companionCommand } from './companion.ts';

const COMPANION = Object.fromEntries(
  Object.keys(COMPANION_COMMANDS).map((name) => [name, () => companionCommand(name)]),
);

/** Each is loaded when it is called: most of them load the whole service, which takes longer than a short command. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  ...COMPANION,
  serve: async () => (await import('./serve.ts')).serve,
  demo: async () => (await import('./demo.ts')).demo,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  apply: async () => (await import('./apply.ts')).apply,
  import: async () => (await import('./import.ts')).importCommand,
  export: async () => (await import('./export.ts')).exportCommand,
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
  version: async () => (await import('./version.ts')).version,
};
