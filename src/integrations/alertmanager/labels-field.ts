import { type Field, refined, text } from '../../lib/fields.ts';

/** Labels that every alert has. */
const OWN_LABELS = ['alertname', 'check', 'severity'];

/** Labels as people write them: `team=platform, env=prod`. */
export const labelsField: Field<string> = refined(text({ maxLength: 500 }), 'list of labels', (value) =>
  value
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
    .every(isLabel)
    ? value.trim()
    : null,
);

/** https://prometheus.io/docs/concepts/data_model/#metric-names-and-labels */
function isLabel(pair: string): boolean {
  const [, name = ''] = /^([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*[^\s=\p{Cc}][^=\p{Cc}]*$/u.exec(pair) ?? [];
  return name !== '' && !name.startsWith('__') && !OWN_LABELS.includes(name);
}

export function labelsOf(value: string): Readonly<Record<string, string>> {
  const pairs = value.split(',').flatMap((pair) => {
    const [name = '', content = ''] = pair.split('=').map((part) => part.trim());
    return name === '' ? [] : [[name, content] as const];
  });
  return Object.fromEntries(pairs);
}
