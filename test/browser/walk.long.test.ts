import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { startVite, type ViteServer } from '../../scripts/vite-server.ts';
import { FakeSender, failure, newNotifier } from '../alerts.ts';
import { SITE } from '../app.ts';
import { until } from '../waiting.ts';
import { type Dashboard, isQuiet, startDashboard } from './dashboard.ts';
import { type Demo, makeDemo, pathsOf } from './demo.ts';

let dashboard: Dashboard;
let vite: ViteServer;
let demo: Demo;

before(async () => {
  // In development React complains, for example about parts of a page that it cannot tell apart.
  dashboard = await startDashboard('sqlite', {}, {}, async (servicePort) => {
    const siteHost = new URL(SITE.root).hostname;
    vite = await startVite({ host: '127.0.0.1', port: 0, servicePort, siteHost });
    return vite.port;
  });
  demo = await makeDemo(dashboard.app);
  await failTwiceAtOnce();
});

after(async () => {
  await dashboard[Symbol.asyncDispose]();
  await vite[Symbol.asyncDispose]();
});

/** Two integrations of one check are tried again in the same second. */
async function failTwiceAtOnce(): Promise<void> {
  const { app } = dashboard;
  const check = demo.checks.get('log-rotation') ?? assert.fail();
  const hook = { method: 'POST', url: 'https://example.org/alert', headers: {}, body: '' };
  const given = (name: string) =>
    app.givenChannel(demo.project, { kind: 'webhook', name, settings: { down: hook, up: null } });
  await app.assign(check, await given('First'), await given('Second'));
  await app.receive(check, 'fail');
  const sender = new FakeSender();
  sender.answer = () => failure('Received status code 503', false, 600);
  const notifier = newNotifier(app, sender);
  await notifier.tick();
  await notifier.settled();
  assert.equal(sender.sent.length, 2);
}

/** Nothing of it is on its way any more. */
async function isShown(page: Page, path: string): Promise<void> {
  await page.waitForURL(SITE.root + path);
  await until(`${path} is shown`, () =>
    page.evaluate<boolean>(
      `document.querySelector('main h1, main h2') !== null && document.querySelector('main .bg-quiet-t.h-2\\\\.5') === null`,
    ),
  );
}

/** Goes there as a link does, without a new load. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`);
  await isShown(page, path);
}

/** What style sheets give to each kind of element, by the way to it. What follows from the size of texts is left out. */
const STYLES = `(() => {
  const given = ['display', 'position', 'padding', 'margin', 'min-height', 'font-size', 'font-weight', 'line-height', 'color',
    'background-color', 'background-image', 'border-width', 'border-style', 'border-radius', 'gap', 'z-index', 'opacity'];
  const nameOf = (element) => element.tagName + '.' + (element.getAttribute('class') ?? '');
  // Lists measure themselves, and write what they find to their elements.
  const isOwn = (element, name) => Array.from(element.style).some((own) => own.startsWith(name));
  const found = {};
  for (const element of document.querySelectorAll('main *')) {
    const way = [];
    for (let one = element; one.tagName !== 'MAIN'; one = one.parentElement) way.unshift(nameOf(one));
    const style = getComputedStyle(element);
    found[way.join(' > ')] ??= given.filter((name) => !isOwn(element, name))
      .map((name) => name + ': ' + style.getPropertyValue(name)).join('; ');
  }
  return found;
})()`;

type Styles = Readonly<Record<string, string>>;

/** The styles of two pages as soon as they have most elements in common: rows come one after another. */
async function bothStyles(...pages: readonly [Page, Page]): Promise<[Styles, Styles]> {
  let styles: [Styles, Styles] = [{}, {}];
  await until('both show the same', async () => {
    styles = [await pages[0].evaluate<Styles>(STYLES), await pages[1].evaluate<Styles>(STYLES)];
    const [one, other] = styles.map((found) => new Set(Object.keys(found)));
    if (one === undefined || other === undefined) return false;
    return one.intersection(other).size > 0.8 * one.union(other).size;
  });
  return styles;
}

test('a page looks the same after all the others, and no page has parts that React cannot tell apart', async () => {
  const paths = pathsOf(demo);
  await using visit = await dashboard.visitAs(demo.owner);
  const { page } = visit;
  await page.goto(SITE.root + paths[0]);
  for (const path of paths) await goTo(page, path);
  isQuiet(visit);
  const compared = paths.filter((path) => /checks|timeline|integrations/.test(path));
  for (const path of compared) {
    await goTo(page, path);
    await using fresh = await dashboard.visitAs(demo.owner);
    await fresh.page.goto(SITE.root + path);
    await isShown(fresh.page, path);
    const [walked, loaded] = await bothStyles(page, fresh.page);
    const shared = Object.keys(loaded).filter((way) => way in walked);
    const others = shared.filter((way) => walked[way] !== loaded[way]);
    assert.deepEqual(
      others.map((way) => [way, walked[way]]),
      others.map((way) => [way, loaded[way]]),
      path,
    );
  }
});
