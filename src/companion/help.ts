import { type Option, type Table, variableOf } from './options.ts';

/** The text of `--help`: how the command is used, and all its options. */
export function helpOf(head: string, table: Table): string {
  const rows = Object.entries(table).map(([name, option]) => {
    const short = option.short === undefined ? '' : `-${option.short}, `;
    return [`${short}--${name}${spellValue(option)}`, `${option.help}${defaultOf(option)}`] as const;
  });
  const width = Math.max(...rows.map(([spelling]) => spelling.length));
  const lines = rows.map(([spelling, help]) => `  ${spelling.padEnd(width)}  ${help}`);
  const example = variableOf('report-within');
  return `${head}Options:\n${lines.join('\n')}\n\nEach option has a variable, such as ${example}.\n`;
}

function spellValue(option: Option): string {
  switch (option.kind) {
    case 'flag':
      return '';
    case 'text':
    case 'texts':
      return ` ${option.value}`;
    case 'optional':
      return ` [${option.value}]`;
    case 'choice':
      return ' WHICH';
    case 'duration':
      return ' TIME';
    case 'size':
      return ' SIZE';
    case 'percent':
      return ' PERCENT';
    case 'count':
    case 'counts':
      return ' N';
    case 'names':
      return ' NAMES';
    case 'codes':
      return ' CODES';
  }
}

function defaultOf(option: Option): string {
  switch (option.kind) {
    case 'choice':
      return ` (${option.choices.join(', ')})`;
    case 'duration':
      return option.ms === null ? '' : ` (${option.ms / 1_000}s)`;
    case 'count':
      return ` (${option.count})`;
    case 'codes':
      return option.codes === null ? '' : ` (${option.codes.join(',')})`;
    default:
      return '';
  }
}
