import type { Family } from '../../test/exposition.ts';

/** A metric of an expression of Prometheus, with the labels that the expression asks for. */
interface Use {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** Prometheus adds them to each sample. */
const ADDED_LABELS = ['instance', 'job', 'le'];

const METRIC = /\b((?:tocsin|hc|process)[a-z_]*(?::[a-z_]+)?)(\{[^}]*\})?/g;
const GROUPING = /\b(?:by|without|on) \(([^)]*)\)/g;

/** The metrics of an expression. Labels by which it groups are asked of each of them. */
export function usesIn(expr: string): Use[] {
  const grouped = [...expr.matchAll(GROUPING)].flatMap(([, list = '']) => list.split(', '));
  return [...expr.replaceAll(GROUPING, '').matchAll(METRIC)].map(([, metric = '', matchers = '']) => ({
    metric: metric.replace(/_(?:bucket|count|sum)$/, ''),
    labels: [
      ...grouped,
      ...[...matchers.matchAll(/(\w+)(?:=~?|!=|!~)"/g)].map(([, label = '']) => label),
    ].filter((label) => !ADDED_LABELS.includes(label)),
  }));
}

/** What the expressions ask for and nobody offers: names of metrics, or of their labels. */
export function missingFrom(
  families: ReadonlyMap<string, Family>,
  recorded: ReadonlySet<string>,
  expressions: readonly string[],
): string[] {
  return expressions.flatMap(usesIn).flatMap(({ metric, labels }) => {
    if (recorded.has(metric)) return [];
    const family = families.get(metric);
    if (family === undefined) return [metric];
    const offered = [...family.samples.keys()].join('\n');
    return labels.filter((label) => !offered.includes(`${label}="`)).map((label) => `${metric}{${label}}`);
  });
}
