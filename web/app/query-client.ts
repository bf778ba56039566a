import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api.ts';

const RETRIES = 2;

/** The cache of the server's answers. */
export const queries = new QueryClient({
  defaultOptions: {
    // The server would refuse again.
    queries: {
      retry: (count, error) => count < RETRIES && !(error instanceof ApiError && error.code !== null),
    },
  },
});
