import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { answerPage, buttonPage } from '../../src/http/buttons/page.ts';
import { MAIL_SAMPLES } from '../mail-samples.ts';
import { HANG_MS } from '../waiting.ts';
import { launchBrowser } from './chromium.ts';
import { barriers, SCREENS } from './visit.ts';

/** The narrowest phone that is in use. */
const NARROW = 360;

/** Pages to which links in messages lead. They have no script. */
const BUTTON_PAGES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    (['acknowledge', 'snooze', 'pause'] as const).map((verb) => [
      `the page of a button to ${verb}`,
      buttonPage(
        {
          kind: 'ready',
          verb,
          name: 'a-very-long-name-of-a-job-that-nobody-would-break-into-words-himself',
          projectName: 'Prod',
          cause: 'No ping for 26 h, expected every day at 03:00.',
          isMany: false,
          page: { of: 'check', uniqueKey: '0123456789abcdef0123456789abcdef01234567' },
        },
        'https://tocsin.example.org',
      ),
    ]),
  ),
  'the page of a button of a message about many': buttonPage(
    {
      kind: 'ready',
      verb: 'snooze',
      name: '55 checks',
      projectName: 'Prod',
      cause: `${Array.from({ length: 20 }, (_, n) => `a-long-name-of-a-job-${n}`).join(', ')} and 35 more.`,
      isMany: true,
      page: { of: 'project', projectUuid: '7f8e1f5e-44c8-4b3c-8d0c-6f2f7d3c1a2b', tag: 'web & more' },
    },
    'https://tocsin.example.org',
  ),
  'the answer to a button': answerPage(
    {
      text: 'Acknowledged by a phone with ntfy ops.',
      done: null,
      page: { of: 'check', uniqueKey: '0'.repeat(40) },
    },
    'https://tocsin.example.org',
  ),
};

suite('mails and pages of their buttons in a browser', () => {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  const mails = Object.entries(MAIL_SAMPLES).map(([name, { html }]) => [name, html] as const);
  for (const [name, html] of [...mails, ...Object.entries(BUTTON_PAGES)]) {
    test(`${name} fits a phone and can be read by everybody, on a light screen and on a dark one`, async () => {
      await using context = await browser.newContext({ viewport: { ...SCREENS.phone, width: NARROW } });
      context.setDefaultTimeout(HANG_MS);
      const page = await context.newPage();
      const requests: string[] = [];
      page.on('request', (request) => requests.push(request.url()));

      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setContent(html);

        const [overflow, background] = await page.evaluate<[number, string]>(
          `[document.documentElement.scrollWidth - innerWidth, [document.body, document.documentElement]
            .map((one) => getComputedStyle(one).backgroundColor).find((colour) => colour !== 'rgba(0, 0, 0, 0)')]`,
        );
        assert.equal(overflow, 0);
        assert.equal(background, colorScheme === 'dark' ? 'rgb(11, 13, 16)' : 'rgb(246, 245, 242)');
        assert.deepEqual(await barriers(page), [], colorScheme);
      }
      assert.deepEqual(requests, []);
    });
  }
});
