const ofChecks = (count: number) => (count === 1 ? 'of 1 check' : `of ${count} checks`);

/** Texts of acts on a check, from the list and from its page. */
export const checkActs = {
  menu: {
    edit: 'Edit',
    acknowledge: 'Acknowledge',
    takeBack: 'Take the acknowledgement back',
    snooze: 'Snooze',
    endSnooze: 'End the snooze',
    pause: 'Pause',
    resume: 'Resume',
    copy: 'Copy to this project',
    move: 'Move or copy to another project',
    replace: 'Replace the ping address',
    clear: 'Clear events',
    remove: 'Delete',
    more: 'More',
  },
  acknowledged: (name: string) => `You have ${name}. Nobody else is told until it is up.`,
  alreadyAcknowledged: (name: string, by: string, time: string | null) =>
    `${by} has ${name} already${time === null ? '' : `, since ${time}`}.`,
  takenBack: (name: string) => `Nobody has ${name} now`,
  snoozed: (name: string, until: string | null) =>
    `Snoozed ${name}${until === null ? '' : ` until ${until}`}`,
  snoozeEnded: (name: string) => `${name} is no longer snoozed`,
  snoozing: {
    title: (name: string) => `Snooze ${name}`,
    label: 'How long',
    spans: {
      hour: '1 hour',
      four_hours: '4 hours',
      morning: 'Until 08:00',
      tomorrow: 'Until tomorrow 08:00',
    },
    until: 'Until a date…',
    date: 'Until',
    consequence: 'Alerts that begin meanwhile are held. If it is still down then, they are sent.',
  },
  paused: (name: string) => `Paused ${name}`,
  resumed: (name: string) => `Resumed ${name}. It waits for its next ping.`,
  pauseUndone: (name: string) => `${name} is as it was before the pause`,
  alreadyResumed: (name: string) => `${name} is not paused any more. Somebody else has resumed it.`,
  copied: (name: string) => `Added ${name}`,
  moved: (name: string, project: string) => `Moved ${name} to ${project}`,
  copiedTo: (name: string, project: string) => `Copied ${name} to ${project}`,
  replaced: (name: string) => `${name} has a new ping address`,
  cleared: (name: string) => `Cleared the events of ${name}`,
  deleted: (name: string) => `Deleted ${name}`,
  restored: (name: string) => `${name} is back, with its history`,
  couldNot: {
    acknowledge: (name: string) => `Could not acknowledge ${name}:`,
    takeBack: (name: string) => `Could not take back the acknowledgement of ${name}:`,
    snooze: (name: string) => `Could not snooze ${name}:`,
    endSnooze: (name: string) => `Could not end the snooze of ${name}:`,
    pause: (name: string) => `Could not pause ${name}:`,
    undoPause: (name: string) => `Could not undo the pause of ${name}:`,
    resume: (name: string) => `Could not resume ${name}:`,
    copy: (name: string) => `Could not copy ${name}:`,
    remove: (name: string) => `Could not delete ${name}. It is still there:`,
    restore: (name: string) => `Could not bring back ${name}:`,
  },
  deletion: {
    title: (name: string) => `Delete ${name}?`,
    lastPing: 'It pinged',
    consequence:
      'Its jobs will get 404, and nobody is told. For 7 days it can be restored with its history, in Settings, Deleted checks.',
    action: 'Delete check',
  },
  file: {
    title: 'Change it all the same?',
    change: 'Change all the same',
    lasts: (fields: readonly string[], source: string) =>
      `From the file ${source}: ${fields.map((field) => field.toLowerCase()).join(', ')}. Your change lasts until the file is applied again.`,
    fields: {
      tags: (checks: number) => `tags ${ofChecks(checks)}`,
      integrations: (checks: number) => `who is told ${ofChecks(checks)}`,
    },
  },
  ping: {
    title: (name: string) => `Send a ping to ${name}`,
    signal: 'What it means',
    signals: { success: 'Success', fail: 'Failure', start: 'Start', log: 'Log' },
    effects: {
      success: 'The run went well. A check that is down comes up.',
      fail: 'The run failed. The check goes down, and its integrations are told.',
      start: 'A run begins. The time until its end is measured.',
      log: 'Only a note. The status stays as it is.',
    },
    body: 'Body',
    send: 'Send',
    sent: {
      success: (name: string) => `Success sent to ${name}`,
      fail: (name: string) => `Failure sent to ${name}`,
      start: (name: string) => `Start sent to ${name}`,
      log: (name: string) => `Note sent to ${name}`,
    },
  },
  clearing: {
    title: (name: string) => `Clear the events of ${name}?`,
    consequence:
      'Pings, status changes and deliveries are deleted for good, and the check is new again. The numbering of its pings continues.',
    action: 'Clear events',
  },
  replacing: {
    title: (name: string) => `Replace the ping address of ${name}?`,
    consequence:
      'The present address answers 404 from then on. Jobs need the new one, and links to the check change, too. History stays.',
    action: 'Replace the address',
  },
  moving: {
    title: (name: string) => `Move or copy ${name}`,
    project: 'To',
    current: (name: string) => `${name} (it is here)`,
    full: (name: string) => `${name} (at its limit of checks)`,
    none: 'There is no other project in which you may add checks.',
    consequence:
      'Moving assigns all integrations of the other project instead of the present ones. Ping addresses stay; addresses by slug change with the ping key of the project.',
    move: 'Move',
    copy: 'Copy',
  },
} as const;
