import { m } from '../messages/index.ts';
import { noteServerTime } from './clock.ts';
import { interrupt, isInterruption } from './interruption.ts';

/** The path of the site, without a slash at its end. The service writes it into the page. */
export const ROOT = document.querySelector<HTMLMetaElement>('meta[name="tocsin-root"]')?.content ?? '';

/** A request that failed, in words for the person. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The server's code. Null if there was no answer. */
  readonly code: string | null;
  /** The field of the form that is wrong. */
  readonly field: string | null;
  /** The whole answer, for what some refusals tell besides. */
  readonly answer: Readonly<Record<string, unknown>>;

  constructor(
    message: string,
    code: string | null = null,
    field: string | null = null,
    answer: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.code = code;
    this.field = field;
    this.answer = answer;
  }
}

/**
 * Asks the API of the dashboard. An answer without content is null. Where the server wants a proof of who the person is, or
 * they are signed out, the person is asked, and then the request is sent again.
 */
export const send = interruptible(sendOnce);

/** An answer that is a file. */
export const getFile = interruptible(async (path: string) => (await replyTo('GET', path)).blob());

function interruptible<Given extends unknown[], Answer>(request: (...given: Given) => Promise<Answer>) {
  return async (...given: Given): Promise<Answer> => {
    try {
      return await request(...given);
    } catch (error) {
      const code = error instanceof ApiError ? error.code : null;
      if (!isInterruption(code) || !(await interrupt(code))) throw error;
      return request(...given);
    }
  };
}

/** Sends a request of the dialogs themselves. */
export async function sendOnce<T>(method: string, path: string, body?: object): Promise<T> {
  const text = await (await replyTo(method, path, body)).text();
  return (text === '' ? null : JSON.parse(text)) as T;
}

async function replyTo(method: string, path: string, body?: object): Promise<Response> {
  let reply: Response;
  try {
    reply = await fetch(`${ROOT}/dashboard/api${path}`, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    });
  } catch {
    throw new ApiError(m.errors.unreachable);
  }
  noteServerTime(reply.headers.get('date'));
  if (!reply.ok) throw errorOf(reply, await reply.text());
  return reply;
}

function errorOf(reply: Response, text: string): ApiError {
  try {
    const answer = JSON.parse(text);
    const { error, code = null, field = null } = answer;
    // Unknown routes answer without a code.
    return new ApiError(String(error), code ?? (reply.status === 404 ? 'not_found' : null), field, answer);
  } catch {
    return new ApiError(m.errors.unexpected(reply.headers.get('x-request-id')));
  }
}
