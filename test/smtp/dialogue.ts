import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client that says what the test says, byte by byte if need be. */
export interface SmtpClient extends Disposable {
  readonly socket: Socket;
  /** The next line that the server says; null once it has hung up. */
  line(): Promise<string | null>;
  /** The last line of the next answer, which may have several. */
  reply(): Promise<string | null>;
  send(text: string | Uint8Array): void;
}

export async function openClient(port: number, localAddress = '127.0.0.1'): Promise<SmtpClient> {
  const socket = connect({ host: '127.0.0.1', port, localAddress, noDelay: true, allowHalfOpen: true });
  await once(socket, 'connect');
  // A server that hangs up in the middle of what we say is what some tests are about.
  socket.on('error', () => undefined);
  const lines = linesOf(socket);
  const line = async () => (await lines.next()).value ?? null;
  return {
    socket,
    line,
    async reply() {
      let last = await line();
      while (last?.[3] === '-') last = await line();
      return last;
    },
    send: (text) => void socket.write(text),
    [Symbol.dispose]: () => socket.destroy(),
  };
}

async function* linesOf(socket: Socket): AsyncGenerator<string, undefined> {
  let text = '';
  try {
    for await (const chunk of socket) {
      text += chunk;
      const lines = text.split('\r\n');
      text = lines.pop() ?? '';
      yield* lines;
    }
  } catch {
    // Cut off: there is nothing more to come.
  }
  return undefined;
}

/**
 * Holds a dialogue, written down as `C:` for what the client says and `S:` for what it must hear, a line each.
 * Lines of the client in a row are sent in one go, cut into pieces of the given number of bytes.
 */
export async function hold(
  port: number,
  script: string,
  pieceBytes = Number.POSITIVE_INFINITY,
): Promise<void> {
  using client = await openClient(port);
  const lines = script
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  let unsent = '';
  for (const line of [...lines, 'S: nothing more']) {
    if (line.startsWith('C:')) {
      unsent += `${line.slice(2).trim()}\r\n`;
      continue;
    }
    await sendInPieces(client, Buffer.from(unsent), pieceBytes);
    unsent = '';
    const heard = line === 'S: nothing more' ? await afterAll(client) : await client.line();
    assert.equal(heard, line === 'S: nothing more' ? null : line.slice(2).trim());
  }
}

/** The server must have nothing left to say, and hang up when we do. */
function afterAll(client: SmtpClient): Promise<string | null> {
  client.socket.end();
  return client.line();
}

export async function sendInPieces(client: SmtpClient, bytes: Uint8Array, pieceBytes: number): Promise<void> {
  if (bytes.length === 0) return;
  if (pieceBytes >= bytes.length) return client.send(bytes);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    client.send(bytes.subarray(at, at + pieceBytes));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Sends a message the whole way; answers what was said to each recipient, and at last to the message. */
export async function deliver(
  port: number,
  {
    from = 'alice@example.org',
    to,
    raw,
    localAddress,
  }: { from?: string; to: readonly string[]; raw: string | Uint8Array; localAddress?: string },
): Promise<(string | null)[]> {
  using client = await openClient(port, localAddress);
  await client.reply();
  const replies: (string | null)[] = [];
  for (const command of ['EHLO tester', `MAIL FROM:<${from}>`]) {
    client.send(`${command}\r\n`);
    assert.match((await client.reply()) ?? '', /^250 /);
  }
  for (const recipient of to) {
    client.send(`RCPT TO:<${recipient}>\r\n`);
    replies.push(await client.reply());
  }
  if (!replies.some((reply) => reply?.startsWith('250'))) return replies;
  client.send('DATA\r\n');
  assert.match((await client.reply()) ?? '', /^354 /);
  client.send(stuffed(raw));
  client.send('.\r\n');
  replies.push(await client.reply());
  return replies;
}

/** Adds the dots that the protocol wants, and a line end where there is none. */
function stuffed(raw: string | Uint8Array): Buffer {
  const text = Buffer.from(raw)
    .toString('latin1')
    .replace(/(^|\r\n)\./g, '$1..');
  return Buffer.from(text.endsWith('\r\n') ? text : `${text}\r\n`, 'latin1');
}
