import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { LiveChangeJson, LiveEventJson, LivePollJson } from '../../src/wire/dashboard/live-output.ts';
import { Announcer } from '../../web/app/live/announcer.ts';
import { LiveConnection, type LiveState, type StreamHandlers } from '../../web/app/live/connection.ts';
import { isTouched, LIVE, type LiveScope } from '../../web/app/live/queries.ts';
import { SharedStream } from '../../web/app/live/shared-stream.ts';

const CHANGE: LiveChangeJson = {
  project: 'alpha',
  checks: ['one'],
  channels: [],
  statuses: false,
  marks: 'm.1',
};
const WATCH = { swept_seconds_ago: 0.4, alerts_stopped_since: null };
const SIGNED_OUT = new Error('nobody is signed in');

/** A browser whose time passes when the test says so, and a server that does what it is told. */
class FakeWorld {
  time = 0;
  isHiddenNow = false;
  streams: (StreamHandlers & { lastEventId: string | null; isClosed: boolean })[] = [];
  polls: (string | null)[] = [];
  answer: () => LivePollJson = () => {
    throw new Error('nobody answers');
  };
  readonly told: (LiveChangeJson | 'everything')[] = [];
  readonly states: LiveState[] = [];
  #timers: { at: number; action: () => void }[] = [];

  readonly connection = new LiveConnection(
    {
      openStream: (lastEventId, on) => {
        const stream = { ...on, lastEventId, isClosed: false };
        this.streams.push(stream);
        return {
          close: () => {
            stream.isClosed = true;
          },
        };
      },
      poll: async (lastEventId) => {
        this.polls.push(lastEventId);
        return this.answer();
      },
      isSignedOut: (error) => error === SIGNED_OUT,
      now: () => this.time,
      after: (ms, action) => {
        const timer = { at: this.time + ms, action };
        this.#timers.push(timer);
        return () => {
          this.#timers = this.#timers.filter((one) => one !== timer);
        };
      },
      isHidden: () => this.isHiddenNow,
      random: () => 1,
    },
    {
      onChange: (change) => this.told.push(change),
      onState: (state) => this.states.push(state),
      onWatch: () => undefined,
    },
  );

  get stream() {
    return this.streams.at(-1) ?? assert.fail();
  }

  get state(): string | undefined {
    return this.states.at(-1)?.kind;
  }

  get open(): number {
    return this.streams.filter(({ isClosed }) => !isClosed).length;
  }

  send(event: LiveEventJson, id = ''): void {
    this.stream.onEvent(event, id);
  }

  async pass(seconds: number): Promise<void> {
    const end = this.time + seconds * 1_000;
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers = this.#timers.filter((one) => one !== next);
      this.time = Math.max(this.time, next.at);
      next.action();
      await turn();
    }
    this.time = end;
  }

  show(isShown: boolean): void {
    this.isHiddenNow = !isShown;
    this.connection.visibilityChanged();
  }
}

function liveWorld(): FakeWorld {
  const world = new FakeWorld();
  world.send({ kind: 'hello', missed: 'nothing' }, 'here.1');
  return world;
}

const answering = (changes: LivePollJson['changes']): LivePollJson => ({
  last_event_id: 'here.9',
  changes,
  watch: WATCH,
});

describe('a page', () => {
  test('is live from the first message on, and passes on what changed', () => {
    const world = liveWorld();
    world.send({ kind: 'change', ...CHANGE }, 'here.2');
    world.send({ kind: 'everything' });

    assert.equal(world.state, 'live');
    assert.deepEqual(world.told, [{ kind: 'change', ...CHANGE }, 'everything']);
  });

  test('stays live as long as the server says that somebody watches', async () => {
    const world = liveWorld();
    for (let beat = 0; beat < 20; beat++) {
      await world.pass(5);
      world.send({ kind: 'watch', ...WATCH });
    }

    assert.deepEqual([world.streams.length, world.state], [1, 'live']);
  });

  test('comes back after a failure, tells the last event, and a moment without connection is not worth a word', async () => {
    const world = liveWorld();
    world.stream.onFailure();
    await world.pass(1);

    assert.deepEqual([world.streams.length, world.open, world.stream.lastEventId], [2, 1, 'here.1']);
    world.send({ kind: 'hello', missed: 'nothing' }, 'here.1');
    await world.pass(10);
    assert.deepEqual(
      world.states.map(({ kind }) => kind),
      ['live'],
    );
  });

  test('says from when its data are once it is cut off for five seconds, tries again with growing pauses, and catches up', async () => {
    const world = liveWorld();
    world.time = 1_000_000;
    world.send({ kind: 'watch', ...WATCH });
    world.connection.lost();
    const tries: number[] = [];
    for (let second = 0; second < 40; second++) {
      const before = world.streams.length;
      await world.pass(1);
      if (world.streams.length > before) {
        tries.push(second + 1);
        world.stream.onFailure();
        await turn();
      }
    }

    assert.deepEqual(world.states.at(-1), { kind: 'away', asOf: 1_000_000 });
    assert.ok(tries.length < 8 && tries.length > 2, String(tries));
    world.connection.retry();
    world.send({ kind: 'hello', missed: 'nothing' }, 'here.3');
    assert.deepEqual([world.state, world.told], ['live', []]);
  });

  test('takes a stream that is silent for broken', async () => {
    const world = liveWorld();
    await world.pass(13);

    assert.equal(world.streams.length, 2);
    assert.equal(world.streams[0]?.isClosed, true);
  });

  test('reads everything again if the server does not know what was missed, or after five minutes', async () => {
    const world = liveWorld();
    world.stream.onFailure();
    await world.pass(1);
    world.send({ kind: 'hello', missed: 'everything' }, 'there.1');
    world.time += 301_000;
    world.connection.retry();
    world.send({ kind: 'hello', missed: 'nothing' }, 'there.1');

    assert.deepEqual(world.told, ['everything', 'everything']);
  });

  test('asks every 15 seconds where streams do not come through, and tries a stream again each minute', async () => {
    const world = new FakeWorld();
    world.answer = () => answering([CHANGE]);
    await world.pass(42);
    assert.equal(world.state, 'polling');
    const [polls, streams] = [world.polls.length, world.streams.length];
    await world.pass(45);

    assert.deepEqual([world.polls.length - polls, world.streams.length - streams], [3, 0]);
    assert.equal(world.polls.at(-1), 'here.9');
    assert.deepEqual(world.told.at(-1), CHANGE);
    await world.pass(16);
    assert.equal(world.streams.length - streams, 1);
    world.send({ kind: 'hello', missed: 'nothing' }, 'here.9');
    assert.equal(world.state, 'live');
  });

  test('stops when nobody is signed in any more', async () => {
    const world = liveWorld();
    world.answer = () => {
      throw SIGNED_OUT;
    };
    world.send({ kind: 'end', reason: 'not_signed_in' });
    await world.pass(1);
    world.stream.onFailure();
    await world.pass(600);

    assert.equal(world.state, 'signed_out');
    assert.deepEqual([world.streams.length, world.open], [2, 0]);
  });

  test('that nobody sees gives its connection back after a while, asks instead, and opens a stream when somebody looks', async () => {
    const world = liveWorld();
    world.answer = () => answering([CHANGE]);
    const beat = async (seconds: number) => {
      for (let passed = 0; passed < seconds; passed += 5) {
        await world.pass(5);
        if (world.open > 0) world.send({ kind: 'watch', ...WATCH });
      }
    };
    world.show(false);
    await beat(25);
    assert.equal(world.open, 1);
    await beat(5);
    assert.equal(world.open, 0);
    await world.pass(31);
    assert.deepEqual([world.polls.length, world.told.length], [2, 2]);

    world.show(true);
    assert.deepEqual([world.open, world.stream.lastEventId, world.state], [1, 'here.9', 'live']);
  });

  test('that was hidden for a moment keeps its stream', async () => {
    const world = liveWorld();
    world.show(false);
    await world.pass(10);
    world.show(true);
    await world.pass(1);

    assert.deepEqual([world.streams.length, world.open], [1, 1]);
  });
});

describe('a change makes stale', () => {
  const touched = (
    queryKey: readonly unknown[],
    change: Partial<LiveChangeJson> | 'everything',
    scope?: LiveScope,
  ) =>
    isTouched(
      { queryKey, scope },
      change === 'everything' ? change : { ...CHANGE, ...change },
      (ref) => ({ 'uuid of one': 'one', 'uuid of two': 'two' })[ref] ?? null,
    );

  test('what belongs to its project, by what was touched', () => {
    assert.equal(touched(['project', 'alpha', 'checks'], {}), true);
    assert.equal(touched(['project', 'alpha', 'checks', 'head'], { checks: 'all' }), true);
    assert.equal(touched(['project', 'beta', 'checks'], {}), false);
    const overview = ['project', 'alpha', 'channelOverview'];
    assert.equal(touched(overview, {}, LIVE.channelOverview), false);
    assert.equal(touched(overview, { channels: ['mail'] }, LIVE.channelOverview), true);
    assert.equal(touched(['project', 'alpha', 'members'], {}), false);
    assert.equal(touched(['project', 'alpha'], {}), false);
  });

  test('what belongs to the check, by whichever name the page calls it', () => {
    assert.equal(touched(['check', 'one', 'log'], {}), true);
    assert.equal(touched(['check', 'uuid of one'], {}), true);
    assert.equal(touched(['check', 'uuid of two'], {}), false);
    assert.equal(touched(['check', 'uuid of two'], { checks: 'all' }), true);
    assert.equal(touched(['check', 'uuid of a check that is not known'], {}), true);
    assert.equal(touched(['check', 'one'], { checks: [], channels: ['mail'] }), false);
  });

  test('the counts of all projects only if a status may be another', () => {
    assert.equal(touched(['person', 'ownProjects'], {}, 'statuses'), false);
    assert.equal(touched(['person', 'ownProjects'], { statuses: true }, 'statuses'), true);
    assert.equal(touched(['person', 'ownProjects'], { checks: 'all' }, 'statuses'), true);
    assert.equal(touched(['person', 'ownProjects'], 'everything', 'statuses'), true);
  });

  test('how outages are told, and what uses that, by whatever is set, and not by a ping', () => {
    for (const scope of [LIVE.alerting, LIVE.alertingUses]) {
      const asked = (change: Partial<LiveChangeJson>) => touched(['project', 'alpha', 'x'], change, scope);
      assert.equal(asked({}), false, 'a ping');
      assert.equal(asked({ statuses: true }), true, 'an edit of a check');
      assert.equal(asked({ checks: 'all' }), true, 'an edit of a policy');
      assert.equal(asked({ checks: [], channels: ['mail'] }), true, 'an edit of an integration');
    }
  });

  test('what a query asks for, and never what it does not want', () => {
    assert.equal(touched(['project', 'alpha', 'checks'], {}, 'never'), false);
    assert.equal(touched(['project', 'alpha', 'checks'], 'everything', 'never'), false);
    assert.equal(touched(['project', 'alpha', 'checks'], {}, 'statuses'), false);
    assert.equal(touched(['project', 'alpha', 'members'], {}, 'any'), true);
  });

  test('everything, if everything may have changed, but not who is signed in', () => {
    for (const key of [
      ['project', 'alpha'],
      ['check', 'one'],
    ])
      assert.equal(touched(key, 'everything'), true);
    for (const key of [['session'], ['entrance'], ['account'], ['person', 'openSessions']])
      assert.equal(touched(key, 'everything'), false);
  });
});

test('screen readers are told at once, and then at most once in five seconds', () => {
  const timers: (() => void)[] = [];
  const announcer = new Announcer((ms, action) => {
    assert.equal(ms, 5_000);
    timers.push(action);
  });
  const said: string[] = [];
  announcer.onText(() => said.push(announcer.text));

  announcer.say('db-backup went down.');
  announcer.say('2 checks are down.');
  announcer.say('etl went down.');
  announcer.say('3 checks are down.');
  announcer.say('3 checks are down.');
  timers.shift()?.();
  timers.shift()?.();

  assert.deepEqual(said, ['db-backup went down.', '2 checks are down. etl went down. 3 checks are down.']);
  assert.equal(timers.length, 0);
});

/** A stream that all tabs share, and the tabs. */
class FakeTabs {
  readonly opened: (StreamHandlers & { lastEventId: string | null; isClosed: boolean })[] = [];
  readonly shared = new SharedStream({
    openStream: (lastEventId, on) => {
      const stream = { ...on, lastEventId, isClosed: false };
      this.opened.push(stream);
      return {
        close: () => {
          stream.isClosed = true;
        },
      };
    },
    after: (_ms, action) => {
      this.silence = action;
      return () => undefined;
    },
  });
  silence: () => void = () => {};

  get stream() {
    return this.opened.at(-1) ?? assert.fail();
  }

  join(lastEventId: string | null = null) {
    const heard: unknown[] = [];
    const listener = {
      lastEventId,
      onEvent: (event: LiveEventJson, id: string) =>
        heard.push([event.kind, ...(event.kind === 'hello' ? [event.missed] : []), id]),
      onFailure: () => heard.push('failed'),
    };
    this.shared.join(listener);
    return { heard, leave: () => this.shared.leave(listener) };
  }
}

describe('the tabs of a browser', () => {
  test('share one stream, and a tab that comes later is greeted at once', () => {
    const tabs = new FakeTabs();
    const first = tabs.join();
    tabs.stream.onEvent({ kind: 'hello', missed: 'nothing' }, 'here.1');
    tabs.stream.onEvent({ kind: 'watch', ...WATCH }, 'here.1');
    const second = tabs.join();
    tabs.stream.onEvent({ kind: 'change', ...CHANGE }, 'here.2');

    assert.equal(tabs.opened.length, 1);
    assert.deepEqual(first.heard, [
      ['hello', 'nothing', 'here.1'],
      ['watch', 'here.1'],
      ['change', 'here.2'],
    ]);
    assert.deepEqual(second.heard, [
      ['hello', 'nothing', 'here.1'],
      ['watch', ''],
      ['change', 'here.2'],
    ]);
  });

  test('a tab that was away reads everything again, unless it knows the last event', () => {
    const tabs = new FakeTabs();
    const early = [tabs.join('here.1'), tabs.join('here.0')];
    tabs.stream.onEvent({ kind: 'hello', missed: 'nothing' }, 'here.2');
    const late = [tabs.join('here.1'), tabs.join('here.2')];

    assert.equal(tabs.stream.lastEventId, 'here.1');
    assert.deepEqual(
      [...early, ...late].map(({ heard }) => heard),
      [
        [['hello', 'nothing', 'here.2']],
        [['hello', 'everything', 'here.2']],
        [['hello', 'everything', 'here.2']],
        [['hello', 'nothing', 'here.2']],
      ],
    );
  });

  test('keep the stream while one of them listens, and the last one closes it', () => {
    const tabs = new FakeTabs();
    const [first, second] = [tabs.join(), tabs.join()];

    first.leave();
    assert.equal(tabs.stream.isClosed, false);
    second.leave();
    assert.equal(tabs.stream.isClosed, true);
    tabs.join();
    assert.equal(tabs.opened.length, 2);
  });

  test('are all told that it failed or fell silent, and the next one opens another', () => {
    const tabs = new FakeTabs();
    const told = [tabs.join(), tabs.join()];
    tabs.stream.onFailure();
    told.push(tabs.join());
    tabs.silence();
    tabs.join();

    assert.deepEqual(
      told.map(({ heard }) => heard),
      [['failed'], ['failed'], ['failed']],
    );
    assert.deepEqual(
      tabs.opened.map(({ isClosed }) => isClosed),
      [true, true, false],
    );
  });
});

test('a page that is put aside gives its stream back, and takes one when it is shown again', () => {
  const world = liveWorld();

  world.connection.leave();
  assert.equal(world.open, 0);
  world.connection.retry();
  assert.deepEqual([world.open, world.stream.lastEventId], [1, 'here.1']);
});
