import assert from 'node:assert/strict';
import { after, before, suite } from 'node:test';
import type { Browser } from 'playwright-core';
import { MAIL_SAMPLES } from '../mail-samples.ts';
import { HANG_MS } from '../waiting.ts';
import { launchBrowser } from './chromium.ts';
import { test } from './tests.ts';
import { barriers, SCREENS } from './visit.ts';

suite('mails in a browser', () => {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  for (const [name, { html }] of Object.entries(MAIL_SAMPLES)) {
    test(`${name} fits a phone and can be read by everybody, on a light screen and on a dark one`, async () => {
      await using context = await browser.newContext({ viewport: SCREENS.phone });
      context.setDefaultTimeout(HANG_MS);
      const page = await context.newPage();
      const requests: string[] = [];
      page.on('request', (request) => requests.push(request.url()));

      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setContent(html);

        const [overflow, background] = await page.evaluate<[number, string]>(
          '[document.documentElement.scrollWidth - innerWidth, getComputedStyle(document.body).backgroundColor]',
        );
        assert.equal(overflow, 0);
        assert.equal(background, colorScheme === 'dark' ? 'rgb(11, 13, 16)' : 'rgb(246, 245, 242)');
        assert.deepEqual(await barriers(page), [], colorScheme);
      }
      assert.deepEqual(requests, []);
    });
  }
});
