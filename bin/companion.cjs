// Plain JavaScript without recent syntax: any Node may read it.

/** Commands beside jobs. They run on the Node that is there, from 20 on, and load nothing of the service. */
const COMMANDS = ['run', 'ping', 'spool'];

/**
 * Runs a command of the companion, if it is one.
 * @param {() => { main: Main } | Promise<{ main: Main }>} load
 * @returns {Promise<void> | null} null if it is a command of the service
 * @typedef {(name: string, argv: readonly string[]) => Promise<void>} Main
 */
exports.runCompanion = (load) => {
  const name = process.argv[2] || '';
  if (!COMMANDS.includes(name)) return null;
  return Promise.resolve(load()).then(({ main }) => main(name, process.argv.slice(3)));
};
