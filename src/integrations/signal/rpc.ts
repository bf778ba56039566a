import type { Line } from '../../lib/socket-client.ts';
import type { ConversationTarget } from '../kind/kind.ts';

/** For a whole call. signal-cli may have to fetch keys of the recipient first. */
const TIMEOUT_MS = 60_000;

export interface RpcError {
  readonly code: unknown;
  readonly message: unknown;
  readonly data: unknown;
}

/** signal-cli's answer to our call. */
export type RpcReply =
  | { readonly kind: 'done' }
  | { readonly kind: 'refused'; readonly error: RpcError }
  /** Another message, or none. */
  | { readonly kind: 'unexpected' };

/** `SIGNAL_CLI_SOCKET` is the path of a socket, or a host and a port. */
export function signalTarget(socket: string): ConversationTarget {
  const shared = { timeoutMs: TIMEOUT_MS, isOperators: true };
  const [, host, port] = /^(.+):(\d+)$/.exec(socket) ?? [];
  if (host === undefined || port === undefined) return { path: socket, ...shared };
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port), isSecure: false, ...shared };
}

/**
 * One call on a connection of its own: a line with the call, then lines with answers and messages. Some are not for us.
 * https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc
 */
export async function callSignal(
  line: Line,
  method: string,
  params: Readonly<Record<string, unknown>>,
  id: string,
): Promise<RpcReply> {
  line.write(`${JSON.stringify({ jsonrpc: '2.0', method, params, id })}\n`);
  line.end();
  const decoder = new TextDecoder();
  let rest = '';
  for (let bytes = await line.read(); bytes !== null; bytes = await line.read()) {
    const lines = `${rest}${decoder.decode(bytes, { stream: true })}`.split('\n');
    rest = lines.pop() ?? '';
    for (const written of lines) {
      const reply = replyTo(id, written);
      if (reply !== null) return reply;
    }
  }
  return replyTo(id, rest) ?? { kind: 'unexpected' };
}

/** Null if the line is not about our call. */
function replyTo(id: string, written: string): RpcReply | null {
  if (written.trim() === '') return null;
  const reply = parsed(written);
  if (reply === null) return { kind: 'unexpected' };
  if (reply.id !== id) return null;
  if (reply.error === undefined || reply.error === null) return { kind: 'done' };
  const { code, message, data } = asRecord(reply.error);
  return { kind: 'refused', error: { code, message, data } };
}

function parsed(written: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(written);
    return typeof value === 'object' && value !== null ? { ...value } : null;
  } catch {
    return null;
  }
}

/** The value if it is an object. Empty otherwise. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
