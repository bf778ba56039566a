import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Outcome } from '../../domain/alert/delivery.ts';
import { Fault } from '../../lib/fields.ts';
import { aCheck, anEvent, recordingPorts } from '../kind/alert-event.test-support.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import type { Ports } from '../kind/kind.ts';
import { readSettings } from '../settings/channel-settings.ts';
import { mqtt } from './mqtt.ts';
import { connectPacket, publishPacket, readPacket } from './packets.ts';

const BROKER = {
  url: 'mqtts://broker.example.org',
  username: 'tocsin',
  password: 'secret-of-the-broker',
  topic: 'tocsin/$PROJECT/$KEY',
  is_retained: true,
};

/** An attempt at a broker that writes these bytes. */
function answeredWith(...pieces: readonly (readonly number[])[]): Promise<Outcome> {
  const replies = pieces.map((piece) => Uint8Array.from(piece));
  const ports: Ports = {
    ...recordingPorts(),
    converse: (_target, talk) =>
      talk({ write: () => undefined, end: () => undefined, read: async () => replies.shift() ?? null }),
  };
  return mqtt.deliver(anEvent(), BROKER, ports, {});
}

async function written(event: AlertEvent, settings = BROKER) {
  const ports = recordingPorts(undefined, mqtt);
  assert.deepEqual(await mqtt.deliver(event, settings, ports, {}), { kind: 'delivered' });
  return ports.written;
}

suite('an MQTT broker', () => {
  test('is told who connects, what is published, and that it was all', async () => {
    const [connect, publish, disconnect] = await written(anEvent());

    assert.equal(connect?.to, 'broker.example.org:8883');
    const hello = Buffer.from(connect?.bytes ?? []);
    assert.deepEqual([...hello.subarray(2, 10)], [0, 4, ...Buffer.from('MQTT'), 4, 0xc2]);
    assert.match(hello.toString('latin1'), /tocsin0b6f1f4e58b14d0c.*tocsin.*secret-of-the-broker$/s);
    const message = Buffer.from(publish?.bytes ?? []);
    assert.equal(message[0], 0x33, 'once at least, and retained');
    const { uniqueKey } = anEvent().check;
    assert.ok(message.includes(`tocsin/Acme/${uniqueKey}`));
    const payload = JSON.parse(message.subarray(message.indexOf('{')).toString());
    assert.deepEqual(
      [payload.name, payload.status, payload.reason, payload.at, payload.down_seconds],
      ['Nightly backup', 'down', 'timeout', '2024-03-10T12:30:05+00:00', null],
    );
    assert.deepEqual([...(disconnect?.bytes ?? [])], [0xe0, 0]);
  });

  test('gets one level of a topic for each value, without wildcards', async () => {
    const event = anEvent({ check: aCheck({ name: 'a/b+c#d' }), projectName: '' });
    const [, publish] = await written(event, {
      ...BROKER,
      topic: 'x/$NAME/$PROJECT/$STATUS',
      is_retained: false,
    });

    assert.equal(publish?.bytes[0], 0x32);
    assert.ok(Buffer.from(publish?.bytes ?? []).includes('x/a-b-c-d/-/down'));
  });

  test('that acknowledges has the message, however its bytes are divided', async () => {
    assert.deepEqual(await answeredWith([0x20], [2, 0], [0, 0x40, 2], [0, 1]), { kind: 'delivered' });
    assert.deepEqual(await answeredWith([0x20, 2, 0, 0, 0xd0, 0, 0x40, 2, 0, 1]), { kind: 'delivered' });
  });

  test('that refuses, hangs up or talks something else is tried again', async () => {
    const cases: [pieces: number[][], error: string][] = [
      [[[0x20, 2, 0, 4]], 'The broker does not accept the user name or the password'],
      [[[0x20, 2, 0, 5]], 'The broker does not allow it'],
      [[[0x20, 2, 0, 99]], 'The broker refused with code 99'],
      [[], 'The broker has hung up'],
      [[[...Buffer.from('HTTP/1.1 400 Bad Request\r\n')]], 'The broker has hung up'],
      [[[0x20, 2, 0, 0]], 'The broker has not acknowledged the message'],
      [[[0x20, 2, 0, 0, 0x40, 2, 0, 9]], 'The broker has not acknowledged the message'],
    ];
    for (const [pieces, error] of cases) {
      assert.deepEqual(await answeredWith(...pieces), { kind: 'try_again', error, afterSeconds: null });
    }
  });

  test('has an address of its own, and a user of whom nothing is in the address', () => {
    assert.deepEqual(readSettings('mqtt', { url: 'mqtt://Broker.example:1884/path' }), {
      ...{ url: 'mqtt://Broker.example:1884', username: '', password: '', topic: 'tocsin/$KEY' },
      is_retained: true,
    });
    for (const url of ['https://a.example', 'mqtt://', 'mqtt://u:p@a.example', 'broker:1883', '']) {
      assert.ok(readSettings('mqtt', { url }) instanceof Fault, url);
    }
    for (const topic of ['a/#', 'a/+/b', '  ']) {
      assert.ok(readSettings('mqtt', { url: 'mqtt://a.example', topic }) instanceof Fault, topic);
    }
  });
});

suite('packets of MQTT', () => {
  test('write their length in as many bytes as it needs', () => {
    const lengths = [10, 200, 20_000, 3_000_000].map((size) => {
      const packet = publishPacket('t', 'x'.repeat(size), { id: 1, isRetained: false });
      return [packet.length - size, readPacket(packet)?.length === packet.length];
    });

    assert.deepEqual(lengths, [
      [7, true],
      [8, true],
      [9, true],
      [10, true],
    ]);
  });

  test('are read when all of them is there', () => {
    assert.equal(readPacket(Uint8Array.of()), null);
    assert.equal(readPacket(Uint8Array.of(0x20)), null);
    assert.equal(readPacket(Uint8Array.of(0x20, 2, 0)), null);
    assert.equal(readPacket(Uint8Array.of(0x30, 255, 255, 255, 255, 1)), null);
  });

  test('have no password without a user name', () => {
    const packet = connectPacket({ clientId: 'a', username: '', password: 'p' });

    assert.equal(packet[9], 2);
  });
});
