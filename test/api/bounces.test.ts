import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import type { Channel } from '../../src/domain/alert/channel.ts';
import { bounceAddress } from '../../src/services/alert/bounces.ts';
import { listDeliveries } from '../../src/services/alert/deliveries.ts';
import { systemActor } from '../../src/services/core/actor.ts';
import { sharedTestApp } from '../app.ts';
import { forEachEngine, openTestDriver } from '../engines.ts';

const NOWHERE = '00000000-0000-4000-8000-000000000000';
const TEMPLATE = '%s@bounces.example.org';
// A failure prints the counterexample with its seed and path; put them here to see it again.
const SEED = 78;

interface Report {
  readonly status?: string;
  readonly diagnostic?: string;
}

/** A mail that a mail server sends back. */
function bounce(to: string, { status = '5.0.0', diagnostic }: Report = {}): string {
  return [
    `To: ${to}`,
    'Subject: Undelivered Mail Returned to Sender',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=part',
    '',
    '--part',
    'Content-Type: text/plain',
    '',
    'Sorry.',
    '--part',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.org',
    '',
    'Final-Recipient: rfc822; alice@example.org',
    'Action: failed',
    `Status: ${status}`,
    ...(diagnostic === undefined ? [] : [`Diagnostic-Code: ${diagnostic}`]),
    '',
    '--part--',
    '',
  ].join('\r\n');
}

forEachEngine((engine) => {
  const app = sharedTestApp(engine);

  async function given() {
    const { project, key } = await app().givenProject();
    const channel = await app().givenChannel(project);
    const check = await app().givenCheck(project, { status: 'up' });
    await app().assign(check, channel);
    await app().receive(check, 'fail');
    const [delivery] = await listDeliveries(app().deps, systemActor(check.projectId), check);
    const uuid = delivery?.uuid ?? assert.fail();
    const address = bounceAddress(app().deps, TEMPLATE, { kind: 'delivery', uuid });
    const error = async () =>
      (await listDeliveries(app().deps, systemActor(check.projectId), check))[0]?.error;
    return { key, check, channel, uuid, address, error };
  }

  async function post(body: string | Buffer, version = 3): Promise<string> {
    const reply = await app().request('POST', `/api/v${version}/bounces/`, { body });
    assert.deepEqual([reply.status, reply.headers['content-type']], [200, 'text/html; charset=utf-8']);
    assert.equal('access-control-allow-origin' in reply.headers, false);
    return reply.text;
  }

  async function stateOf({ id }: Channel): Promise<{ disabled: boolean; lastError: string }> {
    await using driver = await openTestDriver(app().database);
    const [row] = await driver.all<{ disabled: unknown; lastError: string }>(
      'select disabled, last_error as "lastError" from channels where id = $1',
      [id],
    );
    return { disabled: Boolean(row?.disabled), lastError: row?.lastError ?? '' };
  }

  suite('bounces', () => {
    test('a failure for good is recorded and switches the channel off, in every version', async () => {
      for (const version of [1, 2, 3]) {
        const { channel, address, error } = await given();

        assert.equal(await post(bounce(address), version), 'OK');

        const text = 'Delivery failed (SMTP status code: 5.0.0)';
        assert.equal(await error(), text);
        assert.deepEqual(await stateOf(channel), { disabled: true, lastError: text });
      }
    });

    for (const status of ['4.0.0', '4.2.2', '5.4.4']) {
      test(`a failure with the status ${status} is recorded, and the channel stays on`, async () => {
        const { channel, address, error } = await given();

        assert.equal(await post(bounce(address, { status })), 'OK');

        const text = `Delivery failed (SMTP status code: ${status})`;
        assert.equal(await error(), text);
        assert.deepEqual(await stateOf(channel), { disabled: false, lastError: text });
      });
    }

    for (const status of ['2.0.0', '', 'failed', '55.1.1', '0', '５.0.0']) {
      test(`a report with the status ${JSON.stringify(status)} is ignored`, async () => {
        const { channel, address, error } = await given();

        assert.equal(await post(bounce(address, { status })), 'OK (ignored)');

        assert.equal(await error(), '');
        assert.deepEqual(await stateOf(channel), { disabled: false, lastError: '' });
      });
    }

    test('a message to the right address that is no report is ignored', async () => {
      const { address } = await given();

      assert.equal(
        await post(`To: ${address}\r\nSubject: Out of office\r\n\r\nStatus: 5.0.0`),
        'OK (ignored)',
      );
      assert.equal(await post(`To: ${address}\n\n`), 'OK (ignored)');
    });

    test('what the server said is kept without its kind, as one line of 200 characters', async () => {
      const rows: [diagnostic: string, kept: string][] = [
        ['smtp; 550 5.1.1 No such user', '550 5.1.1 No such user'],
        ['SMTP;550 no', '550 no'],
        ['x-postfix; unknown host', 'x-postfix; unknown host'],
        ['smtp; 550\r\n folded\t\0line', '550 folded line'],
        ['smtp; ', 'SMTP status code: 5.0.0'],
      ];
      for (const [diagnostic, kept] of rows) {
        const { address, error } = await given();

        assert.equal(await post(bounce(address, { diagnostic })), 'OK');

        assert.equal(await error(), `Delivery failed (${kept})`);
      }
      const long = await given();
      await post(bounce(long.address, { diagnostic: `smtp; ${'🔔'.repeat(500)}` }));
      assert.equal(await long.error(), `Delivery failed (${'🔔'.repeat(183)}`);
    });

    test('the address is found with a name, in brackets and in capitals', async () => {
      for (const spell of [
        (address: string) => `<${address}>`,
        (address: string) => `"Mail Server" <${address}>`,
        (address: string) => address.toUpperCase(),
      ]) {
        const { address } = await given();
        assert.equal(await post(bounce(spell(address))), 'OK');
      }
    });

    test('an address is believed for 48 hours', async () => {
      const [first, second] = [await given(), await given()];

      app().clock.advance({ hours: 48 });
      assert.equal(await post(bounce(first.address)), 'OK');
      app().clock.advance({ seconds: 1 });
      assert.equal(await post(bounce(second.address)), 'OK (bad signature)');

      assert.equal(await second.error(), '');
      assert.equal((await stateOf(second.channel)).disabled, false);
    });

    test('an address that nobody here has signed changes nothing', async () => {
      const { address, channel, uuid } = await given();
      const other = bounceAddress(app().deps, TEMPLATE, { kind: 'account', uuid });
      const [, signature = ''] = /\.([0-9a-f]{16})@/.exec(other) ?? [];

      for (const forged of [
        '',
        'alice@example.org',
        `n.${uuid}@bounces.example.org`,
        address.replace(uuid, NOWHERE),
        address.replace(/[0-9a-f]@/, (end) => (end === '0@' ? '1@' : '0@')),
        address.replace(/\.[0-9a-f]{16}@/, `.${signature}@`),
        address.replace(/\.[0-9a-f]{8}\./, '.ffffffff.'),
        `x${address}`,
        address.replace('@', ' @'),
      ]) {
        assert.equal(await post(bounce(forged)), 'OK (bad signature)', forged);
      }
      assert.equal((await stateOf(channel)).disabled, false);
    });

    test('a delivery that is gone or older than 48 hours is not found', async () => {
      const { uuid, error } = await given();
      const nowhere = bounceAddress(app().deps, TEMPLATE, { kind: 'delivery', uuid: NOWHERE });

      assert.equal(await post(bounce(nowhere)), 'OK (notification not found)');
      app().clock.advance({ hours: 49 });
      const signedLate = bounceAddress(app().deps, TEMPLATE, { kind: 'delivery', uuid });
      assert.equal(await post(bounce(signedLate)), 'OK (notification not found)');

      assert.equal(await error(), '');
    });

    test('a report that comes back for good stops reports and reminders; for now it does not', async () => {
      const { ownerId } = await app().givenProject();
      const { store } = app().deps;
      await store.transaction(async (tx) => {
        await tx.mailPreferences.setReports(ownerId, 'weekly', 'Europe/Riga');
        await tx.mailPreferences.setReminders(ownerId, 3_600);
      });
      const wishes = async () => {
        const account = (await store.mailPreferences.ofAccount(ownerId)) ?? assert.fail();
        return [account.reports, account.reminderSeconds, account.tz];
      };
      const { uuid } = (await store.mailPreferences.ofAccount(ownerId)) ?? assert.fail();
      const address = bounceAddress(app().deps, TEMPLATE, { kind: 'account', uuid });

      assert.match(address, /^r\./);
      assert.equal(await post(bounce(address, { status: '4.2.2' })), 'OK');
      assert.equal(await post(bounce(address, { status: '5.4.4' })), 'OK');
      assert.deepEqual(await wishes(), ['weekly', 3_600, 'Europe/Riga']);
      assert.equal(await post(bounce(address)), 'OK');
      assert.deepEqual(await wishes(), ['off', 0, 'Europe/Riga']);
    });

    test('an account that is gone is not found', async () => {
      const address = bounceAddress(app().deps, TEMPLATE, { kind: 'account', uuid: NOWHERE });

      assert.equal(await post(bounce(address)), 'OK (user not found)');
      assert.equal(await post(bounce(address, { status: '2.0.0' })), 'OK (ignored)');
    });

    test('the signed part has the 64 characters that a local part may have', async () => {
      const [local = '', domain] = (await given()).address.split('@');

      assert.match(local, /^n\.[0-9a-f-]{36}\.[0-9a-f]{8}\.[0-9a-f]{16}$/);
      assert.deepEqual([local.length, domain], [64, 'bounces.example.org']);
    });

    test('the report may be followed by a message of any length', async () => {
      const { address, error } = await given();
      const returned = `Content-Type: message/rfc822\r\n\r\n${'x'.repeat(12_000_000)}\r\n--part--`;

      assert.equal(await post(bounce(address).replace('--part--', `--part\r\n${returned}`)), 'OK');

      assert.equal(await error(), 'Delivery failed (SMTP status code: 5.0.0)');
    });

    test('only a POST is taken, of any content type', async () => {
      const { address } = await given();
      for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        const reply = await app().request(method, '/api/v3/bounces/');
        assert.deepEqual([reply.status, reply.headers.allow], [405, 'POST'], method);
      }
      for (const type of ['message/rfc822', 'application/json', 'text/plain; charset=x', 'nonsense', '']) {
        const headers = { 'content-type': type };
        const reply = await app().request('POST', '/api/v3/bounces/', { body: bounce(address), headers });
        assert.deepEqual([reply.status, reply.text], [200, 'OK'], type);
      }
    });

    test('whatever is posted, the answer is one of the five', async () => {
      const { address } = await given();
      const sample = bounce(address, { diagnostic: 'smtp; 550 no' });
      const damage = fc.array(
        fc.record({
          at: fc.nat(sample.length),
          removed: fc.nat(40),
          added: fc.oneof(
            fc.constantFrom('\r\n', '--part', '\0', '\ud800', 'Status: 5.\0', '🔔', ': ', '5.1.1', '@', '<'),
            fc.string({ unit: 'binary', maxLength: 4 }),
          ),
        }),
        { maxLength: 5 },
      );
      const message = fc.oneof(
        fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
        damage.map((wounds) => Buffer.from(wounds.reduce(wound, sample))),
        damage.map((wounds) => Buffer.from(wounds.reduce(wound, sample), 'latin1')),
      );

      await fc.assert(
        fc.asyncProperty(message, async (body) => {
          assert.match(await post(body), /^OK( \((bad signature|ignored|(notification|user) not found)\))?$/);
        }),
        { seed: SEED, numRuns: 150 },
      );
    });
  });
});

function wound(text: string, { at, removed, added }: { at: number; removed: number; added: string }): string {
  return text.slice(0, at) + added + text.slice(at + removed);
}
