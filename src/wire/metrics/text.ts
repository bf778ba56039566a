import type { HistogramReading } from '../../lib/histogram.ts';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** A sample whose labels are text already. */
export interface LabelledValue {
  readonly labels: string;
  readonly value: number;
}

const PIECE_SAMPLES = 100;

/** A metric family in Prometheus' text format, version 0.0.4: help, type and samples. */
export function family(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  samples: readonly Sample[],
): string {
  const lines = samples.map(({ labels, value }) => ({ labels: labelText(labels), value }));
  return [...familyPieces(name, type, help, lines)].join('');
}

/** A metric family in pieces. Each is computed quickly. */
export function* familyPieces(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  samples: Iterable<LabelledValue>,
): Generator<string> {
  yield `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
  let lines: string[] = [];
  for (const { labels, value } of samples) {
    lines.push(`${name}${labels} ${value}\n`);
    if (lines.length < PIECE_SAMPLES) continue;
    yield lines.join('');
    lines = [];
  }
  yield lines.join('');
}

/** The format needs cumulative counts, so the counts of the ranges are summed up. */
export function histogram(name: string, help: string, { bounds, counts, sum }: HistogramReading): string {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return `${name}_bucket{le="${bounds[index] ?? '+Inf'}"} ${total}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} histogram\n${buckets.join('')}${name}_sum ${sum}\n${name}_count ${total}\n`;
}

/** `{name="…", tags="…"}`, or nothing without labels. */
export function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(', ')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
