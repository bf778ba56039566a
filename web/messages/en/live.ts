/** Texts about the freshness of the page, and about keys and commands. */
export const live = {
  watching: 'Live, and watching',
  lastSweep: (seconds: string) => `Last sweep ${seconds} s ago`,
  starting: 'Connecting',
  polling: 'Every 15 s, and watching',
  away: 'Not connected',
  asOf: (time: string) => `As of ${time}`,
  awayAsOf: (time: string) => `Not connected, as of ${time}.`,
  stopped: 'Alerts are not being sent',
  stoppedSince: (time: string) => `Since ${time}`,
  health: 'Health',
  signedOut: 'You are signed out',
  signIn: 'Sign in again',
  downCount: (count: number) => (count === 1 ? '1 check is down.' : `${count} checks are down.`),
  noneDown: 'No check is down any more.',
  allAnswered: 'Somebody has each check that is down.',
} as const;
