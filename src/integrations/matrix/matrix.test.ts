import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../lib/fields.ts';
import type { HttpResult } from '../../lib/http-client.ts';
import { anEvent, aReply, recordingPorts } from '../kind/alert-event.test-support.ts';
import type { AlertEvent } from '../kind/alert-event.ts';
import type { OutboundRequest } from '../kind/kind.ts';
import { readSettings } from '../registry.ts';
import { matrix } from './matrix.ts';

const SERVER = {
  MATRIX_HOMESERVER: 'https://matrix.example.org/',
  MATRIX_ACCESS_TOKEN: 'token',
  MATRIX_USER_ID: '@tocsin:example.org',
};
const API = 'https://matrix.example.org/_matrix/client/v3';
const ROOM = '!room/1:example.org';
const SENT = aReply(200, { event_id: '$1' });
const TAKEN = { kind: 'delivered', providerId: `${ROOM} $1` };
const FORBIDDEN = aReply(403, { errcode: 'M_FORBIDDEN', error: 'not in room' });

/** A server that answers in this order. */
function answering(...answers: HttpResult[]) {
  const left = [...answers];
  return recordingPorts(() => left.shift() ?? assert.fail('one request too many'));
}

const deliver = (
  room: string,
  ports: ReturnType<typeof recordingPorts>,
  server = SERVER,
  event: AlertEvent = anEvent(),
) => matrix.deliver(event, { room }, ports, server);
const lines = (requests: readonly OutboundRequest[]) => requests.map(({ method, url }) => `${method} ${url}`);
const SENDING = `PUT ${API}/rooms/!room%2F1%3Aexample.org/send/m.room.message/${anEvent().deliveryId}`;

suite('Matrix', () => {
  test('a message goes to the room, with the token and the same transaction at every attempt', async () => {
    const ports = answering(SENT);

    assert.deepEqual(await deliver(ROOM, ports), TAKEN);

    assert.deepEqual(lines(ports.requests), [SENDING]);
    assert.equal(ports.requests[0]?.headers.Authorization, 'Bearer token');
  });

  test('a room that is given by its address is joined first', async () => {
    const ports = answering(aReply(200, { room_id: ROOM }), SENT);

    assert.deepEqual(await deliver('#ops:example.org', ports), TAKEN);

    assert.deepEqual(lines(ports.requests), [`POST ${API}/join/%23ops%3Aexample.org`, SENDING]);
  });

  test('a room in which the account is not is joined, and the message is sent again', async () => {
    const ports = answering(FORBIDDEN, aReply(200, { room_id: ROOM }), SENT);

    assert.deepEqual(await deliver(ROOM, ports), TAKEN);

    assert.deepEqual(lines(ports.requests), [SENDING, `POST ${API}/join/!room%2F1%3Aexample.org`, SENDING]);
  });

  test('the end of an outage answers the message about its begin, if that stands in the same room', async () => {
    const relationOf = async (providerId: string | null) => {
      const ports = answering(SENT);
      const answers = { deliveryId: anEvent().deliveryId, providerId };
      await deliver(ROOM, ports, SERVER, anEvent({ to: 'up', reason: '', answers }));
      return JSON.parse(String(ports.requests[0]?.body))['m.relates_to'];
    };

    assert.deepEqual(await relationOf(TAKEN.providerId), { 'm.in_reply_to': { event_id: '$1' } });
    assert.equal(await relationOf('!elsewhere:example.org $1'), undefined);
    assert.equal(await relationOf(null), undefined);
  });

  test('a message whose id the server does not tell is delivered all the same', async () => {
    assert.deepEqual(await deliver(ROOM, answering(aReply(200, '<html>'))), { kind: 'delivered' });
  });

  const failures: [answers: HttpResult[], error: string, afterSeconds: number | null][] = [
    [[FORBIDDEN, FORBIDDEN], 'The room does not let this service in: invite @tocsin:example.org to it', null],
    [[FORBIDDEN, aReply(200, { room_id: ROOM }), FORBIDDEN], 'The room does not let this service post', null],
    [[FORBIDDEN, aReply(200, '<html>')], 'The Matrix server returned an unexpected response', null],
    [[FORBIDDEN, { error: 'Connection failed' }], 'Connection failed', null],
    [[{ error: 'Connection timed out' }], 'Connection timed out', null],
    [
      [aReply(429, { error: 'Too many', retry_after_ms: 2500 })],
      'Received status code 429 with a message: "Too many"',
      3,
    ],
    [
      [aReply(429, { error: 'Too many', retry_after_ms: 2500 }, { 'retry-after': '4' })],
      'Received status code 429 with a message: "Too many"',
      4,
    ],
    [[aReply(502)], 'Received status code 502', null],
  ];
  for (const [answers, error, afterSeconds] of failures) {
    test(`it is tried again: ${error}`, async () => {
      assert.deepEqual(await deliver(ROOM, answering(...answers)), {
        kind: 'try_again',
        error,
        afterSeconds,
      });
    });
  }

  test('nothing is sent without an account of the operator', async () => {
    const refused = { kind: 'refused', error: 'Matrix notifications are not enabled.' };
    for (const name of ['MATRIX_HOMESERVER', 'MATRIX_ACCESS_TOKEN']) {
      const server = { ...SERVER, [name]: null } as unknown as typeof SERVER;
      assert.deepEqual(await deliver(ROOM, answering(), server), refused);
    }
  });

  test('a room is an address or an id', () => {
    for (const room of [
      '#ops:example.org',
      '!id:example.org',
      '!31hneApxJ_1o-63DmFrpeqnkFfWppnzWso1JvH3ogLM',
    ]) {
      assert.ok(!(readSettings('matrix', { room }) instanceof Fault), room);
    }
    for (const room of ['ops', '#', '# a', '@alice:example.org', `#${'x'.repeat(255)}`]) {
      assert.ok(readSettings('matrix', { room }) instanceof Fault, room);
    }
  });
});

suite('a new integration with Matrix', () => {
  const prepare = (room: string, ...answers: HttpResult[]) => {
    const { http } = answering(...answers);
    return matrix.prepare?.({ room }, http, SERVER) ?? assert.fail();
  };

  test('joins the room, keeps its id, and bears its address as a name', async () => {
    assert.deepEqual(await prepare('#ops:example.org', aReply(200, { room_id: ROOM })), {
      settings: { room: ROOM },
      name: '#ops:example.org',
    });
  });

  test('bears no name if the room was given by its id', async () => {
    assert.deepEqual(await prepare(ROOM, aReply(200, { room_id: ROOM })), {
      settings: { room: ROOM },
      name: '',
    });
  });

  const faults: [answer: HttpResult, reason: string][] = [
    [FORBIDDEN, 'room does not let this service in: invite @tocsin:example.org to it'],
    [aReply(429), 'room cannot be joined now: the Matrix server is busy, try again later'],
    [aReply(502), 'room cannot be joined now: the Matrix server is busy, try again later'],
    [aReply(200, '{}'), 'room cannot be joined: the Matrix server returned an unexpected response'],
    [
      aReply(404, { error: 'Room alias not found' }),
      'room cannot be joined: Received status code 404 with a message: "Room alias not found"',
    ],
    [{ error: 'Could not resolve host' }, 'room cannot be joined: Could not resolve host'],
  ];
  for (const [answer, reason] of faults) {
    test(`is not saved: ${reason}`, async () => {
      const fault = await prepare('#ops:example.org', answer);

      assert.ok(fault instanceof Fault);
      assert.equal(fault.reason, reason);
    });
  }
});
