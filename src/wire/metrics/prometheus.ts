import type { CheckSummary } from '../../domain/check/check.ts';
import { splitTags } from '../../domain/check/tags.ts';
import { allTags } from '../../domain/public/badge.ts';
import type { SeenCheck } from '../../domain/public/kept-text.ts';
import { familyPieces, type Sample } from './text.ts';

/** A project's checks in Prometheus' text format: seven gauges with blank lines between them. In pieces: it may be long. */
export function* prometheusText(seen: readonly SeenCheck[]): Generator<string> {
  const perCheck = (holds: (one: SeenCheck) => boolean): Iterable<Sample> =>
    seen.values().map((one) => ({ labels: checkLabels(one.check), value: Number(holds(one)) }));
  const down = seen.filter(({ status }) => status === 'down');
  const downTags = new Set(down.flatMap(({ check }) => splitTags(check.tags)));
  const tags = allTags(seen.map(({ check }) => check));
  const gauges: [name: string, help: string, samples: Iterable<Sample>][] = [
    [
      'hc_check_up',
      'Whether the check is currently up (1 for yes, 0 for no).',
      perCheck(({ status }) => status !== 'down'),
    ],
    [
      'hc_check_started',
      'Whether the check is currently started (1 for yes, 0 for no).',
      perCheck(({ check }) => check.lastStartAt !== null),
    ],
    [
      'hc_check_grace',
      'Whether the check is currently in the grace period (1 for yes, 0 for no).',
      perCheck(({ status }) => status === 'grace'),
    ],
    [
      'hc_check_paused',
      'Whether the check is currently paused (1 for yes, 0 for no).',
      perCheck(({ status }) => status === 'paused'),
    ],
    [
      'hc_tag_up',
      'Whether all checks with this tag are up (1 for yes, 0 for no).',
      tags.values().map((tag) => ({ labels: { tag }, value: Number(!downTags.has(tag)) })),
    ],
    ['hc_checks_total', 'The total number of checks.', [{ labels: {}, value: seen.length }]],
    ['hc_checks_down_total', 'The number of checks currently down.', [{ labels: {}, value: down.length }]],
  ];
  for (const [index, [name, help, samples]] of gauges.entries()) {
    if (index > 0) yield '\n';
    yield* familyPieces(name, 'gauge', help, samples);
  }
}

function checkLabels({ name, tags, uniqueKey }: CheckSummary): Record<string, string> {
  return { name, tags, unique_key: uniqueKey };
}
