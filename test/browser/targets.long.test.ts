import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { SITE } from '../app.ts';
import { type Dashboard, isIdle, startDashboard } from './dashboard.ts';
import { type Demo, makeDemo, pathsOf } from './demo.ts';
import { smallTargets } from './targets.ts';
import { SCREENS, type Visit, visit } from './visit.ts';

let dashboard: Dashboard;
let demo: Demo;

before(async () => {
  dashboard = await startDashboard('sqlite', {}, { signUp: { isOpen: true, domains: null } });
  demo = await makeDemo(dashboard.app);
});

after(() => dashboard[Symbol.asyncDispose]());

const PHONE = { viewport: SCREENS.phone, isMobile: true, hasTouch: true };

type Act = (page: Page) => Promise<unknown>;

/** What is too small on each of these pages, after the act. */
async function tooSmall(
  visited: Visit,
  scenes: Iterable<readonly [path: string, act?: Act]>,
): Promise<Record<string, readonly string[]>> {
  const found: Record<string, readonly string[]> = {};
  for (const [path, act] of scenes) {
    await visited.page.goto(SITE.root + path);
    await isIdle(visited);
    await act?.(visited.page);
    const small = await smallTargets(visited.page);
    if (small.length > 0) found[`${path} ${act ?? ''}`] = small;
  }
  return found;
}

test('a finger meets every control of every page', async () => {
  await using visited = await dashboard.visitAs(demo.owner, PHONE);
  assert.deepEqual(
    await tooSmall(
      visited,
      pathsOf(demo).map((path) => [path] as const),
    ),
    {},
  );
});

test('a finger meets every control of menus, dialogs and sheets', async () => {
  await using visited = await dashboard.visitAs(demo.owner, PHONE);
  const base = `/projects/${demo.project.uuid}`;
  const check = `/checks/${demo.checks.get('nightly-etl')?.uuid}`;
  const press =
    (role: 'button' | 'tab', name: string | RegExp): Act =>
    (page) =>
      page.getByRole(role, { name }).filter({ visible: true }).first().tap();
  const openChannel: Act = (page) => page.getByRole('link', { name: 'On-call' }).first().tap();
  assert.deepEqual(
    await tooSmall(visited, [
      [`${base}/checks/`, press('button', 'More')],
      [`${base}/checks/`, press('button', demo.project.name)],
      [`${base}/checks/`, press('button', 'Tag')],
      [`${base}/checks/`, press('button', 'View options')],
      [`${base}/checks/`, press('button', 'Legend')],
      [`${base}/checks/`, press('button', /^Search or run/)],
      [`${base}/checks/?status=down`],
      [`${base}/settings/keys/`, press('button', 'New key')],
      [`${base}/settings/team/`, press('button', 'Invite')],
      [`${base}/settings/danger/`, press('button', 'Delete…')],
      [`${base}/status-pages/`, press('button', 'Add status page')],
      [`${base}/integrations/`, openChannel],
      [`${check}/details/`, press('button', 'More')],
      [`${check}/log/#ping-60`],
    ]),
    {},
  );
});

test('a finger meets every control of pages for strangers', async () => {
  await using stranger = await visit(dashboard.browser, SITE.root, PHONE);
  const paths = ['/accounts/login/', '/accounts/sign-up/', '/accounts/password/'];
  assert.deepEqual(
    await tooSmall(
      stranger,
      paths.map((path) => [path] as const),
    ),
    {},
  );
});
