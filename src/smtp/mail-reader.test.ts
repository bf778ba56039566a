import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { aCheck } from '../domain/check/check.test-support.ts';
import { AppError } from '../domain/errors.ts';
import { MailReader, type MailReaderOptions } from './mail-reader.ts';
import { readMail } from './read-mail.ts';

/** Bytes as they arrive: in a block that can be moved to a thread. */
function block(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

function ask(reader: MailReader, text: string, ownerId = 1) {
  return reader.read(ownerId, { raw: block(text), bodyLimit: null, filters: [] });
}

/** Answers with what it was given, unless it is told to die, to fail or to go on for ever. */
const SCRIPTED = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', ({ raw }) => {
    const text = Buffer.from(raw).toString();
    if (text === 'die') process.exit(1);
    if (text === 'fail') throw new Error('failed');
    if (text === 'endless') for (;;);
    if (text === 'memory') for (const all = []; ; ) all.push(new Array(1e6).fill(all.length));
    parentPort.postMessage({ raw, body: raw, asksToConfirm: false, signals: [] });
  });
`;

function scripted(options: Partial<MailReaderOptions> = {}) {
  const threads: Worker[] = [];
  const reader = new MailReader(options, () => {
    const thread = new Worker(SCRIPTED, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 20 } });
    threads.push(thread);
    return thread;
  });
  return { reader, threads };
}

const textOf = (read: { raw: Uint8Array }) => Buffer.from(read.raw).toString();

suite('the reader of mails', () => {
  test('reads them in a thread, and gives the bytes back', async () => {
    await using reader = new MailReader();
    const text = 'Subject: =?utf-8?q?=E2=9C=93?=\r\n\r\nplease confirm';
    const filters = [aCheck({ filterSubject: true, successKeywords: '✓' })];
    const raw = block(text);

    const reading = reader.read(1, { raw, bodyLimit: 10, filters });
    assert.equal(raw.length, 0, 'moved, not copied');
    const read = await reading;

    assert.equal(textOf(read), text);
    const { body, ...expected } = readMail({ raw: block(text), bodyLimit: 10, filters });
    assert.deepEqual([read.asksToConfirm, read.signals], [expected.asksToConfirm, expected.signals]);
    assert.deepEqual(read.body, body);
  });

  test('reads one after the other in the same thread', async () => {
    const { reader, threads } = scripted();
    await using _ = reader;

    const texts = await Promise.all(['one', '', 'three'].map((text) => ask(reader, text)));

    assert.deepEqual(texts.map(textOf), ['one', '', 'three']);
    assert.equal(threads.length, 1);
  });

  for (const fatal of ['die', 'fail', 'memory', 'endless']) {
    test(`a mail that makes its thread ${fatal} fails alone, and those behind it are read`, async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const { reader, threads } = scripted({ maxReadMs: 60_000 });
      await using _ = reader;
      const before = ask(reader, 'before');
      const lost = assert.rejects(ask(reader, fatal));
      const after = [ask(reader, 'after'), ask(reader, 'after that')];

      await before;
      // By now the next one is being read.
      if (fatal === 'endless') t.mock.timers.tick(60_000);
      assert.deepEqual((await Promise.all([before, ...after])).map(textOf), [
        'before',
        'after',
        'after that',
      ]);
      await lost;
      assert.equal(threads.length, 2);
    });
  }

  test('a mail that cannot be moved, and a thread that cannot be started, fail one mail alone', async () => {
    let starts = 0;
    await using reader = new MailReader({}, () => {
      if (++starts === 1) throw new Error('no thread to be had');
      return new Worker(SCRIPTED, { eval: true });
    });

    await assert.rejects(ask(reader, 'one'), /no thread to be had/);
    const raw = block('two');
    structuredClone(raw, { transfer: [raw.buffer as ArrayBuffer] });
    await assert.rejects(reader.read(1, { raw, bodyLimit: null, filters: [] }), { name: 'DataCloneError' });

    assert.equal(textOf(await ask(reader, 'three')), 'three');
  });

  test('refuses one mail more than an account may have waiting, and takes those of others', async () => {
    const { reader } = scripted({ maxQueuedMails: 3 });
    await using _ = reader;

    const reading = ['read', 'first', 'second'].map((text) => ask(reader, text));
    const refused = (error: unknown) => error instanceof AppError && error.code === 'overloaded';
    await assert.rejects(ask(reader, 'third'), refused);
    reading.push(ask(reader, 'of another', 2));
    await assert.rejects(ask(reader, 'of one more', 3), refused);

    assert.deepEqual((await Promise.all(reading)).map(textOf), ['read', 'first', 'second', 'of another']);
  });

  test('reads a mail of another account at its turn, however many one account gets', async () => {
    const { reader } = scripted();
    await using _ = reader;
    const order: string[] = [];
    const read = async (text: string, ownerId: number) =>
      order.push(textOf(await ask(reader, text, ownerId)));

    await Promise.all([...Array.from({ length: 50 }, (_, n) => read(`one ${n}`, 1)), read('other', 2)]);

    assert.deepEqual(order.slice(0, 4), ['one 0', 'one 1', 'other', 'one 2']);
  });

  test('leaves nobody waiting when it is disposed of', async () => {
    const { reader } = scripted();
    const waiting = Promise.allSettled(['endless', 'next'].map((text) => ask(reader, text)));

    await reader[Symbol.asyncDispose]();

    assert.deepEqual(
      (await waiting).map(({ status }) => status),
      ['rejected', 'rejected'],
    );
  });
});
