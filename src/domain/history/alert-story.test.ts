import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Instant, seconds } from '../../lib/instant.ts';
import { type Check, newCheck } from '../check/check.ts';
import { ALWAYS_WATCHED } from '../check/occurrences.ts';
import { DEFAULT_CONFIG } from '../check/settings.ts';
import { agentOfPerson } from '../ping/hand-ping.ts';
import { NO_RUN_FACTS, type Ping } from '../ping/ping.ts';
import { type ChangeHistory, keptText, storyFrom, tellChange } from './alert-story.ts';
import { sentenceText } from './status-sentence.ts';

const HOUR = seconds(3600);
const NOON: Instant = Date.UTC(2024, 2, 1, 12) * 1000;

function check(overrides: Partial<Check> = {}): Check {
  const identity = { uuid: '5c7e2a10-93b4-4d6f-8a21-0f1e2d3c4b5a', badgeKey: '', projectId: 1, createdAt: 0 };
  const config = { ...DEFAULT_CONFIG, timeoutSeconds: 3600, graceSeconds: 1800 };
  return { ...newCheck(config, identity), id: 1, ...overrides };
}

function ping(n: number, createdAt: Instant, signal: Ping['signal'], exitStatus: number | null = null): Ping {
  const sender = { scheme: 'https', method: 'POST', remoteAddr: null, userAgent: '', rid: null };
  return {
    checkId: 1,
    n,
    createdAt,
    occurredAt: null,
    ...NO_RUN_FACTS,
    signal,
    exitStatus,
    bodySize: 0,
    ...sender,
  };
}

function told(history: Pick<ChangeHistory, 'check' | 'flip' | 'pings'> & Partial<ChangeHistory>) {
  const { flip, pings } = history;
  const ping = pings.at(-1) ?? null;
  return tellChange({ fall: null, ping, flips: [flip], ...history });
}

const words = (parts: Parameters<typeof sentenceText>[0], now: Instant) =>
  sentenceText(parts, now, (at) => new Date(at / 1000).toISOString().slice(11, 16));

suite('the story of a change', () => {
  const flip = { createdAt: NOON + 1.5 * HOUR, newStatus: 'down', reason: 'timeout' } as const;
  const pings = [ping(1, NOON - 300_000_000, 'start'), ping(2, NOON, 'success')];

  test('names the person who sent the last ping from a page', () => {
    const byHand = { ...ping(3, NOON + HOUR, 'success'), userAgent: agentOfPerson('alice@example.org') };
    const up = { createdAt: NOON + HOUR, newStatus: 'up', reason: '' } as const;

    const { lastPing } = told({ check: check({ status: 'up' }), flip: up, pings: [...pings, byHand] });

    assert.equal(lastPing?.sentBy, 'alice@example.org');
    assert.equal(told({ check: check(), flip, pings }).lastPing?.sentBy, undefined);
  });

  test('is told as it was, whatever has happened to the check since', () => {
    const then = told({
      check: check({ status: 'down', lastPingAt: NOON, lastFlipAt: flip.createdAt }),
      flip,
      pings,
    });
    const later = check({ status: 'up', lastPingAt: NOON + 9 * HOUR, lastStartAt: NOON + 9 * HOUR });

    assert.deepEqual(told({ check: later, flip, pings }), then);
    assert.equal(
      words(then.sentence, flip.createdAt),
      'Down since 13:30 · no ping for 1 h 30 min (expected every hour)',
    );
    assert.deepEqual([then.dueAt, then.lastPing?.duration], [NOON + HOUR, seconds(300)]);
    assert.deepEqual(then.runs, ['ok', 'missed']);
  });

  test('of the end of an outage tells when it began and why', () => {
    const fall = { createdAt: NOON, newStatus: 'down', reason: 'fail' } as const;
    const rise = { createdAt: NOON + HOUR, newStatus: 'up', reason: '' } as const;
    const story = told({
      check: check({ status: 'up', lastPingAt: NOON + HOUR }),
      flip: rise,
      fall,
      flips: [fall, rise],
      pings: [ping(1, NOON, 'fail', 2), ping(2, NOON + HOUR, 'success')],
    });

    assert.deepEqual([story.outage?.from, story.outage?.missed], [NOON, 0]);
    assert.equal(words(story.outage?.cause?.head ?? [], NOON), 'Exit status 2.');
    assert.equal(story.nextDueAt, NOON + 2 * HOUR);
  });

  suite('of the end of an outage counts the runs that were due and never came', () => {
    const DAY = 24 * HOUR;
    const nightly = { kind: 'cron', schedule: '0 3 * * *', tz: 'UTC' } as const;
    const night = (day: number, minutes = 0): Instant =>
      Date.UTC(2024, 2, day, 3) * 1000 + seconds(60) * minutes;

    function missed(
      config: Partial<Check>,
      fall: { createdAt: Instant; reason: 'timeout' | 'fail' },
      pings: Ping[],
      unwatched = ALWAYS_WATCHED,
    ) {
      const back = pings.at(-1)?.createdAt ?? 0;
      const down = { ...fall, newStatus: 'down' } as const;
      const rise = { createdAt: back, newStatus: 'up', reason: '' } as const;
      const then = check({ status: 'up', lastPingAt: back, ...config });
      return told({ check: then, flip: rise, fall: down, flips: [rise, down], pings, unwatched });
    }

    test('of a schedule', () => {
      const fall = { createdAt: night(2, 30), reason: 'timeout' } as const;
      const story = missed(nightly, fall, [ping(1, night(1, 5), 'success'), ping(2, night(5, 5), 'success')]);

      assert.equal(story.outage?.missed, 3);
      assert.deepEqual(story.runs, ['ok', 'missed', 'missed', 'missed', 'ok']);
    });

    test('of a period', () => {
      const fall = { createdAt: NOON + 1.5 * HOUR, reason: 'timeout' } as const;
      const story = missed({}, fall, [
        ping(1, NOON, 'success'),
        ping(2, NOON + 4 * HOUR + seconds(1200), 'success'),
      ]);

      assert.equal(story.outage?.missed, 3);
    });

    test('after a failure, without the runs that came', () => {
      const fall = { createdAt: night(1, 5), reason: 'fail' } as const;
      const pings = [
        ping(1, night(1, 5), 'fail'),
        ping(2, night(2, 5), 'fail'),
        ping(3, night(5, 5), 'success'),
      ];

      assert.equal(missed(nightly, fall, pings).outage?.missed, 2);
    });

    test('and none if the run was only late', () => {
      const fall = { createdAt: night(2, 30), reason: 'timeout' } as const;
      const pings = [
        ping(1, night(1, 5), 'success'),
        ping(2, night(2, 60), 'start'),
        ping(3, night(2, 90), 'success'),
      ];

      assert.equal(missed(nightly, fall, pings).outage?.missed, 0);
    });

    test('also where a quiet time put the deadline off', () => {
      const hour = { ...nightly, graceSeconds: 3600 };
      const fall = { createdAt: night(2, 180), reason: 'timeout' } as const;
      const pings = [ping(1, night(1, 5), 'success'), ping(2, night(5, 5), 'success')];
      const quiet = [{ from: night(2, 30), until: night(2, 120) }];

      assert.equal(missed(hour, fall, pings, { quiet, blind: [] }).outage?.missed, 3);
    });

    test('also where nobody watched at first', () => {
      const minutely = { ...nightly, schedule: '* * * * *', graceSeconds: 60 };
      const fall = { createdAt: night(2, 15), reason: 'timeout' } as const;
      const pings = [ping(1, night(2, -1), 'success'), ping(2, night(2, 40), 'success')];
      const blind = [{ from: night(2), until: night(2, 10) }];

      assert.equal(missed(minutely, fall, pings, { quiet: [], blind }).outage?.missed, 31);
    });

    test('however many', () => {
      const minutely = { ...nightly, schedule: '* * * * *' };
      const fall = { createdAt: night(1, 31), reason: 'timeout' } as const;
      const [first, last] = [ping(1, night(1), 'success'), ping(2, night(1) + 364 * DAY, 'success')];

      assert.equal(missed(minutely, fall, [first, last]).outage?.missed, 364 * 1_440 - 1);
    });
  });

  test('tells of the last ping when the thing happened that it reports', () => {
    const late = { ...ping(9, NOON, 'success'), occurredAt: NOON - HOUR };
    const { lastPing } = told({
      check: check({ status: 'up' }),
      flip: { ...flip, newStatus: 'up' },
      pings: [late],
    });

    assert.deepEqual([lastPing?.createdAt, lastPing?.occurredAt], [NOON, NOON - HOUR]);
    assert.ok(!('occurredAt' in (told({ check: check(), flip, pings }).lastPing ?? {})));
  });

  test('knows nothing of a late ping that came after the change', () => {
    const known = ping(1, NOON - 3 * HOUR, 'success');
    const now = check({ status: 'up', lastPingAt: NOON - 2 * HOUR });

    assert.equal(
      told({ check: now, flip: { ...flip, reason: 'timeout' }, pings: [known] }).dueAt,
      NOON - 2 * HOUR,
    );
  });

  test('shows the last 20 runs', () => {
    const many = Array.from({ length: 50 }, (_, n) => ping(n + 1, NOON - (50 - n) * seconds(60), 'success'));

    assert.equal(told({ check: check({ status: 'down' }), flip, pings: many }).runs.length, 20);
  });

  test('can be kept as text, and one of another form is not used', () => {
    const story = {
      about: { name: 'Ü', description: '', projectName: '', graceSeconds: 60, tz: null },
      ...told({ check: check({ status: 'down' }), flip, pings }),
      told: [],
      output: null,
    };

    assert.deepEqual(storyFrom(keptText(story)), story);
    assert.equal(storyFrom('{"form":0,"story":{}}'), null);
  });
});
