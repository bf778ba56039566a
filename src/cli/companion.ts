import { COMMANDS, main } from '../companion/main.ts';
import type { Command, Commands } from './command.ts';

/**
 * The commands of the companion for the overview. Whoever starts the program by `bin` has them without the service; see
 * `bin/companion.cjs`.
 */
export const COMPANION: Commands = Object.fromEntries(
  Object.keys(COMMANDS).map((name) => [name, () => companionCommand(name)]),
);

async function companionCommand(name: string): Promise<Command> {
  const { usage = '', summary = '', help } = COMMANDS[name] ?? {};
  return {
    usage,
    summary,
    ...(help === undefined ? {} : { help: await help() }),
    async run(args) {
      await main(name, args);
      return Number(process.exitCode ?? 0);
    },
  };
}
