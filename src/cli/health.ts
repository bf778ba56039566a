import { runHealth } from '../health.ts';
import type { Command } from './command.ts';

export const health: Command = {
  usage: '[--wait SECONDS]',
  summary: 'ask the service on this machine whether it takes pings',
  run: (args, io) => runHealth(args, io.environment(), (line) => io.stdout.write(`${line}\n`)),
};
