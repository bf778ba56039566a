import type { ClientRequest } from 'node:http';
import { type Asked, ask, NoAnswer, type Question, readDoctorAnswer } from '../asking.ts';
import type { Installation } from '../installation.ts';
import { type Look, skip, together, warn } from '../look.ts';
import * as lines from '../proxy-lines.ts';
import type { Row } from '../row.ts';
import { doctorPath, whoAnswers } from '../service.ts';

const KILOBYTES_100 = Buffer.alloc(100_000, 'x');
/** The longest body that the API takes. */
const LONGEST = Buffer.alloc(2_621_440, 'x');
const PIECES = 6;
const PIECE_PAUSE_MS = 1_000;
const MAX_HELD_BACK_MS = 2_000;

/** A sort of request that jobs or pages send. */
interface Trial {
  readonly name: string;
  readonly question: Question;
  /** Bytes of its body that arrive. Null: the answer has no body to tell. */
  readonly bytes: number | null;
  readonly advice: () => string;
}

const TRIALS: readonly Trial[] = [
  { name: 'HEAD', question: { method: 'HEAD' }, bytes: null, advice: lines.passAnyRequest },
  {
    name: 'GET with a body',
    question: { headers: { 'content-length': '2' }, send: whole(Buffer.from('ok')) },
    bytes: 2,
    advice: lines.passAnyRequest,
  },
  {
    name: 'a POST of 100 kB',
    question: posted(KILOBYTES_100),
    bytes: KILOBYTES_100.length,
    advice: lines.allowLongBodies,
  },
  {
    name: 'a POST in chunks',
    question: { method: 'POST', send: whole(KILOBYTES_100) },
    bytes: KILOBYTES_100.length,
    advice: lines.allowLongBodies,
  },
  {
    name: 'a body of 2.6 MB',
    question: posted(LONGEST),
    bytes: LONGEST.length,
    advice: lines.allowLongBodies,
  },
];

export const passage: Row = {
  name: 'passage',
  looksAt: 'what the proxy lets through: HEAD, bodies of all sorts, and streams of events to open pages',
  fails: null,
  warns: 'a sort of request that does not arrive whole, or a stream that is held back',
  async look(installation, signal) {
    const { root } = installation.config.site;
    if ((await whoAnswers(installation, root, signal)).who !== 'we')
      return skip('This service does not answer at SITE_ROOT: see the row site.');
    const troubles = await Promise.all([
      ...[...TRIALS, slowBody(installation)].map((trial) => attempt(installation, trial, signal)),
      tryStream(installation, signal),
    ]);
    return together(troubles, 'All sorts of requests arrive as they are sent.');
  },
};

/** Piece by piece, as a job that writes its output while it runs. */
function slowBody({ world }: Installation): Trial {
  const send = async (request: ClientRequest) => {
    for (let piece = 1; piece < PIECES; piece++) {
      request.write('x');
      await world.rest(PIECE_PAUSE_MS);
    }
    request.end('x');
  };
  return {
    name: 'a body that takes 5 seconds',
    question: { method: 'POST', headers: { 'content-length': String(PIECES) }, send },
    bytes: PIECES,
    advice: lines.allowSlowBodies,
  };
}

async function attempt(
  installation: Installation,
  { name, question, bytes, advice }: Trial,
  signal: AbortSignal,
): Promise<Look | null> {
  const problem = (why: string) => warn(`Does not get through: ${name} (${why}).`, advice());
  let asked: Asked;
  try {
    asked = await askService(installation, signal, question);
  } catch (error) {
    if (error instanceof NoAnswer) return problem(error.message);
    throw error;
  }
  if (asked.status !== 200) return problem(`status ${asked.status}`);
  if (bytes === null) return null;
  const arrived = readDoctorAnswer(asked.body)?.body_bytes;
  return arrived === bytes ? null : problem(`${arrived ?? 0} of ${bytes} bytes arrived`);
}

/** The service writes an event at once, and then keeps the stream open. */
async function tryStream(installation: Installation, signal: AbortSignal): Promise<Look | null> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(MAX_HELD_BACK_MS)]);
  let isThere = false;
  try {
    await askService(installation, patience, {
      headers: { accept: 'text/event-stream' },
      onFirstBytes: (response) => {
        isThere = true;
        response.destroy();
      },
    });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
  }
  if (isThere) return null;
  return warn(
    `Events to open pages are held back for more than ${MAX_HELD_BACK_MS / 1000} s.`,
    lines.passStreams(),
  );
}

async function askService(
  installation: Installation,
  signal: AbortSignal,
  question: Question,
): Promise<Asked> {
  const { path } = await doctorPath(installation);
  return ask(`${installation.config.site.root}${path}`, installation.world.names, signal, question);
}

function whole(body: Buffer): (request: ClientRequest) => Promise<void> {
  return async (request) => {
    // Written before it is ended, or its length would be sent in place of chunks.
    request.write(body);
    request.end();
  };
}

function posted(body: Buffer): Question {
  return { method: 'POST', headers: { 'content-length': String(body.length) }, send: whole(body) };
}
