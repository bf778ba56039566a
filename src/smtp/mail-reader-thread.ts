import { parentPort } from 'node:worker_threads';
import { type MailQuestion, readMail } from './read-mail.ts';

// Started by mail-reader.ts. The message comes without being copied, and goes back in the same way.
parentPort?.on('message', (question: MailQuestion) => {
  const answer = readMail(question);
  const { raw } = question;
  parentPort?.postMessage({ ...answer, raw }, [raw.buffer, answer.body.buffer] as ArrayBuffer[]);
});
