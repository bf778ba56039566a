/**
 * Takes the pictures of README, of the demonstration at the moment at which it begins:
 *
 *     npm run pictures
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { readConfig } from '../src/config/read-config.ts';
import { DEMO_SEED, type Demonstration, startDemonstration } from '../src/demo/demonstration.ts';
import { MONTH_END, uuidOf } from '../src/demo/world.ts';
import { systemClock } from '../src/lib/clock.ts';
import { systemRandom } from '../src/lib/random.ts';
import { startSession } from '../src/services/people/sessions.ts';
import { Cookies } from '../src/wire/dashboard/cookies.ts';
import { launchBrowser } from '../test/browser/chromium.ts';
import { flagsFor } from '../test/browser/dashboard.ts';
import { SCREENS, visit } from '../test/browser/visit.ts';
import { SITE } from '../test/node-parts.ts';
import { REPOSITORY } from '../test/process.ts';
import { buildPages } from './pages.ts';

/** Who looks: a person who may change what is shown. */
const OWNER = 'mina@example.com';
const SHOWN = 'shop-db-backup';
/** A page draws what it asks for after it was loaded. How long that takes is not known, and a picture may wait. */
const SETTLING_MS = 2_000;

async function signIn({
  node: { deps },
}: Demonstration): Promise<{ name: string; value: string; url: string }> {
  const { token } = await deps.store.transaction(async (tx) => {
    const account = await tx.accounts.byEmail(OWNER);
    if (account === null) throw new Error(`there is no account ${OWNER}`);
    return startSession(deps, tx, account, { address: '192.0.2.1', userAgent: '', device: null }, null);
  });
  return { name: new Cookies(SITE).sessionName, value: token, url: SITE.root };
}

await buildPages();
const folder = await mkdtemp(join(tmpdir(), 'tocsin-pictures-'));
await using cleaned = new AsyncDisposableStack();
cleaned.defer(() => rm(folder, { recursive: true }));
const config = readConfig({
  ...{ DATABASE_URL: `sqlite:${folder}/tocsin.db`, SITE_ROOT: SITE.root },
  ...{ HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent' },
});
await using demonstration = await startDemonstration(config, {
  ...{ clock: systemClock, random: systemRandom, log: pino({ level: 'silent' }), version: '' },
  ...{ pagesFolder: `${REPOSITORY}/web/dist`, resetSeconds: null },
});
await using browser = await launchBrowser(flagsFor(demonstration.port));
await using visited = await visit(browser, SITE.root, {
  ...{ viewport: SCREENS.desktop, colorScheme: 'light', reducedMotion: 'reduce' },
  ...{ timezoneId: 'Europe/London', locale: 'en-GB' },
});
const { page } = visited;
await page.context().addCookies([await signIn(demonstration)]);
await page.clock.setFixedTime(MONTH_END / 1_000);
const check = await demonstration.node.deps.store.checks.byUuid(uuidOf(DEMO_SEED, { slug: SHOWN }));
await page.goto(`${SITE.root}/checks/${check?.uuid}/details/`);
await page.getByRole('link', { name: 'Checks' }).first().waitFor();
const list = await page.getByRole('link', { name: 'Checks' }).first().getAttribute('href');
for (const [name, path] of [
  ['check', `/checks/${check?.uuid}/details/`],
  ['list', list],
] as const) {
  await page.goto(`${SITE.root}${path}`);
  await page.getByRole('main').waitFor();
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  // A real installation has no such line.
  await page.evaluate(`document.querySelector('#root > div').className = '';
    document.querySelector('#root aside').remove();`);
  await page.waitForTimeout(SETTLING_MS);
  await page.screenshot({ path: join(REPOSITORY, 'docs/pictures', `${name}.png`) });
}
