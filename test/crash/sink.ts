import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A message as it came to the sink. */
export interface Arrival {
  /** Its Idempotency-Key. */
  readonly key: string;
  readonly check: string;
  /** `down 2026-01-03T10:00:00+00:00`: what it told, and of when. */
  readonly news: string;
  /** The address of its button to acknowledge. Empty: it has none. */
  readonly button: string;
  /** The status of the answer. */
  readonly status: number;
}

export interface Answer {
  readonly status: number;
  readonly afterMs: number;
}

/** Receives webhooks: keeps the messages, in order, and answers as it is told to. */
export interface Sink extends AsyncDisposable {
  /** The webhook's URL, with its placeholders. */
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  /** Decides upon an answer; told whether the message has come before. */
  answer: (isRepeated: boolean) => Answer;
}

const AT_ONCE: Answer = { status: 200, afterMs: 0 };

export async function startSink(): Promise<Sink> {
  const arrivals: Arrival[] = [];
  const keys = new Set<string>();
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://sink');
    const key = String(request.headers['idempotency-key']);
    const { status, afterMs } = sink.answer(keys.has(key));
    keys.add(key);
    const news = `${searchParams.get('status')} ${searchParams.get('now')}`;
    const button = searchParams.get('button') ?? '';
    arrivals.push({ key, check: pathname.slice(1), news, button, status });
    request.resume();
    if (afterMs > 0) await sleep(afterMs);
    response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const sink: Sink = {
    url: `http://127.0.0.1:${address.port}/$CODE?status=$STATUS&now=$NOW`,
    arrivals,
    answer: () => AT_ONCE,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return sink;
}

/** The news of each message when it first came, by check and in order of arrival. */
export function firstArrivals({ arrivals }: Sink): Map<string, string[]> {
  const firsts = new Map(arrivals.toReversed().map((arrival) => [arrival.key, arrival]));
  const inOrder = arrivals.filter((arrival) => firsts.get(arrival.key) === arrival);
  const byCheck = Map.groupBy(inOrder, ({ check }) => check);
  return new Map([...byCheck].map(([check, own]) => [check, own.map(({ news }) => news)]));
}
