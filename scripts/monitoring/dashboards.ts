/** A query of Prometheus, and the name of its lines. */
interface Target {
  readonly expr: string;
  readonly legend?: string;
}

interface Panel {
  readonly title: string;
  readonly kind: 'timeseries' | 'stat' | 'table';
  readonly unit?: string;
  /** Of the 24 columns of a dashboard. */
  readonly width: number;
  readonly targets: readonly Target[];
  /** Names of the columns of a table, in the order of its targets. */
  readonly columns?: readonly (readonly [name: string, unit: string])[];
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

const quantile = (q: number, metric: string) =>
  `histogram_quantile(${q}, sum by (le) (rate(${metric}_bucket[5m])))`;

/** Is anything wrong, pings, alerts, database, nodes. */
export const SERVICE: Dashboard = {
  uid: 'tocsin-service',
  title: 'Tocsin: the service',
  panels: [
    { title: 'Ready', kind: 'stat', width: 4, targets: [{ expr: 'min(tocsin_ready)' }] },
    {
      title: 'Not ready because of',
      kind: 'stat',
      width: 8,
      targets: [{ expr: 'tocsin_ailment', legend: '{{instance}}: {{reason}}' }],
    },
    {
      title: 'Loops over their time',
      kind: 'stat',
      width: 6,
      targets: [
        {
          expr: 'tocsin_loop_seconds_since_success > tocsin_loop_bound_seconds',
          legend: '{{instance}}: {{loop}}',
        },
      ],
    },
    {
      title: 'Times in which nobody watched, in a week',
      kind: 'stat',
      width: 6,
      targets: [{ expr: 'max(increase(tocsin_blind_spans_total[7d]))' }],
    },
    {
      title: 'Pings',
      kind: 'timeseries',
      unit: 'reqps',
      width: 12,
      targets: [{ expr: 'sum by (outcome) (rate(tocsin_pings_total[5m]))', legend: '{{outcome}}' }],
    },
    {
      title: 'From request to answer of pings',
      kind: 'timeseries',
      unit: 's',
      width: 12,
      targets: [
        { expr: quantile(0.5, 'tocsin_ping_seconds'), legend: 'median' },
        { expr: quantile(0.99, 'tocsin_ping_seconds'), legend: '99 %' },
        { expr: quantile(0.99, 'tocsin_ping_commit_seconds'), legend: '99 % of transactions' },
      ],
    },
    {
      title: 'Pings that wait',
      kind: 'timeseries',
      width: 6,
      targets: [{ expr: 'tocsin_ping_queue_length', legend: '{{instance}}' }],
    },
    {
      title: 'Pings in a transaction',
      kind: 'timeseries',
      width: 6,
      targets: [
        {
          expr: 'rate(tocsin_ping_batch_size_sum[5m]) / rate(tocsin_ping_batch_size_count[5m])',
          legend: '{{instance}}',
        },
      ],
    },
    {
      title: 'How late alerts are',
      kind: 'timeseries',
      unit: 's',
      width: 12,
      targets: [
        { expr: 'max(tocsin_deadline_lateness_seconds)', legend: 'deadlines' },
        { expr: 'max(tocsin_delivery_lateness_seconds)', legend: 'messages' },
        { expr: quantile(0.99, 'tocsin_alert_delay_seconds'), legend: '99 % from change to first try' },
      ],
    },
    {
      title: 'Tries to send',
      kind: 'timeseries',
      unit: 'cps',
      width: 12,
      targets: [
        { expr: 'sum by (outcome) (rate(tocsin_delivery_attempts_total[5m]))', legend: '{{outcome}}' },
      ],
    },
    {
      title: 'Open work',
      kind: 'timeseries',
      width: 12,
      targets: [
        { expr: 'max(tocsin_deliveries_open)', legend: 'messages' },
        { expr: 'max(tocsin_mails_open)', legend: 'mails' },
        { expr: 'max(tocsin_body_moves_waiting)', legend: 'bodies to move' },
      ],
    },
    { title: 'Checks', kind: 'stat', width: 4, targets: [{ expr: 'max(tocsin_checks)' }] },
    {
      title: 'Database and free disk',
      kind: 'timeseries',
      unit: 'bytes',
      width: 12,
      targets: [
        { expr: 'max(tocsin_database_bytes)', legend: 'database' },
        { expr: 'min(tocsin_disk_free_bytes)', legend: 'free' },
      ],
    },
    {
      title: 'Age of the last backup',
      kind: 'timeseries',
      unit: 's',
      width: 8,
      targets: [{ expr: 'max(tocsin_backup_age_seconds)', legend: 'backup' }],
    },
    {
      title: 'Columns filled after upgrades',
      kind: 'timeseries',
      unit: 'percentunit',
      width: 8,
      targets: [{ expr: 'min(tocsin_migration_progress)', legend: 'filled' }],
    },
    {
      title: 'Seconds since the last write',
      kind: 'timeseries',
      unit: 's',
      width: 8,
      targets: [{ expr: 'tocsin_seconds_since_write', legend: '{{instance}}' }],
    },
    {
      title: 'Database answers',
      kind: 'stat',
      width: 6,
      targets: [{ expr: 'tocsin_database_up', legend: '{{instance}}' }],
    },
    {
      title: 'Versions',
      kind: 'stat',
      width: 6,
      targets: [{ expr: 'count by (version) (tocsin_build_info)', legend: '{{version}}' }],
    },
    {
      title: 'Clock ahead of the database',
      kind: 'timeseries',
      unit: 's',
      width: 12,
      targets: [{ expr: 'tocsin_clock_ahead_seconds', legend: '{{instance}}' }],
    },
    {
      title: 'Memory',
      kind: 'timeseries',
      unit: 'bytes',
      width: 12,
      targets: [
        { expr: 'process_resident_memory_bytes and on (instance) tocsin_build_info', legend: '{{instance}}' },
      ],
    },
    {
      title: 'Event loop held up',
      kind: 'timeseries',
      unit: 's',
      width: 12,
      targets: [{ expr: 'tocsin_event_loop_lag_seconds', legend: '{{instance}}' }],
    },
    {
      title: 'Loops: rounds and failures',
      kind: 'timeseries',
      unit: 'cps',
      width: 24,
      targets: [
        { expr: 'sum by (loop) (rate(tocsin_loop_ticks_total[5m]))', legend: '{{loop}}' },
        { expr: 'sum by (loop) (rate(tocsin_loop_failures_total[5m])) > 0', legend: '{{loop}} failed' },
      ],
    },
  ],
};

/** A table of jobs. Its comparison with the median needs the rules beside it. */
export const JOBS: Dashboard = {
  uid: 'tocsin-jobs',
  title: 'Tocsin: jobs',
  panels: [
    { title: 'Checks', kind: 'stat', width: 6, targets: [{ expr: 'sum(hc_checks_total)' }] },
    { title: 'Down', kind: 'stat', width: 6, targets: [{ expr: 'sum(hc_checks_down_total)' }] },
    {
      title: 'Last run failed',
      kind: 'stat',
      width: 6,
      targets: [{ expr: 'count(tocsin_job_last_result == 0) or vector(0)' }],
    },
    {
      title: 'Overdue',
      kind: 'stat',
      width: 6,
      targets: [{ expr: 'count(tocsin_job_next_expected_timestamp_seconds < time()) or vector(0)' }],
    },
    {
      title: 'Jobs',
      kind: 'table',
      width: 24,
      targets: [
        { expr: 'time() - tocsin_job_last_success_timestamp_seconds' },
        { expr: 'tocsin_job_last_result' },
        { expr: 'tocsin_job_last_duration_seconds' },
        { expr: 'tocsin_job_last_duration_seconds / tocsin_job:median_duration_seconds' },
        { expr: 'time() - tocsin_job_next_expected_timestamp_seconds > 0' },
        { expr: 'tocsin_job_next_expected_timestamp_seconds * 1000' },
      ],
      columns: [
        ['Since last success', 's'],
        ['Last result', 'none'],
        ['Duration', 's'],
        ['Times its median', 'none'],
        ['Overdue by', 's'],
        ['Next', 'dateTimeAsIso'],
      ],
    },
    {
      title: 'Duration of runs',
      kind: 'timeseries',
      unit: 's',
      width: 12,
      targets: [{ expr: 'tocsin_job_last_duration_seconds', legend: '{{name}}' }],
    },
    {
      title: 'Since the last success, in usual times',
      kind: 'timeseries',
      width: 12,
      targets: [
        {
          expr: '(time() - tocsin_job_last_success_timestamp_seconds) / tocsin_job:usual_interval_seconds',
          legend: '{{name}}',
        },
      ],
    },
    {
      title: 'Tags that are down',
      kind: 'stat',
      width: 12,
      targets: [{ expr: 'hc_tag_up == 0', legend: '{{tag}}' }],
    },
    {
      title: 'Checks that run, are late, or are paused',
      kind: 'timeseries',
      width: 12,
      targets: [
        { expr: 'sum(hc_check_started)', legend: 'running' },
        { expr: 'sum(hc_check_grace)', legend: 'late' },
        { expr: 'sum(hc_check_paused)', legend: 'paused' },
        { expr: 'count(hc_check_up == 0) or vector(0)', legend: 'down' },
      ],
    },
  ],
};

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };
const COLUMNS = 24;
const HEIGHTS = { stat: 4, timeseries: 8, table: 12 };

export function dashboardText({ uid, title, panels }: Dashboard): string {
  let [x, y, rowHeight] = [0, 0, 0];
  const placed = panels.map((panel, index) => {
    const height = HEIGHTS[panel.kind];
    if (x + panel.width > COLUMNS) [x, y, rowHeight] = [0, y + rowHeight, 0];
    const gridPos = { h: height, w: panel.width, x, y };
    x += panel.width;
    rowHeight = Math.max(rowHeight, height);
    return panelJson(panel, index + 1, gridPos);
  });
  const dashboard = {
    uid,
    title,
    tags: ['tocsin'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }],
    },
    panels: placed,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

const letter = (index: number) => String.fromCharCode('A'.charCodeAt(0) + index);

function panelJson(
  { title, kind, unit = 'none', targets, columns = [] }: Panel,
  id: number,
  gridPos: object,
) {
  const isTable = kind === 'table';
  return {
    id,
    title,
    type: kind,
    datasource: DATASOURCE,
    gridPos,
    fieldConfig: {
      defaults: { unit },
      overrides: columns.map(([name, columnUnit]) => ({
        matcher: { id: 'byName', options: name },
        properties: [{ id: 'unit', value: columnUnit }],
      })),
    },
    targets: targets.map(({ expr, legend }, index) => ({
      refId: letter(index),
      datasource: DATASOURCE,
      expr,
      ...(legend !== undefined && { legendFormat: legend }),
      ...(isTable && { format: 'table', instant: true }),
    })),
    ...(isTable && { transformations: tableOf(columns.map(([name]) => name)) }),
  };
}

/** One row for each check. The columns that are the same in all rows are left out. */
function tableOf(names: readonly string[]) {
  const renamed = Object.fromEntries(names.map((name, index) => [`Value #${letter(index)}`, name]));
  return [
    { id: 'merge', options: {} },
    {
      id: 'organize',
      options: {
        excludeByName: { Time: true, __name__: true, instance: true, job: true, unique_key: true },
        renameByName: { name: 'Job', tags: 'Tags', ...renamed },
      },
    },
  ];
}
