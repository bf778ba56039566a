/** Texts of links to the documentation. */
export const docs = {
  name: 'Documentation',
  search: (typed: string) => `Search the documentation for “${typed}”`,
  howItWorks: 'How it works',
  setUp: (label: string) => `How to set up ${label}`,
  schedules: 'What is accepted',
  filters: 'How filters work',
  runs: 'How rules for runs work',
  alerts: 'When a message is sent',
  statusPages: 'What is on a status page',
  wallDisplays: 'How a wall display works',
  keyboard: 'Everything else is in the documentation.',
} as const;
