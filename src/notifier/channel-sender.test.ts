import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Channel } from '../domain/alert/channel.ts';
import { anEvent, SERVER, VAULT } from '../integrations/kind/alert-event.test-support.ts';
import type { Mail } from '../lib/mail-sender.ts';
import { createChannelSender } from './channel-sender.ts';

const CHANNEL: Channel = {
  id: 1,
  uuid: '6f1d1a4e-2f5b-4f0a-9d57-1a1f0c3f8a10',
  projectId: 1,
  kind: 'email',
  name: '',
  settings: { open: { email: 'alice@example.org' }, sealed: null },
  verified: true,
  off: null,
  lastAttempt: null,
  failingSince: null,
  pausedUntilAt: null,
  createdAt: 0,
};

test('an alert by mail is returned to an address of its own, and has one id over all tries', async () => {
  const mails: Mail[] = [];
  const sender = createChannelSender({
    http: async () => ({ error: 'Connection failed' }),
    mail: {
      send: async (mail) => {
        mails.push(mail);
        return null;
      },
      [Symbol.asyncDispose]: async () => undefined,
    },
    server: SERVER,
    vault: VAULT,
    unsubscribeUrl: () => 'https://example.org/unsubscribe',
    returnAddress: (uuid) => `${uuid}@bounces.example.org`,
  });
  const event = anEvent();

  await sender.send(CHANNEL, event);
  await sender.send(CHANNEL, event);

  const id = event.deliveryId;
  const addressed = { id, to: 'alice@example.org', returnTo: `${id}@bounces.example.org` };
  assert.deepEqual(
    mails.map(({ id: same, to, returnTo }) => ({ id: same, to, returnTo })),
    [addressed, addressed],
  );
});
