import { allTags } from '../../domain/badge.ts';
import type { CheckSummary, Status } from '../../domain/check.ts';
import { statusAt } from '../../domain/status.ts';
import { splitTags } from '../../domain/tags.ts';
import type { Instant } from '../../lib/instant.ts';
import { family, type Sample } from './text.ts';

interface Seen {
  readonly check: CheckSummary;
  readonly status: Status;
}

/** A project's checks in Prometheus' text format: seven gauges, a blank line between two. */
export function prometheusText(checks: readonly CheckSummary[], now: Instant): string {
  const seen: Seen[] = checks.map((check) => ({ check, status: statusAt(check, now) }));
  const perCheck = (name: string, help: string, holds: (one: Seen) => boolean) =>
    gauge(
      name,
      help,
      seen.map((one) => ({ labels: checkLabels(one.check), value: Number(holds(one)) })),
    );
  const downTags = new Set(
    seen.filter(({ status }) => status === 'down').flatMap(({ check }) => splitTags(check.tags)),
  );
  const down = seen.filter(({ status }) => status === 'down').length;
  return [
    perCheck(
      'hc_check_up',
      'Whether the check is currently up (1 for yes, 0 for no).',
      ({ status }) => status !== 'down',
    ),
    perCheck(
      'hc_check_started',
      'Whether the check is currently started (1 for yes, 0 for no).',
      ({ check }) => check.lastStartAt !== null,
    ),
    perCheck(
      'hc_check_grace',
      'Whether the check is currently in the grace period (1 for yes, 0 for no).',
      ({ status }) => status === 'grace',
    ),
    perCheck(
      'hc_check_paused',
      'Whether the check is currently paused (1 for yes, 0 for no).',
      ({ status }) => status === 'paused',
    ),
    gauge(
      'hc_tag_up',
      'Whether all checks with this tag are up (1 for yes, 0 for no).',
      allTags(checks).map((tag) => ({ labels: { tag }, value: Number(!downTags.has(tag)) })),
    ),
    gauge('hc_checks_total', 'The total number of checks.', [{ labels: {}, value: checks.length }]),
    gauge('hc_checks_down_total', 'The number of checks currently down.', [{ labels: {}, value: down }]),
  ].join('\n');
}

function gauge(name: string, help: string, samples: readonly Sample[]): string {
  return family(name, 'gauge', help, samples);
}

function checkLabels({ name, tags, uniqueKey }: CheckSummary): Record<string, string> {
  return { name, tags, unique_key: uniqueKey };
}
