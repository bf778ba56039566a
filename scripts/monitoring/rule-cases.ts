/** A day in the life of what is watched, in minutes, and the alerts that are meant. */
export interface RuleCase {
  readonly name: string;
  /** The values of each series, in the notation of `promtool test rules`. */
  readonly series: Readonly<Record<string, string>>;
  readonly alerts: readonly string[];
}

const DAY = 1440;
/** When faults begin. */
const NOON = DAY / 2;

const steady = (value: number, minutes = DAY) => `${value}+0x${minutes - 1}`;
const steadyUntil = (value: number, at: number, then: string) => `${steady(value, at)} ${then}`;
/** A counter that grows by one at these minutes. */
const counting = (minutes: readonly number[]) =>
  [0, ...minutes].map((from, index) => steady(index, (minutes[index] ?? DAY) - from)).join(' ');

const GOOD_SERVICE: Readonly<Record<string, string>> = {
  tocsin_ready: steady(1),
  'tocsin_pings_total{outcome="recorded"}': `0+100x${DAY}`,
  'tocsin_pings_total{outcome="failed"}': steady(0),
  'tocsin_pings_total{outcome="unavailable"}': steady(0),
  'tocsin_pings_total{outcome="overloaded"}': steady(0),
  tocsin_deadline_lateness_seconds: steady(0),
  tocsin_delivery_lateness_seconds: steady(0),
  'tocsin_alert_delay_seconds_bucket{le="10"}': `0+1x${DAY}`,
  'tocsin_alert_delay_seconds_bucket{le="+Inf"}': `0+1x${DAY}`,
  tocsin_alert_delay_seconds_count: `0+1x${DAY}`,
  tocsin_blind_spans_total: steady(3),
  tocsin_disk_free_bytes: steady(1e9),
  tocsin_database_bytes: steady(1e9),
  tocsin_clock_ahead_seconds: steady(0.1),
};

const fault = (name: string, series: RuleCase['series'], ...alerts: readonly string[]): RuleCase => ({
  name,
  series: { ...GOOD_SERVICE, ...series },
  alerts,
});

const afterNoon = (before: number, after: number) => steadyUntil(before, NOON, steady(after, DAY - NOON));
const forMinutes = (usual: number, value: number, minutes: number) =>
  steadyUntil(usual, NOON, `${steady(value, minutes)} ${steady(usual, DAY - NOON - minutes)}`);

const THREE_A_DAY = [100, 600, 1100];
const threePings = {
  'tocsin_pings_total{outcome="recorded"}': counting([100, 1100]),
  'tocsin_pings_total{outcome="unavailable"}': counting([600]),
};
const threeAlerts = (inTime: readonly number[]) => ({
  'tocsin_alert_delay_seconds_bucket{le="10"}': counting(inTime),
  'tocsin_alert_delay_seconds_bucket{le="+Inf"}': counting(THREE_A_DAY),
  tocsin_alert_delay_seconds_count: counting(THREE_A_DAY),
});

export const SERVICE_CASES: readonly RuleCase[] = [
  fault('a good day', {}),
  fault('not ready', { tocsin_ready: afterNoon(1, 0) }, 'TocsinNotReady'),
  fault('not ready for a minute', { tocsin_ready: forMinutes(1, 0, 1) }),
  fault(
    'pings refused',
    { 'tocsin_pings_total{outcome="unavailable"}': steadyUntil(0, NOON, `0+10x${DAY - NOON}`) },
    'TocsinPingsRefused',
  ),
  fault('a few of many pings refused', {
    'tocsin_pings_total{outcome="recorded"}': `0+100000x${DAY}`,
    'tocsin_pings_total{outcome="failed"}': steadyUntil(0, NOON, `0+10x${DAY - NOON}`),
  }),
  fault('deadlines late', { tocsin_deadline_lateness_seconds: afterNoon(0, 40) }, 'TocsinAlertsLate'),
  fault('messages late', { tocsin_delivery_lateness_seconds: afterNoon(0, 40) }, 'TocsinAlertsLate'),
  fault('messages a little late', { tocsin_delivery_lateness_seconds: afterNoon(0, 20) }),
  fault(
    'alerts begin late',
    { 'tocsin_alert_delay_seconds_bucket{le="10"}': `0+0.9x${DAY}` },
    'TocsinAlertsDelayed',
  ),
  fault('nobody watched', { tocsin_blind_spans_total: afterNoon(3, 4) }, 'TocsinNobodyWatched'),
  fault('disk short', { tocsin_disk_free_bytes: afterNoon(1e9, 1e8) }, 'TocsinDiskShort'),
  fault('clock ahead', { tocsin_clock_ahead_seconds: afterNoon(0, 6) }, 'TocsinClockOff'),
  fault('clock behind', { tocsin_clock_ahead_seconds: afterNoon(0, -6) }, 'TocsinClockOff'),
  fault('three pings a day, one refused', threePings),
  fault('three alerts a day', threeAlerts(THREE_A_DAY)),
  fault('three alerts a day, one late', threeAlerts([100, 1100]), 'TocsinAlertsDelayed'),
];

const EIGHT_HOURS = 480;
const LABELS = '{name="backup", tags="", unique_key="k"}';

/** A job that succeeds every eight hours at these times, given in eights of hours, and then no more. */
function job(successes: number, other: RuleCase['series'] = {}): RuleCase['series'] {
  const runs = Array.from({ length: successes }, (_, index) => index);
  const times = (ahead: number) =>
    runs.map((run) => steady((run + ahead) * EIGHT_HOURS * 60, EIGHT_HOURS)).join(' ');
  const last = (successes - 1) * EIGHT_HOURS * 60;
  const rest = DAY - successes * EIGHT_HOURS;
  return {
    [`tocsin_job_last_success_timestamp_seconds${LABELS}`]:
      rest > 0 ? `${times(0)} ${steady(last, rest)}` : times(0),
    // A check that is down expects nothing.
    [`tocsin_job_next_expected_timestamp_seconds${LABELS}`]: times(1),
    [`hc_check_started${LABELS}`]: steady(0),
    [`hc_check_paused${LABELS}`]: steady(0),
    [`tocsin_job_last_duration_seconds${LABELS}`]: steady(10),
    ...other,
  };
}

const duration = (before: number, after: number) => ({
  [`tocsin_job_last_duration_seconds${LABELS}`]: afterNoon(before, after),
});

export const JOB_CASES: readonly RuleCase[] = [
  { name: 'three runs a day', series: job(3), alerts: [] },
  { name: 'no success since the morning', series: job(1), alerts: ['TocsinJobWithoutSuccess'] },
  { name: 'no success for a while', series: job(2), alerts: [] },
  {
    name: 'no success while paused',
    series: job(1, { [`hc_check_paused${LABELS}`]: steady(1) }),
    alerts: [],
  },
  { name: 'slower than ever', series: job(3, duration(10, 40)), alerts: ['TocsinJobSlow'] },
  { name: 'a little slower', series: job(3, duration(10, 25)), alerts: [] },
  { name: 'slower, and still short', series: job(3, duration(0.1, 0.9)), alerts: [] },
];
