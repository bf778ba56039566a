import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { HANG_MS } from '../waiting.ts';

export const SCREENS = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
  narrow: { width: 360, height: 740 },
} as const;

/** A page of somebody whom the site does not know. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  /** The browser's complaints. */
  readonly complaints: readonly string[];
  /** Refusals by the service. */
  readonly refusals: readonly string[];
  /** Addresses that are not of this instance. */
  readonly foreign: readonly string[];
}

/**
 * Nothing of an earlier visit is known to the site. The browser may have kept scripts of it, except with options, which
 * always make a profile of their own.
 */
export async function visit(browser: Browser, root: string, options?: BrowserContextOptions): Promise<Visit> {
  const { context, leave } =
    options === undefined ? await enterProfile(browser, root) : await newProfile(browser, options);
  const page = await context.newPage();
  const complaints: string[] = [];
  const refusals: string[] = [];
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
  page.on('response', (reply) => {
    if (reply.status() >= 400) refusals.push(`${reply.status()} ${reply.url()}`);
  });
  return { page, complaints, refusals, foreign, [Symbol.asyncDispose]: leave };
}

interface Profile {
  readonly context: BrowserContext;
  /** After the visit. */
  leave(): Promise<void>;
}

async function newProfile(browser: Browser, options: BrowserContextOptions): Promise<Profile> {
  const context = await browser.newContext({
    viewport: SCREENS.desktop,
    // Moving parts take time to draw, and can be clicked only when they stand still.
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(HANG_MS);
  return { context, leave: () => context.close() };
}

/** Profiles that nobody uses now, by browser and site. */
const freeProfiles = new WeakMap<Browser, Map<string, Profile[]>>();

/** Loading and compiling all scripts takes most of the time of a page. A profile that was used before has them. */
async function enterProfile(browser: Browser, root: string): Promise<Profile> {
  const bySite = freeProfiles.get(browser) ?? new Map<string, Profile[]>();
  freeProfiles.set(browser, bySite);
  const free = bySite.get(root) ?? [];
  bySite.set(root, free);
  const profile = free.pop() ?? (await newLastingProfile(browser, root));
  return {
    context: profile.context,
    leave: async () => {
      await profile.leave();
      free.push(profile);
    },
  };
}

async function newLastingProfile(browser: Browser, root: string): Promise<Profile> {
  const { context } = await newProfile(browser, {});
  // A tab that stays open, so that the process with the compiled scripts does not end with the visit.
  const anchor = await context.newPage();
  await anchor.goto(`${root}/bell.svg`);
  const leave = async () => {
    for (const page of context.pages()) if (page !== anchor) await page.close();
    await context.setOffline(false);
    await context.clearPermissions();
    await context.clearCookies();
    await anchor.evaluate('localStorage.clear()');
  };
  return { context, leave };
}

export interface Look {
  /** The brightness of the background, up to 255. */
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

/** Half as large as what the package exports. It is sent to every page that is looked at. */
const AXE = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The rules that depend on the theme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Barriers for people who use a keyboard or a screen reader, or do not see well. `colours` alone are enough for a page
 * that was looked at in another theme.
 */
export async function barriers(page: Page, what: 'all' | 'colours' = 'all'): Promise<string[]> {
  // Evaluated in the page by the debugger, because the page itself runs no foreign script.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const options = {
    resultTypes: ['violations'],
    // Style sheets are read by no rule that is on.
    preload: { assets: ['media'] },
    ...(what === 'colours' && { runOnly: COLOUR_RULES }),
  };
  const { violations } = await page.evaluate<AxeResult>(
    // Parts that are hidden from screen readers are decoration, and looking at them takes long.
    `axe.run({ exclude: [['[aria-hidden="true"]']] }, ${JSON.stringify(options)})`,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
