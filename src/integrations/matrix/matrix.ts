import { type Outcome, tryAgain } from '../../domain/alert/delivery.ts';
import { type EnvSettingTable, type EnvValues, line } from '../../lib/env-setting.ts';
import { Fault, text } from '../../lib/fields.ts';
import type { HttpResult } from '../../lib/http-client.ts';
import { BUTTON_LINKS } from '../kind/button-display.ts';
import { codeText } from '../kind/confirmation.ts';
import { notEnabled } from '../kind/incoming-webhook.ts';
import { conversationKind, type Ports } from '../kind/kind.ts';
import type { Setting } from '../kind/setting.ts';
import {
  invitation,
  isBusy,
  type Joined,
  join,
  type MatrixAccount,
  matrixOutcome,
  send,
  sendingOutcome,
} from './account.ts';
import { MESSAGE_LIMITS, matrixMessage } from './message.ts';

const SETTINGS = {
  room: {
    label: 'Room',
    help: 'The address of the room, such as #operations:example.org, or its internal id, which begins with an exclamation mark.',
    field: text({ maxLength: 255, pattern: /^[#!]\S+$/ }),
    control: 'text',
  } satisfies Setting<string>,
};

const SERVER = {
  MATRIX_HOMESERVER: {
    kind: line,
    default: null,
    example: 'https://matrix.example.org',
    doc: 'Address of the Matrix server on which this service has an account, such as `https://matrix.example.org`.',
  },
  MATRIX_ACCESS_TOKEN: {
    kind: line,
    default: null,
    secret: true,
    doc: 'Access token of that account; if unset, no messages are sent to Matrix.',
  },
  MATRIX_USER_ID: {
    kind: line,
    default: null,
    example: '@tocsin:example.org',
    doc: 'Name of that account, such as `@tocsin:example.org`, for people who have to invite it to a room.',
  },
} satisfies EnvSettingTable;

export const matrix = conversationKind({
  label: 'Matrix',
  category: 'chat',
  summary: 'to a room',
  description: 'Messages from the account of this service in a room.',
  setup: [
    'In Matrix, invite the account of this service to the room that alerts go to. A room that anybody may join needs no invitation.',
    'Enter the address of the room, such as `#operations:example.org`. Of a room without an address, enter the **internal room id** that its advanced settings show.',
    'Save it. The account joins the room at that moment, and you are told if it cannot.',
    'The account posts a code in the room. Enter it on the page of the integration: nothing else is posted before.',
  ],
  example: { room: '#operations:example.org' },
  settings: SETTINGS,
  server: SERVER,
  requires: ['MATRIX_HOMESERVER', 'MATRIX_ACCESS_TOKEN'],
  invitation: ({ MATRIX_USER_ID: name }) =>
    `In Matrix, invite ${name ?? 'the account of this service'} to the room, unless anybody may join it. It joins when you save, and posts a code there that you enter afterwards.`,
  target: ({ room }) => room,
  wants: () => true,
  destination: () => 'matrix',
  limits: MESSAGE_LIMITS,
  needsBody: true,
  needsStory: true,
  takesOwnWords: true,
  buttons: BUTTON_LINKS,
  async prepare({ room }, http, server) {
    const account = accountOf(server);
    if (account === null) return { settings: { room }, name: '' };
    const joined = await join(http, account, room);
    if ('roomId' in joined)
      return { settings: { room: joined.roomId }, name: room.startsWith('!') ? '' : room };
    return new Fault(`room ${whyNotJoined(account, joined)}`);
  },
  confirmation: {
    by: 'code',
    recipient: ({ room }) => room,
    sendCode: (message, { room }, ports, server) =>
      postIn(room, message.id, () => ({ msgtype: 'm.notice', body: codeText(message) }), ports, server),
  },
  deliver: (event, { room }, ports, server) =>
    postIn(room, event.deliveryId, (roomId) => matrixMessage(event, roomId), ports, server),
  acceptedWith: ({ method }) =>
    method === 'POST' ? '{"room_id":"!a-room:example.org"}' : '{"event_id":"$an-event"}',
});

/** Joins the room first if the account is not in it. */
async function postIn(
  room: string,
  transaction: string,
  contentFor: (roomId: string) => object,
  { http }: Pick<Ports, 'http'>,
  server: EnvValues<typeof SERVER>,
): Promise<Outcome> {
  const account = accountOf(server);
  if (account === null) return notEnabled('Matrix');
  const post = async (roomId: string) => {
    const reply = await send(http, account, { roomId, transaction, content: contentFor(roomId) });
    return isForbidden(reply) ? null : sendingOutcome(reply, roomId);
  };
  const posted = room.startsWith('#') ? null : await post(room);
  if (posted !== null) return posted;
  const joined = await join(http, account, room);
  if ('refused' in joined) return notJoined(account, joined);
  return (await post(joined.roomId)) ?? tryAgain('The room does not let this service post');
}

/** The account is not in the room, or may not post there. */
function isForbidden(reply: HttpResult): boolean {
  return 'status' in reply && reply.status === 403;
}

type NotJoined = Exclude<Joined, { roomId: string }>;

/** People may invite the account later, so it is worth another try. */
function notJoined(account: MatrixAccount, joined: NotJoined): Outcome {
  switch (joined.refused) {
    case 'no_invitation':
      return tryAgain(`The room ${invitation(account)}`);
    case 'garbage':
      return tryAgain('The Matrix server returned an unexpected response');
    case 'failed':
      return matrixOutcome(joined.reply);
    default:
      return joined satisfies never;
  }
}

function whyNotJoined(account: MatrixAccount, joined: NotJoined): string {
  if (joined.refused === 'no_invitation') return invitation(account);
  if (joined.refused === 'garbage')
    return 'cannot be joined: the Matrix server returned an unexpected response';
  if (isBusy(joined.reply)) return 'cannot be joined now: the Matrix server is busy, try again later';
  const outcome = matrixOutcome(joined.reply);
  return `cannot be joined: ${'error' in outcome ? outcome.error : ''}`;
}

function accountOf({
  MATRIX_HOMESERVER: homeserver,
  MATRIX_ACCESS_TOKEN: token,
  MATRIX_USER_ID: userId,
}: EnvValues<typeof SERVER>): MatrixAccount | null {
  return homeserver === null || token === null ? null : { homeserver, token, userId };
}
