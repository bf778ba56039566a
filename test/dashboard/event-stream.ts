import { type IncomingMessage, request } from 'node:http';
import type { LiveEventJson } from '../../src/wire/dashboard/live-output.ts';
import { SITE } from '../app.ts';
import { until } from '../waiting.ts';

export interface StreamOptions {
  readonly port: number;
  /** `name=value; …` */
  readonly cookie: string;
  /** The query after `/dashboard/api/live`. */
  readonly query?: string;
  readonly lastEventId?: string;
}

/** A stream of live events, as a browser has it. */
export class EventStream implements Disposable {
  readonly events: LiveEventJson[] = [];
  lastEventId: string | null = null;
  isOver = false;
  readonly #response: IncomingMessage;
  #rest = '';

  constructor(response: IncomingMessage) {
    this.#response = response;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#take(text));
    const end = () => {
      this.isOver = true;
    };
    response.on('close', end).on('error', end);
  }

  get status(): number {
    return this.#response.statusCode ?? 0;
  }

  get headers(): IncomingMessage['headers'] {
    return this.#response.headers;
  }

  /** Events of this kind. */
  all<Kind extends LiveEventJson['kind']>(kind: Kind): Extract<LiveEventJson, { kind: Kind }>[] {
    return this.events.filter(
      (event): event is Extract<LiveEventJson, { kind: Kind }> => event.kind === kind,
    );
  }

  async until(kind: LiveEventJson['kind'], count = 1): Promise<void> {
    await until(`${count} × ${kind} has come`, () => this.all(kind).length >= count);
  }

  [Symbol.dispose](): void {
    this.#response.destroy();
  }

  #take(text: string): void {
    const messages = (this.#rest + text).split('\n\n');
    this.#rest = messages.pop() ?? '';
    for (const message of messages) {
      for (const line of message.split('\n')) {
        if (line.startsWith('id: ')) this.lastEventId = line.slice(4);
        if (line.startsWith('data: ')) this.events.push(JSON.parse(line.slice(6)));
      }
    }
  }
}

export async function openStream({
  port,
  cookie,
  query = '',
  lastEventId,
}: StreamOptions): Promise<EventStream> {
  const { promise, resolve, reject } = Promise.withResolvers<EventStream>();
  request({
    port,
    host: '127.0.0.1',
    path: `/dashboard/api/live${query}`,
    agent: false,
    headers: {
      host: new URL(SITE.root).host,
      accept: 'text/event-stream',
      cookie,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
  })
    .on('response', (response) => resolve(new EventStream(response)))
    .on('error', reject)
    .end();
  return promise;
}
