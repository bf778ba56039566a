/**
 * Takes pictures of every page and mail, on a desktop and on a phone, in both themes, of projects that live:
 *
 *     npm run screenshots -- <folder> [parts of the pictures' names]
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { SITE } from '../test/app.ts';
import { type Dashboard, startDashboard } from '../test/browser/dashboard.ts';
import { SCREENS, type Visit, visit } from '../test/browser/visit.ts';
import { MAIL_SAMPLES } from '../test/mail-samples.ts';
import { buildPages } from './pages.ts';
import { makeScenery } from './screenshots/scenery.ts';
import { type Scene, scenesOf } from './screenshots/scenes.ts';

const [folder, ...wanted] = process.argv.slice(2);
if (folder === undefined) throw new Error('name the folder for the pictures');
const isWanted = ({ name }: { readonly name: string }) =>
  wanted.length === 0 || wanted.some((part) => name.includes(part));

/** A page draws what it asks for after it was loaded. How long that takes is not known, and a picture may wait. */
const SETTLING_MS = 700;
/** The rest is more of the same. */
const MAX_HEIGHT = 2_600;

type Screen = (typeof SCREENS)['desktop' | 'phone'];

/** Makes the screen as long as the page: its foot stands at the end, and long lists make all their rows. */
async function growScreen(page: Page, width: number, height: number): Promise<void> {
  const length = await page.evaluate<number>('document.documentElement.scrollHeight');
  if (length <= height) return;
  await page.setViewportSize({ width, height: Math.min(length, MAX_HEIGHT) });
  await page.waitForTimeout(SETTLING_MS);
}

/** In both themes. Pages follow the system at once. */
async function takePictures(
  page: Page,
  name: string,
  { width, height }: Screen,
  isScreen: boolean,
): Promise<void> {
  if (!isScreen) await growScreen(page, width, height);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const path = join(folder ?? '', `${name}-${width}-${colorScheme}.png`);
    await page.screenshot({ path });
  }
}

async function visitFor({ as }: Scene, dashboard: Dashboard, viewport: Screen): Promise<Visit> {
  const options = { viewport, colorScheme: 'light', reducedMotion: 'reduce' } as const;
  return as === null ? visit(dashboard.browser, SITE.root, options) : dashboard.visitAs(as, options);
}

async function show(scene: Scene, dashboard: Dashboard, screen: Screen): Promise<void> {
  await using visited = await visitFor(scene, dashboard, screen);
  const { page } = visited;
  await page.clock.setFixedTime(Number(dashboard.app.clock.now()) / 1_000);
  await page.goto(SITE.root + scene.path);
  await page.getByRole('main').waitFor();
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  await page.waitForTimeout(SETTLING_MS);
  if (scene.act !== undefined) {
    await scene.act(page);
    await page.waitForTimeout(SETTLING_MS);
  }
  await takePictures(page, scene.name, screen, scene.isScreen ?? false);
  for (const complaint of visited.complaints) console.error(`${scene.name}: ${complaint}`);
}

await buildPages();
await mkdir(folder, { recursive: true });
await using dashboard = await startDashboard(
  'sqlite',
  {},
  { hasMail: true, signUp: { isOpen: true, domains: null } },
);
// The clock of the service stands still, and pages count by the time of its answers: all pictures are of one moment.
dashboard.app.server.server.prependListener('request', (_request, response) => {
  response.setHeader('date', new Date(Number(dashboard.app.clock.now()) / 1_000).toUTCString());
});
const mails = Object.entries(MAIL_SAMPLES).map(([name, { html }]) => ({ name: `mail-${name}`, html }));
const scenes = scenesOf(await makeScenery(dashboard.app)).filter(isWanted);
for (const screen of [SCREENS.desktop, SCREENS.phone]) {
  for (const scene of scenes) {
    if (scene.isForDesktops === true && screen !== SCREENS.desktop) continue;
    await show(scene, dashboard, screen).catch((error: Error) => {
      console.error(`${scene.name} at ${screen.width} px: ${error.message}`);
      process.exitCode = 1;
    });
  }
  await using context = await dashboard.browser.newContext({ viewport: screen });
  const page = await context.newPage();
  for (const { name, html } of mails.filter(isWanted)) {
    await page.setViewportSize(screen);
    await page.setContent(html);
    await takePictures(page, name, screen, false);
  }
}
