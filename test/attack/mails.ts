import type { Attack, Target } from './attack.ts';
import { open, push, send } from './sockets.ts';

const MEGABYTE = 1024 * 1024;

/** Sends a mail the whole way and waits for the answer to it. A refusal is ignored. */
async function sendMail(target: Target, recipients: readonly string[], message: string): Promise<void> {
  const dialogue = await beginMail(target, recipients);
  if (dialogue === null) return;
  const { socket, answers } = dialogue;
  await send(socket, message);
  await send(socket, '\r\n.\r\n');
  await answers.next();
  socket.destroy();
}

/** The dialogue up to where the message follows; null where the listener did not want it. */
async function beginMail({ smtpPort, mailDomain }: Target, recipients: readonly string[]) {
  const socket = await open(smtpPort);
  const answers = answersOf(socket);
  const commands = [
    'EHLO attacker',
    'MAIL FROM:<attacker@example.org>',
    ...recipients.map((one) => `RCPT TO:<${one}@${mailDomain}>`),
    'DATA',
  ];
  await answers.next();
  for (const command of commands) {
    push(socket, `${command}\r\n`);
    if ((await answers.next()).done) return null;
  }
  return { socket, answers };
}

/** The last line of each answer. */
async function* answersOf(socket: AsyncIterable<Buffer>): AsyncGenerator<string, undefined> {
  let text = '';
  try {
    for await (const chunk of socket) {
      text += chunk.toString('latin1');
      const lines = text.split('\r\n');
      text = lines.pop() ?? '';
      for (const line of lines) if (line[3] !== '-') yield line;
    }
  } catch {
    // Cut off.
  }
  return undefined;
}

/** UUIDs of the kind that checks have, of checks that do not exist. */
function strangers(count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  );
}

/** Empty encoded words in character sets that nobody knows, no two in a row the same. */
function subjectOfWords(bytes: number): string {
  const words = '=?nobody-1?q??=\r\n =?nobody-2?q??=\r\n ';
  return `Subject: ${words.repeat(Math.floor(bytes / words.length))}x\r\n\r\nhello\r\n`;
}

/** Multiparts in multiparts. Each holds lines that nearly end it. */
function nestedMultiparts(bytes: number): string {
  const depth = 20;
  const heads = Array.from(
    { length: depth },
    (_, level) => `Content-Type: multipart/mixed; boundary="b${level}"\r\n\r\n--b${level}\r\n`,
  );
  return `${heads.join('')}\r\n${'--\r\n'.repeat(Math.floor(bytes / 4))}`;
}

async function repeat(count: number, atOnce: number, work: () => Promise<void>): Promise<void> {
  let begun = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (begun++ < count) await work();
    }),
  );
}

export const MAIL_ATTACKS: readonly Attack[] = [
  {
    name: 'mails to nobody with subjects of encoded words',
    amount: { short: 10, full: 95 },
    run: (target, mails) => repeat(mails, 5, () => sendMail(target, strangers(1), subjectOfWords(250_000))),
  },
  {
    name: 'mails with subjects of encoded words to a check that looks into them',
    amount: { short: 10, full: 95 },
    run: (target, mails) =>
      repeat(mails, 5, () => sendMail(target, [target.filteringCheck], subjectOfWords(250_000))),
  },
  {
    name: 'mails of nested multiparts to a check that looks into them',
    amount: { short: 10, full: 50 },
    run: (target, mails) =>
      repeat(mails, 5, () => sendMail(target, [target.filteringCheck], nestedMultiparts(250_000))),
  },
  {
    name: 'long mails of nested multiparts to a check that looks into them',
    amount: { short: 1, full: 4 },
    run: (target, mails) =>
      repeat(mails, 2, () => sendMail(target, [target.filteringCheck], nestedMultiparts(31 * MEGABYTE))),
  },
  {
    name: 'long mails to a hundred addresses of nobody',
    amount: { short: 2, full: 8 },
    run: (target, mails) => repeat(mails, 8, () => sendMail(target, strangers(100), longText(31 * MEGABYTE))),
  },
  {
    name: 'long mails that are kept whole, to many times the same check',
    amount: { short: 2, full: 100 },
    // Each of the pings carries all 31 MB to the writer.
    env: { PING_EMAIL_BODY_LIMIT: 'None' },
    maxMegabytes: 1_300,
    run: (target, recipients) =>
      repeat(8, 8, () =>
        sendMail(target, Array<string>(recipients).fill(target.filteringCheck), longText(31 * MEGABYTE)),
      ),
  },
  {
    name: 'long mails that never end',
    amount: { short: 4, full: 40 },
    async run(target, mails) {
      const message = longText(31 * MEGABYTE);
      await repeat(mails, mails, async () => {
        const dialogue = await beginMail(target, strangers(1));
        if (dialogue !== null) await send(dialogue.socket, message);
      });
    },
  },
  {
    name: 'connections to the mail listener that say nothing',
    amount: { short: 120, full: 1_000 },
    async run({ smtpPort }, clients) {
      await Promise.all(Array.from({ length: clients }, () => open(smtpPort)));
    },
  },
  {
    name: 'commands to the mail listener whose answers nobody reads',
    amount: { short: 5, full: 50 },
    async run({ smtpPort, mailDomain }, clients) {
      const commands = `EHLO a\r\nMAIL FROM:<>\r\nRCPT TO:<nobody@${mailDomain}>\r\nRSET\r\n`.repeat(20_000);
      const sockets = await Promise.all(Array.from({ length: clients }, () => open(smtpPort)));
      for (const socket of sockets) {
        socket.pause();
        push(socket, commands);
      }
    },
  },
];

function longText(bytes: number): string {
  const line = `${'x'.repeat(76)}\r\n`;
  return `Subject: long\r\n\r\n${line.repeat(Math.floor(bytes / line.length) - 1)}`;
}
