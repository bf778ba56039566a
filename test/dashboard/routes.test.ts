import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ACCOUNT_PERMISSIONS,
  type AccountPermission,
  isAllowedOnAccount,
  type Permission,
} from '../../src/domain/permission.ts';
import { dashboardRoutes } from '../../src/http/dashboard/routes.ts';
import { SITE, sharedTestApp } from '../app.ts';
import { forEachEngine } from '../engines.ts';
import { givenAccount, newBrowser } from './browser.ts';

const UUID = '5c7e2a10-93b4-4d6f-8a21-0f1e2d3c4b5a';

interface Endpoint {
  readonly method: string;
  /** Below `/dashboard/api`. */
  readonly path: string;
  /** On the account. Null for visitors, and in a project. */
  readonly permission: AccountPermission | null;
  /** In the project that the path names. */
  readonly inProject: Permission | null;
}

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
  },
  {
    email: 'a\u0000@b',
    password: '\ud800',
    token: '\u0000',
    code: '\u0000',
    sealed: '\u0000',
    name: '\u0000',
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

forEachEngine((engine) => {
  const app = sharedTestApp(engine, {}, {}, { signUp: { isOpen: true, domains: null } });

  function endpoints(): Endpoint[] {
    return dashboardRoutes(app().node.accounts, SITE).flatMap(({ path, operations }) =>
      Object.entries(operations).map(([method, operation]) => ({
        method,
        path: path.replace('/dashboard/api', '').replaceAll(/:\w+\([^)]*\)/g, UUID),
        permission: operation.auth === 'session' ? operation.permission : null,
        inProject: operation.auth === 'member' ? operation.permission : null,
      })),
    );
  }

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

      const isRefused = reply.text !== '' && reply.json.code === 'confirmation_required';
      const caller = { kind: 'session', sessionId: 0, isConfirmed: false } as const;
      assert.equal(!isRefused, isAllowedOnAccount(caller, permission), `${method} ${path}`);
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
    const { email } = await givenAccount(app());
    for (const { method, path } of endpoints()) {
      if (method !== 'POST') continue;
      for (const body of HOSTILE) {
        const browser = newBrowser(app());
        await app().deps.store.transaction((tx) => tx.attemptLimits.prune(Number.MAX_SAFE_INTEGER, 1_000));
        if (path.startsWith('/account') || path.startsWith('/session')) {
          app().clock.advance({ days: 1 });
          await browser.signIn(email);
        }
        const reply = await browser.send(method, path, body);

        assert.ok(reply.status < 500, `${method} ${path} ${JSON.stringify(body)}: ${reply.status}`);
      }
    }
  });
});
