import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before } from 'node:test';
import type { Check } from '../../src/domain/check/check.ts';
import { SITE } from '../app.ts';
import { givenTeam } from '../dashboard/team.ts';
import { becomes } from '../waiting.ts';
import { appears, type Dashboard, isAccessible, isQuiet, startDashboard } from './dashboard.ts';
import { lookTest, test } from './tests.ts';

let dashboard: Dashboard;

before(async () => {
  dashboard = await startDashboard();
});

after(() => dashboard[Symbol.asyncDispose]());

const RUN = '5d0f2e7a-10c4-4b6e-8000-000000000001';

async function givenOwn(overrides: Partial<Check> = {}) {
  const { app } = dashboard;
  app.clock.set(Date.now() * 1_000);
  const team = await givenTeam(app);
  const check = await app.givenCheck(team.project, {
    ...{ name: 'nightly-etl', status: 'up', lastPingAt: app.clock.now(), graceSeconds: 3_600 },
    ...overrides,
  });
  return { ...team, check, log: `${SITE.root}/checks/${check.uuid}/log/` };
}

lookTest('runs are joined, kinds are filtered in the address, and the export has the same rows', async () => {
  const { app } = dashboard;
  const own = await givenOwn();
  await app.receive(own.check, 'start', RUN);
  await app.receive(own.check, 'success', RUN);
  await app.ping(`/${own.check.uuid}/3`, { method: 'POST', body: 'boom' });
  await using visit = await dashboard.visitAs(own);
  const { page } = visit;
  await page.goto(own.log);
  await page.getByRole('button', { name: 'Exit status 3. Open ping 3' }).waitFor();
  await page.getByText('run 5d0f2 · 2 signals').waitFor();
  await page.locator('.event', { hasText: 'boom' }).waitFor();
  await isAccessible(visit);

  await page.getByRole('button', { name: /^Failed/ }).click();
  await page.getByText('run 5d0f2 · 2 signals').waitFor({ state: 'hidden' });
  await page.waitForURL((url) => url.searchParams.get('kinds') === 'fail');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'As CSV' }).click(),
  ]);
  const rows = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
  assert.equal(rows.length, 2);
  assert.match(rows[1] ?? '', /"fail","3"/);
  await page.reload();
  const failed = page.getByRole('button', { name: 'Exit status 3. Open ping 3' });
  await failed.waitFor();
  assert.equal(await page.getByText('run 5d0f2 · 2 signals').count(), 0);
  await failed.click();
  await page.getByRole('dialog').getByText('exit status 3').waitFor();
  isQuiet(visit);
});

test('a new ping appears once by itself, and not while the log is paused', async () => {
  const { app } = dashboard;
  const own = await givenOwn();
  await app.ping(`/${own.check.uuid}`);
  await using visit = await dashboard.visitAs(own);
  const { page } = visit;
  await page.goto(own.log);
  await page.getByRole('button', { name: 'OK. Open ping 1' }).waitFor();

  await app.ping(`/${own.check.uuid}/log`, { method: 'POST', body: 'hello' });
  await appears(dashboard, own.project, page.getByRole('button', { name: 'Log. Open ping 2' }));
  await becomes(() => page.getByRole('button', { name: 'Log. Open ping 2' }).count(), 1);
  await page.locator('.event.is-new', { hasText: 'hello' }).waitFor();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('Paused').waitFor();
  await app.ping(`/${own.check.uuid}/log`);
  await page.getByRole('button', { name: 'Follow' }).click();
  await page.getByRole('button', { name: 'Log. Open ping 3' }).waitFor();
  await page.getByLabel('Only events before').fill('2026-01-01T00:00');
  await page.getByRole('button', { name: 'Log. Open ping 3' }).waitFor({ state: 'detached' });
  assert.match(page.url(), /until=/);
  assert.equal(await page.getByRole('button', { name: 'Pause', exact: true }).count(), 0);
  await page.getByRole('button', { name: 'Back to now' }).click();
  await page.getByRole('button', { name: 'Log. Open ping 3' }).waitFor();
  isQuiet(visit);
});

test('older events come until the oldest that is kept', async () => {
  const { app } = dashboard;
  const own = await givenOwn();
  for (let n = 0; n < 80; n++) await app.givenPing(own.check, { createdAt: app.clock.now() + n });
  await using visit = await dashboard.visitAs(own);
  const { page } = visit;
  await page.goto(own.log);
  await page.getByRole('button', { name: 'OK. Open ping 80' }).waitFor();

  await page.getByRole('button', { name: 'OK. Open ping 31' }).scrollIntoViewIfNeeded();

  await page.getByText('These are all events that are kept.').waitFor();
  await page.getByRole('button', { name: 'OK. Open ping 1', exact: true }).waitFor();
  isQuiet(visit);
});

test('words are found in bodies and marked', async () => {
  const own = await givenOwn();
  await dashboard.app.givenPing(own.check, { body: Buffer.from('one\nconnection refused\nthree') });
  await dashboard.app.givenPing(own.check, { body: Buffer.from('fine') });
  await using visit = await dashboard.visitAs(own);
  const { page } = visit;
  await page.goto(own.log);
  await page.getByRole('button', { name: 'OK. Open ping 2' }).waitFor();

  await page.keyboard.press('/');
  await page.keyboard.type('REFUSED');

  await page.getByText('1 event mentions “REFUSED”.').waitFor();
  await page
    .locator('mark', { hasText: /^refused$/ })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'OK. Open ping 2' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'OK. Open ping 1' }).click();
  await page
    .getByRole('dialog')
    .locator('mark', { hasText: /^refused$/ })
    .waitFor();
  isQuiet(visit);
});

lookTest('the sheet of a ping is part of the address, and goes to its neighbours', async () => {
  const { app } = dashboard;
  const own = await givenOwn();
  await app.givenPing(own.check, { body: Buffer.from('all good\nlast') });
  await app.receive(own.check, 'start', RUN);
  await app.receive(own.check, 'fail', RUN);
  await app.ping(`/${own.check.uuid}`, { method: 'POST', body: '{"rows":12345678901234567890,"ok":true}' });
  await using visit = await dashboard.visitAs(own);
  const { page } = visit;
  await page.goto(`${SITE.root}/checks/${own.check.uuid}/details/#ping-4`);
  const sheet = page.getByRole('dialog');

  await sheet.getByText('"rows": 12345678901234567890,').waitFor();
  await isAccessible(visit);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    sheet.getByRole('link', { name: 'Download' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), `${own.check.uuid}-4.txt`);
  assert.equal(await readFile(await download.path(), 'utf8'), '{"rows":12345678901234567890,"ok":true}');
  await sheet.getByRole('button', { name: 'Compare with the last good one' }).click();
  await sheet.getByText('Compared with #1').waitFor();
  await sheet.getByText('− all good').waitFor();
  await sheet.getByRole('button', { name: 'Older ping' }).click();
  await sheet.getByText(RUN).waitFor();
  await sheet.getByText('No body was sent.').waitFor();
  await sheet.getByRole('tab', { name: 'Other signals 1' }).click();
  await sheet.getByRole('button', { name: '#2 Start' }).waitFor();
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'hidden' });
  await page.waitForURL((url) => url.hash === '');
  isQuiet(visit);
});

test('colours of terminals are shown, binary data is not, and what was cut is told', async () => {
  const own = await givenOwn();
  await dashboard.app.givenPing(own.check, { body: Buffer.from('\u001b[31mERROR\u001b[0m refused') });
  await dashboard.app.givenPing(own.check, { body: Buffer.from([0, 1, 2, 3]) });
  await dashboard.app.givenPing(own.check, { body: Buffer.from('a line of a log\n'.repeat(20_000)) });
  await using visit = await dashboard.visitAs(own);
  const { page } = visit;
  await page.goto(`${own.log}#ping-1`);
  const sheet = page.getByRole('dialog');

  await sheet.locator('.text-down', { hasText: 'ERROR' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await sheet.getByText('Binary data, 4 bytes.').waitFor();
  await page.keyboard.press('ArrowRight');
  await sheet.getByText('What came after was cut.').waitFor();
  isQuiet(visit);
});

lookTest('a mail is shown by its parts, and its HTML runs nothing and loads nothing', async () => {
  const own = await givenOwn();
  const mail = [
    'From: cron@example.org',
    'Subject: Nightly',
    'Content-Type: multipart/alternative; boundary=x',
    '',
    '--x',
    'Content-Type: text/plain',
    '',
    'plain words',
    '--x',
    'Content-Type: text/html',
    '',
    '<h1 onclick="x()">Rich words</h1><script>document.title="evil"</script><img src="https://evil.example/x.png">',
    '--x--',
  ].join('\r\n');
  await dashboard.app.givenPing(own.check, { body: Buffer.from(mail), scheme: 'email', method: '' });
  await using visit = await dashboard.visitAs(own);
  const { page } = visit;
  await page.goto(`${own.log}#ping-1`);
  const sheet = page.getByRole('dialog');
  await sheet.getByText('cron@example.org').waitFor();
  await sheet.getByText('plain words').waitFor();

  await sheet.getByRole('button', { name: 'HTML' }).click();

  await sheet.frameLocator('iframe').getByRole('heading', { name: 'Rich words' }).waitFor();
  await sheet.getByRole('button', { name: 'Raw' }).click();
  await sheet.getByText('--x--').waitFor();
  await sheet.getByRole('button', { name: 'HTML' }).click();
  await sheet.frameLocator('iframe').getByRole('heading', { name: 'Rich words' }).waitFor();
  await isAccessible(visit);
  isQuiet(visit);
});

test('times are shown in the zone of the schedule, too', async () => {
  const own = await givenOwn({ kind: 'cron', schedule: '0 3 * * *', tz: 'Asia/Tokyo' });
  await dashboard.app.givenPing(own.check, { createdAt: Date.UTC(2026, 0, 5, 10) * 1_000 });
  await using visit = await dashboard.visitAs(own);
  const { page } = visit;
  await page.goto(own.log);
  await page.getByText('10:00:00').first().waitFor();

  await page.getByRole('button', { name: 'Tokyo' }).click();

  await page.getByText('19:00:00').first().waitFor();
  isQuiet(visit);
});
