import inject, { type InjectOptions, type Response } from 'light-my-request';
import type { HttpServer } from '../src/http/server.ts';

export type { InjectOptions };

/** Sends a request to the server below the socket. */
export function injectInto({ handle }: HttpServer, options: InjectOptions): Promise<Response> {
  return inject((request, response) => handle(request, response), options);
}
