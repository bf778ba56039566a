import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { type AnswerBeingMade, AnsweringThreads, answerQuestions } from './answering-threads.ts';

/** `text` is answered letter by letter. */
interface Question {
  readonly text: string;
  /** Nothing is told of it before its second step. */
  readonly isLate?: boolean;
  readonly fails?: boolean;
}

const OPTIONS = {
  threadCount: 1,
  maxQueued: 10,
  maxOpenAnswers: 10,
  maxPieceMs: 60_000,
};

const ERRORS = {
  overloaded: () => new Error('overloaded'),
  decode: (message: string) => new Error(message),
};

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** A thread without a thread: what is posted to it is handled when the test says so. */
class FakeThread extends EventEmitter {
  readonly handled: string[] = [];
  readonly cancelled: string[] = [];
  readonly #inbox: unknown[] = [];
  readonly #port = new EventEmitter();
  isTerminated = false;

  constructor() {
    super();
    const toAsker = { postMessage: (reply: unknown) => void this.emit('message', reply) };
    answerQuestions<Question, { length: number }, string>(
      Object.assign(this.#port, toAsker),
      (question) => this.#answer(question),
      (error) => String(error),
    );
  }

  postMessage(message: unknown): void {
    this.#inbox.push(message);
  }

  async terminate(): Promise<number> {
    this.isTerminated = true;
    return 0;
  }

  /** Handles what was posted, one message after the other, also what comes of it. */
  async run(steps = Number.POSITIVE_INFINITY): Promise<void> {
    for (let n = 0; n < steps; n++) {
      const message = this.#inbox.shift();
      if (message === undefined) return;
      this.#port.emit('message', message);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #answer(question: Question): Promise<AnswerBeingMade<{ length: number }>> {
    const { text, isLate = false, fails = false } = question;
    this.handled.push(text);
    if (isLate) return { next: () => this.#answer({ ...question, isLate: false }) };
    if (fails) throw new Error('it cannot be read');
    const { cancelled } = this;
    async function* rest(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
      let sent = 1;
      try {
        for (; sent < text.length; sent++) yield bytes(text[sent] ?? '');
      } finally {
        if (sent < text.length) cancelled.push(text);
      }
    }
    return {
      head: { length: text.length },
      first: bytes(text[0] ?? ''),
      rest: text.length > 1 ? rest() : null,
    };
  }
}

function given(options: Partial<typeof OPTIONS> = {}) {
  const started: FakeThread[] = [];
  const start = () => {
    const thread = new FakeThread();
    started.push(thread);
    // The pool uses of a worker what the fake has.
    return thread as unknown as Worker;
  };
  const threads = new AnsweringThreads<Question, { length: number }, string>(
    start,
    { ...OPTIONS, ...options },
    ERRORS,
  );
  const ask = async (owner: string, question: Question) => {
    const { head, pieces } = await threads.ask(owner, question);
    const read = (await Array.fromAsync(pieces)).map((piece) => new TextDecoder().decode(piece));
    return { head, read };
  };
  return { threads, started, ask, first: () => started[0] ?? assert.fail('no thread was started') };
}

test('an answer comes piece by piece, with what is told of the whole', async () => {
  const { ask, first } = given();

  const answer = ask('a', { text: 'abc' });
  const short = ask('a', { text: 'x' });
  await first().run();

  assert.deepEqual(await answer, { head: { length: 3 }, read: ['a', 'b', 'c'] });
  assert.deepEqual(await short, { head: { length: 1 }, read: ['x'] });
});

test('owners take turns: a long line of questions of one delays another by one', async () => {
  const { ask, first } = given();

  const asked = [...['1', '2', '3'].map((text) => ask('a', { text })), ask('b', { text: '4' })];
  await first().run();
  await Promise.all(asked);

  assert.deepEqual(first().handled, ['1', '2', '4', '3']);
});

test('more questions than may wait are refused at once', async () => {
  const { threads, ask, first } = given({ maxQueued: 4 });

  const asked = ['1', '2', '3'].map((text) => ask('a', { text }));
  await assert.rejects(threads.ask('a', { text: '4' }), /overloaded/);
  await first().run();
  await Promise.all(asked);

  assert.deepEqual(first().handled, ['1', '2', '3']);
});

test('more answers than may be open are refused', async () => {
  const { threads, first } = given({ maxOpenAnswers: 1 });
  const asked = threads.ask('a', { text: 'abc' });
  await first().run(1);
  const { pieces } = await asked;

  await assert.rejects(threads.ask('b', { text: 'x' }), /overloaded/);
  await pieces.return?.();
  const again = threads.ask('b', { text: 'x' });
  await first().run();

  assert.deepEqual((await again).head, { length: 1 });
  assert.deepEqual(first().cancelled, [], 'a generator that was never asked has nothing to clean up');
});

test('one owner cannot take all open answers', async () => {
  const { threads, first } = given({ maxOpenAnswers: 4 });
  const slow = [threads.ask('a', { text: 'abc' }), threads.ask('a', { text: 'abc' })];
  await first().run(2);
  await Promise.all(slow);

  await assert.rejects(threads.ask('a', { text: 'x' }), /overloaded/);
  const other = threads.ask('b', { text: 'x' });
  await first().run();

  assert.deepEqual((await other).head, { length: 1 });
});

test('what has begun goes on, however many questions of its owner wait', async () => {
  const { threads, ask, first } = given({ maxQueued: 1 });
  const asked = threads.ask('a', { text: 'abc' });
  await first().run();
  const { pieces } = await asked;
  await pieces.next();

  const late = ask('a', { text: 'xy', isLate: true });
  const waiting = ask('a', { text: 'z' });
  const second = pieces.next();
  await first().run();

  assert.deepEqual((await late).read, ['x', 'y']);
  assert.deepEqual((await waiting).read, ['z']);
  assert.deepEqual(await second, { done: false, value: bytes('b') });
});

test('a question that no thread can be started for occupies nothing', async () => {
  const threads = new AnsweringThreads<Question, { length: number }, string>(
    () => {
      throw new Error('no memory for a thread');
    },
    { ...OPTIONS, maxOpenAnswers: 1 },
    ERRORS,
  );

  for (let n = 0; n < 3; n++) await assert.rejects(threads.ask('a', { text: 'x' }), /no memory for a thread/);
});

test('an answer of one piece is over when it has come, although nobody reads it', async () => {
  const { threads, first } = given({ maxOpenAnswers: 2 });

  for (const text of ['1', '2', '3', '4']) {
    const asked = threads.ask('a', { text });
    await first().run();
    assert.deepEqual((await asked).head, { length: 1 });
  }

  assert.deepEqual(first().handled, ['1', '2', '3', '4']);
  assert.deepEqual(first().cancelled, []);
});

test('an answer that nobody reads to its end is given up in the thread, too', async () => {
  const { threads, first } = given();
  const asked = threads.ask('a', { text: 'abc' });
  await first().run();
  const { pieces } = await asked;
  await pieces.next();
  const second = pieces.next();
  await first().run();
  await second;

  await pieces.return?.();
  await first().run();

  assert.deepEqual(first().cancelled, ['abc']);
});

test('a question that fails leaves the others alone', async () => {
  const { ask, first } = given();

  const failing = ask('a', { text: 'bad', fails: true });
  const fine = ask('b', { text: 'x' });
  const refused = assert.rejects(failing, /it cannot be read/);
  await first().run();

  await refused;
  assert.deepEqual((await fine).read, ['x']);
});

test('a thread that dies takes its open answers with it, and the next question starts another', async () => {
  const { threads, ask, started, first } = given();
  const asked = threads.ask('a', { text: 'abc' });
  await first().run();
  const { pieces } = await asked;
  await pieces.next();

  first().emit('error', new Error('out of memory'));

  await assert.rejects(pieces.next(), /overloaded/);
  const again = ask('a', { text: 'x' });
  await started[1]?.run();
  assert.deepEqual((await again).read, ['x']);
});

test('an answer whose thread dies while its next piece waits is broken off, so that nobody takes it for whole', async () => {
  const { threads, ask, started, first } = given();
  const asked = threads.ask('a', { text: 'abc' });
  await first().run();
  const { pieces } = await asked;
  await pieces.next();
  const dying = assert.rejects(ask('a', { text: 'x' }), /out of memory/);
  const cut = assert.rejects(pieces.next(), /overloaded/);

  first().emit('error', new Error('out of memory'));
  await started[1]?.run();

  await dying;
  await cut;
});

test('a question that waits when the thread dies gets its whole answer from the next thread', async () => {
  const { ask, started, first } = given();
  const dying = assert.rejects(ask('a', { text: 'x' }), /out of memory/);
  const waiting = ask('a', { text: 'abc' });

  first().emit('error', new Error('out of memory'));
  await started[1]?.run();

  await dying;
  assert.deepEqual((await waiting).read, ['a', 'b', 'c']);
});

test('a piece that takes too long is given up with its thread', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { threads, started, first } = given();
  const asked = threads.ask('a', { text: 'abc' });

  t.mock.timers.tick(OPTIONS.maxPieceMs);

  await assert.rejects(asked, /was not made within/);
  assert.equal(first().isTerminated, true);
  assert.equal(started.length, 1);
});

test('after the end every question is refused, those that wait among them', async () => {
  const { threads } = given();
  const asked = ['1', '2'].map((text) => threads.ask('a', { text }));
  const refused = Promise.all(asked.map((one) => assert.rejects(one, /overloaded/)));

  await threads[Symbol.asyncDispose]();

  await refused;
  await assert.rejects(threads.ask('a', { text: '3' }), /overloaded/);
});
