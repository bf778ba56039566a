import { once } from 'node:events';
import { createServer } from 'node:net';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export const SCREENS = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
  narrow: { width: 360, height: 740 },
} as const;

/** A page in a browser of its own, which has never been there. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  /** What the browser did not like. */
  readonly complaints: readonly string[];
  /** Addresses that are not of this instance. */
  readonly foreign: readonly string[];
}

export async function visit(
  browser: Browser,
  root: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ viewport: SCREENS.desktop, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const foreign: string[] = [];
  page.on('console', (message) => {
    const isComplaint = message.type() === 'error' || message.type() === 'warning';
    // Browsers report every refusal of the API there. The page shows it to the person.
    const isRefusal = message.location().url.startsWith(`${root}/dashboard/api/`);
    if (isComplaint && !isRefusal) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${root}/`) && !request.url().startsWith('data:'))
      foreign.push(request.url());
  });
  return { page, complaints, foreign, [Symbol.asyncDispose]: () => context.close() };
}

export interface Look {
  /** Of the background, up to 255. */
  readonly brightness: number;
  /** By how many pixels the page is wider than the screen. */
  readonly overflow: number;
}

/** Runs in the page. A text, because the types of the browser are not known here. */
const LOOK = `({
  brightness: Math.max(
    ...[document.body, document.documentElement]
      .map((element) => getComputedStyle(element).backgroundColor)
      .find((color) => color !== 'rgba(0, 0, 0, 0)')
      .match(/\\d+/g)
      .slice(0, 3),
  ),
  overflow: document.documentElement.scrollWidth - innerWidth,
})`;

export function look(page: Page): Promise<Look> {
  return page.evaluate<Look>(LOOK);
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** What is in the way of people who use a keyboard or a screen reader, or do not see well. */
export async function barriers(page: Page): Promise<string[]> {
  // Evaluated in the page by the debugger, because the page itself runs no foreign script.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResult>(
    // What is hidden from screen readers is decoration, and looking at it takes long.
    `axe.run({ exclude: [['[aria-hidden="true"]']] })`,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** The public address must be known before the service starts. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
}
