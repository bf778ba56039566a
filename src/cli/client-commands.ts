import { type Command, CommandFailure, type Commands } from './command.ts';
import { COMPANION } from './companion.ts';
import { overview } from './help.ts';
import type { Program } from './program.ts';

/** Commands that are installed with the service alone. */
const OF_SERVICE: readonly string[] = [
  'serve',
  'demo',
  'migrate',
  'import',
  'account',
  'admin',
  'backup',
  'restore',
  'recovered',
  'verify',
  'doctor',
  'health',
  'unit',
  'rotate-secret',
  'signal-captcha',
  'schedule',
  'telegram-webhook',
];
const INSTALL = 'npm install --global tocsin-server';
/** Wrong use: this program has no such command. */
const WRONG_USE = 2;

function withoutService(what: string) {
  return async (): Promise<never> => {
    throw new CommandFailure(`${what} comes with the service: ${INSTALL}`, WRONG_USE);
  };
}

function commandOfService(name: string): Command {
  return { usage: '', summary: `comes with the service: ${INSTALL}`, run: withoutService(`tocsin ${name}`) };
}

const OWN: Commands = {
  ...COMPANION,
  apply: async () =>
    (await import('./apply.ts')).applyCommand(withoutService('tocsin apply without --remote')),
  export: async () =>
    (await import('./export.ts')).exportCommand(withoutService('tocsin export without --url')),
  ack: async () => (await import('./answers.ts')).ack,
  snooze: async () => (await import('./answers.ts')).snooze,
  quiet: async () => (await import('./quiet.ts')).quiet,
  why: async () => (await import('./why.ts')).why,
  version: async () => (await import('./version.ts')).version,
};

const MORE = `Others come with the service, ${INSTALL}:
${OF_SERVICE.join(', ')}`.replace(/(.{80,100}?,) /g, '$1\n');

/** The program of the package `tocsin`: commands that need no service. */
export const CLIENT: Program = {
  commands: {
    ...OWN,
    ...Object.fromEntries(OF_SERVICE.map((name) => [name, async () => commandOfService(name)])),
  },
  overview: () => overview(OWN, MORE),
};
