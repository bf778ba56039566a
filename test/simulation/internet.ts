import type { OutboundRequest } from '../../src/integrations/kind/kind.ts';
import type { Chance } from '../../src/lib/chance.ts';
import type { HttpResult } from '../../src/lib/http-client.ts';
import { type Instant, type Micros, seconds } from '../../src/lib/instant.ts';
import type { Mail } from '../../src/lib/mail-sender.ts';
import type { NodeParts } from '../../src/node/node.ts';
import type { Life } from './life.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';

/**
 * A provider's behaviour: it works; refuses; cannot be reached; takes its time; takes messages but its answers are
 * lost; asks to wait; or now this, now that.
 */
export const MOODS = ['well', 'refusing', 'unreachable', 'slow', 'mute', 'crowded', 'moody'] as const;
export type Mood = (typeof MOODS)[number];

/** A message that a provider has taken. */
export interface Taken {
  readonly at: Instant;
  readonly deliveryUuid: string;
  readonly checkUuid: string;
  readonly status: string;
  /** The addresses of its buttons. */
  readonly links: readonly string[];
  /** Those of a mail. */
  readonly mailLinks: readonly string[];
  /** What a mail about several checks says of them. */
  readonly lines: readonly string[];
  /** Whether the sender never learned of it. */
  readonly isAnswerLost: boolean;
}

type Message = Omit<Taken, 'at' | 'isAnswerLost'>;

type Answer = 200 | 429 | 500 | 'lost' | 'unreachable';

const TIMEOUT: Micros = seconds(30);
const BUTTON = /https?:\/\/\S+\/buttons\/\S+/g;
const LINE = /^(?:Down|Down, and up again|Up again): .+$/gm;

/** The providers that messages go to, each host with a mood of its own. */
export class Internet {
  readonly taken: Taken[] = [];
  /** Told of each message that is taken. */
  onTaken: (message: Taken) => void = () => undefined;
  readonly #timeline: Timeline;
  readonly #chance: Chance;
  readonly #trace: Trace;
  #underWay = 0;
  readonly #moods = new Map<string, { mood: Mood; since: Instant }>();

  constructor(timeline: Timeline, chance: Chance, trace: Trace) {
    this.#timeline = timeline;
    this.#chance = chance;
    this.#trace = trace;
  }

  setMood(host: string, mood: Mood): void {
    this.#trace.tell(this.#timeline.now, `${host} is ${mood}`);
    this.#moods.set(host, { mood, since: this.#timeline.now });
  }

  /** Since when the provider has been well; null when it is not. */
  wellSince(host: string): Instant | null {
    const { mood, since } = this.#moods.get(host) ?? { mood: 'well', since: Number.NEGATIVE_INFINITY };
    return mood === 'well' ? since : null;
  }

  /** Whether anybody waits for an answer. */
  get isBusy(): boolean {
    return this.#underWay > 0;
  }

  /** By which the messages of a node leave. */
  transports(life: Life): NodeParts['transports'] {
    return {
      http: (request) => life.lived(this.#http(request)),
      mail: {
        send: (mail) => life.lived(this.#mail(mail)),
        async [Symbol.asyncDispose]() {},
      },
    };
  }

  async #http({ url, headers, body }: OutboundRequest): Promise<HttpResult> {
    const [checkUuid = '', status = '', ...links] = String(body).trim().split(' ');
    const deliveryUuid = headers['Idempotency-Key'] ?? '';
    const message = { deliveryUuid, checkUuid, status, links, mailLinks: [], lines: [] };
    const answer = await this.#exchange(new URL(url).host, message);
    if (answer === 'lost') return { error: 'Connection timed out' };
    if (answer === 'unreachable') return { error: 'Connection failed' };
    const retryAfter: Record<string, string> = answer === 429 ? { 'retry-after': '120' } : {};
    return { status: answer, headers: retryAfter, body: new Uint8Array(0) };
  }

  /** Mails say nothing that is as secret as the UUID of a check. */
  async #mail({ id: deliveryUuid = '', to, subject, text }: Mail): Promise<string | null> {
    const checkUuid = '';
    const word = /^\w+/.exec(subject)?.[0].toLowerCase() ?? '';
    const status = ['still', 'failed'].includes(word) ? 'down' : word;
    const answer = await this.#exchange(to.split('@')[1] ?? '', {
      deliveryUuid,
      checkUuid,
      status,
      links: [],
      mailLinks: text.match(BUTTON) ?? [],
      lines: text.match(LINE) ?? [],
    });
    return answer === 200 ? null : `Mail was not accepted: ${answer}`;
  }

  async #exchange(host: string, message: Message): Promise<Answer> {
    this.#underWay++;
    return this.#answer(host, message).finally(() => {
      this.#underWay--;
    });
  }

  async #answer(host: string, message: Message): Promise<Answer> {
    const chance = this.#chance;
    const set = this.#moods.get(host)?.mood ?? 'well';
    const mood = set === 'moody' ? chance.pick(MOODS.slice(0, 5)) : set;
    switch (mood) {
      case 'refusing':
        await this.#timeline.sleep(seconds(0.1));
        return 500;
      case 'crowded':
        await this.#timeline.sleep(seconds(0.1));
        return 429;
      case 'unreachable':
        await this.#timeline.sleep(chance.happens(0.5) ? seconds(0.01) : TIMEOUT);
        return 'unreachable';
      case 'mute':
        await this.#take(host, message, seconds(0.2), true);
        await this.#timeline.sleep(TIMEOUT);
        return 'lost';
      case 'slow':
        await this.#take(host, message, seconds(chance.between(5, 25)));
        return 200;
      default:
        await this.#take(host, message, seconds(0.02 + chance.fraction() * 0.5));
        await this.#timeline.sleep(seconds(0.05));
        return 200;
    }
  }

  async #take(host: string, message: Message, after: Micros, isAnswerLost = false): Promise<void> {
    await this.#timeline.sleep(after);
    const at = this.#timeline.now;
    const taken = { at, isAnswerLost, ...message };
    this.taken.push(taken);
    this.onTaken(taken);
    this.#trace.tell(at, `${host} takes ${message.status} (${message.deliveryUuid})`, message.checkUuid);
  }
}
