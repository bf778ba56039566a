import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { exportInstallation, joinedText } from '../provision/installation.ts';
import { readInstallation } from '../services/provisioning/installation.ts';
import { CommandFailure, type CommandIo, UsageError } from './command.ts';
import { openConfiguredCore } from './core.ts';
import type { ExportValues } from './export.ts';

/** Writes the own installation. */
export async function exportOwn(
  { owner, project, output, only: wanted, ...values }: ExportValues,
  io: CommandIo,
): Promise<number> {
  if ((owner ?? project ?? values['ping-key'] ?? values['key-file']) !== undefined)
    throw new UsageError('--owner, --project, --ping-key and --key-file go with --url');
  const only = wanted ?? null;
  await using core = await openConfiguredCore(io);
  const installation = await readInstallation(core.deps, only);
  if (only !== null && installation.projects.length === 0)
    throw new CommandFailure(`There is no project "${only}".`);
  const { files, secrets, remarks } = exportInstallation(installation, core.deps.defaultLimits);
  const secretsTo = values['secrets-to'];
  // First, so that nothing is written if the file exists.
  if (secretsTo !== undefined) await writeSecrets(secretsTo, secrets);
  if (output === undefined) io.stdout.write(joinedText(files));
  else if (/\.ya?ml$/.test(output)) await writeFile(output, joinedText(files), { mode: 0o600 });
  else {
    await mkdir(output, { recursive: true, mode: 0o700 });
    for (const { name, text } of files) await writeFile(join(output, name), text, { mode: 0o600 });
  }
  io.stderr.write([...remarks, ''].join('\n'));
  return 0;
}

/** A file that exists is never overwritten: its secrets may be the only copy. */
async function writeSecrets(path: string, secrets: ReadonlyMap<string, string>): Promise<void> {
  const lines = [...secrets].map(([name, value]) => `${name}=${quotedForEnv(name, value)}\n`);
  await writeFile(path, lines.join(''), { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw isThere ? new CommandFailure(`${path} exists, and is not overwritten.`) : error;
  });
}

/** Files of variables have no escapes, so the quotes are those with which the value is read again. */
function quotedForEnv(name: string, value: string): string {
  const quoted = ["'", '`', '"']
    .map((quote) => `${quote}${value}${quote}`)
    .find((text) => parseEnv(`${name}=${text}`)[name] === value);
  if (quoted === undefined)
    throw new CommandFailure(`${name} has too many kinds of quotes, and cannot be written.`);
  return quoted;
}
