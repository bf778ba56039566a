import { execFile } from 'node:child_process';
import { access, constants, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { HANG_MS } from '../waiting.ts';

const USUAL_PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Chromium heeds only the last list of these, so that what Playwright turns off stands here, too. */
const TURNED_OFF = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  // Every window loads two pages for what its address bar would unfold. They compute a second, and nobody sees them.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
];

const FLAGS = [
  // Chromium run by root has no sandbox, and a container may have no room for one.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${TURNED_OFF.join()}`,
  // Tabs of one site share what they have compiled.
  '--renderer-process-limit=1',
];

const HOW_TO_INSTALL =
  'The browser tests need Chromium: install it (on Debian `apt-get install chromium`, elsewhere ' +
  '`npx playwright-core install chromium`), or name the program in CHROMIUM_PATH.';

/** A headless Chromium, of whatever origin. `leftOut` are flags of Playwright that it does not get. */
export async function launchBrowser(
  flags: readonly string[] = [],
  leftOut: readonly string[] = [],
): Promise<Browser & AsyncDisposable> {
  const executablePath = (await findChromium()) ?? (await installChromium());
  return chromium.launch({
    executablePath,
    headless: true,
    args: [...FLAGS, ...flags],
    ignoreDefaultArgs: [...leftOut],
    timeout: HANG_MS,
  });
}

async function findChromium(): Promise<string | null> {
  const { CHROMIUM_PATH } = process.env;
  if (CHROMIUM_PATH) {
    if (await isProgram(CHROMIUM_PATH)) return CHROMIUM_PATH;
    throw new Error(`CHROMIUM_PATH is ${CHROMIUM_PATH}, which is no program. ${HOW_TO_INSTALL}`);
  }
  for (const path of [...USUAL_PLACES, chromium.executablePath()]) {
    if (await isProgram(path)) return path;
  }
  return null;
}

function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Test processes run side by side: one of them installs, the others wait for it. */
async function installChromium(): Promise<string> {
  if (!(await canInstall())) throw new Error(HOW_TO_INSTALL);
  await using _lock = await lock(join(tmpdir(), 'tocsin-chromium.lock'));
  return (await findChromium()) ?? (await installWithApt());
}

async function canInstall(): Promise<boolean> {
  return process.getuid?.() === 0 && (await isProgram('/usr/bin/apt-get'));
}

async function installWithApt(): Promise<string> {
  const aptGet = (...args: string[]) =>
    promisify(execFile)('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      maxBuffer: 100_000_000,
    });
  try {
    await aptGet('update');
    await aptGet('install', '-y', 'chromium');
  } catch (cause) {
    throw new Error(`apt-get could not install Chromium. ${HOW_TO_INSTALL}`, { cause });
  }
  const path = await findChromium();
  if (path === null) throw new Error(`apt-get installed no Chromium that can be found. ${HOW_TO_INSTALL}`);
  return path;
}

/** A file that only one process can have made; it holds that process' number, in case it dies. */
async function lock(path: string): Promise<AsyncDisposable> {
  for (;;) {
    try {
      await writeFile(path, String(process.pid), { flag: 'wx' });
      return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => ''));
    if (holder > 0 && !isAlive(holder)) await rm(path, { force: true });
    await sleep(250);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
