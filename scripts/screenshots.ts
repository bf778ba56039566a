/**
 * Takes pictures of the pages with a project that has a month of history, on a desktop and on a phone, in both themes:
 *
 *     npm run screenshots -- <folder> [part of a page's name]
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { SITE } from '../test/app.ts';
import { startDashboard } from '../test/browser/dashboard.ts';
import { type Demo, makeDemo } from '../test/browser/demo.ts';
import { SCREENS } from '../test/browser/visit.ts';
import { buildPages } from './pages.ts';

const [folder, wanted = ''] = process.argv.slice(2);
if (folder === undefined) throw new Error('name the folder for the pictures');

/** The pages, by the names of their pictures. */
function pagesOf({ project, checks }: Demo): Record<string, string> {
  const base = `/projects/${project.uuid}`;
  const check = (name: string) => `/checks/${checks.get(name)?.uuid}`;
  return {
    projects: '/',
    list: `${base}/checks/`,
    'check-down': `${check('db-backup')}/details/`,
    'check-failed': `${check('nightly-etl')}/details/`,
    'check-up': `${check('wal-archive')}/details/`,
    'check-new': `${check('gdpr-export')}/details/`,
    events: `${check('nightly-etl')}/log/`,
    'check-edit': `${check('invoice-mailer')}/edit/`,
    'check-add': `${base}/checks/new/`,
    timeline: `${base}/timeline/`,
    integrations: `${base}/integrations/`,
    'integration-setup': `${base}/integrations/new/webhook/`,
    'status-pages': `${base}/status-pages/`,
    badges: `${base}/badges/`,
    settings: `${base}/settings/`,
    'settings-keys': `${base}/settings/keys/`,
    'settings-team': `${base}/settings/team/`,
    audit: `${base}/settings/audit-log/`,
    account: '/accounts/profile/',
    admin: '/admin/',
    components: '/components/',
  };
}

const SETTLING_MS = 1_500;

const LOOKS = [
  { screen: 'desktop', colorScheme: 'light' },
  { screen: 'desktop', colorScheme: 'dark' },
  { screen: 'phone', colorScheme: 'light' },
  { screen: 'phone', colorScheme: 'dark' },
] as const;

async function takePicture(page: Page, path: string, file: string): Promise<void> {
  await page.goto(SITE.root + path);
  await page.getByRole('main').waitFor();
  await page.waitForLoadState('load');
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  // What the page asks for after it was drawn. How long that takes is not known, and a picture may wait.
  await page.waitForTimeout(SETTLING_MS);
  await page.screenshot({ path: file });
}

await buildPages();
await mkdir(folder, { recursive: true });
await using dashboard = await startDashboard();
const demo = await makeDemo(dashboard.app);
for (const { screen, colorScheme } of LOOKS) {
  const options = { viewport: SCREENS[screen], colorScheme, reducedMotion: 'reduce' } as const;
  await using visit = await dashboard.visitAs(demo.owner, options);
  for (const [name, path] of Object.entries(pagesOf(demo))) {
    if (!name.includes(wanted)) continue;
    await takePicture(visit.page, path, join(folder, `${name}-${SCREENS[screen].width}-${colorScheme}.png`));
  }
  if (visit.complaints.length > 0) console.error(visit.complaints.join('\n'));
}
