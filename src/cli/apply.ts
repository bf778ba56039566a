import { applyProvisionFile } from '../main.ts';
import type { Change } from '../services/provisioning/declaration.ts';
import { fieldName } from '../wire/api/check-input.ts';
import { type Command, UsageError } from './command.ts';
import { openConfiguredCore } from './core.ts';

export const apply: Command = {
  usage: 'FILE',
  summary: 'make the accounts, projects, keys, integrations and checks of a YAML file so',
  async run(args, io) {
    const [path, ...others] = args;
    if (path === undefined || others.length > 0) throw new UsageError('apply takes one argument, the file');
    await using core = await openConfiguredCore(io);
    const changes = await applyProvisionFile(core.deps, path);
    io.stdout.write(`${changes.length === 0 ? 'Nothing to change.' : changeLines(changes).join('\n')}\n`);
    return 0;
  },
};

/** A line for each change: `updated check Alpha/heartbeat: timeout, grace`. */
export function changeLines(changes: readonly Change[]): string[] {
  return changes.map(({ action, what, name, fields }) =>
    fields.length === 0
      ? `${action} ${what} ${name}`
      : `${action} ${what} ${name}: ${fields.map(fieldName).join(', ')}`,
  );
}
