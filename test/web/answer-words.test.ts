import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { STANDINGS, type Totals } from '../../src/domain/history/standing.ts';
import type { SentenceJson, SinceJson } from '../../src/views/board-json.ts';
import { m } from '../../web/messages/index.ts';
import {
  calmWords,
  fineWords,
  headlineParts,
  missingParts,
  notReachedParts,
  recoveredParts,
  sinceOver,
  sinceParts,
  type ToldSummary,
  togetherWords,
  toldWords,
  waitingParts,
} from '../../web/pages/checks/answer-words.ts';

/** With times of day in UTC. */
const text = (parts: SentenceJson) =>
  parts.map((part) => (typeof part === 'string' ? part : 'at' in part ? part.at.slice(11, 16) : '')).join('');

const at = (time: string) => `2024-03-01T${time}:00+00:00`;

type Named = readonly (readonly [name: string, time: string])[];

const since = (trouble: SinceJson['trouble'], checks: Named): SinceJson => ({
  trouble,
  count: checks.length,
  first: at(checks[0]?.[1] ?? ''),
  last: at(checks.at(-1)?.[1] ?? ''),
  some: checks.slice(0, 3).map(([name, time]) => ({ name, since: at(time), by: null })),
});

const some = (...names: string[]) => ({
  count: names.length,
  some: names.slice(0, 3).map((name) => ({ key: name, name })),
});

suite('the answer says since when', () => {
  const down = since('down', [['backup', '22:40']]);
  const late = since('late', [
    ['feed', '22:11'],
    ['index', '22:30'],
  ]);
  const many = since('late', [
    ['a', '22:11'],
    ['b', '22:12'],
    ['c', '22:13'],
    ['d', '22:30'],
  ]);

  test('few checks are down and late, each by its name', () => {
    assert.equal(
      text(sinceParts([down, late])),
      'backup has been down since 22:40. feed has been late since 22:11, index since 22:30.',
    );
    assert.equal(
      text(
        sinceParts([
          since('down', [
            ['a', '22:40'],
            ['b', '22:40'],
          ]),
        ]),
      ),
      'a and b have been down since 22:40.',
    );
    assert.equal(
      text(
        sinceParts([
          since('never_came', [
            ['first', '08:00'],
            ['', '09:00'],
          ]),
        ]),
      ),
      'first should have sent its first ping by 08:00, unnamed by 09:00.',
    );
    assert.equal(text(sinceParts([])), '');
  });

  test('many are, the first and the latest', () => {
    assert.equal(
      text(sinceParts([down, many])),
      'backup has been down since 22:40. Late since 22:11, the latest since 22:30.',
    );
    assert.equal(
      text(sinceParts([down, late], false)),
      'Down since 22:40. Late since 22:11, the latest since 22:30.',
    );
  });

  test('checks of several projects are', () => {
    const other = since('down', [
      ['one', '21:05'],
      ['two', '23:00'],
    ]);
    assert.equal(
      text(sinceParts(sinceOver([down, other]))),
      'one has been down since 21:05, backup since 22:40, two since 23:00.',
    );
    assert.equal(
      text(sinceParts(sinceOver([down, other, other]))),
      'Down since 21:05, the latest since 23:00.',
    );
  });
});

suite('the answer says who was told', () => {
  const retrying = {
    channel: 'On-call',
    state: 'retrying',
    next: at('21:22'),
    checks: some('backup'),
  } as const;
  const told: ToldSummary = {
    reached: [{ channels: ['Alice', '#ops'], checks: some('backup') }],
    missing: [],
    looked: 1,
    unassigned: some(),
    unsent: some(),
  };
  const words = (summary: Partial<ToldSummary>, down: number, troubled = down) =>
    toldWords({ ...told, looked: Math.min(down, 3), ...summary }, { down, troubled }, (uuid) => uuid);

  test('by name, and of which checks unless these are all', () => {
    assert.equal(words({}, 1), 'Alice and #ops were told.');
    assert.equal(words({}, 1, 3), 'Alice and #ops were told of backup.');
    assert.equal(words({ missing: [retrying] }, 2), 'Alice and #ops were told of backup.');
    const reached = [{ channels: ['Alice'], checks: some('a', 'b', 'c', 'd') }];
    assert.equal(words({ reached, looked: 5 }, 5), 'Alice was told of a, b and 2 more.');
    assert.equal(words({ reached, looked: 4 }, 4, 5), 'Alice was told of all 4 that are down.');
    assert.equal(words({ reached, looked: 4 }, 60, 61), 'Alice was told of the 4 that went down last.');
    const two = { channels: ['Alice'], checks: some('a', 'b') };
    assert.equal(words({ reached: [two] }, 2, 5), 'Alice was told of both that are down.');
  });

  test('each of what they were told of', () => {
    const alice = { channels: ['Alice'], checks: some('a', 'b') };
    const ops = { channels: ['#ops', 'Mail'], checks: some('c') };
    assert.equal(
      words({ reached: [alice, ops] }, 3),
      'Alice was told of a and b. #ops and Mail were told of c.',
    );
    const onCall = { channels: ['On-call'], checks: some('a') };
    assert.equal(
      words({ reached: [alice, ops, onCall] }, 3),
      'Alice, #ops and 2 more were told, each of some: the rows say of which.',
    );
  });

  test('and that nobody was, unless that was said', () => {
    const nobody = { reached: [] };
    assert.equal(words(nobody, 3), 'Nobody has been told yet.');
    assert.equal(words({ ...nobody, unassigned: some('x') }, 1), '');
  });

  test('and who was not reached, for which check, and what comes', () => {
    assert.equal(
      text(missingParts(retrying, 'On-call', 2)),
      'Not reached: On-call, for backup; next try 21:22.',
    );
    assert.equal(text(missingParts(retrying, 'On-call', 1)), 'Not reached: On-call; next try 21:22.');
    assert.equal(
      text(missingParts({ ...retrying, state: 'given_up', next: null }, 'On-call', 1)),
      'Not reached: On-call; given up.',
    );
  });

  test('and names checks of which nobody is', () => {
    const { unassigned, untold } = m.checks.answer;
    assert.equal(unassigned(['backup'], 1), 'Nobody is told of backup.');
    assert.equal(unassigned(['a', 'b', 'c'], 5), 'Nobody is told of a, b and 3 more.');
    assert.equal(untold(['a'], 1, 1), 'Nobody is told if it goes down.');
    assert.equal(untold(['a', 'b'], 2, 5), 'Nobody is told if a and b go down.');
  });
});

suite('checks that recovered are told', () => {
  const outage = (name: string, from: string | null, until: string) => ({
    name,
    from: from && at(from),
    until: at(until),
  });

  test('in the answer by name, with when they were down', () => {
    const one = outage('playlist', '16:36', '18:11');
    const two = outage('feed', null, '10:02');
    assert.equal(
      text(recoveredParts({ count: 1, some: [one] })),
      'playlist was down from 16:36 to 18:11 and is up again.',
    );
    assert.equal(
      text(recoveredParts({ count: 2, some: [two, one] })),
      'feed was down until 10:02, playlist from 16:36 to 18:11. They are up again.',
    );
    assert.equal(
      text(recoveredParts({ count: 5, some: [one, one, one] })),
      '5 checks were down in the last 12 hours and are up again.',
    );
  });

  test('with who was told of what', () => {
    const { toldOf } = m.checks.row;
    const both = { name: 'Alice', of: 'both' } as const;
    assert.equal(toldOf([]), 'Nobody was told.');
    assert.equal(toldOf([both]), 'Alice was told of the outage and of its end.');
    assert.equal(
      toldOf([both, { name: '#ops', of: 'both' }, { name: 'On-call', of: 'fall' }]),
      'Alice and #ops were told of the outage and of its end, On-call of the outage only.',
    );
    assert.equal(toldOf([{ name: 'Alice', of: 'recovery' }]), 'Alice was told of its end only.');
  });
});

suite('a destination that was not reached', () => {
  const told = {
    channel: 'x',
    tries: 4,
    tried: at('22:49'),
    error: 'Received status code 503',
    next: null,
    at: null,
  } as const;

  test('says how often it was tried, why it failed and what comes', () => {
    const retrying = { ...told, state: 'retrying', next: at('22:53') } as const;
    assert.equal(
      text(notReachedParts(retrying, 'On-call')),
      'On-call, 4 tries, last 22:49, answered 503; next 22:53',
    );
    const over = { ...told, state: 'given_up', at: at('14:10') } as const;
    assert.equal(text(notReachedParts(over, 'On-call')), 'On-call, 4 tries, given up 14:10, answered 503');
  });
});

suite('the headline', () => {
  const totals = (counts: Partial<Totals>): Totals => ({
    // Each of them is a key.
    ...(Object.fromEntries(STANDINGS.map((standing) => [standing, 0])) as Totals),
    ...counts,
  });
  const headline = (counts: Partial<Totals>, untold = 0) =>
    [...headlineParts(totals(counts), untold).map(({ words }) => words), calmWords(totals(counts))]
      .filter(Boolean)
      .join(' ');

  test('counts as down what nobody has, and then what somebody has', () => {
    assert.equal(
      headline({ down: 2, acknowledged: 1, late: 1, fine: 9, silent: 2 }),
      '2 down, 1 acknowledged, 1 late. 9 fine, 2 silent on purpose.',
    );
    assert.equal(headline({ acknowledged: 1, fine: 14 }), '1 acknowledged. 14 fine.');
  });

  test('tells which checks are down only because of others', () => {
    assert.equal(headline({ down: 1, held: 3 }), '1 down, and 3 that depend on it.');
    assert.equal(headline({ down: 2, held: 1, late: 1 }), '2 down, 1 that depends on them, 1 late.');
    assert.equal(headline({ acknowledged: 1, held: 3 }), '1 acknowledged, and 3 that depend on it.');
    assert.equal(headline({ held: 1 }), '1 that depends on others.');
  });

  test('says that nobody was told yet', () => {
    assert.equal(headline({ down: 1 }, 1), '1 down, not told yet.');
    assert.equal(headline({ down: 3, late: 1 }, 2), '3 down, 2 of them not told yet, 1 late.');
  });

  test('calls all fine that somebody wants to hear of', () => {
    const silent = totals({ fine: 12, silent: 3 });
    assert.equal(fineWords(silent), 'All 12 are fine.');
    assert.equal(calmWords({ ...silent, fine: 0 }), '3 silent on purpose.');
    assert.equal(fineWords(totals({ fine: 12, new: 1 })), '12 are fine.');
  });

  test('is followed by who has what, and by what an untold outage waits for', () => {
    const taken = { ...since('acknowledged', [['db-backup', '03:12']]) };
    const some = taken.some.map((one) => ({ ...one, by: 'Anna' }));
    assert.equal(text(sinceParts([{ ...taken, some }])), 'Anna has db-backup since 03:12.');
    const phones = ['a phone with ntfy ops', 'anna@example.org'].map((by) =>
      text(sinceParts([{ ...taken, some: taken.some.map((one) => ({ ...one, by })) }])),
    );
    assert.deepEqual(phones, [
      'A phone with ntfy ops has db-backup since 03:12.',
      'anna@example.org has db-backup since 03:12.',
    ]);
    const many = since('acknowledged', [
      ['a', '03:12'],
      ['b', '03:15'],
      ['c', '03:20'],
      ['d', '03:25'],
    ]);
    assert.equal(text(sinceParts([many])), 'Acknowledged since 03:12, the latest since 03:25.');
    const waits = {
      name: 'db',
      words: ['told ', { at: at('04:15'), as: 'clock' }, ' if it is still down'],
      more: [],
    } as const;
    const counts = {
      name: 'db',
      words: ['first of 2 bad runs'],
      more: ['Told ', { at: at('04:00'), as: 'clock' }, ' if the next is missed, too'],
    } as const;
    assert.equal(
      text(waitingParts([counts], 1)),
      'First of 2 bad runs. Told 04:00 if the next is missed, too.',
    );
    assert.equal(text(waitingParts([waits], 1)), 'Told 04:15 if it is still down.');
    assert.equal(text(waitingParts([waits], 2)), 'db: told 04:15 if it is still down.');
  });
});

test('checks that broke together are told together', () => {
  const lane = { key: null, name: '', tag: null, by: null, since: at('20:47'), next: null } as const;
  assert.equal(
    togetherWords({ ...lane, count: 3, tag: 'cranes', status: 'down', sinceUntil: at('20:49') }),
    '3 checks tagged cranes went down within 2 minutes.',
  );
  assert.equal(
    togetherWords({ ...lane, count: 4, status: 'late', sinceUntil: at('20:47') }),
    '4 checks became late within a minute.',
  );
});

test('the reason of a failed message is part of the sentence', () => {
  const { error } = m.checks.row;
  assert.equal(error('Received status code 503'), 'answered 503');
  assert.equal(error('Connection timed out'), 'Connection timed out');
});

test('whom a check tells when it goes down is named', () => {
  const { goesDown } = m.checks.row;
  assert.equal(goesDown([]), 'goes Down and tells nobody');
  assert.equal(goesDown(['Ops', 'Mail']), 'goes Down and tells Ops and Mail');
  assert.equal(goesDown(['Ops', 'Mail', 'a', 'b', 'c']), 'goes Down and tells Ops, Mail and 3 more');
});
