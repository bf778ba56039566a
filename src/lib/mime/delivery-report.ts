import {
  fieldGroupsOf,
  type Part,
  parameterOf,
  parseParameterised,
  partsOf,
  readMessage,
} from './mime-part.ts';
import { ScanBudget } from './scan-budget.ts';
import { decodeTransfer } from './transfer-encoding.ts';

/** The report of a mail server about a message that it could not deliver, or not yet (RFC 3464). */
export interface DeliveryReport {
  /** Such as `5.1.1`. Empty if there is none. */
  readonly status: string;
  /** The text of the server that refused the message. May be empty. */
  readonly diagnostic: string;
}

/** Mail servers nest less and send fewer parts. The rest is ignored. */
const MAX_DEPTH = 10;
const MAX_PARTS = 1000;

/**
 * Reading this much takes less than a millisecond, which matters because anybody can send a report and others wait
 * meanwhile. It is enough: the report comes before the returned message.
 */
export const MAX_REPORT_SCAN = 128 * 1024;
/** Read of a header before its signature is checked. */
export const MAX_RECIPIENT_SCAN = 64 * 1024;

/** The field `To` of a message, unchanged. Empty if there is none. */
export function readRecipient(raw: Uint8Array, scan = new ScanBudget(MAX_RECIPIENT_SCAN)): string {
  return messageOf(raw, scan).fields.get('to') ?? '';
}

/**
 * The first part that has both a status and an action, or null. Messages within the message are not searched: the returned
 * message may contain a report about something else.
 */
export function readDeliveryReport(
  raw: Uint8Array,
  scan = new ScanBudget(MAX_REPORT_SCAN),
): DeliveryReport | null {
  for (const fields of fieldGroups(messageOf(raw, scan), 0, { partsLeft: MAX_PARTS, scan })) {
    const status = fields.get('status');
    if (status !== undefined && fields.has('action')) {
      return { status, diagnostic: fields.get('diagnostic-code') ?? '' };
    }
  }
  return null;
}

function messageOf(raw: Uint8Array, scan: ScanBudget): Part {
  return readMessage(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), scan);
}

interface Search {
  partsLeft: number;
  readonly scan: ScanBudget;
}

/** The header fields of a part and of all parts in it. A delivery report consists of header fields, too. */
function* fieldGroups(
  { fields, body }: Part,
  depth: number,
  search: Search,
): Generator<ReadonlyMap<string, string>> {
  yield fields;
  const type = parseParameterised(fields.get('content-type') ?? '');
  if (isReport(type.value)) {
    const encoding = parseParameterised(fields.get('content-transfer-encoding') ?? '').value;
    const report = decodeTransfer(body.subarray(0, search.scan.take(body.length)), encoding);
    for (const group of fieldGroupsOf(report, search.scan)) {
      if (search.partsLeft-- <= 0) return;
      yield group;
    }
  }
  if (!type.value.startsWith('multipart/') || depth === MAX_DEPTH) return;
  for (const part of partsOf(body, parameterOf(type, 'boundary'), search.scan)) {
    if (search.partsLeft-- <= 0) return;
    yield* fieldGroups(part, depth + 1, search);
  }
}

function isReport(type: string): boolean {
  return type === 'message/delivery-status' || type === 'message/global-delivery-status';
}
