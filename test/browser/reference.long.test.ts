import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { type OpenApi, operationsOf } from '../api/openapi-document.ts';
import { DECLARATION, KEY } from '../cli.test-support.ts';
import { freePort } from '../free-port.ts';
import { listening, startCli, temporaryFolder } from '../process.ts';
import { becomes, until } from '../waiting.ts';
import { launchBrowser } from './chromium.ts';
import { looks } from './looks.ts';
import { look, SCREENS, type Visit, visit } from './visit.ts';

const parts = new AsyncDisposableStack();
let browser: Browser;
let root: string;
let document: OpenApi;

before(async () => {
  const { path } = parts.use(await temporaryFolder());
  await writeFile(join(path, 'declaration.yaml'), DECLARATION);
  const port = await freePort();
  root = `http://127.0.0.1:${port}`;
  const env = { PORT: String(port), SITE_ROOT: root, PROVISION_FILE: 'declaration.yaml' };
  await listening(parts.use(startCli(['serve'], { cwd: path, env })));
  document = (await (await fetch(`${root}/api/v3/openapi.json`)).json()) as OpenApi;
  browser = parts.use(await launchBrowser());
});

after(() => parts.disposeAsync());

test('the reference shows every operation, on every screen, light and dark', async () => {
  await using visitor = await openReference();
  const { page, complaints, foreign } = visitor;
  const summaries = operationsOf(document).map(({ operation }) => operation.summary);
  /** The drawn lines: hidden ones are not among them. */
  const missing = async () => {
    const drawn = new Set((await page.locator('body').innerText()).split('\n'));
    return summaries.filter((summary) => !drawn.has(summary));
  };

  for (const screen of looks.screens) {
    await page.setViewportSize(screen);
    for (const colorScheme of looks.themes) {
      await page.emulateMedia({ colorScheme });

      await becomes(missing, []);
      await becomes(async () => (await look(page)).brightness < 128, colorScheme === 'dark');
      const { overflow } = await look(page);
      assert.ok(overflow <= 0, `${screen.width} px: the page is ${overflow} pixels wider than the screen`);
    }
  }
  assert.ok(summaries.length > 20);
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
});

test('a group of operations is one click away', async () => {
  await using visitor = await openReference();
  const { page, complaints } = visitor;
  await page.setViewportSize(SCREENS.phone);
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
  await using visitor = await openReference();
  const { page, complaints, foreign } = visitor;

  await page.getByRole('button', { name: 'Authorize' }).first().click();
  await page.getByRole('textbox', { name: 'Value:' }).first().fill(KEY);
  await page.getByRole('button', { name: 'Apply credentials' }).first().click();
  await page.getByRole('button', { name: 'Close', exact: true }).last().click();
  await page.getByText('List integrations', { exact: true }).click();
  await page.getByRole('button', { name: 'Try it out' }).click();
  const answer = page.waitForResponse((response) => response.url().startsWith(`${root}/api/v3/channels/`));
  await page.getByRole('button', { name: 'Execute' }).click();

  assert.equal((await answer).status(), 200);
  await page.getByRole('heading', { name: 'Response body' }).first().waitFor();
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
});

async function openReference(): Promise<Visit> {
  const opened = await visit(browser, root);
  await opened.page.goto(`${root}/docs/api/`);
  await opened.page.getByRole('heading', { name: 'Tocsin API' }).waitFor();
  return opened;
}
