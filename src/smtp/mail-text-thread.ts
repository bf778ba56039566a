import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type MailText, mailText } from './mail-text.ts';

/** Up to here a message is read at once: it takes less time than a thread needs to start. */
const LONG_BYTES = 256 * 1024;

/**
 * Reads messages without holding up everybody else: a long one, which may take seconds, is read in a thread of
 * its own, and only one at a time, so that they cannot take all processors and all memory.
 */
export function createTextReader(): (raw: Uint8Array) => Promise<MailText> {
  let last: Promise<unknown> = Promise.resolve();
  return (raw) => {
    if (raw.length <= LONG_BYTES) return Promise.resolve(mailText(raw));
    const read = last.then(() => readInThread(raw));
    last = read;
    return read;
  };
}

async function readInThread(raw: Uint8Array): Promise<MailText> {
  // Run from sources and from the build alike, whatever the ending.
  const ending = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  try {
    const worker = new Worker(new URL(`./mail-text-worker${ending}`, import.meta.url), { workerData: raw });
    const [[text]]: [MailText[], unknown] = await Promise.all([
      once(worker, 'message'),
      once(worker, 'exit'),
    ]);
    if (text !== undefined) return text;
  } catch {
    // There is no thread to be had: better to be slow than to lose the ping.
  }
  return mailText(raw);
}
