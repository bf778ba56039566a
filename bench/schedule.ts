/**
 * Counts how often the next occurrence of a schedule is found in a second of processor time.
 *
 *   node bench/schedule.ts
 *
 * Every ping of a cron or OnCalendar check asks for one, so the last column relates the cost to the 100 µs
 * that a ping may take where one core answers 10,000 a second. Starts are spread over ten years, clock
 * changes included, as a start that is always the same would be answered from the processor's caches.
 */
import { nextOccurrence, validateSchedule } from '../src/domain/schedule/schedule.ts';

const PING_MICROS = 100;
const WARM_UP_MILLIS = 50;
const ROUND_MILLIS = 60;
const ROUNDS = 4;
const BATCH = 64;

interface Case {
  readonly name: string;
  readonly expression: string;
  readonly tz: string;
}

const CASES: readonly Case[] = [
  ...['UTC', 'Europe/Riga'].flatMap((tz) => [
    { name: 'cron, every five minutes', expression: '*/5 * * * *', tz },
    { name: 'cron, working days at nine', expression: '0 9 * * 1-5', tz },
    { name: 'cron, last Friday of the month', expression: '30 3 * * 5L', tz },
    { name: 'OnCalendar, every quarter of an hour', expression: '*:0/15', tz },
    { name: 'OnCalendar, working days at nine', expression: 'Mon..Fri 09:00', tz },
    { name: 'OnCalendar, last day of the month', expression: '*-*~1 03:30', tz },
  ]),
  { name: 'hostile: cron, leap days', expression: '0 0 29 2 *', tz: 'Europe/Riga' },
  { name: 'hostile: cron, leap days on Sundays', expression: '* * 29 2 */7', tz: 'Europe/Riga' },
  { name: 'hostile: cron, always in the gap', expression: '*/30 2 8-14 3 */7', tz: 'America/New_York' },
  { name: 'hostile: OnCalendar, always in the gap', expression: 'Sun *-3~7/1 01:30', tz: 'Europe/London' },
];

const FIRST_START = Date.UTC(2020, 0, 1) * 1000;
const STARTS = Array.from({ length: 4096 }, (_, index) => FIRST_START + index * 77_003.5e6);

export default function run(): void {
  for (const { expression, tz } of CASES) callFor(expression, tz, WARM_UP_MILLIS);

  console.log(row('next occurrence of', 'zone', 'per second', 'µs each', 'share of a ping'));
  for (const { name, expression, tz } of CASES) {
    const micros = measure(expression, tz);
    const rate = Math.round(1e6 / micros).toLocaleString('en-US');
    const share = `${((100 * micros) / PING_MICROS).toFixed(2)} %`;
    console.log(row(`${name}  ${expression}`, tz, rate, micros.toFixed(2), share));
  }
  console.log(
    `\nAn expression never seen before takes ${measureFirstTime().toFixed(0)} µs to read, judge and evaluate.`,
  );
}

function row(schedule: string, zone: string, ...figures: readonly string[]): string {
  return schedule.padEnd(60) + zone.padEnd(18) + figures.map((figure) => figure.padStart(16)).join('');
}

/** Microseconds for one call, in the fastest of a few rounds: what else the machine does only adds to it. */
function measure(expression: string, tz: string): number {
  return Math.min(...Array.from({ length: ROUNDS }, () => callFor(expression, tz, ROUND_MILLIS)));
}

function callFor(expression: string, tz: string, millis: number): number {
  const begin = cpuMicros();
  let calls = 0;
  let spent = 0;
  while (spent < millis * 1000) {
    const batch = calls % STARTS.length;
    for (let index = batch; index < batch + BATCH; index += 1) {
      nextOccurrence(expression, tz, STARTS[index] ?? 0);
    }
    calls += BATCH;
    spent = cpuMicros() - begin;
  }
  return spent / calls;
}

/** Microseconds for an expression that is not in the cache. */
function measureFirstTime(): number {
  const expressions = Array.from(
    { length: 1440 },
    (_, minute) => `${minute % 60} ${Math.floor(minute / 60)} 1-31/2 * 1-5`,
  );
  for (const expression of expressions) validateSchedule(expression.replace('/2', '/3'));
  const begin = cpuMicros();
  for (const expression of expressions) {
    validateSchedule(expression);
    nextOccurrence(expression, 'Europe/Riga', FIRST_START);
  }
  return (cpuMicros() - begin) / expressions.length;
}

/** The time this process has had of a processor: on a machine shared with others, the clock says little. */
function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

if (import.meta.main) run();
