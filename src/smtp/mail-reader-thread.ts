import { parentPort } from 'node:worker_threads';
import { type MailQuestion, readMail } from './read-mail.ts';

// Started by mail-reader.ts. The message is moved to this thread and back without a copy.
parentPort?.on('message', (question: MailQuestion) => {
  const answer = readMail(question);
  const { raw } = question;
  parentPort?.postMessage({ ...answer, raw }, [raw.buffer, answer.body.buffer] as ArrayBuffer[]);
});
