import { columns, type HelpRow } from './columns.ts';
import type { Command } from './command.ts';
import { COMMANDS } from './commands.ts';

const SETTINGS: readonly HelpRow[] = [
  ['DATABASE_URL', 'sqlite:./data/tocsin.db (the default), or postgres://user:password@host/name'],
  ['SITE_ROOT', 'the address under which people and jobs reach the service'],
  ['PORT, HOST', 'where to listen'],
  ['PROVISION_FILE', 'a YAML file to apply at every start'],
];

/** The text of `tocsin --help`. */
export async function overview(): Promise<string> {
  const known = Object.entries(COMMANDS).map(async ([name, load]): Promise<HelpRow> => {
    const { usage, summary } = await load();
    return [`${name} ${usage}`.trimEnd(), summary];
  });
  const commands: HelpRow[] = [...(await Promise.all(known)), ['help', 'print this text']];
  return `Tocsin watches jobs that should run on time, and rings when one does not.

Usage: tocsin COMMAND [ARGUMENTS]

Commands:
${columns(commands).join('\n')}

tocsin COMMAND --help tells more of one.

Settings come from the environment and from a .env file in the working folder. The important ones:
${columns(SETTINGS).join('\n')}
docs/operating.md lists them all.
`;
}

export const isHelp = (arg: string | undefined): boolean => arg === '--help' || arg === '-h';

/** The text of `--help` of one command. */
export function helpOf(name: string, { usage, summary, help }: Command): string {
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  return help ?? `Usage: tocsin ${`${name} ${usage}`.trimEnd()}\n\n${sentence}\n`;
}
