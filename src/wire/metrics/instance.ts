import type { LoopTally, Measurements } from '../../domain/vitals.ts';
import { MICROS_PER_SECOND } from '../../lib/instant.ts';
import { family, histogram } from './text.ts';

export const INSTANCE_METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The state of a node in Prometheus' text format. No label reveals anything about users. */
export function instanceText(node: Measurements): string {
  return [...aboutNode(node), ...aboutPings(node), ...aboutAlerts(node), ...aboutLoops(node)].join('\n');
}

function gauge(name: string, help: string, value: number): string {
  return family(name, 'gauge', help, [{ labels: {}, value }]);
}

function counters(
  name: string,
  help: string,
  label: string,
  values: Readonly<Record<string, number>>,
): string {
  const samples = Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value }));
  return family(name, 'counter', help, samples);
}

function aboutNode(node: Measurements): string[] {
  const { version, ailments, lateness, sinceWrite, clockAhead } = node;
  return [
    family('tocsin_build_info', 'gauge', 'The version that runs; always 1.', [
      { labels: { version }, value: 1 },
    ]),
    gauge('tocsin_ready', 'Whether this node is ready (1 for yes, 0 for no).', Number(ailments.length === 0)),
    family(
      'tocsin_ailment',
      'gauge',
      'Why this node is not ready; 1 for each reason.',
      ailments.map((reason) => ({ labels: { reason }, value: 1 })),
    ),
    gauge('tocsin_database_up', 'Whether the database answers this node.', Number(lateness !== null)),
    gauge(
      'tocsin_seconds_since_write',
      'How long ago this node last wrote anything to the database.',
      sinceWrite / MICROS_PER_SECOND,
    ),
    ...(clockAhead === null
      ? []
      : [
          gauge(
            'tocsin_clock_ahead_seconds',
            "By how much this machine's clock is ahead of the database's.",
            clockAhead / MICROS_PER_SECOND,
          ),
        ]),
    gauge(
      'tocsin_event_loop_lag_seconds',
      'The longest that the event loop was held up since the last scrape.',
      node.eventLoopLagSeconds,
    ),
    gauge('process_resident_memory_bytes', 'Memory that the process takes up.', node.residentBytes),
    ...(node.databaseBytes === null
      ? []
      : [gauge('tocsin_database_bytes', 'What the database takes up on its disk.', node.databaseBytes)]),
    ...(node.disk === null
      ? []
      : [gauge('tocsin_disk_free_bytes', 'What is left on the disk of the database.', node.disk.freeBytes)]),
  ];
}

function aboutPings(node: Measurements): string[] {
  const { pings, batchSizes, commitSeconds, pingSeconds, queueLength, backlog } = node;
  return [
    counters(
      'tocsin_pings_total',
      'Pings that this node received, by what became of them.',
      'outcome',
      pings,
    ),
    gauge('tocsin_ping_queue_length', 'Pings that wait to be written.', queueLength),
    histogram('tocsin_ping_seconds', 'How long pings took from request to answer.', pingSeconds),
    histogram('tocsin_ping_batch_size', 'How many pings shared a transaction.', batchSizes),
    histogram('tocsin_ping_commit_seconds', 'How long transactions of pings took.', commitSeconds),
    ...(backlog === null
      ? []
      : [
          gauge(
            'tocsin_body_moves_waiting',
            'Bodies that wait to be moved to object storage.',
            backlog.bodyMoves,
          ),
        ]),
  ];
}

function aboutAlerts({ attempts, alertDelays, lateness, backlog }: Measurements): string[] {
  const { delivered, failed } = attempts;
  return [
    counters('tocsin_delivery_attempts_total', 'Messages that this node tried to send.', 'outcome', {
      delivered,
      failed,
    }),
    histogram(
      'tocsin_alert_delay_seconds',
      'How long after a change of status the first attempt to tell it began.',
      alertDelays,
    ),
    ...(lateness === null
      ? []
      : [
          gauge(
            'tocsin_deadline_lateness_seconds',
            'How long the oldest deadline is overdue that nobody has noticed.',
            lateness.deadline / MICROS_PER_SECOND,
          ),
          gauge(
            'tocsin_delivery_lateness_seconds',
            'How long the oldest message has been due that nobody has tried to send.',
            lateness.delivery / MICROS_PER_SECOND,
          ),
        ]),
    ...(backlog === null
      ? []
      : [
          gauge('tocsin_checks', 'Checks of all projects.', backlog.checks),
          gauge('tocsin_deliveries_open', 'Messages that are not delivered yet.', backlog.openDeliveries),
          gauge('tocsin_mails_open', 'Mails to accounts that are not sent yet.', backlog.openMails),
          family('tocsin_blind_spans_total', 'counter', 'Times in which no node was watching.', [
            { labels: {}, value: backlog.blindSpans },
          ]),
          gauge(
            'tocsin_migration_progress',
            'How much of the columns is filled that upgrades have added, from 0 to 1.',
            backlog.filled,
          ),
          ...(backlog.backupAge === null
            ? []
            : [
                gauge(
                  'tocsin_backup_age_seconds',
                  'How long ago the last backup was made.',
                  backlog.backupAge / MICROS_PER_SECOND,
                ),
              ]),
        ]),
  ];
}

function aboutLoops({ loops }: Measurements): string[] {
  const about = (name: string, type: 'counter' | 'gauge', help: string, pick: (loop: LoopTally) => number) =>
    family(
      name,
      type,
      help,
      Object.entries(loops).map(([loop, tally]) => ({ labels: { loop }, value: pick(tally) })),
    );
  return [
    about('tocsin_loop_ticks_total', 'counter', 'Ticks of a loop that succeeded.', ({ ticks }) => ticks),
    about(
      'tocsin_loop_failures_total',
      'counter',
      'Ticks of a loop that failed.',
      ({ failures }) => failures,
    ),
    about(
      'tocsin_loop_seconds_since_success',
      'gauge',
      'How long ago a tick of the loop last succeeded.',
      ({ sinceSuccess }) => sinceSuccess / MICROS_PER_SECOND,
    ),
    about(
      'tocsin_loop_bound_seconds',
      'gauge',
      'How long ago that may be before the node is not ready.',
      ({ bound }) => bound / MICROS_PER_SECOND,
    ),
  ];
}
