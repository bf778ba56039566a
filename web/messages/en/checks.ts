import { ordinalWord } from '../../../src/lib/text/ordinals.ts';
import type { LaneJson } from '../../../src/views/board-json.ts';
import { countWords, grouped, plural } from './shell.ts';

const listed = (words: readonly string[]) =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

/** Names, of which more than three are cut: Ops, Mail and 3 more. `count` is the number of all. */
export const someNames = (names: readonly string[], count = names.length) =>
  listed(count <= 3 ? names : [...names.slice(0, 2), `${count - 2} more`]);

/** What has to be so until an outage is told: so many further runs are missed, or it only lasts. */
export const conditionWords = (misses: number) =>
  misses === 0
    ? 'it is still down'
    : misses === 1
      ? 'the next run is missed, too'
      : `the next ${misses} runs are missed, too`;

const results = {
  ok: 'Ok',
  warned: 'Warned',
  failed: 'Failed',
  late: 'Late',
  missed: 'Missed',
  skipped: 'Skipped',
  unknown: 'Nobody watched',
  running: 'Running',
} as const;

/** Texts about runs, which several pages show. */
export const runs = {
  label: 'The last runs',
  many: grouped,
  /** Runs one after the other that did not come. */
  several: (result: 'missed' | 'skipped' | 'unknown', count: number): string =>
    count === 1 ? results[result] : `${results[result]}, ${grouped(count)} runs`,
  results,
  /** `letters` has one for each run, or for several that did not come one after the other. `counts` are their numbers. */
  summary: (letters: string, counts: readonly number[]) => {
    if (letters === '') return 'No runs yet';
    const numbers = new Map<string, number>();
    let sum = 0;
    let noShows = 0;
    for (const letter of letters) {
      const number = 'msu'.includes(letter) ? (counts[noShows++] ?? 1) : 1;
      numbers.set(letter, (numbers.get(letter) ?? 0) + number);
      sum += number;
    }
    const total = `${grouped(sum)} ${sum === 1 ? 'run' : 'runs'}`;
    if (numbers.size === 1 && numbers.has('o')) return `${total}, all ok`;
    const words = {
      o: 'ok',
      w: 'warned',
      l: 'late',
      f: 'failed',
      m: 'missed',
      s: 'skipped',
      u: 'unknown',
      r: 'running',
    };
    const known = Object.entries(words).filter(([letter]) => numbers.has(letter));
    return `${total}: ${known.map(([letter, word]) => `${grouped(numbers.get(letter) ?? 0)} ${word}`).join(', ')}`;
  },
  durations: (median: string, p95: string) => `Median ${median}, 95 % within ${p95}`,
} as const;

/** Texts of the list of checks. */
export const checks = {
  title: (down: number) => (down === 0 ? 'Checks' : `${down} down`),
  name: 'Checks',
  add: 'Add check',
  addKey: 'C',
  atLimit: (used: number, max: number) =>
    `${used} of ${max} checks are in use. Delete one, or ask who owns the project for more.`,
  unnamed: 'unnamed',
  answer: {
    ...countWords,
    names: someNames,
    /** `one` and `several` follow names of checks, `next` another name, and `many` follows none. */
    since: {
      down: {
        one: 'has been down since',
        several: 'have been down since',
        next: 'since',
        many: 'Down since',
      },
      held: {
        one: 'has been down with what it depends on since',
        several: 'have been down with what they depend on since',
        next: 'since',
        many: 'Down with what they depend on since',
      },
      late: {
        one: 'has been late since',
        several: 'have been late since',
        next: 'since',
        many: 'Late since',
      },
      never_came: {
        one: 'should have sent its first ping by',
        several: 'should have sent their first pings by',
        next: 'by',
        many: 'First pings missing since',
      },
      slow: {
        one: 'has been slow since',
        several: 'have been slow since',
        next: 'since',
        many: 'Slow since',
      },
    },
    /** Somebody has it. */
    has: (by: string, name: string) => `${by} has ${name} since`,
    somebody: 'Somebody',
    acknowledgedSince: 'Acknowledged since',
    latestSince: ', the latest since ',
    /** `of` is empty if the checks are all that are in trouble. */
    told: (channels: readonly string[], of: string) =>
      `${someNames(channels)} ${channels.length === 1 ? 'was' : 'were'} told${of === '' ? '' : ` of ${of}`}.`,
    allDown: (count: number) => `${count === 2 ? 'both' : `all ${grouped(count)}`} that are down`,
    lastDown: (count: number) => `the ${grouped(count)} that went down last`,
    /** Each was told of some checks, and not all of the same ones. */
    toldOfSome: (channels: readonly string[]) =>
      `${someNames(channels)} were told, each of some: the rows say of which.`,
    toldNobody: 'Nobody has been told yet.',
    notReached: (channel: string) => `Not reached: ${channel}`,
    notReachedFor: (names: readonly string[], count: number) => `, for ${someNames(names, count)}`,
    unassigned: (names: readonly string[], count: number) => `Nobody is told of ${someNames(names, count)}.`,
    unsent: (names: readonly string[], count: number) => `Nobody was told of ${someNames(names, count)}.`,
    /** Of checks that are fine. `all` is the number of all. */
    untold: (names: readonly string[], count: number, all: number) =>
      count === all
        ? `Nobody is told if ${all === 1 ? 'it goes' : 'they go'} down.`
        : `Nobody is told if ${someNames(names, count)} ${count === 1 ? 'goes' : 'go'} down.`,
    assign: 'Assign an integration',
    othersAssign: 'Members who may make changes can assign an integration.',
    /** Several checks that came into trouble within minutes. */
    together: (count: number, tag: string | null, status: LaneJson['status'], minutes: number) => {
      const what = {
        down: 'went down',
        held: 'went down with what they depend on',
        acknowledged: 'went down and are acknowledged',
        late: 'became late',
        never_came: 'never came',
        slow: 'became slow',
      };
      const time = minutes <= 1 ? 'a minute' : `${minutes} minutes`;
      return `${count} checks ${tag === null ? '' : `tagged ${tag} `}${what[status]} within ${time}.`;
    },
    onItsWay: (names: readonly string[]) => `On its way to ${someNames(names)}.`,
    states: {
      delivered: '',
      waiting: '',
      retrying: 'next try',
      given_up: 'given up',
      off: 'switched off',
    },
    calm: 'Everything that was due in the last 12 hours ran.',
    wasDown: 'was down',
    from: 'from',
    to: 'to',
    until: 'until',
    isUpAgain: ' and is up again.',
    areUpAgain: '. They are up again.',
    wereDown: (count: number) => `${grouped(count)} checks were down in the last 12 hours and are up again.`,
    missedSome: (count: number) =>
      `${plural(count, 'deadline was', 'deadlines were')} missed in the last 12 hours.`,
  },
  band: {
    label: 'The last 12 hours and the next 4',
    ran: 'what ran',
    comes: 'what comes',
    last: 'last 12 h',
    next: 'next 4 h',
    now: 'Now',
    many: (count: number, tag: string | null = null) =>
      tag === null ? `${count} checks` : `${count} tagged ${tag}`,
    more: (count: number) => `+ ${count} more`,
    goesDown: 'goes down unless it pings',
    untilPing: 'until it pings',
    since: (time: string) => `since ${time}`,
    limit: 'time limit',
    bar: (ran: number, failed: number, missed: number) =>
      listed([
        `${ran} ran`,
        ...(failed > 0 ? [`${failed} failed`] : []),
        ...(missed > 0 ? [`${missed} missed`] : []),
      ]),
    expected: (count: number) => `${count} expected`,
  },
  legend: {
    open: 'Legend',
    title: 'What the marks mean',
    troubles: 'Above the line of time',
    down: 'Down, since the start of its bar. A bar that fades began before the picture.',
    late: 'Late: due, but still within its grace time',
    slow: 'Running for longer than usual',
    goesDown: 'Goes down then, unless it pings',
    bars: 'Runs',
    ran: 'Ran',
    failed: 'Failed',
    missed: 'Missed: expected, and did not come',
    ranLate: 'Came late',
    expected: 'Expected',
    noRun: 'Nothing ran',
    outage: 'Something was down that is up again',
    integrations: 'Integrations of a check',
    assigned: 'Is told about it',
    notAssigned: 'Is not told about it',
    failedToTell: 'Was not reached about the present outage',
  },
  filters: {
    label: 'Filters',
    all: 'All',
    find: 'Filter',
    findLabel: 'Filter checks',
    findHint: 'Words, or tag: -tag: status: name:',
    tag: 'Tag',
    project: 'Project',
    integration: 'Integration',
    noIntegration: 'None',
    remove: (what: string) => `Remove the filter ${what}`,
    clear: 'Clear filters',
    none: (words: string) => `No check matches ${words}.`,
    noneHint: 'Filters are joined: each of them leaves some checks out.',
    tagDown: (down: number, total: number) => `${down} of ${total} down`,
    tagLate: (late: number, total: number) => `${late} of ${total} late`,
    tagFine: (total: number) => plural(total, 'check', 'checks'),
    ofThese: 'of these',
    slow: 'slower than usual',
    together: 'turned bad together',
  },
  order: {
    attention: 'Attention first',
    name: 'Name',
    nameDown: 'Name, Z first',
    last: 'Last ping, newest first',
    lastDown: 'Last ping, oldest first',
    created: 'Newest first',
    groupStatus: 'By attention',
    groupTag: 'By tag',
    groupNone: 'No groups',
  },
  options: 'View options',
  showDurations: 'Show durations',
  hideDurations: 'Hide durations',
  exportCsv: 'Export as CSV',
  exportJson: 'Export as JSON',
  groups: {
    attention: 'Needs attention',
    fine: 'Fine',
    silent: 'Silent on purpose',
    new: 'Waiting for the first run',
    ready: 'Waiting for a run',
    untagged: 'No tag',
    all: 'All checks',
  },
  row: {
    never: 'Never',
    noPing: 'No ping yet',
    ready: 'Ready',
    waits: 'waits for a ping',
    openPing: (name: string) => `Open the last ping of ${name}`,
    started: 'Started',
    usually: (duration: string) => `usually ${duration}`,
    overdue: 'Overdue',
    downFor: 'Down for',
    wasDue: 'was due',
    nextRun: 'next run',
    lateBy: 'Late by',
    mustFinish: 'Must finish by',
    told: 'Told',
    /** Who was told of the fall and of the recovery of a check. */
    toldOf: (told: readonly { readonly name: string; readonly of: 'both' | 'fall' | 'recovery' }[]) => {
      const words = { both: 'the outage and of its end', fall: 'the outage only', recovery: 'its end only' };
      const parts = (['both', 'fall', 'recovery'] as const).flatMap((of) => {
        const names = told.filter((one) => one.of === of).map(({ name }) => name);
        return names.length === 0 ? [] : [{ names, of }];
      });
      if (parts.length === 0) return 'Nobody was told.';
      const sentence = parts.map(
        ({ names, of }, place) =>
          `${someNames(names)}${place > 0 ? '' : names.length === 1 ? ' was told' : ' were told'} of ${words[of]}`,
      );
      return `${sentence.join(', ')}.`;
    },
    toldAgainAt: '· again',
    notReached: 'Not reached',
    /** An integration's error within a sentence. */
    error: (text: string) => text.replace(/^Received status code (\d+)$/, 'answered $1'),
    last: 'last',
    nextTry: 'next',
    givenUp: 'given up',
    toldNobody: 'Nobody is told: no integration is assigned.',
    toldNobodyOff: 'Nobody is told: its integrations are switched off.',
    tries: (count: number) => plural(count, 'try', 'tries'),
    lastLine: 'Last line:',
    states: {
      delivered: 'delivered',
      waiting: 'on its way',
      retrying: 'retrying',
      given_up: 'given up',
      off: 'off',
    },
    goesDown: (names: readonly string[]) => `goes Down and tells ${someNames(names) || 'nobody'}`,
    /** Somebody is told later, which the next line says. */
    goesDownFirst: 'goes Down',
    retry: (name: string) => `${name} is tried again`,
    tells: (names: readonly string[]) => `Tells ${listed(names)}`,
    tellsNobody: 'Tells nobody',
    staysDown: {
      ping: 'Stays down until a ping comes.',
      success: 'Stays down until a run succeeds.',
    },
    firstPing: 'Waits for its first ping. Nobody is told until then.',
    toldAgain: {
      nobody: 'Nobody is told again until then.',
      nobody_else: 'Nobody else is told again until then.',
    },
    staysPaused: 'Stays paused',
    pausedUntil: { ping: 'until a ping comes', resumed: 'until resumed by hand' },
    reminded: 'You are reminded by mail',
    more: (name: string) => `More for ${name}`,
    select: (name: string) => `Select ${name}`,
    assigned: (name: string) => `${name}: is told`,
    notAssigned: (name: string) => `${name}: is not told`,
    wasNotReached: (name: string) => `${name}: was not reached`,
    /** For screen readers: `labels` say of each integration that is assigned whether it is told. */
    integrations: (count: string, labels: readonly string[]) =>
      [`Integrations: ${count}`, ...labels].join(', '),
    someOf: (count: number, total: number) => `${count} of ${total}`,
    has: (by: string | null) => `${by ?? 'Somebody'} has it since`,
    until: 'until',
    notToldYet: 'Nobody told yet',
    /** `isDown`: the time follows since when it is down. */
    waitsFor: (name: string | null, isDown: boolean) =>
      `Waits for ${name ?? 'a check that it depends on'}${isDown ? ', down since' : ''}`,
    badRuns: ({ count, of }: { readonly count: number; readonly of: number }) =>
      `Nobody told yet: ${ordinalWord(count)} of ${of} bad runs`,
    silentUntil: 'Silent until',
    /** Who has snoozed it. */
    by: (who: string) => `by ${who}`,
    tellsThen: (names: readonly string[], misses: number) =>
      `tells ${someNames(names) || 'nobody'} if ${conditionWords(misses)}`,
    again: (names: readonly string[]) => `tells ${someNames(names)} again`,
    // biome-ignore lint/suspicious/noThenProperty: it is the name of an event, and nobody waits for these words.
    then: (names: readonly string[]) => `then tells ${someNames(names)}`,
    answerEnds: {
      acknowledged: 'the acknowledgement ends',
      snoozed: 'the snooze ends',
      quiet: 'the quiet time ends',
      held: 'the wait ends',
      waiting: 'the wait ends',
    },
    runningNow: 'running now',
    moreTags: (count: number) => `+${count}`,
  },
  menu: {
    open: 'Open',
    edit: 'Edit',
    copyUrl: 'Copy ping URL',
    ping: 'Send a ping…',
    select: 'Select',
  },
  done: {
    copied: 'Ping URL copied',
    noUrl: 'This check has no slug, or its project no ping key. Its page says more.',
    notCopied: 'The browser does not let us copy. Open the check and select the URL.',
    acknowledgedMany: (count: number) => `${plural(count, 'check', 'checks')} acknowledged`,
    takenBackMany: (count: number) => `Nobody has ${plural(count, 'check', 'checks')} now`,
    snoozedMany: (count: number) => `${plural(count, 'check', 'checks')} snoozed`,
    snoozeEndedMany: (count: number) => `${plural(count, 'check is', 'checks are')} no longer snoozed`,
    pausedMany: (count: number) => `${plural(count, 'check', 'checks')} paused`,
    pauseUndoneMany: (count: number) => `${plural(count, 'check is', 'checks are')} as before the pause`,
    resumedMany: (count: number) => `${plural(count, 'check', 'checks')} resumed`,
    taggedMany: (count: number) => `${plural(count, 'check', 'checks')} tagged`,
    untaggedMany: (count: number) => `Tag removed from ${plural(count, 'check', 'checks')}`,
    toldByMany: (count: number) => `Saved when to tell ${plural(count, 'check', 'checks')}`,
    assignedMany: (count: number) => `${plural(count, 'check', 'checks')} assigned`,
    unassignedMany: (count: number) => `${plural(count, 'check', 'checks')} no longer assigned`,
    movedMany: (count: number) => `${plural(count, 'check', 'checks')} moved`,
    restoredMany: (count: number) => `${plural(count, 'check', 'checks')} restored`,
    deletedMany: (count: number) => `${plural(count, 'check', 'checks')} deleted`,
    failedMany: (done: number, failed: number, reason: string) => `${done} done, ${failed} failed: ${reason}`,
  },
  bulk: {
    label: 'Selected checks',
    begin: 'Select checks',
    /** For phones, where a tap on a row selects it meanwhile. */
    hint: 'Tap the checks that you mean.',
    end: 'Done',
    selected: (count: number) => `${count} selected`,
    selectAll: (count: number) => `Select all ${count}`,
    none: 'Select none',
    tag: 'Tag',
    snooze: (count: number) => `Snooze ${plural(count, 'check', 'checks')}`,
    quietTime: 'Quiet time…',
    integrations: 'Integrations',
    move: 'Move',
    moveTitle: (count: number, project: string) => `Move ${plural(count, 'check', 'checks')} to ${project}?`,
    moveGo: (count: number) => `Move ${plural(count, 'check', 'checks')}`,
    delete: 'Delete',
    whenToTell: (count: number) => `When to tell ${plural(count, 'check', 'checks')}`,
    tagTitle: (count: number) => `Tag ${plural(count, 'check', 'checks')}`,
    tagLabel: 'Tag',
    tagAdd: 'Add the tag',
    tagRemove: 'Remove the tag',
    assign: (name: string) => `Tell ${name}`,
    unassign: (name: string) => `Do not tell ${name}`,
    deleteTitle: (count: number) => `Delete ${plural(count, 'check', 'checks')}?`,
    deleteLead:
      'Their pings and events go with them. For 7 days they can be restored, in Settings, Deleted checks.',
    deleteGo: (count: number) => `Delete ${plural(count, 'check', 'checks')}`,
  },
  keys: {
    next: 'Next check',
    before: 'Previous check',
    search: 'Filter checks',
    filters: 'Filters',
    status: (status: string) => `Only ${status}`,
    none: 'Select none',
    select: 'Select',
    edit: 'Edit',
    pause: 'Pause or resume',
    acknowledge: 'Acknowledge',
    snooze: 'Snooze',
    add: 'Add check',
  },
  moved: (count: number) => `${plural(count, 'row has', 'rows have')} moved`,
  showMoved: 'Show',
  empty: 'No checks yet',
  emptyReadOnly: 'Nobody has added a check to this project yet.',
  failed: 'The list could not be read.',
} as const;
