import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { uniqueKeyOf } from '../../src/domain/check/check.ts';
import { type GivenProject, type Reply, sharedTestApp, type TestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { form } from '../form.ts';

const EFFORT = Number(process.env.FUZZ_RUNS ?? 1);
const FIXED_SEED = 20_240_302;
/** A failure prints the seed with which to repeat it. */
const FRESH_SEED = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31));
const SEEDS: Record<string, number> = {
  'a fixed seed': FIXED_SEED,
  ...(form.isLong && { 'a fresh seed': FRESH_SEED }),
};
const SEQUENCES = form.isLong ? 25 * EFFORT : 8;
const LIMIT = 8;

/** The model of a check: enough to tell its owner and the acts on it. */
interface ModelCheck {
  readonly uuid: string;
  name: string;
  slug: string;
  tags: string;
  timeout: number;
  status: 'new' | 'paused';
}

/** One tenant: its keys, and its checks in order of creation. */
interface Tenant {
  readonly given: GivenProject;
  readonly checks: ModelCheck[];
}

type Fields = Partial<Pick<ModelCheck, 'name' | 'slug' | 'tags' | 'timeout'>>;
type UniqueField = keyof Fields;

/** A check of either tenant, or one that is gone or never was. */
interface Target {
  readonly ofOther: boolean;
  readonly index: number;
  readonly byUniqueKey: boolean;
}

type Operation =
  | { readonly kind: 'create'; readonly fields: Fields; readonly unique: readonly UniqueField[] }
  | { readonly kind: 'update'; readonly target: Target; readonly fields: Fields }
  | { readonly kind: 'get' | 'flips' | 'delete' | 'pause' | 'resume' | 'pings'; readonly target: Target }
  | { readonly kind: 'list'; readonly slug: string | null; readonly tag: string | null }
  | { readonly kind: 'project'; readonly readsOnly: boolean };

interface Step {
  readonly tenant: 0 | 1;
  readonly operation: Operation;
}

// Few values, the same for both tenants: an upsert or a filter that looked beyond its project would match.
const NAMES = ['backup', 'report', ''];
const SLUGS = ['backup', 'report', ''];
const TAGS = ['db', 'db prod', ''];
const TIMEOUTS = [60, 86_400];

const fields: fc.Arbitrary<Fields> = fc.record(
  {
    name: fc.constantFrom(...NAMES),
    slug: fc.constantFrom(...SLUGS),
    tags: fc.constantFrom(...TAGS),
    timeout: fc.constantFrom(...TIMEOUTS),
  },
  { requiredKeys: [] },
);

const target: fc.Arbitrary<Target> = fc.record({
  ofOther: fc.boolean(),
  index: fc.nat(LIMIT),
  byUniqueKey: fc.boolean(),
});

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      fields,
      unique: fc.subarray<UniqueField>(['name', 'slug', 'tags', 'timeout']),
    }),
    weight: 4,
  },
  { arbitrary: fc.record({ kind: fc.constant('update' as const), target, fields }), weight: 3 },
  {
    arbitrary: fc.record({
      kind: fc.constantFrom('get', 'flips', 'delete', 'pause', 'resume', 'pings'),
      target,
    }),
    weight: 6,
  },
  {
    arbitrary: fc.record({
      kind: fc.constant('list' as const),
      slug: fc.option(fc.constantFrom(...SLUGS), { nil: null }),
      tag: fc.option(fc.constantFrom('db', 'prod'), { nil: null }),
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ kind: fc.constant('project' as const), readsOnly: fc.boolean() }), weight: 1 },
);

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ tenant: fc.constantFrom(0 as const, 1 as const), operation }),
  { minLength: 1, maxLength: 40 },
);

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  for (const [name, seed] of Object.entries(SEEDS)) {
    test(`what one project does is never seen or felt by another, from ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.boolean(), steps, async (hasOneOwner, sequence) => {
          const tenants = await makeTenants(app(), hasOneOwner);

          for (const step of sequence) await play(app(), tenants, step, hasOneOwner);

          for (const tenant of tenants) await assertListed(app(), tenant, tenant.checks, '');
        }),
        { numRuns: SEQUENCES, seed },
      );
    });
  }
});

async function makeTenants(app: TestApp, hasOneOwner: boolean): Promise<[Tenant, Tenant]> {
  const limits = { checks: LIMIT, pings: 100 };
  const first = await app.givenProject({ limits });
  const second = await app.givenProject(hasOneOwner ? { ownerId: first.ownerId } : { limits });
  return [
    { given: first, checks: [] },
    { given: second, checks: [] },
  ];
}

async function play(
  app: TestApp,
  tenants: readonly [Tenant, Tenant],
  { tenant, operation: doing }: Step,
  hasOneOwner: boolean,
): Promise<void> {
  const self = tenants[tenant];
  const other = tenants[tenant === 0 ? 1 : 0];
  // Projects of one owner share the limit, and nothing else.
  const used = self.checks.length + (hasOneOwner ? other.checks.length : 0);
  switch (doing.kind) {
    case 'create':
      return create(app, self, doing, used);
    case 'list':
      return list(app, self, doing);
    case 'project':
      return assertOwnProject(app, self, doing.readsOnly);
    default:
      return onOne(app, self, other, doing);
  }
}

async function create(
  app: TestApp,
  self: Tenant,
  { fields: sent, unique }: Extract<Operation, { kind: 'create' }>,
  used: number,
): Promise<void> {
  const body = { ...sent, ...(unique.length > 0 && { unique }) };
  const isLookup = unique.length > 0 && unique.every((field) => sent[field] !== undefined);
  const existing = isLookup
    ? self.checks.find((check) => unique.every((field) => check[field] === sent[field]))
    : undefined;

  const reply = await app.request('POST', '/api/v3/checks/', { key: self.given.key, body });

  if (existing !== undefined) {
    Object.assign(existing, sent);
    return assertShown(reply, 200, existing);
  }
  if (used >= LIMIT) return assert.equal(reply.status, 403);
  const { uuid }: { uuid?: unknown } = Object(reply.json);
  const check: ModelCheck = {
    uuid: String(uuid),
    name: '',
    slug: '',
    tags: '',
    timeout: 86_400,
    status: 'new',
    ...sent,
  };
  self.checks.push(check);
  assertShown(reply, 201, check);
}

async function list(
  app: TestApp,
  self: Tenant,
  { slug, tag }: Extract<Operation, { kind: 'list' }>,
): Promise<void> {
  const expected = self.checks.filter(
    (check) => (!slug || check.slug === slug) && (tag === null || check.tags.split(' ').includes(tag)),
  );
  const query = new URLSearchParams({ ...(slug !== null && { slug }), ...(tag !== null && { tag }) });
  await assertListed(app, self, expected, `?${query}`);
}

async function assertOwnProject(
  app: TestApp,
  { given: { project, key, readOnlyKey } }: Tenant,
  readsOnly: boolean,
): Promise<void> {
  const reply = await app.request('GET', '/api/v3/project/', { key: readsOnly ? readOnlyKey : key });

  assert.equal(reply.status, 200);
  const { name, uuid }: { name?: unknown; uuid?: unknown } = Object(reply.json);
  assert.deepEqual([name, uuid], [project.name, project.uuid]);
}

async function onOne(
  app: TestApp,
  self: Tenant,
  other: Tenant,
  doing: Exclude<Operation, { kind: 'create' | 'list' | 'project' }>,
): Promise<void> {
  const { target: wanted, kind } = doing;
  const check = (wanted.ofOther ? other : self).checks[wanted.index];
  // Only these two know a check by its unique key.
  const byUniqueKey = wanted.byUniqueKey && (kind === 'get' || kind === 'flips');
  const uuid = check?.uuid ?? '00000000-0000-4000-8000-000000000000';
  const path = `/api/v3/checks/${byUniqueKey ? uniqueKeyOf(uuid) : uuid}`;

  const reply = await call(app, self, doing, path);

  if (check === undefined) return assert.equal(reply.status, 404);
  if (wanted.ofOther) {
    // By its unique key a foreign check does not even seem to exist.
    assert.equal(reply.status, byUniqueKey ? 404 : 403);
    return assertSaysNothingOf(reply, check);
  }
  switch (kind) {
    case 'update':
      Object.assign(check, doing.fields);
      return assertShown(reply, 200, check);
    case 'pause':
      check.status = 'paused';
      return assertShown(reply, 200, check);
    case 'resume':
      if (check.status !== 'paused') return assert.equal(reply.status, 409);
      check.status = 'new';
      return assertShown(reply, 200, check);
    case 'delete':
      assertShown(reply, 200, check);
      self.checks.splice(self.checks.indexOf(check), 1);
      return;
    case 'get':
      return assertShown(reply, 200, check);
    case 'flips':
    case 'pings':
      return assert.equal(reply.status, 200);
  }
}

function call(
  app: TestApp,
  { given: { key } }: Tenant,
  doing: Exclude<Operation, { kind: 'create' | 'list' | 'project' }>,
  path: string,
): Promise<Reply> {
  switch (doing.kind) {
    case 'update':
      return app.request('POST', path, { key, body: doing.fields });
    case 'pause':
    case 'resume':
      return app.request('POST', `${path}/${doing.kind}`, { key });
    case 'flips':
    case 'pings':
      return app.request('GET', `${path}/${doing.kind}/`, { key });
    case 'delete':
      return app.request('DELETE', path, { key });
    case 'get':
      return app.request('GET', path, { key });
  }
}

/** By either key of the tenant the list equals the model's. */
async function assertListed(
  app: TestApp,
  { given }: Tenant,
  expected: readonly ModelCheck[],
  query: string,
): Promise<void> {
  for (const key of [given.key, given.readOnlyKey]) {
    const reply = await app.request('GET', `/api/v3/checks/${query}`, { key });
    assert.equal(reply.status, 200);
    const { checks }: { checks: Record<string, unknown>[] } = Object(reply.json);
    assert.deepEqual(
      checks.map(({ uuid, unique_key, name, slug, tags, timeout, status }) => ({
        id: uuid ?? unique_key,
        name,
        slug,
        tags,
        timeout,
        status,
      })),
      expected.map(({ uuid, ...rest }) => ({
        id: key === given.key ? uuid : uniqueKeyOf(uuid),
        ...rest,
      })),
    );
  }
}

function assertShown(reply: Reply, status: number, expected: ModelCheck): void {
  assert.equal(reply.status, status, reply.text);
  const { uuid, name, slug, tags, timeout, status: shown }: Record<string, unknown> = Object(reply.json);
  assert.deepEqual({ uuid, name, slug, tags, timeout, status: shown }, { ...expected });
}

function assertSaysNothingOf(reply: Reply, { uuid }: ModelCheck): void {
  assert.equal(reply.text.includes(uuid) || reply.text.includes(uniqueKeyOf(uuid)), false, reply.text);
}
