import assert from 'node:assert/strict';
import { test } from 'node:test';
import { READ_ONLY_KEY } from '../../src/demo/world.ts';
import { configFor, makePlace, startTestDemonstration } from '../demo/demonstration.test-support.ts';
import { SITE } from '../node-parts.ts';
import { launchBrowser } from './chromium.ts';
import { flagsFor } from './dashboard.ts';
import { barriers, look, SCREENS, visit } from './visit.ts';

/** Scripts of the first page, compressed. */
const MAX_SCRIPT_BYTES = 200_000;

test('a visitor looks around: a line says what it is, a button lets them in, and after a reset lets them in again', async () => {
  await using place = await makePlace();
  await using demonstration = await startTestDemonstration(configFor(place.path, SITE.root));
  await using browser = await launchBrowser(flagsFor(demonstration.port));
  for (const [viewport, colorScheme] of [
    [SCREENS.desktop, 'light'],
    [SCREENS.phone, 'dark'],
  ] as const) {
    await using visited = await visit(browser, SITE.root, { viewport, colorScheme, reducedMotion: 'reduce' });
    const { page } = visited;
    let loaded = 0;
    page.on('response', async (reply) => {
      if (reply.request().resourceType() === 'script')
        loaded += (await reply.request().sizes()).responseBodySize;
    });
    const line = page.getByRole('complementary', { name: 'Demonstration' });
    const enter = page.getByRole('button', { name: 'Look around' });

    await page.goto(`${SITE.root}/`);
    await enter.waitFor();
    assert.match(await line.innerText(), /nothing can be changed/);
    assert.ok((await line.innerText()).includes(READ_ONLY_KEY));
    assert.ok(loaded < MAX_SCRIPT_BYTES, `${loaded} bytes`);
    assert.deepEqual(await barriers(page), []);
    await enter.click();
    await page
      .getByRole('link', { name: /Homelab/ })
      .first()
      .click();
    await page.getByText('restic-photos').first().waitFor();
    await line.waitFor();
    assert.deepEqual(await barriers(page), []);
    assert.equal((await look(page)).overflow, 0);

    await demonstration.reset();
    await enter.waitFor();
    await enter.click();
    await enter.waitFor({ state: 'detached' });
    await page.getByText('restic-photos').first().waitFor();
    assert.deepEqual(visited.complaints, []);
    assert.deepEqual(visited.foreign, []);
  }
});
