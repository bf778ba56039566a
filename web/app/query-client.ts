import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api.ts';

const RETRIES = 2;

/** What the pages know of the server's answers. */
export const queries = new QueryClient({
  defaultOptions: {
    // What the server refuses, it would refuse again.
    queries: {
      retry: (count, error) => count < RETRIES && !(error instanceof ApiError && error.code !== null),
    },
  },
});
