import { createDoctor } from '../doctor/doctor.ts';
import { ROWS } from '../doctor/rows.ts';
import type { Finding } from '../domain/finding.ts';
import { readArguments } from './arguments.ts';
import { columns } from './columns.ts';
import { type Command, UsageError } from './command.ts';
import { becomeOwner } from './database-owner.ts';
import { VERSION } from './version.ts';

const OPTIONS = {
  json: { type: 'boolean' },
  only: { type: 'string' },
  'send-to': { type: 'string' },
} as const;

const HELP = `Usage: tocsin doctor [--json] [--only NAME,…] [--send-to ADDRESS]

Looks at this installation, whether the service runs or not, and says what is wrong and what to do about it.
Changes nothing but a test object in the bucket.
Ends with exit code 1 if something fails, and with 2 if it could not look.

${columns([
  ['--json', 'prints the findings as JSON (deploy/doctor.schema.json)'],
  ['--only NAME,…', 'looks only at these rows'],
  ['--send-to ADDRESS', 'sends a mail to this address'],
]).join('\n')}

Rows: ${ROWS.map(({ name }) => name)
  .join(', ')
  .replace(', clock', ',\nclock')}
`;

export const doctor: Command = {
  usage: '',
  summary: 'look at this installation, and say what is wrong and what to do',
  help: HELP,
  async run(args, io) {
    const { values, positionals } = readArguments(args, OPTIONS);
    if (positionals.length > 0) throw new UsageError('doctor takes only options');
    const { json = false, only, 'send-to': sendTo = null } = values;
    const rows = only === undefined ? ROWS : chosen(only);
    let findings: readonly Finding[];
    try {
      findings = await createDoctor(io.environment(), { sendTo, beforeLooking: becomeOwner }).examine(rows);
    } catch (error) {
      io.stderr.write(`doctor failed: ${error instanceof Error ? error.message : String(error)}\n`);
      return 2;
    }
    io.stdout.write(json ? `${JSON.stringify({ version: VERSION, findings }, null, 2)}\n` : text(findings));
    return findings.some(({ verdict }) => verdict === 'fail') ? 1 : 0;
  },
};

function chosen(only: string) {
  const names = only.split(',').map((name) => name.trim());
  const unknown = names.find((name) => ROWS.every((row) => row.name !== name));
  if (unknown !== undefined)
    throw new UsageError(`there is no row "${unknown}": ${ROWS.map(({ name }) => name).join(', ')}`);
  return ROWS.filter(({ name }) => names.includes(name));
}

/** A line for each row, and below it what to do. */
function text(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  return findings
    .map(({ verdict, name, sentence, advice }) => {
      const line = `${verdict.padEnd(4)}  ${name.padEnd(width)}  ${sentence}\n`;
      return advice === null ? line : `${line}${' '.repeat(width + 8)}→ ${advice}\n`;
    })
    .join('');
}
