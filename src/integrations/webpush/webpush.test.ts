import assert from 'node:assert/strict';
import { createDecipheriv, createECDH, hkdfSync } from 'node:crypto';
import { suite, test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import {
  aCheck,
  anEvent,
  aReply,
  recordingPorts,
  SCENARIOS,
  SERVER,
  VAULT,
} from '../kind/alert-event.test-support.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import { openChannel } from '../send/open-channel.ts';
import { readSettings } from '../settings/channel-settings.ts';
import { encrypted } from './encryption.ts';
import { webpush } from './webpush.ts';

const SUBSCRIPTION = webpush.example.subscription as {
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
};

/** The private key of the browser in RFC 8291, section 5. */
const BROWSER_KEY = 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94';

/** Decrypts by RFC 8291 and RFC 8188, in another way than it was written. */
function decrypted(message: Uint8Array): string {
  const bytes = Buffer.from(message);
  const [salt, key] = [bytes.subarray(0, 16), bytes.subarray(21, 86)];
  const browser = createECDH('prime256v1');
  browser.setPrivateKey(BROWSER_KEY, 'base64url');
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), key]);
  const auth = Buffer.from(SUBSCRIPTION.auth, 'base64url');
  const input = Buffer.from(hkdfSync('sha256', browser.computeSecret(key), auth, info, 32));
  const derived = (label: string, length: number) =>
    Buffer.from(hkdfSync('sha256', input, salt, `Content-Encoding: ${label}\0`, length));
  const decipher = createDecipheriv('aes-128-gcm', derived('aes128gcm', 16), derived('nonce', 12));
  decipher.setAuthTag(bytes.subarray(-16));
  const text = Buffer.concat([decipher.update(bytes.subarray(86, -16)), decipher.final()]);
  assert.equal(text.at(-1), 2, 'the last record');
  return text.subarray(0, -1).toString();
}

test('a message is encrypted as in the example of RFC 8291', () => {
  const message = encrypted('When I grow up, I want to be a watermelon', SUBSCRIPTION, {
    privateKey: Buffer.from('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url'),
    salt: Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url'),
  });

  assert.equal(
    Buffer.from(message).toString('base64url'),
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

suite('a browser', () => {
  const told = async (event: AlertEvent) => {
    const ports = recordingPorts(aReply(201));
    assert.deepEqual(await webpush.deliver(event, { subscription: SUBSCRIPTION }, ports, {}), {
      kind: 'delivered',
    });
    const [request = assert.fail()] = ports.requests;
    assert.ok(request.body instanceof Uint8Array);
    return { request, message: JSON.parse(decrypted(request.body)) };
  };

  test('is told what happened, by the address that it has given', async () => {
    const { request, message } = await told(SCENARIOS['down-timeout'] ?? anEvent());

    assert.equal(request.url, SUBSCRIPTION.endpoint);
    assert.deepEqual(
      [request.headers.TTL, request.headers.Urgency, request.headers['Content-Encoding']],
      ['86400', 'high', 'aes128gcm'],
    );
    assert.match(request.headers.Topic ?? '', /^[\w-]{32}$/);
    assert.equal(message.title, 'Nightly backup is DOWN');
    assert.match(message.body, /no ping for 25 h/);
    assert.match(message.url, /\/cloaked\//);
  });

  test('learns how many checks of the project are down, for its icon', async () => {
    const others = { at: 0, down: 2, held: 0, total: 9, checks: [] };

    assert.equal((await told(anEvent({ to: 'down', others }))).message.down, 3);
    assert.equal((await told(anEvent({ to: 'up', others }))).message.down, 2);
    assert.equal('down' in (await told(anEvent({ others: null }))).message, false);
  });

  test('gets messages of 4096 bytes at the most, whatever checks are called', async () => {
    const { request, message } = await told(anEvent({ check: aCheck({ name: '👩‍👧'.repeat(500) }) }));

    assert.ok((request.body?.length ?? 0) <= 4096);
    assert.match(message.title, / is DOWN$/);
  });

  test('that is gone switches the integration off', async () => {
    for (const status of [404, 410]) {
      const ports = recordingPorts(aReply(status));
      const outcome = await webpush.deliver(anEvent(), { subscription: SUBSCRIPTION }, ports, {});
      assert.equal(outcome.kind, 'permanent');
    }
  });

  test('shows nothing of its keys in a preview, but the text', async () => {
    const settings = { open: { subscription: SUBSCRIPTION }, sealed: null };

    const { requests, error } = await openChannel({ kind: 'webpush', settings }, SERVER, VAULT).preview(
      anEvent(),
      recordingPorts(),
    );

    assert.equal(error, '');
    assert.equal(requests[0]?.url, 'https://updates.push.services.mozilla.com/••••••••');
    assert.match(requests[0]?.body ?? '', /Nightly backup is DOWN/);
  });

  test('gives an address of https and two keys', () => {
    const wrong = [
      { ...SUBSCRIPTION, endpoint: 'http://push.example/' },
      { ...SUBSCRIPTION, p256dh: 'short' },
      { ...SUBSCRIPTION, auth: '' },
      { endpoint: SUBSCRIPTION.endpoint },
      { ...SUBSCRIPTION, more: 1 },
      'https://push.example/',
    ];
    for (const subscription of wrong) {
      assert.ok(readSettings('webpush', { subscription }) instanceof Fault, JSON.stringify(subscription));
    }
  });
});
