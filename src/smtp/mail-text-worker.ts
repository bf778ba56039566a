import { parentPort, workerData } from 'node:worker_threads';
import { mailText } from './mail-text.ts';

// Started by mail-text-thread.ts, with the bytes of one message.
parentPort?.postMessage(mailText(workerData));
