import { DELIVERED, type Outcome, tryAgain } from '../../domain/alert/delivery.ts';
import { type EnvSettingTable, flag } from '../../lib/env-setting.ts';
import { Fault, text } from '../../lib/fields.ts';
import { conversationKind } from '../kind.ts';
import { NO_LIMITS } from '../limits.ts';
import type { Setting } from '../setting.ts';
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

const SERVER = {
  SHELL_ENABLED: {
    kind: flag,
    default: 'False',
    doc: 'Whether integrations may run commands on this machine, with the rights of the service; switch it on only if you trust everybody who can edit a project.',
  },
} satisfies EnvSettingTable;

export const shell = conversationKind({
  label: 'Shell command',
  category: 'automation',
  summary: 'on this machine',
  description:
    'Runs a command on the machine of this service. Values are passed as variables of the environment.',
  setup: [
    'Ask the operator of this service whether commands are allowed: they run with the rights of the service.',
    'Write a command for `/bin/sh` for each direction, or for one of them. `$NAME`, `$STATUS`, `$CODE`, `$NOW`, `$TAGS` and `$TAG1`, `$TAG2` and so on stand for what they name, each as one word.',
    'The command has 30 seconds, and ends with exit code 0 if it has done its work. What it prints is not kept.',
  ],
  example: {
    cmd_down: 'logger "$NAME is $STATUS since $NOW, tags: $TAGS"',
    cmd_up: 'logger "$NAME is $STATUS"',
  },
  settings: SETTINGS,
  server: SERVER,
  requires: ['SHELL_ENABLED'],
  faultOf: ({ cmd_down: down, cmd_up: up }) =>
    down.trim() === '' && up.trim() === '' ? new Fault('cmd_down and cmd_up are both empty') : null,
  target: () => '',
  wants: (settings, to) => settings[`cmd_${to}`].trim() !== '',
  destination: () => '',
  limits: NO_LIMITS,
  needsBody: false,
  async deliver(event, settings, ports, { SHELL_ENABLED: isEnabled }): Promise<Outcome> {
    if (!isEnabled) return { kind: 'refused', error: 'Shell commands are not enabled' };
    const result = await ports.shell(shellCommand(settings[`cmd_${event.to}`], event));
    if ('error' in result) return tryAgain(result.error);
    return result.exitCode === 0 ? DELIVERED : tryAgain(`Command returned exit code ${result.exitCode}`);
  },
});
