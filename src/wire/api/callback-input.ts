/** A provider's later report that a message it had accepted failed, perhaps permanently. */
export interface LateVerdict {
  readonly error: string;
  readonly disableChannel: boolean;
}

/** Bytes of a form that are read. Providers send a few hundred. */
export const CALLBACK_FORM_BYTES = 64 * 1024;

/** Reads the form that a provider posts. Returns null if it reports no failure. */
export function parseLateVerdict(form: Uint8Array): LateVerdict | null {
  const fields = new URLSearchParams(new TextDecoder().decode(form.subarray(0, CALLBACK_FORM_BYTES)));
  const error = storable(fields.get('error') ?? '');
  if (error !== '') return { error, disableChannel: (fields.get('mark_disabled') ?? '') !== '' };
  const message = fields.get('MessageStatus');
  if (message === 'failed' || message === 'undelivered') return failed(message);
  return fields.get('CallStatus') === 'failed' ? failed('failed') : null;
}

function failed(status: string): LateVerdict {
  return { error: `Delivery failed (status=${status}).`, disableChannel: false };
}

/** PostgreSQL rejects NUL in texts. */
function storable(text: string): string {
  return text.replaceAll('\0', '');
}
