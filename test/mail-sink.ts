import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** A message as a mail server gets it. */
export interface SunkMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Header and body. */
  readonly text: string;
}

/** A mail server that takes everything and keeps it. */
export interface MailSink extends AsyncDisposable {
  readonly port: number;
  readonly mails: readonly SunkMail[];
  /** The names by which clients introduced themselves. */
  readonly greetings: readonly string[];
}

/** A server's unusual answer to a line of its client, or hanging up. */
export type MailServerAnswer = (line: string) => string | typeof HANG_UP | undefined;

export const HANG_UP = Symbol('hang up');

/** `answer` gives the answers that are unusual; everything else is taken. */
export async function startMailSink(answer: MailServerAnswer = () => undefined): Promise<MailSink> {
  const mails: SunkMail[] = [];
  const greetings: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    void converse(socket, mails, greetings, answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the sink listens nowhere');
  return {
    port: address.port,
    mails,
    greetings,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function converse(
  socket: Socket,
  mails: SunkMail[],
  greetings: string[],
  answer: MailServerAnswer,
): Promise<void> {
  let envelope = { from: '', to: [] as string[] };
  let lines: string[] | null = null;
  socket.write('220 sink\r\n');
  for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (lines !== null && line !== '.') {
      lines.push(line.replace(/^\./, ''));
      continue;
    }
    const unusual = answer(line);
    if (unusual === HANG_UP) {
      socket.destroy();
      return;
    }
    if (lines !== null) {
      mails.push({ ...envelope, text: lines.join('\n') });
      envelope = { from: '', to: [] };
      lines = null;
    }
    const [, greeting] = /^(?:EHLO|HELO) (.*)$/i.exec(line) ?? [];
    if (greeting !== undefined) greetings.push(greeting);
    const [, sender] = /^MAIL FROM:<(.*?)>/i.exec(line) ?? [];
    const [, recipient] = /^RCPT TO:<(.*?)>/i.exec(line) ?? [];
    if (sender !== undefined) envelope.from = sender;
    if (recipient !== undefined) envelope.to.push(recipient);
    if (line === 'DATA') lines = [];
    socket.write(`${unusual ?? (line === 'DATA' ? '354 go on' : '250 OK')}\r\n`);
  }
}
