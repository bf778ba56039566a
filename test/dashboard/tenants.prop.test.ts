import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Check } from '../../src/domain/check/check.ts';
import { isAllowed, MEMBER_ROLES, type MemberRole, type Role } from '../../src/domain/people/permission.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { form } from '../form.ts';
import { invitationRecord, projectRecord, unique } from '../records.ts';
import type { BrowserReply } from './browser.ts';
import { type Endpoint, endpointsOf, type ProjectEndpoint, projectEndpointsOf, UUID } from './endpoints.ts';
import { givenPerson, join, type Person, tokenIn } from './team.ts';

// A failure prints the counterexample with its seed and path; put them here to see it again.
const SEED = 20240301;
const RUNS = form.isLong ? 4 : 1;
const ACCOUNTS = 4;
const PROJECTS = 3;

const account = fc.nat({ max: ACCOUNTS - 1 });
const role = fc.constantFrom<MemberRole | null>(null, ...MEMBER_ROLES);

const plan = fc.record({
  owners: fc.array(account, { minLength: PROJECTS, maxLength: PROJECTS }),
  /** The role of each account in each project at first. */
  roles: fc.array(fc.array(role, { minLength: ACCOUNTS, maxLength: ACCOUNTS }), {
    minLength: PROJECTS,
    maxLength: PROJECTS,
  }),
  /** Later acts of the owners: they give a role, another one, or none. */
  steps: fc.array(fc.record({ project: fc.nat({ max: PROJECTS - 1 }), account, role }), { maxLength: 6 }),
});

type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

/** A project, who has which role in it, and what nobody else may read. */
interface Tenant {
  readonly project: Project;
  readonly check: Check;
  readonly invitationUuid: string;
  readonly roles: Map<number, Role>;
}

/** The content of a status page. */
const SCHEDULE = { kind: 'simple', timeout: 60, schedule: '* * * * *', tz: 'UTC', grace: 60, zone: 'UTC' };
const STATUS_PAGE = {
  ...{ title: 'x', slug: 'x-page', about: '', tz: 'UTC', components: [] },
  ...{ kind: 'incident', state: 'looking', text: 'x', starts: '2030-01-01T00:00:00Z' },
};

forOneEngine((engine) => {
  const app = sharedTestApp(engine);

  async function givenTenant(people: readonly Person[], owner: Person, roles: Plan['roles'][number]) {
    const { store } = app().deps;
    const record = projectRecord(owner.account.id, { name: `Project ${unique()}` });
    const project = await store.transaction((tx) => tx.projects.insert(record));
    const check = await app().givenCheck(project, { name: `Check ${unique()}` });
    const { expiresAt, ...invitation } = invitationRecord(project.id, { email: `${unique()}@example.org` });
    await store.transaction((tx) => tx.invitations.insert({ ...invitation, expiresAt: expiresAt * 2 }));
    const given = new Map<number, Role>([[owner.account.id, 'owner']]);
    for (const [index, { account: one }] of people.entries()) {
      const roleOfOne = roles[index] ?? null;
      if (roleOfOne === null || one.id === owner.account.id) continue;
      await join(app(), project, one, roleOfOne);
      given.set(one.id, roleOfOne);
    }
    return { project, check, invitationUuid: invitation.uuid, roles: given };
  }

  /** The owner gives the person this role, or takes it away, by the API. */
  async function takeStep(tenant: Tenant, owner: Person, person: Person, given: MemberRole | null) {
    const { id, uuid } = person.account;
    const path = `/projects/${tenant.project.uuid}`;
    const before = tenant.roles.get(id) ?? null;
    if (before === 'owner' || before === given) return;
    if (given === null) {
      assert.equal((await owner.browser.post(`${path}/do/removeMember`, { member: uuid })).status, 204);
      tenant.roles.delete(id);
      return;
    }
    if (before === null) {
      const { link } = (await owner.browser.post(`${path}/do/invite`, { role: given })).json;
      const accepted = await person.browser.post('/do/acceptInvitation', { token: tokenIn(link) });
      assert.equal(accepted.status, 204);
    } else {
      assert.equal(
        (await owner.browser.post(`${path}/do/changeRole`, { member: uuid, role: given })).status,
        200,
      );
    }
    tenant.roles.set(id, given);
  }

  /** Sends what changes nothing where it is allowed. Null where the endpoint acts without a body. */
  function probe(person: Person, { method, namesMore }: ProjectEndpoint, path: string) {
    if (method === 'POST') return person.browser.send(method, path, 'no JSON');
    return method === 'GET' || namesMore ? person.browser.send(method, path) : null;
  }

  /** The names of the project, or of its check, in a path of the endpoint. */
  const namesOf = ({ names }: ProjectEndpoint, { project, check: { uuid, uniqueKey } }: Tenant) =>
    names === 'project' ? [project.uuid] : [uuid, uniqueKey];

  /** Without a role the answer equals the one for a project or a check that does not exist, to the byte. */
  async function requireClosed(person: Person, endpoint: ProjectEndpoint, tenant: Tenant): Promise<void> {
    const { method, of } = endpoint;
    const others = [UUID, tenant.check.uuid, tenant.invitationUuid, person.account.uuid];
    for (const other of endpoint.namesMore ? others : [UUID]) {
      const body =
        method === 'POST'
          ? { role: 'manager', name: 'x', email: person.account.email, ...endpoint.naming(other) }
          : undefined;
      const unknown = await person.browser.send(method, of(UUID, other), body);
      for (const name of namesOf(endpoint, tenant)) {
        const reply = await person.browser.send(method, of(name, other), body);

        assert.equal(reply.status, 404, `${method} ${of(name, other)}`);
        assert.deepEqual(seen(reply), seen(unknown));
      }
    }
  }

  /** With a role the person gets in where the table says. */
  async function requireTable(
    person: Person,
    endpoint: ProjectEndpoint,
    tenant: Tenant,
    ownRole: Role,
  ): Promise<BrowserReply[]> {
    const replies: BrowserReply[] = [];
    for (const name of namesOf(endpoint, tenant)) {
      const reply = await requireEntry(person, endpoint, endpoint.of(name), ownRole);
      if (reply !== null) replies.push(reply);
    }
    return replies;
  }

  async function requireEntry(
    person: Person,
    endpoint: ProjectEndpoint,
    path: string,
    ownRole: Role,
  ): Promise<BrowserReply | null> {
    const reply = await probe(person, endpoint, path);
    if (reply === null) return null;
    const caller = { kind: 'member', accountId: 0, role: ownRole, isConfirmed: true } as const;
    const isRefused = reply.status === 403 && reply.json.code === 'permission_denied';
    assert.equal(
      !isRefused,
      isAllowed(caller, endpoint.inProject),
      `${endpoint.method} ${path} by ${ownRole}`,
    );
    assert.ok(reply.status < 500);
    assert.notEqual(reply.status >= 400 && reply.json.code, `${endpoint.names}_not_found`);
    return reply;
  }

  /** Rows of other projects are not found in this one, with any input. */
  async function nameForeign(
    person: Person,
    endpoint: ProjectEndpoint,
    tenant: Tenant,
    tenants: readonly Tenant[],
  ): Promise<BrowserReply[]> {
    const { method, namesMore, namesMany, of, naming } = endpoint;
    if (!namesMore) return [];
    // There are more endpoints than requests that a person may send at once.
    app().clock.advance({ seconds: 5 });
    const [own = ''] = namesOf(endpoint, tenant);
    const others = tenants.filter((one) => one !== tenant);
    const uuids = others.flatMap(({ check: { uuid }, invitationUuid }) => [uuid, invitationUuid]);
    const body =
      method === 'POST'
        ? {
            role: 'manager',
            name: 'x',
            email: `${unique()}@example.org`,
            checks: [],
            isAssigned: true,
            isTold: true,
            span: 'hour',
            policy: '',
            code: '123456',
            ...STATUS_PAGE,
            overlapHours: 24,
            settings: {},
            ...{ run_rules: {}, tags: '', channels: [] },
            ...SCHEDULE,
          }
        : undefined;
    const replies: BrowserReply[] = [];
    for (const uuid of uuids) {
      const reply = await person.browser.send(method, of(own, uuid), body && { ...body, ...naming(uuid) });
      // Of several, the answer says which were refused, in the words of the request.
      replies.push(namesMany ? { ...reply, text: reply.text.replaceAll(uuid, '') } : reply);
    }
    for (const { status, text } of replies)
      assert.ok(
        namesMany ? status < 500 : status === 403 || status === 404,
        `${method} ${of(own)} ${status} ${text}`,
      );
    return replies;
  }

  /** Everything that a person reads without naming a project. */
  function readAll(person: Person, endpoints: readonly Endpoint[]): Promise<BrowserReply[]> {
    const own = endpoints.filter((one) => one.method === 'GET' && one.inProject === null);
    return Promise.all(own.map(({ path }) => person.browser.get(path)));
  }

  /** Texts that name the project or something in it. */
  const marksOf = ({ project, check, invitationUuid }: Tenant) => [
    ...[project.uuid, project.name, project.badgeKey],
    ...[check.uuid, check.name, check.uniqueKey, check.badgeKey, invitationUuid],
  ];

  const stateOf = async ({ project }: Tenant) => {
    const { store } = app().deps;
    return JSON.stringify([
      await store.projects.byId(project.id),
      await store.projects.membersOf(project.id),
      await store.invitations.ofProject(project.id, 0),
      await store.checks.ofProject(project.id),
      await store.channels.ofProject(project.id),
      await store.apiKeys.ofProject(project.id),
    ]);
  };

  async function check(people: readonly Person[], { owners, roles, steps }: Plan): Promise<void> {
    const { store } = app().deps;
    await store.transaction((tx) => tx.attemptLimits.prune(Number.MAX_SAFE_INTEGER, 1_000));
    const ownerOf = (index: number) => people[owners[index] ?? 0] ?? assert.fail();
    const tenants: Tenant[] = [];
    for (const [index, given] of roles.entries())
      tenants.push(await givenTenant(people, ownerOf(index), given));
    for (const step of steps) {
      const person = people[step.account] ?? assert.fail();
      await takeStep(tenants[step.project] ?? assert.fail(), ownerOf(step.project), person, step.role);
    }
    const before = await Promise.all(tenants.map(stateOf));

    for (const person of people) {
      const replies = await readAll(person, endpointsOf(app()));
      for (const tenant of tenants) {
        const ownRole = tenant.roles.get(person.account.id);
        for (const endpoint of projectEndpointsOf(app())) {
          if (ownRole === undefined) {
            await requireClosed(person, endpoint, tenant);
            continue;
          }
          replies.push(...(await requireTable(person, endpoint, tenant, ownRole)));
          replies.push(...(await nameForeign(person, endpoint, tenant, tenants)));
        }
      }
      const foreign = tenants.filter((one) => !one.roles.has(person.account.id)).flatMap(marksOf);
      for (const { text } of replies)
        for (const mark of foreign) assert.ok(!text.includes(mark), `${mark} is in ${text}`);
    }

    assert.deepEqual(await Promise.all(tenants.map(stateOf)), before);
    for (const { project } of tenants) await store.transaction((tx) => tx.projects.delete(project.id));
  }

  const name = 'whatever memberships there are, nobody sees or reaches what they have no role for';
  test(name, async () => {
    const people: Person[] = [];
    for (let n = 0; n < ACCOUNTS; n++) people.push(await givenPerson(app()));
    assert.ok(projectEndpointsOf(app()).length > 8);

    await fc.assert(
      fc.asyncProperty(plan, (one) => check(people, one)),
      { seed: SEED, numRuns: RUNS },
    );
  });
});

/** The answer, apart from its time and its number. */
function seen({ status, headers: all, text }: BrowserReply) {
  const { date: _date, 'x-request-id': _id, ...headers } = all;
  return { status, headers, text };
}
