import { stringify } from 'yaml';

/** One line of a group: an alert, or an expression that is recorded under a name for those after it. */
export type Rule =
  | { readonly record: string; readonly expr: string }
  | {
      readonly alert: string;
      readonly expr: string;
      /** How long it must hold before anybody is told. */
      readonly for?: string;
      readonly severity: 'critical' | 'warning';
      readonly summary: string;
    };

const REFUSED =
  'sum without (outcome) (increase(tocsin_pings_total{outcome=~"failed|unavailable|overloaded"}[5m]))';
const RECEIVED = 'sum without (outcome) (increase(tocsin_pings_total[5m]))';

/** Whether the service itself is well. */
export const SERVICE_RULES: readonly Rule[] = [
  {
    alert: 'TocsinNotReady',
    expr: 'tocsin_ready == 0',
    for: '2m',
    severity: 'critical',
    summary:
      'The node is not ready:{{ range query (printf "tocsin_ailment{instance=%q}" .Labels.instance) }} {{ .Labels.reason }}{{ end }}',
  },
  {
    alert: 'TocsinPingsRefused',
    expr: `${REFUSED} >= 20 and ${REFUSED} > 0.001 * ${RECEIVED}`,
    severity: 'critical',
    summary: 'More than 0.1 % of the pings of the last 5 minutes were refused.',
  },
  {
    alert: 'TocsinAlertsLate',
    expr: 'tocsin_deadline_lateness_seconds > 30 or tocsin_delivery_lateness_seconds > 30',
    for: '1m',
    severity: 'critical',
    summary: 'A deadline or a message has been due for more than 30 seconds.',
  },
  {
    alert: 'TocsinAlertsDelayed',
    expr: `1 - sum without (le) (increase(tocsin_alert_delay_seconds_bucket{le="10"}[1h])) / increase(tocsin_alert_delay_seconds_count[1h]) > 0.01`,
    severity: 'warning',
    summary:
      'More than 1 % of the alerts of the last hour began to be sent later than 10 seconds after their change.',
  },
  {
    alert: 'TocsinNobodyWatched',
    expr: 'increase(tocsin_blind_spans_total[1h]) > 0',
    severity: 'warning',
    summary: 'For a while no node was watching. Deadlines of that time were put off.',
  },
  {
    alert: 'TocsinDiskShort',
    expr: 'tocsin_disk_free_bytes < tocsin_database_bytes / 5',
    for: '5m',
    severity: 'warning',
    summary: 'The disk has room for less than a fifth of the database.',
  },
  {
    alert: 'TocsinBackupOld',
    expr: 'max(tocsin_backup_age_seconds) > 172800',
    for: '5m',
    severity: 'warning',
    summary: 'The last backup is older than two days.',
  },
  {
    alert: 'TocsinClockOff',
    expr: 'abs(tocsin_clock_ahead_seconds) > 5',
    for: '2m',
    severity: 'warning',
    summary: 'The clocks of the machine and of the database differ by more than 5 seconds.',
  },
];

/** From the last success to the expected one, while no run is open. */
const INTERVAL =
  '(tocsin_job_next_expected_timestamp_seconds - tocsin_job_last_success_timestamp_seconds) > 0 and hc_check_started == 0';

/** Whether jobs run as they usually do. */
export const JOB_RULES: readonly Rule[] = [
  {
    record: 'tocsin_job:usual_interval_seconds',
    // Nothing is expected of a job that is down: its last value is carried on.
    expr: `(${INTERVAL}) or (tocsin_job:usual_interval_seconds and tocsin_job_last_success_timestamp_seconds)`,
  },
  {
    record: 'tocsin_job:median_duration_seconds',
    expr: 'quantile_over_time(0.5, tocsin_job_last_duration_seconds[7d:1h])',
  },
  {
    alert: 'TocsinJobWithoutSuccess',
    expr: 'time() - tocsin_job_last_success_timestamp_seconds > 2 * tocsin_job:usual_interval_seconds and hc_check_paused == 0',
    severity: 'warning',
    summary: '{{ $labels.name }} has not succeeded for more than twice its usual time.',
  },
  {
    alert: 'TocsinJobSlow',
    // Below a second, three times as long means nothing.
    expr: 'tocsin_job_last_duration_seconds > 3 * tocsin_job:median_duration_seconds and tocsin_job_last_duration_seconds > 1',
    severity: 'warning',
    summary: 'The last run of {{ $labels.name }} took more than three times as long as usual.',
  },
];

/** The file for Prometheus. */
export function rulesText(name: string, interval: string, rules: readonly Rule[]): string {
  const listed = rules.map((rule) => {
    if ('record' in rule) return rule;
    const { alert, expr, for: lasting, severity, summary } = rule;
    return {
      alert,
      expr,
      ...(lasting !== undefined && { for: lasting }),
      labels: { severity },
      annotations: { summary },
    };
  });
  const text = stringify({ groups: [{ name, interval, rules: listed }] }, { lineWidth: 0 });
  return `# \`npm run monitoring\` writes this file.\n${text}`;
}
