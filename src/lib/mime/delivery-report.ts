import {
  fieldGroupsOf,
  type Part,
  parameterOf,
  parseParameterised,
  partsOf,
  readMessage,
} from './mime-part.ts';
import { decodeTransfer } from './transfer-encoding.ts';

/** What a mail server says about a message that it could not deliver, or not yet (RFC 3464). */
export interface DeliveryReport {
  /** Such as `5.1.1`; empty where there is none. */
  readonly status: string;
  /** In the words of the server that refused it; may be empty. */
  readonly diagnostic: string;
}

/** Deeper than any mail server nests, and more parts than it sends; what comes then is not looked at. */
const DEEPEST = 10;
const MOST_PARTS = 1000;

/** The field `To` of a message, as it stands there; empty where there is none. */
export function readRecipient(raw: Uint8Array): string {
  return messageOf(raw).fields.get('to') ?? '';
}

/**
 * The first part that has both a status and an action, or null. Messages within the message are not searched: the
 * one that was returned may quote a report itself, about something else.
 */
export function readDeliveryReport(raw: Uint8Array): DeliveryReport | null {
  for (const fields of fieldGroups(messageOf(raw), 0, { left: MOST_PARTS })) {
    const status = fields.get('status');
    if (status !== undefined && fields.has('action')) {
      return { status, diagnostic: fields.get('diagnostic-code') ?? '' };
    }
  }
  return null;
}

function messageOf(raw: Uint8Array): Part {
  return readMessage(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
}

/** The header of the part and of all parts in it; a report on a delivery is itself made of headers. */
function* fieldGroups(
  { fields, body }: Part,
  depth: number,
  patience: { left: number },
): Generator<ReadonlyMap<string, string>> {
  yield fields;
  const type = parseParameterised(fields.get('content-type') ?? '');
  if (isReport(type.value)) {
    const encoding = parseParameterised(fields.get('content-transfer-encoding') ?? '').value;
    for (const group of fieldGroupsOf(decodeTransfer(body, encoding))) {
      if (patience.left-- <= 0) return;
      yield group;
    }
  }
  if (!type.value.startsWith('multipart/') || depth === DEEPEST) return;
  for (const part of partsOf(body, parameterOf(type, 'boundary'))) {
    if (patience.left-- <= 0) return;
    yield* fieldGroups(part, depth + 1, patience);
  }
}

function isReport(type: string): boolean {
  return type === 'message/delivery-status' || type === 'message/global-delivery-status';
}
