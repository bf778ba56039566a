import type { Ailment, LoopName } from '../../../src/views/instance.ts';
import { grouped } from './shell.ts';

const plural = (count: number, one: string, many: string) => `${grouped(count)} ${count === 1 ? one : many}`;

const DAYS_IN_MONTH = 365 / 12;

/** In how many days, months or years. */
function aboutDays(days: number): string {
  if (days < 1) return 'within a day';
  if (days < 60) return `in about ${plural(Math.round(days), 'day', 'days')}`;
  if (days < 730) return `in about ${grouped(Math.round(days / DAYS_IN_MONTH))} months`;
  return `in about ${grouped(Math.round(days / 365))} years`;
}

const LOOPS: Readonly<Record<LoopName, string>> = {
  deadlines: 'Takes checks down whose ping did not come',
  quiet_times: 'Begins quiet times',
  notifier: 'Sends alerts',
  notifier_leases: 'Keeps alerts that are being sent from being sent twice',
  account_mails: 'Sends mails to people, such as sign-in links and reports',
  account_mail_leases: 'Keeps mails that are being sent from being sent twice',
  reports: 'Prepares reports',
  reminders: 'Prepares reminders of checks that are down',
  flapping: 'Tells owners of checks that go up and down all the time',
  failing_channels: 'Tells owners of integrations that fail for long',
  blindness: 'Tells owners when nobody watched for a while',
  housekeeping: 'Deletes pings and changes of status that are past their time',
  mail_pruning: 'Deletes mails that were sent long ago',
  filling: 'Completes older data after an upgrade',
  contracting: 'Removes what only older programs need',
  account_pruning: 'Deletes sessions, links and log entries that are past their time',
  database_sizes: 'Keeps the size of the database, once a day',
  key_uses: 'Writes when keys and tokens were last used',
  body_moves: 'Moves the output of jobs to object storage',
  body_deletions: 'Deletes output from object storage',
  checkpoints: 'Copies the log of SQLite into the database file',
  heartbeat: 'Tells another monitor that this one is well',
  backups: 'Makes and verifies backups',
  changes: 'Tells open pages and other nodes what has changed',
  change_exchange: 'Hears from other nodes what has changed',
  telegram_updates: 'Asks Telegram for messages to the bot',
};

const CONDITIONS: Readonly<Record<Exclude<Ailment, `${string}_silent`>, string>> = {
  database_away: 'The database does not answer.',
  writes_failing:
    'Nothing could be written for half a minute: the disk is full, or the database takes no writes.',
  pings_failing: 'Pings are refused, because they cannot be written.',
  deadlines_late: 'Deadlines have passed, and no node has taken the checks down.',
  deliveries_late: 'Alerts are due, and no node has tried to send them.',
  clock_off: 'The clocks of this machine and of the database differ by more than five seconds.',
};

const STUCK = Object.fromEntries(
  Object.entries(LOOPS).map(([name, does]) => [
    `${name}_silent`,
    `This has not succeeded for too long: “${does}”.`,
  ]),
);

/** Texts of the pages for administrators. */
export const admin = {
  more: 'Show more',
  doctor: {
    title: 'Doctor',
    lead: 'Looks at settings, proxy, mail, disk, database and backups, as the command tocsin doctor does.',
    look: 'Look now',
    looking: 'Looking…',
    notHere: 'This program does not know its settings, and cannot look.',
    verdicts: { ok: 'Well', warn: 'Warning', fail: 'Fault', skip: 'Skipped' },
  },
  health: {
    title: 'Health',
    well: 'Tocsin is well.',
    unwell: 'Tocsin needs a look.',
    reasons: { ...CONDITIONS, ...STUCK } as Readonly<Record<string, string>>,
    version: (version: string) => `Version ${version}. The numbers are of the node that answered.`,
    loops: 'Loops',
    loop: 'Loop',
    does: LOOPS as Readonly<Record<string, string>>,
    state: 'State',
    states: { up: 'On time', late: 'Slow', down: 'Stuck' },
    lastTick: 'Last success',
    atMost: (span: string) => `stuck after ${span}`,
    ticks: 'Rounds',
    failures: (count: number) => plural(count, 'failed', 'failed'),
    queues: 'Queues',
    pings: 'Pings to store',
    deliveries: 'Alerts to send',
    mails: 'Mails to send',
    bodies: 'Bodies to move',
    lateDeadlines: 'Deadlines late by',
    lateDeliveries: 'Alerts late by',
    nothingLate: 'none',
    machine: 'Machine',
    memory: 'Memory',
    storage: 'Database and disk',
    database: 'Database',
    grewInWeek: 'Grew in 7 days',
    grewInMonth: 'Grew in 30 days',
    free: 'Free on its disk',
    freeOf: (free: string, total: string, percent: number) => `${free} of ${total} (${percent} %)`,
    notSoLong: 'not known yet',
    unseenDisk: 'The disk of the database cannot be seen from here.',
    measuring: 'How fast it grows is known after a day.',
    steady: 'It does not grow.',
    growsBy: (amount: string) => `It grows by ${amount} a day.`,
    fillsUp: (days: number) => `The disk fills up ${aboutDays(days)}.`,
    nearlyFull: (free: string) => `The disk of the database is nearly full: ${free} left.`,
    noLoops: 'No loop has run on this node yet.',
    lag: 'Event loop wait',
    written: 'Last write',
    unknown: 'not known',
  },
  mail: {
    title: 'Does mail leave?',
    lead: 'Sends a test, and shows what the mail server says.',
    to: 'Send a test to',
    send: 'Send test',
    accepted: 'The mail server has accepted it.',
    refused: (words: string) => `It was refused: ${words}`,
  },
  settings: {
    title: 'Settings in force',
    lead: (count: number, changed: number) =>
      `${count} settings, ${changed} of which differ from the default.`,
    search: 'Search in names and explanations',
    setting: 'Setting',
    value: 'Value',
    from: 'From',
    empty: 'empty',
  },
  accounts: {
    title: 'Accounts',
    account: 'Account',
    search: 'Search by address or name',
    has: 'Has',
    seen: 'Last seen',
    never: 'Never seen',
    checks: (count: number, limit: number) => `${grouped(count)} of ${plural(limit, 'check', 'checks')}`,
    projects: (count: number) => plural(count, 'project', 'projects'),
    switchedOff: 'Switched off',
    new: 'New account',
    make: 'Make the account',
    isAdmin: 'Administers the service',
    link: 'Pass this link on. With it the person chooses a password.',
    actionsOn: (email: string) => `Actions on ${email}`,
    limits: 'Limits…',
    limitsOf: (email: string) => `Limits of ${email}`,
    limitsSaved: 'The limits are saved.',
    maxChecks: 'Checks in all projects',
    maxPings: 'Pings kept for each check',
    maxPingsHint: 'Older ones are removed.',
    passwordLink: 'Link for a new password',
    endSessions: 'End all sessions',
    sessionsEnded: 'All sessions have ended.',
    resetFactors: 'Remove second factors',
    factorsReset: 'The second factors are removed.',
    grantAdmin: 'Make an administrator',
    adminGranted: 'They administer the service now.',
    revokeAdmin: 'No longer an administrator',
    adminRevoked: 'They no longer administer the service.',
    switchOff: 'Switch off',
    isSwitchedOff: 'The account is switched off.',
    switchOn: 'Switch on',
    isSwitchedOn: 'The account is switched on.',
    delete: 'Delete…',
    deleteAction: 'Delete the account',
    deleteTitle: (email: string) => `Delete ${email}?`,
    deleteLead:
      'The account and all projects that it owns are deleted, with their checks and history. This cannot be undone.',
    deleted: (email: string) => `${email} is deleted.`,
  },
  projects: {
    title: 'All projects',
    lead: 'You can enter projects of others for an hour. Their people see it in their audit log.',
    search: 'Search by name',
    project: 'Project',
    has: 'Has',
    created: 'Created',
    checks: (count: number) => plural(count, 'check', 'checks'),
    others: (channels: number, members: number) =>
      `${plural(channels, 'integration', 'integrations')}, ${plural(members, 'member', 'members')}`,
    enter: 'Enter',
    leave: 'Leave',
    left: (name: string) => `You have left ${name}.`,
    enterTitle: (name: string) => `Enter ${name}?`,
    enterLead: 'For an hour you can see and change it. That, and your reason, is written into its audit log.',
    reason: 'Reason',
  },
} as const;
