import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Reply, sharedTestApp, type TestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { form } from '../form.ts';
import { assertStatus } from './answers.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const OPTIONS = { seed: 20_261_119, numRuns: form.isLong ? 40 : 4 };
const NOWHERE = '00000000-0000-4000-8000-000000000000';

type Kind = 'policy' | 'calendar' | 'channel' | 'quietTime' | 'check';

interface Thing {
  readonly uuid: string;
  readonly name: string;
}

/** A project with one thing of each kind, which has other names than those of others. */
interface Tenant {
  readonly key: string;
  readonly own: Readonly<Record<Kind, Thing>>;
}

interface Asked {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** A request that refers to something by its name or UUID. */
interface Reference {
  readonly to: Kind;
  /** The other one is named in the path, where only UUIDs stand. */
  readonly isPath?: true;
  ask(tenant: Tenant, name: string): Asked;
}

const tell = (name: string) => Object.fromEntries([['then', [{ after: 60, tell: [name] }]]]);
const slack = { kind: 'slack', name: 'New', settings: { url: 'https://hooks.example/a' } };

const IN_BODIES: readonly Reference[] = [
  { to: 'calendar', ask: (_, hours) => ({ path: 'policies/', body: { name: 'new', hours } }) },
  { to: 'calendar', ask: ({ own }, hours) => ({ path: `policies/${own.policy.uuid}`, body: { hours } }) },
  { to: 'channel', ask: (_, name) => ({ path: 'policies/', body: { name: 'new', ...tell(name) } }) },
  { to: 'channel', ask: ({ own }, name) => ({ path: `policies/${own.policy.uuid}`, body: tell(name) }) },
  { to: 'policy', ask: (_, policy) => ({ path: 'alerting/', body: { policy } }) },
  { to: 'policy', ask: (_, policy) => ({ path: 'alerting/', body: { tags: [{ tag: 'db', policy }] } }) },
  { to: 'policy', ask: (_, policy) => ({ path: 'checks/', body: { policy } }) },
  { to: 'policy', ask: ({ own }, policy) => ({ path: `checks/${own.check.uuid}`, body: { policy } }) },
  { to: 'check', ask: (_, name) => ({ path: 'checks/', body: { parents: [name] } }) },
  { to: 'check', ask: ({ own }, name) => ({ path: `checks/${own.check.uuid}`, body: { parents: [name] } }) },
  { to: 'check', ask: (_, name) => ({ path: 'quiet-times/', body: { checks: [name], duration: 600 } }) },
  { to: 'channel', ask: (_, channels) => ({ path: 'checks/', body: { channels } }) },
  {
    to: 'channel',
    ask: ({ own }, name) => ({ path: `checks/${own.check.uuid}`, body: { done_channels: name } }),
  },
  {
    to: 'calendar',
    ask: (_, hours) => ({ path: 'channels/', body: { ...slack, settings: { ...slack.settings, hours } } }),
  },
  {
    to: 'calendar',
    ask: ({ own }, hours) => ({ path: `channels/${own.channel.uuid}`, body: { settings: { hours } } }),
  },
];

const onEach = (to: Kind, folder: string, change: object): Reference[] =>
  (['GET', 'POST', 'DELETE'] as const).map((method) => ({
    ...{ to, isPath: true },
    ask: (_, uuid) => ({
      method,
      path: `${folder}/${uuid}${method === 'DELETE' ? '?force=1' : ''}`,
      ...(method === 'POST' && { body: change }),
    }),
  }));

const onCheck = (act: string, method: 'GET' | 'POST', body?: object): Reference => ({
  ...{ to: 'check', isPath: true },
  ask: (_, uuid) => ({ method, path: `checks/${uuid}/${act}`, ...(body && { body }) }),
});

const IN_PATHS: readonly Reference[] = [
  ...onEach('policy', 'policies', { name: 'taken', wait: 60 }),
  ...onEach('calendar', 'calendars', { duration: 600 }),
  ...onEach('quietTime', 'quiet-times', { duration: 600 }),
  ...onEach('channel', 'channels', { name: 'taken' }),
  { to: 'quietTime', isPath: true, ask: (_, uuid) => ({ path: `quiet-times/${uuid}/stop` }) },
  onCheck('acknowledge', 'POST'),
  onCheck('unacknowledge', 'POST'),
  onCheck('snooze', 'POST', { for: 60 }),
  onCheck('unsnooze', 'POST'),
  onCheck('why', 'GET'),
  onCheck('runs/', 'GET'),
];

const LISTS = ['policies/', 'alerting/', 'calendars/', 'quiet-times/', 'channels/', 'checks/'];

async function ask(app: TestApp, key: string, { method = 'POST', path, body }: Asked): Promise<Reply> {
  return app.request(method, `/api/v3/${path}`, { key, ...(body && { body }) });
}

async function givenTenant(app: TestApp, ownerId: number | null): Promise<Tenant & { ownerId: number }> {
  const made = await app.givenProject(ownerId === null ? {} : { ownerId });
  const mark = app.deps.random.uuid().slice(0, 8);
  const make = async (path: string, name: string, body: object): Promise<Thing> => {
    const reply = await ask(app, made.key, { path, body: { name: `${name}-${mark}`, ...body } });
    assertStatus(reply, 201, reply.text);
    const { uuid, id } = reply.json as { readonly uuid?: string; readonly id?: string };
    return { uuid: uuid ?? id ?? assert.fail(reply.text), name: `${name}-${mark}` };
  };
  const hours = { schedule: 'Mon..Fri 08:00', tz: 'UTC', duration: 36_000 };
  const calendar = await make('calendars/', 'hours', hours);
  const channel = await make('channels/', 'chat', { kind: 'slack', settings: slack.settings });
  const policy = await make('policies/', 'night', { hours: calendar.name, ...tell(channel.uuid) });
  const check = await make('checks/', 'job', { slug: `job-${mark}`, policy: policy.name });
  const quietTime = await make('quiet-times/', 'deploy', { checks: [check.uuid], duration: 3_600 });
  return { ...made, own: { policy, calendar, channel, quietTime, check } };
}

const step = fc.record({
  place: fc.nat(IN_BODIES.length + IN_PATHS.length - 1),
  byName: fc.boolean(),
  isFirst: fc.boolean(),
});

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  const shown = async ({ key }: Tenant) => {
    const replies = await Promise.all(LISTS.map((path) => ask(app(), key, { method: 'GET', path })));
    return replies.map(({ text }) => text);
  };

  test('what decides who is told in one project cannot be named, read or changed from another one', async () => {
    const property = fc.asyncProperty(
      fc.boolean(),
      fc.array(step, { minLength: 30, maxLength: 30 }),
      async (hasOneOwner, steps) => {
        const first = await givenTenant(app(), null);
        const second = await givenTenant(app(), hasOneOwner ? first.ownerId : null);
        const before = [await shown(first), await shown(second)];

        for (const { place, byName, isFirst } of steps) {
          const [self, other] = isFirst ? [first, second] : [second, first];
          const { to, isPath = false, ask: about } = [...IN_BODIES, ...IN_PATHS][place] ?? assert.fail();
          const foreign = other.own[to];
          const name = byName && !isPath ? foreign.name : foreign.uuid;

          const reply = await ask(app(), self.key, about(self, name));
          const nothing = await ask(app(), self.key, about(self, NOWHERE));

          // Who knows the UUID of a check or an integration is told that it is of somebody else, as with every act on one.
          const isKnown = isPath && (to === 'check' || to === 'channel');
          assert.equal(
            reply.status,
            isKnown ? 403 : isPath ? 404 : 400,
            `${JSON.stringify(about(self, name))} ${reply.text}`,
          );
          if (!isKnown) assert.equal(reply.text.replaceAll(name, NOWHERE), nothing.text);
          for (const { uuid, name: named } of Object.values(other.own))
            assert.ok(![uuid, named].some((one) => one !== name && reply.text.includes(one)), reply.text);
        }

        assert.deepEqual([await shown(first), await shown(second)], before);
      },
    );
    await fc.assert(property, OPTIONS);
  });
});
