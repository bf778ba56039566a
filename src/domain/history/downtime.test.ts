import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { fromTemporal, type Instant, type Micros, seconds } from '../../lib/instant.ts';
import type { StoredStatus } from '../check/check.ts';
import type { Flip } from '../check/flip.ts';
import { periodStarts } from '../people/report.ts';
import { type Downtime, downtimes, longestOutage, type TimeSpan, uptimes } from './downtime.ts';

const HOUR = seconds(3600);
const DAY = 24 * HOUR;
const NONE: Downtime = { duration: 0, count: 0 };

function instant(text: string): Instant {
  return fromTemporal(Temporal.Instant.from(text));
}

const NOW = instant('2020-01-15T00:00:00Z');
const CREATED = instant('2019-01-01T00:00:00Z');

type StatusChange = [at: string, oldStatus: StoredStatus];

interface History {
  readonly status: StoredStatus;
  readonly changes: readonly StatusChange[];
  readonly createdAt?: Instant;
  readonly blind?: readonly TimeSpan[];
}

/** January so far, December and November. */
function months(history: History, timeZone = 'UTC', now = NOW): (Downtime | null)[] {
  return between(periodStarts('monthly', timeZone, now, 2), history, now);
}

function between(boundaries: readonly Instant[], history: History, now = NOW): (Downtime | null)[] {
  const { status, changes, createdAt = CREATED, blind = [] } = history;
  return downtimes(boundaries, { status, createdAt }, changes.map(toFlip), blind, now);
}

function toFlip([at, oldStatus]: StatusChange, id: number): Pick<Flip, 'id' | 'createdAt' | 'oldStatus'> {
  return { id, createdAt: instant(at), oldStatus };
}

function once(duration: Micros): Downtime {
  return { duration, count: 1 };
}

suite('downtime of months', () => {
  test('a check that is down since yesterday was down for a day, once', () => {
    const down = months({ status: 'down', changes: [['2020-01-14T00:00:00Z', 'up']] });

    assert.deepEqual(down, [once(seconds(86_400)), NONE, NONE]);
  });

  test('an outage that spans months counts once in each', () => {
    const down = months({ status: 'down', changes: [['2019-11-15T00:00:00Z', 'up']] });

    assert.deepEqual(down, [once(14 * DAY), once(31 * DAY), once(16 * DAY)]);
  });

  test('a check that came as one that is down counts as down from then on', () => {
    const createdAt = instant('2020-01-13T00:00:00Z');

    assert.deepEqual(months({ status: 'down', changes: [], createdAt }), [once(2 * DAY), null, null]);
    assert.deepEqual(months({ status: 'up', changes: [['2020-01-14T00:00:00Z', 'down']], createdAt }), [
      once(DAY),
      null,
      null,
    ]);
  });

  test('months are those of the zone', () => {
    const down = months({ status: 'down', changes: [['2019-12-31T23:00:00Z', 'up']] }, 'Europe/Riga');

    assert.deepEqual(down, [once(14 * DAY + HOUR), NONE, NONE]);
  });

  test('a flip near midnight falls into the month of the zone, east and west of Greenwich', () => {
    const evening: History = {
      status: 'up',
      changes: [
        ['2019-12-31T23:00:00Z', 'up'],
        ['2019-12-31T23:30:00Z', 'down'],
      ],
    };
    const morning: History = {
      status: 'up',
      changes: [
        ['2020-01-01T03:00:00Z', 'up'],
        ['2020-01-01T03:30:00Z', 'down'],
      ],
    };

    assert.deepEqual(months(evening, 'Europe/Riga'), [once(HOUR / 2), NONE, NONE]);
    assert.deepEqual(months(evening, 'UTC'), [NONE, once(HOUR / 2), NONE]);
    assert.deepEqual(months(morning, 'America/New_York'), [NONE, once(HOUR / 2), NONE]);
    assert.deepEqual(months(morning, 'UTC'), [once(HOUR / 2), NONE, NONE]);
  });

  for (const [month, now, length] of [
    ['2020-03', '2020-04-10T00:00:00Z', 31 * DAY - HOUR],
    ['2020-10', '2020-11-10T00:00:00Z', 31 * DAY + HOUR],
  ] as const) {
    test(`down throughout ${month}, when clocks change, is downtime of exactly the length of the month`, () => {
      const [, down] = months({ status: 'down', changes: [] }, 'Europe/Riga', instant(now));

      assert.deepEqual(down, once(length));
    });
  }

  test('paused and new time is not downtime', () => {
    const down = months({
      status: 'new',
      changes: [
        ['2019-12-10T00:00:00Z', 'up'],
        ['2019-12-11T00:00:00Z', 'down'],
        ['2019-12-20T00:00:00Z', 'paused'],
      ],
    });

    assert.deepEqual(down, [NONE, once(DAY), NONE]);
    assert.deepEqual(months({ status: 'paused', changes: [] }), [NONE, NONE, NONE]);
  });

  test('time before the oldest flip takes the status that it ended', () => {
    const down = months({ status: 'up', changes: [['2019-11-02T00:00:00Z', 'down']] });

    assert.deepEqual(down, [NONE, NONE, once(DAY)]);
  });
});

suite('downtime of intervals', () => {
  test('there is no data of the time before the check existed', () => {
    const december: History = { status: 'up', changes: [], createdAt: instant('2019-12-31T23:59:59Z') };
    const newYear: History = { status: 'up', changes: [], createdAt: instant('2020-01-01T00:00:00Z') };
    const january: History = { status: 'up', changes: [], createdAt: instant('2020-01-01T00:00:01Z') };

    assert.deepEqual(months(december), [NONE, NONE, null]);
    assert.deepEqual(months(newYear), [NONE, NONE, null]);
    assert.deepEqual(months(january), [NONE, null, null]);
  });

  test('each outage counts', () => {
    const down = months({
      status: 'up',
      changes: [
        ['2020-01-02T00:00:00Z', 'up'],
        ['2020-01-02T01:00:00Z', 'down'],
        ['2020-01-03T00:00:00Z', 'up'],
        ['2020-01-03T02:00:00Z', 'down'],
      ],
    });

    assert.deepEqual(down[0], { duration: 3 * HOUR, count: 2 });
  });

  test('an outage that ends with an interval does not count in the next one', () => {
    const down = months({
      status: 'up',
      changes: [
        ['2019-12-31T00:00:00Z', 'up'],
        ['2020-01-01T00:00:00Z', 'down'],
      ],
    });

    assert.deepEqual(down, [NONE, once(DAY), NONE]);
  });

  test('an outage that begins with an interval does not count in the one before', () => {
    const down = months({ status: 'down', changes: [['2020-01-01T00:00:00Z', 'up']] });

    assert.deepEqual(down, [once(14 * DAY), NONE, NONE]);
  });

  test('an outage without length counts, wherever it is', () => {
    for (const at of ['2020-01-05T00:00:00Z', '2020-01-01T00:00:00Z', '2020-01-15T00:00:00Z']) {
      const down = months({
        status: 'up',
        changes: [
          [at, 'up'],
          [at, 'down'],
        ],
      });

      assert.deepEqual(down, [once(0), NONE, NONE]);
    }
  });

  test('the order in which flips are given does not matter', () => {
    const changes: StatusChange[] = [
      ['2020-01-02T00:00:00Z', 'up'],
      ['2020-01-02T01:00:00Z', 'down'],
    ];
    const flips = changes.map(toFlip);
    const boundaries = periodStarts('monthly', 'UTC', NOW, 2);
    const check = { status: 'up', createdAt: CREATED } as const;

    assert.deepEqual(
      downtimes(boundaries, check, flips.toReversed(), [], NOW),
      downtimes(boundaries, check, flips, [], NOW),
    );
  });

  test('a clock that is behind the last flip makes no time negative', () => {
    const down = months({ status: 'down', changes: [['2020-01-15T00:01:00Z', 'up']] });

    assert.deepEqual(down, [once(0), NONE, NONE]);
  });
});

suite('time in which nobody watched', () => {
  const outage: History = {
    status: 'up',
    changes: [
      ['2020-01-02T00:00:00Z', 'up'],
      ['2020-01-02T10:00:00Z', 'down'],
    ],
  };
  function blind(from: string, until: string): TimeSpan {
    return { from: instant(`2020-01-02T${from}Z`), until: instant(`2020-01-02T${until}Z`) };
  }

  test('is no downtime, but the outage counts', () => {
    const [down] = months({ ...outage, blind: [blind('02:00:00', '05:00:00')] });

    assert.deepEqual(down, once(7 * HOUR));
  });

  test('is taken off once where spans overlap or touch', () => {
    const [down] = months({
      ...outage,
      blind: [
        blind('04:00:00', '05:00:00'),
        blind('02:00:00', '04:00:00'),
        blind('02:30:00', '03:00:00'),
        blind('09:00:00', '12:00:00'),
      ],
    });

    assert.deepEqual(down, once(6 * HOUR));
  });

  test('leaves an outage that nobody watched without length', () => {
    const [down] = months({
      ...outage,
      blind: [{ from: instant('2020-01-01T12:00:00Z'), until: instant('2020-01-03T12:00:00Z') }],
    });

    assert.deepEqual(down, once(0));
  });
});

suite('the longest outage', () => {
  const SPAN = { from: instant('2019-12-01T00:00:00Z'), until: instant('2020-01-01T00:00:00Z') };
  const longest = ({ status, changes, blind = [] }: History) =>
    longestOutage(SPAN, { status, createdAt: CREATED }, changes.map(toFlip), blind, NOW);

  test('is told with its start, cut to the span', () => {
    const changes: StatusChange[] = [
      ['2019-12-08T00:00:00Z', 'up'],
      ['2019-12-08T01:00:00Z', 'down'],
      ['2019-12-31T00:00:00Z', 'up'],
      ['2020-01-14T00:00:00Z', 'down'],
    ];

    assert.deepEqual(longest({ status: 'up', changes }), {
      from: instant('2019-12-31T00:00:00Z'),
      duration: DAY,
    });
  });

  test('begins when the check came, if it was down then', () => {
    const createdAt = instant('2019-12-30T00:00:00Z');
    const check = { status: 'down', createdAt } as const;

    assert.deepEqual(longestOutage(SPAN, check, [], [], NOW), { from: createdAt, duration: 2 * DAY });
  });

  test('is none where nothing was down, and time without a watch does not count', () => {
    const changes: StatusChange[] = [
      ['2019-12-08T00:00:00Z', 'up'],
      ['2019-12-08T01:00:00Z', 'down'],
    ];
    const blind = [{ from: instant('2019-12-08T00:00:00Z'), until: instant('2019-12-08T01:00:00Z') }];

    assert.equal(longest({ status: 'up', changes: [] }), null);
    assert.equal(longest({ status: 'up', changes, blind }), null);
  });
});

test('uptime is the share of the watched time since the check existed', () => {
  const boundaries = [
    instant('2020-01-11T00:00:00Z'),
    instant('2020-01-01T00:00:00Z'),
    instant('2019-12-22T00:00:00Z'),
  ];
  const createdAt = instant('2019-12-27T00:00:00Z');

  const now = instant('2020-01-16T00:00:00Z');
  const downs = [once(DAY), once(DAY), once(DAY)];
  const off = [{ from: instant('2020-01-02T00:00:00Z'), until: instant('2020-01-07T00:00:00Z') }];

  const check = { status: 'up', createdAt } as const;

  assert.deepEqual(uptimes(boundaries, check, [], downs, [], now), [0.8, 0.9, 0.8]);
  assert.deepEqual(uptimes(boundaries, check, [], downs, off, now), [0.8, 0.8, 0.8]);
  const paused = [
    { id: 1, createdAt: instant('2020-01-02T00:00:00Z'), oldStatus: 'up' },
    { id: 2, createdAt: instant('2020-01-07T00:00:00Z'), oldStatus: 'paused' },
  ] as const;
  assert.deepEqual(uptimes(boundaries, check, paused, downs, [], now), [0.8, 0.8, 0.8]);
  const none = [NONE, null, null];
  assert.deepEqual(uptimes(boundaries, { ...check, createdAt: now }, [], none, [], now), [null, null, null]);
  assert.deepEqual(uptimes(boundaries, { ...check, status: 'new' }, [], downs, [], now), [null, null, null]);
});
