import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AnySchemaObject } from 'ajv/dist/2020.js';
import { type GivenProject, type Reply, sharedTestApp, type TestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { form } from '../form.ts';
import { assertStatus } from './answers.ts';
import { type Located, type OpenApi, operationsOf } from './openapi-document.ts';

// Every operation that takes the key of a project, as the reference lists them: whatever stands in whichever place of a request,
// nothing of another project is named, changed, or told apart from what does not exist.

type Json = Readonly<Record<string, unknown>>;

const UUID_START = '00000000-0000-4000-8000-';
/** It is in all names of the other project. */
const MARK = 'zqxjkvmark';
const DENIED = '{"error":"access denied"}';
const LONG = 'x'.repeat(100_000);

/** Bodies of each operation into which values are put. */
const BODIES = form.isLong ? 10 : 1;
/** Values that a place is not made for, or not so many of them. */
const WRONG: readonly unknown[] = [
  ...[null, '\0', LONG, {}, ['\ud800']],
  ...(form.isLong
    ? [
        true,
        1e308,
        Array(2_000).fill({}),
        0,
        1.5,
        2 ** 31,
        2 ** 53,
        '',
        ' ',
        '1',
        [],
        [[]],
        { a: 1 },
        Array(2_000).fill(`${UUID_START}000000000000`),
        nested(1_000),
      ]
    : []),
];

const WRONG_QUERY = ['', '%00', '%ff', '%ed%a0%80', '-1', '1e308', '9'.repeat(400), 'x'.repeat(5_000)];

/** One value in a body. The number stands for the first one of a list. */
type Place = readonly (string | 0)[];

/** Names in a project, by what they name. */
interface Names {
  readonly check: string;
  readonly channel: string;
  readonly policy: string;
  readonly calendar: string;
  readonly quietTime: string;
}

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  test('in every place of every request, a name in another project is as one that nobody has', async () => {
    const { operations, schemas } = await operationsWithKey(app());
    const victim = await givenAlerting(app(), MARK);
    const before = await rowsOf(app(), victim);
    const all = [...Object.values(victim.uuids), ...Object.values(victim.names)];
    const names = form.isLong ? all : [victim.uuids.channel, victim.uuids.calendar, victim.names.policy];
    const secrets = [MARK, ...all, victim.project.uuid, victim.key, victim.readOnlyKey];
    let count = 0;

    for (const { method, path, operation } of operations) {
      let own = await givenAlerting(app(), 'own');
      /** It has a name by now that was nobody's. */
      let hasNames = false;
      const ask = (template: string, body?: unknown, headers = {}) =>
        app().request(method, addressOf(template, own), {
          key: own.key,
          headers,
          ...(body !== undefined && { body }),
        });
      const alike = async (what: string, name: string, send: (name: string) => Promise<Reply>) => {
        const noMark = `zqx${String(count).padStart(7, '0')}`;
        const nobody = name.replace(MARK, noMark);
        // A UUID that begins alike: some places take no text that begins with a digit.
        const of = nobody === name ? `${name.slice(0, 24)}${String(count).padStart(12, '0')}` : nobody;
        const foreign = await send(name);
        const none = await send(of);
        count++;
        hasNames ||= foreign.status < 400 || none.status < 400;
        const where = `${method} ${path} ${what}`;
        assert.ok(foreign.status < 500, `${where}: ${foreign.status} ${foreign.text}`);
        const hidden = foreign.text.replaceAll(name, of).replaceAll(MARK, noMark);
        // What a parser says of a schedule depends on its letters.
        // A check or an integration of another project is told apart from none, as Healthchecks does with checks.
        if (/check|channel/.test(what) && foreign.text === DENIED) assert.equal(none.status, 404, where);
        else if (foreign.status >= 400 && !what.endsWith('schedule'))
          assert.deepEqual([foreign.status, hidden], [none.status, none.text], where);
        for (const secret of secrets)
          assert.ok(name.includes(secret) || !foreign.text.includes(secret), `${where}: ${foreign.text}`);
      };

      const [, named = ''] = /\{(\w+)\}/.exec(path) ?? [];
      const last = bodiesOf(operation).at(-1);
      for (const name of named === '' ? [] : Object.values(victim.uuids))
        await alike(`{${named}}`, name, (one) => ask(path.replace(`{${named}}`, one), last));
      await alike('X-Project', victim.project.uuid, (one) => ask(path, last, { 'X-Project': one }));
      for (const { name: parameter } of queryOf(operation))
        for (const name of names)
          await alike(`?${parameter}`, name, (one) => ask(`${path}?${parameter}=${encodeURIComponent(one)}`));
      for (const body of bodiesOf(operation).slice(-BODIES))
        for (const place of placesIn(bodySchema(operation), schemas)) {
          if (hasNames) own = await givenAlerting(app(), 'own');
          hasNames = false;
          for (const name of names)
            await alike(place.join('.'), name, (one) => ask(path, withValue(body, place, one)));
        }
    }

    assert.deepEqual(await rowsOf(app(), victim), before);
    assert.ok(count > 500, `${count} places`);
  });

  test('no setting of any kind of integration names anything of another project', async () => {
    const victim = await givenAlerting(app(), MARK);
    const before = await rowsOf(app(), victim);
    const own = await givenAlerting(app(), 'own');
    const { kinds } = (await app().request('GET', '/api/v3/channels/kinds/', { key: own.key })).json as {
      kinds: Json[];
    };

    for (const { kind, settings, example } of kinds as { kind: string; settings: Json; example: Json }[])
      for (const [field, { type }] of Object.entries((settings.properties ?? {}) as Record<string, Json>)) {
        if (type !== 'string' && type !== 'array') continue;
        for (const name of [victim.uuids.channel, victim.uuids.calendar]) {
          const body = { kind, settings: { ...example, [field]: type === 'string' ? name : [name] } };
          const reply = await app().request('POST', '/api/v3/channels/', { key: own.key, body });
          const where = `${kind}.${field}: ${reply.status} ${reply.text}`;
          assert.ok(reply.status < 500 && !reply.text.includes(MARK), where);
          if (field === 'hours' || field === 'members') assert.ok([400, 403].includes(reply.status), where);
        }
      }

    assert.deepEqual(await rowsOf(app(), victim), before);
  });

  describe('whatever stands in a place of a request', () => {
    test('it is refused with a reason, or taken', async () => {
      const { operations, schemas } = await operationsWithKey(app());
      for (const { method, path, operation } of operations) {
        const own = await givenAlerting(app(), 'own');
        for (const { name } of queryOf(operation))
          for (const value of WRONG_QUERY) {
            const address = `${addressOf(path, own)}?${name}=${value}`;
            const reply = await app().request(method, address, { key: own.key });
            assert.ok(reply.status < 500, `${method} ${path} ${name}=${value.slice(0, 40)}: ${reply.text}`);
          }
        const places = placesIn(bodySchema(operation), schemas);
        for (const body of bodiesOf(operation).slice(-BODIES))
          for (const place of [[], ...places, ...listsAround(places)])
            for (const value of WRONG) {
              const reply = await app().request(method, addressOf(path, own), {
                key: own.key,
                body: JSON.stringify(withValue(body, place, value)),
              });
              const where = `${method} ${path} ${place.join('.')} ${JSON.stringify(value)?.slice(0, 60)}`;
              assert.ok(reply.status < 500, `${where}: ${reply.status} ${reply.text}`);
              if (reply.status >= 400) assert.ok((reply.json as Json).error, where);
              assert.ok(reply.text.length < 200_000, `${where}: ${reply.text.length} characters`);
            }
      }
    });
  });
});

async function operationsWithKey(app: TestApp) {
  const document = (await app.request('GET', '/api/v3/openapi.json')).json as OpenApi;
  const operations = operationsOf(document).filter(
    ({ path, operation }) =>
      path.startsWith('/api/v3/') && operation.security.some((one) => Object.hasOwn(one, 'apiKey')),
  );
  for (const what of [
    '/policies/',
    '/calendars/',
    '/quiet-times/',
    '/alerting/',
    '/acknowledge',
    '/snooze',
    '/why',
  ])
    assert.ok(
      operations.some(({ path }) => path.includes(what)),
      what,
    );
  return { operations, schemas: document.components.schemas };
}

interface Alerting extends GivenProject {
  readonly uuids: Names;
  readonly names: Names;
}

/** A project with one of everything that has a name, in use. Its check is down, and waits to be told of. */
async function givenAlerting(app: TestApp, mark: string): Promise<Alerting> {
  const given = await app.givenProject({ limits: { checks: 10_000, pings: 100 } });
  const { project, key } = given;
  const create = async (path: string, body: Json): Promise<string> => {
    const reply = await app.request('POST', `/api/v3/${path}`, { key, body });
    assertStatus(reply, 201);
    return String((reply.json as Json).uuid);
  };
  const names: Names = {
    ...{ check: `${mark}-check`, channel: `${mark} channel`, policy: `${mark} policy` },
    ...{ calendar: `${mark} calendar`, quietTime: `${mark} quiet time` },
  };
  const channel = await app.givenChannel(project, { name: names.channel });
  const parent = await app.givenCheck(project, {
    name: `${mark} parent`,
    slug: `${mark}-parent`,
    tags: `${mark}-tag`,
  });
  const check = await app.givenCheck(project, {
    name: names.check,
    slug: names.check,
    tags: `${mark}-tag`,
    status: 'up',
  });
  await app.assign(check, channel);
  const calendar = await create('calendars/', {
    name: names.calendar,
    schedule: 'Mon 08:00',
    duration: 3600,
  });
  const policy = await create('policies/', {
    // biome-ignore lint/suspicious/noThenProperty: it is the name in requests, and its value is no function.
    ...{ name: names.policy, wait: 900, hours: names.calendar, then: [{ after: 60, tell: [channel.uuid] }] },
  });
  const quietTime = await create('quiet-times/', {
    name: names.quietTime,
    tags: `${mark}-tag`,
    duration: 86_400,
  });
  const edit = { policy, parents: [parent.uuid] };
  assertStatus(await app.request('POST', `/api/v3/checks/${check.uuid}`, { key, body: edit }), 200);
  const body = { policy, tags: [{ tag: `${mark}-tag`, policy, as_one: true }] };
  assertStatus(await app.request('POST', '/api/v3/alerting/', { key, body }), 200);
  await app.ping(`/${check.uuid}/fail`);
  const uuids = { check: check.uuid, channel: channel.uuid, policy, calendar, quietTime };
  return { ...given, uuids, names };
}

/** All that the project has, and what becomes of its outages. */
async function rowsOf({ deps: { store } }: TestApp, { project: { id } }: GivenProject): Promise<unknown> {
  const checks = await store.checks.ofProject(id);
  const outages = await store.outages.openOf(checks.map((check) => check.id));
  assert.equal(outages.length, 1);
  return {
    checks,
    outages,
    project: await store.projects.byId(id),
    channels: await store.channels.ofProject(id),
    policies: [await store.policies.ofProject(id), await store.policies.tagsOf(id)],
    calendars: await store.calendars.ofProject(id),
    quietTimes: await store.quietTimes.ofProject(id),
    parents: await store.checkParents.ofProject(id),
    waits: await store.outages.waitsOf(outages.map((outage) => outage.id)),
    deliveries: await Promise.all(checks.map((check) => store.deliveries.ofCheck(check.id, 100))),
    acts: await store.auditLog.page({ projectId: id }, { after: null, from: null, before: null, most: 100 }),
  };
}

const OWN: Readonly<Record<string, keyof Names>> = {
  ...{ check: 'check', channel: 'channel', policy: 'policy', calendar: 'calendar', quiet_time: 'quietTime' },
};

/** The address with the names of the project, where none is there already. */
function addressOf(template: string, { uuids }: Alerting): string {
  return template
    .replace('{n}', '1')
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => uuids[OWN[name] ?? 'check']);
}

function queryOf({ parameters }: Located['operation']) {
  return parameters.filter((one) => 'in' in one && one.in === 'query');
}

function bodySchema({ requestBody }: Located['operation']): AnySchemaObject {
  const [content] = Object.values(requestBody?.content ?? {});
  return content?.schema ?? {};
}

/** Bodies to put a value into: an empty one, and those of the reference that do not go by what is there already. */
function bodiesOf({ requestBody }: Located['operation']): unknown[] {
  const [content] = Object.values(requestBody?.content ?? {});
  const examples = Object.values(content?.examples ?? {}).map(({ value }) => value ?? {});
  return content === undefined
    ? []
    : [{}, ...examples.filter((one) => !Object.hasOwn(Object(one), 'unique'))];
}

/** All places of a body that hold a value. Keys of the API are none: they open another project on purpose. */
function placesIn(
  schema: AnySchemaObject,
  schemas: OpenApi['components']['schemas'],
  at: Place = [],
): Place[] {
  if (typeof schema.$ref === 'string')
    return placesIn(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? assert.fail(schema.$ref), schemas, at);
  const inside = (one: AnySchemaObject, ...further: (string | 0)[]) =>
    placesIn(one, schemas, [...at, ...further]);
  const found = [
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((one: AnySchemaObject) => inside(one)),
    ...Object.entries<AnySchemaObject>(schema.properties ?? {})
      .filter(([name]) => name !== 'api_key')
      .flatMap(([name, one]) => inside(one, name)),
    ...(schema.items === undefined ? [] : inside(schema.items, 0)),
  ];
  return found.length === 0 && at.length > 0 ? [at] : found;
}

/** The lists and objects in which these places are. */
function listsAround(places: readonly Place[]): Place[] {
  const around = places.flatMap((place) => place.slice(1).map((_, length) => place.slice(0, length + 1)));
  return [...new Map(around.map((place) => [place.join('.'), place])).values()];
}

/** The body with another value at that place. */
function withValue(body: unknown, [key, ...rest]: Place, value: unknown): unknown {
  if (key === undefined) return value;
  const inside = withValue(Object(body)[key], rest, value);
  return key === 0 ? [inside] : { ...Object(body), [key]: inside };
}

function nested(depth: number): unknown {
  let value: unknown = [];
  for (let n = 0; n < depth; n++) value = [value];
  return value;
}
