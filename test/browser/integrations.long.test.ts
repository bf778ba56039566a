import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { freePort } from '../free-port.ts';
import { type MailSink, startMailSink } from '../mail-sink.ts';
import { listening, startCli, temporaryFolder } from '../process.ts';
import { until } from '../waiting.ts';
import { launchBrowser } from './chromium.ts';
import { looks } from './looks.ts';
import { barriers, look, visit } from './visit.ts';

const parts = new AsyncDisposableStack();
let browser: Browser;
let root: string;
let mails: MailSink;
let setupLink: string;

before(async () => {
  const { path } = parts.use(await temporaryFolder());
  const port = await freePort();
  root = `http://127.0.0.1:${port}`;
  mails = parts.use(await startMailSink());
  const env = {
    PORT: String(port),
    SITE_ROOT: root,
    EMAIL_HOST: '127.0.0.1',
    EMAIL_PORT: String(mails.port),
    EMAIL_USE_TLS: 'False',
    INTEGRATIONS_ALLOW_PRIVATE_IPS: 'True',
  };
  const service = parts.use(startCli(['serve'], { cwd: path, env }));
  await listening(service);
  [, setupLink = ''] = await service.output(/(http\S+\/accounts\/setup\/#\S+)/);
  browser = parts.use(await launchBrowser());
});

after(() => parts.disposeAsync());

/** A request of a page of this site to the service. */
function ask(page: Page, method: string, path: string, body?: unknown) {
  // A text, because the types of the browser are not known here.
  const options = JSON.stringify({ method, body: body === undefined ? undefined : JSON.stringify(body) });
  return page.evaluate<Record<string, string>>(
    `fetch('/dashboard/api${path}', ${options}).then((answer) => answer.json())`,
  );
}

test('the owner of an address confirms it by a mailed link, without signing in', async () => {
  await using owner = await visit(browser, root);
  await owner.page.goto(setupLink);
  await owner.page.getByLabel('Name').fill('Alice');
  await owner.page.getByLabel('E-mail').fill('alice@example.org');
  await owner.page.getByLabel('New password').fill('correct horse battery');
  await owner.page.getByRole('button', { name: 'Make the account' }).click();
  await owner.page.waitForURL(`${root}/`);
  const { uuid } = await ask(owner.page, 'POST', '/do/createProject', { name: 'Platform' });
  const settings = { email: 'carol@example.org' };
  const made = await ask(owner.page, 'POST', `/projects/${uuid}/do/createChannel`, {
    ...{ kind: 'email', settings },
  });
  assert.equal(made.health, 'unconfirmed');
  const mail = () => mails.mails.find(({ to }) => to.includes('carol@example.org'));
  await until('the mail is there', () => mail() !== undefined);
  const text = mail()?.text.replaceAll('=\r\n', '').replaceAll('=\n', '') ?? '';
  const [link = ''] = /http\S+?\/verify\/[-\w]+\//.exec(text) ?? [];

  for (const viewport of looks.screens) {
    await using recipient = await visit(browser, root, { viewport });
    await recipient.page.goto(link);
    await recipient.page.getByRole('heading', { name: 'Confirm this address' }).waitFor();
    assert.deepEqual(await barriers(recipient.page), []);
    assert.ok((await look(recipient.page)).overflow <= 0);
    assert.deepEqual([recipient.complaints, recipient.foreign], [[], []]);
  }
  await using carol = await visit(browser, root);
  await carol.page.goto(link);
  await carol.page.getByRole('button', { name: 'Send alerts to this address' }).click();
  await carol.page.getByRole('heading', { name: 'Confirmed' }).waitFor();

  const confirmed = await ask(owner.page, 'POST', `/projects/${uuid}/read/channelDetails`, {
    channel: made.id,
  });
  assert.equal(confirmed.health, 'waiting');
});
