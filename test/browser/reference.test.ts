import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { type OpenApi, operationsOf } from '../api/openapi-document.ts';
import { listening, startCli, temporaryFolder } from '../process.ts';
import { until } from '../waiting.ts';
import { LAUNCH_TIMEOUT, launchBrowser } from './chromium.ts';

const parts = new AsyncDisposableStack();
let browser: Browser;
let root: string;
let key: string;
let document: OpenApi;

before(async () => {
  const { path } = parts.use(await temporaryFolder());
  const port = await freePort();
  root = `http://127.0.0.1:${port}`;
  const service = parts.use(startCli(['serve'], { cwd: path, env: { PORT: String(port), SITE_ROOT: root } }));
  await listening(service);
  [, key = ''] = await service.output(/read-write key +(\S+)/);
  document = (await (await fetch(`${root}/api/v3/openapi.json`)).json()) as OpenApi;
  browser = parts.use(await launchBrowser());
}, LAUNCH_TIMEOUT);

after(() => parts.disposeAsync());

const SCREENS = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

for (const [screen, viewport] of Object.entries(SCREENS)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`the reference shows every operation on a ${screen}, ${colorScheme}`, async () => {
      await using visit = await openReference({ viewport, colorScheme });
      const { page, complaints, foreign } = visit;

      for (const { operation } of operationsOf(document)) {
        await page.getByText(operation.summary, { exact: true }).first().waitFor();
      }
      const { brightness, overflow } = await page.evaluate<Look>(LOOK);

      assert.equal(brightness < 128 ? 'dark' : 'light', colorScheme);
      assert.ok(overflow <= 0, `the page is ${overflow} pixels wider than the screen`);
      assert.deepEqual(complaints, []);
      assert.deepEqual(foreign, []);
    });
  }
}

test('a group of operations is one click away', async () => {
  await using visit = await openReference({ viewport: SCREENS.phone });
  const { page, complaints } = visit;
  const bar = page.getByRole('navigation');
  const heading = page.getByRole('heading', { name: /^History/ }).getByRole('link');
  await heading.waitFor();

  await bar.getByRole('link', { name: 'History' }).click();

  const barHeight = (await bar.boundingBox())?.height ?? 0;
  await until('the heading stands right below the bar', async () => {
    const top = (await heading.boundingBox())?.y ?? 0;
    return top >= barHeight && top < barHeight + 100;
  });
  assert.deepEqual(complaints, []);
});

test('an operation can be tried out with a key', async () => {
  await using visit = await openReference({ viewport: SCREENS.desktop });
  const { page, complaints, foreign } = visit;

  await page.getByRole('button', { name: 'Authorize' }).first().click();
  await page.getByRole('textbox', { name: 'Value:' }).first().fill(key);
  await page.getByRole('button', { name: 'Apply credentials' }).first().click();
  await page.getByRole('button', { name: 'Close', exact: true }).last().click();
  await page.getByText('List integrations', { exact: true }).click();
  await page.getByRole('button', { name: 'Try it out' }).click();
  const answer = page.waitForResponse(`${root}/api/v3/channels/`);
  await page.getByRole('button', { name: 'Execute' }).click();

  assert.equal((await answer).status(), 200);
  await page.getByRole('heading', { name: 'Response body' }).first().waitFor();
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
});

interface Visit extends AsyncDisposable {
  readonly page: Page;
  /** What the browser did not like. */
  readonly complaints: readonly string[];
  /** Addresses that are not of this instance. */
  readonly foreign: readonly string[];
}

/** The reference in a browser that has never been there. */
async function openReference(options: Parameters<Browser['newContext']>[0]): Promise<Visit> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  const foreign: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${root}/`) && !request.url().startsWith('data:'))
      foreign.push(request.url());
  });
  await page.goto(`${root}/docs/api/`);
  await page.getByRole('heading', { name: 'Tocsin API' }).waitFor();
  return { page, complaints, foreign, [Symbol.asyncDispose]: () => context.close() };
}

interface Look {
  /** Of the background, up to 255. */
  readonly brightness: number;
  /** By how many pixels the page is wider than the screen. */
  readonly overflow: number;
}

/** Runs in the page. A text, because the types of the browser are not known here. */
const LOOK = `({
  brightness: Math.max(...getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3)),
  overflow: document.documentElement.scrollWidth - innerWidth,
})`;

/** The public address must be known before the service starts. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
}
