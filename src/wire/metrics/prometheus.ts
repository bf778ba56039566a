import type { CheckSummary } from '../../domain/check/check.ts';
import { graceStart } from '../../domain/check/status.ts';
import { splitTags } from '../../domain/check/tags.ts';
import { allTags } from '../../domain/public/badge.ts';
import type { SeenCheck } from '../../domain/public/kept-text.ts';
import { MICROS_PER_SECOND } from '../../lib/instant.ts';
import { familyPieces, type LabelledValue, type Labels, labelText } from './text.ts';

/**
 * A project's checks in Prometheus' text format: gauges with blank lines between them. The seven that Healthchecks has come
 * first. In pieces: it may be long.
 */
export function* prometheusText(seen: readonly SeenCheck[]): Generator<string> {
  const labels: string[] = [];
  const perCheck = function* (
    measure: (one: SeenCheck) => boolean | number | null,
  ): Generator<LabelledValue> {
    for (const [index, one] of seen.entries()) {
      const value = measure(one);
      if (value === null) continue;
      const text = labels[index] ?? labelText(checkLabels(one.check));
      labels[index] = text;
      yield { labels: text, value: Number(value) };
    }
  };
  const down = seen.filter(({ status }) => status === 'down');
  const downTags = new Set(down.flatMap(({ check }) => splitTags(check.tags)));
  const tags = allTags(seen.map(({ check }) => check));
  const gauges: [name: string, help: string, samples: Iterable<LabelledValue>][] = [
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
      tags.values().map((tag) => ({ labels: labelText({ tag }), value: Number(!downTags.has(tag)) })),
    ],
    ['hc_checks_total', 'The total number of checks.', [{ labels: '', value: seen.length }]],
    ['hc_checks_down_total', 'The number of checks currently down.', [{ labels: '', value: down.length }]],
    [
      'tocsin_job_last_success_timestamp_seconds',
      'When the last success arrived.',
      perCheck(({ check }) => inSeconds(check.lastSuccessAt)),
    ],
    [
      'tocsin_job_last_duration_seconds',
      'How long the last run took, if it had a start.',
      perCheck(({ check }) => inSeconds(check.lastDuration)),
    ],
    [
      'tocsin_job_last_result',
      'How the last run ended (1 for success, 0 for failure).',
      perCheck(({ check: { lastResult } }) => (lastResult === null ? null : lastResult === 'success')),
    ],
    [
      'tocsin_job_next_expected_timestamp_seconds',
      'When the next ping is expected.',
      perCheck(({ check, expected }) =>
        check.status === 'new' ? null : inSeconds(graceStart(check, expected)),
      ),
    ],
  ];
  for (const [index, [name, help, samples]] of gauges.entries()) {
    if (index > 0) yield '\n';
    yield* familyPieces(name, 'gauge', help, samples);
  }
}

function inSeconds(micros: number | null): number | null {
  return micros === null ? null : micros / MICROS_PER_SECOND;
}

function checkLabels({ name, tags, uniqueKey }: CheckSummary): Labels {
  return { name, tags, unique_key: uniqueKey };
}
