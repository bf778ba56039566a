import { columns, type HelpRow } from './columns.ts';
import type { Command, Commands } from './command.ts';

/** The text of `tocsin --help`. `more` ends it. */
export async function overview(commands: Commands, more: string): Promise<string> {
  const known = Object.entries(commands).map(async ([name, load]): Promise<HelpRow> => {
    const { usage, summary } = await load();
    return [`${name} ${usage}`.trimEnd(), summary];
  });
  const rows: HelpRow[] = [...(await Promise.all(known)), ['help', 'print this text']];
  return `Tocsin watches jobs that should run on time, and rings when one does not.

Usage: tocsin COMMAND [ARGUMENTS]

Commands:
${columns(rows).join('\n')}

tocsin COMMAND --help tells more of one.

${more}
`;
}

export const isHelp = (arg: string | undefined): boolean => arg === '--help' || arg === '-h';

/** The text of `--help` of one command. */
export function helpOf(name: string, { usage, summary, help }: Command): string {
  const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  return help ?? `Usage: tocsin ${`${name} ${usage}`.trimEnd()}\n\n${sentence}\n`;
}
