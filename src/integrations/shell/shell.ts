import { DELIVERED, type Outcome, tryAgain } from '../../domain/alert/delivery.ts';
import { type EnvSettingTable, flag, type TextFormat } from '../../lib/env-setting.ts';
import { Fault, text } from '../../lib/fields.ts';
import { conversationKind } from '../kind/kind.ts';
import { NO_LIMITS } from '../kind/limits.ts';
import type { Setting } from '../kind/setting.ts';
import { shellCommand } from './command.ts';

const MAX_COMMAND = 1_000;

const SETTINGS = {
  cmd_down: commandSetting('When a check goes down'),
  cmd_up: commandSetting('When a check comes up'),
};

/** A secret, because commands often contain tokens. */
function commandSetting(label: string): Setting<string> {
  return {
    label,
    help: 'Placeholders: $NAME, $STATUS, $CODE, $NOW, $TAGS, $TAG1 and so on. Leave it empty to run nothing.',
    field: text({ maxLength: MAX_COMMAND }),
    control: 'text',
    default: '',
    secret: true,
  };
}

const systemUser: TextFormat<string> = {
  accepts: 'the name of a user of this machine, or numbers like 65534:65534',
  parse: (given) => (/^(?:[a-z_][\w.-]{0,31}|\d{1,10}:\d{1,10})$/i.test(given) ? given : undefined),
};

const SERVER = {
  SHELL_ENABLED: {
    kind: flag,
    default: 'False',
    doc: 'Whether integrations may run commands on this machine; switch it on only if you trust everybody who has an account, and not together with `REGISTRATION_OPEN`.',
  },
  SHELL_USER: {
    kind: systemUser,
    default: null,
    doc: 'The user as whom commands run, who should own nothing of the service; it must be started as root for that. If unset, commands run as the user of the service, and can read all that it can read.',
    example: 'nobody',
  },
} satisfies EnvSettingTable;

export const shell = conversationKind({
  label: 'Shell command',
  category: 'automation',
  summary: 'on this machine',
  description:
    'Runs a command on the machine of this service. Values are passed as variables of the environment.',
  setup: [
    'Ask the operator of this service whether commands are allowed, and as which user they run.',
    'Commands are written on this page, or in the operator’s file. An API key or a token cannot write them.',
    'Write a command for `/bin/sh` for each direction, or for one of them. `$NAME`, `$STATUS`, `$CODE`, `$NOW`, `$TAGS` and `$TAG1`, `$TAG2` and so on stand for what they name, each as one word.',
    'The command has 30 seconds, and ends with exit code 0 if it has done its work. What it prints is not kept.',
  ],
  example: {
    cmd_down: 'logger "$NAME is $STATUS since $NOW, tags: $TAGS"',
    cmd_up: 'logger "$NAME is $STATUS"',
  },
  settings: SETTINGS,
  server: SERVER,
  runsCommands: true,
  requires: ['SHELL_ENABLED'],
  faultOf: ({ cmd_down: down, cmd_up: up }) =>
    down.trim() === '' && up.trim() === '' ? new Fault('cmd_down and cmd_up are both empty') : null,
  target: () => '',
  wants: (settings, to) => settings[`cmd_${to}`].trim() !== '',
  destination: () => '',
  limits: NO_LIMITS,
  fillsTemplates: true,
  needsBody: false,
  async deliver(event, settings, ports, { SHELL_ENABLED: isEnabled }): Promise<Outcome> {
    if (!isEnabled) return { kind: 'refused', error: 'Shell commands are not enabled' };
    const result = await ports.shell(shellCommand(settings[`cmd_${event.to}`], event));
    if ('error' in result) return tryAgain(result.error);
    return result.exitCode === 0 ? DELIVERED : tryAgain(`Command returned exit code ${result.exitCode}`);
  },
});
