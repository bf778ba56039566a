const NUMBERS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'];
const numberWord = (count: number) => NUMBERS[count] ?? String(count);
const minutesWord = (minutes: number) => (minutes === 1 ? '1 minute' : `${minutes} minutes`);

/** Texts of the timeline. */
export const timeline = {
  title: 'Timeline',
  none: 'Nothing went wrong in this time.',
  one: 'One problem in this time.',
  apart: (count: number) => `${numberWord(count)} problems, at different times.`,
  together: (count: number, minutes: number) =>
    minutes === 0
      ? `${numberWord(count)} problems began at the same time.`
      : `${numberWord(count)} problems began within ${minutesWord(minutes)}.`,
  more: (count: number) =>
    count === 1 ? 'One more began at another time.' : `${count} more began at other times.`,
  failed: (name: string, time: string) => `${name} failed at ${time}`,
  missed: (name: string, time: string) => `${name} did not come at ${time}`,
  spans: { '6h': '6 h', '12h': '12 h', '24h': '24 h', '7d': '7 days' },
  span: 'How much time is shown',
  now: 'Now',
  nowAt: (time: string) => `Now ${time}`,
  earlier: 'Earlier',
  later: 'Later',
  wider: 'Show more time',
  closer: 'Show less time',
  toNow: 'Back to now',
  asTable: 'Show as table',
  asLanes: 'Show as timeline',
  lanes: 'Runs of all checks',
  noChecks: 'There are no checks yet.',
  addCheck: 'Add a check',
  legend: {
    ok: 'ran, as wide as it took',
    failed: 'failed',
    missed: 'missed',
    grace: 'grace',
    limit: 'goes down then, unless it pings',
    running: 'running',
    expected: 'expected',
  },
  /** The end of the grace time that runs now. */
  limit: (time: string, isRunning: boolean) =>
    isRunning ? `Must finish by ${time}` : `Goes down at ${time}, unless it pings`,
  table: {
    check: 'Check',
    ok: 'Ok',
    failed: 'Failed',
    missed: 'Missed',
    last: 'Last run',
    next: 'Expected next',
  },
  many: 'many',
  summary: (ran: string, failed: number, missed: string, expected: string) =>
    `${ran} ran, ${failed} failed, ${missed} missed, ${expected} expected`,
} as const;
