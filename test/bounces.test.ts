import assert from 'node:assert/strict';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import pino from 'pino';
import { readConfig } from '../src/config/read-config.ts';
import { systemClock } from '../src/lib/clock.ts';
import { systemRandom } from '../src/lib/random.ts';
import { startApp } from '../src/main.ts';
import { startMailSink } from './mail-sink.ts';
import { until } from './waiting.ts';

const KEY = `hcw_${'a'.repeat(28)}`;
const FILE = `accounts:
  - { email: alice@example.org, password: correct horse battery }
projects:
  - name: Alpha
    owner: alice@example.org
    keys: { read_write: ${KEY} }
    integrations:
      - { kind: email, name: Alice mail, email: alice@example.org, verified: true }
    checks:
      - { name: Nightly, slug: nightly, timeout: 300, grace: 60, integrations: "*" }
`;

test('an alert that comes back to its envelope sender switches its integration off', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'tocsin-bounces-'));
  await using sink = await startMailSink();
  const provisionFile = join(directory.path, 'tocsin.yaml');
  await writeFile(provisionFile, FILE);
  const config = readConfig({
    DATABASE_URL: `sqlite:${join(directory.path, 'tocsin.db')}`,
    HOST: '127.0.0.1',
    PORT: '0',
    SECRET_KEY: 'a secret for tests only, and a long one',
    PROVISION_FILE: provisionFile,
    EMAIL_HOST: '127.0.0.1',
    EMAIL_PORT: String(sink.port),
    EMAIL_USE_TLS: 'False',
    DEFAULT_FROM_EMAIL: 'Tocsin <tocsin@example.org>',
    EMAIL_MAIL_FROM_TMPL: '%s@bounces.example.org',
  });
  await using app = await startApp(config, {
    clock: systemClock,
    random: systemRandom,
    log: pino({ level: 'silent' }),
  });
  const address = `http://127.0.0.1:${app.port}`;
  const headers = { 'x-api-key': KEY };
  const get = async (path: string) => (await fetch(`${address}${path}`, { headers })).json();
  const { checks } = (await get('/api/v3/checks/')) as { checks: { uuid: string }[] };
  const uuid = checks[0]?.uuid ?? assert.fail();
  const told = async () => {
    const { deliveries } = (await get(`/api/v3/checks/${uuid}/deliveries/`)) as {
      deliveries: { status: string; state: string; error: string }[];
    };
    return deliveries;
  };

  await fetch(`${address}/ping/${uuid}/fail`);
  await until('the alert has been mailed', async () => (await told())[0]?.state === 'delivered');
  const [mail] = sink.mails;
  assert.match(mail?.from ?? '', /^n\.[0-9a-f-]{36}\.[0-9a-f]{8}\.[0-9a-f]{16}@bounces\.example\.org$/);
  assert.match(mail?.text ?? '', /^From: Tocsin <tocsin@example.org>$/m);
  const report = `To: <${mail?.from}>\r\nStatus: 5.1.1\r\nAction: failed\r\n\r\n`;
  const reply = await fetch(`${address}/api/v3/bounces/`, { method: 'POST', body: report });

  assert.deepEqual([reply.status, await reply.text()], [200, 'OK']);
  await fetch(`${address}/ping/${uuid}`);
  assert.deepEqual(
    (await told()).map(({ status, error }) => [status, error]),
    [
      ['up', 'The integration is off: mail to it was returned'],
      ['down', 'Delivery failed (SMTP status code: 5.1.1)'],
    ],
  );
});
