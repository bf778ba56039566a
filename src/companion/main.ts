/** The companion: commands that run beside jobs. It uses Node's own modules only, and runs on Node 20 and newer. */

/** The commands of the companion, by their names. Each is loaded when it is called. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {};

type Command = (argv: readonly string[]) => Promise<void>;

/** Runs one command of the companion with the arguments behind its name. */
export async function main(name: string, argv: readonly string[]): Promise<void> {
  const load = COMMANDS[name];
  if (load === undefined) throw new Error(`the companion has no command ${name}`);
  await (await load())(argv);
}
