import type { PingTarget } from '../domain/ping/incoming-ping.ts';
import { parseRecipient } from './recipient.ts';

export interface SessionOptions {
  /** The domain of ping addresses. The server also greets with this name. */
  readonly domain: string;
  readonly maxMessageBytes: number;
}

/** The sender of a message and its recipients, in the order of their commands. */
export interface Envelope {
  /** Empty for the null sender. */
  readonly sender: string;
  readonly recipients: readonly PingTarget[];
}

/** The reply to a command, without the line end, and the next step. */
export interface Step {
  readonly reply: string;
  readonly next: 'command' | 'message' | 'hang_up';
}

/** The minimum of RFC 5321, section 4.5.3.1.8. Senders repeat the message for further recipients. */
export const MAX_RECIPIENTS = 100;
/** A client with this many invalid commands is not a mail program. */
export const MAX_FAULTS = 20;
/** Rejected recipients of a session. A mail program sends few that are not ours. */
export const MAX_REJECTED_RECIPIENTS = 100;
/** For one message. A mail program needs four, and one for each recipient. */
export const MAX_COMMANDS = 1000;
/** In one session. A mail program with more messages connects again. */
export const MAX_MESSAGES = 1000;

const OK = say('250 OK');

type Command = (this: Session, argument: string) => Step;

/**
 * The server's side of an SMTP dialogue (RFC 5321), without a socket: it turns commands into replies. It accepts
 * senders without a domain and addresses without angle brackets, because appliances send them.
 */
export class Session {
  readonly #options: SessionOptions;
  #isGreeted = false;
  #sender: string | null = null;
  #recipients: PingTarget[] = [];
  #faults = 0;
  #commands = 0;
  #rejectedRecipients = 0;
  #messages = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  greeting(): string {
    return `220 ${this.#options.domain} ESMTP`;
  }

  /** Takes a line without its end. */
  command(line: string): Step {
    if (++this.#commands > MAX_COMMANDS) return hangUp('421 4.7.0 Too many commands');
    const [, verb = '', argument = ''] = /^([a-z]*)(.*)$/is.exec(line) ?? [];
    const command = Session.#byName[verb.toUpperCase()];
    // A blank or the end of the line must follow the name of a command.
    const isCommand = command !== undefined && (argument === '' || /^\s/.test(argument));
    return isCommand ? command.call(this, argument.trim()) : this.fault('500 5.5.2 Command not recognized');
  }

  /** The reply to an invalid command. */
  fault(reply: string): Step {
    return ++this.#faults < MAX_FAULTS ? say(reply) : hangUp('421 4.7.0 Too many errors');
  }

  /** Returns the envelope of the received message and clears it for the next one. */
  takeEnvelope(): Envelope {
    const envelope = { sender: this.#sender ?? '', recipients: this.#recipients };
    this.#reset();
    this.#commands = 0;
    this.#messages++;
    return envelope;
  }

  static readonly #byName: Readonly<Record<string, Command | undefined>> = {
    HELO(argument) {
      return this.#greet(argument, [this.#options.domain]);
    },
    EHLO(argument) {
      const { domain, maxMessageBytes } = this.#options;
      return this.#greet(argument, [domain, 'PIPELINING', '8BITMIME', 'SMTPUTF8', `SIZE ${maxMessageBytes}`]);
    },
    MAIL(argument) {
      return this.#mail(argument);
    },
    RCPT(argument) {
      return this.#recipient(argument);
    },
    DATA() {
      if (this.#recipients.length === 0) return this.fault('503 5.5.1 Send RCPT first');
      return { reply: '354 End data with <CR><LF>.<CR><LF>', next: 'message' };
    },
    RSET() {
      this.#reset();
      return OK;
    },
    NOOP: () => OK,
    // Which addresses exist is a secret.
    VRFY: () => say('252 2.1.5 Send some mail, it will be tried'),
    HELP: () => say('214 2.0.0 See RFC 5321'),
    QUIT: () => hangUp('221 Bye'),
  };

  #greet(name: string, lines: readonly string[]): Step {
    if (name === '') return this.fault('501 5.5.4 Tell your name');
    this.#isGreeted = true;
    this.#reset();
    const isLast = (index: number) => index === lines.length - 1;
    return say(lines.map((line, index) => `250${isLast(index) ? ' ' : '-'}${line}`).join('\r\n'));
  }

  #mail(argument: string): Step {
    const path = parsePath('FROM', argument);
    if (!this.#isGreeted) return this.fault('503 5.5.1 Send EHLO first');
    if (path === null) return this.fault('501 5.5.4 Syntax: MAIL FROM:<address>');
    if (this.#sender !== null) return this.fault('503 5.5.1 There is a sender already');
    if (this.#messages >= MAX_MESSAGES) return hangUp('421 4.7.0 Too many messages');
    const refusal = this.#refuseParameters(path.parameters);
    if (refusal !== null) return say(refusal);
    this.#sender = path.address;
    return OK;
  }

  #refuseParameters(parameters: readonly string[]): string | null {
    for (const parameter of parameters) {
      const [name = '', value = ''] = parameter.toUpperCase().split('=', 2);
      const isKnown = name === 'SMTPUTF8' || /^(SIZE=\d+|BODY=(7BIT|8BITMIME))$/.test(`${name}=${value}`);
      if (!isKnown) return '555 5.5.4 Parameter not recognized';
      if (name === 'SIZE' && Number(value) > this.#options.maxMessageBytes) return TOO_LARGE;
    }
    return null;
  }

  #recipient(argument: string): Step {
    const path = parsePath('TO', argument);
    if (this.#sender === null) return this.fault('503 5.5.1 Send MAIL first');
    if (path === null) return this.fault('501 5.5.4 Syntax: RCPT TO:<address>');
    const target = parseRecipient(path.address, this.#options.domain);
    if (target === 'other_domain') return this.#reject('550 5.1.1 Recipient rejected');
    if (target === 'no_mailbox') return this.#reject('550 5.1.1 Invalid mailbox');
    if (path.parameters.length > 0) return this.#reject('555 5.5.4 Parameter not recognized');
    if (this.#recipients.length === MAX_RECIPIENTS) return say('452 4.5.3 Too many recipients');
    this.#recipients.push(target);
    return OK;
  }

  #reject(reply: string): Step {
    if (++this.#rejectedRecipients <= MAX_REJECTED_RECIPIENTS) return say(reply);
    return hangUp('421 4.7.0 Too many rejected recipients');
  }

  #reset(): void {
    this.#sender = null;
    this.#recipients = [];
  }
}

export const TOO_LARGE = '552 5.3.4 Message too large';

function say(reply: string): Step {
  return { reply, next: 'command' };
}

function hangUp(reply: string): Step {
  return { reply, next: 'hang_up' };
}

/** The address and its parameters. A route before the address is ignored (RFC 5321, appendix C). */
function parsePath(word: string, argument: string): { address: string; parameters: string[] } | null {
  const [, given = '', bracketed, bare = '', rest = ''] =
    /^(\w+)\s*:\s*(?:<([^<>]*)>|([^\s<>]+))(|\s.*)$/s.exec(argument) ?? [];
  if (given.toUpperCase() !== word) return null;
  const address = (bracketed ?? bare).trim().replace(/^@[^:]*:/, '');
  return { address, parameters: rest.split(/\s+/).filter((parameter) => parameter !== '') };
}
