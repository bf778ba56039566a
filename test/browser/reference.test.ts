import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { type OpenApi, operationsOf } from '../api/openapi-document.ts';
import { listening, startCli, temporaryFolder } from '../process.ts';
import { until } from '../waiting.ts';
import { LAUNCH_TIMEOUT, launchBrowser } from './chromium.ts';
import { freePort, look, SCREENS, type Visit, visit } from './visit.ts';

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

for (const screen of ['desktop', 'phone'] as const) {
  const viewport = SCREENS[screen];
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`the reference shows every operation on a ${screen}, ${colorScheme}`, async () => {
      await using visitor = await openReference({ viewport, colorScheme });
      const { page, complaints, foreign } = visitor;

      for (const { operation } of operationsOf(document)) {
        await page.getByText(operation.summary, { exact: true }).first().waitFor();
      }
      const { brightness, overflow } = await look(page);

      assert.equal(brightness < 128 ? 'dark' : 'light', colorScheme);
      assert.ok(overflow <= 0, `the page is ${overflow} pixels wider than the screen`);
      assert.deepEqual(complaints, []);
      assert.deepEqual(foreign, []);
    });
  }
}

test('a group of operations is one click away', async () => {
  await using visitor = await openReference({ viewport: SCREENS.phone });
  const { page, complaints } = visitor;
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
  await using visitor = await openReference({ viewport: SCREENS.desktop });
  const { page, complaints, foreign } = visitor;

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

/** The reference in a browser that has never been there. */
async function openReference(options: Parameters<Browser['newContext']>[0]): Promise<Visit> {
  const opened = await visit(browser, root, options);
  await opened.page.goto(`${root}/docs/api/`);
  await opened.page.getByRole('heading', { name: 'Tocsin API' }).waitFor();
  return opened;
}
