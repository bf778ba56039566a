import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ACCOUNT_PERMISSIONS,
  isAllowed,
  isAllowedOnAccount,
  MEMBER_ROLES,
  needsConfirmation,
  type Role,
} from '../../src/domain/people/permission.ts';
import type { Project } from '../../src/domain/people/project.ts';
import { sharedTestApp } from '../app.ts';
import { forOneEngine } from '../engines.ts';
import { projectRecord } from '../records.ts';
import { givenAccount, newBrowser } from './browser.ts';
import { endpointsOf, projectEndpointsOf } from './endpoints.ts';
import { givenPerson, join, type Person } from './team.ts';

const REFUSALS = ['confirmation_required', 'permission_denied'];

const HOSTILE: readonly unknown[] = [
  '',
  '[]',
  'null',
  '"text"',
  '{"email":',
  '\u0000',
  {
    email: null,
    password: [],
    token: {},
    code: 7,
    sealed: false,
    response: 'x',
    pending: 1,
    name: {},
    tz: 7,
    role: 7,
    uuid: [],
    kind: [],
    language: {},
    checks: '1',
    pings: -1,
    reason: [],
    is_admin: 'x',
  },
  {
    email: 'a\u0000@b',
    password: '\ud800',
    token: '\u0000',
    code: '\u0000',
    sealed: '\u0000',
    name: '\u0000',
    role: '\u0000',
    uuid: '\u0000',
    kind: '\u0000',
    language: '\u0000',
  },
  {
    email: 'a@b',
    password: 'x'.repeat(1_000),
    token: 'x',
    code: 'x',
    sealed: 'x',
    response: {},
    pending: 'x',
  },
  {
    email: 'x@example.org',
    password: '👩‍👧'.repeat(9),
    code: '２８７０８２',
    sealed: 'e30',
    name: '\u202e',
    tz: 'x',
  },
  { __proto__: { email: 'a@b' }, constructor: 1, toString: 2 },
];

forOneEngine((engine) => {
  const app = sharedTestApp(engine, {}, {}, { signUp: { isOpen: true, domains: null } });

  const endpoints = () => endpointsOf(app());

  test('every endpoint is for visitors or asks the table of permissions', () => {
    const asked = endpoints().flatMap(({ permission }) => permission ?? []);

    assert.ok(endpoints().length > 30);
    assert.deepEqual([...new Set(asked)].toSorted(), [...ACCOUNT_PERMISSIONS].toSorted());
  });

  test('without a session every endpoint for people refuses, before it looks at anything', async () => {
    const stranger = newBrowser(app());
    for (const { method, path, permission, inProject } of endpoints()) {
      if (permission === null && inProject === null) continue;
      const reply = await stranger.send(method, path, method === 'POST' ? 'no JSON' : undefined);

      assert.equal(reply.status, 401, `${method} ${path}`);
      assert.equal(reply.json.code, 'not_signed_in');
    }
  });

  test('a session without a recent proof reaches exactly what the table gives it', async () => {
    const account = await givenAccount(app());
    const alice = newBrowser(app());
    for (const { method, path, permission } of endpoints()) {
      if (permission === null) continue;
      await alice.signIn(account.email);
      app().clock.advance({ minutes: 31 });
      const reply = await alice.send(method, path, method === 'POST' ? 'no JSON' : undefined);

      const isRefused = REFUSALS.some((code) => reply.text.includes(`"${code}"`));
      const caller = { kind: 'session', sessionId: 0, isConfirmed: false, isAdmin: false } as const;
      assert.equal(!isRefused, isAllowedOnAccount(caller, permission), `${method} ${path}`);
    }
  });

  test('an administrator reaches the installation, and changes it only after a recent proof', async () => {
    const account = await givenAccount(app(), { isAdmin: true });
    const admin = newBrowser(app());
    await admin.signIn(account.email);
    for (const isConfirmed of [true, false]) {
      if (!isConfirmed) app().clock.advance({ minutes: 31 });
      for (const { method, path, permission } of endpoints()) {
        if (!permission?.startsWith('instance.')) continue;
        const reply = await admin.send(method, path, method === 'POST' ? 'no JSON' : undefined);

        const isRefused = REFUSALS.some((code) => reply.text.includes(`"${code}"`));
        const caller = { kind: 'session', sessionId: 0, isConfirmed, isAdmin: true } as const;
        assert.equal(!isRefused, isAllowedOnAccount(caller, permission), `${method} ${path}`);
      }
    }
  });

  test('no endpoint takes a request that may change something from another site', async () => {
    const browser = newBrowser(app());
    for (const { method, path } of endpoints()) {
      if (method === 'GET') continue;
      const reply = await browser.send(method, path, undefined, { origin: 'https://evil.example' });

      assert.equal(reply.json.code, 'cross_origin', `${method} ${path}`);
    }
  });

  test('no body makes an endpoint fail', async () => {
    const { email } = await givenAccount(app(), { isAdmin: true });
    for (const { method, path, permission } of endpoints()) {
      if (method !== 'POST') continue;
      await app().deps.store.transaction((tx) => tx.attemptLimits.prune(Number.MAX_SAFE_INTEGER, 1_000));
      app().clock.advance({ days: 1 });
      const alice = newBrowser(app());
      if (permission !== null) await alice.signIn(email);
      for (const body of HOSTILE) {
        // Strangers have attempts of their own each, so that none is refused before its body is read.
        const browser = permission === null ? newBrowser(app()) : alice;
        const reply = await browser.send(method, path, body);

        assert.ok(reply.status < 500, `${method} ${path} ${JSON.stringify(body)}: ${reply.status}`);
      }
    }
  });

  /** A project in which the person has this role. */
  async function givenProjectOf({ account }: Person, role: Role): Promise<Project> {
    const owner = role === 'owner' ? account : await givenAccount(app(), { passwordHash: null });
    const project = await app().deps.store.transaction((tx) => tx.projects.insert(projectRecord(owner.id)));
    if (role !== 'owner') await join(app(), project, account, role);
    return project;
  }

  /** The UUID of such a project, or of a check in one. */
  async function givenTarget(person: Person, role: Role, names: 'project' | 'check'): Promise<string> {
    const project = await givenProjectOf(person, role);
    return names === 'project' ? project.uuid : (await app().givenCheck(project)).uuid;
  }

  for (const role of [...MEMBER_ROLES, 'owner'] as const) {
    for (const isConfirmed of [true, false]) {
      const who = `the role ${role}${isConfirmed ? ' after a proof of identity' : ''}`;

      test(`${who} reaches exactly what the table gives it, and is refused before the body is read`, async () => {
        const person = await givenPerson(app());
        if (!isConfirmed) app().clock.advance({ minutes: 31 });
        const caller = { kind: 'member', accountId: person.account.id, role, isConfirmed } as const;
        const tried = projectEndpointsOf(app());
        assert.ok(tried.length > 8);

        for (const { method, of, inProject, names } of tried) {
          const uuid = await givenTarget(person, role, names);
          const reply = await person.browser.send(
            method,
            of(uuid),
            method === 'POST' ? 'no JSON' : undefined,
          );

          const what = `${method} ${of(uuid)}: ${reply.status} ${reply.text}`;
          const code = reply.status < 300 ? null : reply.json.code;
          if (!isAllowed(caller, inProject)) {
            const isOffered = needsConfirmation(caller, inProject);
            assert.equal(code, isOffered ? 'confirmation_required' : 'permission_denied', what);
          } else if (method === 'POST') assert.equal(code, 'invalid_body', what);
          else {
            const refusals = [...REFUSALS, `${names}_not_found`];
            assert.ok(reply.status < 500 && !refusals.includes(code), what);
          }
        }
      });
    }
  }

  test('no body makes an endpoint in a project fail', async () => {
    const { account, browser } = await givenPerson(app());
    for (const { method, of, names } of projectEndpointsOf(app())) {
      if (method !== 'POST') continue;
      for (const body of HOSTILE) {
        await app().deps.store.transaction((tx) => tx.attemptLimits.prune(Number.MAX_SAFE_INTEGER, 1_000));
        const uuid = await givenTarget({ account, browser }, 'owner', names);
        const reply = await browser.send(method, of(uuid), body);

        assert.ok(reply.status < 500, `${method} ${of(uuid)} ${JSON.stringify(body)}: ${reply.status}`);
      }
    }
  });
});
