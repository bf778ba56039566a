import { DELIVERED, type Outcome, tryAgain } from '../../domain/alert/delivery.ts';
import type { HttpResult } from '../../lib/http-client.ts';
import type { OutboundRequest, Ports, Reply } from '../kind/kind.ts';
import { isTaken, jsonOf, retryAfter, statusErrorWith } from '../send/reply.ts';

/** The account of this service on a Matrix server. */
export interface MatrixAccount {
  readonly homeserver: string;
  readonly token: string;
  /** Such as `@tocsin:example.org`; null if the operator has not said it. */
  readonly userId: string | null;
}

type Http = Ports['http'];

interface RoomMessage {
  readonly roomId: string;
  /** The server takes a message with the same one only once. */
  readonly transaction: string;
  readonly content: object;
}

/** https://spec.matrix.org/v1.11/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid */
export function send(
  http: Http,
  account: MatrixAccount,
  { roomId, transaction, content }: RoomMessage,
): Promise<HttpResult> {
  const path = `rooms/${encodeURIComponent(roomId)}/send/m.room.message/${encodeURIComponent(transaction)}`;
  return http(request(account, 'PUT', path, content));
}

export type Joined =
  | { readonly roomId: string }
  | { readonly refused: 'no_invitation' }
  | { readonly refused: 'garbage' }
  | { readonly refused: 'failed'; readonly reply: HttpResult };

/**
 * Joins the room, also one in which the account is already:
 * https://spec.matrix.org/v1.11/client-server-api/#post_matrixclientv3joinroomidoralias
 */
export async function join(http: Http, account: MatrixAccount, room: string): Promise<Joined> {
  const reply = await http(request(account, 'POST', `join/${encodeURIComponent(room)}`, {}));
  if ('error' in reply) return { refused: 'failed', reply };
  if (reply.status === 403) return { refused: 'no_invitation' };
  if (!isTaken(reply)) return { refused: 'failed', reply };
  const { room_id: roomId } = jsonOf(reply);
  return typeof roomId === 'string' ? { roomId } : { refused: 'garbage' };
}

/** https://spec.matrix.org/v1.11/client-server-api/#rate-limiting: older servers tell the pause in the body alone. */
export function matrixOutcome(reply: HttpResult): Outcome {
  if ('error' in reply) return tryAgain(reply.error);
  if (isTaken(reply)) return DELIVERED;
  const { error, retry_after_ms: pause } = jsonOf(reply);
  const inBody = typeof pause === 'number' ? Math.ceil(pause / 1000) : null;
  return tryAgain(statusErrorWith(reply, error), retryAfter(reply) ?? inBody);
}

export function sendingOutcome(reply: HttpResult, roomId: string): Outcome {
  const outcome = matrixOutcome(reply);
  if (outcome.kind !== 'delivered' || 'error' in reply) return outcome;
  const { event_id: eventId } = jsonOf(reply);
  return typeof eventId === 'string' ? { kind: 'delivered', providerId: `${roomId} ${eventId}` } : outcome;
}

/** Whether the server has too much to do, or nobody behind it answers. */
export function isBusy(reply: HttpResult): reply is Reply {
  return 'status' in reply && (reply.status === 429 || reply.status === 502);
}

export function invitation({ userId }: MatrixAccount): string {
  return `does not let this service in: invite ${userId ?? 'its account'} to it`;
}

function request(
  { homeserver, token }: MatrixAccount,
  method: string,
  path: string,
  body: object,
): OutboundRequest {
  return {
    method,
    url: `${homeserver.replace(/\/+$/, '')}/_matrix/client/v3/${path}`,
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  };
}
