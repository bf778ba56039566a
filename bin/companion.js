// Plain JavaScript without recent syntax: any Node may read it.

/** Commands beside jobs. They run on the Node that is there, from 20 on, and load nothing of the service. */
const COMMANDS = ['run', 'ping', 'spool'];

/**
 * Runs a command of the companion, if it is one.
 * @param {() => Promise<{ main: (name: string, argv: readonly string[]) => Promise<void> }>} load
 * @returns {Promise<void> | null} null if it is a command of the service
 */
export function runCompanion(load) {
  const name = process.argv[2] ?? '';
  if (!COMMANDS.includes(name)) return null;
  return load().then(({ main }) => main(name, process.argv.slice(3)));
}
