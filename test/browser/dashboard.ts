import assert from 'node:assert/strict';
import type { Browser, BrowserContextOptions, Locator } from 'playwright-core';
import type { Project } from '../../src/domain/people/project.ts';
import { readPages } from '../../src/http/pages/page-files.ts';
import type { Engine } from '../../src/storage/dialect.ts';
import { SITE, startTestApp, type TestApp } from '../app.ts';
import type { Browser as HttpBrowser } from '../dashboard/browser.ts';
import { REPOSITORY } from '../process.ts';
import { until } from '../waiting.ts';
import { launchBrowser } from './chromium.ts';
import { looks } from './looks.ts';
import { barriers, look, SCREENS, type Visit, visit } from './visit.ts';

/** A node with its pages, and a real browser that finds it at the address of the site. */
export interface Dashboard extends AsyncDisposable {
  readonly app: TestApp;
  readonly browser: Browser;
  /** A page of a person who is signed in: `person.browser` holds the cookies. */
  visitAs(person: { readonly browser: HttpBrowser }, options?: BrowserContextOptions): Promise<Visit>;
}

/** Browsers make passkeys for the site under the address at which they find it. */
const passkeySite = { id: new URL(SITE.root).hostname, origin: SITE.root, name: 'Tocsin' };

/**
 * The clock starts at the time of the machine, because the browser has that one, and only the test moves it. `parts` are
 * as in `startTestApp`, and so are `accounts`. `front` tells the port of what stands before the node, if something does.
 */
export async function startDashboard(
  engine: Engine = 'sqlite',
  parts: NonNullable<Parameters<typeof startTestApp>[5]> = {},
  accounts: NonNullable<Parameters<typeof startTestApp>[4]> = {},
  front: (port: number) => number | Promise<number> = (port) => port,
): Promise<Dashboard> {
  await using opened = new AsyncDisposableStack();
  const pages =
    (await readPages(`${REPOSITORY}/web/dist`, { path: '', name: SITE.name })) ??
    assert.fail('npm run pages comes first');
  const app = opened.use(
    await startTestApp(engine, {}, { pages }, null, { passkeySite, ...accounts }, parts),
  );
  app.clock.set(Date.now() * 1_000);
  const browser = opened.use(await launchBrowser(flagsFor(await front(await app.port()))));
  const resources = opened.move();
  return {
    app,
    browser,
    visitAs: async (person, options) => {
      const page = await visit(browser, SITE.root, options);
      const cookies = [...person.browser.cookies].map(([name, value]) => ({ name, value, url: SITE.root }));
      await page.page.context().addCookies(cookies);
      return page;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** The site has a name that no other machine knows, and browsers trust it as they trust one with TLS. */
export function flagsFor(port: number): string[] {
  const host = new URL(SITE.root).host;
  return [
    `--host-resolver-rules=MAP ${host} 127.0.0.1:${port}`,
    `--unsafely-treat-insecure-origin-as-secure=${SITE.root}`,
  ];
}

/** Open pages are told that checks of the project have changed, until this is shown. */
export async function appears(
  { app: { node, clock } }: Pick<Dashboard, 'app'>,
  { id: projectId }: Pick<Project, 'id'>,
  what: Locator,
): Promise<void> {
  await until(`${what} is shown`, async () => {
    node.parts.changes.announce([{ projectId, checkIds: 'all', channelIds: [], touchesStatus: true }]);
    clock.advance({ seconds: 0.2 });
    node.parts.changes.tick();
    await node.http.live.tick();
    return what.first().isVisible();
  });
}

/** Waits until the page hears of changes. Its stream is that of a worker, whose requests a page does not show. */
export async function isLive({ page }: Pick<Visit, 'page'>): Promise<void> {
  // In tests the loops rest, so that a page may also be told that nobody sends alerts.
  await page
    .getByText(/^(Live, and watching|Alerts are not being sent)$/)
    .first()
    .waitFor({ state: 'attached' });
}

/** So many looks in a row without another answer mean that the page has read all it shows. */
const IDLE_LOOKS = 25;

/** Waits until the page reads nothing more. To the browser it is never idle: it does not see the end of its worker's requests. */
export async function isIdle({ page }: Pick<Visit, 'page'>): Promise<void> {
  let [known, looks] = [-1, 0];
  await until('the page reads nothing more', async () => {
    const count = await page.evaluate<number>("performance.getEntriesByType('resource').length");
    looks = count === known ? looks + 1 : 0;
    known = count;
    return looks === IDLE_LOOKS;
  });
}

/** The browser had nothing to complain about, and asked nobody else. */
export function isQuiet({ complaints, foreign }: Visit): void {
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
}

/** Opens one of the pages that stand together, from another one of them, as a person does: without a new load. */
export async function openSection({ page }: Visit, name: string): Promise<void> {
  await page.getByRole('main').getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await until(`${name} is open`, async () => (await page.title()).startsWith(name));
  // Opening its address works, too.
  assert.equal(await page.evaluate('fetch(location.pathname).then(({ status }) => status)'), 200);
}

/** The page that is open can be used by everybody, in every theme, and it fits every screen. For a `lookTest`. */
export async function isAccessible({ page }: Visit): Promise<void> {
  for (const screen of looks.screens) {
    await page.setViewportSize(screen);
    for (const colorScheme of looks.themes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await until(`the page is ${colorScheme}`, async () => {
        const { brightness } = await look(page);
        return brightness < 128 === (colorScheme === 'dark');
      });
      // The second theme changes nothing but colours.
      const what = colorScheme === 'light' ? 'all' : 'colours';
      assert.deepEqual(await barriers(page, what), [], `${colorScheme}, ${screen.width} px`);
    }
  }
  await page.setViewportSize(SCREENS.narrow);
  assert.equal((await look(page)).overflow, 0, 'the page is as wide as a narrow screen');
  await page.setViewportSize(SCREENS.desktop);
}
