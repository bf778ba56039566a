/** 1 check, 2 checks. */
export const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

/** 4,748: a number that may be large. */
export const grouped = (count: number) => count.toLocaleString('en');

/** Counts of checks in a headline. */
export const countWords = {
  down: (count: number) => `${grouped(count)} down`,
  /** Checks that are down as one that they depend on. */
  held: (count: number, of: number) =>
    `${grouped(count)} that ${count === 1 ? 'depends' : 'depend'} on ${of === 0 ? 'others' : of === 1 ? 'it' : 'them'}`,
  acknowledged: (count: number) => `${grouped(count)} acknowledged`,
  /** Follows the number of those that are down: nobody, or not everybody, was told of them. */
  notTold: (untold: number, down: number) =>
    untold === down ? 'not told yet' : `${grouped(untold)} of them not told yet`,
  late: (count: number) => `${grouped(count)} late`,
  never_came: (count: number) => `${grouped(count)} never came`,
  slow: (count: number) => `${grouped(count)} slow`,
  fine: (count: number) => `${grouped(count)} fine`,
  silent: (count: number) => `${grouped(count)} silent on purpose`,
  new: (count: number) => `${grouped(count)} waiting for the first run`,
  /** They have run before, or it is not known. */
  ready: (count: number) => `${grouped(count)} waiting for a run`,
  allFine: (count: number) => (count === 1 ? 'It is fine.' : `All ${grouped(count)} are fine.`),
  /** Of some that are not in trouble, but are not all fine. */
  someFine: (count: number) => `${grouped(count)} ${count === 1 ? 'is' : 'are'} fine.`,
};

/* Texts that all pages share. Every page loads them. */

export const shell = {
  skip: 'Skip to the content',
  loading: 'The page is loading.',
  main: 'Main',
  projects: 'Projects',
  allProjects: 'All projects',
  allChecks: 'All checks',
  /** A page of checks, of which some are down. */
  downThere: (page: string, count: number) => `${page}: ${countWords.down(count)}`,
  areDown: 'down',
  importCrontab: 'Import a crontab',
  lastVisited: 'last visited',
  above: 'Back',
  breadcrumb: 'Where you are',
  checks: 'Checks',
  timeline: 'Timeline',
  integrations: 'Integrations',
  noIntegration: 'There is no integration',
  failingIntegrations: (count: number) => `${plural(count, 'integration', 'integrations')} failing`,
  statusPages: 'Status pages',
  badges: 'Badges',
  settings: 'Settings',
  more: 'More',
  account: 'Account',
  instance: 'Instance',
  signOut: 'Sign out',
  visit: (name: string) =>
    `You are in ${name} as an administrator, for an hour. Its audit log says that you came, and what you change.`,
  leaveVisit: 'Leave the project',
  components: 'Components',
} as const;

export const statuses = {
  up: 'Up',
  late: 'Late',
  down: 'Down',
  acknowledged: 'Acknowledged',
  held: 'Waits for another',
  snoozed: 'Snoozed',
  quiet: 'Quiet',
  running: 'Running',
  paused: 'Paused',
  new: 'New',
  never_came: 'Never came',
  unknown: 'Unknown',
} as const;

export const roles = {
  owner: 'Owner',
  manager: 'Manager',
  member: 'Member',
  read_only: 'Read-only',
  administrator: 'Administrator',
} as const;

export const controls = {
  close: 'Close',
  actions: 'Actions',
  cancel: 'Cancel',
  leave: {
    title: 'Leave without saving?',
    leave: 'Leave',
    saveAndLeave: 'Save and leave',
    stay: 'Stay',
  },
  save: 'Save',
  keep: 'Keep it',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'Select and copy it',
  undo: 'Undo',
  dismiss: 'Dismiss',
  messages: 'Messages',
  typeName: (name: string) => `Type ${name} to confirm`,
  shownOnce: 'shown once',
  fingerprint: 'Only its fingerprint is kept. If you lose it, make a new one and revoke this.',
  stored: 'I have stored it',
  leaveSecret: {
    title: 'Leave without storing it?',
    leave: 'Leave',
    saveAndLeave: 'Copy and leave',
    stay: 'Stay',
  },
  secretIsLost: 'It is shown only now. Once you leave, nobody can read it again.',
} as const;

export const times = {
  ago: (age: string) => `${age} ago`,
  until: (age: string) => `in ${age}`,
  today: 'Today',
  yesterday: 'Yesterday',
  /** The zone of all times of a page. */
  zone: (city: string) => `Times in ${city === 'UTC' ? city : `${city} time`}.`,
} as const;

export const product = 'Tocsin';

export const title = (page: string) => `${page} – Tocsin`;

export const notFound = {
  title: 'Not found',
  lead: 'There is nothing at this address, or you may not see it.',
  home: 'To your projects',
} as const;

export const noPermission = {
  title: 'No permission',
  lead: 'You may not do this here',
  help: (role: string, project: string, owner: string) =>
    `Your role in ${project} is ${role}. ${owner} owns the project and can give you another one.`,
  toChecks: 'To the checks',
} as const;

export const errors = {
  title: 'This page cannot be shown now',
  unreachable: 'The server cannot be reached. Your input is kept; try again.',
  unexpected: (requestId: string | null) =>
    requestId === null ? 'Something failed on the server.' : `Something failed on the server (${requestId}).`,
  notLoaded: 'A part of the page could not be loaded.',
  retry: 'Try again',
} as const;
