import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Instant } from '../../lib/instant.ts';
import { aCheck, at, DAY, HOUR, MINUTE } from '../check/check.test-support.ts';
import type { Check } from '../check/check.ts';
import type { Answer } from './answer.ts';
import type { Run } from './run.ts';
import { type SentencePart, type StatusFacts, sentenceText, tellStatus } from './status-sentence.ts';

const NOW = at('2024-03-01T05:14Z');

const clockText = (instant: Instant) => new Date(instant / 1000).toISOString().slice(11, 16);
const text = (parts: readonly SentencePart[]) => sentenceText(parts, NOW, clockText);

function told(check: Partial<Check>, facts: Partial<StatusFacts> = {}) {
  const story = tellStatus({ check: aCheck(check), flip: null, runs: [], now: NOW, ...facts });
  const cause = story.cause && [text(story.cause.head), text(story.cause.rest)].filter(Boolean).join(' ');
  return { ...story, text: text(story.sentence), cause };
}

function aRun(run: Partial<Run>): Run {
  return {
    result: 'ok',
    at: NOW,
    startedAt: null,
    endedAt: NOW,
    duration: null,
    startN: null,
    endN: 1,
    exitStatus: null,
    expectedAt: null,
    count: 0,
    listed: [],
    ...run,
  };
}

const downBy = (reason: '' | 'timeout' | 'fail', time: string) => ({
  flip: { createdAt: at(`2024-03-01T${time}Z`), newStatus: 'down' as const, reason },
});

const DAILY = { kind: 'cron', schedule: '0 3 * * *', graceSeconds: 1800 } as const;

suite('the status sentence', () => {
  test('of a check that is up says when it pinged and when it has to', () => {
    const { text, state, cause } = told({ status: 'up', timeoutSeconds: 300, lastPingAt: NOW - 4 * MINUTE });
    assert.equal(text, 'Up · last ping 4 min ago (every 5 minutes) · next by 05:15');
    assert.equal(state, 'up');
    assert.equal(cause, null);
  });

  test('of a running check says how long, and how long it may take', () => {
    const check = { status: 'up', lastPingAt: NOW - HOUR, lastStartAt: NOW - 4 * MINUTE } as const;
    const { text, state, isSlow } = told(
      { ...check, graceSeconds: 1800 },
      { runs: [aRun({ duration: 7 * MINUTE })] },
    );
    assert.equal(text, 'Running for 4 min (usually 7 min) · must finish by 05:40');
    assert.equal(state, 'running');
    assert.equal(isSlow, false);
  });

  test('of a run that is slow says by when it must finish', () => {
    const check = { status: 'up', lastPingAt: NOW - HOUR, lastStartAt: NOW - 43 * MINUTE } as const;
    const { cause, isSlow } = told(check, { runs: [aRun({ duration: 12 * MINUTE })] });
    assert.equal(isSlow, true);
    assert.equal(cause, 'Running for 43 min, usually 12 min; must finish by 05:31.');
  });

  test('of a late check says when it goes down', () => {
    const { text, state, cause } = told({
      status: 'up',
      timeoutSeconds: 43_200,
      lastPingAt: at('2024-02-29T17:00Z'),
    });
    assert.equal(text, 'Late since 05:00 · goes down at 06:00 unless it pings');
    assert.equal(state, 'late');
    assert.equal(cause, 'No ping since 17:00. Still within grace: nobody has been told yet.');
  });

  test('of a late check whose run is open says how long it runs, since a start is a ping', () => {
    const check = { status: 'up', timeoutSeconds: 43_200, lastPingAt: at('2024-02-29T17:00Z') } as const;
    const { text, state, cause } = told(
      { ...check, lastStartAt: NOW - 9 * MINUTE },
      { runs: [aRun({ duration: 4 * MINUTE })] },
    );
    assert.equal(text, 'Late since 05:00 · must finish by 06:00 · running for 9 min');
    assert.equal(state, 'late');
    assert.equal(
      cause,
      'Running for 9 min, usually 4 min. Should have finished by 05:00; goes Down at 06:00. Nobody has been told yet.',
    );
  });

  test('of a check that is down by silence says how long it has been silent', () => {
    const check = { ...DAILY, status: 'down', lastPingAt: NOW - 26 * HOUR } as const;
    const { text, cause } = told(check, downBy('timeout', '03:30'));
    assert.equal(text, 'Down since 03:30 · no ping for 26 h (expected every day at 03:00, UTC)');
    assert.equal(cause, 'No ping for 26 h. It was due 03:00; 30 min of grace ran out at 03:30.');
  });

  test('of a check that came here late says when its grace time was over', () => {
    const check = { ...DAILY, status: 'down', lastPingAt: NOW - 26 * HOUR } as const;
    const { text, cause } = told(check, downBy('timeout', '05:00'));
    assert.equal(text, 'Down since 05:00 · no ping for 26 h (expected every day at 03:00, UTC)');
    assert.equal(cause, 'No ping for 26 h. It was due 03:00; 30 min of grace ran out at 03:30.');
  });

  test('of a check that came here down says no more than is known', () => {
    const cameAt = at('2024-03-01T05:00Z');
    const check = { ...DAILY, status: 'down', createdAt: cameAt, lastFlipAt: cameAt } as const;
    const { text, cause, since } = told({ ...check, lastPingAt: NOW - HOUR });
    assert.equal(text, 'Down since before 05:00 · it was down when it came here from another server');
    assert.equal(cause, 'It was down when it came here from another server. Its last ping was 1 h ago.');
    assert.equal(since, cameAt);
    assert.equal(
      told({ ...check, lastPingAt: null }).cause,
      'It was down when it came here from another server.',
    );
  });

  test('says so before the deadline loop has noticed', () => {
    const { text } = told({ ...DAILY, status: 'up', lastPingAt: NOW - 26 * HOUR });
    assert.equal(text, 'Down since 03:30 · no ping for 26 h (expected every day at 03:00, UTC)');
  });

  test('has the zone of a schedule beside its words, for readers elsewhere', () => {
    const check = { ...DAILY, tz: 'Europe/Berlin', lastPingAt: at('2024-03-01T02:00Z') } as const;
    const up = told({ ...check, status: 'up' });
    const down = told({ ...check, status: 'down', lastPingAt: NOW - 26 * HOUR }, downBy('timeout', '02:30'));

    const schedule = { schedule: 'every day at 03:00', tz: 'Europe/Berlin' };
    assert.deepEqual([up.sentence.at(4), down.sentence.at(-2)], [schedule, schedule]);
    assert.equal(up.text, 'Up · last ping 3 h 14 min ago (every day at 03:00, Berlin) · next by 02:00');
    assert.equal(down.text, 'Down since 02:30 · no ping for 26 h (expected every day at 03:00, Berlin)');
  });

  test('has no zone beside a schedule that names its own, unless some of its times are in none of them', () => {
    const sentenceOf = (schedule: string) =>
      told(
        { kind: 'oncalendar', schedule, tz: 'Europe/Berlin', status: 'down', lastPingAt: NOW - 26 * HOUR },
        downBy('timeout', '02:30'),
      ).sentence.at(-2);

    assert.deepEqual(sentenceOf('03:00 Europe/Riga'), {
      schedule: 'every day at 03:00 (Europe/Riga)',
      tz: null,
    });
    assert.deepEqual(sentenceOf('03:00\nSat 10:00 UTC'), {
      schedule: 'every day at 03:00; On Saturday at 10:00 (UTC), Berlin',
      tz: null,
    });
  });

  suite('of a check that has failed', () => {
    const check = { ...DAILY, status: 'down', lastPingAt: at('2024-03-01T02:47Z') } as const;
    const failed = (run: Partial<Run>) => ({
      ...downBy('fail', '02:47'),
      runs: [
        aRun({ duration: 31 * MINUTE }),
        aRun({ result: 'failed', at: at('2024-03-01T02:47Z'), endedAt: at('2024-03-01T02:47Z'), ...run }),
      ],
    });

    test('says the exit status', () => {
      const { text, cause } = told(check, failed({ exitStatus: 2, duration: 46 * MINUTE }));
      assert.equal(text, 'Down since 02:47 · exit status 2 after 46 min (usually 31 min)');
      assert.equal(cause, 'Exit status 2 after 46 min (usually 31 min).');
    });

    test('says that there was a signal', () => {
      assert.equal(told(check, failed({})).text, 'Down since 02:47 · failure signal');
    });

    test('says which word made it a failure', () => {
      const { text } = told(check, { ...failed({}), keyword: 'ERROR' });
      assert.equal(text, 'Down since 02:47 · body contained "ERROR"');
    });

    test('says so although its run is no longer stored', () => {
      assert.equal(told(check, downBy('fail', '02:47')).text, 'Down since 02:47 · failure signal');
    });

    test('says so if it was silent before', () => {
      const facts = { ...failed({ exitStatus: 1 }), ...downBy('timeout', '02:40') };
      assert.equal(told(check, facts).text, 'Down since 02:40 · exit status 1');
    });
  });

  test('of a run that took too long says when it began', () => {
    const started = at('2024-03-01T04:10Z');
    const check = { status: 'down', lastPingAt: NOW - DAY, lastStartAt: started, runReported: true } as const;
    const { text, cause } = told(check, downBy('timeout', '05:10'));
    assert.equal(text, 'Down since 05:10 · started 04:10, did not finish within 1 h');
    assert.equal(cause, 'Started 04:10, did not finish within 1 h.');
  });

  test('of a check that an edit took down says that nobody was told', () => {
    const check = { status: 'down', lastPingAt: NOW - DAY } as const;
    const { text } = told(check, { ...downBy('', '04:02'), by: 'alice' });
    assert.equal(text, 'Down since 04:02 · already overdue under the new schedule (alice) · no alert sent');
  });

  test('of a paused check says how it goes on', () => {
    const flip = { createdAt: at('2024-03-01T02:00Z'), newStatus: 'paused' as const, reason: '' as const };
    const manual = told({ status: 'paused', manualResume: true }, { flip, by: 'bob' });
    assert.equal(manual.text, 'Paused since 02:00 by bob · pings do not count');
    const other = told({ status: 'paused' }, { flip });
    assert.equal(other.text, 'Paused since 02:00 · the next ping resumes it');
  });

  test('of a new check says what it waits for', () => {
    const made = { status: 'new', ...DAILY, createdAt: at('2024-03-01T01:00Z') } as const;
    const { text, cause } = told({ ...made, createdAt: at('2024-03-01T04:00Z') });
    assert.equal(text, 'New · waiting for its first ping, expected 03:00');
    assert.equal(cause, null);
    const late = told(made);
    assert.equal(late.text, 'Expected 03:00, never came · waiting for its first ping');
    assert.equal(late.cause, 'Expected 03:00, never came. It has not pinged since it was made.');
    const flip = { createdAt: at('2024-03-01T02:02Z'), newStatus: 'new' as const, reason: '' as const };
    const resumed = told({ status: 'new', pingCount: 3 }, { flip });
    assert.equal(resumed.text, 'Ready · waiting for a ping since 02:02');
  });

  test('of a check that nobody could hear says so', () => {
    const check = { status: 'up', timeoutSeconds: 3600, graceSeconds: 60 } as const;
    const { text, state } = told(
      { ...check, lastPingAt: at('2024-03-01T04:05Z'), excusedUntilAt: at('2024-03-01T05:26Z') },
      { blind: { from: at('2024-03-01T04:50Z'), until: at('2024-03-01T05:10Z') } },
    );
    assert.equal(text, 'Unknown 04:50 to 05:10 · Tocsin could not listen · deadlines moved by 20 min');
    assert.equal(state, 'unknown');
  });

  suite('of an outage that somebody has answered, or that nobody was told of', () => {
    const check = { status: 'down', ...DAILY, lastPingAt: at('2024-02-28T03:02Z') } as const;
    const answered = (answer: Partial<Answer> & Pick<Answer, 'kind'>, facts: Partial<Check> = check) =>
      told(facts, {
        ...downBy('timeout', '03:30'),
        answer: { by: null, at: null, until: null, gate: null, ...answer },
      }).text;
    const [morning, soon] = [at('2024-03-01T08:00Z'), at('2024-03-01T05:20Z')];

    test('names who has acknowledged it, and keeps the cause', () => {
      const taken = { kind: 'acknowledged', by: 'Anna', at: at('2024-03-01T03:52Z') } as const;
      const cause = 'no ping for 2 days 2 h (expected every day at 03:00, UTC)';
      assert.equal(answered(taken), `Down since 03:30, acknowledged by Anna at 03:52 · ${cause}`);
      assert.equal(
        answered({ ...taken, until: morning }),
        `Down since 03:30, acknowledged by Anna at 03:52 until 08:00 · ${cause}`,
      );
    });

    test('says until when it is snoozed, and by whom if that is known', () => {
      assert.equal(
        answered({ kind: 'snoozed', by: 'alice', until: morning }),
        'Down since 03:30, snoozed until 08:00 by alice · alerts held',
      );
      assert.equal(
        answered({ kind: 'snoozed', until: morning }, { status: 'up', timeoutSeconds: 300, lastPingAt: NOW }),
        'Up · last ping a moment ago (every 5 minutes) · next by 05:19 · snoozed until 08:00',
      );
    });

    test('says what it waits for', () => {
      const waits = (gate: Answer['gate'], until: number | null) =>
        answered({ kind: 'waiting', gate, until }).replace('Down since 03:30 · nobody told yet', '');
      assert.equal(waits('wait', soon), ': told 05:20 if it is still down');
      assert.equal(waits('hours', morning), ': told 08:00, when its hours begin');
      assert.equal(waits('bad_runs', null), ': waits for another bad run');
      assert.equal(waits(null, soon), ': told 05:20');
      assert.equal(waits('wait', null), '');
    });

    test('names the check that it waits for', () => {
      const router = { kind: 'held', by: 'router', at: at('2024-03-01T03:30Z') } as const;
      assert.equal(answered(router), 'Down since 03:30 · waits for router, down since 03:30');
      assert.equal(answered({ kind: 'held' }), 'Down since 03:30 · waits for a check that it depends on');
    });

    test('says until when nothing is expected', () => {
      const quiet = { kind: 'quiet', by: 'deploy 412', until: morning } as const;
      assert.equal(answered(quiet), 'Quiet until 08:00 (deploy 412) · nothing is expected');
    });
  });

  test('names the open run of a check that is not up', () => {
    const check = { status: 'down', lastPingAt: NOW - DAY, lastStartAt: NOW - MINUTE } as const;
    const { text, isRunning } = told(check, downBy('fail', '02:47'));
    assert.equal(text, 'Down since 02:47 · failure signal · running for 1 min');
    assert.equal(isRunning, true);
  });
});
